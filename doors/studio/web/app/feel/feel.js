/**
 * What changes at once: stiffness, density, damping, gravity, how many coordinates, the integrator.
 *
 * Sliders of physical quantities are logarithmic: a gelatine and a plank differ by a factor of a million. The server has
 * the last word: its `settings` move the sliders, except the one that is just being moved.
 */

import { make, need, si, three } from "../../dom.js";
import { length, normalize, scale, subtract } from "../../math.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../protocol.js").Settings} Settings */
/** @typedef {import("../../math.js").Vec3} Vec3 */

/**
 * @typedef {object} Slider
 * @property {string} id
 * @property {(settings: Settings) => number} read place of the slider
 * @property {(place: number, settings: Settings) => Partial<Settings>} write
 * @property {(settings: Settings) => string} text
 */

/** Damping of zero has no logarithm: the lowest place means none. @param {number} place @param {number} lowest */
const orNone = (place, lowest) => (place <= lowest ? 0 : 10 ** place);
/** @param {number} value @param {number} lowest */
const logOrLowest = (value, lowest) => (value > 0 ? Math.log10(value) : lowest);

const SHEET = /* html */ `
<div class="chips" id="presets" role="group" aria-label="Presets"></div>
<label class="field"><span class="field-name">Stiffness</span><input type="range" id="stiffness" min="2" max="12" step="0.01"><output id="stiffness-value"></output></label>
<label class="field"><span class="field-name">Density</span><input type="range" id="density" min="0.5" max="4.5" step="0.01"><output id="density-value"></output></label>
<label class="field"><span class="field-name">Wobble damping</span><input type="range" id="damping-stiffness" min="-6" max="0" step="0.02"><output id="damping-stiffness-value"></output></label>
<label class="field"><span class="field-name">Motion damping</span><input type="range" id="damping-mass" min="-3" max="2" step="0.02"><output id="damping-mass-value"></output></label>
<label class="field"><span class="field-name">Gravity</span><input type="range" id="gravity" min="0" max="30" step="0.1"><output id="gravity-value"></output></label>
<div class="field"><label for="gravity-direction" class="field-name">Direction</label>
  <select id="gravity-direction"><option value="0,-1,0">down</option><option value="0,1,0">up</option><option value="-1,0,0">towards −x</option><option value="1,0,0">towards +x</option><option value="0,0,-1">towards −z</option><option value="0,0,1">towards +z</option><option value="view">down as you see it</option><option value="other" hidden>slanted</option></select></div>
<label class="field"><span class="field-name">Coordinates</span><input type="range" id="coordinates" min="1" max="1" step="1"><output id="coordinates-value"></output></label>
<div class="field"><label for="integrator" class="field-name">Integrator</label><select id="integrator" aria-describedby="integrator-caution"></select></div>
<p class="small" id="integrator-caution" hidden></p>
`;

/** @type {import("../../app.js").App} */
export const feel = { name: "feel", title: "Feel", sheet: SHEET, start };

