// One job: its figures move, a new state redraws what the server knows of it, the buttons act at once.

import { readJson, setText } from "../core/dom.js";
import { duration, megabytes, MISSING, number, rateFigure } from "../core/format.js";
import { postJson } from "../core/http.js";
import { say } from "../core/live-region.js";
import { painter, whileVisible } from "../core/paint.js";
import { setPill } from "../core/pill.js";
import { watch } from "../core/socket.js";
import { toast } from "../core/toast.js";
import { drawSparks, jobState, setSince, showRows } from "./live-rows.js";
import { redraw } from "./parts.js";
import { setTile } from "./tiles.js";

const PARTS = ["job-trouble", "job-facts", "history", "job-actions"];
const FOLLOW_MS = 2000;

/** @type {{ id: number, state: string }} */
const data = readJson("job-data");
let state = data.state;

/** @param {any} job */
function showTiles(job) {
  const idle = job.state === "running" ? undefined : "when it runs";
  setTile("rate", rateFigure(job.rate), { unit: "/s", foot: idle ?? "elements taken" });
  setTile("lag", duration(job.lag_seconds), { foot: idle ?? "newest answer" });
  setTile("behind", number(job.behind), { unit: "", foot: idle ?? "not yet taken" });
  setTile("batch", job.batch_seconds === null ? MISSING : `${number(job.batch_seconds, 2)} s`, { foot: idle ?? "last batch" });
  setTile("memory", megabytes(job.memory_mb), { foot: idle ?? "of its driver" });
  setTile("lost", number(job.lost), { unit: "", state: job.lost === null ? "" : job.lost ? "failed" : "running" });
}

/** @param {any} job */
function showState(job) {
  const [shown, word] = jobState(job);
  setPill(document.querySelector("[data-live=job-state]"), shown, word);
  setSince(document.querySelector(".page-title [data-live=since]"), job.since);
  if (job.state === state) return;
  state = job.state;
  say(`The job is ${state}`);
  void redraw(PARTS).then(startActions);
}

/** @param {any} message */
function paint(message) {
  const job = message.jobs.find((/** @type {any} */ one) => one.id === data.id);
  if (!job) return;
  showState(job);
  showTiles(job);
  showRows(document, message);
}

/** @param {SubmitEvent} event */
async function act(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.currentTarget);
  const buttons = /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-job-action] button"));
  const before = [...buttons].map((button) => button.disabled);
  for (const button of buttons) button.disabled = true;
  try {
    const answer = await postJson(form.action);
    toast(answer.message, { icon: "check", state: "running" });
    showState({ ...answer, lag_seconds: null });
    await redraw(PARTS);
    startActions();
  } catch (error) {
    buttons.forEach((button, at) => (button.disabled = before[at]));
    toast(/** @type {Error} */ (error).message, { icon: "warn", state: "failed" });
  }
}

function startActions() {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (document.querySelectorAll("form[data-job-action]:not([data-ready])"))) {
    form.dataset.ready = "";
    form.addEventListener("submit", act);
  }
}

/** Whoever reads at the end stays at the end. */
async function refreshLog() {
  const log = /** @type {HTMLElement} */ (document.getElementById("log-text"));
  const response = await fetch(log.dataset.url ?? "");
  if (!response.ok || response.redirected) return;
  const atEnd = log.hidden || log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
  const text = await response.text();
  setText(log, text);
  log.hidden = text === "";
  /** @type {HTMLElement} */ (document.getElementById("log-empty")).hidden = text !== "";
  if (atEnd) log.scrollTop = log.scrollHeight;
}

function startLog() {
  const log = /** @type {HTMLElement} */ (document.getElementById("log-text"));
  const follow = /** @type {HTMLInputElement} */ (document.getElementById("log-follow"));
  log.scrollTop = log.scrollHeight;
  follow.disabled = false;
  document.getElementById("log-refresh")?.addEventListener("click", (event) => {
    event.preventDefault();
    void refreshLog();
  });
  whileVisible(() => follow.checked && void refreshLog(), FOLLOW_MS);
}

drawSparks();
startActions();
startLog();
const paintNewest = painter(paint);
watch("overview", null, {}, (message) => message.type === "overview" && paintNewest(message));
