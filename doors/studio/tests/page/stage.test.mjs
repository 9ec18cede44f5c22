// Several bodies on one stage: chosen, pulled, duplicated, removed, moved; still ones cost nothing; and nothing that is dropped is lost.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { difference } from "./pictures.mjs";
import { connect, position } from "./protocol.mjs";
import { bowl, obj } from "./shapes.mjs";
import { browser, drop, file, handle, open, pliant, start } from "./studio.mjs";

let studio, chromium, client, page;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

before(async () => {
  const models = ["left", "right"].map((name) => {
    const [mesh, model] = [file(`${name}.veg`, ""), file(`${name}.pliant`, "")];
    pliant("mesh", "--shape", "bar", "--subdivision", "1", "-o", mesh);
    pliant("build", mesh, "-o", model, "--fix", "x<5%", "--modes", "4", "--forces", "linear");
    return model;
  });
  studio = await start(models, { env: { PLIANT_STUDIO_TEST: "1" } });
  chromium = await browser();
  client = await connect(studio.url);
  await client.until("two bodies", () => client.bodies.length === 2);
  page = await open(chromium, studio.url);
  await allThere(page);
});

after(async () => {
  client?.close();
  await chromium?.close();
  await studio?.stop();
});

/** Every test begins with all bodies at rest. */
beforeEach(async () => {
  await client.ask({ do: "time.reset" });
  await client.until("rest", () => client.said.allAtRest);
});

/** The page shows the bodies that the server has. */
const allThere = (page) =>
  page.waitForFunction((wanted) => globalThis.studio.bodies.map(({ body }) => body).sort().join() === wanted, client.bodies.map(({ body }) => body).sort().join());

const nothingWentWrong = async (page) => {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.evaluate(() => [...globalThis.studio.errors]), []);
};

/** Takes a body with the mouse and pulls; the returned function lets go. */
async function pullBody(page, body) {
  await page.evaluate((body) => globalThis.studio.choose(body), body);
  const { x, y } = await handle(page, await client.shape(body));
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 5; i++) await page.mouse.move(x + 8 * i, y - 6 * i);
  return () => page.mouse.up();
}

test("files that are opened together stand side by side, and one of them is chosen", async () => {
  const [a, b] = client.bodies;
  assert.deepEqual([a.name, b.name].map((name) => name.replace(/\.pliant$/, "")), ["left", "right"]);
  assert.ok(Math.hypot(...a.position.map((x, k) => x - b.position[k])) > 0.05 * a.length, "they stand in one another");
  assert.equal(await page.evaluate(() => globalThis.studio.body.body), a.body);
  await page.locator("#tab-bodies").click();
  const rows = page.locator("#bodies-list button");
  assert.equal(await rows.count(), 2);
  await rows.nth(1).click();
  assert.equal(await page.evaluate(() => globalThis.studio.body.body), b.body);
  assert.equal(await rows.nth(1).getAttribute("aria-pressed"), "true");
  // N goes on to the next, and round.
  await page.locator("#stage").focus();
  await page.keyboard.press("n");
  assert.equal(await page.evaluate(() => globalThis.studio.body.body), a.body);
  await nothingWentWrong(page);
});

test("each body has settings of its own, and the panel shows those of the chosen one", async () => {
  const [a, b] = client.bodies;
  const feel = ({ body }) => client.events.findLast((event) => event.event === "feel.settings" && event.body === body);
  const slider = page.locator("#stiffness");
  await page.locator("#tab-feel").click();
  const before = feel(a).stiffness;
  for (const [one, place] of [[a, 4.5], [b, 7.5]]) {
    await page.evaluate((body) => globalThis.studio.choose(body), one.body);
    await slider.fill(String(place));
    await client.until("its stiffness", () => Math.abs(feel(one).stiffness / 10 ** place - 1) < 0.02);
  }
  assert.ok(Math.abs(feel(a).stiffness / 10 ** 4.5 - 1) < 0.02, "the other one's was changed");
  for (const [one, place] of [[a, 4.5], [b, 7.5]]) {
    await page.evaluate((body) => globalThis.studio.choose(body), one.body);
    await page.waitForFunction((place) => Math.abs(Number(document.getElementById("stiffness").value) - place) < 0.01, place);
  }
  for (const { body } of [a, b]) await client.ask({ do: "feel.set", body, stiffness: before });
  await nothingWentWrong(page);
});

