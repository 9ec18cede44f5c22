/**
 * "pull me": beside the body until somebody does.
 */

import { calm, need } from "./dom.js";

/** @param {import("./studio.js").Studio} studio */
export function hint(studio) {
  const element = need("hint", HTMLElement);
  const { view } = studio;
  let done = false;

  studio.onShown(() => {
    element.hidden = done;
  });
  studio.connection.on("frame", ({ grabs }) => {
    if (!grabs.length || done) return;
    done = true;
    element.dataset.gone = "";
    setTimeout(() => (element.hidden = true), calm() ? 0 : 800);
  });
  view.before.push(() => {
    const { body } = view;
    if (!body || element.hidden) return;
    const { min, max } = body.bounds;
    // The corner of the box that is highest and farthest to the right of the picture: near the body, never on it.
    const corners = [min[0], max[0]].flatMap((x) => [min[2], max[2]].map((z) => view.camera.project([x, max[1], z])));
    const [, y] = corners.reduce((a, b) => (a[1] < b[1] ? a : b));
    const x = corners.reduce((sum, c) => sum + c[0], 0) / corners.length;
    element.style.transform = `translate(calc(${x.toFixed(0)}px - 50%), ${Math.max(64, y - 46).toFixed(0)}px)`;
  });
}
