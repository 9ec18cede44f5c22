// The switch of motions while the body moves, a body that learns to warp, and ghosts of both linear motions.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { connect, position } from "./protocol.mjs";
import { browser, file, open, pliant, start, stir } from "./studio.mjs";

let studio, chromium, client, page, shape;

before(async () => {
  const [mesh, model] = [file("long.veg", ""), file("long.pliant", "")];
  pliant("mesh", "--shape", "bar", "--subdivision", "2", "-o", mesh);
  pliant("build", mesh, "-o", model, "--fix", "x<5%", "--basis", "extended", "--modes", "4", "--cubature", "40", "--training", "40");
  studio = await start([model]);
  chromium = await browser();
  client = await connect(studio.url);
  await client.settled();
  page = await open(chromium, studio.url);
  await page.locator("#tab-feel").click();
  shape = await client.shape();
});

after(async () => {
  client?.close();
  await chromium?.close();
  await studio?.stop();
});

const now = () => client.last("motion.now");
/** Waits until the server says so. */
const becomes = (motion) => client.until(`the motion ${motion}`, () => now()?.motion === motion);

/** What the section of ghosts says of the only body. */
function ghosts() {
  const view = client.said?.sections.get("motion");
  if (!view?.byteLength) return null;
  const r = view.getUint16(4, true);
  const read = (from) => Float32Array.from({ length: r }, (_, k) => view.getFloat32(8 + 4 * (from + k), true));
  return { linear: read(0), warped: read(r) };
}

/** How far two poses are apart at the vertex where they are farthest apart, as a part of the length of the body. */
function apart(a, b) {
  const [m] = shape.rest.shape;
  const at = (v) => Math.hypot(...position(shape, a, v).map((x, k) => x - position(shape, b, v)[k]));
  return Math.max(...Array.from({ length: m }, (_, v) => at(v))) / client.body.length;
}

test("a body learns to warp, and moves so", async () => {
  assert.deepEqual([now().motion, now().warp], ["nonlinear", null]);
  const job = client.job();
  await page.locator("#motion").selectOption("warped");
  assert.equal((await job).state, "done");
  await becomes("warped");
  assert.ok(now().warp.points >= 36 && now().warp.validation_error < 0.2, JSON.stringify(now()));
  await page.locator("#motion-text").getByText(/Warped by \d+ points/).waitFor();
  assert.equal(await page.locator("#motion").inputValue(), "warped");
});

test("the switch works while the body moves", async () => {
  const still = stir(client, shape, 0.3);
  await client.until("a motion", () => client.frame.kinetic > 0);
  for (const motion of ["linear", "warped", "nonlinear", "linear", "warped"]) {
    await page.locator("#motion").selectOption(motion);
    await becomes(motion);
    const { number } = client.frame;
    await client.until("frames in it", () => client.frame.number > number + 10);
    assert.ok(client.frame.q.every(Number.isFinite) && client.frame.q.some((q) => q !== 0), motion);
    await page.waitForFunction((m) => document.getElementById("motion").value === m, motion);
  }
  await still();
  assert.equal(client.last("time.stumbled"), undefined);
});

test("ghosts differ where they should, and are drawn", async () => {
  await page.locator("#ghosts").check();
  await client.until("ghosts", () => now().ghosts);
  const still = stir(client, shape, 0.4);
  const seen = await client.until("ghosts that are apart", () => {
    const both = ghosts();
    return both && apart(both.linear, both.warped) > 0.01 && { ...both, q: client.frame.q };
  });
  // The body is what its warped ghost is; the end that is held is where both are.
  assert.ok(apart(seen.warped, seen.q) < 1e-6);
  const held = shape.pinned.data.findIndex((x) => x);
  assert.deepEqual(position(shape, seen.linear, held), position(shape, seen.warped, held));
  const withGhosts = await page.locator("#stage").screenshot();
  await still();
  await page.locator("#ghosts").uncheck();
  await client.until("no ghosts", () => !now().ghosts);
  const { number } = client.frame;
  client.send({ do: "time.pause", paused: true });
  client.send({ do: "time.pause", paused: false });
  await client.until("another frame", () => client.frame.number !== number);
  assert.equal(ghosts(), null);
  assert.notDeepEqual(await page.locator("#stage").screenshot(), withGhosts);
});

test("keys go through the motions, and what cannot be is refused", async () => {
  await page.locator("#motion").selectOption("nonlinear");
  await becomes("nonlinear");
  await page.locator("#stage").focus();
  await page.keyboard.press("l");
  await becomes("linear");
  await assert.rejects(client.ask({ do: "motion.set", body: client.body.body, motion: "sideways" }), /nonlinear, linear, warped/);
  await assert.rejects(client.ask({ do: "motion.set", body: 99, motion: "linear" }), /body 99/);
  assert.deepEqual(page.complaints, []);
});
