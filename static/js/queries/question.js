// The question with its figures bold. Twin: dashboard/kinds/questions.py.

import { el } from "../core/dom.js";

const FIGURE = /(?<![\w.])(?:\d[\d,.]*\d|\d)(?!\w)(?:[ \u00a0]%)?/g;

/** @param {Element} target @param {string} question */
export function showQuestion(target, question) {
  /** @type {(string | Node)[]} */
  const parts = [];
  let end = 0;
  for (const match of question.matchAll(FIGURE)) {
    parts.push(question.slice(end, match.index), el("b", {}, match[0]));
    end = match.index + match[0].length;
  }
  target.replaceChildren(...parts, question.slice(end));
}
