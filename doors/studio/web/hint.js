/**
 * "pull me": beside the body until somebody does.
 */

import { calm, need } from "./dom.js";

/** @param {import("./studio.js").Studio} studio */
export function hint(studio) {
  const element = need("hint", HTMLElement);
  const { view } = studio;
  let done = false;
  /** @type {{ of: import("./body.js").Body | null, vertex: number }} */ let top = { of: null, vertex: 0 };

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
    element.style.visibility = body === studio.shape ? "" : "hidden"; // a preview cannot be pulled
    if (top.of !== body) top = { of: body, vertex: highest(body.rest) };
    const [x, y] = view.camera.project(body.position(top.vertex, view.pose));
    element.style.transform = `translate(calc(${x.toFixed(0)}px - 50%), ${Math.max(64, y - 46).toFixed(0)}px)`;
  });
}

/** The vertex that is highest at rest. @param {Float32Array} rest */
function highest(rest) {
  let best = 0;
  for (let i = 1; i < rest.length; i += 3) if (rest[i] > rest[3 * best + 1]) best = (i - 1) / 3;
  return best;
}
