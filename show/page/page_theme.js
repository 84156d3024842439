// page_theme.js - the button that changes between light and dark, and light colours on paper.
"use strict";
(() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);

  function show() {
    button.textContent = isDark() ? "Light" : "Dark";
    document.dispatchEvent(new Event("weir-theme"));
  }
  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    show();
  });
  dark.addEventListener("change", show);
  show();

  let onScreen;
  addEventListener("beforeprint", () => {
    onScreen = root.dataset.theme;
    root.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    if (onScreen) root.dataset.theme = onScreen;
    else delete root.dataset.theme;
  });
})();
