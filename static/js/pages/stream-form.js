// Rows of fields come and go without a round trip; the server counts them by TOTAL_FORMS.

const rows = /** @type {HTMLElement} */ (document.getElementById("field-rows"));
const blank = /** @type {HTMLTemplateElement} */ (document.getElementById("blank-field"));
const total = /** @type {HTMLInputElement} */ (document.querySelector("[name=fields-TOTAL_FORMS]"));

const all = () => /** @type {HTMLElement[]} */ ([...rows.querySelectorAll("[data-field-row]")]);

/** Names follow the order of the rows, whatever was removed between. */
function number() {
  all().forEach((row, at) => {
    for (const node of row.querySelectorAll("[name], [id], [for]")) {
      for (const attribute of ["name", "id", "for"]) {
        const value = node.getAttribute(attribute);
        if (value) node.setAttribute(attribute, value.replace(/fields-(\d+|__prefix__)-/, `fields-${at}-`));
      }
    }
    const remove = /** @type {HTMLElement} */ (row.querySelector("[data-remove-field]"));
    remove.hidden = all().length === 1;
  });
  total.value = String(all().length);
}

/** @param {Event} event */
function add(event) {
  event.preventDefault();
  rows.append(blank.content.cloneNode(true));
  number();
  all().at(-1)?.querySelector("input")?.focus();
}

/** @param {Event} event */
function remove(event) {
  const button = /** @type {Element} */ (event.target).closest("[data-remove-field]");
  if (!button) return;
  button.closest("[data-field-row]")?.remove();
  number();
  all().at(-1)?.querySelector("input")?.focus();
}

document.querySelector("[data-add-field]")?.addEventListener("click", add);
rows.addEventListener("click", remove);
number();
/** @type {HTMLElement | null} */ (document.querySelector("[aria-invalid=true]"))?.focus();
