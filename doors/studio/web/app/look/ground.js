/**
 * A grid on the ground and a bar that says how long things are, both of a length that people count in: 1, 2 or 5 times a power of ten.
 */

import { need, si } from "../../dom.js";

/** @typedef {import("../../view.js").View} View */

/** The largest of 1, 2, 5, 10, 20, … that is not above. @param {number} x */
export function handy(x) {
  const power = 10 ** Math.floor(Math.log10(x) + 1e-9);
  return power * ([5, 2, 1].find((step) => step * power <= x * (1 + 1e-9)) ?? 1);
}

const LINES = 12; // to each side of the middle
const BAR = 120; // pixels at most

/** @param {View} view @returns {{ toggle: () => boolean, isOn: () => boolean }} of the grid */
export function ground(view) {
  const bar = need("scale", HTMLElement), text = need("scale-text", HTMLElement);
  let on = false, told = "";

  function grid() {
    const { bounds, look } = view.scene;
    if (!on || !bounds) return;
    const { centre, min, radius } = bounds;
    const step = handy(radius / 3), y = min[1];
    const [r, g, b] = look.near[0] < 0.5 ? [1, 1, 1] : [0.1, 0.14, 0.25];
    const middle = [centre[0], centre[2]].map((x) => Math.round(x / step) * step);
    const far = LINES * step;
    for (let i = -LINES; i <= LINES; i++) {
      const [x, z] = middle.map((m) => m + i * step);
      const strong = (/** @type {number} */ at) => (Math.abs(Math.round(at / step) % 5) === 0 ? 0.32 : 0.14);
      view.scene.lines.segment([x, y, middle[1] - far], [x, y, middle[1] + far], [r, g, b, strong(x)], 1);
      view.scene.lines.segment([middle[0] - far, y, z], [middle[0] + far, y, z], [r, g, b, strong(z)], 1);
    }
  }

  /** Of what lies as far away as what is looked at. */
  function scale() {
    const { camera } = view;
    bar.hidden = view.scene.bounds === null;
    const metre = (2 * camera.slope * camera.pose.distance) / camera.height; // of a pixel
    const length = handy(BAR * metre);
    const width = `${(length / metre).toFixed(0)}px`;
    const said = `${si(length, "m").replace(/\.0+ /, " ")} ${width}`;
    if (said === told) return;
    told = said;
    bar.style.width = width;
    text.textContent = said.replace(/ \d+px$/, "");
  }

  view.before.push(() => {
    grid();
    scale();
  });
  return {
    toggle: () => {
      on = !on;
      view.invalidate();
      return on;
    },
    isOn: () => on,
  };
}
