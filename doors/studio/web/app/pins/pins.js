/**
 * Painting pins: a brush that marks vertices which shall not move, then a rebuild that makes it true.
 *
 * What is painted is only a wish until Rebuild: the basis of the body knows its pins, so that they cannot change under it.
 */

import { count, need } from "../../dom.js";
import { add, cross, normalize, scale, subtract } from "../../math.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../figure.js").Figure} Figure */
/** @typedef {import("../../figure.js").Hit} Hit */
/** @typedef {import("../../math.js").Vec3} Vec3 */

/** Vertices that one message carries, with room to spare. */
const PIECE = 100_000;

const CARDS = /* html */ `
<section id="paint" class="card" aria-label="Pins" hidden>
  <div class="row"><strong>Pins</strong><span class="small" id="paint-count"></span></div>
  <div class="segments" role="group" aria-label="Brush">
    <button type="button" id="paint-add" aria-pressed="true">Pin</button>
    <button type="button" id="paint-remove" aria-pressed="false">Unpin</button>
  </div>
  <label class="field"><span class="field-name">Brush</span><input type="range" id="paint-size" min="1" max="40" value="10"><output id="paint-size-value"></output></label>
  <div class="row"><button type="button" id="paint-clear" class="quiet">No pins</button><span class="gap"></span>
    <button type="button" id="paint-cancel" class="quiet">Cancel</button>
    <button type="button" id="paint-build" class="strong">Rebuild</button></div>
</section>
`;

const BAR = /* html */ `
<span class="divider" aria-hidden="true"></span>
<button type="button" id="pin" aria-pressed="false" aria-keyshortcuts="P" title="Paint pins (P)"><svg aria-hidden="true"><use href="#i-pin"/></svg><span class="hidden">Paint pins</span></button>
`;

/** @type {import("../../app.js").App} */
export const pins = { name: "pins", cards: CARDS, bar: BAR, style: "app/pins/pins.css", start };

