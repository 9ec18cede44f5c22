// What one looks and works with: the card of forms, the last seconds, undo, the view, colours of quantities. One small body, one page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { difference } from "./pictures.mjs";
import { file, handle, made, pliant, stir, visit } from "./studio.mjs";

let visited, chromium, client, page;

before(async () => {
  const mesh = file("tower.msh", "");
  pliant("mesh", "--shape", "bar", "-o", mesh);
  visited = await visit([mesh]);
  ({ chromium, client, page } = visited);
});

after(() => visited?.end());

const nothingWentWrong = async () => {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.evaluate(() => [...globalThis.studio.errors]), []);
};

/** Where a vertex is on the screen once the view stands still. */
async function settled(vertex) {
  const found = await page.waitForFunction((vertex) => {
    const [x, y] = globalThis.studio.project(vertex);
    const before = globalThis.lastSettled ?? [NaN, NaN];
    globalThis.lastSettled = [x, y];
    return x === before[0] && y === before[1] ? [x, y] : null;
  }, vertex, { polling: 250 });
  return found.jsonValue();
}

/** Server and page say that the stage is paused, or that it is not. */
async function agreed(paused) {
  await client.until(paused ? "pause" : "no pause", () => client.settings.paused === paused);
  await page.waitForFunction((paused) => globalThis.studio.settings.paused === paused, paused);
}

test("a body is made anew as the card says: which way up, held where, how long", async () => {
  await page.locator("#tab-files").click();
  assert.equal(await page.locator("#form").isVisible(), false, "nobody dropped it here");
  await page.locator("#form-open").click();
  const can = async (form) => page.locator(`#form-kind button[value="${form}"]`).isEnabled();
  // It came as tets: nothing could enclose it, and nobody could fill it anew.
  assert.deepEqual([await can("solid"), await can("shell"), await can("cage")], [true, true, false]);
  assert.equal(await page.locator("#form-tets").isDisabled(), true);
  assert.equal(await page.locator("#form-make").isDisabled(), true, "nothing is changed yet");
  await page.locator("#form-up").selectOption("x");
  await page.locator("#form-hold").selectOption("top");
  await page.locator("#form-size").fill("2");
  await page.locator("#form-unit").selectOption("1");
  const body = await made(page, client, () => page.locator("#form-make").click());
  assert.ok(Math.abs(body.length - 2) < 1e-6, `${body.length} m`);
  const { rest, pinned } = await client.shape();
  const heights = Array.from(pinned.data, (_, v) => rest.data[3 * v + 1]);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  assert.ok(Math.abs(high - low - 2) < 1e-5, "its longest side stands");
  assert.ok(heights.every((y, v) => (pinned.data[v] === 1) === y > high - 0.06 * (high - low)), "held at the top, and there alone");
  assert.equal(await page.locator("#form-make").isDisabled(), true);
  await page.keyboard.press("Escape");
  await page.locator("#form").waitFor({ state: "hidden" });
  await nothingWentWrong();
});

test("the last seconds are gone back in, played, and left", async () => {
  const shape = await client.shape();
  const end = stir(client, shape);
  await client.until("a second of motion", () => client.frame.t > 1);
  await end();
  await page.locator("#stage").focus();
  await page.keyboard.press("b");
  await page.locator("#past").waitFor();
  await agreed(true);
  // The vertex that moves most.
  const places = () => page.evaluate((count) => Array.from({ length: count }, (_, v) => globalThis.studio.position(v)), shape.rest.shape[0]);
  const now = await places();
  await page.locator("#past-at").fill("0.5");
  const then = await places();
  const far = Math.max(...now.map((x, v) => Math.hypot(...x.map((c, k) => c - then[v][k]))));
  assert.ok(far > 1e-3 * client.body.length, `${far} m between now and then`);
  assert.match(await page.locator("#past-text").innerText(), /^−\d+\.\d\d s$/);
  // What is looked at can be saved there.
  for (const [button, ending] of [["#past-glb", ".glb"], ["#past-scenario", ".toml"]]) {
    const saved = page.waitForEvent("download", (download) => download.suggestedFilename().endsWith(ending));
    await page.locator(button).click();
    const bytes = readFileSync(await (await saved).path());
    assert.ok(ending === ".glb" ? bytes.subarray(0, 4).toString() === "glTF" : /^steps = [1-9]/m.test(bytes), ending);
  }
  await page.locator("#past-loop").click();
  const from = await page.locator("#past-at").inputValue();
  await page.waitForFunction((from) => document.getElementById("past-at").value !== from, from);
  await page.keyboard.press("Escape");
  await page.locator("#past").waitFor({ state: "hidden" });
  await agreed(false);
  await nothingWentWrong();
});

