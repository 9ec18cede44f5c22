/**
 * The bodies of the stage: a list to choose from, duplicate, remove, and where the chosen one stands.
 *
 * The chosen one has a ring on the ground where there are several.
 */

import { count, make, need, si } from "../../dom.js";
import { Gizmo } from "../../gizmo.js";
import { add, after, cross, normalize, scale, subtract, turned } from "../../math.js";
import { Carry } from "./carry.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../figure.js").Figure} Figure */
/** @typedef {import("../../math.js").Vec3} Vec3 */

/** Of the length of a body: how far a key moves it. */
const STEP = 0.1;

const SHEET = /* html */ `
<ul id="bodies-list" aria-label="Bodies on the stage"></ul>
<div class="row start"><button type="button" id="duplicate">Duplicate</button><button type="button" id="remove">Remove</button>
  <button type="button" id="move" aria-pressed="false" aria-keyshortcuts="M">Move</button></div>
<p class="small" id="move-text">Move shows handles on the chosen body: arrows along the axes, a ring to turn it. Then, or with Alt held, dragging a body moves it over the ground; Alt and the arrow keys, Page up and Page down do too.</p>
<h2>Where it stands</h2>
<label class="field"><span class="field-name">Turned by</span><input type="range" id="turn" min="-180" max="180" step="5"><output id="turn-value"></output></label>
<p class="small" id="stands"></p>
`;

const ICON = '<circle cx="8" cy="8.500" r="4"/><path d="M14.500 5h6v6h-6zM4.500 20l4-5.500 4 5.500zM14.500 14.500h6V20h-6z"/>';

/** @type {import("../../app.js").App} */
export const bodies = { name: "bodies", title: "Bodies", sheet: SHEET, icon: ICON, style: "app/bodies/bodies.css", start };

