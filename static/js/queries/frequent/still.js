// The page of a removed query: nothing arrives any more, but rows can be sorted and trends want to be drawn.

import { readJson } from "../../core/dom.js";
import { HittersTable } from "./table.js";

const page = readJson("live-data");
const table = new HittersTable(
  /** @type {HTMLElement} */ (document.getElementById("hitters")),
  /** @type {HTMLTemplateElement} */ (document.getElementById("blank-row")),
  { scale: page.scale, sort: page.sort },
);
if (page.frame) table.payload = page.frame.payload;
table.drawTrends();