test("hints for the first minute come one at a time, and go when they were followed", async () => {
  const hint = page.locator("#next-hint");
  await hint.getByText("turn the view").waitFor(); // it was pulled before
  await page.mouse.move(30, 330);
  await page.mouse.down();
  for (let i = 1; i <= 5; i++) await page.mouse.move(30 + 20 * i, 330);
  await page.mouse.up();
  await hint.getByText("of your own").waitFor();
  await page.locator("#tab-files").click();
  await hint.waitFor({ state: "hidden" });
  await page.keyboard.press("Home");
  await nothingWentWrong();
});

test("strokes of pins and places are undone and redone", async () => {
  const pins = () => page.locator("#paint-count").innerText();
  await page.locator("#stage").focus();
  await page.keyboard.press("p");
  await page.locator("#paint").waitFor();
  const before = await pins();
  await page.keyboard.press("Enter");
  const after = await pins();
  assert.notEqual(after, before, "nothing was painted");
  for (const [key, wanted] of [["Control+z", before], ["Control+y", after], ["Control+z", before]]) {
    await page.keyboard.press(key);
    assert.equal(await pins(), wanted, key);
  }
  await page.keyboard.press("Escape");
  await page.locator("#paint").waitFor({ state: "hidden" });

  const place = () => client.said.bodies.get(client.body.body).position;
  const is = (wanted) => client.until(`the place ${wanted}`, () => place().every((x, k) => Math.abs(x - wanted[k]) < 1e-5));
  const start = place();
  for (const key of ["Alt+ArrowRight", "Alt+PageUp"]) await page.keyboard.press(key);
  await client.until("another place", () => place()[1] > start[1] + 0.05 * client.body.length);
  const there = place();
  await page.keyboard.press("Control+z");
  await is(start);
  await page.keyboard.press("Control+y");
  await is(there);
  await page.keyboard.press("Control+z");
  await is(start);
  await nothingWentWrong();
});

test("settings are undone and redone, by keys and by buttons", async () => {
  await page.locator("#tab-feel").click();
  const { density } = client.settings;
  await page.locator("#density").fill("3.3");
  await client.until("another density", () => Math.abs(client.settings.density / 10 ** 3.3 - 1) < 0.01);
  await page.keyboard.press("Control+z");
  await client.until("the density that was", () => Math.abs(client.settings.density / density - 1) < 1e-6);
  await page.locator("#redo").click();
  await client.until("another density", () => Math.abs(client.settings.density / 10 ** 3.3 - 1) < 0.01);
  await page.locator("#undo").click();
  await client.until("the density that was", () => Math.abs(client.settings.density / density - 1) < 1e-6);
  // A button that was clicked does not take the space bar.
  await page.keyboard.press("Space");
  await agreed(true);
  await page.keyboard.press("Space");
  await agreed(false);
  await nothingWentWrong();
});

test("the strength of the hand and a rebuild are undone and redone", async () => {
  await page.locator("#tab-feel").click();
  const newton = () => client.last("hand.strength").newton;
  const before = newton();
  await page.locator("#strength").press("ArrowRight");
  await client.until("another strength", () => newton() !== before);
  const after = newton();
  await page.locator("#undo").click();
  await client.until("the strength that was", () => newton() === before);
  await page.locator("#redo").click();
  await client.until("the other again", () => newton() === after);
  const { modes } = client.body;
  await page.locator("#modes-count").fill(String(modes - 2));
  const rebuilt = await made(page, client, () => page.locator("#rebuild").click());
  assert.equal(rebuilt.modes, modes - 2);
  for (const [button, wanted] of [["#undo", modes], ["#redo", modes - 2], ["#undo", modes]]) {
    const { body } = client.body;
    await page.locator(button).click();
    await client.until("it is put back", () => client.body.body !== body);
    assert.deepEqual([client.body.why, client.body.modes], ["restored", wanted]);
    await page.waitForFunction((b) => globalThis.studio.body?.body === b, client.body.body);
  }
  await nothingWentWrong();
});

