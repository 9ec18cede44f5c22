// Compare: a click on a foot of the demo finds the other foot; bytes are what `pliant signature` says; keys, help, no complaints.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import axe from "axe-core";
import { browser, file, open, pliant, SCREENS, start } from "./studio.mjs";

let studio, chromium, page;

before(async () => {
  studio = await start();
  chromium = await browser();
  page = await open(chromium, studio.url);
});

after(async () => {
  await chromium?.close();
  await studio?.stop();
});

/** Makes the modes of a kind and waits for them. */
async function made(page, kind) {
  // One thing is made at a time: a body that is still being finished comes first.
  await page.waitForFunction(() => globalThis.studio.job === null, null, { polling: 250 });
  await page.locator("#tab-compare").click();
  await page.locator("#compare-kind").selectOption(kind);
  await page.locator("#compare-make").click();
  await page.waitForFunction(() => document.getElementById("compare-text").textContent.includes("Pick a point"), null, { timeout: 300_000 });
}

/** Distances to a vertex, as the server sends them. */
const near = (page, kind, vertex, first = 0, last = 100) =>
  page.evaluate(async ([kind, vertex, first, last]) => {
    const answer = await fetch(`family/compare/${globalThis.studio.body.body}/${kind}/${vertex}/${first}/${last}`);
    const buffer = await answer.arrayBuffer();
    const length = Number(new DataView(buffer).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
    const [from, to] = header.distance.data_offsets;
    return Array.from(new Uint8Array(buffer.slice(8 + length + from, 8 + length + to)));
  }, [kind, vertex, first, last]);

test("a foot is like the other foot, and not like the head", async () => {
  await made(page, "vibration");
  const places = await page.evaluate(() => {
    const all = Array.from({ length: globalThis.studio.body.surface_vertices }, (_, v) => globalThis.studio.position(v));
    const best = (value) => all.reduce((best, p, v) => (value(p) > value(all[best]) ? v : best), 0);
    // Above the base that it stands on.
    const low = Math.min(...all.map((p) => p[1]));
    const isLow = (p) => p[1] > low + 0.022 && p[1] < low + 0.045;
    // The toes of both feet: low, forward, one on either side of the middle.
    const forward = all[best((p) => p[1])];
    const axis = Math.abs(forward[0]) > Math.abs(forward[2]) ? 0 : 2, sideways = 2 - axis, sign = Math.sign(forward[axis]);
    const toe = (side) => best((p) => (isLow(p) && side * p[sideways] > 0 ? sign * p[axis] : -9));
    return { left: toe(-1), right: toe(1), head: best((p) => p[1] + sign * p[axis]) };
  });
  // A click picks what lies under it; the file that could be saved names it.
  const at = await page.evaluate(({ left, right }) => {
    const seen = [left, right].map((v) => globalThis.studio.project(v));
    return (seen[0][2] ? seen[0] : seen[1]).slice(0, 2);
  }, places);
  await page.mouse.click(at[0], at[1]);
  await page.locator("#compare-legend").waitFor();
  const href = await page.locator("#compare-ply").getAttribute("href");
  const picked = Number(href.split("/")[4]);
  assert.ok(Number.isInteger(picked), href);
  const [foot, other] = [places.left, places.right];
  const distances = await near(page, "vibration", foot);
  assert.equal(distances[foot], 0);
  assert.ok(distances[other] < distances[places.head], `${distances[other]} to the other foot, ${distances[places.head]} to the head`);
  mkdirSync(SCREENS, { recursive: true });
  writeFileSync(path.join(SCREENS, "compare.png"), await page.screenshot());
  // A shorter range is another distance; the threshold and the map leave no complaint.
  await page.locator("#compare-below").fill("10");
  await page.locator("#compare-map").selectOption("even");
  await page.locator("#compare-to").fill("30");
  await page.waitForFunction(() => document.getElementById("compare-ply").getAttribute("href").includes("/0/30/"));
  const saved = await page.evaluate(async () => (await fetch(document.getElementById("compare-ply").href)).text());
  assert.ok(saved.startsWith("ply\n") && saved.slice(0, 400).includes("distance"));
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id }) => id), []);
  // The other kind beside it: two pictures of one click, in other colours; then one again.
  const alone = await page.evaluate(() => document.getElementById("stage").clientWidth);
  await page.locator("#compare-beside").check();
  await page.locator("#twin").waitFor({ timeout: 300_000 });
  await page.waitForFunction(() => {
    const twin = document.getElementById("twin");
    const { data } = twin.getContext("2d").getImageData(0, 0, twin.width, twin.height);
    // Something blue: the picked point and what is alike.
    for (let i = 0; i < data.length; i += 4) if (data[i] < 60 && data[i + 2] > 90 && data[i + 2] > data[i] + 60) return true;
    return false;
  });
  assert.notDeepEqual(await near(page, "heat", foot), distances);
  const halves = await page.evaluate(() => ["stage", "twin"].map((id) => document.getElementById(id).getBoundingClientRect().toJSON()));
  assert.ok(halves[0].width < alone && Math.abs(halves[0].right - halves[1].left) < 2, JSON.stringify(halves));
  writeFileSync(path.join(SCREENS, "compare-beside.png"), await page.screenshot());
  await page.locator("#compare-beside").uncheck();
  await page.locator("#twin").waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => document.getElementById("stage").clientWidth), alone);
  await page.locator("#compare-end").click();
  await page.locator("#compare-legend").waitFor({ state: "hidden" });
  await page.keyboard.press("Escape");
  await page.locator("#help-open").click();
  await page.locator("#help-body").getByText("compare places of the body").waitFor();
  await page.keyboard.press("Escape");
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.evaluate(() => [...globalThis.studio.errors]), []);
});

test("the bytes are the distances of the command line", async () => {
  const mesh = file("sheet.obj", ""), arrays = file("sheet.npz", "");
  assert.equal(pliant("mesh", "--shape", "cloth", "--subdivision", "14", "-o", mesh).status, 0);
  const own = pliant("signature", mesh, "--kind", "heat", "--from", "5", "-o", arrays);
  assert.equal(own.status, 0, own.stderr);
  const plain = await start([mesh]);
  const sheet = await open(chromium, plain.url);
  await made(sheet, "heat");
  const bytes = await near(sheet, "heat", 5);
  const distances = npz(readFileSync(arrays), "distance");
  assert.equal(bytes.length, distances.length);
  const high = Math.max(...distances);
  distances.forEach((d, v) => assert.ok(Math.abs(bytes[v] - (255 * d) / high) <= 1, `vertex ${v}: ${bytes[v]} for ${(255 * d) / high}`));
  assert.deepEqual(sheet.complaints, []);
  await sheet.context().close();
  await plain.stop();
});

/** Numbers of a float64 array of a stored zip. */
function npz(bytes, name) {
  const at = bytes.indexOf(`${name}.npy`), magic = bytes.indexOf("\x93NUMPY", at, "latin1");
  const length = bytes.readUInt16LE(magic + 8), begin = magic + 10 + length;
  const count = Number(/'shape': \((\d+),/.exec(bytes.toString("latin1", magic, begin))[1]);
  return Array.from({ length: count }, (_, k) => bytes.readDoubleLE(begin + 8 * k));
}
