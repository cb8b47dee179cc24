// Overview: the server's picture, kept moving by the overview topic.

import { el, icon, setText } from "../core/dom.js";
import { counted, duration, rateFigure } from "../core/format.js";
import { say } from "../core/live-region.js";
import { held, painter, whileVisible } from "../core/paint.js";
import { watch } from "../core/socket.js";
import { failedChanged } from "./alerts.js";
import { cell, drawSparks, each, showRows, sparkOf } from "./live-rows.js";
import { redraw } from "./parts.js";
import { isLate, streamLook } from "./stream-now.js";

const EVENTS_MS = 5000;

/** @type {[string, string, string][]} state, what one does, what many do. Twin: dashboard/wording.py */
const HEALTH = [
  ["running", "answers on time", "answer on time"],
  ["starting", "is starting", "are starting"],
  ["stale", "is behind", "are behind"],
  ["failed", "has failed", "have failed"],
  ["paused", "is paused", "are paused"],
];
const NOTHING = { look: "All is well: nothing needs a look.", mine: "You have not registered a query yet.", all: "" };

/** @param {any} message */
function health(message) {
  const lead = `${counted(message.queries.length, "query", "queries")} on ${counted(message.streams.length, "stream")}.`;
  const parts = HEALTH.map(([state, one, many]) => {
    const count = message.queries.filter((/** @type {any} */ query) => query.state === state).length;
    return count ? `${count} ${count === 1 ? one : many}` : "";
  }).filter(Boolean);
  return parts.length ? `${lead} ${parts.join(", ")}.` : lead;
}

/** @param {Element | null} place @param {any} stream */
function showLag(place, stream) {
  if (stream.lag_seconds === null) return setText(place, "");
  if (!place?.querySelector(".lag-word")) place?.replaceChildren(el("span", { class: "lag-word" }), "");
  setText(place?.firstElementChild, isLate(stream) ? "behind" : "lag");
  const text = place?.lastChild;
  if (text) text.textContent = ` ${duration(stream.lag_seconds)}`;
}

/** @param {Element} tile @param {any} stream */
function showStream(tile, stream) {
  const state = streamLook(stream);
  if (tile.getAttribute("data-state") !== state) {
    tile.setAttribute("data-state", state);
    tile.querySelector(".glyph")?.replaceWith(icon(`state-${state}`, "glyph"));
  }
  setText(cell(tile, "rate"), rateFigure(stream.rate));
  showLag(cell(tile, "lag"), stream);
  const spark = sparkOf(tile);
  spark?.push(stream.rate);
  spark?.draw();
}

/** Hides what the segment leaves out; a job without a visible query goes with it. */
function applyView() {
  const panel = document.getElementById("everything");
  if (!panel) return;
  const show = /** @type {"all" | "look" | "mine"} */ (panel.dataset.show ?? "all");
  let shown = 0;
  each(panel, "tbody[data-job]", (group) => {
    const rows = /** @type {HTMLElement[]} */ ([...group.querySelectorAll("[data-query]")]);
    for (const row of rows) {
      const troubled = row.dataset.state === "failed" || row.dataset.state === "stale";
      row.hidden = (show === "look" && !troubled) || (show === "mine" && !row.hasAttribute("data-mine"));
    }
    const left = rows.filter((row) => !row.hidden).length;
    shown += left;
    /** @type {HTMLElement} */ (group).hidden = show !== "all" && left === 0;
  });
  const nothing = document.getElementById("nothing-shown");
  const table = panel.querySelector("table");
  if (!nothing || !table) return;
  nothing.hidden = show === "all" || shown > 0;
  table.hidden = !nothing.hidden;
  setText(nothing.querySelector("p"), NOTHING[show]);
}

function startView() {
  document.addEventListener("change", (event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    const panel = input.name === "show" ? document.getElementById("everything") : null;
    if (!panel) return;
    panel.dataset.show = input.value;
    history.replaceState(null, "", input.value === "all" ? location.pathname : `?show=${input.value}`);
    applyView();
  });
  applyView();
}

/** Something was registered or removed elsewhere: the server draws the lists anew. @param {any} message */
function isSameSet(message) {
  const shown = [...document.querySelectorAll("#everything [data-query]")].map((row) => Number(row.getAttribute("data-query")));
  const known = new Set(shown);
  const streams = document.querySelectorAll("#strip [data-stream]").length;
  return message.queries.length === shown.length && message.streams.length === streams && message.queries.every((/** @type {any} */ query) => known.has(query.id));
}

/** @param {string[]} parts */
async function renew(parts) {
  await redraw(parts);
  drawSparks();
  applyView();
}

/** @param {any} message */
function paint(message) {
  const panel = document.getElementById("everything");
  if (failedChanged(message)) void renew(["alerts"]);
  else if (!isSameSet(message) && panel && !held(panel)) void renew(["everything", "strip"]);
  showRows(document, message);
  for (const stream of message.streams) each(document, `[data-stream="${stream.id}"]`, (tile) => showStream(tile, stream));
  const troubled = message.queries.filter((/** @type {any} */ query) => query.state === "failed" || query.state === "stale");
  const count = document.getElementById("look-count");
  if (count) count.hidden = troubled.length === 0;
  setText(count, String(troubled.length));
  const sentence = health(message);
  const node = document.getElementById("health");
  if (node && node.textContent !== sentence) {
    setText(node, sentence);
    say(sentence);
  }
  applyView();
}

/** New events go on top; while one reads or points at the list they wait behind a button. */
async function refreshEvents() {
  const list = document.getElementById("event-list");
  const more = document.getElementById("more-events");
  if (!list || !more) return;
  const response = await fetch("?part=events");
  if (!response.ok || response.redirected) return;
  const fresh = new DOMParser().parseFromString(`<ol>${await response.text()}</ol>`, "text/html").querySelectorAll("li");
  const newest = Number(list.querySelector("[data-event]")?.getAttribute("data-event") ?? 0);
  const added = [...fresh].filter((node) => Number(node.getAttribute("data-event")) > newest);
  if (!added.length) return;
  const show = () => {
    list.replaceChildren(...[...fresh].map((node) => document.adoptNode(node)));
    list.scrollTop = 0;
    more.hidden = true;
  };
  if (list.scrollTop === 0 && !held(list)) return show();
  more.hidden = false;
  setText(more, `${added.length} new`);
  more.onclick = show;
}

drawSparks();
startView();
const paintNewest = painter(paint);
watch("overview", null, {}, (message) => message.type === "overview" && paintNewest(message));
whileVisible(() => void refreshEvents(), EVENTS_MS);
