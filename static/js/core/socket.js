// One WebSocket for the whole page. Topics are watched again after a break, from the last number seen.

import { FrameOrder } from "./frame-order.js";

/** @typedef {{ type: string, [key: string]: any }} Message */
/** @typedef {(message: Message) => void} Handler */
/** @typedef {{ topic: string, id: number | null, handlers: Set<Handler>, order: FrameOrder | null }} Watch */
/** @typedef {{ phase: "idle" | "connecting" | "connected" | "waiting" | "refused", retryAt: number | null, code: number | null }} Connection */

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const PING_MS = 20_000;
const SILENCE_MS = 30_000;
// The server closes with these when the session ended or the role was taken away: trying again would not help.
const NO_ENTRY = new Set([4401, 4403]);
// What browsers report for a connection that ended without a word.
const DEAD = 1006;

const address = () => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/`;

export class Socket extends EventTarget {
  constructor() {
    super();
    /** @type {Map<string, Watch>} */
    this.watches = new Map();
    /** @type {WebSocket | null} */
    this.live = null;
    /** @type {Connection} */
    this.connection = { phase: "idle", retryAt: null, code: null };
    this.tries = 0;
    this.retryTimer = 0;
    this.heardAt = 0;
    this.cameBack = false;
    window.setInterval(() => this.checkPulse(), PING_MS / 2);
    window.addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => !document.hidden && this.retryNow());
  }

  /**
   * Calls the handler with every message of a topic. Frames arrive in order, gaps filled in.
   * @param {string} topic "overview", "stream" or "query"
   * @param {number | null} id
   * @param {{ after?: number | null }} options after: the frame number already on the page
   * @param {Handler} handler
   * @returns {() => void} stops watching
   */
  watch(topic, id, { after = null }, handler) {
    const key = `${topic}:${id ?? ""}`;
    const found = this.watches.get(key);
    if (found) {
      found.handlers.add(handler);
    } else {
      const watch = this.newWatch(topic, id, after, handler);
      this.watches.set(key, watch);
      this.ask(watch);
    }
    if (this.connection.phase === "idle") this.open();
    return () => this.unwatch(key, handler);
  }

  /** @param {string} topic @param {number | null} id @param {number | null} after @param {Handler} handler @returns {Watch} */
  newWatch(topic, id, after, handler) {
    /** @type {Watch} */
    const watch = { topic, id, handlers: new Set([handler]), order: null };
    if (topic === "query" && id !== null) {
      watch.order = new FrameOrder(id, after, (frame) => hand(watch, frame), (news) => this.report("frames", { query: id, ...news }));
    }
    return watch;
  }

  /** @param {string} key @param {Handler} handler */
  unwatch(key, handler) {
    const watch = this.watches.get(key);
    if (!watch) return;
    watch.handlers.delete(handler);
    if (watch.handlers.size) return;
    this.watches.delete(key);
    this.send({ type: "unwatch", topic: watch.topic, id: watch.id });
  }

  open() {
    window.clearTimeout(this.retryTimer);
    this.change("connecting");
    const live = new WebSocket(address());
    this.live = live;
    // A connection that was given up may still speak; nobody listens to it any more.
    live.addEventListener("open", () => live === this.live && this.onOpen());
    live.addEventListener("message", (event) => live === this.live && this.onMessage(event));
    live.addEventListener("close", (event) => live === this.live && this.onClose(event.code));
  }

  onOpen() {
    this.heardAt = performance.now();
    this.change("connected");
    this.cameBack = this.tries > 0;
    for (const watch of this.watches.values()) this.ask(watch);
    if (this.cameBack) this.report("back", {});
    this.tries = 0;
  }

  /** @param {MessageEvent<string>} event */
  onMessage(event) {
    this.heardAt = performance.now();
    /** @type {Message} */
    const message = JSON.parse(event.data);
    if (message.type === "pong") return;
    if (message.type === "error") this.report("refusal", message);
    const watch = this.watchOf(message);
    if (!watch) return;
    if (message.type === "watching") watch.order?.stand(message.number, this.cameBack);
    if (message.type === "frame" && watch.order) void watch.order.take(/** @type {any} */ (message));
    else hand(watch, message);
  }

  /** @param {Message} message */
  watchOf(message) {
    if (message.type === "frame" || message.type === "gap") return this.watches.get(`query:${message.query}`);
    if (message.type === "stream") return this.watches.get(`stream:${message.id}`);
    if (message.type === "overview") return this.watches.get("overview:");
    return this.watches.get(`${message.topic}:${message.id ?? ""}`);
  }

  /** @param {number} code */
  onClose(code) {
    this.live = null;
    if (NO_ENTRY.has(code)) return this.change("refused", null, code);
    const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.tries) * (0.7 + Math.random() * 0.6);
    this.tries += 1;
    this.retryTimer = window.setTimeout(() => this.open(), wait);
    this.change("waiting", Date.now() + wait);
  }

  /** Does not wait for the next try. */
  retryNow() {
    if (this.connection.phase === "waiting") this.open();
  }

  /** A connection that fell silent is dead, whatever the network says. */
  checkPulse() {
    if (this.connection.phase !== "connected") return;
    if (performance.now() - this.heardAt > SILENCE_MS) this.giveUp();
    else this.send({ type: "ping" });
  }

  /** Over a dead line the browser waits long for the other side's goodbye; we do not. */
  giveUp() {
    const dead = this.live;
    this.onClose(DEAD);
    dead?.close();
  }

  /** @param {Watch} watch */
  ask(watch) {
    const message = { type: "watch", topic: watch.topic, id: watch.id };
    this.send(watch.order ? { ...message, after: watch.order.last } : message);
  }

  /** @param {object} message */
  send(message) {
    if (this.live?.readyState === WebSocket.OPEN) this.live.send(JSON.stringify(message));
  }

  /** @param {Connection["phase"]} phase @param {number | null} [retryAt] @param {number | null} [code] */
  change(phase, retryAt = null, code = null) {
    this.connection = { phase, retryAt, code };
    this.report("connection", this.connection);
  }

  /** @param {string} name @param {object} detail */
  report(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** @param {Watch} watch @param {Message} message */
function hand(watch, message) {
  for (const handler of watch.handlers) {
    try {
      handler(message);
    } catch (error) {
      // One part of a page that fails must not take the frames from the others.
      reportError(error);
    }
  }
}

/** The page's one connection. */
export const socket = new Socket();

/**
 * Short form of socket.watch.
 * @param {string} topic @param {number | null} id @param {{ after?: number | null }} options @param {Handler} handler
 */
export const watch = (topic, id, options, handler) => socket.watch(topic, id, options, handler);
