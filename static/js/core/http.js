// Requests to our own server: JSON in and out, CSRF on everything that changes something.

/** The server said no, in words a person can read. */
export class Refused extends Error {
  /** @param {string} message @param {number} status @param {any} body */
  constructor(message, status, body) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** @param {string} name */
export function cookie(name) {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

/** @param {Response} response */
async function read(response) {
  const isJson = response.headers.get("Content-Type")?.includes("json");
  const body = isJson ? await response.json() : await response.text();
  if (response.redirected && new URL(response.url).pathname.startsWith("/accounts/login")) {
    throw new Refused("You were logged out. Log in again.", 401, null);
  }
  if (!response.ok) throw new Refused(body?.message ?? `The server answered ${response.status}.`, response.status, body);
  return body;
}

/**
 * @param {string} url
 * @param {{ signal?: AbortSignal }} [options]
 */
export async function getJson(url, { signal } = {}) {
  return read(await fetch(url, { headers: { Accept: "application/json" }, signal }));
}

/**
 * @param {string} url
 * @param {any} [body]
 * @param {{ signal?: AbortSignal }} [options]
 */
export async function postJson(url, body = {}, { signal } = {}) {
  const headers = { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": cookie("csrftoken") };
  return read(await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal }));
}
