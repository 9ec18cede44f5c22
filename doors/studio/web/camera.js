/**
 * The eye: turns around a point, comes nearer, moves aside; follows its goal softly.
 *
 * `inset` is what panels cover of the picture; the body is put into the middle of the rest, by moving the middle of the
 * projection and not the eye, so that opening a panel does not turn the body.
 */

import { add, clamp, cornersOf, cross, dot, lookAt, multiply, normalize, perspective, scale, subtract, transform } from "./math.js";

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./math.js").Bounds} Bounds */
/** @typedef {{ yaw: number, pitch: number, distance: number, target: Vec3 }} Pose radian, metre */

const FOV = 0.5;
const HOME = { yaw: 0.72, pitch: 0.2 };
const NEAREST = 0.06; // radii of what there is to see: nearer, pixels are larger than triangles
const UPRIGHT = Math.PI / 2 - 1e-3; // straight from above there would be no up
const FILL = 0.92; // of what is free; the rest is room to pull

export class Camera {
  /** @type {Pose} */ pose = { ...HOME, distance: 1, target: [0, 0, 0] };
  /** @type {Pose} */ goal = { ...HOME, distance: 1, target: [0, 0, 0] };
  inset = { left: 0, right: 0, top: 0, bottom: 0 };
  width = 1;
  height = 1;
  /** @type {Bounds | null} */ #bounds = null;
  /** The goal when everything was last brought into view. @type {Pose | null} */ #framed = null;

