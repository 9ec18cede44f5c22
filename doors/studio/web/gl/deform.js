/**
 * x = X + U q and the normals of x, as two textures with a texel for each vertex.
 *
 * On graphics hardware in two passes: (1) positions, a sum over the coordinates with U in half floats, one layer of an array
 * texture for each; (2) normals, a sum over each vertex's one-ring (gl/rings.js) of the positions of pass 1. That is r + 7
 * fetches a vertex, where normals from neighbours inside a vertex shader would take seven times r.
 * On a software renderer the processor makes both and uploads them. Everything that draws reads the same textures.
 */

import { COVER, Program, ROW, frameOf, rowsFor, table, unfiltered } from "./context.js";
import { ringsOf } from "./rings.js";

/** @typedef {import("../body.js").Body} Body */
/** @typedef {import("./context.js").GL} GL */
/** @typedef {{ position: Program, normal: Program }} DeformPrograms */

/** @param {GL} gl @returns {DeformPrograms} */
export const deformPrograms = (gl) => ({
  position: new Program(gl, COVER, POSITION),
  normal: new Program(gl, COVER, NORMAL),
});

/** Positions and normals of one body; a body without triangles (the inside) has no normals. */
export class Deformation {
  /** @type {WebGLTexture[]} */ #textures = [];
  /** @type {Float32Array | null} the pose of the textures */ #of = null;
  /** @type {{ update: (q: Float32Array) => void, dispose: () => void }} */ #way;

  /**
   * @param {GL} gl @param {Body} body
   * @param {DeformPrograms | null} programs null: on the processor
   */
  constructor(gl, body, programs) {
    this.gl = gl;
    this.rows = rowsFor(body.count);
    this.positions = this.#keep(table(gl, gl.RGBA32F, ROW, this.rows));
    this.normals = this.#keep(table(gl, gl.RGBA32F, ROW, this.rows));
    const fits = body.rank <= gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS);
    this.onCard = programs !== null && fits;
    this.#way = programs && fits ? this.#card(body, programs) : this.#processor(body);
  }

  /** Costs nothing where the pose is that of the picture before. @param {Float32Array} q */
  update(q) {
    const before = this.#of;
    if (before && before.length === q.length && before.every((x, k) => x === q[k])) return;
    this.#of = q.slice();
    this.#way.update(q);
  }

  dispose() {
    this.#way.dispose();
    for (const texture of this.#textures) this.gl.deleteTexture(texture);
  }

  /** @param {WebGLTexture} texture */
  #keep(texture) {
    this.#textures.push(texture);
    return texture;
  }

  /** @param {Body} body */
  #processor(body) {
    const { gl } = this;
    const texels = new Float32Array(4 * ROW * this.rows);
    const normals = new Float32Array(body.rest.length);
    const upload = (/** @type {WebGLTexture} */ texture, /** @type {Float32Array} */ vectors) => {
      for (let i = 0, j = 0; i < vectors.length; i += 3, j += 4) {
        texels[j] = vectors[i];
        texels[j + 1] = vectors[i + 1];
        texels[j + 2] = vectors[i + 2];
      }
      gl.bindTexture(gl.TEXTURE_2D, texture);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, this.rows, gl.RGBA, gl.FLOAT, texels);
    };
    return {
      update: (/** @type {Float32Array} */ q) => {
        const x = body.deform(q);
        upload(this.positions, x);
        if (!body.triangles.length) return;
        body.normals(x, normals);
        upload(this.normals, normals);
      },
      dispose: () => {},
    };
  }

  /** @param {Body} body @param {DeformPrograms} programs */
  #card(body, programs) {
    const { gl, rows } = this;
    const rank = Math.max(1, body.rank);
    const rest = this.#keep(table(gl, gl.RGB32F, ROW, rows));
    fillRows(gl, rest, gl.RGB, gl.FLOAT, body.rest, 3);

    const basis = this.#keep(gl.createTexture());
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, basis);
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.RGB16F, ROW, rows, rank);
    unfiltered(gl, gl.TEXTURE_2D_ARRAY);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 2);
    const size = body.rest.length;
    for (let k = 0; k < body.rank; k++) fillLayer(gl, k, body.halves.subarray(k * size, (k + 1) * size));
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 4);

    const coordinates = this.#keep(table(gl, gl.R32F, rank, 1));
    const { starts, ring } = ringsOf(body.triangles, body.count);
    const ringStarts = this.#keep(table(gl, gl.RG32UI, ROW, rows));
    const spans = new Uint32Array(2 * body.count);
    for (let v = 0; v < body.count; v++) spans.set([starts[v], starts[v + 1]], 2 * v);
    fillRows(gl, ringStarts, gl.RG_INTEGER, gl.UNSIGNED_INT, spans, 2);
    const rings = this.#keep(table(gl, gl.R32UI, ROW, rowsFor(ring.length)));
    fillRows(gl, rings, gl.RED_INTEGER, gl.UNSIGNED_INT, ring, 1);

    const toPositions = frameOf(gl, this.positions);
    const toNormals = frameOf(gl, this.normals);
    const scaled = new Float32Array(rank);
    return {
      update: (/** @type {Float32Array} */ q) => {
        for (let k = 0; k < rank; k++) scaled[k] = k < q.length && k < body.rank ? q[k] * body.scales[k] : 0;
        gl.bindTexture(gl.TEXTURE_2D, coordinates);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, rank, 1, gl.RED, gl.FLOAT, scaled);
        gl.disable(gl.DEPTH_TEST);
        gl.disable(gl.BLEND);
        gl.viewport(0, 0, ROW, rows);
        gl.bindFramebuffer(gl.FRAMEBUFFER, toPositions);
        programs.position.use().int("rank", body.rank).texture("rest", 0, rest).texture("q", 1, coordinates)
          .texture("basis", 2, basis, gl.TEXTURE_2D_ARRAY);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        if (body.triangles.length) {
          gl.bindFramebuffer(gl.FRAMEBUFFER, toNormals);
          programs.normal.use().texture("positions", 0, this.positions).texture("spans", 1, ringStarts).texture("rings", 2, rings);
          gl.drawArrays(gl.TRIANGLES, 0, 3);
        }
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      },
      dispose: () => {
        gl.deleteFramebuffer(toPositions);
        gl.deleteFramebuffer(toNormals);
      },
    };
  }
}

