// Go to…: one box for pages, streams, queries and jobs. The list comes from the server once, when first opened.

import { el, icon } from "./dom.js";
import { getJson } from "./http.js";

/** @typedef {{ name: string, url: string, icon: string, what: string, hint?: string }} Place */

const AT_MOST = 40;

/** @type {Promise<Place[]> | null} */
let places = null;

/** The pages in the navigation are places too, and need no request. @returns {Place[]} */
function pages() {
  return [...document.querySelectorAll(".nav a[data-place]")].map((link) => ({
    name: link.querySelector(".nav-name")?.textContent?.trim() ?? "",
    url: /** @type {HTMLAnchorElement} */ (link).href,
    icon: /** @type {HTMLElement} */ (link).dataset.place ?? "compass",
    what: "page",
  }));
}

/** @returns {Promise<Place[]>} */
function load() {
  places ??= getJson(document.documentElement.dataset.goto ?? "/api/goto/")
    .then((answer) => [...pages(), ...answer.places])
    .catch(() => {
      places = null;
      return pages();
    });
  return places;
}

/**
 * Names that start with the words come first, then names that hold all of them.
 * @param {Place[]} all @param {string} typed
 */
export function match(all, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = all.filter((place) => words.every((word) => `${place.name} ${place.what}`.toLowerCase().includes(word)));
  const rank = (/** @type {Place} */ place) => (place.name.toLowerCase().startsWith(words[0] ?? "") ? 0 : 1);
  return fits.sort((a, b) => rank(a) - rank(b)).slice(0, AT_MOST);
}

/** @param {Place} place @param {number} index */
function option(place, index) {
  return el("div", { role: "option", id: `goto-${index}`, "aria-selected": index === 0 ? "true" : "false", "data-url": place.url },
    icon(place.icon), el("span", { class: "truncate" }, place.name), el("span", { class: "nowrap" }, place.hint ?? place.what));
}

/** Opens the box. */
export async function openGoto() {
  if (document.querySelector("dialog[open]")) return;
  const input = /** @type {HTMLInputElement} */ (el("input", {
    type: "text", placeholder: "Go to a stream, query, job or page", "aria-label": "Go to", autocomplete: "off", spellcheck: "false",
    role: "combobox", "aria-expanded": "true", "aria-controls": "goto-list", "aria-autocomplete": "list",
  }));
  const list = el("div", { class: "goto-list", id: "goto-list", role: "listbox", "aria-label": "Places" });
  const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { class: "goto", "aria-label": "Go to", onclose: () => dialog.remove() },
    el("div", { class: "goto-box" }, icon("search"), input, el("kbd", {}, "Esc")), list));
  document.body.append(dialog);
  dialog.showModal();
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  list.addEventListener("click", (event) => follow(/** @type {Element} */ (event.target).closest("[role=option]")));
  input.addEventListener("keydown", (event) => onKey(event, list, input));

  let all = pages();
  const show = () => {
    const found = match(all, input.value);
    list.replaceChildren(...found.map(option));
    if (!found.length) list.append(el("p", { class: "nothing muted" }, "Nothing of that name."));
    input.setAttribute("aria-activedescendant", found.length ? "goto-0" : "");
  };
  input.addEventListener("input", show);
  show();
  all = await load();
  show();
}

/** @param {Element | null} chosen */
function follow(chosen) {
  if (chosen instanceof HTMLElement && chosen.dataset.url) location.assign(chosen.dataset.url);
}

/** @param {KeyboardEvent} event @param {HTMLElement} list @param {HTMLElement} input */
function onKey(event, list, input) {
  const options = [...list.querySelectorAll("[role=option]")];
  const at = options.findIndex((node) => node.getAttribute("aria-selected") === "true");
  if (event.key === "Enter") return follow(options[at]);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || !options.length) return;
  event.preventDefault();
  const next = options[(at + step + options.length) % options.length];
  options[at]?.setAttribute("aria-selected", "false");
  next.setAttribute("aria-selected", "true");
  input.setAttribute("aria-activedescendant", next.id);
  next.scrollIntoView({ block: "nearest" });
}
