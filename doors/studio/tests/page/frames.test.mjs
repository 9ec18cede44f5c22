// How the page reads frames: sections in any order, unknown ones, cut ones.

import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";

const FAMILIES = ["time", "bodies", "feel", "hand"];

/** A frame with these sections, each [place of its family, numbers]. */
function frame(sections, version = 2) {
  const bytes = sections.map(([family, numbers]) => {
    const data = new DataView(new ArrayBuffer(8 + 4 * numbers.length));
    data.setUint16(0, family, true);
    data.setUint32(4, 4 * numbers.length, true);
    numbers.forEach((x, k) => data.setUint32(8 + 4 * k, x, true));
    return Buffer.from(data.buffer);
  });
  const head = Buffer.alloc(24);
  head[0] = version;
  head.writeUInt16LE(sections.length, 2);
  const all = Buffer.concat([head, ...bytes]);
  return all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
}

test("sections are read in whatever order they come, those that nobody knows are skipped, and what is cut is no frame", async (context) => {
  const web = process.env.STUDIO_WEB;
  if (!web) return context.skip("STUDIO_WEB names no folder");
  const { readFrame } = await import(path.join(web, "protocol.js"));
  const readers = new Map(["bodies", "hand"].map((name) => [name, (/** @type {DataView} */ data) => data.getUint32(0, true)]));
  const read = (sections) => readFrame(frame(sections), FAMILIES, readers);
  for (const order of [[[1, [7]], [3, [9]]], [[3, [9]], [1, [7]]], [[77, [1, 2, 3]], [3, [9]], [0, []], [1, [7]], [2, [4]]]]) {
    assert.deepEqual([...read(order).sections].sort(), [["bodies", 7], ["hand", 9]]);
  }
  const whole = frame([[1, [7]], [3, [9]]]);
  for (let length = 0; length < whole.byteLength; length++) assert.equal(readFrame(whole.slice(0, length), FAMILIES, readers), null, `${length} bytes`);
  const liar = frame([[1, [7]]]);
  new DataView(liar).setUint32(28, 0xffffffff, true);
  assert.equal(readFrame(liar, FAMILIES, readers), null);
  assert.equal(readFrame(frame([], 1), FAMILIES, readers), null);
});
