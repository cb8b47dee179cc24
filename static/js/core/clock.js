// The UTC clock of the top bar, and ages that count up: <time data-age datetime="…">.

import { setText } from "./dom.js";
import { age, time } from "./format.js";
import { whileVisible } from "./paint.js";

export function startClock() {
  const clock = document.querySelector("[data-clock]");
  whileVisible(() => {
    setText(clock, time(Date.now()));
    for (const node of document.querySelectorAll("time[data-age]")) {
      setText(node, age(node.getAttribute("datetime")));
    }
  }, 1000);
}
