/**
 * The skin of a body, as a layer of the picture; and the triangles of a body on the graphics card: for each corner the number of its vertex and a colour.
 *
 * Neighbouring triangles may have different colours (an eye ends where the skin begins), while position and normal, fetched
 * by the number of the vertex, stay common. Corners of the same vertex and colour are one.
 */

import { ROW, rowsFor, table } from "./context.js";
import { Deformation, fillRows } from "./deform.js";
import { deformerOf } from "./deformers.js";
import { Field } from "./field.js";
import { CLEAR, SOLID } from "./layer.js";

/** @typedef {import("../body.js").Body} Body */
/** @typedef {import("./context.js").GL} GL */
/** @typedef {import("../figure.js").Figure} Figure */
/** @typedef {import("./layer.js").Pass} Pass */

export class SurfaceLayer {
  /** @param {GL} gl @param {Figure} figure @param {import("./deform.js").DeformPrograms | null} programs null: on the processor */
  constructor(gl, figure, programs) {
    this.gl = gl;
    this.figure = figure;
    this.deformation = new Deformation(gl, figure.shape, programs);
    this.surface = new Surface(gl, figure.shape);
    /** What it is coloured by, where that is a number at each vertex. @type {Field | null} */
    this.field = null;
    /** The same for the picture beside, where there are two. @type {Field | null} */
    this.twin = null;
  }

  /** What the picture beside is coloured by becomes what this one is, and the other way round. */
  swap() {
    [this.field, this.twin] = [this.twin, this.field];
  }

  /** @param {Float32Array | null} values one for each vertex; null: its own colours @param {number} high what the last colour means @param {boolean} [isDifference] white to red */
  colour(values, high, isDifference = false) {
    if (!values) {
      this.field?.dispose();
      this.field = null;
      return;
    }
    this.field ??= new Field(this.gl, this.figure.shape.count);
    this.field.set(values, high, isDifference);
  }

  /** An open body has a skin of glass, which lets see what was drawn before. */
  get order() {
    return this.figure.isOpen ? CLEAR : SOLID;
  }

  prepare() {
    if (!this.figure.hidden) this.deformation.update(this.figure.pose);
  }

  /** @param {import("../math.js").Mat4} lamp @param {import("./light.js").LightPrograms} programs */
  shadow(lamp, programs) {
    const { figure } = this;
    if (figure.hidden || figure.isOpen) return;
    const deformer = deformerOf(figure);
    deformer.set(programs.of("shadow", deformer).use(), figure).matrix("view", lamp).texture("positions", 0, this.deformation.positions);
    this.surface.draw();
  }

  /** @param {Pass} pass */
  draw({ view, look, programs, light }) {
    const { gl, figure, surface, deformation } = this;
    if (figure.hidden) return;
    if (figure.isOpen) {
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.enable(gl.CULL_FACE);
      gl.depthMask(false);
    }
    const deformer = deformerOf(figure);
    const program = deformer.set(programs.of(figure.isOpen ? "glass" : this.field ? "field" : "skin", deformer).use(), figure);
    if (this.field) program.texture("field", 5, this.field.texture).float("high", this.field.high).float("difference", this.field.isDifference ? 1 : 0);
    light(program).matrix("view", view).texture("positions", 0, deformation.positions).texture("normals", 1, deformation.normals)
      .texture("pins", 2, surface.pins).float("painted", surface.painted ? 1 : 0).vec("colour", look.rubber)
      .vec("pinColour", look.pin).float("pinShown", figure.pinShown);
    surface.draw();
    gl.disable(gl.BLEND);
    gl.disable(gl.CULL_FACE);
    gl.depthMask(true);
  }

  dispose() {
    this.field?.dispose();
    this.twin?.dispose();
    this.deformation.dispose();
    this.surface.dispose();
  }
}

class Surface {
  /** @param {GL} gl @param {Body} body */
  constructor(gl, body) {
    this.gl = gl;
    this.corners = body.triangles.length;
    this.painted = body.colours !== null;
    const stride = 8;
    const { bytes, indices } = corners(body, stride);
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, stride, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.UNSIGNED_BYTE, true, stride, 4);
    this.indices = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    this.pins = table(gl, gl.R8, ROW, rowsFor(body.count));
    this.setPins(body.pinned);
  }

  /** @param {Uint8Array} pinned a byte for each vertex, 1 where it is pinned */
  setPins(pinned) {
    const { gl } = this;
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    fillRows(gl, this.pins, gl.RED, gl.UNSIGNED_BYTE, pinned.map((x) => (x ? 255 : 0)), 1);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);
  }

  draw() {
    this.gl.bindVertexArray(this.array);
    this.gl.drawElements(this.gl.TRIANGLES, this.corners, this.gl.UNSIGNED_INT, 0);
    this.gl.bindVertexArray(null);
  }

  dispose() {
    this.gl.deleteTexture(this.pins);
    this.gl.deleteBuffer(this.buffer);
    this.gl.deleteBuffer(this.indices);
    this.gl.deleteVertexArray(this.array);
  }
}

/**
 * @param {Body} body @param {number} stride bytes of a corner
 * @returns {{ bytes: ArrayBuffer, indices: Uint32Array<ArrayBuffer> }} corners that differ, and which of them each triangle has
 */
function corners({ triangles, colours, count }, stride) {
  const indices = new Uint32Array(triangles.length);
  const first = new Int32Array(count).fill(-1); // of each vertex, its corners as a list
  /** @type {number[]} */ const vertex = [];
  /** @type {number[]} */ const colour = [];
  /** @type {number[]} */ const next = [];
  for (let i = 0; i < triangles.length; i++) {
    const v = triangles[i], t = 3 * Math.floor(i / 3);
    const tint = colours ? colours[t] | (colours[t + 1] << 8) | (colours[t + 2] << 16) : 0xffffff;
    let corner = first[v];
    while (corner >= 0 && colour[corner] !== tint) corner = next[corner];
    if (corner < 0) {
      corner = vertex.push(v) - 1;
      colour.push(tint);
      next.push(first[v]);
      first[v] = corner;
    }
    indices[i] = corner;
  }
  const bytes = new ArrayBuffer(stride * vertex.length);
  const words = new Uint32Array(bytes);
  for (let c = 0; c < vertex.length; c++) words.set([vertex[c], colour[c]], 2 * c);
  return { bytes, indices };
}
