// Forms that cannot be undone ask first: <form data-confirm="What will happen." data-confirm-act="Revoke it">.

import { el } from "../core/dom.js";

/** @param {HTMLFormElement} form */
function ask(form) {
  const cancel = el("button", { class: "button", type: "button", onclick: () => dialog.close() }, "Cancel");
  const go = el("button", { class: "button danger", type: "button", onclick: () => form.submit() }, form.dataset.confirmAct ?? "Go on");
  const dialog = /** @type {HTMLDialogElement} */ (
    el("dialog", { class: "dialog", "aria-labelledby": "confirm-title", onclose: () => dialog.remove() },
      el("div", { class: "panel-head" }, el("h2", { id: "confirm-title" }, "Are you sure?")),
      el("div", { class: "panel-body" }, el("p", {}, form.dataset.confirm)),
      el("div", { class: "dialog-foot" }, cancel, go))
  );
  document.body.append(dialog);
  dialog.showModal();
  cancel.focus();
}

/** @param {ParentNode} root */
export function askBefore(root) {
  for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (root.querySelectorAll("form[data-confirm]"))) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      ask(form);
    });
  }
}
