// Files dropped on the page: each ends as a live body, or as the sentence that the command line would say.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { position } from "./protocol.mjs";
import { bowl, broken, bumpyBall, fins, glb, obj, stl } from "./shapes.mjs";
import { covered, drop, file, made, pliant, pull, visit } from "./studio.mjs";

let visited, client, page;

before(async () => {
  visited = await visit();
  ({ client, page } = visited);
});

after(() => visited?.end());

/** Drops a file and waits for its body. */
const dropped = (name, bytes) => made(page, client, () => drop(page, { name, bytes }));

/** Pulls the body that is there now and sees it move. */
async function isLive() {
  const shape = await client.shape();
  await client.until("a frame of it", () => client.frame?.body === client.body.body);
  // From rest: a sheet swings for long, and a hand that is to take it must find it where it was seen.
  client.send({ do: "time.reset" });
  await client.until("rest", () => client.frame.q.every((x) => x === 0) && client.frame.kinetic === 0);
  const { q } = client.frame;
  // Messages of the tests before lie over the body, where people would have read them by now.
  await page.evaluate(() => document.querySelectorAll(".message button, #remarks-close, #form-close").forEach((button) => button.click()));
  const { vertex, end } = await pull(page, client, shape, [90, 20]);
  const before = position(shape, q, vertex);
  const far = () => position(shape, client.frame.q, vertex).some((x, k) => Math.abs(x - before[k]) > 0.005 * client.body.length);
  await client.until("a motion of the vertex that is pulled", far);
  await end();
}

// What is closed is filled with thousands of tets; a bowl stays a surface, and is made in a moment.
const dishes = [["ball.obj", obj(bumpyBall(3)), "tets"], ["bowl.stl", stl(bowl(3)), "triangles"], ["bowl.glb", glb(bowl(2)), "triangles"]];
for (const [name, bytes, kind] of dishes) {
  test(`${name} ends as a live body, pinned below, in stages that are shown`, async () => {
    const seen = client.events.length;
    const body = await dropped(name, bytes);
    assert.match(body.why, /dropped|refined/);
    assert.ok(body.by !== null && body.by !== client.welcome.client, `the page dropped it, not ${body.by}`);
    assert.equal(body.kind, kind);
    assert.match(body.name, /^(ball|bowl)/);
    assert.ok(body.elements > 100 && body.rank > 1);
    // The lowest twentieth of it, and it says so.
    const shape = await client.shape();
    const heights = Array.from({ length: shape.rest.shape[0] }, (_, v) => shape.rest.data[3 * v + 1]);
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    assert.ok(body.pinned > 0);
    heights.forEach((y, v) => assert.ok(!shape.pinned.data[v] || y < low + 0.12 * (high - low), "a high vertex is pinned"));
    assert.match(body.remarks.map(({ sentence }) => sentence).join(" "), /5 ?%/);
    const stages = new Set(client.events.slice(seen).filter((e) => e.event === "jobs.news").map((e) => e.stage));
    assert.ok(stages.size >= 3, `stages: ${[...stages].join(", ")}`);
    await isLive();
    assert.deepEqual(page.complaints, []);
  });
}