test("the wheel goes to what is under it; edges, a grid and a scale are shown", async () => {
  client.send({ do: "time.reset" });
  await client.until("rest", () => client.frame.atRest && client.frame.q.every((x) => x === 0));
  const shape = await client.shape();
  const held = await handle(page, shape);
  const before = await page.locator("#stage").screenshot();
  const scale = await page.locator("#scale-text").innerText();
  assert.match(scale, /^[125]0{0,2} (µm|mm|m|km)$/);
  await page.mouse.move(held.x, held.y);
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -120);
  await page.waitForFunction((scale) => document.getElementById("scale-text").textContent !== scale, scale);
  const [x, y] = await settled(held.vertex);
  assert.ok(Math.hypot(x - held.x, y - held.y) < 40, `it went from ${held.x}, ${held.y} to ${x}, ${y}`);
  // As near as this and no nearer: the scale stays what it is, and the body is still there.
  const nearest = async (times) => {
    for (let i = 0; i < times; i++) await page.mouse.wheel(0, -120);
    await settled(held.vertex);
    return page.locator("#scale-text").innerText();
  };
  const near = await nearest(25);
  assert.equal(await nearest(6), near);
  // Along an axis the two ends of it lie behind one another, and the others to the left and right, or the other way from behind.
  await page.keyboard.press("Home");
  const [m] = shape.rest.shape;
  const least = (axis, sign) => Array.from({ length: m }, (_, v) => v).reduce((best, v) => (sign * shape.rest.data[3 * v + axis] < sign * shape.rest.data[3 * best + axis] ? v : best), 0);
  for (const [key, across, sign] of [["x", 2, -1], ["y", 0, 1], ["z", 0, 1]]) {
    const ends = [least(across, 1), least(across, -1)];
    const seen = (sign) =>
      page.waitForFunction(([[a, b], sign]) => sign * (globalThis.studio.project(b)[0] - globalThis.studio.project(a)[0]) > 5, [ends, sign], { timeout: 60_000 });
    await page.keyboard.press(key);
    await seen(sign);
    if (key === "y") continue; // what is right from above is right from below, too
    await page.keyboard.press(key);
    await seen(-sign);
  }
  await page.keyboard.press("Home");
  await page.keyboard.press("w");
  await page.keyboard.press("g");
  await settled(held.vertex);
  assert.deepEqual(await page.evaluate(() => ["wire", "grid"].map((id) => document.getElementById(id).getAttribute("aria-pressed"))), ["true", "true"]);
  const { share } = await difference(chromium, before, await page.locator("#stage").screenshot());
  assert.ok(share > 0.005, `${100 * share} % of the pixels changed`);
  for (const key of ["w", "g"]) await page.keyboard.press(key);
  await nothingWentWrong();
});

test("a body is coloured by its strain, and the legend and the cursor say how much", async () => {
  const end = stir(client, await client.shape());
  await page.locator("#stage").focus();
  for (const name of ["displacement", "strain"]) {
    await page.keyboard.press("v");
    assert.equal(await page.locator("#colour-by").inputValue(), name);
  }
  await page.locator("#legend").waitFor();
  await page.waitForFunction(() => /^[1-9\d.]+ %$/.test(document.getElementById("legend-high").textContent) && parseFloat(document.getElementById("legend-high").textContent) > 0);
  await end();
  const shape = await client.shape();
  const held = await handle(page, shape);
  await page.mouse.move(held.x, held.y);
  await page.waitForFunction(() => /%$/.test(document.getElementById("legend-here").textContent));
  // The server's numbers are those of the body: at rest there are none.
  client.send({ do: "time.reset" });
  await page.waitForFunction(() => document.getElementById("legend-high").textContent === "0 %");
  await page.keyboard.press("v");
  assert.equal(await page.locator("#legend-title").innerText().then((text) => text.length > 0), true);
  await page.locator("#tab-inside").click();
  // The error of the force is found of a body that stands still.
  await page.locator("#colour-by").selectOption("error");
  await page.locator("#colour-text").getByText("pause").waitFor();
  assert.equal(await page.locator("#legend").isVisible(), false);
  await page.locator("#stage").focus();
  await page.keyboard.press("Space");
  await page.locator("#legend").getByText("Error of the reduced force").waitFor();
  await page.keyboard.press("Space");
  await page.locator("#legend").waitFor({ state: "hidden" });
  await page.locator("#colour-by").selectOption("");
  assert.equal(await page.locator("#legend").isVisible(), false);
  await nothingWentWrong();
});
