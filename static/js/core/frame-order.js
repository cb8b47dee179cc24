// Frames of one query in order and without holes: a gap in the numbers is filled over HTTP before anything newer is shown.

import { getJson } from "./http.js";

/**
 * @typedef {{ type: "frame", query: number, number: number, version: number, window_end: number, ended_at: string,
 *   arrived_at: string, produced_at: string, slides: number, skipped: number, payload: any, filled?: boolean }} Frame
 */

const PAGE = 200;
// Older ones stay reachable through the scrubber; fetching hours of frames at a reconnect would only delay the live picture.
const FILL_AT_MOST = 400;
// A request that hangs must not hold back the live frames behind it.
const FILL_MS = 10_000;

/**
 * @param {number} query @param {number} after @param {number} before
 * @returns {Promise<Frame[]>} the kept frames strictly between the two numbers
 */
async function fetchBetween(query, after, before) {
  /** @type {Frame[]} */
  const found = [];
  const signal = AbortSignal.timeout(FILL_MS);
  let from = after;
  while (from + 1 < before) {
    const url = `/api/queries/${query}/frames/?after=${from}&before=${before}&limit=${PAGE}`;
    /** @type {{ frames: Frame[] }} */
    const { frames } = await getJson(url, { signal });
    if (!frames.length) break;
    found.push(...frames);
    from = frames[frames.length - 1].number;
  }
  return found;
}

/** Puts the frames of one query in order and tells what was filled in, skipped or lost. */
export class FrameOrder {
  /**
   * @param {number} query
   * @param {number | null} last the number already on the page
   * @param {(frame: Frame) => void} deliver
   * @param {(news: { filled: number, skipped: number, lost: number }) => void} tell
   */
  constructor(query, last, deliver, tell) {
    this.query = query;
    this.last = last;
    this.deliver = deliver;
    this.tell = tell;
    /** @type {Frame[]} */
    this.waiting = [];
    this.busy = false;
    this.passed = 0;
    /** @type {{ upTo: number, passed: number } | null} */
    this.catchUp = null;
  }

  /**
   * The server says what its newest frame is. After a break it sends what was missed up to that one; once it is here, people are told.
   * @param {number | null} newest @param {boolean} afterBreak
   */
  stand(newest, afterBreak) {
    if (this.last === null) return;
    // Less than we have seen: the frames were begun anew, and the old numbers would shut out the new ones.
    if (newest === null || newest < this.last) this.last = newest;
    else if (afterBreak && newest > this.last) this.catchUp = { upTo: newest, passed: this.passed };
  }

  /** @param {Frame} frame */
  async take(frame) {
    this.waiting.push(frame);
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.waiting.length) await this.next(/** @type {Frame} */ (this.waiting.shift()));
    } finally {
      this.busy = false;
    }
  }

  /** @param {Frame} frame */
  async next(frame) {
    if (this.last !== null && frame.number <= this.last) return;
    const skipped = frame.skipped ?? 0;
    const missing = this.last === null ? 0 : frame.number - this.last - 1 - skipped;
    if (skipped) this.tell({ filled: 0, skipped, lost: 0 });
    if (missing > 0) await this.fill(frame.number, missing);
    this.pass(frame);
  }

  /** @param {number} before @param {number} missing */
  async fill(before, missing) {
    const from = Math.max(/** @type {number} */ (this.last), before - 1 - FILL_AT_MOST);
    /** @type {Frame[]} */
    let frames = [];
    try {
      frames = await fetchBetween(this.query, from, before);
    } catch (error) {
      console.warn("Frames could not be filled in", error);
    }
    for (const frame of frames) this.pass({ ...frame, type: "frame", skipped: 0, filled: true });
    // During a catch-up the sum is told at its end.
    this.tell({ filled: this.catchUp ? 0 : frames.length, skipped: 0, lost: Math.max(0, missing - frames.length) });
  }

  /** @param {Frame} frame */
  pass(frame) {
    this.last = frame.number;
    this.passed += 1;
    this.deliver(frame);
    if (this.catchUp && frame.number >= this.catchUp.upTo) {
      this.tell({ filled: this.passed - this.catchUp.passed, skipped: 0, lost: 0 });
      this.catchUp = null;
    }
  }
}
