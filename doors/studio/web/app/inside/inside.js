/**
 * A look inside: the tets behind a plane, and those that the cubature sums forces over.
 *
 * Fetched when first asked for, since the tets and their basis are several times the surface. The plane lies in the body
 * at rest and moves with it; it always shows its cut side to the eye.
 */

import { Body } from "../../body.js";
import { count, need } from "../../dom.js";
import { SolidLayer } from "../../gl/solid.js";
import { back, dot, scale, turned } from "../../math.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../math.js").Vec3} Vec3 */

/** @type {Record<string, Vec3>} */
const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

const SHEET = /* html */ `
<p class="small" id="inside-text">The tetrahedra that carry the body, cut open.</p>
<label class="check"><input type="checkbox" id="cut"> Cut it open</label>
<div class="field"><label for="cut-axis" class="field-name">Across</label><select id="cut-axis"><option value="z">z</option><option value="x">x</option><option value="y">y</option><option value="view">the view</option></select></div>
<label class="field"><span class="field-name">Where</span><input type="range" id="cut-where" min="0" max="1" step="0.005" value="0.5"><output id="cut-where-value"></output></label>
<label class="check"><input type="checkbox" id="cut-cubature" checked> Show the cubature: the few tets that forces are summed over</label>
<p class="small" id="cubature-text"></p>
`;

const ICON = '<path d="M12 3l8.500 15h-17zM12 3v10.500m0 0L3.500 18m8.500-4.500l8.500 4.500"/>';

/** @type {import("../../app.js").App} */
export const inside = { name: "inside", title: "Inside", sheet: SHEET, icon: ICON, start };

/** @param {Studio} studio */
function start(studio) {
  const { view } = studio;
  const on = need("cut", HTMLInputElement);
  const axis = need("cut-axis", HTMLSelectElement);
  const where = need("cut-where", HTMLInputElement);
  const cubature = need("cut-cubature", HTMLInputElement);
  const text = need("inside-text", HTMLElement);
  const idle = text.textContent ?? "";
  /** @type {{ number: number, body: Promise<Body> } | null} */ let fetched = null;

  /** @type {SolidLayer | null} */ let layer = null;

  function close() {
    if (!layer) return;
    layer.figure.isOpen = false;
    view.scene.remove(layer);
    layer = null;
    view.invalidate();
  }

  async function show() {
    const { body, figure } = studio;
    need("cut-where-value", HTMLOutputElement).textContent = `${Math.round(100 * Number(where.value))} %`;
    if (!on.checked || !body || !figure) {
      close();
      return;
    }
    if (fetched?.number !== body.body) fetched = { number: body.body, body: Body.fetch(`family/inside/${body.body}`, body.body) };
    const asked = fetched;
    const tets = await asked.body.catch((error) => {
      if (asked === fetched) throw error;
    });
    if (!tets || asked !== fetched || !on.checked || studio.figure !== figure) return;
    if (layer?.body !== tets || layer.figure !== figure) {
      close();
      layer = view.scene.add(new SolidLayer(view.scene.gl, figure, tets, view.scene.deformPrograms));
      figure.isOpen = true;
    }
    layer.cut(...plane(tets, figure), cubature.checked);
    need("cubature-text", HTMLElement).textContent = tets.cubature.length
      ? `${count(tets.cubature.length, "tet")} of ${(tets.tets.length / 4).toLocaleString("en")} are asked for their force, each with a weight.`
      : "The forces of this body need no cubature.";
    view.invalidate();
  }

  /** @param {Body} tets @param {import("../../figure.js").Figure} figure @returns {[Vec3, number]} its normal, towards the eye, and its offset, in the body's own space */
  function plane(tets, figure) {
    const axes = view.camera.axes();
    const eye = figure.toBody(axes.eye), forward = turned(back(figure.turn), axes.forward);
    const { centre, min, max } = tets.bounds;
    let normal = AXES[axis.value] ?? scale(forward, -1);
    if (dot(normal, eye) < dot(normal, centre)) normal = scale(normal, -1);
    const half = [0, 1, 2].reduce((sum, c) => sum + (Math.abs(normal[c]) * (max[c] - min[c])) / 2, 0);
    return [normal, dot(normal, centre) + half * (1.02 - 2.04 * Number(where.value))];
  }

  const safely = () => show().catch((error) => {
    on.checked = false;
    fetched = null;
    studio.fail(error);
  });
  for (const control of [on, axis, where, cubature]) control.addEventListener("input", safely);
  // The next server may be another, and count its bodies from 1 again.
  studio.on("welcome", () => (fetched = null));
  studio.on("state", (state) => state === "lost" && (fetched = null));
  studio.on("left", ({ body }) => layer?.figure.number === body && close());
  studio.on("chosen", (body) => {
    close();
    if (!body) return;
    const surface = body.kind === "triangles";
    for (const control of [on, axis, where, cubature]) control.disabled = surface;
    if (surface) on.checked = false;
    text.textContent = surface ? "This body is a surface: there is nothing inside." : idle;
    void safely();
  });

  function toggle() {
    if (on.disabled) return;
    on.checked = !on.checked;
    void safely();
  }
  return { keys: [{ keys: ["c"], shown: "C", title: "cut the body open", does: toggle }] };
}
