// The heavy-hitter table. Rows are repainted in place: a row is a rank, and what stands there changes.
// Under a pointer, or with focus inside, the order is held and only the numbers go on.

import { icon, markChanged, setText } from "../../core/dom.js";
import { MISSING, number, percent } from "../../core/format.js";
import { held } from "../../core/paint.js";
import { drawSpark } from "../../core/sparkline.js";
import { inOrder, sortHeads } from "./order.js";
import { drawShare, Scale } from "./share-bar.js";

/**
 * @typedef {{
 *   items: (string | number)[], lower: number[], upper: number[], verdict: string[], move: (number | null)[],
 *   trend: (number | null)[][], total: number, delta: number, phi: number | null, show: string, basic_windows: number,
 * }} Payload
 * @typedef {{ rank: number, item: string, lower: number, upper: number, verdict: string, move: number | null,
 *   trend: (number | null)[] }} Row
 */

const TREND_WIDTH = 72;
// A finger leaves :hover and focus behind it long after it has gone.
const byTouch = matchMedia("(hover: none)");
const VERDICTS = { certain: "chip accent", possible: "chip outline", below: "chip plain" };

/** @param {Payload} payload @returns {Row[]} */
const rowsOf = (payload) =>
  payload.items.map((item, at) => ({
    rank: at + 1,
    item: String(item),
    lower: payload.lower[at],
    upper: payload.upper[at],
    verdict: payload.verdict[at],
    move: payload.move?.[at] ?? null,
    trend: payload.trend?.[at] ?? [],
  }));

export class HittersTable {
  /**
   * @param {HTMLElement} table
   * @param {HTMLTemplateElement} blank one empty row
   * @param {{ scale: number, sort: string, counts?: boolean }} options
   */
  constructor(table, blank, { scale, sort, counts = false }) {
    this.table = table;
    this.body = /** @type {HTMLElement} */ (table.querySelector("tbody"));
    this.blank = blank;
    this.scale = new Scale(scale);
    this.counts = counts;
    this.sort = sort;
    this.trendWidth = TREND_WIDTH;
    /** @type {Payload | null} */
    this.payload = null;
    /** @type {Map<Element, string>} the item each row shows */
    this.shown = new Map();
    this.adopt();
    sortHeads(table, (by) => this.sortBy(by));
    const settle = () => this.settle();
    this.body.addEventListener("pointerleave", settle);
    this.body.addEventListener("focusout", () => setTimeout(settle));
  }

  get rows() {
    return /** @type {HTMLElement[]} */ ([...this.body.children]);
  }

  /** Takes over the rows that the server wrote. */
  adopt() {
    for (const row of this.rows) this.shown.set(row, row.querySelector("[data-cell=item]")?.textContent ?? "");
  }

  /** @param {boolean} counts */
  showCounts(counts) {
    this.counts = counts;
    if (this.payload) this.paint(this.payload);
  }

  /** @param {string} by */
  sortBy(by) {
    this.sort = by;
    if (this.payload) this.paint(this.payload);
  }

  /**
   * @param {Payload} payload
   * @param {{ mark?: boolean }} [options] mark: underline what changed
   */
  paint(payload, { mark = false } = {}) {
    this.payload = payload;
    const fresh = inOrder(rowsOf(payload), this.sort);
    const isHeld = this.shown.size > 0 && this.isHeld();
    this.table.classList.toggle("is-held", isHeld && this.wouldMove(fresh));
    const ruler = this.ruler(payload);
    this.measure();
    if (isHeld) this.paintHeld(fresh, payload, ruler, mark);
    else this.paintAll(fresh, payload, ruler, mark);
  }

  isHeld() {
    return byTouch.matches ? this.body.querySelector(":focus-visible") !== null : held(this.body);
  }

  /** Whether the newest order differs from the one in view. @param {Row[]} fresh */
  wouldMove(fresh) {
    const order = this.rows.map((row) => this.shown.get(row)).filter(Boolean);
    return order.length !== fresh.length || fresh.some((row, at) => row.item !== order[at]);
  }

  /** The newest order, once nobody holds the old one. */
  settle() {
    if (this.payload && this.table.classList.contains("is-held")) this.paint(this.payload);
  }

  /** @param {Payload} payload */
  ruler(payload) {
    const total = payload.total || 1;
    const largest = Math.max(payload.phi ?? 0, ...payload.upper.map((upper) => upper / total), 0);
    return { scale: this.scale.hold(largest), phi: payload.phi, delta: payload.delta / total };
  }

  /** How wide the trend lines are now: read once a paint, because each reading costs a layout. */
  measure() {
    this.trendWidth = Math.round(this.body.querySelector(".spark")?.clientWidth ?? 0) || TREND_WIDTH;
  }

  /** @param {Element} row @param {(number | null)[]} trend */
  drawTrend(row, trend) {
    const spark = /** @type {SVGElement} */ (row.querySelector(".spark"));
    spark.setAttribute("width", String(this.trendWidth));
    drawSpark(spark, trend);
  }

