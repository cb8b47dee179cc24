// States as people see them: colour, glyph and word. The server's twin is dashboard/templatetags/ui.py.

import { el, icon } from "./dom.js";

/** @type {Record<string, string>} what the models call a state → which of the six looks it has */
const LOOK = {
  queued: "starting",
  starting: "starting",
  filling: "running",
  running: "running",
  behind: "stale",
  stale: "stale",
  quiet: "paused",
  stopping: "paused",
  stopped: "paused",
  paused: "paused",
  failed: "failed",
  lost: "failed",
};

/** @param {string} state */
export const look = (state) => LOOK[state] ?? "paused";

/** @param {string} state */
const capital = (state) => state.charAt(0).toUpperCase() + state.slice(1);

/**
 * @param {string} state
 * @param {string} [word] the state or its nearest fact, "Filling 62 %"
 * @param {{ bare?: boolean }} [options]
 */
export function pill(state, word = capital(state), { bare = false } = {}) {
  const shown = look(state);
  return el("span", { class: bare ? "pill bare" : "pill", "data-state": shown }, icon(`state-${shown}`, "glyph"), el("span", {}, word));
}

/**
 * Turns an existing pill (or glyph holder) to another state, touching only what differs.
 * @param {Element | null} node
 * @param {string} state
 * @param {string} [word]
 */
export function setPill(node, state, word = capital(state)) {
  if (!node) return;
  const shown = look(state);
  if (node.getAttribute("data-state") !== shown) {
    node.setAttribute("data-state", shown);
    node.querySelector(".glyph use")?.setAttribute("href", `${document.documentElement.dataset.icons}#state-${shown}`);
  }
  const label = node.querySelector("span");
  if (label && label.textContent !== word) label.textContent = word;
}
