// Small pieces for building and reading the page. Text always goes in as text, never as markup.

/** @typedef {string | number | Node | null | undefined} Child */

/**
 * An element with properties and children. Keys with a dash and `class` become attributes; `on…` become listeners.
 * @param {string} tag
 * @param {Record<string, any>} [properties]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined).map(asNode));
  return node;
}

/** @param {string | number | Node} child */
const asNode = (child) => (child instanceof Node ? child : String(child));

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}

/**
 * One drawing of the sprite.
 * @param {string} name
 * @param {string} [className]
 */
export function icon(name, className = "icon") {
  const node = svg("svg", { class: className, "aria-hidden": "true" });
  node.append(svg("use", { href: `${document.documentElement.dataset.icons}#${name}` }));
  return node;
}

/**
 * Data the server left in a json_script block; null when the page has none.
 * @param {string} id
 */
export function readJson(id) {
  const block = document.getElementById(id);
  return block ? JSON.parse(block.textContent ?? "null") : null;
}

/**
 * Writes text only when it differs, so that unchanged cells cost no layout.
 * @param {Element | null | undefined} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node && node.textContent !== text) node.textContent = text;
}

/**
 * Marks a number as changed with an underline that fades; at most six are marked at once.
 * @param {Element} node
 */
export function markChanged(node) {
  if (document.querySelectorAll(".changed").length >= 6) return;
  node.classList.add("changed");
  node.addEventListener("animationend", () => node.classList.remove("changed"), { once: true });
}
