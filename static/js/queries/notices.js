// The notices of a query page are written by the server; when the job's state changes, they are fetched anew.

import { setText } from "../core/dom.js";
import { age } from "../core/format.js";
import { whileVisible } from "../core/paint.js";

class Notices {
  constructor() {
    this.busy = false;
    whileVisible(() => this.count(), 1000);
  }

  get node() {
    return /** @type {HTMLElement} */ (document.getElementById("notices"));
  }

  /** @param {string} jobState @param {boolean} registered */
  heard(jobState, registered) {
    const { jobState: shown } = this.node.dataset;
    if (shown !== jobState || (!registered && this.node.dataset.removed !== "1")) void this.renew();
  }

  async renew() {
    if (this.busy) return;
    this.busy = true;
    try {
      const response = await fetch(location.href, { headers: { Accept: "text/html" } });
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("notices");
      if (fresh) this.node.replaceWith(document.importNode(fresh, true));
    } finally {
      // A moment of rest: a state that flaps must not hammer the server.
      setTimeout(() => (this.busy = false), 1000);
    }
  }

  count() {
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-so-far]"))) {
      setText(node, age(node.dataset.soFar));
    }
  }
}

export const watchNotices = new Notices();
