// The list of queries: found while one types, kept moving by the overview topic.

import { setText } from "../core/dom.js";
import { painter } from "../core/paint.js";
import { watch } from "../core/socket.js";
import { drawSparks, showRows } from "../pages/live-rows.js";

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form.filters"));
const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#query-list [data-query]")]);
const total = Number(document.querySelector("[data-found]")?.textContent?.split(" of ")[1] ?? rows.length);

/** @param {HTMLElement} row @param {Record<string, string>} wish */
function fits(row, { q = "", stream = "", show = "all" }) {
  const text = (row.dataset.text ?? "").toLowerCase();
  const troubled = row.dataset.state === "failed" || row.dataset.state === "stale";
  const pinned = row.querySelector("[data-pin]")?.getAttribute("aria-pressed") === "true";
  return q.toLowerCase().split(/\s+/).every((word) => text.includes(word))
    && (!stream || row.dataset.streamName === stream)
    && (show !== "look" || troubled)
    && (show !== "mine" || row.hasAttribute("data-mine"))
    && (show !== "pinned" || pinned);
}

/** @returns {Record<string, string>} */
const wish = () => /** @type {any} */ (Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (form))));

function apply() {
  const wanted = wish();
  for (const row of rows) row.hidden = !fits(row, wanted);
  const left = rows.filter((row) => !row.hidden).length;
  setText(document.querySelector("[data-found]"), `${left} of ${total}`);
  const nothing = /** @type {HTMLElement} */ (document.getElementById("nothing-found"));
  const table = /** @type {HTMLElement | null} */ (document.querySelector("#query-list .table-scroll"));
  nothing.hidden = left > 0;
  if (table) table.hidden = left === 0;
}

/** The address leads back to the same list. */
function remember() {
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(wish())) {
    if (value && value !== "all") url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  history.replaceState(null, "", url);
}

/** The server left rows out when the page came already narrowed: then it has to be asked. */
const isWhole = rows.length === total;

if (form) {
  form.addEventListener("input", () => {
    if (!isWhole) return;
    remember();
    apply();
  });
  form.addEventListener("change", () => !isWhole && form.requestSubmit());
  form.addEventListener("submit", (event) => isWhole && event.preventDefault());
}
drawSparks();
const paint = painter((message) => {
  showRows(document, message);
  if (form && isWhole) apply();
});
watch("overview", null, {}, (message) => message.type === "overview" && paint(message));
