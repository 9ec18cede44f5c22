/**
 * Handles that move and turn something: an arrow along each axis and a ring around the upright one, of the same size on every screen.
 *
 * It knows neither bodies nor servers. Whoever uses one says where it stands and along which axes it moves, draws it before each picture,
 * passes pointers on, and is told where it was dragged to:
 * ```text
 * arrow: the point of the axis that is nearest to the ray under the pointer, less what it was at the grip
 * ring:  dθ = d · t / |t|²,   d: the pointer's way, t = ∂(place on the screen)/∂θ where the ring is held, pixels
 * ```
 */

import { add, cross, dot, normalize, scale, subtract } from "./math.js";

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./view.js").View} View */
/** @typedef {import("./gl/lines.js").Lines} Lines */
/** @typedef {[number, number]} Place on the picture, CSS pixels */

/**
 * @typedef {object} Handles
 * @property {() => Vec3 | null} position where it stands, m; null where it is not to be seen
 * @property {Vec3[]} axes of its arrows, each of length one
 * @property {Vec3} [upright] what its ring turns around; no ring without it
 * @property {(position: Vec3) => void} onMove
 * @property {(angle: number) => void} [onTurn] radian since the ring was gripped
 */

/** @typedef {{ axis: number, points: Vec3[] }} Handle an arrow by its axis, or the ring: −1; and the line that is seen of it, m */
/** @typedef {{ handle: number, start: Vec3, at: number, angle: number, where: Place }} Grip */

const ARROW = 78; // pixels
const RING = 100;
const HEAD = 13;
const NEAR = 11; // so many pixels beside a handle it is still meant
const NEAR_FINGER = 22;
const FACING = 0.97; // an arrow that points at the eye cannot be dragged: cosine
const LEAST = 0.35; // of its radius: a ring that is seen from its edge does not spin wildly
const TINTS = /** @type {[number, number, number][]} */ ([[0.86, 0.27, 0.25], [0.22, 0.62, 0.32], [0.25, 0.48, 0.95]]);

export class Gizmo {
  /** By pointer. @type {Map<number, Grip>} */ #grips = new Map();
  /** The handle under the mouse; null: none. @type {number | null} */ #over = null;

  /** @param {View} view @param {Handles} handles */
  constructor(view, handles) {
    this.view = view;
    this.handles = handles;
  }

