// What came, went or changed its verdict in the last ten minutes, newest on top.
// New lines wait behind a button while one reads: nothing moves under a pointer.

import { el, icon, setText } from "../core/dom.js";
import { counted, dateTime, number, time } from "../core/format.js";

/** @typedef {import("../core/frames.js").Frame} Frame */
/** @typedef {{ item: string, what: string, at: string, number: number }} Change */

const SHOWN = 8;
/** @type {Record<string, [string, string]>} the sign and the words of each change; twin: dashboard/kinds/frequent/changes.py */
const WORDS = {
  certain: ["check", "became certain"],
  possible: ["circle-plus", "became possible"],
  new: ["circle-plus", "entered the list"],
  gone: ["circle-minus", "left the list"],
};

/** @param {Change} change */
function line({ item, what, at, number: frame }) {
  const [sign, words] = WORDS[what] ?? ["info", what];
  const when = el("time", { datetime: at, title: `Frame ${number(frame)}, ${dateTime(at)}` }, time(at));
  return el("li", { class: "event" }, when, icon(sign), el("p", {}, el("b", {}, item), ` ${words}`));
}

export class Changes {
  /** @param {HTMLElement} list @param {HTMLElement} more @param {HTMLElement} nothing */
  constructor(list, more, nothing) {
    this.list = list;
    this.more = more;
    this.nothing = nothing;
    /** @type {Change[]} newest first */
    this.waiting = [];
    more.addEventListener("click", () => this.release());
    list.addEventListener("pointerleave", () => this.release());
  }

  /** @param {Frame} frame */
  add(frame) {
    const fresh = (frame.payload.changes ?? []).map((/** @type {any} */ change) => ({ ...change, at: frame.ended_at, number: frame.number }));
    if (!fresh.length) return;
    this.waiting = [...fresh.reverse(), ...this.waiting].slice(0, SHOWN);
    if (this.list.matches(":hover") && this.list.childElementCount) this.hold();
    else this.release();
  }

  hold() {
    this.more.hidden = false;
    setText(this.more, counted(this.waiting.length, "new change"));
  }

  release() {
    this.more.hidden = true;
    this.list.prepend(...this.waiting.map(line));
    this.waiting = [];
    while (this.list.childElementCount > SHOWN) this.list.lastElementChild?.remove();
    this.nothing.hidden = this.list.childElementCount > 0;
  }
}
