/**
 * The first minute: after "pull me" (app/hand/hint.js) two more hints, one at a time, each gone when it was done. Who has seen them is not told again.
 */

import { make, need } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */

const OVER = /* html */ `<p id="next-hint" role="status" hidden></p>`;

/** Under this key the browser keeps that they were seen. */
const KEY = "pliant-hints";

/** @type {import("../../app.js").App} */
export const hints = { name: "hints", over: OVER, style: "app/hints/hints.css", start };

/** @param {Studio} studio */
function start(studio) {
  const place = need("next-hint", HTMLElement);
  const { view } = studio;
  let step = localStorage.getItem(KEY) === null ? 0 : 3;
  /** From where it was looked when the hint about that was given, radian. */ let yaw = 0;

  /** @param {number} done the hint that was done: only the one that is given goes */
  function next(done) {
    if (step !== done) return;
    step++;
    place.hidden = true;
    if (step === 1) {
      ({ yaw } = view.camera.goal);
      give("Drag beside it to turn the view");
    }
    if (step === 2) give("Drop a mesh of your own anywhere, or take one of our shapes below Files");
    if (step === 3) localStorage.setItem(KEY, "seen");
  }

  /** @param {string} text */
  function give(text) {
    place.replaceChildren(make("span", { textContent: text }));
    place.hidden = false;
  }

  studio.on("frame", ({ sections }) => step === 0 && sections.get("hand")?.length && next(0));
  view.before.push(() => step === 1 && Math.abs(view.camera.goal.yaw - yaw) > 0.15 && next(1));
  studio.panel.onOpen("files", () => next(2));
  studio.on("shown", ({ why }) => why === "dropped" && next(2));
}
