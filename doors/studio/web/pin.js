/**
 * Painting pins: a brush that marks vertices which shall not move, then a rebuild that makes it true.
 *
 * What is painted is only a wish until Rebuild: the basis of the body knows its pins, so that they cannot change under it.
 */

import { count, need } from "./dom.js";
import { add, cross, normalize, scale } from "./math.js";

/** @typedef {import("./studio.js").Studio} Studio */
/** @typedef {import("./pointers.js").Tool} Tool */
/** @typedef {import("./body.js").Hit} Hit */
/** @typedef {import("./math.js").Vec3} Vec3 */

/** @param {Studio} studio */
export function pins(studio) {
  const { view } = studio;
  const card = need("paint", HTMLElement);
  const button = need("pin", HTMLButtonElement);
  const size = need("paint-size", HTMLInputElement);
  const addButton = need("paint-add", HTMLButtonElement);
  const removeButton = need("paint-remove", HTMLButtonElement);
  const buildButton = need("paint-build", HTMLButtonElement);
  /** @type {Uint8Array | null} */ let wish = null;
  /** @type {Hit | null} */ let under = null;
  let adding = true;
  let cleared = false;

  const radius = () => (Number(size.value) / 100) * (studio.shape?.bounds.radius ?? 1);

  /** @param {boolean} active */
  function set(active) {
    const { shape } = studio;
    if (active && (!shape || view.body !== shape)) return;
    studio.stopMode();
    wish = active && shape ? shape.pinned.slice() : null;
    under = null;
    cleared = false;
    card.hidden = !active;
    button.setAttribute("aria-pressed", String(active));
    view.scene.pinShown = active ? 1 : 0;
    show();
  }

  function show() {
    const { shape } = studio;
    need("paint-size-value", HTMLOutputElement).textContent = `${size.value} %`;
    addButton.setAttribute("aria-pressed", String(adding));
    removeButton.setAttribute("aria-pressed", String(!adding));
    if (shape && view.body === shape) view.scene.surface?.setPins(wish ?? shape.pinned);
    if (shape && wish) {
      const now = wish.reduce((sum, x) => sum + x, 0);
      need("paint-count", HTMLElement).textContent = `${now.toLocaleString("en")} of ${count(shape.count, "vertex", "vertices")}`;
      const frees = cleared && !now && studio.body?.free === false; // pins may lie where the shown surface has no vertex
      buildButton.disabled = studio.job !== null || (!frees && wish.every((x, v) => x === shape.pinned[v]));
    }
    view.invalidate();
  }

  /** @param {Hit | null} hit */
  function paint(hit) {
    const { shape } = studio;
    under = hit;
    if (!hit || !wish || !shape) return;
    const x = shape.deform(view.pose);
    const reach = radius() ** 2;
    for (let v = 0; v < shape.count; v++) {
      const dx = x[3 * v] - hit.point[0], dy = x[3 * v + 1] - hit.point[1], dz = x[3 * v + 2] - hit.point[2];
      if (dx * dx + dy * dy + dz * dz <= reach) wish[v] = adding ? 1 : 0;
    }
    wish[hit.vertex] = adding ? 1 : 0;
    show();
  }

  button.addEventListener("click", () => set(!wish));
  addButton.addEventListener("click", () => ((adding = true), show()));
  removeButton.addEventListener("click", () => ((adding = false), show()));
  size.addEventListener("input", show);
  need("paint-clear", HTMLButtonElement).addEventListener("click", () => (wish?.fill(0), (cleared = true), show()));
  need("paint-cancel", HTMLButtonElement).addEventListener("click", () => set(false));
  buildButton.addEventListener("click", () => {
    const { shape } = studio;
    if (!wish || !shape) return;
    const vertices = Array.from(wish.keys()).filter((v) => wish?.[v]);
    studio.request({ do: "build", ...studio.pending(), pins: { body: shape.number, vertices } });
    set(false);
  });
  studio.onShown(() => set(false));
  studio.connection.on("job", () => wish && show());

  view.before.push((lines) => {
    if (!wish || !under) return;
    const [r, g, b] = view.scene.look.pin;
    lines.path(circle(under.point, view.camera.axes().forward, radius()), [r, g, b, 1], 2);
  });

  /** @type {Tool} */
  const tool = {
    begin: (_, hit) => paint(hit),
    move: (_, event) => paint(view.pick(event.clientX, event.clientY)),
    end: () => {},
    hover: (hit) => {
      under = hit;
      view.invalidate();
    },
  };
  return {
    toggle: () => set(!wish),
    stop: () => set(false),
    /** The brush, while pins are painted. */
    get tool() {
      return wish ? tool : null;
    },
  };
}

/** @param {Vec3} centre @param {Vec3} axis @param {number} radius @returns {Vec3[]} */
function circle(centre, axis, radius) {
  const u = normalize(cross(axis, Math.abs(axis[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
  const v = cross(axis, u);
  return Array.from({ length: 49 }, (_, i) => {
    const a = (i / 48) * 2 * Math.PI;
    return add(centre, add(scale(u, radius * Math.cos(a)), scale(v, radius * Math.sin(a))));
  });
}
