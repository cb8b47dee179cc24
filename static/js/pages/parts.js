// Parts of a page that the server draws anew, because something came or went and not only moved.

let busy = false;

/**
 * Fetches this page again and puts its elements of these ids in place of ours.
 * @param {string[]} ids
 */
export async function redraw(ids) {
  if (busy) return;
  busy = true;
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    // A log-in page would come back with other parts, or none.
    if (!response.ok || response.redirected) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const id of ids) swap(document.getElementById(id), fresh.getElementById(id));
  } catch (error) {
    console.warn("The page could not be renewed", error);
  } finally {
    busy = false;
  }
}

/** @param {Element | null} now @param {Element | null} then */
function swap(now, then) {
  if (now && then) now.replaceWith(document.adoptNode(then));
}
