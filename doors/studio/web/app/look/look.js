/**
 * How the stage is looked at: from where, and in light or dark.
 */

import { need } from "../../dom.js";

const BAR = /* html */ `
<button type="button" id="home" aria-keyshortcuts="Home" title="Whole body in view (Home)"><svg aria-hidden="true"><use href="#i-home"/></svg><span class="hidden">Whole body in view</span></button>
<button type="button" id="theme" aria-keyshortcuts="T" title="Light or dark (T)"><svg aria-hidden="true"><use href="#i-theme"/></svg><span class="hidden">Light or dark</span></button>
`;

/** @type {import("../../app.js").App} */
export const look = { name: "look", bar: BAR, start };

/** @param {import("../../studio.js").Studio} studio */
function start({ view, theme }) {
  const home = () => view.lookAtAll();
  const toggle = () => theme.toggle();
  need("home", HTMLButtonElement).addEventListener("click", home);
  need("theme", HTMLButtonElement).addEventListener("click", toggle);

  const turn = (/** @type {number} */ x, /** @type {number} */ y) => (/** @type {KeyboardEvent} */ event) => {
    if (event.shiftKey) view.camera.pan(-40 * x, -40 * y);
    else view.camera.orbit(0.12 * x, 0.12 * y);
    view.invalidate();
  };
  const zoom = (/** @type {number} */ factor) => () => {
    view.camera.zoom(factor);
    view.invalidate();
  };
  return {
    keys: [
      { keys: ["ArrowLeft"], shown: "← →", title: "turn the view; with Shift, move it", does: turn(-1, 0) },
      { keys: ["ArrowRight"], shown: "", title: "", does: turn(1, 0) },
      { keys: ["ArrowUp"], shown: "↑ ↓", title: "look from above or below", does: turn(0, 1) },
      { keys: ["ArrowDown"], shown: "", title: "", does: turn(0, -1) },
      { keys: ["+", "="], shown: "+", title: "nearer", does: zoom(0.88) },
      { keys: ["-", "_"], shown: "−", title: "farther", does: zoom(1 / 0.88) },
      { keys: ["Home", "h"], shown: "Home", title: "everything in view", does: home },
      { keys: ["t"], shown: "T", title: "light or dark", does: toggle },
    ],
  };
}
