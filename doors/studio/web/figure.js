/**
 * A body as it stands on the stage: its shape, the pose that is shown, and where it stands
 * ```text
 * x = position + turn · (X + U q)                                            docs/protocol/bodies.md
 * ```
 * The pose is that of the last frame from the server, or one that the page makes itself while a mode plays.
 */

import { add, back, boundsOf, cornersOf, subtract, turned } from "./math.js";

/** @typedef {import("./body.js").Body} Body */
/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./math.js").Quat} Quat */
/** @typedef {import("./math.js").Bounds} Bounds */
/** @typedef {{ position: Vec3, turn: Quat }} Place */
/** @typedef {import("./body.js").Hit & { body: number }} Hit of body B; the point is one of the stage */

/**
 * @typedef {object} Play a pose of the page's own
 * @property {(now: number) => Float32Array} pose at a time of the clock, s
 * @property {() => void} stopped called when another pose takes over
 */

export class Figure {
  /** @type {Vec3} */ position = [0, 0, 0];
  /** @type {Quat} */ turn = [0, 0, 0, 1];
  /** @type {Play | null} */ play = null;
  /** Something else is shown where it stands. */ hidden = false;
  /** Somebody on this page is moving it: what the server says of its place is old. */ isCarried = false;
  /** It is shown from inside, and its skin as glass. */ isOpen = false;
  /** The edges of its triangles are drawn. */ isWired = false;
  /** How strongly its pins are marked, 0 to 1. */ pinShown = 0;
  /** @type {Bounds | null} */ #bounds = null;

  /** @param {Body} shape */
  constructor(shape) {
    this.shape = shape;
    /** The pose that the server sent last. @type {Float32Array} */
    this.q = new Float32Array(shape.rank);
  }

  /** B of the protocol; 0 for a preview. */
  get number() {
    return this.shape.number;
  }

  get isAtOrigin() {
    const [x, y, z] = this.position, [a, b, c] = this.turn;
    return x === 0 && y === 0 && z === 0 && a === 0 && b === 0 && c === 0;
  }

  /** The coordinates that are shown now. @returns {Float32Array} */
  get pose() {
    return this.play ? this.play.pose(performance.now() / 1000) : this.q;
  }

  /** @param {Place} place @returns {boolean} whether it was elsewhere before */
  moveTo({ position, turn }) {
    if (position.every((x, k) => x === this.position[k]) && turn.every((x, k) => x === this.turn[k])) return false;
    this.position = position;
    this.turn = turn;
    this.#bounds = null;
    return true;
  }

  /** Of the body at rest, on the stage. @returns {Bounds} */
  get bounds() {
    if (this.isAtOrigin) return this.shape.bounds;
    return (this.#bounds ??= boundsOf(cornersOf(this.shape.bounds).flatMap((corner) => this.toStage(corner))));
  }

  /** @param {Vec3} point of the body's own space @returns {Vec3} */
  toStage(point) {
    return add(this.position, turned(this.turn, point));
  }

  /** @param {Vec3} point of the stage @returns {Vec3} */
  toBody(point) {
    return turned(back(this.turn), subtract(point, this.position));
  }

  /** Where a vertex is, on the stage. @param {number} vertex @param {Float32Array} [q] @returns {Vec3} */
  at(vertex, q = this.pose) {
    return this.toStage(this.shape.position(vertex, q));
  }

  /** The nearest triangle that a ray of the stage meets. @param {Vec3} origin @param {Vec3} direction @returns {Hit | null} */
  pick(origin, direction) {
    const hit = this.shape.pick(this.toBody(origin), turned(back(this.turn), direction), this.pose);
    return hit && { ...hit, point: this.toStage(hit.point), body: this.number };
  }
}
