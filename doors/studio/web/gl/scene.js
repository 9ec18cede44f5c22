/**
 * One picture: what the layers prepare, the lamp's shadow of them, the ground, the layers.
 *
 * The scene knows nothing of the server or of panels, and not what its layers are: it is given a camera and a box around what
 * there is to see. Small pictures (the gallery of modes) go through the same passes into a texture and are read back.
 */

import { frameOf, openContext, table } from "./context.js";
import { deformPrograms } from "./deform.js";
import { LAMP, LightPrograms } from "./light.js";
import { Lines } from "./lines.js";
import { add, lookAt, multiply, orthographic, scale } from "../math.js";

/** @typedef {import("../camera.js").Camera} Camera */
/** @typedef {import("../math.js").Vec3} Vec3 */
/** @typedef {import("../math.js").Bounds} Bounds */
/** @typedef {import("./layer.js").Layer} Layer */
/** @typedef {import("./layer.js").Pass} Pass */

/**
 * @typedef {object} Look colours of the page's theme, sRGB, 0 to 1
 * @property {Vec3} far @property {Vec3} near background at its edge and behind the body
 * @property {Vec3} sky @property {Vec3} bounce light from above and from the ground
 * @property {Vec3} rubber a body that brings no colours @property {Vec3} flesh the tets inside
 * @property {Vec3} pin @property {Vec3} accent @property {number} shadow strength, 0 to 1
 */

