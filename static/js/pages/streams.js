// The list of streams, kept moving by the overview topic.

import { setText } from "../core/dom.js";
import { duration, number, rate } from "../core/format.js";
import { held, painter } from "../core/paint.js";
import { setPill } from "../core/pill.js";
import { watch } from "../core/socket.js";
import { cell, drawSparks, each, sparkOf } from "./live-rows.js";
import { redraw } from "./parts.js";
import { flow, streamLook } from "./stream-now.js";

/** @param {Element} row @param {any} stream */
function show(row, stream) {
  const shown = streamLook(stream);
  row.setAttribute("data-state", shown);
  setPill(cell(row, "state"), shown, flow(stream.rate));
  setText(cell(row, "rate"), rate(stream.rate));
  setText(cell(row, "lag"), duration(stream.lag_seconds));
  setText(cell(row, "head"), number(stream.head));
  const spark = sparkOf(row);
  spark?.push(stream.rate);
  spark?.draw();
}

async function paint(/** @type {any} */ message) {
  const panel = document.getElementById("streams");
  if (panel && panel.querySelectorAll("[data-stream]").length !== message.streams.length && !held(panel)) {
    await redraw(["streams"]);
    drawSparks();
  }
  for (const stream of message.streams) each(document, `[data-stream="${stream.id}"]`, (row) => show(row, stream));
}

drawSparks();
const paintNewest = painter(paint);
watch("overview", null, {}, (message) => message.type === "overview" && paintNewest(message));
