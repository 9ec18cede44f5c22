/**
 * A gizmo: three arrows to move along, three rings to turn about, and a knob to move freely in the plane that faces the eye.
 *
 * It is drawn at one size whatever the distance; what is nearest to the pointer on the screen is what it grabs.
 */

import { add, cross, dot, normalize, scale, subtract } from "../../math.js";
import { shift, turn } from "./affine.js";

/** @typedef {import("../../math.js").Vec3} Vec3 */
/** @typedef {import("./affine.js").Affine} Affine */
/** @typedef {import("../../camera.js").Camera} Camera */
/** @typedef {{ kind: "arrow" | "ring" | "knob", axis: number }} Part */

const SIZE = 92; // of an arrow, CSS pixels
const RING = 66;
const REACH = 12; // from a part that still grabs it; a finger's is twice that
const STEPS = 48;

/** @type {Vec3[]} */ const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
/** @type {[number, number, number, number][]} */ const COLOURS = [[0.86, 0.22, 0.2, 1], [0.2, 0.62, 0.24, 1], [0.18, 0.42, 0.9, 1]];
/** @type {[number, number, number, number]} */ const CHOSEN = [0.98, 0.75, 0.1, 1];

export class Gizmo {
  /** Where it stands, on the stage; null: nowhere. @type {Vec3 | null} */ at = null;
  /** Under the pointer, or grabbed. @type {Part | null} */ part = null;
  /** @type {{ part: Part, at: Vec3, from: Vec3, angle: number, last: number } | null} */ #grab = null;

