// Short notices at the bottom right: at most three, six seconds, longer while one points at them.

import { el, icon } from "./dom.js";

const LIFE_MS = 6000;
const AT_MOST = 3;

/** @typedef {{ icon?: string, state?: string, action?: { label: string, run: () => void } }} ToastOptions */

/** @returns {HTMLElement} */
function shelf() {
  const found = document.getElementById("toasts");
  if (found) return found;
  const made = el("div", { id: "toasts", class: "toasts", role: "status" });
  document.body.append(made);
  return made;
}

/**
 * Shows a notice; the returned function takes it away.
 * @param {string} message
 * @param {ToastOptions} [options]
 */
export function toast(message, options = {}) {
  const node = el("div", { class: "toast", "data-state": options.state }, icon(options.icon ?? "info"), el("span", {}, message));
  let timer = 0;
  const remove = () => {
    window.clearTimeout(timer);
    node.remove();
  };
  const start = () => {
    timer = window.setTimeout(remove, LIFE_MS);
  };
  const stay = () => window.clearTimeout(timer);
  if (options.action) {
    const { label, run } = options.action;
    node.append(el("button", { type: "button", onclick: () => (remove(), run()) }, label));
  }
  node.addEventListener("pointerenter", stay);
  node.addEventListener("focusin", stay);
  node.addEventListener("pointerleave", start);
  node.addEventListener("focusout", start);
  const place = shelf();
  place.append(node);
  while (place.children.length > AT_MOST) place.firstElementChild?.remove();
  start();
  return remove;
}
