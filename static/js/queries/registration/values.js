// What stands in the form, and the numbers in it.

/** 10,000 and 10 000 → 10000; NaN when it is no number. @param {string} text */
export const readNumber = (text) => (text.trim() ? Number(text.replace(/[,\s\u00a0\u202f]/g, "")) : NaN);

/** @param {number} value */
export const writeNumber = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 6 });

export class Values {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.form = form;
  }

  /** Everything the preview needs, as typed. @returns {Record<string, string>} */
  all() {
    const entries = [...new FormData(this.form)].filter(([name]) => name !== "csrfmiddlewaretoken" && name !== "name");
    const read = /** @type {Record<string, string>} */ (Object.fromEntries(entries));
    // A changed query keeps its stream, which is then no field of the form.
    return { stream: this.input("stream").value, ...read };
  }

  /** @param {string} name @returns {HTMLInputElement} */
  input(name) {
    return /** @type {HTMLInputElement} */ (this.form.elements.namedItem(name) ?? document.getElementById(`id_${name}`));
  }

  /** @param {string} name */
  text(name) {
    return this.input(name)?.value ?? "";
  }

  /** @param {string} name */
  number(name) {
    return readNumber(this.text(name));
  }

  /** As if a person had typed it. @param {string} name @param {number} value */
  put(name, value) {
    this.input(name).value = writeNumber(value);
    this.input(name).dispatchEvent(new Event("input", { bubbles: true }));
  }
}
