/**
 * Affine maps x ↦ L x + o, as twelve numbers row by row: what the server calls `to` (docs/protocol/edit.md).
 */

import { cross, dot, normalize } from "../../math.js";

/** @typedef {import("../../math.js").Vec3} Vec3 */
/** @typedef {number[]} Affine twelve numbers */

/** @type {Affine} */
export const REST = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];

/** @param {Affine} t @param {Vec3} x @returns {Vec3} */
export const apply = (t, x) => [0, 4, 8].map((r) => t[r] * x[0] + t[r + 1] * x[1] + t[r + 2] * x[2] + t[r + 3]).slice(0, 3).reduce((/** @type {Vec3} */ out, v, k) => ((out[k] = v), out), [0, 0, 0]);

/** First a, then b. @param {Affine} a @param {Affine} b @returns {Affine} */
export function then(a, b) {
  const out = [];
  for (let r = 0; r < 3; r++)
    for (let c = 0; c < 4; c++) {
      let sum = c === 3 ? b[4 * r + 3] : 0;
      for (let k = 0; k < 3; k++) sum += b[4 * r + k] * a[4 * k + c];
      out.push(sum);
    }
  return out;
}

/** @param {Vec3} by @returns {Affine} */
export const shift = ([x, y, z]) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];

/** A turn about an axis through a point. @param {Vec3} axis @param {number} angle radian @param {Vec3} about @returns {Affine} */
export function turn(axis, angle, about) {
  const a = normalize(axis), c = Math.cos(angle), s = Math.sin(angle);
  const column = (/** @type {Vec3} */ e) => {
    const along = dot(a, e) * (1 - c), across = cross(a, e);
    return e.map((x, k) => x * c + across[k] * s + a[k] * along);
  };
  const [x, y, z] = [column([1, 0, 0]), column([0, 1, 0]), column([0, 0, 1])];
  const out = [];
  for (let r = 0; r < 3; r++) out.push(x[r], y[r], z[r], about[r] - x[r] * about[0] - y[r] * about[1] - z[r] * about[2]);
  return out;
}