test("two pages pull two bodies at once, and each sees both move", async () => {
  const [a, b] = client.bodies;
  const other = await open(chromium, studio.url);
  await allThere(other);
  const ends = [await pullBody(page, a.body), await pullBody(other, b.body)];
  const hands = await client.until("two hands", () => client.said.hands.length === 2 && client.said.hands);
  assert.deepEqual(hands.map(({ body }) => body).sort(), [a.body, b.body]);
  assert.equal(new Set(hands.map((hand) => hand.client)).size, 2);
  const far = (body) => Math.hypot(...client.said.bodies.get(body).q);
  await client.until("motion of both", () => far(a.body) > 0 && far(b.body) > 0);
  for (const p of [page, other]) {
    for (const body of [a, b]) {
      await p.evaluate((body) => globalThis.studio.choose(body), body.body);
      await p.waitForFunction(() => globalThis.studio.frame.grabs.length === 1 && globalThis.studio.frame.q.some((x) => x !== 0));
    }
    await nothingWentWrong(p);
  }
  for (const end of ends) await end();
  await other.context().close();
});

test("what the page draws of a body that stands elsewhere is its place + turn · (X + U q)", async () => {
  const [, b] = client.bodies;
  const [x, w] = [0.3 * b.length, Math.SQRT1_2];
  await client.ask({ do: "bodies.place", body: b.body, position: [x, 0, 2 * x], turn: [0, w, 0, w] });
  const shape = await client.shape(b.body);
  await page.evaluate((body) => globalThis.studio.choose(body), b.body);
  await page.waitForFunction((x) => Math.abs(globalThis.studio.frame.position[0] - x) < 1e-6, x);
  for (const vertex of [0, 7, 20]) {
    const [u, v, t] = position(shape, client.said.bodies.get(b.body).q, vertex);
    const seen = await page.evaluate((vertex) => [...globalThis.studio.position(vertex)], vertex);
    // A quarter turn around the upright axis takes z to x and x to −z.
    [x + t, v, 2 * x - u].forEach((wanted, k) => assert.ok(Math.abs(seen[k] - wanted) < 1e-4 * b.length, `${seen}`));
  }
  await client.ask({ do: "bodies.place", body: b.body, position: b.position, turn: b.turn });
});

test("a body is duplicated and removed by the page", async () => {
  const [a] = client.bodies;
  await page.evaluate((body) => globalThis.studio.choose(body), a.body);
  await page.locator("#tab-bodies").click();
  await page.locator("#duplicate").click();
  const twin = await client.until("a third body", () => client.bodies.length === 3 && client.body);
  assert.deepEqual([twin.why, twin.name, twin.replaces], ["duplicated", a.name, null]);
  // Whoever brings a body means it from then on.
  await page.waitForFunction((body) => globalThis.studio.body?.body === body, twin.body);
  await page.locator("#remove").click();
  await client.until("two bodies", () => client.bodies.length === 2);
  await allThere(page);
  assert.ok(client.bodies.every(({ body }) => body !== twin.body));
  assert.ok(await page.evaluate(() => globalThis.studio.body !== null));
  await nothingWentWrong(page);
});

test("Alt and an arrow key move the chosen body; the picture follows", async () => {
  const [, b] = client.bodies;
  await page.evaluate((body) => globalThis.studio.choose(body), b.body);
  const held = await handle(page, await client.shape(b.body));
  const place = () => client.said.bodies.get(b.body).position;
  const [start, before] = [place(), await page.locator("#stage").screenshot()];
  await page.locator("#stage").focus();
  await page.keyboard.press("Alt+ArrowRight");
  await client.until("another place", () => place().some((x, k) => Math.abs(x - start[k]) > 0.01 * b.length));
  assert.ok(Math.abs(place()[1] - start[1]) < 1e-9, "it left the ground");
  const moved = ({ vertex, x }) => page.waitForFunction(([v, x]) => Math.abs(globalThis.studio.project(v)[0] - x) > 5, [vertex, x]);
  await moved(held);
  const { share } = await difference(chromium, before, await page.locator("#stage").screenshot());
  assert.ok(share > 0.001, `${100 * share} % of the pixels changed`);

  await nothingWentWrong(page);
});

