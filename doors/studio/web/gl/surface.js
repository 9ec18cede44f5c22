/**
 * The triangles of a body on the graphics card: for each corner the number of its vertex and a colour.
 *
 * Neighbouring triangles may have different colours (an eye ends where the skin begins), while position and normal, fetched
 * by the number of the vertex, stay common. Corners of the same vertex and colour are one.
 */

import { ROW, rowsFor, table } from "./context.js";
import { fillRows } from "./deform.js";

/** @typedef {import("../body.js").Body} Body */
/** @typedef {import("./context.js").GL} GL */

export class Surface {
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
