/**
 * "pull me": beside the body until somebody does.
 */

import { calm, need } from "../../dom.js";

/** @param {import("../../studio.js").Studio} studio */
export function hint(studio) {
  const element = need("hint", HTMLElement);
  const { view } = studio;
  let done = false;
  /** @type {{ of: import("../../figure.js").Figure | null, vertex: number }} */ let top = { of: null, vertex: 0 };

  studio.on("chosen", (body) => {
    element.hidden = done || body === null;
  });
  studio.on("frame", ({ sections }) => {
    if (!sections.get("hand")?.length || done) return;
    done = true;
    element.dataset.gone = "";
    setTimeout(() => (element.hidden = true), calm() ? 0 : 800);
  });
  view.before.push(() => {
    const figure = view.chosen;
    if (!figure || element.hidden) return;
    element.style.visibility = figure.hidden ? "hidden" : ""; // a preview cannot be pulled
    if (top.of !== figure) top = { of: figure, vertex: highest(figure.shape.rest) };
    const [x, y] = view.camera.project(figure.at(top.vertex));
    element.style.transform = `translate(calc(${x.toFixed(0)}px - 50%), ${Math.max(64, y - 46).toFixed(0)}px)`;
  });
}

/** The vertex that is highest at rest. @param {Float32Array} rest */
function highest(rest) {
  let best = 0;
  for (let i = 1; i < rest.length; i += 3) if (rest[i] > rest[3 * best + 1]) best = (i - 1) / 3;
  return best;
}
