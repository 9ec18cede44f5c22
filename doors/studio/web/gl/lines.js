/**
 * Springs, dots and rings, a layer over the picture: lines of constant width on the screen, discs that face the eye.
 *
 * WebGL draws lines one pixel wide; so each segment is a rectangle of two triangles, widened after projection. What lies
 * behind the body is drawn faintly instead of hidden, so that a hand behind it is not lost.
 */

import { Program } from "./context.js";
import { OVER } from "./layer.js";

/** @typedef {import("./context.js").GL} GL */
/** @typedef {import("../math.js").Vec3} Vec3 */
/** @typedef {[number, number, number, number]} Colour red, green, blue, opacity; sRGB */

const FLOATS = 11; // two ends, colour, width

export class Lines {
  order = OVER;
  /** @type {number[]} */ #segments = [];

  /** @param {GL} gl */
  constructor(gl) {
    this.gl = gl;
    this.program = new Program(gl, CORNERS, PIXELS);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    [3, 3, 4, 1].reduce((offset, width, place) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, width, gl.FLOAT, false, 4 * FLOATS, offset);
      gl.vertexAttribDivisor(place, 1);
      return offset + 4 * width;
    }, 0);
    gl.bindVertexArray(null);
  }

  clear() {
    this.#segments.length = 0;
  }

  /** @param {Vec3} a @param {Vec3} b @param {Colour} colour @param {number} width pixels */
  segment(a, b, colour, width) {
    this.#segments.push(...a, ...b, ...colour, width);
  }

  /** A segment without length has round ends: a disc. @param {Vec3} at @param {Colour} colour @param {number} width pixels */
  dot(at, colour, width) {
    this.segment(at, at, colour, width);
  }

  /** @param {Vec3[]} points @param {Colour} colour @param {number} width pixels */
  path(points, colour, width) {
    for (let i = 1; i < points.length; i++) this.segment(points[i - 1], points[i], colour, width);
  }

  /** @param {import("./layer.js").Pass} pass */
  draw({ view, picture, density }) {
    const count = this.#segments.length / FLOATS;
    if (!count) return;
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(this.#segments), gl.STREAM_DRAW);
    gl.bindVertexArray(this.array);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(false);
    this.program.use().matrix("view", view).vec("picture", picture).float("density", density);
    for (const [test, opacity] of [[gl.GREATER, 0.28], [gl.LEQUAL, 1]]) {
      gl.depthFunc(test);
      this.program.float("opacity", opacity);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, count);
    }
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.bindVertexArray(null);
  }
}

const CORNERS = `
layout(location = 0) in vec3 a; layout(location = 1) in vec3 b; layout(location = 2) in vec4 colour; layout(location = 3) in float width;
uniform mat4 view; uniform vec2 picture; uniform float density;
out vec4 tint; out vec2 here; out float half_, long_;
void main() {
  vec4 p = view * vec4(a, 1.), q = view * vec4(b, 1.);
  vec2 s = p.xy / p.w * picture * .5, e = q.xy / q.w * picture * .5;
  long_ = length(e - s);
  vec2 along = long_ > .01 ? (e - s) / long_ : vec2(1, 0), across = vec2(-along.y, along.x);
  half_ = width * density * .5;
  bool last = (gl_VertexID & 1) == 1;
  float side = (gl_VertexID & 2) == 0 ? -1. : 1., reach = half_ + 1.;
  here = vec2(last ? long_ + reach : -reach, side * reach);
  vec4 end = last ? q : p;
  vec2 at = s + along * here.x + across * here.y;
  tint = colour;
  gl_Position = vec4(at / (picture * .5) * end.w, end.z - .0015 * end.w, end.w);
}`;

const PIXELS = `
in vec4 tint; in vec2 here; in float half_, long_; uniform float opacity; out vec4 pixel;
void main() {
  float away = length(vec2(here.x - clamp(here.x, 0., long_), here.y));
  pixel = vec4(tint.rgb, tint.a * opacity * clamp(half_ - away + .5, 0., 1.));
}`;
