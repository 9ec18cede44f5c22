/**
 * The triangles of a body on the graphics card: for each corner the number of its vertex and a colour.
 *
 * Corners are not shared, so that neighbouring triangles may have different colours (an eye ends where the skin begins)
 * while position and normal, fetched by the number of the vertex, stay common.
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
    const bytes = new ArrayBuffer(stride * this.corners);
    const words = new Uint32Array(bytes), colours = new Uint8Array(bytes);
    for (let i = 0; i < this.corners; i++) {
      words[2 * i] = body.triangles[i];
      const triangle = (i / 3) | 0;
      for (let c = 0; c < 3; c++) colours[stride * i + 4 + c] = body.colours ? body.colours[3 * triangle + c] : 255;
    }
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribIPointer(0, 1, gl.UNSIGNED_INT, stride, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.UNSIGNED_BYTE, true, stride, 4);
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
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.corners);
    this.gl.bindVertexArray(null);
  }

  dispose() {
    this.gl.deleteTexture(this.pins);
    this.gl.deleteBuffer(this.buffer);
    this.gl.deleteVertexArray(this.array);
  }
}
