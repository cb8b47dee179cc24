// Figures of stat tiles. The server's twin is dashboard/tiles.py.

import { setText } from "../core/dom.js";
import { MISSING } from "../core/format.js";

/** @param {string} name */
const part = (name) => document.querySelector(`.tile [data-live="${name}"]`);

/**
 * "812 MB" becomes a figure and a small unit; the dash has none.
 * @param {string} name @param {string} text @param {{ unit?: string, foot?: string, state?: string }} [more]
 */
export function setTile(name, text, { unit, foot, state } = {}) {
  const figure = part(name);
  if (!figure) return;
  const at = unit === undefined ? text.lastIndexOf(" ") : -1;
  const missing = text === MISSING;
  setText(figure, at > 0 ? text.slice(0, at) : text);
  setText(part(`${name}-unit`), missing ? "" : (unit ?? (at > 0 ? text.slice(at + 1) : "")));
  if (foot !== undefined) setText(part(`${name}-foot`), foot);
  figure.parentElement?.classList.toggle("unknown", missing);
  if (state !== undefined) figure.parentElement?.toggleAttribute("data-state", Boolean(state));
  if (state) figure.parentElement?.setAttribute("data-state", state);
}
