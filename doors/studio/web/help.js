/**
 * The help panel: gestures, and the table of keys as it is.
 */

import { make, need } from "./dom.js";

/** @type {[string, string][]} */
const GESTURES = [
  ["drag the body", "pull it; let go while moving to fling it"],
  ["drag beside it", "turn the view"],
  ["Shift or right button", "move the view aside"],
  ["wheel, two fingers", "nearer or farther"],
  ["two fingers on the body", "pull at two places"],
  ["Alt and drag a body", "move it over the ground"],
  ["drop a file", "make it the body, with Shift another one: OBJ, STL, GLB, MSH, VEG, …"],
];

/** Opens it. @param {import("./keys.js").Key[]} keys */
export function help(keys) {
  const dialog = need("help", HTMLDialogElement);
  const body = need("help-body", HTMLElement);
  const list = (/** @type {[Node | string, string][]} */ rows) =>
    make("dl", {}, ...rows.flatMap(([term, text]) => [make("dt", {}, term), make("dd", { textContent: text })]));
  /** @type {[Node, string][]} */
  const rows = keys.filter(({ shown }) => shown).map(({ shown, title }) => [make("kbd", { textContent: shown }), title]);
  const half = Math.ceil(rows.length / 2);
  body.replaceChildren(
    make("h3", { textContent: "Mouse and fingers" }), list(GESTURES),
    make("h3", { textContent: "Keys" }), make("div", { className: "two" }, list(rows.slice(0, half)), list(rows.slice(half))),
  );
  need("help-close", HTMLButtonElement).onclick = () => dialog.close();
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  if (!dialog.open) dialog.showModal();
}
