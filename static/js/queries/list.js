// The list of queries: found while one types, kept moving by the overview topic.

import { setText } from "../core/dom.js";
import { held, painter } from "../core/paint.js";
import { watch } from "../core/socket.js";
import { drawSparks, showRows } from "../pages/live-rows.js";

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form.filters"));
const body = () => document.querySelector("#query-list tbody");
const rows = () => /** @type {HTMLElement[]} */ ([...(body()?.children ?? [])]);
const found = () => document.querySelector("[data-found]");
const total = () => Number(found()?.textContent?.split(" of ")[1] ?? rows().length);
// The server left rows out when the page came already narrowed: then it has to be asked.
const isWhole = rows().length === total();

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
  if (!form || !isWhole) return;
  const wanted = wish();
  for (const row of rows()) row.hidden = !fits(row, wanted);
  const left = rows().filter((row) => !row.hidden).length;
  setText(found(), `${left} of ${total()}`);
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

let known = "";

/** Something was registered or removed elsewhere: the server draws the rows anew. @param {any} message */
async function follow(message) {
  const ids = message.queries.map((/** @type {any} */ query) => query.id).join();
  const list = document.getElementById("query-list");
  if (!known || known === ids || !isWhole || (list && held(list))) {
    known ||= ids;
    return;
  }
  known = ids;
  const response = await fetch(location.pathname, { headers: { Accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const newest = fresh.querySelector("#query-list tbody");
  if (!response.ok || !newest || !body()) return;
  body()?.replaceWith(document.adoptNode(newest));
  setText(found(), fresh.querySelector("[data-found]")?.textContent ?? "");
  drawSparks();
  apply();
}

form?.addEventListener("input", () => {
  if (!isWhole) return;
  remember();
  apply();
});
form?.addEventListener("change", () => !isWhole && form.requestSubmit());
form?.addEventListener("submit", (event) => isWhole && event.preventDefault());
drawSparks();
const paint = painter((message) => {
  showRows(document, message);
  apply();
  void follow(message);
});
watch("overview", null, {}, (message) => message.type === "overview" && paint(message));