  /** @param {number} width @param {number} height of the picture, CSS pixels */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.refit();
  }

  /** The distance from which the box around the body, seen from home, fills what is free of the picture. @param {Bounds} bounds */
  #distance(bounds) {
    const { centre, radius } = bounds;
    const { left, right: covered, top, bottom } = this.inset;
    const wide = this.slope * this.aspect * FILL * Math.max(0.2, 1 - (left + covered) / this.width);
    const high = this.slope * FILL * Math.max(0.2, 1 - (top + bottom) / this.height);
    const { back, right, up } = axesOf(HOME.yaw, HOME.pitch);
    let distance = radius * 1.2;
    for (const place of cornersOf(bounds)) {
      const corner = subtract(place, centre);
      const nearer = dot(corner, back);
      distance = Math.max(distance, nearer + Math.abs(dot(corner, right)) / wide, nearer + Math.abs(dot(corner, up)) / high);
    }
    return distance;
  }

  /** What there is to see has changed; the eye stays where it is. @param {Bounds} bounds */
  around(bounds) {
    this.#bounds = bounds;
  }

  /** @param {Bounds} bounds @param {boolean} [atOnce] */
  frame(bounds, atOnce = false) {
    this.#bounds = bounds;
    this.goal = { ...HOME, distance: this.#distance(bounds), target: [...bounds.centre] };
    this.#framed = { ...this.goal };
    if (atOnce) this.pose = { ...this.goal };
  }

  home() {
    if (this.#bounds) this.frame(this.#bounds);
  }

  /** What is free of the picture has changed: everything comes into view again, unless somebody looked elsewhere since it did. */
  refit() {
    const { goal } = this, framed = this.#framed;
    const same = framed && framed.yaw === goal.yaw && framed.pitch === goal.pitch && framed.distance === goal.distance
      && framed.target.every((x, k) => x === goal.target[k]);
    if (same) this.home();
  }

  /** @param {number} dx @param {number} dy radian */
  orbit(dx, dy) {
    this.goal.yaw -= dx;
    this.goal.pitch = clamp(this.goal.pitch + dy, -1.2, 1.5);
  }

  /** What lies at `towards` stays where it is in the picture. @param {number} factor above 1 goes away @param {Vec3} [towards] */
  zoom(factor, towards) {
    const size = this.#bounds?.radius ?? 1;
    const { goal } = this;
    const distance = clamp(goal.distance * factor, size * NEAREST, size * 40);
    if (towards) goal.target = add(goal.target, scale(subtract(towards, goal.target), 1 - distance / goal.distance));
    goal.distance = distance;
  }

  /** From an end of an axis; from the other where it is looked from there already. @param {"x" | "y" | "z"} axis @param {boolean} behind */
  along(axis, behind) {
    const quarter = Math.PI / 2;
    const { goal } = this;
    const ends = { x: [[quarter, 0], [-quarter, 0]], y: [[0, UPRIGHT], [0, -UPRIGHT]], z: [[0, 0], [2 * quarter, 0]] }[axis];
    const there = Math.abs(goal.yaw - ends[0][0]) + Math.abs(goal.pitch - ends[0][1]) < 1e-3;
    [goal.yaw, goal.pitch] = ends[behind || there ? 1 : 0];
  }

  /** @param {number} dx @param {number} dy CSS pixels */
  pan(dx, dy) {
    const metre = (2 * Math.tan(FOV / 2) * this.pose.distance) / this.height;
    const { right, up } = this.axes();
    this.goal.target = add(this.goal.target, add(scale(right, -dx * metre), scale(up, dy * metre)));
  }

  /** A step towards the goal. @param {number} seconds @returns {boolean} whether it still moves */
  advance(seconds) {
    const part = 1 - Math.exp(-seconds * 16);
    const { pose, goal } = this;
    const size = goal.distance;
    const left = Math.abs(goal.yaw - pose.yaw) + Math.abs(goal.pitch - pose.pitch) + Math.abs(goal.distance - pose.distance) / size
      + Math.hypot(...subtract(goal.target, pose.target)) / size;
    if (left < 1e-4) {
      this.pose = { ...goal };
      return left > 0;
    }
    pose.yaw += (goal.yaw - pose.yaw) * part;
    pose.pitch += (goal.pitch - pose.pitch) * part;
    pose.distance += (goal.distance - pose.distance) * part;
    pose.target = add(pose.target, scale(subtract(goal.target, pose.target), part));
    return true;
  }

  /** Where the eye is and what it calls right, up and forward. */
  axes() {
    const { yaw, pitch, distance, target } = this.pose;
    const { back, right, up } = axesOf(yaw, pitch);
    return { eye: add(target, scale(back, distance)), forward: scale(back, -1), right, up };
  }

  /** Middle of the projection, in parts of half the picture. @returns {[number, number]} */
  get shift() {
    const { left, right, top, bottom } = this.inset;
    return [(left - right) / this.width, (bottom - top) / this.height];
  }

  get aspect() {
    return this.width / this.height;
  }

  get slope() {
    return Math.tan(FOV / 2);
  }

  matrix() {
    const { distance } = this.pose;
    const size = this.#bounds?.radius ?? 1;
    const projection = perspective(FOV, this.aspect, Math.max(distance - size * 6, distance * 0.02), distance + size * 12, this.shift);
    return multiply(projection, lookAt(this.axes().eye, this.pose.target));
  }

  /** The ray through a place of the picture. @param {number} x @param {number} y CSS pixels from its corner */
  ray(x, y) {
    const { eye, forward, right, up } = this.axes();
    const [sx, sy] = this.shift;
    const across = ((2 * x) / this.width - 1 - sx) * this.slope * this.aspect;
    const above = (1 - (2 * y) / this.height - sy) * this.slope;
    return { origin: eye, direction: normalize(add(forward, add(scale(right, across), scale(up, above)))) };
  }

  /** Where the ray meets the plane through `point` that faces the eye. @param {number} x @param {number} y @param {Vec3} point */
  onPlane(x, y, point) {
    const { origin, direction } = this.ray(x, y);
    const { forward } = this.axes();
    return add(origin, scale(direction, dot(subtract(point, origin), forward) / dot(direction, forward)));
  }

  /** Where the ray meets the level plane at a height; null where it goes past. @param {number} x @param {number} y @param {number} height m */
  onLevel(x, y, height) {
    const { origin, direction } = this.ray(x, y);
    const distance = (height - origin[1]) / direction[1];
    const far = 40 * (this.#bounds?.radius ?? 1); // towards the horizon a pixel is a mile
    return distance > 0 && distance < far ? add(origin, scale(direction, distance)) : null;
  }

  /** @param {Vec3} point @returns {[number, number, boolean]} CSS pixels; whether it lies before the eye */
  project(point) {
    const [x, y, , w] = transform(this.matrix(), point);
    return [((x / w) * 0.5 + 0.5) * this.width, (0.5 - (y / w) * 0.5) * this.height, w > 0];
  }
}

/** @param {number} yaw @param {number} pitch */
function axesOf(yaw, pitch) {
  /** @type {Vec3} */ const back = [Math.cos(pitch) * Math.sin(yaw), Math.sin(pitch), Math.cos(pitch) * Math.cos(yaw)];
  const right = normalize(cross([0, 1, 0], back));
  return { back, right, up: cross(back, right) };
}
