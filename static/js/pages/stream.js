// One stream: rate, lag and its newest elements, repainted in place; under a pointer they stand still.

import { readJson, setText } from "../core/dom.js";
import { duration, number, percent, rateFigure } from "../core/format.js";
import { held, painter } from "../core/paint.js";
import { setPill } from "../core/pill.js";
import { watch } from "../core/socket.js";
import { shown } from "./cells.js";
import { askBefore } from "./confirm.js";
import { drawSparks, showRows, sparkOf } from "./live-rows.js";
import { redraw } from "./parts.js";
import { flow } from "./stream-now.js";
import { setTile } from "./tiles.js";

/** @type {{ id: number, retention: number, rows: number }} */
const data = readJson("stream-data");

/** @param {any[][]} tuples */
function showElements(tuples) {
  const panel = document.getElementById("newest");
  const table = panel?.querySelector("table");
  if (!panel || !table) return;
  const isHeld = held(panel);
  setText(panel.querySelector("[data-live=newest-word]"), isHeld ? "held while you look" : "newest on top");
  if (isHeld) return;
  [...table.tBodies[0].rows].forEach((row, at) => {
    [...row.cells].forEach((cell, column) => {
      const text = tuples[at] ? shown(tuples[at][column], cell.dataset.type ?? "") : "";
      const place = /** @type {HTMLElement} */ (cell.firstElementChild);
      if (place.textContent === text) return;
      place.textContent = text;
      place.title = text;
    });
  });
}

/** @param {any} now */
function showTiles(now) {
  setTile("rate", rateFigure(now.rate), { unit: "/s" });
  setTile("lag", duration(now.lag_seconds), { foot: now.lag_seconds === null ? "no job runs" : "until answered" });
  setTile("head", number(now.head), { unit: "" });
  setTile("held", number(now.held), { unit: "", foot: `${percent(now.held / data.retention, 0)} of retention` });
}

/** @param {any} now */
async function paint(now) {
  if (now.tuples.length && !document.querySelector("#newest table")) await redraw(["newest"]);
  const state = now.rate ? "running" : "paused";
  setPill(document.querySelector("[data-live=stream-state]"), state, flow(now.rate));
  showTiles(now);
  showElements(now.tuples);
  const tile = document.querySelector(".rate-tile");
  const spark = tile && sparkOf(tile);
  spark?.push(now.rate);
  spark?.draw();
}

/** @param {any} message */
const paintRows = (message) => showRows(document, message);

drawSparks();
askBefore(document);
const paintNewest = painter(paint);
const paintNewestRows = painter(paintRows);
watch("stream", data.id, {}, (message) => message.type === "stream" && paintNewest(message));
watch("overview", null, {}, (message) => message.type === "overview" && paintNewestRows(message));