/**
 * Whole rows first, then what is left of the last one: no copy of the array is padded.
 * @param {GL} gl @param {WebGLTexture} texture @param {number} format @param {number} type
 * @param {Float32Array | Uint32Array | Uint8Array} data @param {number} width numbers in a texel
 */
export function fillRows(gl, texture, format, type, data, width) {
  gl.bindTexture(gl.TEXTURE_2D, texture);
  const texels = data.length / width, whole = Math.floor(texels / ROW), left = texels - whole * ROW;
  if (whole) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, whole, format, type, data);
  if (left) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, whole, left, 1, format, type, data.subarray(whole * ROW * width));
}

/** @param {GL} gl @param {number} layer @param {Uint16Array} data */
function fillLayer(gl, layer, data) {
  const texels = data.length / 3, whole = Math.floor(texels / ROW), left = texels - whole * ROW;
  if (whole) gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, layer, ROW, whole, 1, gl.RGB, gl.HALF_FLOAT, data);
  if (left)
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, whole, layer, left, 1, 1, gl.RGB, gl.HALF_FLOAT, data.subarray(whole * ROW * 3));
}

const POSITION = `
uniform sampler2D rest, q; uniform sampler2DArray basis; uniform int rank; out vec4 position;
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  vec3 x = texelFetch(rest, at, 0).xyz;
  for (int k = 0; k < rank; k++) x += texelFetch(q, ivec2(k, 0), 0).x * texelFetch(basis, ivec3(at, k), 0).xyz;
  position = vec4(x, 1.);
}`;

const NORMAL = `
uniform sampler2D positions; uniform usampler2D spans, rings; out vec4 normal;
ivec2 texel(uint i) { return ivec2(int(i % ${ROW}u), int(i / ${ROW}u)); }
void main() {
  uvec2 span = texelFetch(spans, ivec2(gl_FragCoord.xy), 0).xy;
  vec3 x = texelFetch(positions, ivec2(gl_FragCoord.xy), 0).xyz, sum = vec3(0), before = vec3(0);
  for (uint i = span.x; i < span.y; i++) {
    uint name = texelFetch(rings, texel(i), 0).x;
    vec3 edge = texelFetch(positions, texel(name & 0x7fffffffu), 0).xyz - x;
    if ((name & 0x80000000u) == 0u) sum += cross(before, edge);
    before = edge;
  }
  normal = vec4(sum, 0.);
}`;
