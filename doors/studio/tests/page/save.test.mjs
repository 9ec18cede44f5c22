// What the page saves is what others can use: a GLB for the Khronos validator and three.js, a picture, a scenario for the command line.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import validator from "gltf-validator";
import { AnimationMixer, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { pixels } from "./pictures.mjs";
import { position } from "./protocol.mjs";
import { file, pliant, stir, visit } from "./studio.mjs";

let visited, studio, chromium, client, page, shape;
/** Frames of the motion that is saved, in the order of their times. */
const seen = [];

before(async () => {
  visited = await visit();
  ({ studio, chromium, client, page } = visited);
  shape = await client.shape();
  client.send({ do: "time.reset" });
  await client.until("the beginning", () => client.frame?.t < 0.2);
  client.onframe = (frame) => frame.t > (seen.at(-1)?.t ?? -1) && seen.push(frame);
  const stop = stir(client, shape, 0.15);
  await client.until("two seconds of motion", () => client.frame?.t > 2);
  await stop();
  await client.until("a little more", () => client.frame.t > 2.3);
  client.send({ do: "time.pause", paused: true });
  await client.until("pause", () => client.frame.paused);
  await page.waitForFunction((t) => globalThis.studio.frame.t === t, client.frame.t);
  await page.locator("#tab-files").click();
});

after(() => visited?.end());

/** Clicks what saves and returns the bytes. */
async function saved(selector, ending) {
  const ours = (download) => download.suggestedFilename().endsWith(ending);
  const [download] = await Promise.all([page.waitForEvent("download", ours), page.locator(selector).click()]);
  return readFile(await download.path());
}

test("the motion is a GLB without an error, and three.js plays what the page showed", async () => {
  const bytes = await saved('a[href$="motion.glb"]', ".glb");
  const report = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 20 });
  assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages, null, 1));
  assert.ok(report.info.hasMorphTargets && report.info.animationCount === 1);

  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const loaded = await new GLTFLoader().parseAsync(buffer, "");
  const [clip] = loaded.animations;
  assert.ok(clip.duration > 1.5, `${clip.duration} s are saved`);
  const meshes = [];
  loaded.scene.traverse((node) => node.isMesh && meshes.push(node));
  const mixer = new AnimationMixer(loaded.scene);
  mixer.clipAction(clip).play();
  loaded.scene.updateMatrixWorld(true);

  // The last frame of the clip is the pose that the page stands still in.
  const now = await page.evaluate(() => ({ t: globalThis.studio.frame.t, q: [...globalThis.studio.frame.q] }));
  assert.equal(now.t, client.frame.t);
  const vertices = farthest(now.q, 5);
  const rest = (v) => [0, 1, 2].map((k) => shape.rest.data[3 * v + k]);
  const apart = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
  const size = Math.max(...vertices.map((v) => apart(position(shape, now.q, v), rest(v))));
  assert.ok(size > 1e-3 * client.body.length, "the page stands still at rest, nothing can be compared");
  // Not past the end: three.js would begin again.
  const show = (back) => mixer.setTime(Math.max(0, clip.duration - back - 1e-6));
  const shown = ({ mesh, i }) => mesh.localToWorld(mesh.getVertexPosition(i, new Vector3())).toArray();
  // A GLB may order its vertices as it likes, and its base need not be the shape at rest: they are found in the last pose.
  show(0);
  const places = vertices.map((v) => {
    const expected = position(shape, now.q, v);
    let best = { distance: Infinity };
    for (const mesh of meshes) {
      for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
        const distance = apart(shown({ mesh, i }), expected);
        if (distance < best.distance) best = { mesh, i, distance };
      }
    }
    return best;
  });
  for (const ago of [0, 0.4, 0.9, 1.4]) {
    const { t, q } = at(now.t - ago);
    const back = now.t - t;
    show(back);
    vertices.forEach((v, k) => {
      const expected = position(shape, q, v);
      const error = apart(shown(places[k]), expected);
      const moved = Math.max(size, apart(expected, rest(v)));
      // At the end the same numbers; before it, a motion that was sampled at other times.
      const limit = (back === 0 ? 0.01 : 0.08) * moved;
      assert.ok(error < limit, `${back} s before the end vertex ${v} is ${error} m away from the page's, which moved by ${moved} m`);
    });
  }
});

/** The last frame before a time. */
const at = (t) => seen.findLast((frame) => frame.t <= t);

/** Vertices that are farthest from where they rest. */
function farthest(q, count) {
  const [m] = shape.rest.shape;
  const moved = Array.from({ length: m }, (_, v) => {
    const x = position(shape, q, v);
    return Math.hypot(...x.map((c, k) => c - shape.rest.data[3 * v + k]));
  });
  return moved.map((_, v) => v).sort((a, b) => moved[b] - moved[a]).slice(0, count);
}

test("the picture is a PNG of the body", async () => {
  const bytes = await saved("#save-png", ".png");
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  const { width, height, colours } = await pixels(chromium, bytes);
  // The page is drawn at half its size here.
  assert.ok(width >= 300 && height >= 200 && colours > 200, `${width} × ${height}, ${colours} colours`);
});

test("the scenario runs on the command line and ends as the page did", async () => {
  const scenario = await saved("#save-scenario", ".toml");
  file("scenario.toml", scenario);
  const model = await fetch(new URL(`family/files/${client.body.body}/model.pliant`, studio.url));
  file("model.pliant", Buffer.from(await model.arrayBuffer()));
  const state = await fetch(new URL(`family/files/${client.body.body}/state.npz`, studio.url));
  if (state.ok) file("state.npz", Buffer.from(await state.arrayBuffer()));
  else assert.equal(state.status, 404);
  const run = pliant("--json", "simulate", "model.pliant", "scenario.toml");
  assert.equal(run.status, 0, `${run.stderr}\n${scenario.toString().slice(0, 2000)}`);
  const { elastic, kinetic, diverged } = JSON.parse(run.stdout);
  assert.equal(diverged, false);
  // The energy of the last step, as the page had it: the same forces on the same body from the same state.
  const { elastic: theirs, kinetic: moving } = client.frame;
  const total = theirs + moving;
  const difference = Math.abs(elastic.at(-1) + kinetic.at(-1) - total);
  assert.ok(difference < 0.05 * Math.max(...elastic), `${elastic.at(-1)} + ${kinetic.at(-1)} J after the scenario, ${theirs} + ${moving} J on the page`);
  assert.deepEqual(page.complaints, []);
});
