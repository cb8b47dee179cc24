// The registration form: every change is previewed on the newest elements of the stream, 250 ms after the last.

import { readJson, setText } from "../../core/dom.js";
import { bytes, number, percent } from "../../core/format.js";
import { postJson, Refused } from "../../core/http.js";
import { say } from "../../core/live-region.js";
import { showQuestion } from "../question.js";
import { drawByK, neighbours } from "./by-k.js";
import { offerFields, showErrors, showUnits } from "./fields.js";
import { Preview, showCost } from "./preview.js";
import { Sliders } from "./sliders.js";
import { Values } from "./values.js";

/** @typedef {import("./preview.js").Answer} Answer */

const WAIT_MS = 250;
const CURVE_WAIT_MS = 700;
const RENEW_MS = 5000;

const page = readJson("form-data");
const form = /** @type {HTMLFormElement} */ (document.getElementById("query-form"));
const url = /** @type {HTMLElement} */ (document.querySelector("[data-preview-url]")).dataset.previewUrl ?? "";
const values = new Values(form);
const preview = new Preview();
const sliders = new Sliders(values);
const stream = () => page.streams[values.text("stream")];

let asked = new AbortController();
let timer = 0;

/** @param {Record<string, string | number>} [changes] @returns {Promise<any>} */
const ask = (changes = {}) => postJson(url, { ...values.all(), ...changes }, { signal: asked.signal });

async function renew() {
  window.clearTimeout(timer);
  asked.abort();
  const mine = (asked = new AbortController());
  const slow = window.setTimeout(() => preview.say("starting", "Counting"), 300);
  try {
    const answer = await ask();
    if (mine.signal.aborted) return;
    if (answer.ok) show(answer);
    else refuse(answer.errors);
  } catch (error) {
    if (!mine.signal.aborted) failed(/** @type {Error} */ (error));
  } finally {
    window.clearTimeout(slow);
  }
}

/** @param {Answer} answer */
function show(answer) {
  const facts = { window: values.number("window"), isTime: values.text("basis") === "time", rate: stream().rate };
  showErrors(values, {});
  preview.show(answer, values.text("item"));
  showCost(answer, facts);
  showQuestion(/** @type {Element} */ (form.querySelector("[data-question]")), answer.question);
  tell(answer);
  timer = window.setTimeout(() => (document.hidden ? later(RENEW_MS) : void renew()), RENEW_MS);
  window.setTimeout(() => void compare(answer), CURVE_WAIT_MS);
}

let told = "";

/** To screen readers, and only when it differs. @param {Answer} answer */
function tell({ frame, question }) {
  const words = `Preview: ${frame?.items.length ? `${frame.items[0]} leads` : "no item"}. ${question}`;
  if (words !== told) say(words);
  told = words;
}

/** @param {Record<string, string>} errors */
function refuse(errors) {
  showErrors(values, errors);
  preview.say("paused", "Waits");
  preview.tell(errors[""] ?? "The preview goes on when every field is right.");
}

/** @param {Error} error */
function failed(error) {
  preview.say("stale", "No preview");
  preview.tell(error instanceof Refused ? error.message : "The server cannot be reached just now.");
  later(RENEW_MS);
}

/** @param {number} wait */
function later(wait) {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => void renew(), wait);
}

let compared = "";

/** The same elements with smaller and larger k; asked for once per set of values. @param {Answer} answer */
async function compare(answer) {
  const mine = asked;
  const key = JSON.stringify(values.all());
  if (mine.signal.aborted || !answer.frame?.total || compared === key) return;
  compared = key;
  const chosen = values.number("k");
  const points = [];
  try {
    for (const k of neighbours(chosen)) {
      const other = k === chosen ? answer : await ask({ k });
      if (other.ok && other.frame?.total) points.push({ k, bytes: other.cost.bytes, delta: other.frame.delta / other.frame.total });
    }
  } catch {
    compared = "";
  }
  if (mine.signal.aborted) return;
  drawByK(points, chosen);
  warn(answer, points, chosen);
}

/** Bounds that say little are told before the query runs, with the k that would mend it. @param {Answer} answer @param {{ k: number, bytes: number, delta: number }[]} points @param {number} chosen */
function warn({ frame, cost }, points, chosen) {
  const note = /** @type {HTMLElement} */ (document.getElementById("wide-note"));
  const delta = frame.delta / frame.total;
  const last = frame.lower[frame.lower.length - 1] ?? 0;
  const wide = frame.show === "threshold" ? !frame.complete : frame.delta > last && frame.items.length > 0;
  note.hidden = !wide;
  if (!wide) return;
  const isThreshold = frame.show === "threshold";
  setText(note.querySelector("[data-wide-lead]"), isThreshold ? "The list may be incomplete." : "The bounds will be wide.");
  const better = points.find((point) => point.k > chosen && (isThreshold ? point.delta < frame.phi : point.delta * frame.total <= last)) ?? points.findLast((point) => point.k > chosen && point.delta < delta * 0.8);
  const why = isThreshold ? `With k ${chosen} the largest error δ is ${percent(delta)}, not under φ.` : `With k ${chosen} an item that is not listed may have up to ${number(frame.delta)}, more than the last row surely has.`;
  const mend = better ? ` k ${better.k} brings δ to ${percent(better.delta)} for ${bytes(better.bytes - cost.bytes)} more.` : "";
  setText(note.querySelector("[data-wide-text]"), why + mend);
  const use = /** @type {HTMLButtonElement} */ (note.querySelector("[data-wide-use]"));
  use.hidden = !better;
  if (!better) return;
  setText(use, `Use k ${better.k}`);
  use.onclick = () => values.put("k", better.k);
}

function changed() {
  showUnits(values, stream());
  sliders.paint();
  later(WAIT_MS);
}

/** Seconds are not elements: what stood there would make no sense. */
function changeBasis() {
  const isTime = values.text("basis") === "time";
  const window = values.number("window");
  if (isTime && window > 3600) [values.input("window").value, values.input("basic_window").value] = ["300", "15"];
  if (!isTime && window < 1000) [values.input("window").value, values.input("basic_window").value] = ["10,000", "500"];
}

form.addEventListener("input", (event) => {
  const { name } = /** @type {HTMLInputElement} */ (event.target);
  if (name === "stream") offerFields(values, stream());
  if (name === "basis") changeBasis();
  if (name && name !== "name") changed();
});
form.addEventListener("submit", () => {
  const button = /** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]"));
  // A second click must not register it twice; the button comes back when the page is shown again.
  setTimeout(() => (button.disabled = true));
});
window.addEventListener("pageshow", () => (/** @type {HTMLButtonElement} */ (form.querySelector("button[type=submit]")).disabled = false));

if (!stream().items.includes(values.text("item"))) offerFields(values, stream());
showUnits(values, stream());
void renew();
