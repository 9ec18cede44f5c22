/**
 * How strong a hand is: a slider in newton around what suits the body, and a hand that never tires.
 */

import { need, si } from "../../dom.js";

/** @typedef {import("../../protocol.js").Strength} Strength */

/** Powers of ten below and above what suits the body. */
const RANGE = { below: 4, above: 2 };

export const STRENGTH = /* html */ `
<div id="hand-strength" hidden>
  <label class="field"><span class="field-name">Hand strength</span><input type="range" id="strength" step="0.02"><output id="strength-value"></output></label>
  <label class="check"><input type="checkbox" id="tireless"> Hands that never tire</label>
</div>
`;

/** @param {import("../../studio.js").Studio} studio */
export function strength(studio) {
  const slider = need("strength", HTMLInputElement);
  const tireless = need("tireless", HTMLInputElement);
  const output = need("strength-value", HTMLOutputElement);
  /** @type {Map<number, Strength>} by body */ const known = new Map();

  function show() {
    const now = known.get(studio.figure?.number ?? -1);
    need("hand-strength", HTMLElement).hidden = !now;
    if (!now) return;
    const middle = Math.log10(now.suiting);
    [slider.min, slider.max] = [String(middle - RANGE.below), String(middle + RANGE.above)];
    tireless.checked = now.newton === null;
    slider.disabled = tireless.checked;
    if (now.newton !== null && document.activeElement !== slider) slider.value = String(Math.log10(now.newton));
    output.textContent = now.newton === null ? "no limit" : si(now.newton, "N");
    slider.setAttribute("aria-valuetext", output.textContent);
  }

  /** @param {number | null} newton */
  function set(newton) {
    const of = studio.figure?.number ?? -1, before = known.get(of)?.newton;
    if (before === undefined) return;
    const give = (/** @type {number | null} */ value) => {
      const body = studio.heir(of);
      if (studio.bodies.has(body)) void studio.request("hand.strength", { body, newton: value });
    };
    studio.undo.note({ key: `strength ${of}`, title: "the strength of the hand", undo: () => give(before), redo: () => give(newton) });
    give(newton);
  }
  const chosen = () => Number((10 ** Number(slider.value)).toPrecision(3));
  slider.addEventListener("input", () => {
    output.textContent = si(chosen(), "N");
    set(chosen());
  });
  tireless.addEventListener("change", () => set(tireless.checked ? null : (known.get(studio.figure?.number ?? -1)?.suiting ?? chosen())));
  studio.on("hand.strength", (said) => {
    known.set(said.body, said);
    show();
  });
  studio.on("left", ({ body }) => known.delete(body));
  studio.on("welcome", () => known.clear());
  studio.on("chosen", show);
}
