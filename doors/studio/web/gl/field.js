/**
 * A number at each vertex, as colours: the table of colours, and the texture that the coat `field` (gl/light.js) fetches numbers from.
 *
 * The colours go evenly from dark to light and from blue to yellow, so that they also tell more from less without colour.
 */

import { ROW, rowsFor, table } from "./context.js";
import { fillRows } from "./deform.js";

/** @typedef {import("./context.js").GL} GL */

/** From nothing to most, sRGB, 0 to 255. @type {[number, number, number][]} */
export const MAP = [[46, 32, 98], [50, 72, 156], [38, 118, 166], [34, 158, 142], [96, 190, 92], [184, 208, 62], [250, 222, 70]];

/** The same as a function of a shader. */
export const COLOURS = `
uniform float difference;
vec3 coloured(float x) {
  if (x < 0.) return vec3(0., .447, .698);
  if (difference > .5) return mix(vec3(.969), vec3(.808, .086, .114), min(x, 1.));
  const vec3 map[${MAP.length}] = vec3[](${MAP.map((colour) => `vec3(${colour.map((x) => (x / 255).toFixed(4)).join(", ")})`).join(", ")});
  float at = clamp(x, 0., 1.) * ${(MAP.length - 1).toFixed(1)};
  int i = min(int(at), ${MAP.length - 2});
  return mix(map[i], map[i + 1], at - float(i));
}`;

export class Field {
  /** @param {GL} gl @param {number} count vertices */
  constructor(gl, count) {
    this.gl = gl;
    this.high = 1;
    this.isDifference = false;
    this.texture = table(gl, gl.R32F, ROW, rowsFor(count));
  }

  /** @param {Float32Array} values below zero: blue @param {number} high what the last colour means @param {boolean} isDifference white to red */
  set(values, high, isDifference) {
    this.isDifference = isDifference;
    this.high = high > 0 ? high : 1;
    fillRows(this.gl, this.texture, this.gl.RED, this.gl.FLOAT, values, 1);
  }

  dispose() {
    this.gl.deleteTexture(this.texture);
  }
}