  /** @param {Camera} camera @returns {number} metres of so many pixels there */
  #metres(camera, /** @type {number} */ pixels) {
    const at = this.at ?? [0, 0, 0], { eye, forward } = camera.axes();
    return (pixels * 2 * camera.slope * Math.max(1e-9, dot(subtract(at, eye), forward))) / camera.height;
  }

  /** @param {Camera} camera @param {Part} part @returns {Vec3[]} */
  #line(camera, part) {
    const at = /** @type {Vec3} */ (this.at), axis = AXES[part.axis];
    if (part.kind === "arrow") return [add(at, scale(axis, this.#metres(camera, 14))), add(at, scale(axis, this.#metres(camera, SIZE)))];
    const radius = this.#metres(camera, RING), u = AXES[(part.axis + 1) % 3], v = cross(axis, u);
    return Array.from({ length: STEPS + 1 }, (_, i) => {
      const a = (i / STEPS) * 2 * Math.PI;
      return add(at, add(scale(u, radius * Math.cos(a)), scale(v, radius * Math.sin(a))));
    });
  }

  /** What a pointer would grab there. @param {Camera} camera @param {number} x @param {number} y CSS pixels of the picture @param {number} [reach] @returns {Part | null} */
  find(camera, x, y, reach = REACH) {
    if (!this.at) return null;
    const far = (/** @type {Vec3[]} */ points) => {
      const seen = points.map((p) => camera.project(p));
      let least = Infinity;
      for (let i = 1; i < seen.length; i++) least = Math.min(least, toSegment(x, y, seen[i - 1], seen[i]));
      return least;
    };
    const [kx, ky] = camera.project(this.at);
    if (Math.hypot(kx - x, ky - y) < reach) return { kind: "knob", axis: 0 };
    /** @type {{ part: Part, far: number }[]} */ const parts = [];
    for (const kind of /** @type {const} */ (["arrow", "ring"]))
      for (let axis = 0; axis < 3; axis++) parts.push({ part: { kind, axis }, far: far(this.#line(camera, { kind, axis })) });
    parts.sort((a, b) => a.far - b.far);
    return parts[0].far < reach ? parts[0].part : null;
  }

  /** @param {Camera} camera @param {Part} part @param {number} x @param {number} y */
  grab(camera, part, x, y) {
    const at = /** @type {Vec3} */ (this.at);
    this.part = part;
    this.#grab = { part, at, from: at, angle: 0, last: 0 };
    this.#grab.from = this.#place(camera, x, y) ?? at;
    this.#grab.last = this.#angle(camera, x, y) ?? 0;
  }

  /** What the grabbed part has done since it was grabbed, of the stage. @param {Camera} camera @param {number} x @param {number} y @param {boolean} snap @returns {Affine | null} */
  drag(camera, x, y, snap) {
    const grab = this.#grab;
    if (!grab) return null;
    if (grab.part.kind === "ring") {
      const now = this.#angle(camera, x, y);
      if (now === null) return null;
      let by = now - grab.last;
      by -= 2 * Math.PI * Math.round(by / (2 * Math.PI));
      grab.angle += by;
      grab.last = now;
      const step = Math.PI / 12;
      return turn(AXES[grab.part.axis], snap ? Math.round(grab.angle / step) * step : grab.angle, grab.at);
    }
    const place = this.#place(camera, x, y);
    if (!place) return null;
    const by = subtract(place, grab.from);
    const step = this.#metres(camera, 20);
    return shift(snap ? /** @type {Vec3} */ (by.map((d) => Math.round(d / step) * step)) : by);
  }

  /** Where a turn or a move began, and what it turns about. */
  get pivot() {
    return this.#grab?.at ?? this.at;
  }

  release() {
    this.#grab = null;
    this.part = null;
  }

  /** Where the pointer is on the axis, or in the plane, that was grabbed. @param {Camera} camera @param {number} x @param {number} y @returns {Vec3 | null} */
  #place(camera, x, y) {
    const grab = this.#grab;
    if (!grab || grab.part.kind === "ring") return null;
    if (grab.part.kind === "knob") return camera.onPlane(x, y, grab.at);
    const axis = AXES[grab.part.axis], { origin, direction } = camera.ray(x, y);
    // Of two lines the places that are nearest to each other.
    const w = subtract(origin, grab.at), b = dot(axis, direction), low = 1 - b * b;
    if (low < 1e-3) return null; // looked at from its end
    return add(grab.at, scale(axis, (dot(w, axis) - b * dot(w, direction)) / low));
  }

  /** @param {Camera} camera @param {number} x @param {number} y @returns {number | null} */
  #angle(camera, x, y) {
    const grab = this.#grab;
    if (!grab || grab.part.kind !== "ring") return null;
    const axis = AXES[grab.part.axis], { origin, direction } = camera.ray(x, y), { forward } = camera.axes();
    if (Math.abs(dot(axis, forward)) < 0.15) {
      // Seen from its edge: along the ring on the screen.
      const [cx, cy] = camera.project(grab.at), along = camera.project(add(grab.at, normalize(cross(axis, forward))));
      const u = [along[0] - cx, along[1] - cy], size = Math.hypot(u[0], u[1]) || 1;
      return ((x - cx) * u[0] + (y - cy) * u[1]) / size / RING;
    }
    const distance = dot(subtract(grab.at, origin), axis) / dot(direction, axis);
    const d = subtract(add(origin, scale(direction, distance)), grab.at), u = AXES[(grab.part.axis + 1) % 3], v = cross(axis, u);
    return Math.atan2(dot(d, v), dot(d, u));
  }

  /** @param {import("../../gl/lines.js").Lines} lines @param {Camera} camera */
  draw(lines, camera) {
    if (!this.at) return;
    for (const kind of /** @type {const} */ (["ring", "arrow"]))
      for (let axis = 0; axis < 3; axis++) {
        const chosen = this.part?.kind === kind && this.part.axis === axis;
        const points = this.#line(camera, { kind, axis });
        lines.path(points, chosen ? CHOSEN : COLOURS[axis], kind === "arrow" ? 4 : 2.5);
        if (kind === "arrow") lines.dot(points[1], chosen ? CHOSEN : COLOURS[axis], 12);
      }
    lines.dot(this.at, this.part?.kind === "knob" ? CHOSEN : [1, 1, 1, 1], 12);
  }
}

/** @param {number} x @param {number} y @param {[number, number, boolean]} a @param {[number, number, boolean]} b */
function toSegment(x, y, [ax, ay], [bx, by]) {
  const dx = bx - ax, dy = by - ay, t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}
