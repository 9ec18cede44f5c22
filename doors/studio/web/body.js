/**
 * The body as the page holds it: rest positions X, basis U, and from coordinates q the shape
 * ```text
 * x = X + U q                                                  B12 in docs/papers.md, section 2.1
 * ```
 * on the processor. Graphics hardware does the same sum for every frame (gl/deform.js); here it serves picking, scripts,
 * and software renderers, where JavaScript is faster than a shader that runs on the same processor.
 */

import { add, boundsOf, cross, dot, scale, subtract } from "./math.js";
import { halvesToFloats, readSafetensors } from "./safetensors.js";

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./safetensors.js").Tensor} Tensor */
/** @typedef {{ vertex: number, triangle: number, point: Vec3, distance: number }} Hit */

export class Body {
  /** @type {Float32Array | null} (r, 3m), widened when first needed */ #wide = null;
  /** @type {Float32Array | null} */ #shape = null;
  /** @type {Float32Array | null} the q of `#shape` */ #shapeOf = null;

  /** @param {Map<string, Tensor>} tensors @param {number} number B of the protocol; 0 for a preview */
  constructor(tensors, number) {
    const get = (/** @type {string} */ name) => {
      const tensor = tensors.get(name);
      if (!tensor) throw new Error(`The server sent a body without "${name}"; is it of another version than this page?`);
      return tensor;
    };
    this.number = number;
    this.rest = /** @type {Float32Array} */ (get("rest").data);
    this.count = this.rest.length / 3;
    this.triangles = /** @type {Uint32Array} */ (tensors.get("triangles")?.data ?? new Uint32Array(0));
    this.tets = /** @type {Uint32Array} */ (tensors.get("tets")?.data ?? new Uint32Array(0));
    this.halves = /** @type {Uint16Array} */ (tensors.get("basis")?.data ?? new Uint16Array(0));
    this.scales = /** @type {Float32Array} */ (tensors.get("basis_scale")?.data ?? new Float32Array(0));
    this.rank = this.scales.length;
    this.pinned = /** @type {Uint8Array} */ (tensors.get("pinned")?.data ?? new Uint8Array(this.count));
    this.colours = /** @type {Uint8Array | null} */ (tensors.get("colours")?.data ?? null);
    this.cubature = /** @type {Uint32Array} */ (tensors.get("cubature")?.data ?? new Uint32Array(0));
    this.bounds = boundsOf(this.rest);
  }

  /** @param {string} address @param {number} number @returns {Promise<Body>} */
  static async fetch(address, number) {
    return new Body(await fetchTensors(address), number);
  }

