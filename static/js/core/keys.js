// Single keys and "g o" pairs. Off inside fields, off while a dialog is open, and off for whoever switched them off.

import { el } from "./dom.js";

/** @typedef {{ keys: string, does: string, run?: (event: KeyboardEvent) => void }} Shortcut */

const PAIR_MS = 1200;
const OFF = "streamgauge.keys-off";

/** @type {Map<string, Shortcut>} */
const shortcuts = new Map();
let leader = "";
let leaderAt = 0;

/**
 * Makes a shortcut known and lists it in the `?` dialog. Keys: "n", "g o", "Shift+ArrowLeft", "Space", "Ctrl+k".
 * @param {string} keys
 * @param {string} does
 * @param {(event: KeyboardEvent) => void} [run] leave out to list a key that is handled elsewhere
 */
export function shortcut(keys, does, run) {
  shortcuts.set(keys, { keys, does, run });
}

/** @param {boolean} off */
export const switchKeys = (off) => localStorage.setItem(OFF, off ? "1" : "");
export const keysAreOff = () => localStorage.getItem(OFF) === "1";

/** @param {KeyboardEvent} event */
function nameOf(event) {
  const key = event.key === " " ? "Space" : event.key;
  const modified = event.ctrlKey || event.metaKey ? "Ctrl+" : "";
  return modified + (event.shiftKey && key.length > 1 ? "Shift+" : "") + key;
}

/** @param {EventTarget | null} target */
function inField(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=radio], [type=checkbox], [type=range]), textarea, select"));
}

/** Space and Enter belong to the control that has focus. @param {KeyboardEvent} event */
function belongsToControl(event) {
  const acts = event.key === " " || event.key === "Enter";
  const moves = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (acts && target.matches("button, a, summary, input")) || (moves && target.matches("input, [role=slider], [role=radio]"));
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.defaultPrevented || event.altKey || inField(event.target) || belongsToControl(event)) return;
  if (document.querySelector("dialog[open]")) return;
  const name = nameOf(event);
  if (keysAreOff() && !name.startsWith("Ctrl+") && name.length === 1) return;
  const paired = leader && event.timeStamp - leaderAt < PAIR_MS ? shortcuts.get(`${leader} ${name}`) : undefined;
  const found = paired ?? shortcuts.get(name);
  leader = name === "g" ? "g" : "";
  leaderAt = event.timeStamp;
  if (!found?.run) return;
  event.preventDefault();
  leader = "";
  found.run(event);
}

/** @type {Record<string, string>} */
const SIGNS = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", "Ctrl+k": "Ctrl K" };

/** @param {Shortcut} entry */
function line(entry) {
  const caps = entry.keys.split(/[ +]/).map((key) => el("kbd", {}, SIGNS[key] ?? key));
  return el("div", {}, el("dt", {}, entry.does), el("dd", {}, ...caps));
}

/** The list of keys, with the switch that turns single keys off. */
export function showKeys() {
  const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", onchange: () => switchKeys(!box.checked) }));
  box.checked = !keysAreOff();
  const close = el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = /** @type {HTMLDialogElement} */ (
    el("dialog", { class: "dialog keys", "aria-labelledby": "keys-title", onclose: () => dialog.remove() },
      el("div", { class: "panel-head" }, el("h2", { id: "keys-title" }, "Keys")),
      el("div", { class: "panel-body" },
        el("dl", { class: "keys-list" }, ...[...shortcuts.values()].map(line)),
        el("label", { class: "check" }, box, "Use single keys")),
      el("div", { class: "dialog-foot" }, close))
  );
  document.body.append(dialog);
  dialog.showModal();
}

/** Moves focus between the rows' links: j, k and the arrows. @param {number} step */
function moveRow(step) {
  const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main [data-row]")].filter((row) => row.getClientRects().length > 0));
  if (!rows.length) return;
  const at = rows.findIndex((row) => row.contains(document.activeElement) || row === document.activeElement);
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + step))];
  const target = next.matches("a, button, [tabindex]") ? next : next.querySelector("a, button, [tabindex]");
  if (target instanceof HTMLElement) target.focus();
}

export function startKeys() {
  document.addEventListener("keydown", onKey);
  shortcut("?", "List of keys", showKeys);
  shortcut("j", "Next row", () => moveRow(1));
  shortcut("k", "Previous row", () => moveRow(-1));
  for (const link of document.querySelectorAll("a[data-keys]")) {
    const { keys = "", does = "" } = /** @type {HTMLElement} */ (link).dataset;
    shortcut(keys, does, () => /** @type {HTMLElement} */ (link).click());
  }
  shortcut("Esc", "Close popup or selection");
}