  /** Draws the lines of the rows that the server wrote. */
  drawTrends() {
    this.measure();
    for (const row of this.rows) {
      const samples = row.querySelector(".spark")?.getAttribute("data-samples");
      if (samples) this.drawTrend(row, samples.split(",").map((text) => (text === "" ? null : Number(text))));
    }
  }

  /** @param {Row[]} fresh @param {Payload} payload @param {import("./share-bar.js").Ruler} ruler @param {boolean} mark */
  paintAll(fresh, payload, ruler, mark) {
    while (this.body.children.length < fresh.length) this.addRow();
    this.rows.forEach((row, at) => {
      if (at < fresh.length) this.paintRow(row, fresh[at], payload, ruler, mark);
      else this.clearRow(row);
    });
  }

  /** @param {Row[]} fresh @param {Payload} payload @param {import("./share-bar.js").Ruler} ruler @param {boolean} mark */
  paintHeld(fresh, payload, ruler, mark) {
    const byItem = new Map(fresh.map((row) => [row.item, row]));
    for (const row of this.rows) {
      const item = this.shown.get(row);
      const now = item === undefined ? undefined : byItem.get(item);
      row.classList.toggle("is-gone", item !== undefined && !now);
      if (now) this.paintRow(row, now, payload, ruler, mark);
    }
  }

  addRow() {
    this.body.append(document.importNode(this.blank.content, true));
  }

  /** A place kept free, so that the foot of the table stays where it is. @param {HTMLElement} row */
  clearRow(row) {
    row.classList.add("is-free");
    row.classList.remove("is-gone");
    row.setAttribute("aria-hidden", "true");
    row.removeAttribute("tabindex");
    row.removeAttribute("data-row");
    this.shown.delete(row);
  }

  /**
   * @param {HTMLElement} row @param {Row} now @param {Payload} payload
   * @param {import("./share-bar.js").Ruler} ruler @param {boolean} mark
   */
  paintRow(row, now, payload, ruler, mark) {
    const cell = (/** @type {string} */ name) => /** @type {HTMLElement} */ (row.querySelector(`[data-cell=${name}]`));
    const same = this.shown.get(row) === now.item;
    row.classList.remove("is-free", "is-gone");
    row.removeAttribute("aria-hidden");
    row.tabIndex = -1;
    row.dataset.row = "";
    row.dataset.verdict = now.verdict;
    this.shown.set(row, now.item);
    setText(cell("rank"), String(now.rank));
    paintMove(cell("move"), now.move);
    setText(cell("item"), now.item);
    cell("item").title = now.item;
    this.paintBounds(cell("lower"), cell("upper"), now, payload.total, mark && same);
    paintVerdict(cell("verdict"), now.verdict);
    const total = payload.total || 1;
    const shares = { lower: now.lower / total, upper: now.upper / total, verdict: now.verdict };
    drawShare(/** @type {SVGElement} */ (row.querySelector(".share-bar")), shares, ruler);
    this.drawTrend(row, now.trend);
  }

  /** @param {HTMLElement} low @param {HTMLElement} high @param {Row} now @param {number} total @param {boolean} mark */
  paintBounds(low, high, now, total, mark) {
    const figure = (/** @type {number} */ value) => (this.counts ? number(value) : total ? percent(value / total) : MISSING);
    const other = (/** @type {number} */ value) => (this.counts ? percent(value / (total || 1)) : `${number(value)} of ${number(total)}`);
    const text = figure(now.lower);
    if (mark && low.textContent !== text) markChanged(low);
    setText(low, text);
    setText(high, figure(now.upper));
    low.title = other(now.lower);
    high.title = other(now.upper);
    high.classList.toggle("equal", now.lower === now.upper);
  }
}

/** @param {HTMLElement} cell @param {number | null} move */
function paintMove(cell, move) {
  const text = move === null ? "new" : move === 0 ? MISSING : String(Math.abs(move));
  const way = move === null ? "new" : move > 0 ? "up" : move < 0 ? "down" : "same";
  if (cell.dataset.way === way && cell.dataset.text === text) return;
  Object.assign(cell.dataset, { way, text });
  const words = way === "up" ? `up ${text}` : way === "down" ? `down ${text}` : way === "new" ? "new" : "unmoved";
  const said = document.createElement("span");
  said.className = "said";
  said.textContent = words;
  const seen = document.createElement("span");
  seen.setAttribute("aria-hidden", "true");
  if (way === "up" || way === "down") seen.append(icon(`triangle-${way}`, "triangle"));
  seen.append(text);
  cell.replaceChildren(seen, said);
}

/** @param {HTMLElement} cell @param {string} verdict */
function paintVerdict(cell, verdict) {
  if (cell.dataset.verdict === verdict) return;
  cell.dataset.verdict = verdict;
  cell.className = VERDICTS[/** @type {keyof typeof VERDICTS} */ (verdict)] ?? "chip plain";
  cell.replaceChildren(...(verdict === "certain" ? [icon("check")] : []), verdict);
}