  /** U in 32 bits, (r, 3m). */
  get basis() {
    return (this.#wide ??= halvesToFloats(this.halves, this.scales));
  }

  /** x = X + U q for all vertices. Kept until q changes. @param {Float32Array} q @returns {Float32Array} */
  deform(q) {
    const before = this.#shapeOf;
    if (this.#shape && before && before.length === q.length && before.every((x, k) => x === q[k])) return this.#shape;
    const out = (this.#shape ??= new Float32Array(this.rest.length));
    out.set(this.rest);
    const U = this.basis;
    const size = out.length;
    for (let k = 0; k < Math.min(q.length, this.rank); k++) {
      const amount = q[k];
      if (amount === 0) continue;
      const row = k * size;
      for (let i = 0; i < size; i++) out[i] += amount * U[row + i];
    }
    this.#shapeOf = q.slice();
    return out;
  }

  /** x of one vertex. @param {number} vertex @param {Float32Array} q @returns {Vec3} */
  position(vertex, q) {
    /** @type {Vec3} */ const out = [this.rest[3 * vertex], this.rest[3 * vertex + 1], this.rest[3 * vertex + 2]];
    const U = this.basis;
    for (let k = 0; k < Math.min(q.length, this.rank); k++) {
      const at = k * this.rest.length + 3 * vertex;
      for (let c = 0; c < 3; c++) out[c] += q[k] * U[at + c];
    }
    return out;
  }

  /**
   * The nearest triangle that the ray meets, from either side, and the corner of it that is nearest to the hit
   * (MT97 in docs/papers.md).
   * @param {Vec3} origin @param {Vec3} direction @param {Float32Array} q @returns {Hit | null}
   */
  pick(origin, direction, q) {
    const x = this.deform(q);
    const T = this.triangles;
    let best = Infinity, triangle = -1, bestU = 0, bestV = 0;
    const [dx, dy, dz] = direction;
    for (let i = 0; i < T.length; i += 3) {
      const a = 3 * T[i], b = 3 * T[i + 1], c = 3 * T[i + 2];
      const e1x = x[b] - x[a], e1y = x[b + 1] - x[a + 1], e1z = x[b + 2] - x[a + 2];
      const e2x = x[c] - x[a], e2y = x[c + 1] - x[a + 1], e2z = x[c + 2] - x[a + 2];
      const px = dy * e2z - dz * e2y, py = dz * e2x - dx * e2z, pz = dx * e2y - dy * e2x;
      const determinant = e1x * px + e1y * py + e1z * pz;
      if (determinant === 0) continue;
      const sx = origin[0] - x[a], sy = origin[1] - x[a + 1], sz = origin[2] - x[a + 2];
      const u = (sx * px + sy * py + sz * pz) / determinant;
      if (u < 0 || u > 1) continue;
      const qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x;
      const v = (dx * qx + dy * qy + dz * qz) / determinant;
      if (v < 0 || u + v > 1) continue;
      const t = (e2x * qx + e2y * qy + e2z * qz) / determinant;
      if (t > 0 && t < best) [best, triangle, bestU, bestV] = [t, i / 3, u, v];
    }
    if (triangle < 0) return null;
    const weights = [1 - bestU - bestV, bestU, bestV];
    const corner = weights.indexOf(Math.max(...weights));
    return { vertex: T[3 * triangle + corner], triangle, distance: best, point: add(origin, scale(direction, best)) };
  }

  /**
   * Normals of the vertices, weighted by area. Sums over triangles, so that open boundaries need no care.
   * @param {Float32Array} x @param {Float32Array} out (m, 3), need not be of unit length
   */
  normals(x, out) {
    out.fill(0);
    const T = this.triangles;
    for (let i = 0; i < T.length; i += 3) {
      const a = 3 * T[i], b = 3 * T[i + 1], c = 3 * T[i + 2];
      const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
      const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
      const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
      out[a] += nx; out[a + 1] += ny; out[a + 2] += nz;
      out[b] += nx; out[b + 1] += ny; out[b + 2] += nz;
      out[c] += nx; out[c + 1] += ny; out[c + 2] += nz;
    }
  }

  /** Whether the triangle looks towards the eye. @param {number} triangle @param {Vec3} eye @param {Float32Array} q */
  faces(triangle, eye, q) {
    const x = this.deform(q);
    const corner = (/** @type {number} */ i) => {
      const at = 3 * this.triangles[3 * triangle + i];
      return /** @type {Vec3} */ ([x[at], x[at + 1], x[at + 2]]);
    };
    const [a, b, c] = [corner(0), corner(1), corner(2)];
    return dot(cross(subtract(b, a), subtract(c, a)), subtract(eye, a)) > 0;
  }
}

/** @param {string} address @returns {Promise<Map<string, Tensor>>} */
export async function fetchTensors(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(await sentenceOf(response));
  return readSafetensors(await response.arrayBuffer());
}

/** What the server says in an answer that is an error. @param {Response} response @returns {Promise<string>} */
export async function sentenceOf(response) {
  try {
    return String((await response.json()).error);
  } catch {
    return `The server answered ${response.status} ${response.statusText}.`;
  }
}
