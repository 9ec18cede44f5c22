/**
 * The hand: what a pointer does on a body unless another tool is in use, and Enter for those without one.
 */

import { need } from "../../dom.js";
import { hint } from "./hint.js";
import { nudge } from "./nudge.js";
import { Pull } from "./pull.js";

const OVER = /* html */ `
<div id="labels" aria-hidden="true"></div>
<p id="hint" hidden>pull me</p>
`;

/** @type {import("../../apps.js").App} */
export const hand = { name: "hand", over: OVER, style: "app/hand/hand.css", start };

/** @param {import("../../studio.js").Studio} studio */
function start(studio) {
  const pull = new Pull(studio, need("labels", HTMLElement));
  hint(studio);
  studio.tools.push({
    wants: () => true,
    begin: (pointer, hit) => pull.grab(pointer, hit),
    move: (pointer, event) => pull.drag(pointer, event.clientX, event.clientY),
    end: (pointer) => pull.release(pointer),
  });
  studio.on("frame", (frame) => pull.hear(frame));
  studio.on("refused", ({ do: what }) => what === "grab" && pull.doubt());
  studio.on("stumbled", () => pull.forget());
  studio.on("state", (state) => state === "lost" && pull.forget());
  studio.onAsked(({ do: what }) => what === "reset" && pull.forget());
  studio.onChosen(() => pull.forget());
  return { keys: [{ keys: ["Enter"], shown: "Enter", title: "nudge the body", does: () => nudge(studio.view, pull) }] };
}
