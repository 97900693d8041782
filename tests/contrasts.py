"""Contrasts of what a page shows, as the Web Content Accessibility Guidelines define them (2.2, section 1.4.3)."""

from __future__ import annotations

from playwright.sync_api import Page

LEAST = 4.5
"""The contrast of texts with what is behind them."""

FOUND = """() => {
  const alpha = (colour) => { const parts = colour.match(/[\\d.]+/g); return parts.length > 3 ? Number(parts[3]) : 1; };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (alpha(backgroundColor)) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    const isText = [...element.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    const isShown = element.checkVisibility() && !element.closest("option, noscript, script") && !element.disabled;
    const isField = ["INPUT", "SELECT", "TEXTAREA"].includes(element.tagName);
    if (!isShown || !(isText || isField) || ["range", "checkbox", "radio"].includes(element.type)) continue;
    const style = getComputedStyle(element);
    found.push([element.textContent.trim().slice(0, 40) || element.tagName, style.color, ground(element)]);
    if (["INPUT", "TEXTAREA"].includes(element.tagName) && element.placeholder) {
      found.push([element.placeholder, getComputedStyle(element, "::placeholder").color, ground(element)]);
    }
  }
  return found;
}"""


def contrast(one: str, other: str) -> float:
    """Return the contrast of two opaque colours, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def texts_too_pale(page: Page) -> list[tuple[str, str, str]]:
    """Return every text that is shown with too little contrast, with its colour and what is behind it."""
    return [(text, ink, ground) for text, ink, ground in page.evaluate(FOUND) if contrast(ink, ground) < LEAST]


def _luminance(colour: str) -> float:
    parts = _parts(colour)
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _parts(colour: str) -> list[float]:
    """Return red, green and blue from 0 to 1, of #rgb, #rrggbb or rgb(...)."""
    if colour.startswith("#"):
        digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
        return [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    return [float(part) / 255 for part in colour[colour.index("(") + 1 : -1].replace(",", " ").split()[:3]]