export class Scene {
  /** @type {Layer[]} */ layers = [];
  /** A box around what is drawn. @type {Bounds | null} */ bounds = null;
  /** @type {Look} */ look = {
    far: [0.85, 0.87, 0.9], near: [0.96, 0.97, 0.98], sky: [0.5, 0.52, 0.56], bounce: [0.26, 0.24, 0.23],
    rubber: [0.9, 0.35, 0.26], flesh: [0.8, 0.83, 0.88], pin: [0.16, 0.42, 0.95], accent: [0.2, 0.36, 0.86], shadow: 1,
  };
  /** @type {{ texture: WebGLTexture, frame: WebGLFramebuffer, size: [number, number] } | null} */ coarse = null;
  /** Part of the sharpness that the screen has; lowered while drawing is too slow to follow. */ sharpness = 1;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    // As most screens have it; a sharp one is fitted when it is known that a card draws.
    [canvas.width, canvas.height] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * Math.min(1, window.devicePixelRatio || 1))));
    const context = openContext(canvas);
    this.context = context;
    this.gl = context.gl;
    this.programs = new LightPrograms(this.gl, context.software);
    this.deformPrograms = context.renderer === "gpu" ? deformPrograms(this.gl) : null;
    this.lines = new Lines(this.gl);
    this.layers.push(this.lines);
    this.#makeShadow(context.software ? 768 : 2048);
  }

  /** @param {number} size texels */
  #makeShadow(size) {
    const { gl } = this;
    this.shadowSize = size;
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, key, gl.NEAREST);
    for (const key of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, key, gl.CLAMP_TO_EDGE);
    // Read in two ways: as distances, and compared with a distance and smoothed.
    this.compare = gl.createSampler();
    gl.samplerParameteri(this.compare, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.samplerParameteri(this.compare, gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL);
    for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.samplerParameteri(this.compare, key, gl.LINEAR);
    for (const key of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.samplerParameteri(this.compare, key, gl.CLAMP_TO_EDGE);
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** @template {Layer} T @param {T} layer @returns {T} */
  add(layer) {
    this.layers.push(layer);
    return layer;
  }

  /** @param {Layer} layer */
  remove(layer) {
    this.layers = this.layers.filter((other) => other !== layer);
    layer.dispose?.();
  }

  /** Fits the drawing buffer to the page. @param {number} width @param {number} height CSS pixels */
  resize(width, height) {
    this.density = this.sharpness * Math.min(this.context.software ? 1 : 2, window.devicePixelRatio || 1);
    const [w, h] = [Math.max(1, Math.round(width * this.density)), Math.max(1, Math.round(height * this.density))];
    if (this.canvas.width !== w || this.canvas.height !== h) [this.canvas.width, this.canvas.height] = [w, h];
  }

  /** @param {Camera} camera */
  draw(camera) {
    const { gl, canvas } = this;
    for (const layer of this.layers) layer.prepare?.();
    this.#shadows(this.layers);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    this.#picture(this.layers, camera, canvas.width, canvas.height, this.look);
  }

  /**
   * A small picture of one layer, which is as it is to be seen.
   * @param {Layer} layer @param {Bounds} bounds of it @param {Camera} camera @param {number} width @param {number} height pixels
   * @param {Look} look @returns {ImageData}
   */
  small(layer, bounds, camera, width, height, look) {
    const { gl } = this;
    const frame = gl.createFramebuffer(), colour = gl.createRenderbuffer(), depth = gl.createRenderbuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    for (const [buffer, format, place] of /** @type {[WebGLRenderbuffer, number, number][]} */ ([
      [colour, gl.RGBA8, gl.COLOR_ATTACHMENT0], [depth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT]])) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
    const whole = this.bounds;
    this.bounds = bounds;
    this.#shadows([layer]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    this.#picture([layer], camera, width, height, look);
    this.bounds = whole;
    const pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.deleteFramebuffer(frame);
    gl.deleteRenderbuffer(colour);
    gl.deleteRenderbuffer(depth);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const image = new ImageData(width, height);
    for (let row = 0; row < height; row++) // WebGL counts rows from below
      image.data.set(pixels.subarray(4 * width * row, 4 * width * (row + 1)), 4 * width * (height - 1 - row));
    return image;
  }

  /** The lamp's view of them. @param {Layer[]} layers */
  #shadows(layers) {
    const { gl, bounds } = this;
    if (!bounds || !this.shadowMap) return;
    const { centre, radius } = bounds;
    const half = radius * 1.7, away = radius * 4;
    const lamp = multiply(orthographic(half, away - radius * 3.5, away + radius * 3.5), lookAt(add(centre, scale(LAMP, away)), centre));
    this.lamp = lamp;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame ?? null);
    gl.viewport(0, 0, this.shadowSize ?? 1, this.shadowSize ?? 1);
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    gl.depthFunc(gl.LEQUAL);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    for (const layer of layers) layer.shadow?.(lamp, this.programs);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  /** @param {Layer[]} layers @param {Camera} camera @param {number} width @param {number} height @param {Look} look */
  #picture(layers, camera, width, height, look) {
    const { gl, bounds, programs } = this;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...look.far, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (!bounds) return;
    const light = (/** @type {import("./context.js").Program} */ program) => this.#light(program, camera, bounds, look);
    this.#ground(light, camera, bounds, width, height, look);
    gl.enable(gl.DEPTH_TEST);
    /** @type {Pass} */
    const pass = { camera, view: camera.matrix(), picture: [width, height], density: this.density ?? 1, look, programs, light };
    for (const layer of layers.toSorted((a, b) => a.order - b.order)) layer.draw?.(pass);
  }

  /** @param {Pass["light"]} light @param {Camera} camera @param {Bounds} bounds @param {number} width @param {number} height @param {Look} look */
  #ground(light, camera, bounds, width, height, look) {
    const { gl, programs } = this;
    const { forward, right, up } = camera.axes();
    gl.disable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    const coarse = this.context.software ? this.#coarse(Math.ceil(width / 3), Math.ceil(height / 3)) : null;
    const target = gl.getParameter(gl.FRAMEBUFFER_BINDING);
    const [w, h] = coarse ? coarse.size : [width, height];
    if (coarse) gl.bindFramebuffer(gl.FRAMEBUFFER, coarse.frame);
    gl.viewport(0, 0, w, h);
    light(programs.ground.use()).vec("far", look.far).vec("near", look.near).vec("middle", bounds.centre)
      .vec("picture", [w, h]).vec("shift", camera.shift).vec("rayForward", forward)
      .vec("rayRight", scale(right, camera.slope * camera.aspect)).vec("rayUp", scale(up, camera.slope));
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (!coarse) return;
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, width, height);
    programs.copy.use().texture("image", 0, coarse.texture).vec("picture", [width, height]);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  /** A small picture of the ground, smoothed when it is copied. @param {number} width @param {number} height */
  #coarse(width, height) {
    const { gl } = this;
    if (this.coarse?.size[0] === width && this.coarse.size[1] === height) return this.coarse;
    if (this.coarse) {
      gl.deleteTexture(this.coarse.texture);
      gl.deleteFramebuffer(this.coarse.frame);
    }
    const target = gl.getParameter(gl.FRAMEBUFFER_BINDING);
    const texture = table(gl, gl.RGBA8, width, height);
    for (const key of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, key, gl.LINEAR);
    this.coarse = { texture, frame: frameOf(gl, texture), size: [width, height] };
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    return this.coarse;
  }

  /** @param {import("./context.js").Program} program @param {Camera} camera @param {Bounds} bounds @param {Look} look */
  #light(program, camera, bounds, look) {
    if (this.shadowMap && this.lamp) {
      program.texture("shadows", 3, this.shadowMap).texture("shade", 4, this.shadowMap).matrix("lamp", this.lamp);
      this.gl.bindSampler(4, this.compare ?? null);
    }
    return program.vec("toLamp", LAMP).vec("eye", camera.axes().eye).vec("sky", look.sky).vec("bounce", look.bounce)
      .float("spread", 0.35).float("floorY", bounds.min[1]).float("size", bounds.radius).float("shadowStrength", look.shadow);
  }
}
