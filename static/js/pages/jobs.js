// The list of jobs, kept moving by the overview topic.

import { setText } from "../core/dom.js";
import { counted } from "../core/format.js";
import { held, painter } from "../core/paint.js";
import { watch } from "../core/socket.js";
import { failedChanged } from "./alerts.js";
import { drawSparks, showRows } from "./live-rows.js";
import { redraw } from "./parts.js";

/** @type {[string, string, string][]} state, what one does, what many do. Twin: dashboard/wording.py */
const WORDS = [
  ["running", "runs", "run"],
  ["queued", "is queued", "are queued"],
  ["starting", "is starting", "are starting"],
  ["stopping", "is stopping", "are stopping"],
  ["failed", "has failed", "have failed"],
  ["stopped", "is stopped", "are stopped"],
];

/** @param {any[]} jobs */
function health(jobs) {
  const parts = WORDS.map(([state, one, many]) => {
    const count = jobs.filter((job) => job.state === state).length;
    return count ? `${count} ${count === 1 ? one : many}` : "";
  }).filter(Boolean);
  return `${counted(jobs.length, "job")}. ${parts.join(", ")}.`;
}

/** @param {any} message */
async function paint(message) {
  const panel = document.getElementById("jobs");
  const parts = failedChanged(message) ? ["alerts"] : [];
  if (panel && panel.querySelectorAll("[data-job-row]").length !== message.jobs.length && !held(panel)) parts.push("jobs");
  if (parts.length) {
    await redraw(parts);
    drawSparks();
  }
  showRows(document, message);
  if (message.jobs.length) setText(document.getElementById("jobs-health"), health(message.jobs));
}

drawSparks();
const paintNewest = painter(paint);
watch("overview", null, {}, (message) => message.type === "overview" && paintNewest(message));