/** @param {Studio} studio */
function start(studio) {
  const { view } = studio;
  const list = need("bodies-list", HTMLElement);
  const moveButton = need("move", HTMLButtonElement);
  const turn = need("turn", HTMLInputElement);
  const carry = new Carry(studio);
  let moving = false;
  /** Where the chosen body was when its ring was gripped. @type {{ position: Vec3, turn: import("../../math.js").Quat, centre: Vec3 } | null} */ let held = null;
  const gizmo = new Gizmo(view, {
    position: () => (moving && studio.figure && !studio.figure.hidden ? studio.figure.bounds.centre : null),
    axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    upright: [0, 1, 0],
    onMove: (to) => {
      const { figure } = studio;
      if (figure) carry.put(figure, add(figure.position, subtract(to, figure.bounds.centre)));
      showPlace();
    },
    onTurn: (angle) => {
      const { figure } = studio;
      if (!figure || !held) return;
      /** @type {import("../../math.js").Quat} */ const by = [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
      const { position, turn, centre } = held; // around its middle
      carry.put(figure, add(centre, turned(by, subtract(position, centre))), after(by, turn));
      showPlace();
    },
  });
  studio.handles = () => gizmo.places;

  function showList() {
    const chosen = studio.figure?.number;
    /** @type {Map<string, number>} */ const seen = new Map();
    list.replaceChildren(...studio.numbers.map((body) => {
      const event = /** @type {import("../../protocol.js").BodyEvent} */ (studio.bodies.get(body));
      const { rank, length } = event, name = studio.titleOf(event);
      const twins = (seen.get(name) ?? 0) + 1; // bodies of one name are counted
      seen.set(name, twins);
      const title = twins > 1 ? `${name} ${twins}` : name;
      const button = make("button", { type: "button" }, make("strong", { textContent: title }), make("span", { className: "small", textContent: `${si(length, "m")}, ${count(rank, "coordinate")}` }));
      button.setAttribute("aria-pressed", String(body === chosen));
      button.addEventListener("click", () => {
        studio.choose(body);
        list.querySelector('[aria-pressed="true"]')?.scrollIntoView({ block: "nearest" });
      });
      return make("li", {}, button);
    }));
    for (const id of ["duplicate", "remove"]) need(id, HTMLButtonElement).disabled = chosen === undefined;
    showPlace();
  }

  function showPlace() {
    const { figure } = studio;
    if (!figure) return;
    const [x, y, z] = figure.position.map((metre) => si(metre, "m"));
    need("stands", HTMLElement).textContent = `x ${x}, y ${y}, z ${z}`;
    const degrees = Math.round((angle(figure) * 180) / Math.PI);
    if (document.activeElement !== turn) turn.value = String(degrees);
    need("turn-value", HTMLOutputElement).textContent = `${degrees}°`;
  }

  /** @param {boolean} active */
  function setMoving(active) {
    moving = active;
    moveButton.setAttribute("aria-pressed", String(moving));
    view.invalidate();
  }

  function next() {
    const { numbers } = studio;
    const at = numbers.indexOf(studio.figure?.number ?? -1);
    if (numbers.length) studio.choose(numbers[(at + 1) % numbers.length]);
  }
  const duplicate = () => studio.figure && void studio.request("bodies.duplicate", { body: studio.figure.number });
  const remove = () => studio.figure && void studio.request("bodies.remove", { body: studio.figure.number });

  /** A step over the ground, as it is seen, or above it. @param {number} right @param {number} away @param {number} [up] */
  const step = (right, away, up = 0) => () => {
    const { figure } = studio;
    if (!figure) return;
    const across = view.camera.axes().right;
    const ahead = normalize(cross([0, 1, 0], across));
    const length = STEP * 2 * figure.bounds.radius;
    carry.put(figure, add(figure.position, scale(add(add(scale(across, right), scale(ahead, away)), [0, up, 0]), length)));
  };

  need("duplicate", HTMLButtonElement).addEventListener("click", duplicate);
  need("remove", HTMLButtonElement).addEventListener("click", remove);
  moveButton.addEventListener("click", () => setMoving(!moving));
  turn.addEventListener("input", () => {
    const { figure } = studio;
    const half = (Number(turn.value) * Math.PI) / 360;
    if (figure) carry.put(figure, figure.position, [0, Math.sin(half), 0, Math.cos(half)]);
    showPlace();
  });
  for (const event of /** @type {const} */ (["shown", "left", "chosen"])) studio.on(event, showList);
  studio.on("bodies.placed", () => setTimeout(showPlace));
  studio.tools.push({
    wants: (event) => moving || event.altKey,
    begin: (pointer, hit) => {
      studio.choose(hit.body);
      carry.begin(pointer, hit);
    },
    move: (pointer, event) => {
      carry.drag(pointer, event);
      gizmo.drag(pointer, event);
      showPlace();
    },
    end: (pointer) => {
      carry.end(pointer);
      gizmo.end(pointer);
    },
    grip: (pointer, event) => {
      const { figure } = studio;
      held = figure && { position: figure.position, turn: figure.turn, centre: figure.bounds.centre };
      return gizmo.begin(pointer, event);
    },
    isOver: (event) => gizmo.hover(event),
  });
  view.before.push((lines) => {
    gizmo.draw(lines);
    const { figure } = studio;
    if (!figure || figure.hidden || (view.figures.size < 2 && !moving)) return;
    const { accent, near } = view.scene.look;
    const [r, g, b] = moving ? accent : scale(add(accent, near), 0.5); // paler, not clearer: where segments meet clear ones would show dots
    lines.path(ring(figure), [r, g, b, 1], moving ? 3 : 1.75);
  });
  return {
    keys: [
      { keys: ["n"], shown: "N", title: "choose the next body", does: next },
      { keys: ["d"], shown: "D", title: "duplicate the body", does: duplicate },
      { keys: ["Delete"], shown: "Del", title: "remove the body", does: remove },
      { keys: ["m"], shown: "M", title: "move bodies by handles or by dragging", does: () => setMoving(!moving) },
      { keys: ["ArrowRight"], alt: true, shown: "Alt ← →", title: "move the body; ↑ ↓ away and back, Page ↑ ↓ up and down", does: step(1, 0) },
      { keys: ["ArrowLeft"], alt: true, shown: "", title: "", does: step(-1, 0) },
      { keys: ["ArrowUp"], alt: true, shown: "", title: "", does: step(0, 1) },
      { keys: ["ArrowDown"], alt: true, shown: "", title: "", does: step(0, -1) },
      { keys: ["PageUp"], alt: true, shown: "", title: "", does: step(0, 0, 1) },
      { keys: ["PageDown"], alt: true, shown: "", title: "", does: step(0, 0, -1) },
      { keys: ["Escape"], shown: "", title: "", does: () => setMoving(false) },
    ],
  };
}

/** How far it is turned around the upright axis, radian. @param {Figure} figure */
const angle = ({ turn: [, y, , w] }) => 2 * Math.atan2(w < 0 ? -y : y, Math.abs(w));

/** Around the feet of a body, on the ground. @param {Figure} figure @returns {Vec3[]} */
function ring({ bounds: { min, max, centre } }) {
  const radius = 0.55 * Math.hypot(max[0] - min[0], max[2] - min[2]);
  return Array.from({ length: 65 }, (_, i) => {
    const a = (i / 64) * 2 * Math.PI;
    return [centre[0] + radius * Math.cos(a), min[1], centre[2] + radius * Math.sin(a)];
  });
}
