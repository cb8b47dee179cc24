// A slider under each number: round values on a logarithmic scale. The field stays the truth.

import { readNumber } from "./values.js";

/** @typedef {import("./values.js").Values} Values */

const STEPS = 1000;
const PARTS = [1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 40, 50, 64, 80, 100, 125, 200, 250, 500, 1000];

/** 1, 2, 5, 10, 20 … between two ends. @param {number} low @param {number} high */
function round125(low, high) {
  const values = [];
  for (let power = 1; power <= high; power *= 10) values.push(...[1, 2, 5].map((digit) => digit * power));
  return values.filter((value) => value >= low && value <= high);
}

const WINDOWS = { count: round125(100, 10_000_000), time: [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400] };
const KEPT = [1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1000];

/** The values a slider can take now. @param {string} name @param {Values} values @returns {number[]} */
function choices(name, values) {
  if (name === "k") return KEPT;
  const basis = /** @type {"count" | "time"} */ (values.text("basis"));
  if (name === "window") return WINDOWS[basis] ?? WINDOWS.count;
  const window = values.number("window");
  const parts = PARTS.filter((part) => window % part === 0 && window / part >= 1);
  return parts.map((part) => window / part).sort((one, other) => one - other);
}

/** @param {number[]} from @param {number} value */
function nearest(from, value) {
  const distance = (/** @type {number} */ one) => Math.abs(Math.log(one) - Math.log(Math.max(value, 1e-9)));
  return from.reduce((best, one, at) => (distance(one) < distance(from[best]) ? at : best), 0);
}

export class Sliders {
  /** @param {Values} values */
  constructor(values) {
    this.values = values;
    this.sliders = /** @type {HTMLInputElement[]} */ ([...values.form.querySelectorAll("[data-slider]")]);
    for (const slider of this.sliders) {
      slider.hidden = false;
      slider.addEventListener("input", () => this.moved(slider));
    }
    this.paint();
  }

  /** @param {HTMLInputElement} slider */
  moved(slider) {
    const name = slider.dataset.slider ?? "";
    const offered = choices(name, this.values);
    if (!offered.length) return;
    const value = offered[Math.round((Number(slider.value) / STEPS) * (offered.length - 1))];
    const parts = this.parts();
    if (value !== this.values.number(name)) this.values.put(name, value);
    // A longer window keeps its number of basic windows, so that b goes on dividing N.
    if (name === "window" && value % parts === 0) this.values.put("basic_window", value / parts);
    this.fill(slider);
  }

  /** How many basic windows there are now; twenty when that is no whole number. */
  parts() {
    const parts = this.values.number("window") / this.values.number("basic_window");
    return Number.isInteger(parts) && parts > 0 ? parts : 20;
  }

  /** Puts every thumb where its field is, but the one that is held. */
  paint() {
    for (const slider of this.sliders) {
      const name = slider.dataset.slider ?? "";
      const offered = choices(name, this.values);
      const value = readNumber(this.values.text(name));
      slider.disabled = offered.length < 2;
      if (!slider.matches(":active") && offered.length > 1 && value > 0) {
        slider.value = String((nearest(offered, value) / (offered.length - 1)) * STEPS);
      }
      this.fill(slider);
    }
  }

  /** @param {HTMLInputElement} slider */
  fill(slider) {
    slider.style.setProperty("--filled", `${(Number(slider.value) / STEPS) * 100}%`);
  }
}
