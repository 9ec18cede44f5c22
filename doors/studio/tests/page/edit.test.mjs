// Edit: regions are painted, one is turned by a quarter, the body follows; undo, what is saved, barriers, no complaints.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import axe from "axe-core";
import { file, pliant, SCREENS, visit } from "./studio.mjs";

let visited, page;

before(async () => {
  const mesh = file("edit.msh", "");
  pliant("mesh", "--shape", "bar", "-o", mesh);
  visited = await visit([mesh]);
  ({ page } = visited);
});

after(() => visited?.end());

/** Where all vertices are. */
const positions = () =>
  page.evaluate(() => Array.from({ length: globalThis.studio.body.surface_vertices }, (_, v) => globalThis.studio.position(v)));

const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

/** Paints an end of the bar from what is seen of it, and makes it a region; its vertices. */
async function region(sign, count) {
  await page.locator("#edit-paint").click();
  const places = await page.evaluate((sign) => {
    const all = Array.from({ length: globalThis.studio.body.surface_vertices }, (_, v) => globalThis.studio.position(v));
    const end = Math.max(...all.map((p) => sign * p[0]));
    const seen = all.map((p, v) => [v, p]).filter(([, p]) => sign * p[0] > end - 1e-6).map(([v]) => globalThis.studio.project(v));
    // A vertex on the outline is hit a little inside of it.
    const centre = all.map((_, v) => globalThis.studio.project(v)).reduce(([a, b], [x, y]) => [a + x / all.length, b + y / all.length], [0, 0]);
    return seen.filter(([, , free]) => free).map(([x, y]) => [x + 0.04 * (centre[0] - x), y + 0.04 * (centre[1] - y)]);
  }, sign);
  assert.ok(places.length > 0, "an end that is seen");
  for (const [x, y] of places) await page.mouse.click(x, y);
  await page.waitForFunction(() => !document.getElementById("edit-add").disabled);
  await page.locator("#edit-add").click();
  await page.waitForFunction((count) => document.querySelectorAll("#edit-regions li").length === count, count);
  const text = await page.evaluate(async () => (await fetch(document.getElementById("edit-toml").href)).text());
  return text.split("[[handle]]").slice(1);
}

const settled = () =>
  page.waitForFunction(() => {
    const text = document.getElementById("edit-now").textContent;
    return text.startsWith("Energy") && !text.includes("still following");
  }, null, { polling: 250 });

test("a region is turned by a quarter, and the body follows and comes back", async () => {
  await page.waitForFunction(() => globalThis.studio.job === null, null, { polling: 250 });
  await page.locator("#tab-edit").click();
  await page.locator("#edit-begin").click();
  await page.waitForFunction(() => !document.getElementById("edit-with").disabled, null, { polling: 250 });
  await page.locator("#edit-size").fill("25");
  const rest = await positions();
  await region(-1, 1);
  await region(1, 2);
  const held = await page.evaluate(async () => (await fetch(document.getElementById("edit-toml").href)).text());
  assert.equal(held.split("[[handle]]").length, 3, held);
  await page.locator("#edit-regions .pick").nth(1).click();
  await page.locator("#edit-rx").fill("90");
  await page.locator("#edit-apply").click();
  await page.waitForFunction(() => document.querySelectorAll("#edit-regions .pick")[1].textContent.includes("moved"));
  await settled();
  const bent = await positions();
  const length = Math.max(...rest.map((p) => p[0])) - Math.min(...rest.map((p) => p[0]));
  const low = Math.min(...rest.map((p) => p[0])), high = Math.max(...rest.map((p) => p[0]));
  const stays = rest.map((p, v) => [p, v]).filter(([p]) => p[0] < low + 1e-6);
  for (const [p, v] of stays) assert.ok(far(bent[v], p) < 0.01 * length, `vertex ${v} moved by ${far(bent[v], p)}`);
  const ends = rest.map((p, v) => [p, v]).filter(([p]) => p[0] > high - 1e-6);
  const middle = [0, 1, 2].map((k) => ends.reduce((sum, [p]) => sum + p[k], 0) / ends.length);
  for (const [p, v] of ends) {
    const wanted = [p[0], middle[1] - (p[2] - middle[2]), middle[2] + (p[1] - middle[1])];
    assert.ok(far(bent[v], wanted) < 0.02 * length, `vertex ${v} is ${far(bent[v], wanted)} off of ${length}`);
  }
  mkdirSync(SCREENS, { recursive: true });
  writeFileSync(path.join(SCREENS, "edit.png"), await page.screenshot());
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id), []);
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => document.querySelectorAll("#edit-regions .pick")[1].textContent.includes("stays"));
  await settled();
  const back = await positions();
  const off = Math.max(...back.map((p, v) => far(p, rest[v])));
  assert.ok(off < 1e-3 * length, `${off} of ${length}`);
  await page.locator("#edit-reset").click();
  await page.waitForFunction((rest) => Math.abs(globalThis.studio.position(0)[0] - rest) < 1e-6, rest[0][0]);
});

test("a region is moved, and what is saved is a mesh and its handles", async () => {
  await page.locator("#edit-regions .pick").nth(1).click();
  await page.locator("#edit-rx").fill("0");
  await page.locator("#edit-y").fill("0.1");
  await page.locator("#edit-apply").click();
  await settled();
  const [toml, obj] = await page.evaluate(() =>
    Promise.all(["edit-toml", "edit-obj"].map(async (id) => (await fetch(document.getElementById(id).href)).text())));
  assert.ok(toml.includes("matrix = [[") && toml.split("[[handle]]").length === 3, toml);
  assert.ok(/^v /m.test(obj));
  await page.locator("#edit-regions button", { hasText: "Let go" }).nth(0).click();
  await page.waitForFunction(() => document.querySelectorAll("#edit-regions li").length === 1);
  await page.locator("#edit-end").click();
  await page.waitForFunction(() => document.getElementById("edit-with").disabled);
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.evaluate(() => [...globalThis.studio.errors]), []);
});
