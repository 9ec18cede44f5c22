/**
 * How the stage is looked at: from where, with edges and a grid or without, in light or dark; and how long things are.
 */

import { need } from "../../dom.js";
import { ground } from "./ground.js";

const BAR = /* html */ `
<button type="button" id="home" aria-keyshortcuts="Home" title="Whole body in view (Home)"><svg aria-hidden="true"><use href="#i-home"/></svg><span class="hidden">Whole body in view</span></button>
<button type="button" id="wire" class="roomy" aria-pressed="false" aria-keyshortcuts="W" title="Edges (W)"><svg aria-hidden="true"><use href="#i-wire"/></svg><span class="hidden">Edges</span></button>
<button type="button" id="grid" class="roomy" aria-pressed="false" aria-keyshortcuts="G" title="Grid on the ground (G)"><svg aria-hidden="true"><use href="#i-grid"/></svg><span class="hidden">Grid on the ground</span></button>
<button type="button" id="theme" aria-keyshortcuts="T" title="Light or dark (T)"><svg aria-hidden="true"><use href="#i-theme"/></svg><span class="hidden">Light or dark</span></button>
`;

const OVER = /* html */ `<div id="scale" hidden><span id="scale-text"></span></div>`;

/** @type {import("../../app.js").App} */
export const look = { name: "look", bar: BAR, over: OVER, style: "app/look/look.css", start };

/** @param {import("../../studio.js").Studio} studio */
function start(studio) {
  const { view, theme } = studio;
  const home = () => view.lookAtAll();
  const toggle = () => theme.toggle();
  const wireButton = need("wire", HTMLButtonElement), gridButton = need("grid", HTMLButtonElement);
  const floor = ground(view);

  function wire() {
    view.isWired = !view.isWired;
    wireButton.setAttribute("aria-pressed", String(view.isWired));
    view.invalidate();
  }
  const grid = () => gridButton.setAttribute("aria-pressed", String(floor.toggle()));
  need("home", HTMLButtonElement).addEventListener("click", home);
  need("theme", HTMLButtonElement).addEventListener("click", toggle);
  wireButton.addEventListener("click", wire);
  gridButton.addEventListener("click", grid);

  const turn = (/** @type {number} */ x, /** @type {number} */ y) => (/** @type {KeyboardEvent} */ event) => {
    if (event.shiftKey) view.camera.pan(-40 * x, -40 * y);
    else view.camera.orbit(0.12 * x, 0.12 * y);
    view.invalidate();
  };
  const zoom = (/** @type {number} */ factor) => () => {
    view.camera.zoom(factor);
    view.invalidate();
  };
  /** From the end of an axis; again, or with Shift, from the other. */
  const along = (/** @type {"x" | "y" | "z"} */ axis) => (/** @type {KeyboardEvent} */ event) => {
    view.camera.along(axis, event.shiftKey);
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
      { keys: ["x"], shown: "X, Y, Z", title: "look along an axis; with Shift from behind", does: along("x") },
      { keys: ["y"], shown: "", title: "", does: along("y") },
      { keys: ["z"], shown: "", title: "", does: along("z") },
      { keys: ["Home", "h"], shown: "Home", title: "everything in view", does: home },
      { keys: ["w"], shown: "W", title: "edges of the triangles", does: wire },
      { keys: ["g"], shown: "G", title: "grid on the ground", does: grid },
      { keys: ["t"], shown: "T", title: "light or dark", does: toggle },
    ],
  };
}
