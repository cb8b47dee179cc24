// Rows of queries and jobs that follow the overview topic. Cells are found by data-live inside their row.

import { el, setText } from "../core/dom.js";
import { age, dateTime, duration, megabytes, MISSING, number, rate } from "../core/format.js";
import { look, setPill } from "../core/pill.js";
import { Spark } from "../core/sparkline.js";

/** @param {Element} row @param {string} name */
export const cell = (row, name) => row.querySelector(`[data-live="${name}"]`);

/** @type {WeakMap<Element, Spark>} */
const sparks = new WeakMap();

/** The sparkline of a row, made from the server's samples when first asked for. @param {Element} row */
export function sparkOf(row) {
  const target = cell(row, "spark");
  if (!target) return null;
  const found = sparks.get(target) ?? new Spark(/** @type {SVGElement} */ (target));
  sparks.set(target, found);
  return found;
}

/** Draws every sparkline the server left on the page. @param {ParentNode} [root] */
export function drawSparks(root = document) {
  for (const target of root.querySelectorAll("svg.spark[data-live]")) {
    if (target.parentElement) sparkOf(target.parentElement);
  }
}

/** @param {Element} row @param {number | null} value @param {string} state */
function moveSpark(row, value, state) {
  const spark = sparkOf(row);
  spark?.push(value);
  // What does not run gives nothing, whatever it gave before.
  spark?.draw(!["running", "stale"].includes(look(state)));
}

/** @param {Element} row @param {any} query */
export function showQuery(row, query) {
  row.setAttribute("data-state", query.state);
  setPill(cell(row, "state"), query.state, query.word);
  setText(cell(row, "rate"), rate(query.rate));
  setText(cell(row, "lag"), duration(query.lag_seconds));
  setText(cell(row, "number"), number(query.number));
  moveSpark(row, query.rate, query.state);
  const answer = cell(row, "answer");
  const text = query.answer ? `${query.answer.lead} ${query.answer.rest}` : null;
  if (answer && text !== null && answer.textContent !== text) {
    answer.replaceChildren(el("b", {}, query.answer.lead), " ", el("span", {}, query.answer.rest));
  }
}

const LATE_SECONDS = 5;

/** A running job that lags says so. Twin: dashboard/wording.py. @param {any} job @returns {[string, string]} */
export function jobState(job) {
  if (job.state === "running" && job.lag_seconds !== null && job.lag_seconds >= LATE_SECONDS) {
    return ["stale", `Behind, ${duration(job.lag_seconds)}`];
  }
  if (job.state === "starting") return ["starting", "Starting Spark"];
  return [job.state, job.state.charAt(0).toUpperCase() + job.state.slice(1)];
}

/** Since when a state holds; core/clock.js counts it on. @param {Element | null} node @param {string} since */
export function setSince(node, since) {
  if (!node || node.getAttribute("datetime") === since) return;
  node.setAttribute("datetime", since);
  node.setAttribute("title", dateTime(since));
  setText(node, age(since));
}

/** @param {Element} row @param {any} job */
export function showJob(row, job) {
  const [state, word] = jobState(job);
  row.setAttribute("data-state", look(state));
  setPill(cell(row, "state"), state, word);
  setSince(cell(row, "since"), job.since);
  setText(cell(row, "rate"), rate(job.rate));
  setText(cell(row, "lag"), duration(job.lag_seconds));
  setText(cell(row, "batch"), job.batch_seconds === null ? MISSING : `batch ${number(job.batch_seconds, 2)} s`);
  setText(cell(row, "batch-figure"), job.batch_seconds === null ? MISSING : `${number(job.batch_seconds, 2)} s`);
  setText(cell(row, "memory"), megabytes(job.memory_mb));
  setText(cell(row, "behind"), number(job.behind));
  setText(cell(row, "lost"), number(job.lost));
  cell(row, "lost")?.toggleAttribute("data-state", Boolean(job.lost));
  if (job.lost) cell(row, "lost")?.setAttribute("data-state", "failed");
  moveSpark(row, job.rate, job.state);
}

/**
 * Applies an overview message to all rows below a node.
 * @param {ParentNode} root @param {any} message
 */
export function showRows(root, message) {
  for (const query of message.queries) each(root, `[data-query="${query.id}"]`, (row) => showQuery(row, query));
  for (const job of message.jobs) each(root, `[data-job="${job.id}"] [data-job-row], [data-job-row="${job.id}"]`, (row) => showJob(row, job));
}

/** @param {ParentNode} root @param {string} selector @param {(node: Element) => void} act */
export function each(root, selector, act) {
  for (const node of root.querySelectorAll(selector)) act(node);
}
