/**
 * The panel: tabs that open one sheet at a time, and a button that folds it away.
 *
 * Tells the camera what it and the cards cover, so that the bodies stand in the middle of what is free.
 */

import { make, need } from "./dom.js";

/** @typedef {import("./view.js").View} View */

/** What cards and the panel must leave of the picture, pixels. */
const LEAST = 380;

/** The same, from above. */
const LOW = 200;

const phone = matchMedia("(max-width: 760px)");

export class Panel {
  #panel = need("panel", HTMLElement);
  #cards = need("cards", HTMLElement);
  #toggle = need("panel-toggle", HTMLButtonElement);
  /** @type {{ name: string, tab: HTMLButtonElement, sheet: HTMLElement }[]} */ #sheets = [];
  /** @type {Map<string, (() => void)[]>} */ #opened = new Map();

  /** @param {View} view */
  constructor(view) {
    this.view = view;
    this.#toggle.addEventListener("click", () => this.toggle());
    addEventListener("resize", () => this.fit());
    new ResizeObserver(() => this.fit()).observe(this.#cards);
    this.#fold(phone.matches);
  }

  /** @param {string} name @param {string} title @param {Node} content */
  add(name, title, content) {
    const first = this.#sheets.length === 0;
    const tab = make("button", { type: "button", role: "tab", id: `tab-${name}`, textContent: title, tabIndex: first ? 0 : -1 });
    tab.setAttribute("aria-controls", name);
    tab.setAttribute("aria-selected", String(first));
    const sheet = make("section", { role: "tabpanel", id: name, tabIndex: 0, hidden: !first }, content);
    sheet.setAttribute("aria-labelledby", tab.id);
    need("tablist", HTMLElement).append(tab);
    need("sheets", HTMLElement).append(sheet);
    this.#sheets.push({ name, tab, sheet });
    tab.addEventListener("click", () => this.open(name));
    tab.addEventListener("keydown", (event) => {
      const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!move) return;
      event.stopPropagation();
      const all = this.#sheets;
      const next = all[(all.findIndex((other) => other.tab === tab) + move + all.length) % all.length];
      this.open(next.name);
      next.tab.focus();
    });
  }

  /** At the end of the sheet that was added last. @param {Node} content */
  append(content) {
    this.#sheets[this.#sheets.length - 1].sheet.append(content);
  }

  /** Names of the sheets, in the order of their tabs. */
  get names() {
    return this.#sheets.map(({ name }) => name);
  }

  /** @param {string} name */
  open(name) {
    for (const { name: other, tab, sheet } of this.#sheets) {
      tab.setAttribute("aria-selected", String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
      sheet.hidden = other !== name;
    }
    this.#fold(false);
    for (const listener of this.#opened.get(name) ?? []) listener();
  }

  toggle() {
    const shown = this.#closed ? this.#sheets.find(({ sheet }) => !sheet.hidden) : undefined;
    if (shown) this.open(shown.name);
    else this.#fold(true);
  }

  /** @param {string} name */
  isOpen(name) {
    return !this.#closed && !need(name, HTMLElement).hidden;
  }

  /** Called when the sheet is opened. @param {string} name @param {() => void} listener */
  onOpen(name, listener) {
    this.#opened.set(name, [...(this.#opened.get(name) ?? []), listener]);
  }

  /** Whether a card stands beside the bodies, not over them. */
  get hasRoom() {
    const { left, width } = this.#cards.getBoundingClientRect();
    return !phone.matches && this.#free - (left + width) > LEAST;
  }

  /** To where the picture goes, pixels. */
  get #free() {
    return this.#closed ? innerWidth : this.#panel.getBoundingClientRect().left;
  }

  get #closed() {
    return this.#panel.hasAttribute("data-closed");
  }

  /** @param {boolean} closed */
  #fold(closed) {
    this.#panel.toggleAttribute("data-closed", closed);
    document.body.toggleAttribute("data-closed", closed);
    document.body.toggleAttribute("data-wide", closed && !phone.matches);
    this.#toggle.setAttribute("aria-expanded", String(!closed));
    const name = closed ? "Show the panel" : "Hide the panel";
    this.#toggle.title = name;
    const text = this.#toggle.querySelector("span");
    if (text) text.textContent = name;
    this.fit();
  }

  fit() {
    const { top } = this.#panel.getBoundingClientRect();
    const free = phone.matches ? innerWidth : this.#free;
    const boxes = Array.from(this.#cards.children, (card) => card.getBoundingClientRect());
    const right = Math.max(0, ...boxes.map((box) => box.right));
    const clear = right > 0 && free - right > LEAST ? right : 0;
    const [least, bottom] = phone.matches ? [56, innerHeight - top + 52] : [30, 76];
    // Where there is no room beside them the bodies stand below, unless little would be left of the picture.
    const low = clear > 0 ? 0 : Math.max(0, ...boxes.map((box) => box.bottom));
    const above = innerHeight - bottom - low > LOW ? Math.max(least, low) : least;
    const { canvas, camera, twin } = this.view, left = phone.matches ? 0 : clear;
    // Two pictures share what is free.
    const half = (free - left) / 2;
    canvas.style.width = twin ? `${left + half}px` : "";
    if (twin) [twin.style.left, twin.style.width] = [`${left + half}px`, `${half}px`];
    this.view.cut = left;
    camera.inset = { left, right: twin ? 0 : innerWidth - free, top: above, bottom };
    this.view.invalidate();
  }
}
