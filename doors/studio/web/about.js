/**
 * A line below a menu that says what is chosen there: the same sentence as the tooltips of its items, where it can be read.
 */

import { make, sentence } from "./dom.js";

/** @param {HTMLSelectElement} menu whose items have titles @returns {() => void} to be called where the page itself chooses another */
export function explain(menu) {
  const field = menu.closest(".field") ?? menu;
  const line = make("p", { className: "small about-line", id: `${menu.id}-about` });
  field.after(line);
  menu.setAttribute("aria-describedby", [line.id, menu.getAttribute("aria-describedby")].filter(Boolean).join(" "));
  const show = () => {
    const words = menu.selectedOptions[0]?.title ?? "";
    line.textContent = words && sentence(words);
    line.hidden = !words || (field instanceof HTMLElement && field.hidden);
  };
  menu.addEventListener("input", show);
  show();
  return show;
}
