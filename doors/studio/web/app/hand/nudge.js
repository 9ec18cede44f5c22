/**
 * A nudge for those without a pointer: grabs the top of the chosen body, pulls it aside, lets go.
 */

import { add, scale } from "../../math.js";

const POINTER = -1; // none that a browser hands out

/** @param {import("../../view.js").View} view @param {import("./pull.js").Pull} pull */
export function nudge(view, pull) {
  const { camera, chosen: figure } = view;
  if (!figure || figure.hidden || pull.holds.has(POINTER)) return;
  const vertex = highestFree(figure.shape);
  if (vertex < 0) return;
  pull.grab(POINTER, { body: figure.number, vertex, triangle: -1, point: figure.at(vertex), distance: 0 });
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

/** The highest vertex at rest that can move; the upper parts of most bodies are the ones that swing. @param {import("../../body.js").Body} body */
function highestFree({ rest, pinned, count }) {
  let best = -1;
  for (let v = 0; v < count; v++) if (!pinned[v] && (best < 0 || rest[3 * v + 1] > rest[3 * best + 1])) best = v;
  return best;
}
