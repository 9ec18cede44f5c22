/**
 * The picture on the page: which bodies stand there, seen from where, drawn when something changed.
 *
 * Nothing is drawn while nothing moves. One of the bodies is the chosen one: what panels and scripts mean by "the body".
 */

import { Camera } from "./camera.js";
import { Figure } from "./figure.js";
import { Scene } from "./gl/scene.js";
import { SurfaceLayer } from "./gl/surface.js";
import { WireLayer } from "./gl/wire.js";
import { around } from "./math.js";

/** @typedef {import("./body.js").Body} Body */
/** @typedef {import("./figure.js").Hit} Hit */
/** @typedef {import("./figure.js").Place} Place */
/** @typedef {import("./gl/lines.js").Lines} Lines */
/** @typedef {import("./math.js").Vec3} Vec3 */

/** The number of a shape that nobody simulates. */
const PREVIEW = 0;

export class View {
  /** @type {Map<number, Figure>} by their numbers */ figures = new Map();
  /** @type {Map<Figure, SurfaceLayer>} */ #skins = new Map();
  /** @type {Map<Figure, WireLayer>} */ #wires = new Map();
  /** @type {Figure | null} */ chosen = null;
  /** Called before each picture; lines drawn here lie over the bodies. @type {((lines: Lines) => void)[]} */ before = [];
  /** Called once, after the first picture of a body. @type {() => void} */ first = () => {};
  /** The same of anything, a shape of which a body is being made too. @type {() => void} */ firstOfAll = () => {};
  /** Where a second picture goes: the same bodies from the same place in other colours. @type {HTMLCanvasElement | null} */ twin = null;
  /** How much on the left of the stage is covered and not in the second picture, CSS pixels. */ cut = 0;
  #isWired = false;
  ready = false;
  #isBegun = false;
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

  /** @param {Body} shape @param {Place} place @returns {Figure} */
  add(shape, place) {
    this.remove(shape.number);
    const figure = new Figure(shape);
    figure.moveTo(place);
    this.figures.set(shape.number, figure);
    const skin = this.scene.add(new SurfaceLayer(this.scene.gl, figure, this.scene.deformPrograms));
    this.#skins.set(figure, skin);
    this.#wires.set(figure, this.scene.add(new WireLayer(this.scene.gl, figure, skin.deformation)));
    figure.isWired = this.#isWired;
    this.#measure();
    this.#fit();
    this.invalidate();
    return figure;
  }

  /** @param {number} number */
  remove(number) {
    const figure = this.figures.get(number);
    const skin = figure && this.#skins.get(figure);
    if (!figure || !skin) return;
    this.stop(figure);
    this.scene.remove(skin);
    const wire = this.#wires.get(figure);
    if (wire) this.scene.remove(wire);
    this.#wires.delete(figure);
    this.#skins.delete(figure);
    this.figures.delete(number);
    if (this.chosen === figure) this.chosen = null;
    this.#measure();
    this.invalidate();
  }

  /** @param {Figure} figure @param {Place} place */
  place(figure, place) {
    if (!figure.moveTo(place)) return;
    this.#measure();
    this.invalidate();
  }

  /** A shape that cannot be pulled, shown where a body stands or beside all; null ends it. @param {Body | null} shape @param {Figure | null} [instead] */
  preview(shape, instead = null) {
    for (const figure of this.figures.values()) figure.hidden = false;
    this.remove(PREVIEW);
    if (!shape) return;
    const place = instead ?? { position: this.#beside(shape), turn: /** @type {import("./math.js").Quat} */ ([0, 0, 0, 1]) };
    if (instead) {
      this.stop(instead);
      instead.hidden = true;
    }
    this.add(shape, place);
    this.lookAtAll(this.figures.size === 1 && !this.ready);
  }

  /** Room for a shape to the right of all that stands there. @param {Body} shape @returns {Vec3} */
  #beside({ bounds }) {
    const all = this.scene.bounds;
    return all ? [all.max[0] - bounds.min[0] + 0.3 * bounds.radius, all.min[1] - bounds.min[1], 0] : [0, 0, 0];
  }

  /** From the front, so that all bodies are in the picture. @param {boolean} [atOnce] */
  lookAtAll(atOnce = false) {
    if (this.scene.bounds) this.camera.frame(this.scene.bounds, atOnce);
    this.invalidate();
  }

  /** Shows poses of the page's own until another is asked for. @param {Figure} figure @param {import("./figure.js").Play} play */
  play(figure, play) {
    this.stop(figure);
    figure.play = play;
    this.invalidate();
  }

  /** The pose of the server again. @param {Figure} figure */
  stop(figure) {
    const { play } = figure;
    figure.play = null;
    play?.stopped();
    this.invalidate();
  }

  /** @param {Figure} figure @param {Uint8Array} pinned a byte for each vertex */
  showPins(figure, pinned) {
    this.#skins.get(figure)?.surface.setPins(pinned);
    this.invalidate();
  }

  /** Colours a body by a number at each vertex. @param {Figure} figure @param {Float32Array | null} values null: its own colours @param {number} [high] what the last colour means @param {boolean} [isDifference] white to red */
  colour(figure, values, high = 1, isDifference = false) {
    this.#skins.get(figure)?.colour(values, high, isDifference);
    this.invalidate();
  }

