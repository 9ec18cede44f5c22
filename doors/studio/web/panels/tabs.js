/**
 * The panel: tabs that open one sheet at a time, and a button that folds it away.
 *
 * Tells the camera what it covers, so that the body stands in the middle of what is free.
 */

import { need } from "../dom.js";

/** @typedef {import("../view.js").View} View */

/** @param {View} view */
export function tabs(view) {
  const panel = need("panel", HTMLElement);
  const toggle = need("panel-toggle", HTMLButtonElement);
  const all = Array.from(document.querySelectorAll('[role="tab"]')).filter((tab) => tab instanceof HTMLButtonElement);
  /** @type {Map<string, () => void>} */ const opened = new Map();
  const phone = matchMedia("(max-width: 760px)");

  /** @param {string} id of the sheet */
  function open(id) {
    for (const tab of all) {
      const mine = tab.getAttribute("aria-controls") === id;
      tab.setAttribute("aria-selected", String(mine));
      tab.tabIndex = mine ? 0 : -1;
      need(tab.getAttribute("aria-controls") ?? "", HTMLElement).hidden = !mine;
    }
    fold(false);
    opened.get(id)?.();
  }

  /** @param {boolean} closed */
  function fold(closed) {
    panel.toggleAttribute("data-closed", closed);
    document.body.toggleAttribute("data-closed", closed);
    document.body.toggleAttribute("data-wide", closed && !phone.matches);
    toggle.setAttribute("aria-expanded", String(!closed));
    const name = closed ? "Show the panel" : "Hide the panel";
    toggle.title = name;
    const text = toggle.querySelector("span");
    if (text) text.textContent = name;
    fit();
  }

  function fit() {
    const { top, left } = panel.getBoundingClientRect();
    const closed = panel.hasAttribute("data-closed");
    view.camera.inset = phone.matches
      ? { left: 0, right: 0, top: 56, bottom: innerHeight - top + 52 }
      : { left: 0, right: closed ? 0 : innerWidth - left, top: 30, bottom: 76 };
    view.invalidate();
  }

  for (const tab of all) {
    tab.addEventListener("click", () => open(tab.getAttribute("aria-controls") ?? ""));
    tab.addEventListener("keydown", (event) => {
      const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!move) return;
      event.stopPropagation();
      const next = all[(all.indexOf(tab) + move + all.length) % all.length];
      open(next.getAttribute("aria-controls") ?? "");
      next.focus();
    });
  }
  toggle.addEventListener("click", () => fold(!panel.hasAttribute("data-closed")));
  addEventListener("resize", () => fit());
  fold(phone.matches);

  return {
    open,
    toggle: () => fold(!panel.hasAttribute("data-closed")),
    /** @param {string} id */
    isOpen: (id) => !panel.hasAttribute("data-closed") && !need(id, HTMLElement).hidden,
    /** Called when the sheet is opened. @param {string} id @param {() => void} listener */
    onOpen: (id, listener) => opened.set(id, listener),
  };
}
