// What every page starts with.

import { startClock } from "./clock.js";
import { startConnection } from "./connection.js";
import { openGoto } from "./goto.js";
import { shortcut, showKeys, startKeys } from "./keys.js";
import { startPinned } from "./pinned.js";
import { startPins } from "./pins.js";
import { socket } from "./socket.js";
import { themeButton } from "./theme.js";

/** Closes an open <details class="…-menu"> when one clicks elsewhere or presses Escape. */
function closeMenus() {
  const close = (/** @type {Event} */ event) => {
    for (const menu of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details[data-menu][open]"))) {
      if (!menu.contains(/** @type {Node} */ (event.target)) || event.type === "keydown") menu.open = false;
    }
  };
  document.addEventListener("click", close);
  document.addEventListener("keydown", (event) => event.key === "Escape" && close(event));
}

/** Buttons that copy the text of another element: [data-copy="#id"]. */
function copyButtons() {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("button[data-copy]"))) {
    button.addEventListener("click", async () => {
      const source = document.querySelector(button.dataset.copy ?? "");
      await navigator.clipboard.writeText(source?.textContent?.trim() ?? "");
      const label = button.querySelector("span");
      if (label) label.textContent = "Copied";
    });
  }
}

shortcut("/", "Go to anything", openGoto);
shortcut("Ctrl+k", "Go to anything", openGoto);
startKeys();
document.querySelector("[data-goto-button]")?.addEventListener("click", openGoto);
document.querySelector("[data-keys-button]")?.addEventListener("click", showKeys);
const theme = document.querySelector("[data-theme-button]");
if (theme instanceof HTMLElement) themeButton(theme);
startClock();
startConnection();
startPinned();
startPins();
closeMenus();
copyButtons();
// Pages that watch nothing still show whether the server is there.
if (document.querySelector("[data-live=connection]") && socket.connection.phase === "idle") socket.open();
