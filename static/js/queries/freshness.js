// How old the answer is. Without a frame for three slides, and at least five seconds, the page says that it is stale.

import { setText } from "../core/dom.js";
import { duration } from "../core/format.js";
import { whileVisible } from "../core/paint.js";
import { setPill } from "../core/pill.js";
import { socket } from "../core/socket.js";

/** @typedef {import("../core/frames.js").Frame} Frame */

const LEAST_SECONDS = 5;
const SLIDES = 3;
const REMEMBERED = 20;

export class Freshness {
  /**
   * @param {{ frame: Frame | null, slide_seconds: number | null, seconds_since_frame: number | null }} page
   * @param {Element[]} dimmed what fades while it is stale
   */
  constructor(page, dimmed) {
    this.dimmed = dimmed;
    this.slideSeconds = page.slide_seconds ?? 1;
    // The server's word on the age, so that a wrong clock in the browser makes nothing look stale.
    this.frameAt = page.seconds_since_frame === null ? null : performance.now() - page.seconds_since_frame * 1000;
    /** @type {number[]} */
    this.arrivals = [];
    this.mayAnswer = false;
    this.why = "the job is behind.";
    this.isStale = false;
    whileVisible(() => this.paint(), 1000);
    socket.addEventListener("connection", () => this.paintConnection());
    for (const change of ["online", "offline"]) window.addEventListener(change, () => this.paintConnection());
  }

  /** @param {Frame} _frame */
  arrived(_frame) {
    const now = performance.now();
    this.arrivals = [...this.arrivals, now].slice(-REMEMBERED);
    this.frameAt = now;
    if (this.arrivals.length > 4) this.slideSeconds = 1 / this.framesPerSecond;
    if (this.isStale) this.paint();
  }

  get framesPerSecond() {
    const { arrivals } = this;
    if (arrivals.length < 2) return 1 / this.slideSeconds;
    return (arrivals.length - 1) / Math.max(0.001, (arrivals[arrivals.length - 1] - arrivals[0]) / 1000);
  }

  /**
   * What the overview says of the query, its job and its stream.
   * @param {{ state: string } | undefined} query
   * @param {{ state: string } | undefined} job
   * @param {{ rate: number | null } | undefined} stream
   */
  heard(query, job, stream) {
    this.mayAnswer = query !== undefined && query.state !== "paused" && job?.state === "running";
    this.why = stream && !stream.rate ? "no element arrives on the stream." : "the job is behind.";
  }

  paint() {
    const age = this.frameAt === null ? 0 : (performance.now() - this.frameAt) / 1000;
    this.isStale = this.mayAnswer && age > Math.max(LEAST_SECONDS, SLIDES * this.slideSeconds);
    const note = /** @type {HTMLElement} */ (document.getElementById("stale-note"));
    const online = socket.connection.phase === "connected";
    note.hidden = !this.isStale || !online;
    for (const node of this.dimmed) node.classList.toggle("is-stale", this.isStale);
    if (!this.isStale) return;
    setText(note.querySelector("[data-stale-age]"), duration(Math.floor(age)).replace(".0", ""));
    setText(note.querySelector("[data-stale-why]"), this.why);
    setPill(document.querySelector(".page-title [data-live=state]"), "stale", `Stale, ${duration(Math.floor(age)).replace(".0", "")}`);
  }

  paintConnection() {
    const note = document.getElementById("offline-note");
    // A first failed try may be a server that starts anew; a second, or a browser without network, is a break.
    const lost = !navigator.onLine || (socket.connection.phase !== "connected" && socket.tries >= 2);
    if (note) note.hidden = !lost;
  }
}