  /** Metres that a pixel is where it stands. @param {Vec3} position */
  #pixel(position) {
    const { camera } = this.view;
    const { eye, forward } = camera.axes();
    return (2 * camera.slope * Math.max(1e-9, dot(subtract(position, eye), forward))) / camera.height;
  }

  /** What there is to grip now, the ring last. @returns {Handle[]} */
  get #all() {
    const { position, axes, upright } = this.handles;
    const at = position();
    if (!at) return [];
    const pixel = this.#pixel(at), sight = normalize(subtract(at, this.view.camera.axes().eye));
    /** @type {Handle[]} */
    const all = axes.flatMap((along, axis) =>
      Math.abs(dot(along, sight)) > FACING ? [] : [{ axis, points: [0.16, 1].map((part) => add(at, scale(along, part * ARROW * pixel))) }]);
    if (upright) all.push({ axis: -1, points: Array.from({ length: 65 }, (_, i) => this.#onRing(at, (i / 64) * 2 * Math.PI)) });
    return all;
  }

  /** @param {Vec3} at @param {number} angle radian @returns {Vec3} */
  #onRing(at, angle) {
    const { upright = [0, 1, 0] } = this.handles;
    const u = normalize(cross(upright, Math.abs(upright[1]) < 0.9 ? [0, 1, 0] : [0, 0, 1])), v = cross(upright, u);
    return add(at, scale(add(scale(u, Math.cos(angle)), scale(v, Math.sin(angle))), RING * this.#pixel(at)));
  }

  /** @param {Vec3} point @returns {Place} */
  #seen(point) {
    const [x, y] = this.view.camera.project(point);
    return [x, y];
  }

  /** The place of a pointer on the picture. @param {{ clientX: number, clientY: number }} event @returns {Place} */
  #place({ clientX, clientY }) {
    const { left, top } = this.view.canvas.getBoundingClientRect();
    return [clientX - left, clientY - top];
  }

  /** The handle at a place, and which part of its line is nearest; null where none is near. @param {Place} where @param {number} most pixels */
  #nearest(where, most) {
    /** @type {{ handle: Handle, part: number, far: number } | null} */ let best = null;
    for (const handle of this.#all) {
      const line = handle.points.map((point) => this.#seen(point));
      for (let i = 1; i < line.length; i++) {
        const [far, part] = beside(where, line[i - 1], line[i]);
        // Where two cross, the one that is not the ring: that can be gripped elsewhere.
        if (far <= most && far < (best?.far ?? Infinity) - (handle.axis < 0 ? 3 : 0)) best = { handle, part: (i - 1 + part) / (line.length - 1), far };
      }
    }
    return best;
  }

  /** Grips what lies under a pointer; whether there was something. @param {number} pointer @param {PointerEvent} event */
  begin(pointer, event) {
    const at = this.handles.position(), where = this.#place(event);
    const found = this.#nearest(where, event.pointerType === "touch" ? NEAR_FINGER : NEAR);
    if (!at || !found) return false;
    const { axis } = found.handle;
    this.#grips.set(pointer, { handle: axis, start: at, at: axis < 0 ? found.part * 2 * Math.PI : this.#along(axis, at, where), angle: 0, where });
    this.view.invalidate();
    return true;
  }

  /** @param {number} pointer @param {PointerEvent} event */
  drag(pointer, event) {
    const grip = this.#grips.get(pointer), at = this.handles.position();
    if (!grip || !at) return;
    const where = this.#place(event);
    if (grip.handle >= 0) {
      const way = this.#along(grip.handle, grip.start, where) - grip.at;
      this.handles.onMove(add(grip.start, scale(this.handles.axes[grip.handle], way)));
    } else {
      const held = grip.at + grip.angle, step = 1e-3;
      const [from, to] = [held - step, held + step].map((angle) => this.#seen(this.#onRing(at, angle)));
      const tangent = [(to[0] - from[0]) / (2 * step), (to[1] - from[1]) / (2 * step)];
      const square = Math.max(tangent[0] ** 2 + tangent[1] ** 2, (LEAST * RING) ** 2);
      grip.angle += ((where[0] - grip.where[0]) * tangent[0] + (where[1] - grip.where[1]) * tangent[1]) / square;
      this.handles.onTurn?.(grip.angle);
    }
    grip.where = where;
    this.view.invalidate();
  }

  /** @param {number} pointer */
  end(pointer) {
    if (this.#grips.delete(pointer)) this.view.invalidate();
  }

  /** Whether a mouse is over a handle, which is drawn so. @param {PointerEvent} event */
  hover(event) {
    const over = this.#nearest(this.#place(event), NEAR)?.handle.axis ?? null;
    if (over !== this.#over) this.view.invalidate();
    this.#over = over;
    return over !== null;
  }

  /** How far along an axis through `start` it is nearest to the ray through a place, m. @param {number} axis @param {Vec3} start @param {Place} where */
  #along(axis, start, [x, y]) {
    const along = this.handles.axes[axis];
    const { origin, direction } = this.view.camera.ray(x, y);
    const between = subtract(start, origin), cosine = dot(along, direction);
    return (cosine * dot(between, direction) - dot(between, along)) / Math.max(1 - cosine ** 2, 1 - FACING ** 2);
  }

  /** For scripts: where each handle can be taken on the page, by x, y, z of the arrows and "turn". @returns {Record<string, Place>} */
  get places() {
    const { left, top } = this.view.canvas.getBoundingClientRect();
    return Object.fromEntries(this.#all.map(({ axis, points }) => {
      const [x, y] = this.#seen(axis < 0 ? points[8] : add(scale(points[0], 0.3), scale(points[1], 0.7)));
      return [axis < 0 ? "turn" : "xyz"[axis], [left + x, top + y]];
    }));
  }

  /** Over everything: each line is drawn before all bodies, where it looks the same. @param {Lines} lines */
  draw(lines) {
    const { camera, scene } = this.view;
    const all = this.#all, at = this.handles.position();
    if (!at || !all.length) return;
    const { eye, forward } = camera.axes();
    const depth = dot(subtract(at, eye), forward);
    const nearer = Math.max(0.1, (depth - 2.5 * (scene.bounds?.radius ?? 0)) / depth);
    const forth = (/** @type {Vec3} */ point) => add(eye, scale(subtract(point, eye), nearer));
    const held = [...this.#grips.values()].map(({ handle }) => handle);
    for (const { axis, points } of all) {
      const tint = axis < 0 ? scene.look.accent : TINTS[axis % 3];
      const active = held.includes(axis) || (!held.length && this.#over === axis);
      const [r, g, b] = active ? scale(add(tint, [1, 1, 1]), 0.5) : tint;
      const width = active ? 5 : 3.5;
      lines.path(points.map(forth), [r, g, b, 1], width);
      if (axis < 0) continue;
      const tip = points[points.length - 1], along = this.handles.axes[axis];
      const side = normalize(cross(along, subtract(tip, eye))), head = HEAD * this.#pixel(at);
      for (const part of [-0.55, 0, 0.55]) lines.segment(forth(tip), forth(add(tip, scale(add(scale(along, -1), scale(side, part)), head))), [r, g, b, 1], width);
    }
    lines.dot(forth(at), [...scene.look.accent, 1], 9);
  }
}

/** How far a place is from a segment, and at which part of it, 0 to 1. @param {Place} where @param {Place} from @param {Place} to */
function beside([x, y], [ax, ay], [bx, by]) {
  const dx = bx - ax, dy = by - ay;
  const part = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return [Math.hypot(x - ax - part * dx, y - ay - part * dy), part];
}
