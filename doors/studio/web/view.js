/**
 * The picture on the page: which body, in which pose, seen from where, drawn when something changed.
 *
 * The pose is that of the last frame from the server, or, while a mode plays, one that the page makes itself. Nothing is
 * drawn while nothing moves.
 */

import { Camera } from "./camera.js";
import { Scene } from "./gl/scene.js";

/** @typedef {import("./body.js").Body} Body */
/** @typedef {import("./gl/lines.js").Lines} Lines */
/** @typedef {import("./math.js").Vec3} Vec3 */

export class View {
  /** @type {Body | null} */ body = null;
  /** The pose that the server sent last. @type {Float32Array} */ q = new Float32Array(0);
  /** A pose of the page's own, at a time of the clock in seconds. @type {((now: number) => Float32Array) | null} */ play = null;
  /** Called before each picture; lines drawn here lie over the body. @type {((lines: Lines, q: Float32Array) => void)[]} */ before = [];
  /** Called once, after the first picture of a body. @type {() => void} */ first = () => {};
  ready = false;
  #asked = false;
  #last = 0;
  #pace = 1 / 60;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #rest;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.scene = new Scene(canvas);
    this.camera = new Camera();
    new ResizeObserver(() => this.invalidate()).observe(canvas);
    // Drivers take the context away when a machine sleeps; what was on the card is gone, so begin again once it is back.
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => location.reload());
  }

  /** @param {Body} body @param {boolean} turn whether to look at it from the front again */
  show(body, turn) {
    this.body = body;
    this.play = null;
    this.q = new Float32Array(body.rank);
    this.scene.setBody(body);
    this.#fit();
    if (turn) this.camera.frame(body.bounds, !this.ready);
    this.invalidate();
  }

  /** The coordinates that are shown now. */
  get pose() {
    return this.play ? this.play(performance.now() / 1000) : this.q;
  }

  invalidate() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame((now) => this.#draw(now / 1000));
  }

  /** Draws now, so that the picture can be read. */
  drawNow() {
    this.#fit();
    this.scene.lines.clear();
    const q = this.pose;
    for (const hook of this.before) hook(this.scene.lines, q);
    this.scene.draw(this.camera, q);
  }

  /** @param {number} vertex @returns {Vec3} */
  position(vertex) {
    if (!this.body) throw new Error("There is no body yet.");
    return this.body.position(vertex, this.pose);
  }

  /** Where a vertex is on the screen, and whether nothing is before it. @param {number} vertex @returns {[number, number, boolean]} */
  project(vertex) {
    const point = this.position(vertex);
    const [x, y, ahead] = this.camera.project(point);
    const { left, top } = this.canvas.getBoundingClientRect();
    const { origin, direction } = this.camera.ray(x, y);
    const hit = this.body?.pick(origin, direction, this.pose);
    const distance = Math.hypot(point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]);
    const inside = x >= 0 && y >= 0 && x < this.camera.width && y < this.camera.height;
    return [left + x, top + y, ahead && inside && (!hit || hit.distance > distance * 0.999)];
  }

  /** What of the body lies under a place of the page. @param {number} clientX @param {number} clientY */
  pick(clientX, clientY) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const { origin, direction } = this.camera.ray(clientX - left, clientY - top);
    return this.body?.pick(origin, direction, this.pose) ?? null;
  }

  /** As [`View.pick`], or what lies a few pixels beside: nobody sees what is under the own finger. @param {number} clientX @param {number} clientY */
  pickNear(clientX, clientY) {
    const hit = this.pick(clientX, clientY);
    if (hit) return hit;
    for (const radius of [7, 14])
      for (let i = 0; i < 8; i++) {
        const near = this.pick(clientX + radius * Math.cos((i * Math.PI) / 4), clientY + radius * Math.sin((i * Math.PI) / 4));
        if (near) return near;
      }
    return null;
  }

  #fit() {
    const { clientWidth, clientHeight } = this.canvas;
    this.camera.resize(clientWidth, clientHeight);
    this.scene.resize(clientWidth, clientHeight);
  }

  /**
   * Keeps up with the body: below twenty-five pictures a second they get coarser, and sharp again once nothing moves.
   * @param {number} interval s since the last picture
   */
  #adapt(interval) {
    const { scene } = this;
    clearTimeout(this.#rest);
    if (!this.ready) return; // the first picture waits for shaders, not for pixels
    if (interval < 0.5) this.#pace += (interval - this.#pace) * 0.25;
    if (this.#pace > 0.04 && scene.sharpness > 0.6) {
      scene.sharpness = Math.max(0.6, scene.sharpness * 0.8);
      this.#pace = 0.025; // look again before going on
    }
    this.#rest = setTimeout(() => {
      if (scene.sharpness === 1) return;
      scene.sharpness = 1;
      this.drawNow();
    }, 400);
  }

  /** @param {number} now s */
  #draw(now) {
    this.#asked = false;
    const seconds = Math.min(0.05, now - this.#last);
    this.#adapt(now - this.#last);
    this.#last = now;
    const moves = this.camera.advance(seconds);
    this.drawNow();
    if (this.body?.number && !this.ready) { // a preview has no number
      this.ready = true;
      this.first();
    }
    if (moves || this.play) this.invalidate();
  }
}
