// One polite region a page; at most one message in ten seconds, and then the newest.

const QUIET_MS = 10_000;

/** @type {string | null} */
let waiting = null;
let saidAt = -Infinity;
let timer = 0;

function speak() {
  timer = 0;
  const region = document.getElementById("live-region");
  if (!region || waiting === null) return;
  region.textContent = waiting;
  waiting = null;
  saidAt = performance.now();
}

/**
 * Says a summary to screen readers, for example "Frame 18,412: LAX leads with 5.31 %".
 * @param {string} message
 */
export function say(message) {
  waiting = message;
  if (!timer) timer = window.setTimeout(speak, Math.max(0, saidAt + QUIET_MS - performance.now()));
}

/** Drops what was waiting to be said: a paused page is silent. */
export function hush() {
  waiting = null;
}