/** @param {Studio} studio */
function start(studio) {
  /** @type {Vec3} */ let down = [0, -1, 0];
  const surface = () => studio.body?.kind === "triangles";
  const direction = need("gravity-direction", HTMLSelectElement);
  const integrator = need("integrator", HTMLSelectElement);
  const presets = need("presets", HTMLElement);

  /** @type {Slider[]} */
  const sliders = [
    { id: "stiffness", read: (s) => Math.log10(s.stiffness), write: (x) => ({ stiffness: round(10 ** x) }),
      text: (s) => (isFactor(studio.body) ? `× ${three(s.stiffness)}` : si(s.stiffness, "Pa")) },
    { id: "density", read: (s) => Math.log10(s.density), write: (x) => ({ density: round(10 ** x) }), text: (s) => `${three(s.density)} kg/m${surface() ? "²" : "³"}` },
    { id: "damping-stiffness", read: (s) => logOrLowest(s.damping.stiffness, -6), text: (s) => (s.damping.stiffness ? si(s.damping.stiffness, "s") : "none"),
      write: (x, s) => ({ damping: { mass: s.damping.mass, stiffness: round(orNone(x, -6)) } }) },
    { id: "damping-mass", read: (s) => logOrLowest(s.damping.mass, -3), text: (s) => (s.damping.mass ? `${three(s.damping.mass)} /s` : "none"),
      write: (x, s) => ({ damping: { mass: round(orNone(x, -3)), stiffness: s.damping.stiffness } }) },
    { id: "gravity", read: (s) => length(s.gravity), write: (x) => ({ gravity: scale(down, x) }), text: (s) => `${three(length(s.gravity))} m/s²` },
    { id: "coordinates", read: (s) => s.coordinates, write: (x) => ({ coordinates: Math.round(x) }),
      text: (s) => `${s.coordinates} of ${studio.body?.rank ?? "–"}` },
  ];

  /** @type {(() => void)[]} */ const refresh = [];
  for (const slider of sliders) {
    const input = need(slider.id, HTMLInputElement);
    const output = need(`${slider.id}-value`, HTMLOutputElement);
    let touched = -1e9, waiting = false;
    const send = () => {
      waiting = false;
      if (studio.settings) studio.set(slider.write(Number(input.value), studio.settings));
    };
    input.addEventListener("input", () => {
      touched = performance.now();
      if (studio.settings) output.textContent = slider.text({ ...studio.settings, ...slider.write(Number(input.value), studio.settings) });
      if (!waiting) setTimeout(send, 30);
      waiting = true;
    });
    refresh.push(() => {
      if (!studio.settings || performance.now() - touched < 350) return;
      input.value = String(slider.read(studio.settings));
      output.textContent = slider.text(studio.settings);
      input.setAttribute("aria-valuetext", output.textContent);
    });
  }

  function show() {
    const { settings, body, welcome } = studio;
    if (!settings) return;
    if (length(settings.gravity) > 1e-6) down = normalize(settings.gravity);
    if (direction.value !== "view") {
      const near = Array.from(direction.options).find((option) => option.value === down.map((x) => Math.round(x) || 0).join(","));
      direction.value = near && length(subtract(down, /** @type {Vec3} */ (near.value.split(",").map(Number)))) < 0.02 ? near.value : "other";
    }
    for (const slider of refresh) slider();
    integrator.value = settings.integrator;
    const caution = need("integrator-caution", HTMLElement);
    caution.textContent = settings.caution ?? "";
    caution.hidden = !settings.caution;
    for (const chip of Array.from(presets.querySelectorAll("button"))) {
      const preset = welcome?.menus.presets.find(({ name }) => name === chip.value);
      const same = preset && Math.abs(Math.log(preset.young / settings.stiffness)) < 0.02 && Math.abs(Math.log(preset.density / settings.density)) < 0.02;
      chip.setAttribute("aria-pressed", String(Boolean(same)));
    }
    presets.hidden = body?.kind === "triangles";
  }

  studio.on("welcome", ({ menus }) => {
    presets.replaceChildren(...menus.presets.map(({ name, title, young, density, damping }) => {
      const chip = make("button", { type: "button", value: name, textContent: title, title: si(young, "Pa") });
      chip.addEventListener("click", () => studio.set({ stiffness: young, density, ...(damping ? { damping } : {}) }));
      return chip;
    }));
    integrator.replaceChildren(...menus.integrators.map(({ name, title }) => make("option", { value: name, textContent: title })));
  });
  studio.on("settings", show);
  studio.on("chosen", (event) => {
    if (!event) return;
    const stiffness = need("stiffness", HTMLInputElement);
    [stiffness.min, stiffness.max] = isFactor(event) ? ["-3", "3"] : ["2", "12"];
    need("coordinates", HTMLInputElement).max = String(event.rank);
    const linear = event.forces === "linear";
    for (const option of Array.from(integrator.options))
      option.disabled = !linear && Boolean(studio.welcome?.menus.integrators.find(({ name }) => name === option.value)?.linear_only);
    show();
  });
  studio.remedies.set("stiffness", {
    title: "Another stiffness",
    does: () => {
      studio.panel.open("feel");
      need("stiffness", HTMLInputElement).scrollIntoView({ block: "center" });
      need("stiffness", HTMLInputElement).focus();
    },
  });
  integrator.addEventListener("change", () => studio.set({ integrator: integrator.value }));

  /** Earth's, unless there is some already: a direction alone would show nothing. */
  const strength = () => length(studio.settings?.gravity ?? [0, 0, 0]) || 9.81;
  direction.addEventListener("change", () => {
    if (direction.value === "other") return;
    if (direction.value === "view") return followView();
    const [x, y, z] = direction.value.split(",").map(Number);
    down = [x, y, z];
    studio.set({ gravity: scale(down, strength()) });
  });

  /** Gravity that follows the picture: turn the view and the body hangs the other way. */
  let sent = 0;
  function followView() {
    const now = performance.now();
    const { up } = studio.view.camera.axes();
    const seen = scale(up, -1);
    if (now - sent < 40 || length(subtract(seen, down)) < 1e-3) return;
    sent = now;
    down = seen;
    studio.set({ gravity: scale(down, strength()) });
  }
  studio.view.before.push(() => {
    if (direction.value === "view") followView();
  });
}

/** Whether the stiffness of a body is a factor: that of a surface of which nobody says what it is made of. @param {import("../../protocol.js").BodyEvent | null} body */
const isFactor = (body) => body?.kind === "triangles" && !body.plate;

/** Three digits are what a slider can mean. @param {number} x */
const round = (x) => Number(x.toPrecision(3));
