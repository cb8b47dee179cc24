// Live, pause, and the way through the kept frames. Shared by all kinds of query (templates/queries/transport.html).
// Pausing freezes the picture, never the query: newer frames are counted and waiting.

import { setText } from "./dom.js";
import { counted, dateTime, number, time } from "./format.js";
import { Frames } from "./frames.js";
import { shortcut } from "./keys.js";
import { hush } from "./live-region.js";
import { toast } from "./toast.js";
import { Scrubber } from "./scrubber.js";

/**
 * @typedef {import("./frames.js").Frame} Frame
 * @typedef {{ number: number, state: string, text: string }} Tick
 * @typedef {{ frames: string, oldest: number | null, ticks: Tick[], first: Frame | null, newest: number | null,
 *   show: (frame: Frame, live: boolean) => void }} Options
 */

const FAR = 10;

export class Transport {
  /** @param {HTMLElement} root @param {Options} options */
  constructor(root, { frames, oldest, newest, ticks, first, show }) {
    this.root = root;
    this.frames = new Frames(frames);
    this.onShow = show;
    this.oldest = oldest ?? first?.number ?? 0;
    this.newest = newest ?? first?.number ?? 0;
    /** @type {Frame | null} */
    this.shown = first;
    /** @type {Frame | null} the newest frame itself, once it has come */
    this.latest = first && first.number === this.newest ? first : null;
    this.live = first === null || first.number === this.newest;
    this.asked = new AbortController();
    if (first) this.frames.keep(first);
    this.scrubber = new Scrubber(/** @type {HTMLElement} */ (root.querySelector("[data-track]")), {
      ticks,
      seek: (to) => this.seek(to),
      step: (by) => this.step(by),
      toEnd: (newest) => (newest ? this.goLive() : this.seek(this.oldest)),
      describe: (at) => this.describe(at),
    });
    this.listen();
    this.paint();
  }

  listen() {
    const on = (/** @type {string} */ name, /** @type {() => void} */ run) => {
      for (const node of document.querySelectorAll(`[data-transport-${name}]`)) {
        node.addEventListener("click", (event) => (event.preventDefault(), run()));
      }
    };
    on("back", () => this.step(-1));
    on("on", () => this.step(1));
    on("live", () => this.goLive());
    this.root.addEventListener("change", (event) => {
      const { value } = /** @type {HTMLInputElement} */ (event.target);
      if (value === "live") this.goLive();
      if (value === "pause") this.pause();
    });
    shortcut("Space", "Live or pause", () => (this.live ? this.pause() : this.goLive()));
    shortcut("ArrowLeft", "One frame back", () => this.step(-1));
    shortcut("ArrowRight", "One frame on", () => this.step(1));
    shortcut("Shift+ArrowLeft", "Ten frames back", () => this.step(-FAR));
    shortcut("Shift+ArrowRight", "Ten frames on", () => this.step(FAR));
    shortcut("Home", "Oldest kept frame", () => this.seek(this.oldest));
    shortcut("End", "Back to live", () => this.goLive());
  }

  /** A frame came over the socket. @param {Frame} frame */
  arrived(frame) {
    this.frames.keep(frame);
    if (frame.number < this.newest) return;
    this.newest = frame.number;
    this.latest = frame;
    if (!this.oldest) this.oldest = frame.number;
    if (this.live) this.show(frame);
    else this.paint();
  }

  pause() {
    this.live = false;
    hush();
    this.paint();
  }

  async goLive() {
    this.live = true;
    this.asked.abort();
    this.paint();
    if (this.latest) this.show(this.latest);
    else await this.load(this.newest, 1);
  }

  /** @param {number} by */
  step(by) {
    const from = this.shown?.number ?? this.newest;
    if (from + by >= this.newest && by > 0) return this.goLive();
    return this.seek(Math.max(this.oldest, from + by), by);
  }

  /** @param {number} to @param {number} [direction] */
  seek(to, direction = -1) {
    if (this.live) this.pause();
    return this.load(to, direction);
  }

