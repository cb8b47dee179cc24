// The order of rows a person asked for; ties keep the rank. Twin: dashboard/kinds/frequent/picture.py.

/** @typedef {import("./table.js").Row} Row */

/** @type {Record<string, (one: Row, other: Row) => number>} */
const ORDERS = {
  rank: (one, other) => one.rank - other.rank,
  item: (one, other) => (one.item.toLowerCase() < other.item.toLowerCase() ? -1 : one.item.toLowerCase() > other.item.toLowerCase() ? 1 : 0),
  lower: (one, other) => other.lower - one.lower,
  upper: (one, other) => other.upper - one.upper,
};

/** @param {Row[]} rows @param {string} by */
export const inOrder = (rows, by) => [...rows].sort(ORDERS[by] ?? ORDERS.rank);

/**
 * The links in the head sort at once; the address keeps the order.
 * @param {HTMLElement} table @param {(by: string) => void} sorted
 */
export function sortHeads(table, sorted) {
  for (const head of /** @type {NodeListOf<HTMLElement>} */ (table.querySelectorAll("th[data-sort]"))) {
    head.querySelector("a")?.addEventListener("click", (event) => {
      event.preventDefault();
      for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", head.dataset.order ?? "descending");
      const by = head.dataset.sort ?? "rank";
      const url = new URL(location.href);
      if (by === "rank") url.searchParams.delete("sort");
      else url.searchParams.set("sort", by);
      history.replaceState(history.state, "", url);
      sorted(by);
    });
  }
}
