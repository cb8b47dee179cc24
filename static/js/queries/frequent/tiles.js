// The five figures above the table, and what was dropped. Twin: dashboard/kinds/frequent/tiles.py.

import { setText } from "../../core/dom.js";
import { counted, duration, number } from "../../core/format.js";

/** @typedef {import("../../core/frames.js").Frame} Frame */

const BLOCKS = 20;
const LAGS_OF_MS = 600_000;
const MOST_LAGS = 2400;

/** @param {string} text */
const milliseconds = (text) => new Date(text).getTime();

/** @param {Frame} frame seconds from the newest element's arrival to the answer */
const lagOf = (frame) => Math.max(0, (milliseconds(frame.produced_at) - milliseconds(frame.arrived_at)) / 1000);

export class Tiles {
  /** @param {{ lags: [number, number][], unit: string }} page lags: when (ms) and how much (s) */
  constructor({ lags, unit }) {
    this.lags = lags;
    this.unit = unit;
    /** @type {Map<string, HTMLElement>} */
    this.parts = new Map();
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".live-tiles [data-live], .share-head [data-live], .drops"))) {
      this.parts.set(node.dataset.live ?? "", node);
    }
  }

  /** @param {Frame} frame */
  arrived(frame) {
    this.lags.push([milliseconds(frame.produced_at), lagOf(frame)]);
    const since = milliseconds(frame.produced_at) - LAGS_OF_MS;
    while (this.lags.length > MOST_LAGS || this.lags[0][0] < since) this.lags.shift();
  }

  /** @param {string} name @param {string} text */
  put(name, text) {
    setText(this.parts.get(name), text);
  }

  /** @param {Frame} frame */
  paint(frame) {
    const { payload } = frame;
    const share = payload.delta / (payload.total || 1);
    for (const figure of document.querySelectorAll(".live-tiles .unknown")) figure.classList.remove("unknown");
    this.put("certain", number(payload.certain));
    this.put("possible", number(payload.possible));
    this.put("certain-foot", payload.show === "threshold" ? "lower bound passes φ" : `surely in the top ${payload.limit}`);
    this.put("possible-foot", payload.show === "threshold" ? "only upper bound passes" : `may be in the top ${payload.limit}`);
    this.put("delta", number(share * 100, 2));
    this.put("delta-key", `${number(share * 100, 2)} %`);
    this.paintPromise(payload);
    this.put("lag", number(lagOf(frame), 1));
    this.put("lag-foot", this.usualLag());
    this.paintWindow(payload);
    this.paintDrops(payload);
  }

  /** Every drop is counted and visible. @param {any} payload */
  paintDrops({ late, skipped }) {
    const parts = [];
    if (late) parts.push(`${counted(late, "element")} came too late`);
    if (skipped) parts.push(`${counted(skipped, "element")} had no item or no usable weight`);
    const place = this.parts.get("drops");
    if (place) place.hidden = !parts.length;
    this.put("drops", parts.length ? `Dropped so far: ${parts.join(", ")}.` : "");
  }

  /** @param {any} payload */
  paintPromise(payload) {
    const broken = payload.show === "threshold" && !payload.complete;
    const figure = this.parts.get("delta")?.parentElement;
    if (broken) figure?.setAttribute("data-state", "stale");
    else figure?.removeAttribute("data-state");
    const kept = payload.show === "threshold" ? "under φ: nothing is missing" : "most an unlisted item has";
    this.put("delta-foot", broken ? "not under φ: may miss some" : kept);
  }

  usualLag() {
    const sorted = this.lags.map(([, lag]) => lag).sort((one, other) => one - other);
    if (!sorted.length) return "age of the newest element";
    return `p95 ${duration(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))])}, 10 min`;
  }

  /** @param {any} payload */
  paintWindow(payload) {
    const { filling, filled, basic_windows: all, basic_window: size } = payload;
    this.put("window", number(filling ? filled * size : payload.window));
    this.put("window-unit", filling ? `of ${number(payload.window)}${this.unit === "s" ? " s" : ""}` : `${this.unit === "s" ? "s " : ""}full`);
    const foot = this.parts.get("window-foot");
    const words = filling ? `${number((filled / all) * 100)} % filled; answers cover what has arrived` : "The window is full";
    foot?.setAttribute("title", words);
    setText(foot?.querySelector(".said"), words);
    const shown = Math.min(all, BLOCKS);
    const full = Math.ceil((filled * shown) / all);
    foot?.querySelectorAll("i").forEach((block, at) => {
      const look = at === full - 1 ? "newest" : at < full ? "full" : "";
      if (block.className !== look) block.className = look;
    });
  }
}
