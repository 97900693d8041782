import { schemeOf } from "./colours.js";
import { otherTheme } from "./player.js";

// The button that changes between light and dark; the choice is the same on all pages.

const KEY = "pavane-theme";

export function themeButton(button) {
  const written = () => { button.textContent = schemeOf(document.body) === "dark" ? "Light mode" : "Dark mode"; };
  try { const chosen = localStorage.getItem(KEY); if (chosen) document.documentElement.dataset.theme = chosen; } catch { /* stored nowhere: the choice is for this page */ }
  button.onclick = () => {
    otherTheme();
    try { localStorage.setItem(KEY, document.documentElement.dataset.theme); } catch { /* as above */ }
    written();
  };
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", written);
  written();
}
