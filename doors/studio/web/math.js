/**
 * Vectors of three and matrices of four by four, as much of them as the page needs.
 *
 * Vectors are tuples, matrices are column by column as WebGL wants them. Distances are metres.
 */

/** @typedef {[number, number, number]} Vec3 */
/** @typedef {[number, number, number, number]} Quat x, y, z, w of a unit quaternion */
/** @typedef {Float32Array} Mat4 sixteen numbers, column by column */
/** @typedef {{ min: Vec3, max: Vec3, centre: Vec3, radius: number }} Bounds */

/** @param {Vec3} a @param {Vec3} b @returns {Vec3} */
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];

/** @param {Vec3} a @param {Vec3} b @returns {Vec3} */
export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

/** @param {Vec3} a @param {number} s @returns {Vec3} */
export const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];

/** @param {Vec3} a @param {Vec3} b */
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** @param {Vec3} a @param {Vec3} b @returns {Vec3} */
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** @param {Vec3} a */
export const length = (a) => Math.hypot(a[0], a[1], a[2]);

/** @param {Vec3} a @returns {Vec3} the zero vector stays what it is */
export const normalize = (a) => scale(a, 1 / (length(a) || 1));

/** A vector, turned: v + 2 u × (u × v + w v) with u = (x, y, z). @param {Quat} turn @param {Vec3} v @returns {Vec3} */
export function turned(turn, v) {
  /** @type {Vec3} */ const u = [turn[0], turn[1], turn[2]];
  return add(v, scale(cross(u, add(cross(u, v), scale(v, turn[3]))), 2));
}

/** One turn after another: a b, b first. @param {Quat} a @param {Quat} b @returns {Quat} */
export const after = ([x, y, z, w], [a, b, c, d]) => [
  w * a + x * d + y * c - z * b,
  w * b - x * c + y * d + z * a,
  w * c + x * b - y * a + z * d,
  w * d - x * a - y * b - z * c,
];

/** The turn back. @param {Quat} turn @returns {Quat} */
export const back = ([x, y, z, w]) => [-x, -y, -z, w];

/** @param {number} x @param {number} low @param {number} high */
export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

/** @param {Mat4} a @param {Mat4} b @returns {Mat4} a b */
export function multiply(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[k * 4 + row] * b[column * 4 + k];
      out[column * 4 + row] = sum;
    }
  return out;
}

/**
 * The world as seen from `eye`, looking at `target`, y upwards.
 * @param {Vec3} eye @param {Vec3} target @param {Vec3} [up] @returns {Mat4}
 */
export function lookAt(eye, target, up = [0, 1, 0]) {
  const z = normalize(subtract(eye, target));
  const x = normalize(cross(up, z));
  const y = cross(z, x);
  return new Float32Array([
    x[0], y[0], z[0], 0,
    x[1], y[1], z[1], 0,
    x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1,
  ]);
}

/**
 * Perspective whose middle lies `shift` (in parts of half the picture) off the middle of the picture.
 * @param {number} fov vertical, radian @param {number} aspect @param {number} near @param {number} far
 * @param {[number, number]} shift @returns {Mat4}
 */
export function perspective(fov, aspect, near, far, shift) {
  const f = 1 / Math.tan(fov / 2);
  return new Float32Array([
    f / aspect, 0, 0, 0,
    0, f, 0, 0,
    -shift[0], -shift[1], (far + near) / (near - far), -1,
    0, 0, (2 * far * near) / (near - far), 0,
  ]);
}

/** A box of parallel rays, as a lamp far away sees. @param {number} half @param {number} near @param {number} far @returns {Mat4} */
export function orthographic(half, near, far) {
  return new Float32Array([
    1 / half, 0, 0, 0,
    0, 1 / half, 0, 0,
    0, 0, -2 / (far - near), 0,
    0, 0, -(far + near) / (far - near), 1,
  ]);
}

/** @param {Mat4} m @param {Vec3} p @returns {[number, number, number, number]} m (p, 1) */
export const transform = (m, p) => [
  m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12],
  m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13],
  m[2] * p[0] + m[6] * p[1] + m[10] * p[2] + m[14],
  m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15],
];

/** @param {ArrayLike<number>} points x y z, x y z, … @returns {Bounds} */
export function boundsOf(points) {
  /** @type {Vec3} */ const min = [Infinity, Infinity, Infinity];
  /** @type {Vec3} */ const max = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; i++) {
    const axis = i % 3;
    if (points[i] < min[axis]) min[axis] = points[i];
    if (points[i] > max[axis]) max[axis] = points[i];
  }
  const centre = scale(add(min, max), 0.5);
  return { min, max, centre, radius: Math.max(length(subtract(max, min)) / 2, 1e-6) };
}

/** A box around all of them. @param {Bounds[]} boxes at least one @returns {Bounds} */
export const around = (boxes) => boundsOf(boxes.flatMap(({ min, max }) => [...min, ...max]));

/** The eight corners of a box. @param {Bounds} box @returns {Vec3[]} */
export const cornersOf = ({ min, max }) =>
  Array.from({ length: 8 }, (_, i) => [i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2]]);
