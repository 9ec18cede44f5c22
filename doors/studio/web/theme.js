/**
 * Light and dark: what the system says, until the person says otherwise.
 */

/** @typedef {import("./gl/scene.js").Look} Look */

/** @type {Record<"light" | "dark", Look>} */
export const LOOKS = {
  light: {
    far: [0.82, 0.845, 0.88], near: [0.955, 0.963, 0.972], sky: [0.36, 0.375, 0.4], bounce: [0.17, 0.16, 0.15],
    rubber: [0.9, 0.35, 0.26], flesh: [0.8, 0.83, 0.88], pin: [0.16, 0.42, 0.95], accent: [0.2, 0.31, 0.78], shadow: 1,
  },
  dark: {
    far: [0.07, 0.08, 0.105], near: [0.2, 0.215, 0.26], sky: [0.3, 0.33, 0.42], bounce: [0.09, 0.09, 0.11],
    rubber: [0.9, 0.35, 0.26], flesh: [0.66, 0.7, 0.78], pin: [0.3, 0.55, 1], accent: [0.72, 0.79, 1], shadow: 1,
  },
};

const KEY = "pliant-theme";

export class Theme {
  /** @type {((look: Look) => void)[]} */ #listeners = [];
  #system = matchMedia("(prefers-color-scheme: dark)");

  constructor() {
    this.#system.addEventListener("change", () => this.#apply());
    this.#apply();
  }

  /** @returns {"light" | "dark"} */
  get name() {
    const chosen = localStorage.getItem(KEY);
    return chosen === "light" || chosen === "dark" ? chosen : this.#system.matches ? "dark" : "light";
  }

  get look() {
    return LOOKS[this.name];
  }

  toggle() {
    localStorage.setItem(KEY, this.name === "dark" ? "light" : "dark");
    this.#apply();
  }

  /** Called now and at each change. @param {(look: Look) => void} listener */
  on(listener) {
    this.#listeners.push(listener);
    listener(this.look);
  }

  #apply() {
    document.documentElement.dataset.theme = this.name;
    for (const listener of this.#listeners) listener(this.look);
  }
}