/** @param {Studio} studio */
function start(studio) {
  const { view } = studio;
  const card = need("paint", HTMLElement);
  const button = need("pin", HTMLButtonElement);
  const size = need("paint-size", HTMLInputElement);
  const addButton = need("paint-add", HTMLButtonElement);
  const removeButton = need("paint-remove", HTMLButtonElement);
  const buildButton = need("paint-build", HTMLButtonElement);
  /** @type {{ figure: Figure, pinned: Uint8Array } | null} */ let wish = null;
  /** @type {Hit | null} */ let under = null;
  let adding = true;
  let cleared = false;
  /** The pins before the stroke that is being painted. @type {Uint8Array | null} */ let stroke = null;

  /** What was painted can be undone while the brush is out. @param {Uint8Array} before */
  function remember(before) {
    if (!wish) return;
    const after = wish.pinned.slice();
    const give = (/** @type {Uint8Array} */ pins) => {
      if (wish?.pinned.length !== pins.length) return;
      wish.pinned.set(pins);
      show();
    };
    studio.undo.note({ key: `pins ${performance.now()}`, title: "pins", undo: () => give(before), redo: () => give(after) });
  }

  const radius = () => (Number(size.value) / 100) * (wish?.figure.bounds.radius ?? 1);

  function begin() {
    const { figure } = studio;
    if (!figure || figure.hidden) return;
    end();
    view.stop(figure);
    wish = { figure, pinned: figure.shape.pinned.slice() };
    figure.pinShown = 1;
    card.hidden = false;
    button.setAttribute("aria-pressed", "true");
    show();
  }

  function end() {
    if (wish) {
      wish.figure.pinShown = 0;
      view.showPins(wish.figure, wish.figure.shape.pinned);
    }
    wish = under = null;
    cleared = false;
    card.hidden = true;
    button.setAttribute("aria-pressed", "false");
  }

  function show() {
    need("paint-size-value", HTMLOutputElement).textContent = `${size.value} %`;
    addButton.setAttribute("aria-pressed", String(adding));
    removeButton.setAttribute("aria-pressed", String(!adding));
    if (!wish) return;
    const { figure: { shape }, pinned } = wish;
    view.showPins(wish.figure, pinned);
    const now = pinned.reduce((sum, x) => sum + x, 0);
    need("paint-count", HTMLElement).textContent = `${now.toLocaleString("en")} of ${count(shape.count, "vertex", "vertices")}`;
    const frees = cleared && !now && studio.body?.free === false; // pins may lie where the shown surface has no vertex
    buildButton.disabled = studio.job !== null || (!frees && pinned.every((x, v) => x === shape.pinned[v]));
  }

  /** @param {Hit | null} hit */
  function paint(hit) {
    under = hit?.body === wish?.figure.number ? hit : null;
    if (!under || !wish) return view.invalidate();
    const { figure, pinned } = wish;
    if (!stroke) stroke = pinned.slice();
    const x = figure.shape.deform(figure.pose), at = figure.toBody(under.point);
    const reach = radius() ** 2;
    for (let v = 0; v < figure.shape.count; v++) {
      const dx = x[3 * v] - at[0], dy = x[3 * v + 1] - at[1], dz = x[3 * v + 2] - at[2];
      if (dx * dx + dy * dy + dz * dz <= reach) pinned[v] = adding ? 1 : 0;
    }
    pinned[under.vertex] = adding ? 1 : 0;
    show();
  }

  /** For those without a pointer: what is seen nearest to the middle of the free picture. */
  function paintMiddle() {
    const { figure } = wish ?? {};
    if (!figure || stroke) return;
    const { camera } = view, { inset } = camera;
    const middle = [(inset.left + camera.width - inset.right) / 2, (inset.top + camera.height - inset.bottom) / 2];
    const { left, top } = view.canvas.getBoundingClientRect();
    let nearest = Infinity;
    /** @type {Hit | null} */ let hit = null;
    for (let v = 0; v < figure.shape.count; v++) {
      const point = figure.at(v), [x, y, ahead] = camera.project(point);
      const far = Math.hypot(x - middle[0], y - middle[1]);
      if (!ahead || far >= nearest) continue;
      const seen = view.pick(left + x, top + y);
      if (seen && seen.body === figure.number && Math.hypot(...subtract(seen.point, point)) > 0.02 * figure.bounds.radius) continue; // on the other side
      nearest = far;
      hit = { vertex: v, point, body: figure.number, triangle: -1, distance: 0 };
    }
    if (!hit) return;
    paint(hit);
    if (stroke) remember(stroke);
    stroke = null;
  }

  function build() {
    if (!wish) return;
    const { figure, pinned } = wish;
    const vertices = Array.from(pinned.keys()).filter((v) => pinned[v]);
    void rebuild(figure.number, vertices);
    end();
  }

  /** @param {number} body @param {number[]} vertices */
  async function rebuild(body, vertices) {
    const { wish } = studio;
    for (let from = 0; vertices.length > PIECE && from < vertices.length; from += PIECE) {
      const piece = { body, vertices: vertices.slice(from, from + PIECE), first: from === 0 };
      if (!(await studio.request("build.pins", piece))) return;
    }
    await studio.request("build.again", { body, ...wish, pins: vertices.length > PIECE ? "gathered" : vertices });
  }

  const toggle = () => (wish ? end() : begin());
  studio.remedies.set("paint", { title: "Paint where it is held", does: begin });
  button.addEventListener("click", toggle);
  addButton.addEventListener("click", () => ((adding = true), show()));
  removeButton.addEventListener("click", () => ((adding = false), show()));
  size.addEventListener("input", show);
  need("paint-clear", HTMLButtonElement).addEventListener("click", () => {
    if (!wish) return;
    const before = wish.pinned.slice();
    wish.pinned.fill(0);
    cleared = true;
    remember(before);
    show();
  });
  need("paint-cancel", HTMLButtonElement).addEventListener("click", end);
  buildButton.addEventListener("click", build);
  studio.on("chosen", () => wish?.figure !== studio.figure && end());
  studio.on("left", ({ body, successor }) => {
    if (body !== wish?.figure.number) return;
    const next = view.figures.get(successor ?? -1);
    if (next?.shape.count !== wish.pinned.length) return end();
    next.pinShown = 1; // what is painted goes on to the finished body
    wish.figure = next;
    show();
  });
  studio.on("jobs.news", show);

  view.before.push((lines) => {
    if (!wish || !under) return;
    const [r, g, b] = view.scene.look.pin;
    lines.path(circle(under.point, view.camera.axes().forward, radius()), [r, g, b, 1], 2);
  });

  studio.tools.push({
    wants: () => wish !== null,
    takesEnter: () => wish !== null,
    begin: (_, hit) => paint(hit),
    move: (_, event) => paint(view.pick(event.clientX, event.clientY)),
    end: () => {
      if (stroke) remember(stroke);
      stroke = null;
    },
    hover: (hit) => {
      under = hit;
      view.invalidate();
    },
  });
  return {
    keys: [
      { keys: ["p"], shown: "P", title: "paint pins; Enter paints in the middle of the picture", does: toggle },
      { keys: ["Enter"], shown: "", title: "", does: paintMiddle },
      { keys: ["Escape"], shown: "", title: "", does: end },
    ],
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
