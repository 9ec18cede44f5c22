/**
 * The hand: what a pointer does on a body unless another tool is in use, and Enter for those without one.
 */

import { need } from "../../dom.js";
import { hint } from "./hint.js";
import { nudge } from "./nudge.js";
import { Pull } from "./pull.js";
import { readHands } from "./section.js";
import { STRENGTH, strength } from "./strength.js";

const OVER = /* html */ `
<div id="labels" aria-hidden="true"></div>
<p id="hint" hidden>pull me</p>
`;

/** @type {import("../../app.js").App} */
export const hand = { name: "hand", over: OVER, under: STRENGTH, style: "app/hand/hand.css", start };

/** @param {import("../../studio.js").Studio} studio */
function start(studio) {
  const pull = new Pull(studio, need("labels", HTMLElement));
  hint(studio);
  strength(studio);
  studio.onSection("hand", readHands);
  studio.tools.push({
    wants: () => true,
    begin: (pointer, hit) => {
      studio.choose(hit.body);
      pull.grab(pointer, hit);
    },
    move: (pointer, event) => pull.drag(pointer, event.clientX, event.clientY),
    end: (pointer) => pull.release(pointer),
  });
  studio.on("frame", ({ sections, atRest }) => pull.hear(sections.get("hand") ?? [], atRest));
  studio.on("time.stumbled", ({ body }) => pull.forget(body));
  studio.on("state", (state) => state === "lost" && pull.forget());
  studio.on("left", ({ body, successor }) => (successor === null ? pull.forget(body) : pull.passOn(body, successor)));
  return { keys: [{ keys: ["Enter"], shown: "Enter", title: "nudge the body", does: () => studio.tools.every(({ takesEnter }) => !takesEnter?.()) && nudge(studio.view, pull) }] };
}
