// Frames of one query: those that came over the socket are kept for a while, older ones are fetched when asked for.

import { getJson, Refused } from "./http.js";

/**
 * @typedef {{ query: number, number: number, version: number, window_end: number, ended_at: string, arrived_at: string,
 *   produced_at: string, slides: number, skipped?: number, payload: any }} Frame
 */

const KEPT = 400;

export class Frames {
  /** @param {string} url of the query's frames, with a slash at its end */
  constructor(url) {
    this.url = url;
    /** @type {Map<number, Frame>} in the order of arrival */
    this.kept = new Map();
  }

  /** @param {Frame} frame */
  keep(frame) {
    this.kept.delete(frame.number);
    this.kept.set(frame.number, frame);
    if (this.kept.size > KEPT) this.kept.delete(/** @type {number} */ (this.kept.keys().next().value));
  }

  /**
   * The frame with this number or, where it was thinned out, the nearest kept one in the direction of travel.
   * @param {number} number
   * @param {number} direction below zero: older ones first
   * @param {AbortSignal} [signal]
   * @returns {Promise<Frame | null>}
   */
  async nearest(number, direction, signal) {
    const known = this.kept.get(number);
    if (known) return known;
    try {
      const frame = await getJson(`${this.url}${number}/`, { signal });
      this.keep(frame);
      return frame;
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 404) throw error;
    }
    const older = `before=${number + 1}`;
    const newer = `after=${number - 1}`;
    for (const side of direction < 0 ? [older, newer] : [newer, older]) {
      const { frames } = await getJson(`${this.url}?${side}&limit=1`, { signal });
      if (frames.length) return frames[0];
    }
    return null;
  }
}
