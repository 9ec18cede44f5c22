/**
 * Messages that come and go at the edge of the page; screen readers hear them too.
 */

import { make } from "./dom.js";

/** Long enough to read: two seconds and what a slow reader takes. @param {string} text ms */
const stay = (text) => 2000 + 65 * text.length;

/** @param {HTMLElement} place with aria-live @returns {import("./studio.js").Voice} */
export function notices(place) {
  return {
    say(text, kind = "note") {
      const twin = Array.from(place.children).find((child) => child.firstChild?.textContent === text);
      twin?.remove();
      // Something was done since: what went wrong before is of yesterday.
      if (kind === "note") for (const old of Array.from(place.querySelectorAll('[data-kind="error"]'))) old.remove();
      const close = make("button", { type: "button", textContent: "×", ariaLabel: "Close this message" });
      const message = make("div", { className: "message" }, make("span", { textContent: text }), close);
      message.dataset.kind = kind;
      close.addEventListener("click", () => message.remove());
      place.append(message);
      while (place.children.length > 3) place.firstElementChild?.remove();
      if (kind !== "error") setTimeout(() => message.remove(), stay(text));
      else setTimeout(() => message.remove(), 4 * stay(text));
    },
  };
}