  /** The last wish counts: an answer that was overtaken by another click is dropped. @param {number} to @param {number} direction */
  async load(to, direction) {
    this.asked.abort();
    const asked = (this.asked = new AbortController());
    try {
      const frame = await this.frames.nearest(to, direction, asked.signal);
      if (asked.signal.aborted) return;
      if (!frame) toast(`No frame is kept near ${number(to)}.`, { icon: "warn", state: "stale" });
      else this.found(frame, to);
    } catch (error) {
      if (!asked.signal.aborted) toast(/** @type {Error} */ (error).message, { icon: "warn", state: "failed" });
      this.paint();
    }
  }

  /** @param {Frame} frame @param {number} wanted */
  found(frame, wanted) {
    if (frame.number !== wanted) toast(`Frame ${number(wanted)} was thinned out; ${number(frame.number)} is the nearest kept.`, { icon: "clock" });
    this.show(frame);
  }

  /** @param {Frame} frame */
  show(frame) {
    this.shown = frame;
    this.paint();
    this.onShow(frame, this.live);
  }

  get behind() {
    return this.live || !this.shown ? 0 : Math.max(0, this.newest - this.shown.number);
  }

  /** @param {number} at */
  describe(at) {
    const frame = this.frames.kept.get(at) ?? (this.shown?.number === at ? this.shown : null);
    const when = frame ? `${time(frame.ended_at)} UTC, ` : "";
    const behind = this.newest - at;
    return when + (behind > 0 ? `${counted(behind, "frame")} behind live` : this.live ? "live" : "newest frame, paused");
  }

  paint() {
    const { shown, live, behind } = this;
    document.documentElement.classList.toggle("in-the-past", behind > 0);
    this.root.classList.toggle("is-paused", !live);
    for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (this.root.querySelectorAll("input[type=radio]"))) {
      input.checked = (input.value === "live") === live;
    }
    setText(this.root.querySelector("[data-transport-word]"), live ? "Pause" : "Paused");
    for (const node of document.querySelectorAll("[data-past]")) /** @type {HTMLElement} */ (node).hidden = behind === 0;
    for (const node of document.querySelectorAll("[data-behind]")) setText(node, `${number(behind)} behind live`);
    this.disable("back", !shown || shown.number <= this.oldest);
    this.disable("on", live || behind === 0);
    this.scrubber.paint({ oldest: this.oldest, newest: this.newest, at: shown?.number ?? this.newest, live });
    if (shown) this.paintFrame(shown);
    this.paintAddress();
  }

  /** @param {Frame} frame */
  paintFrame(frame) {
    const when = this.root.querySelector("time");
    setText(when, time(frame.ended_at));
    when?.setAttribute("datetime", frame.ended_at);
    when?.setAttribute("title", `Window end ${dateTime(frame.ended_at)}`);
    setText(this.root.querySelector("[data-transport-frame]"), `frame ${number(frame.number)} of ${number(this.newest)}`);
    const slides = this.root.querySelector("[data-transport-slides]");
    setText(slides, frame.slides > 1 ? `stands for ${number(frame.slides)} slides` : "");
  }

  /** The address always leads back to the picture in view. */
  paintAddress() {
    const url = new URL(location.href);
    if (this.live || !this.shown) url.searchParams.delete("frame");
    else url.searchParams.set("frame", String(this.shown.number));
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  /** @param {string} name @param {boolean} off */
  disable(name, off) {
    const node = this.root.querySelector(`[data-transport-${name}]`);
    node?.setAttribute("aria-disabled", String(off));
  }

  /** Something happened at this frame. @param {Tick} tick */
  mark(tick) {
    this.scrubber.mark(tick);
  }

  /** The address of the picture in view, for sharing. */
  link() {
    const url = new URL(location.href);
    if (this.shown) url.searchParams.set("frame", String(this.shown.number));
    return url.href;
  }
}
