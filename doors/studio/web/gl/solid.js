/**
 * The tets of a body behind a plane, as a layer of the picture: the faces that bound them, flat.
 *
 * A face between two tets that are both shown cannot be seen; only faces with one shown tet are drawn. Tets of the
 * cubature are shown on both sides of the plane: those before it float where the body was cut away.
 */

import { Deformation } from "./deform.js";
import { deformerOf } from "./deformers.js";
import { SOLID } from "./layer.js";

/** @typedef {import("../body.js").Body} Body */
/** @typedef {import("./context.js").GL} GL */
/** @typedef {import("../math.js").Vec3} Vec3 */

/** Corners opposite to 0, 1, 2, 3. */
const FACES = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

export class SolidLayer {
  order = SOLID;
  #corners = 0;

  /**
   * @param {GL} gl @param {import("../figure.js").Figure} figure whose inside it is @param {Body} body with tets
   * @param {import("./deform.js").DeformPrograms | null} programs null: on the processor
   */
  constructor(gl, figure, body, programs) {
    this.gl = gl;
    this.figure = figure;
    this.body = body;
    this.deformation = new Deformation(gl, body, programs);
    this.special = new Uint8Array(body.tets.length / 4);
    for (const tet of body.cubature) this.special[tet] = 1;
    this.neighbours = neighboursOf(body.tets, body.count);
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const place of [0, 1]) {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribIPointer(place, 1, gl.UNSIGNED_INT, 8, 4 * place);
    }
    gl.bindVertexArray(null);
  }

  prepare() {
    if (!this.figure.hidden) this.deformation.update(this.figure.pose);
  }

  /** @param {import("../math.js").Mat4} lamp @param {import("./light.js").LightPrograms} programs */
  shadow(lamp, programs) {
    const deformer = deformerOf(this.figure);
    deformer.set(programs.of("shadow", deformer).use(), this.figure).matrix("view", lamp).texture("positions", 0, this.deformation.positions);
    this.#drawFaces();
  }

  /** @param {import("./layer.js").Pass} pass */
  draw({ view, look, programs, light }) {
    const deformer = deformerOf(this.figure);
    light(deformer.set(programs.of("solid", deformer).use(), this.figure)).matrix("view", view)
      .texture("positions", 0, this.deformation.positions).vec("colour", look.flesh).vec("pinColour", look.rubber);
    this.#drawFaces();
  }

  /**
   * Shows the tets whose centroid at rest has n·x ≤ offset.
   * @param {Vec3} normal @param {number} offset metre @param {boolean} cubature whether its tets stand out
   */
  cut(normal, offset, cubature) {
    const { rest, tets } = this.body;
    const count = tets.length / 4;
    const shown = new Uint8Array(count);
    for (let t = 0; t < count; t++) {
      let sum = 0;
      for (let c = 0; c < 4; c++) {
        const at = 3 * tets[4 * t + c];
        sum += normal[0] * rest[at] + normal[1] * rest[at + 1] + normal[2] * rest[at + 2];
      }
      shown[t] = sum / 4 <= offset || (cubature && this.special[t]) ? 1 : 0;
    }
    const corners = [];
    for (let t = 0; t < count; t++) {
      if (!shown[t]) continue;
      for (let f = 0; f < 4; f++) {
        const other = this.neighbours[4 * t + f];
        if (other >= 0 && shown[other]) continue;
        for (const c of FACES[f]) corners.push(tets[4 * t + c], cubature ? this.special[t] : 0);
      }
    }
    this.#corners = corners.length / 2;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, new Uint32Array(corners), this.gl.DYNAMIC_DRAW);
  }

  #drawFaces() {
    if (this.figure.hidden) return;
    this.gl.bindVertexArray(this.array);
    this.gl.drawArrays(this.gl.TRIANGLES, 0, this.#corners);
    this.gl.bindVertexArray(null);
  }

  dispose() {
    this.deformation.dispose();
    this.gl.deleteBuffer(this.buffer);
    this.gl.deleteVertexArray(this.array);
  }
}

/**
 * For each face of each tet the tet on its other side, −1 where there is none.
 * @param {Uint32Array} tets @param {number} vertices @returns {Int32Array}
 */
function neighboursOf(tets, vertices) {
  const out = new Int32Array(tets.length).fill(-1);
  // A face is named by its lowest corner (a bucket) and the two others (a number that fits 53 bits).
  /** @type {Map<number, number>[]} */ const buckets = [];
  for (let i = 0; i < tets.length; i++) {
    const t = i >> 2;
    const face = FACES[i & 3].map((c) => tets[4 * t + c]).sort((a, b) => a - b);
    const bucket = (buckets[face[0]] ??= new Map());
    const key = face[1] * vertices + face[2];
    const twin = bucket.get(key);
    if (twin === undefined) bucket.set(key, i);
    else [out[i], out[twin]] = [twin >> 2, t];
  }
  return out;
}
