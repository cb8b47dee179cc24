// Light or dark. The choice is a cookie, so that the server renders the page in it and nothing flashes.

const YEAR_SECONDS = 31_536_000;

/** @returns {"light" | "dark"} */
export function currentTheme() {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** @param {"light" | "dark"} theme */
export function chooseTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  document.dispatchEvent(new CustomEvent("themechange", { detail: theme }));
}

/** @param {HTMLElement} button */
export function themeButton(button) {
  const tell = () => button.setAttribute("aria-label", currentTheme() === "dark" ? "Use light colours" : "Use dark colours");
  button.addEventListener("click", () => {
    chooseTheme(currentTheme() === "dark" ? "light" : "dark");
    tell();
  });
  tell();
}
