// Numbers, rates, ages and times as people read them. The server's twin is dashboard/templatetags/figures.py.

export const MISSING = "–";
const MINUS = "−";

/** @param {number} value @param {number} decimals */
function grouped(value, decimals) {
  const text = Math.abs(value).toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return value < 0 && Number(text.replaceAll(",", "")) !== 0 ? MINUS + text : text;
}

/** @param {unknown} value @returns {value is number} */
const known = (value) => typeof value === "number" && Number.isFinite(value);

/**
 * 12345.6 → "12,346"; missing → "–".
 * @param {number | null | undefined} value
 * @param {number} [decimals]
 */
export const number = (value, decimals = 0) => (known(value) ? grouped(value, decimals) : MISSING);

/**
 * A share between 0 and 1 → "5.31 %".
 * @param {number | null | undefined} share
 * @param {number} [decimals]
 */
export const percent = (share, decimals = 2) => (known(share) ? `${grouped(share * 100, decimals)} %` : MISSING);

/** Decimals that keep about three digits. @param {number} value */
const threeDigits = (value) => (value < 10 ? 2 : value < 100 ? 1 : 0);

/**
 * 1284 → "1.28 k", 20116 → "20.1 k", 22 → "22". SI prefixes, three digits.
 * @param {number | null | undefined} value
 */
export function short(value) {
  if (!known(value)) return MISSING;
  const size = Math.abs(value);
  for (const [factor, prefix] of /** @type {[number, string][]} */ ([[1e9, "G"], [1e6, "M"], [1e3, "k"]])) {
    if (size >= factor * 0.9995) return `${grouped(value / factor, threeDigits(size / factor))} ${prefix}`;
  }
  return grouped(value, size < 10 && !Number.isInteger(value) ? 1 : 0);
}

/**
 * 1284 → "1.28 k/s", 22 → "22/s".
 * @param {number | null | undefined} perSecond
 */
export const rate = (perSecond) => (known(perSecond) ? `${short(perSecond)}/s` : MISSING);

/**
 * The figure of a rate tile, without its unit: 1284 → "1,284", 3 → "3.0".
 * @param {number | null | undefined} perSecond
 */
export const rateFigure = (perSecond) => (known(perSecond) ? grouped(perSecond, Math.abs(perSecond) < 10 ? 1 : 0) : MISSING);

/**
 * 0.42 → "0.4 s", 14 → "14 s", 200 → "3 min 20 s", 8000 → "2 h 13 min".
 * @param {number | null | undefined} seconds
 */
export function duration(seconds) {
  if (!known(seconds)) return MISSING;
  const size = Math.max(0, seconds);
  if (size < 9.95) return `${grouped(size, 1)} s`;
  if (size < 99.5) return `${grouped(size, 0)} s`;
  if (size < 3600) return `${Math.floor(size / 60)} min ${Math.floor(size % 60)} s`;
  if (size < 86_400) return `${Math.floor(size / 3600)} h ${Math.floor((size % 3600) / 60)} min`;
  return `${Math.floor(size / 86_400)} d ${Math.floor((size % 86_400) / 3600)} h`;
}

/**
 * 6451 → "6.3 kB"; binary steps, as memory is counted.
 * @param {number | null | undefined} count
 */
export function bytes(count) {
  if (!known(count)) return MISSING;
  for (const [factor, unit] of /** @type {[number, string][]} */ ([[2 ** 30, "GB"], [2 ** 20, "MB"], [2 ** 10, "kB"]])) {
    if (count >= factor) return `${grouped(count / factor, threeDigits(count / factor) > 1 ? 1 : 0)} ${unit}`;
  }
  return `${grouped(count, 0)} B`;
}

/** @param {number | null | undefined} megabytes */
export const megabytes = (megabytes) => (known(megabytes) ? bytes(megabytes * 2 ** 20) : MISSING);

/** @param {string | number | Date | null | undefined} moment @returns {Date | null} */
function asDate(moment) {
  if (moment === null || moment === undefined || moment === "") return null;
  const date = moment instanceof Date ? moment : new Date(moment);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** UTC "21:40:12". @param {string | number | Date | null | undefined} moment */
export const time = (moment) => asDate(moment)?.toISOString().slice(11, 19) ?? MISSING;

/** UTC "2013-03-08 21:40:12 UTC". @param {string | number | Date | null | undefined} moment */
export function dateTime(moment) {
  const iso = asDate(moment)?.toISOString();
  return iso ? `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC` : MISSING;
}

/**
 * How long ago, in seconds.
 * @param {string | number | Date | null | undefined} moment
 * @param {number} [now]
 */
export function ageSeconds(moment, now = Date.now()) {
  const date = asDate(moment);
  return date ? Math.max(0, (now - date.getTime()) / 1000) : null;
}

/** "12 s", "3 min 20 s": whole seconds. @param {string | number | Date | null | undefined} moment @param {number} [now] */
export function age(moment, now = Date.now()) {
  const seconds = ageSeconds(moment, now);
  return seconds === null ? MISSING : duration(seconds).replace(/\.\d s$/, " s");
}

/** "1 frame", "12 frames". @param {number} count @param {string} word @param {string} [plural] */
export const counted = (count, word, plural = `${word}s`) => `${number(count)} ${count === 1 ? word : plural}`;
