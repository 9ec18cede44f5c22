/**
 * The section of a frame that lists hands.
 */

import { floats } from "../../protocol.js";

/** @typedef {import("../../math.js").Vec3} Vec3 */
/** @typedef {{ client: number, id: number, body: number, vertex: number, target: Vec3, force: Vec3 }} Hand force on the body, N */

const BYTES = 40;

/** @param {DataView} data @returns {Hand[]} */
export function readHands(data) {
  return Array.from({ length: Math.floor(data.byteLength / BYTES) }, (_, i) => {
    const u32 = (/** @type {number} */ k) => data.getUint32(BYTES * i + 4 * k, true);
    const [x, y, z, fx, fy, fz] = floats(data, BYTES * i + 16, 6);
    return { client: u32(0), id: u32(1), body: u32(2), vertex: u32(3), target: [x, y, z], force: [fx, fy, fz] };
  });
}
