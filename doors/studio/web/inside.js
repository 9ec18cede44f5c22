/**
 * A look inside: the tets behind a plane, and those that the cubature sums forces over.
 *
 * Fetched when first asked for, since the tets and their basis are several times the surface. The plane lies in the body
 * at rest and moves with it; it always shows its cut side to the eye.
 */

import { Body } from "./body.js";
import { count, need } from "./dom.js";
import { dot, scale } from "./math.js";

/** @typedef {import("./studio.js").Studio} Studio */
/** @typedef {import("./math.js").Vec3} Vec3 */

/** @type {Record<string, Vec3>} */
const AXES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

/** @param {Studio} studio */
export function inside(studio) {
  const { view } = studio;
  const on = need("cut", HTMLInputElement);
  const axis = need("cut-axis", HTMLSelectElement);
  const where = need("cut-where", HTMLInputElement);
  const cubature = need("cut-cubature", HTMLInputElement);
  const text = need("inside-text", HTMLElement);
  const idle = text.textContent ?? "";
  /** @type {{ number: number, body: Promise<Body> } | null} */ let fetched = null;

  async function show() {
    const { body, shape } = studio;
    need("cut-where-value", HTMLOutputElement).textContent = `${Math.round(100 * Number(where.value))} %`;
    if (!on.checked || !body || !shape || view.body !== shape) {
      if (view.scene.solid) view.scene.setInside(null);
      view.invalidate();
      return;
    }
    if (fetched?.number !== body.body) fetched = { number: body.body, body: Body.fetch(`body/${body.body}/inside`, body.body) };
    const asked = fetched;
    const tets = await asked.body.catch((error) => {
      if (asked === fetched) throw error;
    });
    if (!tets || asked !== fetched) return;
    if (!on.checked || studio.body?.body !== tets.number || view.body !== shape) return;
    if (view.scene.solid?.body !== tets) view.scene.setInside(tets);
    view.scene.solid?.cut(...plane(tets), cubature.checked);
    need("cubature-text", HTMLElement).textContent = tets.cubature.length
      ? `${count(tets.cubature.length, "tet")} of ${(tets.tets.length / 4).toLocaleString("en")} are asked for their force, each with a weight.`
      : "The forces of this body need no cubature.";
    view.invalidate();
  }

  /** @param {Body} tets @returns {[Vec3, number]} its normal, towards the eye, and its offset */
  function plane(tets) {
    const { eye, forward } = view.camera.axes();
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
  studio.connection.on("welcome", () => (fetched = null));
  studio.connection.on("state", (state) => state === "lost" && (fetched = null));
  studio.onShown((_, body) => {
    const surface = body.kind === "triangles";
    for (const control of [on, axis, where, cubature]) control.disabled = surface;
    if (surface) on.checked = false;
    text.textContent = surface ? "This body is a surface: there is nothing inside." : idle;
    void safely();
  });

  return {
    toggle() {
      if (on.disabled) return;
      on.checked = !on.checked;
      void safely();
    },
  };
}
