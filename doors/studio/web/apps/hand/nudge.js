/**
 * A nudge for those without a pointer: grabs what lies in the middle of the view, pulls it aside, lets go.
 */

import { add, scale } from "../../math.js";

const POINTER = -1; // none that a browser hands out

/** @param {import("../../view.js").View} view @param {import("./pull.js").Pull} pull */
export function nudge(view, pull) {
  const { camera } = view;
  if (pull.holds.has(POINTER)) return;
  const { left, top, width, height } = view.canvas.getBoundingClientRect();
  // From the middle upwards: the upper parts of most bodies are the ones that swing.
  const [sx, sy] = camera.shift;
  const x = left + (width * (1 + sx)) / 2;
  const places = [0.22, 0.3, 0.38, 0.5, 0.6].map((part) => top + height * (part - sy / 2));
  const hit = places.map((y) => view.pick(x, y)).find((found) => found !== null);
  const figure = hit && view.figures.get(hit.body);
  if (!figure) return;
  pull.grab(POINTER, hit);
  const hold = pull.holds.get(POINTER);
  if (!hold) return;
  const start = hold.target;
  const { right } = camera.axes();
  const begun = performance.now();
  const pulling = setInterval(() => {
    const part = Math.min(1, (performance.now() - begun) / 350);
    const held = pull.holds.get(POINTER) === hold; // a reset may have opened the hand
    if (held) pull.move(POINTER, add(start, scale(right, 0.3 * figure.bounds.radius * part)));
    if (held && part < 1) return;
    clearInterval(pulling);
    if (held) pull.release(POINTER);
  }, 30);
}
