// Pinned queries: a button [data-pin=URL] with aria-pressed; the server keeps the pins, the sidebar shows them.

import { setText } from "./dom.js";
import { postJson } from "./http.js";
import { shortcut } from "./keys.js";
import { toast } from "./toast.js";

/** @param {HTMLElement} button */
async function toggle(button) {
  try {
    const { pinned } = await postJson(button.dataset.pin ?? "");
    button.setAttribute("aria-pressed", String(pinned));
    setText(button.querySelector("span"), pinned ? "Pinned" : "Pin");
    toast(pinned ? "Pinned to the sidebar" : "No longer pinned", { icon: "pin", action: { label: "Undo", run: () => toggle(button) } });
    document.dispatchEvent(new CustomEvent("pinschange"));
  } catch (error) {
    toast(/** @type {Error} */ (error).message, { icon: "warn", state: "failed" });
  }
}

export function startPins() {
  const buttons = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("button[data-pin]"));
  for (const button of buttons) button.addEventListener("click", () => toggle(button));
  if (buttons.length === 1) shortcut("p", "Pin", () => toggle(buttons[0]));
}
