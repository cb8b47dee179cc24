// Values of elements as the page shows them. The server's twin is dashboard/cells.py.

import { MISSING } from "../core/format.js";

const MINUS = "−";
const DIGITS = 7;
const SMALLEST_PLAIN = 1e-5;
const LARGEST_PLAIN = 1e15;

/** Seven digits, and an exponent only where a row of zeros would be longer. @param {number} value */
function fewDigits(value) {
  const size = Math.abs(value);
  if (size === 0 || (size >= SMALLEST_PLAIN && size < LARGEST_PLAIN)) return String(Number(value.toPrecision(DIGITS)) + 0);
  const [mantissa, exponent] = value.toExponential(DIGITS - 1).split("e");
  return `${Number(mantissa)}e${Number(exponent)}`;
}

/** @param {any} value @param {string} type */
export function shown(value, type) {
  if (value === null || value === undefined) return MISSING;
  if (type === "timestamp") return String(value).slice(0, 19).replace("T", " ");
  if (type === "bool") return value ? "yes" : "no";
  if (type === "float64") return fewDigits(value).replaceAll("-", MINUS);
  return type === "int64" ? String(value).replace("-", MINUS) : String(value);
}
