// Painting is rarer than news: at most four times a second, only the newest, nothing while the tab is hidden.

const INTERVAL_MS = 250;

/**
 * A function that takes every piece of news and paints only the newest.
 * @template T
 * @param {(newest: T) => void} paint
 * @returns {(value: T) => void}
 */
export function painter(paint) {
  /** @type {{ value: T } | null} */
  let waiting = null;
  let paintedAt = -Infinity;
  let timer = 0;

  const run = () => {
    timer = 0;
    if (waiting === null || document.hidden) return;
    const { value } = waiting;
    waiting = null;
    paintedAt = performance.now();
    paint(value);
  };
  const plan = () => {
    if (timer || waiting === null || document.hidden) return;
    const wait = Math.max(0, paintedAt + INTERVAL_MS - performance.now());
    timer = window.setTimeout(() => requestAnimationFrame(run), wait);
  };

  document.addEventListener("visibilitychange", plan);
  return (value) => {
    waiting = { value };
    plan();
  };
}

/**
 * Calls back every `milliseconds` while the tab is visible, and at once when it becomes visible again.
 * @param {() => void} tick
 * @param {number} milliseconds
 * @returns {() => void} stops it
 */
export function whileVisible(tick, milliseconds) {
  let timer = 0;
  const start = () => {
    window.clearInterval(timer);
    if (document.hidden) return;
    tick();
    timer = window.setInterval(tick, milliseconds);
  };
  document.addEventListener("visibilitychange", start);
  start();
  return () => {
    window.clearInterval(timer);
    document.removeEventListener("visibilitychange", start);
  };
}

/**
 * Whether a pointer is over the element or focus is inside: then its order must not change under the reader.
 * @param {Element} container
 */
export const held = (container) => container.matches(":hover") || container.matches(":focus-within");