test("one line says what it is, its remarks are told when asked for, and a button helps", async () => {
  const { name, elements, remarks } = client.body;
  const line = (await page.locator("#top").innerText()).replace(/\s+/g, " ");
  assert.match(line, new RegExp(`${name} ${elements.toLocaleString("en")} triangles, \\d+ coordinates live, on 2 pages ${remarks.length} remarks`));
  assert.equal(await page.locator("#remarks").isVisible(), false, "nobody asked");
  await page.locator("#remarks-open").click();
  const told = await page.locator("#remarks li").allInnerTexts();
  assert.equal(told.length, remarks.length);
  for (const words of told) {
    assert.match(words, /^\S[^]*[.!?](\s|$)/, words);
    assert.doesNotMatch(words, /--\w|`|\d\.\d+e[-+]?\d/, "a switch of the command line, or a number that nobody writes");
  }
  await page.getByRole("button", { name: "Choose what it is cut from" }).click();
  assert.equal(await page.evaluate(() => document.activeElement?.id), "sheet");
  await page.locator("#remarks-close").click();
  assert.equal(await page.locator("#remarks").isVisible(), false);
  assert.deepEqual(page.complaints, []);
});

test("the card of what it was made as opens by itself for whoever dropped it, and what is chosen there outlives the draft", async () => {
  assert.equal(await page.locator("#form").isVisible(), false, "it was closed");
  const seen = client.events.length;
  const [job, came] = [client.job(), (why) => client.events.slice(seen).find((e) => e.event === "bodies.came" && e.why === why)];
  await drop(page, { name: "coming.obj", bytes: obj(bumpyBall(4)) });
  await page.locator("#form").waitFor();
  assert.match(await page.locator("#form-title").innerText(), /^Made as a solid, [\d.]+ c?m?m$/);
  // Nothing lies over the body, neither where there is room for cards beside it nor here, where it stands below them.
  for (const width of [1440, 960]) {
    await page.setViewportSize({ width, height: width === 1440 ? 900 : 600 });
    const { over, size } = await covered(page);
    assert.ok(over.length === 0 && size > 60, `${width} pixels: ${size} pixels of body, below ${JSON.stringify(over)}`);
  }
  // There is little room on this page: one line, until more is asked for.
  assert.equal(await page.locator("#form-fields").isVisible(), false);
  await page.locator("#form-more").click();
  for (const [form, words] of [["shell", "It is a skin that bends and stretches."], ["solid", "Tets fill it."]]) {
    await page.locator(`#form-kind button[value="${form}"]`).click();
    assert.equal(await page.locator("#form-about").innerText(), words);
  }
  await page.locator("#form-hold").selectOption("top");
  assert.equal(await page.locator("#form-make").isEnabled(), true, "what this page makes can be made otherwise at once");
  await client.until("the finished body", () => came("refined"));
  assert.equal((await job).state, "done");
  await page.waitForFunction((b) => globalThis.studio.body.body === b, client.body.body);
  assert.equal(await page.locator("#form-hold").inputValue(), "top");
  const again = await made(page, client, () => page.locator("#form-make").click());
  assert.equal(again.name, "coming.obj");
  const { rest, pinned } = await client.shape();
  const heights = Array.from(pinned.data, (_, v) => rest.data[3 * v + 1]);
  const middle = (Math.min(...heights) + Math.max(...heights)) / 2;
  assert.ok(heights.every((y, v) => !pinned.data[v] || y > middle), "it hangs");
  await page.locator("#form-close").click();
  assert.deepEqual(page.complaints, []);
});

test("of a file in other units the size that is likely meant is proposed, and taken by a click", async () => {
  const body = await dropped("large.stl", stl(bowl(2, 300)));
  const { length, unit } = body.proposed;
  assert.ok(body.length > 400 && unit === "millimetres" && Math.abs(length / body.length - 1e-3) < 1e-9, JSON.stringify(body.proposed));
  // There is little room on this page: one line, until more is asked for.
  await page.locator("#form-more").click();
  const words = `${await page.locator("#form-size-text").innerText()} ${await page.locator("#form-propose").innerText()}`;
  assert.match(words, /^\d{3} m is unlikely to be meant\. Read it in millimetres: \d{3} mm$/);
  const again = await made(page, client, () => page.locator("#form-propose").click());
  assert.ok(Math.abs(again.length / length - 1) < 1e-6 && again.proposed === null, `${again.length} m`);
  assert.equal(await page.locator("#form-size-note").isVisible(), false);
  await page.locator("#form-close").click();
  assert.deepEqual(page.complaints, []);
});

test("tets that enclose what they could not fill are called a cage", async () => {
  const body = await dropped("fins.obj", obj(fins()));
  assert.deepEqual([body.kind, body.form, body.forms], ["tets", "cage", ["shell", "cage"]]);
  assert.match(await page.locator("#form-title").innerText(), /^Made as a cage, /);
  assert.equal(await page.locator('#form-kind button[value="cage"]').getAttribute("aria-pressed"), "true");
  await page.locator("#form-close").click();
  assert.deepEqual(page.complaints, []);
});

test("a hand that holds the draft of a body goes on to hold the finished one", async () => {
  const seen = client.events.length;
  const [job, told] = [client.job(), (why) => client.events.slice(seen).find((e) => e.event === "bodies.came" && e.why === why)];
  await drop(page, { name: "held.obj", bytes: obj(bumpyBall(4)) });
  const draft = await client.until("a draft", () => told("dropped"));
  // Not with the mouse: a slow browser may come too late for it.
  const shape = await client.shape(draft.body);
  const vertex = shape.pinned.data.findIndex((pinned) => !pinned);
  const target = [0, 1, 2].map((k) => shape.rest.data[3 * vertex + k] + draft.position[k]);
  const id = 7;
  client.send({ do: "hand.grab", body: draft.body, id, vertex, target });
  const finished = await client.until("the finished body", () => told("refined"));
  assert.equal(finished.replaces, draft.body);
  await page.waitForFunction((b) => globalThis.studio.body.body === b && globalThis.studio.frame.grabs.length === 1, finished.body);
  assert.deepEqual(client.said.hands.map((hand) => [hand.id, hand.body]), [[id, finished.body]]);
  client.send({ do: "hand.release", id });
  await client.until("no hand", () => client.said.hands.length === 0);
  assert.equal((await job).state, "done");
  assert.deepEqual(page.complaints, []);
});

for (const [name, bytes] of Object.entries(broken)) {
  test(`${name} gives the sentence of the command line, and the body stays`, async () => {
    file(name, bytes);
    const { stderr, status } = pliant("info", name);
    assert.equal(status, 2);
    // Without what only the command line can advise: its own commands, in brackets.
    const sentence = stderr.trim().replace(/^pliant: /, "").replace(/ \(`pliant [^)]*\)/g, "");
    const old = client.body.body;
    await drop(page, { name, bytes });
    await page.waitForFunction((words) => document.body.innerText.replace(/\s+/g, " ").includes(words), sentence.replace(/\s+/g, " ")).catch(async () => assert.equal(await page.locator("#messages").innerText(), sentence));
    assert.equal(client.body.body, old);
    // The browser itself reports the answer 422; nothing else may be wrong.
    page.complaints = page.complaints.filter((words) => !/status of 4\d\d/.test(words));
    assert.deepEqual(page.complaints, []);
  });
}

test("a job that is cancelled leaves the body as it was", async () => {
  const old = client.body.body;
  const seen = client.events.length;
  // Not by the mouse, which waits for the picture: the page itself clicks as soon as it shows the job, lest the job end first.
  await page.evaluate(() => {
    const [job, cancel] = ["job", "job-cancel"].map((id) => document.getElementById(id));
    const shown = () => job.checkVisibility() && !cancel.disabled && (watch.disconnect(), cancel.click());
    const watch = new MutationObserver(shown);
    watch.observe(document.body, { attributes: true, childList: true, subtree: true });
  });
  await drop(page, { name: "large.obj", bytes: obj(bumpyBall(5)) });
  const job = await client.until("its end", () => client.events.slice(seen).find((e) => e.event === "jobs.news" && e.state !== "running"));
  assert.equal(job.state, "cancelled");
  assert.equal(client.body.body, old);
  await page.locator("#job").waitFor({ state: "hidden" });
  await isLive();
});

test("a model that the page saves is loaded back as the same body", async () => {
  const saved = client.body;
  await page.locator("#tab-files").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator('a[href$="model.pliant"]').click()]);
  const bytes = await readFile(await download.path());
  file("saved.pliant", bytes);
  const about = pliant("--json", "info", "saved.pliant");
  assert.equal(about.status, 0, about.stderr);
  assert.equal(JSON.parse(about.stdout).kind, "model");

  // What went wrong is of yesterday when the next thing succeeds.
  await drop(page, { name: "broken.obj", bytes: "f 1 2 3\n" });
  const errors = page.locator('#messages [data-kind="error"]');
  await errors.first().waitFor();
  const other = await dropped("small.obj", obj(bowl(3, 0.2)));
  assert.equal(await errors.count(), 0);
  page.complaints = page.complaints.filter((words) => !/status of 4\d\d/.test(words));
  assert.notEqual(other.triangles, saved.triangles);
  const again = await dropped("saved.pliant", bytes);
  for (const key of ["kind", "vertices", "elements", "triangles", "rank", "pinned", "material"]) {
    assert.equal(again[key], saved[key], key);
  }
  again.frequencies_hz.forEach((hz, i) => assert.ok(Math.abs(hz / saved.frequencies_hz[i] - 1) < 1e-3 || hz < 1e-3));
  await isLive();
  assert.deepEqual(page.complaints, []);
});
