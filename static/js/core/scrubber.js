// The track of the transport: a slider over frame numbers, with a tick where something happened.

import { el } from "./dom.js";

/**
 * @typedef {{ number: number, state: string, text: string }} Tick
 * @typedef {{ oldest: number, newest: number, at: number, live: boolean }} View
 * @typedef {{ ticks: Tick[], seek: (to: number) => void, step: (by: number) => void, toEnd: (newest: boolean) => void,
 *   describe: (at: number) => string }} Options
 */

const MOST_TICKS = 40;
/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

export class Scrubber {
  /** @param {HTMLElement} track @param {Options} options */
  constructor(track, options) {
    this.track = track;
    this.options = options;
    this.ticks = options.ticks.slice(-MOST_TICKS);
    /** @type {View} */
    this.view = { oldest: 0, newest: 0, at: 0, live: true };
    /** @type {number | null} the number under the thumb while it is dragged */
    this.dragged = null;
    this.marks = el("span", { class: "track-ticks" });
    this.bubble = el("output", { class: "track-bubble", hidden: true });
    track.append(this.marks, this.bubble);
    track.addEventListener("keydown", (event) => this.onKey(event));
    track.addEventListener("pointerdown", (event) => this.onDown(event));
    track.addEventListener("pointermove", (event) => this.dragged !== null && this.drag(event));
    track.addEventListener("pointerup", (event) => this.onUp(event));
    track.addEventListener("pointercancel", () => this.drop());
  }

  /** @param {View} view */
  paint(view) {
    const moved = view.oldest !== this.view.oldest || view.newest !== this.view.newest || !this.marks.childElementCount;
    this.view = view;
    if (this.dragged === null) this.paintThumb(view.at);
    this.track.setAttribute("aria-valuemin", String(view.oldest));
    this.track.setAttribute("aria-valuemax", String(view.newest));
    if (moved && this.ticks.length) this.paintTicks();
  }

  /** @param {Tick} tick */
  mark(tick) {
    this.ticks = [...this.ticks, tick].slice(-MOST_TICKS);
    this.paintTicks();
  }

  /** @param {number} at */
  paintThumb(at) {
    this.track.style.setProperty("--at", `${this.share(at) * 100}%`);
    this.track.setAttribute("aria-valuenow", String(at));
    this.track.setAttribute("aria-valuetext", this.options.describe(at));
  }

  paintTicks() {
    const inView = this.ticks.filter((tick) => tick.number >= this.view.oldest && tick.number <= this.view.newest);
    this.marks.replaceChildren(...inView.map((tick) => {
      const node = el("i", { "data-state": tick.state, title: tick.text });
      node.style.left = `${this.share(tick.number) * 100}%`;
      return node;
    }));
  }

  /** Where a number stands between the ends, 0 to 1. @param {number} at */
  share(at) {
    const { oldest, newest } = this.view;
    return newest > oldest ? Math.min(1, Math.max(0, (at - oldest) / (newest - oldest))) : 1;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const step = STEPS[event.key];
    if (step !== undefined) this.options.step(event.shiftKey ? step * 10 : step);
    else if (event.key === "Home" || event.key === "End") this.options.toEnd(event.key === "End");
    else return;
    event.preventDefault();
  }

  /** @param {PointerEvent} event */
  onDown(event) {
    if (event.button !== 0) return;
    this.track.setPointerCapture(event.pointerId);
    this.track.focus({ preventScroll: true });
    this.drag(event);
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const box = this.track.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    const { oldest, newest } = this.view;
    this.dragged = Math.round(oldest + share * (newest - oldest));
    this.paintThumb(this.dragged);
    this.bubble.hidden = false;
    this.bubble.textContent = `frame ${this.dragged.toLocaleString("en-US")}`;
  }

  /** Fetches on release only. @param {PointerEvent} event */
  onUp(event) {
    if (this.dragged === null) return;
    const to = this.dragged;
    this.track.releasePointerCapture(event.pointerId);
    this.drop();
    if (to >= this.view.newest) this.options.toEnd(true);
    else this.options.seek(to);
  }

  drop() {
    this.dragged = null;
    this.bubble.hidden = true;
    this.paintThumb(this.view.at);
  }
}
