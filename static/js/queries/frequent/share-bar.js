// The share bar with its bounds: fill to the lower bound, whisker to the upper, φ and δ lines through every row.
// The server draws the first picture with the same parts (templates/queries/frequent/rows.html).

/** @typedef {{ scale: number, phi: number | null, delta: number | null }} Ruler shares between 0 and 1 */

/**
 * The right end of the scale: a multiple of a 1-2-5 step, at least a little beyond the largest share.
 * dashboard/kinds/frequent/picture.py draws the first frame with the same rule.
 * @param {number} largest
 */
export function roomFor(largest) {
  if (!(largest > 0)) return 0.01;
  const rough = largest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([5, 2, 1].find((digit) => digit * power <= rough * (1 + 1e-9)) ?? 1);
  return Math.min(1, step * Math.ceil(largest / step - 1e-9));
}

/** A scale that grows when it must and never shrinks while one looks. */
export class Scale {
  /** @param {number} [start] */
  constructor(start = 0) {
    this.end = start;
  }

  /** @param {number} largest @returns {number} */
  hold(largest) {
    if (largest > this.end) this.end = roomFor(largest);
    return this.end;
  }
}

/** @param {number} share @param {number} scale */
const place = (share, scale) => `${Math.round(Math.min(1, share / scale) * 100_000) / 1000}%`;

/** @param {Element | null} node @param {Record<string, string>} attributes */
function set(node, attributes) {
  if (!node) return;
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  }
}

/**
 * @param {SVGElement} bar
 * @param {{ lower: number, upper: number, verdict: string }} row shares between 0 and 1
 * @param {Ruler} ruler
 */
export function drawShare(bar, { lower, upper, verdict }, { scale, phi, delta }) {
  const from = place(lower, scale);
  const to = place(upper, scale);
  set(bar, { class: `share-bar ${verdict}${lower === upper ? " exact" : ""}` });
  set(bar.querySelector(".fill"), { width: from });
  set(bar.querySelector(".whisker"), { x: from, width: place(Math.max(0, upper - lower), scale) });
  set(bar.querySelector(".cap.low"), { x: from });
  set(bar.querySelector(".cap.high"), { x: to });
  drawLine(bar.querySelector(".phi"), phi, scale);
  drawLine(bar.querySelector(".delta"), delta, scale);
}

/** @param {Element | null} line @param {number | null} share @param {number} scale */
function drawLine(line, share, scale) {
  const shown = share !== null && share > 0 && share <= scale;
  const x = shown ? place(share, scale) : "0%";
  set(line, { x1: x, x2: x, class: `${line?.classList[0] ?? ""}${shown ? "" : " off"}` });
}
