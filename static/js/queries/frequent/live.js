// The live page of a heavy-hitter query: the socket feeds the transport, the transport decides which frame is shown.

import { readJson, setText } from "../../core/dom.js";
import { number, percent } from "../../core/format.js";
import { shortcut } from "../../core/keys.js";
import { say } from "../../core/live-region.js";
import { painter } from "../../core/paint.js";
import { setPill } from "../../core/pill.js";
import { watch } from "../../core/socket.js";
import { toast } from "../../core/toast.js";
import { Transport } from "../../core/transport.js";
import { Changes } from "../changes.js";
import { Freshness } from "../freshness.js";
import { watchNotices } from "../notices.js";
import { HittersTable } from "./table.js";
import { Tiles } from "./tiles.js";

/** @typedef {import("../../core/frames.js").Frame} Frame */

const page = readJson("live-data");
const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (document.querySelector(selector));

const table = new HittersTable(find("#hitters"), /** @type {HTMLTemplateElement} */ (find("#blank-row")), { scale: page.scale, sort: page.sort });
const tiles = new Tiles(page);
const changes = new Changes(find("#changes"), find("#more-changes"), find("#no-changes"));
const freshness = new Freshness(page, [find("#hitters"), find(".live-tiles")]);

/** @param {{ frame: Frame, live: boolean }} news */
function paint({ frame, live }) {
  const { payload } = frame;
  for (const row of document.querySelectorAll("#hitters tr.waiting")) row.remove();
  find(".hitters").classList.remove("is-waiting");
  table.paint(payload, { mark: live && freshness.framesPerSecond <= 2 });
  tiles.paint(frame);
  find("#error-note").hidden = payload.show !== "threshold" || payload.complete;
  find("#no-items").hidden = payload.items.length > 0;
  const file = /** @type {HTMLAnchorElement} */ (find("[data-export]"));
  file.href = page.csv_url.replace("/0.csv", `/${frame.number}.csv`);
  file.removeAttribute("aria-disabled");
}

const show = painter(paint);
const transport = new Transport(find("#transport"), {
  frames: page.frames_url,
  oldest: page.oldest,
  newest: page.newest,
  ticks: page.ticks,
  first: page.frame,
  show: (frame, live) => show({ frame, live }),
});

/** @param {Frame} frame */
function summary(frame) {
  const { items, lower, total } = frame.payload;
  if (!items.length) return `Frame ${number(frame.number)}: no item passes`;
  return `Frame ${number(frame.number)}: ${items[0]} leads with ${percent(lower[0] / (total || 1))}`;
}

let version = page.frame?.version ?? page.version;

/** @param {Frame} frame */
function arrive(frame) {
  freshness.arrived(frame);
  tiles.arrived(frame);
  changes.add(frame);
  if (frame.version > version) transport.mark({ number: frame.number, state: "starting", text: `Version ${frame.version} from here on` });
  version = Math.max(version, frame.version);
  transport.arrived(frame);
  if (transport.live) say(summary(frame));
}

watch("query", page.query, { after: page.newest }, (message) => {
  if (message.type === "frame") arrive(/** @type {any} */ (message));
});
watch("overview", null, {}, (message) => {
  if (message.type !== "overview") return;
  const query = message.queries.find((/** @type {{ id: number }} */ one) => one.id === page.query);
  const job = message.jobs.find((/** @type {{ id: number }} */ one) => one.id === page.job);
  const stream = message.streams.find((/** @type {{ id: number }} */ one) => one.id === page.stream);
  freshness.heard(query, job, stream);
  if (query && !freshness.isStale) setPill(document.querySelector(".page-title [data-live=state]"), query.state, query.word);
  if (job) watchNotices.heard(job.state, query !== undefined);
});

find("[data-share]").addEventListener("click", async () => {
  const link = transport.link();
  try {
    await navigator.clipboard.writeText(link);
    toast("The link to this frame is copied", { icon: "link" });
  } catch {
    // Without https the browser keeps its clipboard shut.
    history.replaceState(history.state, "", link);
    toast("The address of this page now leads to this frame", { icon: "link" });
  }
});
find("[data-counts]").addEventListener("click", (event) => {
  table.showCounts(!table.counts);
  const button = /** @type {HTMLElement} */ (event.currentTarget);
  setText(button.querySelector("span"), table.counts ? "Show shares" : "Show counts");
  button.setAttribute("aria-pressed", String(table.counts));
  /** @type {HTMLDetailsElement} */ (button.closest("details")).open = false;
});
shortcut("e", "Export this frame", () => find("[data-export]").click());

if (page.frame) table.payload = page.frame.payload;
table.drawTrends();
