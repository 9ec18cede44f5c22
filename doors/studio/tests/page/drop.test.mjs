// Files dropped on the page: each ends as a live body, or as the sentence that the command line would say.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { connect, position } from "./protocol.mjs";
import { broken, bumpyBall, glb, obj, stl } from "./shapes.mjs";
import { browser, dragFrom, drop, file, handle, open, pliant, start } from "./studio.mjs";

let studio, chromium, client, page;

before(async () => {
  studio = await start();
  chromium = await browser();
  client = await connect(studio.url);
  await client.until("a body", () => client.body, 60);
  page = await open(chromium, studio.url);
});

after(async () => {
  client?.close();
  await chromium?.close();
  await studio?.stop();
});

/** Drops a file and waits for its body, on the wire and on the page. */
async function dropped(name, bytes) {
  const old = client.body.body;
  await drop(page, { name, bytes });
  const refused = () => client.events.findLast((e) => e.event === "job" && e.state === "failed");
  const told = client.events.length;
  const found = await client.until(`a body of ${name}`, () => (client.events.indexOf(refused()) >= told ? refused() : client.body.body !== old && client.body), 60);
  assert.equal(found.event, "body", `the job failed: ${found.message}`);
  await page.waitForFunction((b) => globalThis.studio.body.body === b, found.body);
  return found;
}

/** Pulls the body that is there now and sees it move. */
async function isLive() {
  const shape = await client.shape();
  const held = await handle(page, shape);
  const before = position(shape, client.frame?.q ?? [], held.vertex);
  const end = await dragFrom(page, held, [90, 20], { hold: 400 });
  const grabbed = client.until("a grab", () => client.frame.grabs.length === 1, 5);
  await grabbed.catch(end);
  await grabbed;
  const pulled = position(shape, client.frame.q, held.vertex);
  await end();
  const moved = Math.hypot(...pulled.map((x, k) => x - before[k]));
  assert.ok(moved > 0.005 * client.body.length, `pulled, it moved by ${moved} m only`);
}

const ball = bumpyBall(3);
for (const [name, bytes] of [["ball.obj", obj(ball)], ["ball.stl", stl(ball)], ["ball.glb", glb(ball)]]) {
  test(`${name} ends as a live body, pinned below, in stages that are shown`, async () => {
    const seen = client.events.length;
    const body = await dropped(name, bytes);
    assert.equal(body.why, "dropped");
    assert.equal(body.kind, "tets");
    assert.match(body.name, /ball/);
    assert.ok(body.elements > 100 && body.rank > 1);
    // The lowest twentieth of it, and it says so.
    const shape = await client.shape();
    const heights = Array.from({ length: shape.rest.shape[0] }, (_, v) => shape.rest.data[3 * v + 1]);
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    assert.ok(body.pinned > 0);
    heights.forEach((y, v) => assert.ok(!shape.pinned.data[v] || y < low + 0.12 * (high - low), "a high vertex is pinned"));
    assert.match(body.notes.join(" "), /5 ?%/);
    const stages = new Set(client.events.slice(seen).filter((e) => e.event === "job").map((e) => e.stage));
    assert.ok(stages.size >= 3, `stages: ${[...stages].join(", ")}`);
    await isLive();
    assert.deepEqual(page.complaints, []);
  });
}

for (const [name, bytes] of Object.entries(broken)) {
  test(`${name} gives the sentence of the command line, and the body stays`, async () => {
    file(name, bytes);
    const { stderr, status } = pliant("info", name);
    assert.equal(status, 2);
    const sentence = stderr.trim().replace(/^pliant: /, "");
    const old = client.body.body;
    await drop(page, { name, bytes });
    await page.waitForFunction((words) => document.body.innerText.replace(/\s+/g, " ").includes(words), sentence.replace(/\s+/g, " "), {
      timeout: 10_000,
    }).catch(async () => assert.equal(await page.locator("#messages").innerText(), sentence));
    assert.equal(client.body.body, old);
    // The browser itself reports the answer 422; nothing else may be wrong.
    page.complaints = page.complaints.filter((words) => !/status of 4\d\d/.test(words));
    assert.deepEqual(page.complaints, []);
  });
}

test("a job that is cancelled leaves the body as it was", async () => {
  const old = client.body.body;
  const seen = client.events.length;
  await drop(page, { name: "large.obj", bytes: obj(bumpyBall(6)) });
  await client.until("a job", () => client.events.slice(seen).find((e) => e.event === "job" && e.state === "running"), 30);
  // Not by the mouse, which waits for the picture: on a slow machine the job might end first.
  await page.locator("#job-cancel").dispatchEvent("click");
  const job = await client.until("its end", () => client.events.slice(seen).find((e) => e.event === "job" && e.state !== "running"), 20);
  assert.equal(job.state, "cancelled");
  assert.equal(client.body.body, old);
  await page.locator("#job").waitFor({ state: "hidden", timeout: 5000 });
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

  const other = await dropped("small.obj", obj(bumpyBall(2)));
  assert.notEqual(other.triangles, saved.triangles);
  const again = await dropped("saved.pliant", bytes);
  for (const key of ["kind", "vertices", "elements", "triangles", "rank", "pinned", "material"]) {
    assert.equal(again[key], saved[key], key);
  }
  again.frequencies_hz.forEach((hz, i) => assert.ok(Math.abs(hz / saved.frequencies_hz[i] - 1) < 1e-3 || hz < 1e-3));
  await isLive();
  assert.deepEqual(page.complaints, []);
});