  /** The same for the second picture. @param {Figure} figure @param {Float32Array | null} values @param {number} [high] @param {boolean} [isDifference] */
  colourTwin(figure, values, high = 1, isDifference = false) {
    const skin = this.#skins.get(figure);
    skin?.swap();
    skin?.colour(values, high, isDifference);
    skin?.swap();
    this.invalidate();
  }

  /** A small picture of a shape that does not stand there. @param {Body} shape @param {Camera} camera @param {number} width @param {number} height pixels */
  portrait(shape, camera, width, height) {
    const layer = new SurfaceLayer(this.scene.gl, new Figure(shape), this.scene.deformPrograms);
    layer.prepare();
    const image = this.scene.small(layer, shape.bounds, camera, width, height, this.scene.look);
    layer.dispose();
    return image;
  }

  /** A small picture of a body in a pose. @param {Figure} figure @param {Float32Array} q @param {Camera} camera @param {number} width @param {number} height pixels */
  small(figure, q, camera, width, height) {
    const skin = this.#skins.get(figure);
    skin?.deformation.update(q);
    return skin ? this.scene.small(skin, figure.bounds, camera, width, height, this.scene.look) : null;
  }

  /** Whether the edges of all bodies are drawn. */
  get isWired() {
    return this.#isWired;
  }

  set isWired(on) {
    this.#isWired = on;
    for (const figure of this.figures.values()) figure.isWired = on;
  }

  /** Where U q is added for the chosen body. @returns {"gpu" | "cpu"} */
  get renderer() {
    const skin = this.chosen && this.#skins.get(this.chosen);
    return skin ? (skin.deformation.onCard ? "gpu" : "cpu") : this.scene.context.renderer;
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
    for (const hook of this.before) hook(this.scene.lines);
    if (this.twin) this.#drawTwin(this.twin);
    this.scene.draw(this.camera);
  }

  /** Draws the other colours on the stage, takes what is free of it, and leaves the stage to its own. @param {HTMLCanvasElement} twin */
  #drawTwin(twin) {
    const context = twin.getContext("2d");
    const density = this.canvas.width / Math.max(1, this.camera.width);
    const [x, width, height] = [Math.round(this.cut * density), Math.round((this.camera.width - this.cut) * density), this.canvas.height];
    if (!context || width < 1) return;
    for (const skin of this.#skins.values()) skin.swap();
    this.scene.draw(this.camera);
    if (twin.width !== width || twin.height !== height) [twin.width, twin.height] = [width, height];
    context.drawImage(this.canvas, x, 0, width, height, 0, 0, width, height);
    for (const skin of this.#skins.values()) skin.swap();
  }

  /** Where a vertex of the chosen body is, m. @param {number} vertex @returns {Vec3} */
  position(vertex) {
    if (!this.chosen) throw new Error("There is no body yet.");
    return this.chosen.at(vertex);
  }

  /** Where a vertex of the chosen body is on the screen, and whether nothing is before it. @param {number} vertex @returns {[number, number, boolean]} */
  project(vertex) {
    const point = this.position(vertex);
    const [x, y, ahead] = this.camera.project(point);
    const { left, top } = this.canvas.getBoundingClientRect();
    const hit = this.pick(left + x, top + y);
    const { origin } = this.camera.ray(x, y);
    const distance = Math.hypot(point[0] - origin[0], point[1] - origin[1], point[2] - origin[2]);
    const inside = x >= 0 && y >= 0 && x < this.camera.width && y < this.camera.height;
    return [left + x, top + y, ahead && inside && (!hit || hit.distance > distance * 0.999)];
  }

  /** What lies under a place of the page, of whichever body. @param {number} clientX @param {number} clientY @returns {Hit | null} */
  pick(clientX, clientY) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const { origin, direction } = this.camera.ray(clientX - left, clientY - top);
    /** @type {Hit | null} */ let nearest = null;
    for (const figure of this.figures.values()) {
      const hit = figure.hidden ? null : figure.pick(origin, direction);
      if (hit && (!nearest || hit.distance < nearest.distance)) nearest = hit;
    }
    return nearest;
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

  /** Corners of all bodies: what picking looks at. */
  get corners() {
    return [...this.figures.values()].reduce((sum, { shape }) => sum + shape.triangles.length, 0);
  }

  /** The box around all bodies at rest, for the lamp, the ground and the eye. */
  #measure() {
    const boxes = [...this.figures.values()].map(({ bounds }) => bounds);
    this.scene.bounds = boxes.length ? around(boxes) : null;
    if (this.scene.bounds) this.camera.around(this.scene.bounds);
  }

  #fit() {
    const { clientWidth, clientHeight } = this.canvas;
    this.camera.resize(clientWidth, clientHeight);
    this.scene.resize(clientWidth, clientHeight);
  }

  /**
   * Keeps up with the bodies: below twenty-five pictures a second they get coarser, and sharp again once nothing moves.
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
    if (this.figures.size && !this.#isBegun) {
      this.#isBegun = true;
      this.firstOfAll();
    }
    const live = [...this.figures.values()].filter(({ number }) => number !== PREVIEW);
    if (live.length && !this.ready) {
      this.ready = true;
      this.first();
    }
    if (moves || live.some(({ play }) => play)) this.invalidate();
  }
}
