// What the top bar says of the connection, and the notices about frames that were late, filled in or skipped.

import { counted } from "./format.js";
import { setPill } from "./pill.js";
import { socket } from "./socket.js";
import { toast } from "./toast.js";

const TOLD_MS = 3000;

/** @param {number | null} retryAt */
function waitingWord(retryAt) {
  const seconds = Math.max(0, Math.ceil(((retryAt ?? 0) - Date.now()) / 1000));
  return seconds > 0 ? `Trying again in ${seconds} s` : "Trying again";
}

const NO_ROLE = 4403;

/** @param {Element} node */
function show(node) {
  const { phase, retryAt, code } = socket.connection;
  if (phase === "connected") setPill(node, "running", "Connected");
  else if (phase === "waiting") setPill(node, "stale", waitingWord(retryAt));
  else if (phase === "refused") setPill(node, "failed", code === NO_ROLE ? "No access" : "Logged out");
  else setPill(node, "starting", "Connecting");
}

/** Lost connections dim nothing, but say how old the page is. @param {string} phase */
function markPage(phase) {
  document.documentElement.classList.toggle("is-offline", phase === "waiting" || phase === "refused");
}

export function startConnection() {
  const node = document.querySelector("[data-live=connection]");
  if (!node) return;
  socket.addEventListener("connection", () => {
    show(node);
    markPage(socket.connection.phase);
  });
  window.setInterval(() => socket.connection.phase === "waiting" && show(node), 1000);
  node.addEventListener("click", () => socket.retryNow());
  tellBreaks();
  tellFrames();
}

function tellBreaks() {
  /** @type {(() => void) | null} */
  let lost = null;
  socket.addEventListener("connection", () => {
    const { phase, code } = socket.connection;
    if (phase === "waiting" && socket.tries === 2 && !lost) {
      lost = toast("Connection lost, trying again", { icon: "warn", state: "stale", action: { label: "Now", run: () => socket.retryNow() } });
    }
    if (phase === "refused") {
      toast(code === NO_ROLE ? "Your role was taken away" : "You were logged out", { icon: "lock", state: "failed", action: { label: code === NO_ROLE ? "Look again" : "Log in", run: () => location.reload() } });
    }
  });
  socket.addEventListener("back", () => {
    lost?.();
    lost = null;
  });
}

/** Fillings of several queries within a moment make one notice. */
function tellFrames() {
  const sum = { filled: 0, skipped: 0, lost: 0 };
  let timer = 0;
  const tell = () => {
    timer = 0;
    const parts = [];
    if (sum.filled) parts.push(`${counted(sum.filled, "frame was", "frames were")} filled in`);
    if (sum.skipped) parts.push(`${counted(sum.skipped, "frame was", "frames were")} skipped because this page was slow`);
    if (sum.lost) parts.push(`${counted(sum.lost, "frame is", "frames are")} not kept any more`);
    toast(`${parts.join(", ")}.`, { icon: "loop", state: "starting" });
    sum.filled = sum.skipped = sum.lost = 0;
  };
  socket.addEventListener("frames", (event) => {
    const news = /** @type {CustomEvent} */ (event).detail;
    sum.filled += news.filled;
    sum.skipped += news.skipped;
    sum.lost += news.lost;
    if (!timer && sum.filled + sum.skipped + sum.lost > 0) timer = window.setTimeout(tell, sum.skipped ? TOLD_MS : 300);
  });
}
