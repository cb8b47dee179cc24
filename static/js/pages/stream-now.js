// How a stream stands, in words and looks. Twin: dashboard/wording.py and dashboard/rows.py.

import { look } from "../core/pill.js";

const LATE_SECONDS = 5;

/** @param {number | null} rate */
export const flow = (rate) => (rate === null ? "Not measured" : rate > 0 ? "Flowing" : "Quiet");

/** @param {any} stream */
export const isLate = (stream) => stream.lag_seconds !== null && stream.lag_seconds >= LATE_SECONDS;

/** @param {any} stream */
export const streamLook = (stream) => (isLate(stream) ? "stale" : look(stream.state));
