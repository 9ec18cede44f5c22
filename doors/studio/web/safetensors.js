/**
 * Reads safetensors: the length of a JSON header (u64), the header, the numbers.
 *
 * Only what the server sends is known: F32, U32, F16 and U8. Half floats stay 16 bits wide, since graphics hardware takes
 * them as they are; `halvesToFloats` widens them for the processor.
 */

/** @typedef {Float32Array | Uint32Array | Uint16Array | Uint8Array} Numbers */
/** @typedef {{ shape: number[], data: Numbers }} Tensor */

const WIDTH = /** @type {Record<string, number>} */ ({ F32: 4, U32: 4, F16: 2, U8: 1 });

/** @param {ArrayBuffer} buffer @returns {Map<string, Tensor>} */
export function readSafetensors(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < 8) throw new Error("The shape that the server sent is cut off; reload the page.");
  const headerLength = Number(view.getBigUint64(0, true));
  if (headerLength > buffer.byteLength - 8) throw new Error("The shape that the server sent is cut off; reload the page.");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, headerLength)));
  const tensors = new Map();
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const { dtype, shape, data_offsets: [from, to] } = entry;
    const width = WIDTH[dtype];
    if (!width) continue; // a tensor of a later version
    const count = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    const start = 8 + headerLength + from;
    if (to - from !== count * width || start + to - from > buffer.byteLength)
      throw new Error(`The tensor "${name}" does not have the size that it announces.`);
    tensors.set(name, { shape, data: numbers(dtype, buffer, start, count, width) });
  }
  return tensors;
}

/**
 * Typed arrays must begin at a multiple of their width; what does not is copied.
 * @param {string} dtype @param {ArrayBuffer} buffer @param {number} start @param {number} count @param {number} width
 * @returns {Numbers}
 */
function numbers(dtype, buffer, start, count, width) {
  const source = start % width === 0 ? buffer : buffer.slice(start, start + count * width);
  const offset = source === buffer ? start : 0;
  switch (dtype) {
    case "F32": return new Float32Array(source, offset, count);
    case "U32": return new Uint32Array(source, offset, count);
    case "F16": return new Uint16Array(source, offset, count);
    default: return new Uint8Array(source, offset, count);
  }
}

/** @type {Float32Array | null} every half float there is */
let table = null;

/** @returns {Float32Array} */
function halfTable() {
  if (table) return table;
  table = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    table[bits] =
      exponent === 0 ? sign * fraction * 2 ** -24
      : exponent === 31 ? (fraction ? NaN : sign * Infinity)
      : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return table;
}

/**
 * U in 32 bits, scaled: out[k, i] = half[k, i] scale[k].
 * @param {Uint16Array} halves (r, n) @param {Float32Array} scales (r) @returns {Float32Array}
 */
export function halvesToFloats(halves, scales) {
  const lookup = halfTable();
  const out = new Float32Array(halves.length);
  const row = scales.length ? halves.length / scales.length : 0;
  for (let k = 0; k < scales.length; k++)
    for (let i = k * row, end = i + row; i < end; i++) out[i] = lookup[halves[i]] * scales[k];
  return out;
}
