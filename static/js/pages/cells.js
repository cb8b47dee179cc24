// Values of elements as the page shows them. The server's twin is dashboard/cells.py.

import { MISSING } from "../core/format.js";

const MINUS = "−";
const DIGITS = 7;

/** @param {number} value */
const few = (value) => String(Number(value.toPrecision(DIGITS)));

/** @param {any} value @param {string} type */
export function shown(value, type) {
  if (value === null || value === undefined) return MISSING;
  if (type === "timestamp") return String(value).slice(0, 19).replace("T", " ");
  if (type === "bool") return value ? "yes" : "no";
  if (type === "float64") return few(value).replaceAll("-", MINUS);
  return type === "int64" ? String(value).replace("-", MINUS) : String(value);
}
