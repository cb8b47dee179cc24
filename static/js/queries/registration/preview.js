// The answer the query would give now, and what it costs: painted from the server's preview.

import { setText } from "../../core/dom.js";
import { bytes, counted, duration, number, percent } from "../../core/format.js";
import { setPill } from "../../core/pill.js";
import { drawShare, roomFor } from "../frequent/share-bar.js";
import { span } from "./fields.js";

/**
 * @typedef {{ ok: true, frame: any, cost: { counters: number, bytes: number, basic_windows: number }, question: string,
 *   elements: number, note: string }} Answer
 */

const ROWS = 10;

export class Preview {
  constructor() {
    this.panel = /** @type {HTMLElement} */ (document.querySelector("[data-preview]"));
    this.body = /** @type {HTMLElement} */ (this.panel.querySelector("tbody"));
    this.blank = /** @type {HTMLTemplateElement} */ (document.getElementById("preview-row"));
    this.note = /** @type {HTMLElement} */ (this.panel.querySelector("[data-preview-note]"));
  }

  /** @param {string} state @param {string} word */
  say(state, word) {
    setPill(this.panel.querySelector("[data-preview-state]"), state, word);
    this.panel.setAttribute("aria-busy", String(state === "starting"));
    this.panel.classList.toggle("is-old", state !== "running");
  }

  /** @param {Answer} answer @param {string} item */
  show(answer, item) {
    const { frame } = answer;
    this.say("running", "Live");
    setText(this.panel.querySelector("[data-preview-item]"), item);
    setText(this.panel.querySelector("[data-preview-over]"), `on the last ${counted(answer.elements, "element")} of the log`);
    const rows = frame?.items.length ?? 0;
    const hint = frame && !frame.filling ? "" : answer.note;
    this.tell(frame && !rows ? "No item passes φ in this window." : hint);
    this.paintRows(frame);
  }

  /** @param {string} text */
  tell(text) {
    this.note.hidden = !text;
    setText(this.note, text);
  }

  /** @param {any} frame */
  paintRows(frame) {
    const count = Math.min(ROWS, frame?.items.length ?? 0);
    for (const row of this.body.querySelectorAll(".waiting")) row.remove();
    while (this.body.children.length < ROWS) this.body.append(document.importNode(this.blank.content, true));
    const total = frame?.total || 1;
    const ruler = { scale: roomFor(Math.max(frame?.phi ?? 0, ...(frame?.upper ?? [0]).map((/** @type {number} */ one) => one / total))), phi: frame?.phi ?? null, delta: (frame?.delta ?? 0) / total };
    [...this.body.children].forEach((row, at) => {
      row.classList.toggle("is-free", at >= count);
      row.toggleAttribute("aria-hidden", at >= count);
      if (at < count) paintRow(row, frame, at, total, ruler);
    });
  }
}

/** @param {Element} row @param {any} frame @param {number} at @param {number} total @param {import("../frequent/share-bar.js").Ruler} ruler */
function paintRow(row, frame, at, total, ruler) {
  const item = String(frame.items[at]);
  const [lower, upper] = [frame.lower[at], frame.upper[at]];
  setText(row.querySelector(".rank"), String(at + 1));
  setText(row.querySelector("code"), item);
  row.querySelector("code")?.setAttribute("title", item);
  setText(row.querySelector(".lower"), number(lower));
  setText(row.querySelector(".upper"), number(upper));
  row.querySelector(".upper")?.classList.toggle("equal", lower === upper);
  drawShare(/** @type {SVGElement} */ (row.querySelector(".share-bar")), { lower: lower / total, upper: upper / total, verdict: frame.verdict[at] }, ruler);
}

/**
 * @param {Answer} answer
 * @param {{ window: number, isTime: boolean, rate: number | null }} facts
 */
export function showCost({ cost, frame }, { window, isTime, rate }) {
  const put = (/** @type {string} */ name, /** @type {string} */ text) => {
    const node = document.querySelector(`[data-cost=${name}]`);
    setText(node, text);
    node?.parentElement?.classList.toggle("unknown", text === "–" && !name.endsWith("foot"));
  };
  put("memory", bytes(cost.bytes));
  put("memory-foot", `kN/b = ${number(cost.counters)} counters`);
  const known = frame && frame.total > 0;
  put("delta", known ? percent(frame.delta / frame.total) : "–");
  put("delta-foot", known ? `${number(frame.delta)} of ${number(frame.total)}` : "from the preview");
  const seconds = isTime ? window : rate ? window / rate : null;
  put("full", seconds === null ? "–" : isTime ? span(seconds) : duration(seconds));
  put("full-foot", isTime ? "the window itself" : seconds === null ? "when elements arrive" : "at the stream's rate");
}
