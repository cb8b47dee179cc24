// Memory and error by k, each point a preview of its own on the same elements: nothing here is a guess.

import { svg } from "../../core/dom.js";
import { bytes, percent } from "../../core/format.js";

/** @typedef {{ k: number, bytes: number, delta: number }} Point delta: share of the window */

const BOX = { left: 44, right: 336, top: 12, bottom: 104 };

/** The k's around the chosen one. @param {number} k */
export function neighbours(k) {
  const around = [k / 4, k / 2, k, k * 2, k * 4].map((one) => Math.round(one)).filter((one) => one >= 1 && one <= 10_000);
  return [...new Set(around)];
}

/** @param {Point[]} points @param {number} chosen */
export function drawByK(points, chosen) {
  const place = /** @type {HTMLElement | null} */ (document.querySelector("[data-by-k]"));
  const chart = place?.querySelector("svg");
  if (!place || !chart) return;
  place.hidden = points.length < 2;
  if (points.length < 2) return;
  const most = { bytes: Math.max(...points.map((point) => point.bytes)), delta: Math.max(...points.map((point) => point.delta), 1e-9) };
  const x = (/** @type {number} */ at) => BOX.left + (at / (points.length - 1)) * (BOX.right - BOX.left);
  const y = (/** @type {number} */ share) => BOX.bottom - share * (BOX.bottom - BOX.top);
  const line = (/** @type {"bytes" | "delta"} */ what) => points.map((point, at) => `${at ? "L" : "M"}${x(at).toFixed(1)} ${y(point[what] / most[what]).toFixed(1)}`).join("");
  const here = points.findIndex((point) => point.k === chosen);
  chart.setAttribute("aria-label", points.map((point) => `k ${point.k}: ${bytes(point.bytes)}, δ ${percent(point.delta)}`).join("; "));
  chart.replaceChildren(
    ...[0, 0.5, 1].map((share) => svg("path", { class: "grid", d: `M${BOX.left} ${y(share)}H${BOX.right}` })),
    ...label(bytes(most.bytes), BOX.left - 6, y(1) + 4, "end"),
    ...label("0", BOX.left - 6, y(0) + 4, "end"),
    ...label(percent(most.delta, 1), BOX.right + 6, y(1) + 4, "start"),
    ...label("0", BOX.right + 6, y(0) + 4, "start"),
    ...points.flatMap((point, at) => label(String(point.k), x(at), BOX.bottom + 18, "middle", at === here ? "chosen" : "")),
    ...(here < 0 ? [] : [svg("path", { class: "here", d: `M${x(here)} ${BOX.top - 6}V${BOX.bottom}` })]),
    svg("path", { class: "memory", d: line("bytes") }),
    svg("path", { class: "error", d: line("delta") }),
    ...(here < 0 ? [] : [dot(x(here), y(points[here].bytes / most.bytes), "memory"), dot(x(here), y(points[here].delta / most.delta), "error")]),
  );
}

/** @param {string} text @param {number} x @param {number} y @param {string} anchor @param {string} [className] */
function label(text, x, y, anchor, className = "") {
  const node = svg("text", { x, y, "text-anchor": anchor, class: className });
  node.textContent = text;
  return [node];
}

/** @param {number} x @param {number} y @param {string} className */
const dot = (x, y, className) => svg("circle", { class: className, cx: x, cy: y, r: 3.5 });
