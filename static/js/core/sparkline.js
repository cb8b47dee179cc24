// Sparklines: own minimum to maximum, a gap in the data is a gap in the line, no axis, hidden from screen readers.

import { svg } from "./dom.js";

/** @typedef {number | null} Sample */

/**
 * Draws samples into an <svg class="spark">, whose size comes from its width and height attributes.
 * @param {SVGElement} target
 * @param {Sample[]} samples
 * @param {{ fill?: boolean, flat?: boolean }} [options] fill: 10 % area below, for rates; flat: paused
 */
export function drawSpark(target, samples, { fill = false, flat = false } = {}) {
  const width = Number(target.getAttribute("width")) || 96;
  const height = Number(target.getAttribute("height")) || 24;
  target.setAttribute("viewBox", `0 0 ${width} ${height}`);
  target.setAttribute("aria-hidden", "true");
  samples = averaged(samples, width);
  const values = /** @type {number[]} */ (samples.filter((sample) => sample !== null));
  if (flat || values.length < 2) {
    target.replaceChildren(svg("path", { class: "flat", d: `M0 ${height / 2}H${width - 3}` }));
    return;
  }
  const place = scale(samples.length, floorOf(values, fill), Math.max(...values), width, height);
  const runs = unbroken(samples).map((run) => run.map(([index, value]) => place(index, value)));
  const parts = [svg("path", { d: runs.map((run) => `M${run.join("L")}`).join("") })];
  if (fill) parts.unshift(svg("path", { class: "area", d: runs.map((run) => areaUnder(run, height)).join("") }));
  const [x, y] = runs[runs.length - 1][runs[runs.length - 1].length - 1];
  parts.push(svg("circle", { cx: x, cy: y, r: 2 }));
  target.replaceChildren(...parts);
}

/** More samples than pixels would make a block of ink: neighbours are averaged, gaps stay gaps. @param {Sample[]} samples @param {number} width @returns {Sample[]} */
function averaged(samples, width) {
  const size = Math.ceil((samples.length * 2) / width);
  if (size < 2) return samples;
  // Cut from the end, so that a new sample changes the last point and not all of them.
  const first = samples.length % size;
  const starts = [...(first ? [0] : []), ...Array.from({ length: Math.floor(samples.length / size) }, (_, at) => first + at * size)];
  return starts.map((start, at) => {
    const group = /** @type {number[]} */ (samples.slice(start, starts[at + 1]).filter((sample) => sample !== null));
    return group.length ? group.reduce((sum, sample) => sum + sample, 0) / group.length : null;
  });
}

/** Rates stand on a stable floor, so that a steady stream looks steady. @param {number[]} values @param {boolean} isRate */
function floorOf(values, isRate) {
  const least = Math.min(...values);
  return isRate ? Math.min(least, Math.max(...values) * 0.6) : least;
}

/** @param {number} count @param {number} low @param {number} high @param {number} width @param {number} height */
function scale(count, low, high, width, height) {
  const span = high - low || 1;
  const middle = high === low ? 0.5 : 0;
  return (/** @type {number} */ index, /** @type {number} */ value) => [
    round((index / Math.max(1, count - 1)) * (width - 4)),
    round(height - 3 - ((value - low) / span + middle) * (height - 6)),
  ];
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;

/** @param {number[][]} run @param {number} height */
const areaUnder = (run, height) => `M${run[0][0]} ${height}L${run.join("L")}L${run[run.length - 1][0]} ${height}Z`;

/** Splits at missing samples. @param {Sample[]} samples @returns {[number, number][][]} */
function unbroken(samples) {
  /** @type {[number, number][][]} */
  const runs = [[]];
  samples.forEach((sample, index) => {
    if (sample === null) runs.push([]);
    else runs[runs.length - 1].push([index, sample]);
  });
  return runs.filter((run) => run.length > 0);
}

/**
 * A sparkline that keeps its own samples: starts from data-samples ("12,13,,15"), then push() moves it on.
 * Samples are averaged into steps of `stepSeconds`, the step of the server's history.
 */
export class Spark {
  /**
   * @param {SVGElement} target
   * @param {{ limit?: number, stepSeconds?: number }} [options]
   */
  constructor(target, { limit = 120, stepSeconds = 5 } = {}) {
    this.target = target;
    this.limit = limit;
    this.stepMs = stepSeconds * 1000;
    this.fill = target.hasAttribute("data-fill");
    const written = target.dataset.samples ?? "";
    /** @type {Sample[]} */
    this.samples = written ? written.split(",").map((text) => (text === "" ? null : Number(text))) : [];
    /** @type {{ step: number, sum: number, count: number } | null} */
    this.open = null;
    this.draw();
  }

  /** @param {number | null} value @param {number} [at] milliseconds */
  push(value, at = Date.now()) {
    const step = Math.floor(at / this.stepMs);
    if (this.open && this.open.step === step && value !== null) {
      this.open.sum += value;
      this.open.count += 1;
      this.samples[this.samples.length - 1] = this.open.sum / this.open.count;
    } else if (!this.open || this.open.step !== step) {
      this.open = value === null ? null : { step, sum: value, count: 1 };
      this.samples.push(value);
      this.samples.splice(0, this.samples.length - this.limit);
    }
  }

  /** @param {boolean} [flat] */
  draw(flat = false) {
    drawSpark(this.target, this.samples, { fill: this.fill, flat });
  }
}