test("bodies at rest are neither sent nor drawn", async () => {
  await page.evaluate(() => {
    globalThis.drawn = 0;
    for (const name of ["drawArrays", "drawElements", "drawArraysInstanced"]) {
      const draw = WebGL2RenderingContext.prototype[name];
      WebGL2RenderingContext.prototype[name] = function (...args) {
        globalThis.drawn += 1;
        return draw.apply(this, args);
      };
    }
  });
  await page.locator("#home").click();
  await page.waitForFunction(() => globalThis.drawn > 0);
  // The camera arrives, and what was drawn coarsely is drawn sharply once more.
  await page.waitForFunction(() => {
    const before = globalThis.drawnBefore;
    globalThis.drawnBefore = globalThis.drawn;
    return before === globalThis.drawn;
  }, undefined, { polling: 1000 });
  let frames = 0;
  client.onframe = () => (frames += 1);
  await page.evaluate(() => (globalThis.drawn = 0));
  await pause(2000);
  client.onframe = null;
  assert.equal(frames, 0, "frames of bodies at rest");
  assert.equal(await page.evaluate(() => globalThis.drawn), 0, "draw calls");
});

test("the keyboard alone chooses a body, pulls it, pins it and saves it", async () => {
  /** Goes on with Tab until that has the focus. */
  const tabTo = async (what) => {
    for (let i = 0; i < 80; i++) {
      if (await page.evaluate((what) => document.activeElement?.matches(what), what)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`Tab does not come to ${what}`);
  };
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await tabTo("#stage");
  const chosen = () => page.evaluate(() => globalThis.studio.body.body);
  const before = await chosen();
  await page.keyboard.press("n");
  const body = await chosen();
  assert.notEqual(body, before);
  const pulled = client.until("a hand", () => client.said.hands.some((hand) => hand.body === body));
  await page.keyboard.press("Enter");
  await pulled;
  await client.until("no hand", () => client.said.hands.length === 0);
  const { pinned } = client.bodies.find((one) => one.body === body);
  await page.keyboard.press("p");
  await page.locator("#paint").waitFor();
  await page.keyboard.press("Enter");
  assert.equal(client.said.hands.length, 0, "Enter paints now");
  await tabTo("#paint-build");
  const job = client.job();
  await page.keyboard.press("Enter");
  assert.equal((await job).state, "done");
  const rebuilt = client.bodies.find(({ replaces }) => replaces === body);
  assert.ok(rebuilt.pinned > pinned, `${rebuilt.pinned} pinned vertices, ${pinned} before`);
  await page.waitForFunction((b) => globalThis.studio.body?.body === b, rebuilt.body);
  await tabTo('[role="tab"][aria-selected="true"]');
  while (!(await page.evaluate(() => document.activeElement?.id === "tab-files"))) await page.keyboard.press("ArrowRight");
  await tabTo('a[href$="model.pliant"]');
  const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
  assert.match(download.suggestedFilename(), /\.pliant$/);
  await nothingWentWrong(page);
});

test("a drop while something is made asks first, and then takes its place", async (context) => {
  if (!client.welcome.families.includes("echo")) return context.skip("this program has no job that takes as long as it is told");
  const { job } = await client.ask({ do: "echo.work", seconds: 50 });
  const news = () => client.events.findLast((event) => event.event === "jobs.news" && event.job === job);
  await page.locator("#job").waitFor();
  const before = client.bodies.map(({ body }) => body);
  const dish = { name: "dish.obj", bytes: obj(bowl(2)) };

  await drop(page, dish);
  await page.locator("#instead").waitFor();
  // By the keyboard alone: the first button goes on with what is being made.
  await page.keyboard.press("Enter");
  await page.locator("#instead").waitFor({ state: "hidden" });
  assert.equal(news().state, "running");

  await page.evaluate((body) => globalThis.studio.choose(body), before[1]);
  await drop(page, dish);
  await page.locator("#instead").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await client.until("the end of that job", () => news().state === "cancelled");
  const dishes = () => client.events.find((event) => event.event === "bodies.came" && event.name.startsWith("dish"));
  const fresh = await client.until("the dish", dishes);
  assert.deepEqual([fresh.why, fresh.replaces], ["dropped", before[1]]);
  assert.equal(client.bodies.length, 2);
  await client.until("the end of its job", () => client.last("jobs.news").state === "done");
  await page.waitForFunction((body) => globalThis.studio.body?.body === body, client.body.body);
  await nothingWentWrong(page);
});

test("what is to stand beside replaces nothing", async () => {
  await page.locator("#tab-files").click();
  await page.locator("#beside").check();
  const before = client.bodies.map(({ body }) => body);
  const job = client.job();
  await drop(page, { name: "dish.obj", bytes: obj(bowl(2)) });
  assert.equal((await job).state, "done");
  assert.equal(client.bodies.length, before.length + 1);
  assert.ok(before.every((body) => client.bodies.some((other) => other.body === body)), "another body has left");
  await page.waitForFunction((body) => globalThis.studio.body?.body === body, client.body.body);
  await page.locator("#beside").uncheck();
  await nothingWentWrong(page);
});

test("the scenario of several bodies is one of each, and each repeats", async () => {
  for (const { body } of client.bodies.slice(2)) await client.ask({ do: "bodies.remove", body });
  await client.until("two bodies", () => client.bodies.length === 2);
  const two = client.bodies;
  for (const { body, position } of two) {
    const shape = await client.shape(body);
    const vertex = shape.pinned.data.findLastIndex((pinned) => !pinned);
    const at = [0, 1, 2].map((k) => shape.rest.data[3 * vertex + k] + position[k]);
    await client.ask({ do: "hand.grab", body, id: body, vertex, target: at });
    client.send({ do: "hand.drag", id: body, target: [at[0], at[1] + 0.05, at[2]] });
  }
  const moved = ({ body }) => client.said.bodies.get(body).q.some((x) => x !== 0);
  await client.until("motion of both", () => two.every(moved));
  await pause(300);
  for (const { body } of two) client.send({ do: "hand.release", id: body });
  await client.ask({ do: "time.pause", paused: true });
  await client.until("pause", () => client.said.paused);
  const ends = two.map(({ body }) => client.said.bodies.get(body));
  await allThere(page);
  await page.locator("#tab-files").click();
  /** @type {Map<string, Buffer>} */ const saved = new Map();
  const keep = async (download) => saved.set(download.suggestedFilename(), readFileSync(await download.path()));
  page.on("download", keep);
  await page.locator("#save-scenario").click();
  const scenarios = () => [...saved.keys()].filter((name) => name.endsWith(".toml"));
  for (let k = 0; k < 600 && scenarios().length < two.length; k++) await pause(100);
  page.off("download", keep);
  assert.equal(scenarios().length, 2, [...saved.keys()].join());
  for (const [k, name] of scenarios().entries()) {
    file(name, saved.get(name));
    const model = `${name}.pliant`;
    file(model, Buffer.from(await (await fetch(new URL(`family/files/${two[k].body}/model.pliant`, studio.url))).arrayBuffer()));
    const state = saved.get(name.replace(/toml$/, "npz"));
    if (state) file(name.replace(/toml$/, "npz"), state);
    // As its head says.
    const [, options] = /^# pliant simulate MODEL\.pliant THIS\.toml(.*)$/m.exec(String(saved.get(name)));
    const run = pliant("--json", "simulate", model, name, ...options.trim().split(" "));
    assert.equal(run.status, 0, run.stderr);
    assert.match(String(saved.get(name)), /\[\[spring\]\]/);
    // It ends as that body did on the stage.
    const { elastic, kinetic } = JSON.parse(run.stdout);
    const [found, wanted] = [elastic.at(-1) + kinetic.at(-1), ends[k].elastic + ends[k].kinetic];
    assert.ok(wanted > 0 && Math.abs(found - wanted) < 0.01 * Math.max(...elastic), `${name}: ${found} J, on the stage ${wanted} J`);
  }
  await client.ask({ do: "time.pause", paused: false });
  await nothingWentWrong(page);
});

test("a page of another version is told to reload", async () => {
  const old = await chromium.newPage();
  await old.addInitScript(() => {
    const Real = globalThis.WebSocket;
    globalThis.WebSocket = class extends Real {
      constructor(address) {
        super(address, "pliant.1");
      }
    };
  });
  await old.goto(studio.url);
  await old.locator("#messages").getByText(/reload/i).first().waitFor();
  await old.close();
});
