// The sidebar's pinned queries: glyph, name, lag; the state is in the accessible name.

import { icon, setText } from "./dom.js";
import { duration, MISSING } from "./format.js";
import { painter } from "./paint.js";
import { look } from "./pill.js";
import { watch } from "./socket.js";

/** @param {HTMLElement} item @param {any} query */
function show(item, query) {
  const state = look(query.state);
  if (item.dataset.state !== state) {
    item.dataset.state = state;
    item.querySelector(".glyph")?.replaceWith(icon(`state-${state}`, "glyph"));
  }
  setText(item.querySelector(".said"), `, ${query.word}`);
  setText(item.querySelector(".nav-count"), query.lag_seconds === null ? MISSING : duration(query.lag_seconds));
}

export function startPinned() {
  const items = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-pinned]"));
  if (!items.length) return;
  const paint = painter((message) => {
    const byId = new Map(message.queries.map((/** @type {any} */ query) => [String(query.id), query]));
    for (const item of items) if (byId.has(item.dataset.pinned)) show(item, byId.get(item.dataset.pinned));
  });
  watch("overview", null, {}, (message) => message.type === "overview" && paint(message));
}
