// Mistakes beside their fields, units inside them, and the choices a stream offers.

import { setText } from "../../core/dom.js";
import { counted, duration, number, rate } from "../../core/format.js";

/**
 * @typedef {import("./values.js").Values} Values
 * @typedef {{ items: string[], weights: string[], defaults: Record<string, any>, fields: number, rate: number | null, head: number | null }} StreamFacts
 */

/** 300 → "5 min", 90 → "90 s": how people say a window in time. @param {number} seconds */
export function span(seconds) {
  if (seconds < 120) return `${number(seconds)} s`;
  if (seconds % 3600 === 0) return `${number(seconds / 3600)} h`;
  return seconds % 60 === 0 ? `${number(seconds / 60)} min` : duration(seconds);
}

/** Shows the messages; a field without one gets its hint back. @param {Values} values @param {Record<string, string>} errors */
export function showErrors(values, errors) {
  for (const field of /** @type {NodeListOf<HTMLElement>} */ (values.form.querySelectorAll("[data-field]"))) {
    const name = field.dataset.field ?? "";
    if (name === "name") continue;
    const hint = /** @type {HTMLElement | null} */ (field.querySelector(".hint"));
    const message = errors[name];
    if (!hint || (!message && !hint.classList.contains("error"))) continue;
    hint.classList.toggle("error", Boolean(message));
    setText(hint, message ?? hint.dataset.hint ?? "");
    for (const input of field.querySelectorAll("input:not([type=range]), select")) {
      if (message) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }
}

/** @param {Values} values @param {StreamFacts} stream */
export function showUnits(values, stream) {
  const isTime = values.text("basis") === "time";
  const window = values.number("window");
  const parts = window / values.number("basic_window");
  const unit = (/** @type {string} */ name, /** @type {string} */ text) => setText(values.form.querySelector(`[data-unit=${name}]`), text);
  const lasts = stream.rate && window > 0 ? `, about ${duration(window / stream.rate)}` : "";
  unit("window", isTime ? (window >= 120 ? `s = ${span(window)}` : "seconds") : `elements${lasts}`);
  unit("basic_window", Number.isInteger(parts) && parts > 0 ? `${isTime ? "s, " : ""}${number(parts)} of them` : isTime ? "seconds" : "elements");
  unit("stream", rate(stream.rate));
}

/** Another stream has other fields. @param {Values} values @param {StreamFacts} stream */
export function offerFields(values, stream) {
  const item = /** @type {any} */ (values.input("item"));
  const weight = /** @type {any} */ (values.input("weight"));
  fill(item, stream.items, stream.items.includes(item.value) ? item.value : stream.defaults.item);
  fill(weight, stream.weights, stream.weights.includes(weight.value) ? weight.value : "", weight.options[0]);
  setText(document.querySelector("[data-stream-facts]"), `${counted(stream.fields, "field")}, ${number(stream.head)} elements so far`);
}

/** @param {HTMLSelectElement} select @param {string[]} names @param {string} chosen @param {HTMLOptionElement} [first] */
function fill(select, names, chosen, first) {
  const options = names.map((name) => new Option(name, name, false, name === chosen));
  select.replaceChildren(...(first ? [first] : []), ...options);
  select.value = chosen;
}
