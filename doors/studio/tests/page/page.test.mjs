// The page on the demo: what a person does first, and what must then be seen.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { difference, pixels } from "./pictures.mjs";
import { position } from "./protocol.mjs";
import { dragFrom, handle, made, open, pull, stir, visit } from "./studio.mjs";

let visited, studio, chromium, client, page, shape, feel;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

before(async () => {
  visited = await visit();
  ({ studio, chromium, client, page } = visited);
  remember();
});

/** How the body feels, for the beginning of every test. */
const remember = () => {
  const { stiffness, density, damping } = client.settings;
  feel = { stiffness, density, damping };
};

after(() => visited?.end());

/** Every test begins with the body at rest, without weight, all coordinates in use. */
beforeEach(async () => {
  shape = await client.shape();
  await beginning({ ...feel, gravity: [0, 0, 0], coordinates: client.body.rank, speed: 1 });
  client.send({ do: "time.pause", paused: false });
  await agreed({ paused: false });
  await client.until("rest", () => client.frame.atRest);
});

/** Stands still at rest and at time zero, with these settings: what comes after it does not hang on what was before. */
async function beginning(settings) {
  const told = client.events.length;
  const { speed = client.settings.speed, ...feel } = settings;
  const { body } = client.body;
  for (const request of [{ do: "time.pause", paused: true }, { do: "time.speed", speed }, { do: "feel.set", body, ...feel }, { do: "time.reset" }]) client.send(request);
  const set = (event) => event.event === "feel.settings" && event.body === body && Object.entries(feel).every(([key, value]) => same(event[key], value));
  await client.until("the settings", () => client.events.slice(told).some(set) && client.settings.paused && same(client.settings.speed, speed));
  await client.until("the beginning", () => client.frame?.paused && client.frame.t === 0 && client.frame.q.every((x) => x === 0));
}

/** Whether two settings are equal, but for rounding. */
const same = (a, b) => (typeof b === "number" ? Math.abs(a - b) <= 1e-9 * Math.abs(b) : Object.keys(b).every((key) => same(a[key], b[key])));

const nothingWentWrong = async (page) => {
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await page.evaluate(() => [...globalThis.studio.errors]), []);
};

test("the page loads, draws the body and complains about nothing", async () => {
  assert.equal(await page.evaluate(() => globalThis.studio.connected), true);
  assert.equal(await page.evaluate(() => globalThis.studio.body.body), client.body.body);
  const { colours } = await pixels(chromium, await page.locator("#stage").screenshot());
  assert.ok(colours > 200, `a picture of ${colours} colours shows no body`);
  await nothingWentWrong(page);
});

test("pulled with the mouse the demo follows, swings, loses energy and comes to rest where it was", async () => {
  const { length } = client.body;
  const seen = [];
  client.onframe = (frame) => seen.push({ ...frame, total: frame.kinetic + frame.elastic });
  const still = client.frame.q;
  const apart = (a, b) => Math.hypot(...a.map((x, k) => x - b[k])) / length;

  const { vertex, end } = await pull(page, client, shape, [150, 40]);
  const there = (q) => position(shape, q, vertex);
  const home = there(still);
  const pulled = await client.until("a body that follows the mouse", () => apart(there(client.frame.q), home) > 0.02 && client.frame);
  const force = Math.hypot(...pulled.grabs[0].force);
  assert.ok(force > 0 && Number.isFinite(force));
  // The force is shown.
  await page.locator("#labels").getByText(/N$/).first().waitFor();
  // What the page draws is rest + U q of the frame that it has.
  const drawn = await page.evaluate((v) => ({ x: [...globalThis.studio.position(v)], q: [...globalThis.studio.frame.q] }), pulled.grabs[0].vertex);
  assert.ok(apart(drawn.x, position(shape, drawn.q, pulled.grabs[0].vertex)) < 1e-4);

  await end();
  const released = seen.length;
  await client.until("rest", () => client.frame.atRest && seen.length > released + 5, 300);
  client.onframe = null;
  const free = seen.slice(released).filter((frame) => frame.grabs.length === 0);
  assert.ok(free[0].total > 0);
  const quarters = group(free, (f) => Math.floor(4 * (f.t - free[0].t)));
  const means = [...quarters.values()].map((frames) => frames.reduce((sum, f) => sum + f.total, 0) / frames.length);
  const floor = 1e-3 * means[0];
  means.slice(1).forEach((mean, i) => assert.ok(mean <= 1.02 * means[i] + floor, `energy rises from ${means[i]} to ${mean} J`));
  assert.ok(free.at(-1).total < 0.01 * free[0].total, "energy is left at rest");
  assert.ok(apart(there(client.frame.q), home) < 0.01, "the body rests elsewhere");
  await nothingWentWrong(page);
});

function group(list, key) {
  const groups = new Map();
  for (const one of list) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

test("a finger pulls as the mouse does", async () => {
  const phone = await open(chromium, studio.url, { phone: true, size: { width: 390, height: 844 } });
  const held = await handle(phone, shape);
  // A finger covers what it takes: beside the body is near enough.
  const rim = await phone.evaluate(({ x, y }) => {
    while (globalThis.studio.hit(x, y) !== null) x += 1;
    return { x: x + 5, y };
  }, held);
  const touch = await phone.context().newCDPSession(phone);
  const at = (type, points) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await at("touchStart", [rim]);
  for (let i = 1; i <= 4; i++) await at("touchMove", [{ x: rim.x - 15 * i, y: rim.y }]);
  await client.until("a grab", () => client.frame.grabs.length === 1);
  await client.until("motion", () => client.frame.kinetic > 0 && client.frame.elastic > 0);
  await at("touchEnd", []);
  await client.until("letting go", () => client.frame.grabs.length === 0);
  await nothingWentWrong(phone);
  await phone.context().close();
});

test("another of our shapes, chosen on the page, takes the place of the demo", async () => {
  await page.locator("#tab-files").click();
  const bar = await made(page, client, () => page.locator('#shape button[value="bar"]').click());
  assert.match(`${bar.name} ${bar.why}`, /^bar (opened|refined)$/);
  const { title } = client.welcome.menus.shapes.find(({ name }) => name === "bar");
  assert.match(title, /^\p{Lu}/u);
  assert.equal(await page.locator("#name").innerText(), title);
  // The second time it is read as it was kept: nothing is filled or reduced, and no draft of it is shown.
  const seen = client.events.length;
  const again = await made(page, client, () => page.locator('#shape button[value="bar"]').click());
  const since = (kind) => client.events.slice(seen).filter(({ event }) => event === kind);
  assert.deepEqual(since("bodies.came").map(({ why, replaces }) => [why, replaces]), [["opened", bar.body]]);
  assert.deepEqual([again.rank, again.bytes], [bar.rank, bar.bytes]);
  const stages = new Set(since("jobs.news").map(({ stage }) => stage).filter(Boolean));
  assert.ok([...stages].every((stage) => ["beginning", "reading", "preparing to show it", "done"].includes(stage)), [...stages].join(", "));
  await client.until("a frame of it", () => client.frame.body === again.body);
  remember();
  await nothingWentWrong(page);
});

// From here on the body is the bar, which is drawn and rebuilt faster.

test("the slider of coordinates takes away the finer motion at once", async () => {
  const few = Math.min(4, client.body.rank - 1);
  await page.locator("#tab-feel").click();
  await page.locator("#coordinates").fill(String(few));
  await client.until("fewer coordinates", () => client.settings.coordinates === few);
  const stop = stir(client, shape);
  await client.until("motion", () => client.frame.kinetic > 0 && client.frame.q.some((x) => x !== 0));
  await stop();
  assert.ok(client.frame.q.slice(few).every((x) => x === 0), "a coordinate beyond the slider moves");
  assert.ok(client.frame.q.slice(0, few).some((x) => x !== 0));
});

/**
 * Server and page say that the body is paused, or that it is not. The page draws before it listens and may be behind: a key that
 * turns a state around is pressed when the page knows the state.
 */
async function agreed({ paused }) {
  // A body at rest has nothing more to say.
  const told = () => client.frame.atRest || client.frame.paused === paused;
  await client.until(paused ? "pause" : "no pause", () => client.settings.paused === paused && told());
  const known = ([paused, number]) => globalThis.studio.settings.paused === paused && globalThis.studio.frame.number >= number;
  await page.waitForFunction(known, [paused, client.frame.number]);
}

test("pause stops time, a step is one step, slow motion is slow", async () => {
  const stop = stir(client, shape);
  await client.until("motion", () => client.frame.kinetic > 0);
  await page.locator("#pause").click();
  await agreed({ paused: true });
  const { t } = client.frame;
  await pause(300);
  assert.equal(client.frame.t, t);
  await page.locator("#step").click();
  await client.until("a step", () => client.frame.t > t);
  assert.ok(Math.abs(client.frame.t - t - client.settings.dt) < 1e-9, `a step of ${client.frame.t - t} s`);
  await page.locator("#pause").click();
  await agreed({ paused: false });

  // A busy machine may fall behind, for as long as it is busy; it never runs ahead.
  const real = await paces(20, (pace) => pace > 0.2);
  assert.ok(real.every((pace) => pace <= 1) && real.at(-1) > 0.2, `${real} s of the body in a second`);
  await page.locator("#speed").selectOption("0.1");
  await client.until("slow motion", () => client.settings.speed === 0.1);
  const slow = await paces(20, (pace) => pace > 0.02);
  assert.ok(slow.every((pace) => pace <= 0.1) && slow.at(-1) > 0.02, `${slow} s of the body in a second of slow motion`);
  await stop();
});

/**
 * Body seconds for each second of the clock, second by second, at most `most` times and until one is enough. The body stands still
 * at both ends, so that the clock never sees less than the body had, however late a frame comes.
 */
async function paces(most, enough) {
  const found = [];
  do {
    client.send({ do: "time.pause", paused: true });
    await client.until("pause", () => client.frame.paused);
    const [from, clock] = [client.frame.t, performance.now()];
    client.send({ do: "time.pause", paused: false });
    await client.until("no pause", () => !client.frame.paused);
    await pause(1000);
    client.send({ do: "time.pause", paused: true });
    await client.until("pause", () => client.frame.paused);
    found.push((client.frame.t - from) / ((performance.now() - clock) / 1000));
  } while (!enough(found.at(-1)) && found.length < most);
  client.send({ do: "time.pause", paused: false });
  await agreed({ paused: false });
  return found;
}

test("the space bar pauses, R puts back, the question mark helps", async () => {
  await page.locator("#stage").focus();
  await page.keyboard.press("Space");
  await agreed({ paused: true });
  await page.keyboard.press("Space");
  await agreed({ paused: false });
  const stop = stir(client, shape);
  await client.until("motion", () => client.frame.kinetic > 0 && client.frame.q.some((x) => x !== 0));
  await stop();
  // While it stands still, so that the beginning can be seen for as long as it takes.
  await page.keyboard.press("Space");
  await agreed({ paused: true });
  assert.ok(client.frame.t > 0);
  await page.keyboard.press("r");
  await client.until("the beginning", () => client.frame.t === 0 && client.frame.q.every((x) => x === 0));
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator("#help").isVisible()));
});

/**
 * Hz of the first coordinate alone, let fall from rest without damping: q = a (1 − cos ω′t), fitted to a whole swing. Frames tell
 * the time of the body, so that a busy machine takes longer and sees the same. Newmark's average acceleration swings slower than
 * the body: tan(ω′ dt / 2) = ω dt / 2.
 */
async function frequency(hz) {
  const pulled = [0, 1, 2].map((k) => average(shape, k));
  // So strong that the body is seen to move and so weak that its force is still straight: about a five-hundredth of its length.
  const strength = (0.002 * client.body.length * (2 * Math.PI * hz) ** 2) / Math.hypot(...pulled);
  await beginning({ damping: { mass: 0, stiffness: 0 }, coordinates: 1, gravity: pulled.map((x) => strength * x) });
  const swing = [];
  client.onframe = ({ t, q }) => swing.push([t, q[0]]);
  client.send({ do: "time.pause", paused: false });
  await client.until("a whole swing", () => client.frame.t > 1 / hz, 300);
  client.onframe = null;
  const { omega, missed } = fit(swing);
  assert.ok(swing.length > 20 && missed < 1e-3, `of ${swing.length} frames ${100 * missed} % are no swing`);
  const { dt } = client.settings;
  return Math.tan((omega * dt) / 2) / (Math.PI * dt);
}

/** How far the first coordinate moves the vertices along an axis, in the mean. */
function average({ basis, basis_scale: scale }, axis) {
  const [, m] = basis.shape;
  let sum = 0;
  for (let v = 0; v < m; v++) sum += basis.data[3 * v + axis];
  return (scale.data[0] * sum) / m;
}

/** ω of the a (1 − cos ωt) that is nearest to [t, q], and the share of Σq² that it misses. */
function fit(seen) {
  const square = seen.reduce((sum, [, q]) => sum + q * q, 0);
  const missed = (omega) => {
    let [along, length] = [0, 0];
    for (const [t, q] of seen) {
      const wave = 1 - Math.cos(omega * t);
      along += q * wave;
      length += wave * wave;
    }
    return 1 - along ** 2 / (length * square);
  };
  const once = (2 * Math.PI) / seen.at(-1)[0];
  let best = once;
  // From a tenth of a swing to ten, in steps of two hundredths; then ever finer ones.
  for (let i = -116; i <= 116; i++) {
    const omega = once * 1.02 ** i;
    if (missed(omega) < missed(best)) best = omega;
  }
  for (let step = 0.02; step > 1e-7; step /= 2) {
    for (const omega of [best * (1 - step), best * (1 + step)]) if (missed(omega) < missed(best)) best = omega;
  }
  return { omega: best, missed: missed(best) };
}

/** The two softest presets. */
const soft = () => {
  const presets = client.welcome.menus.presets.toSorted((a, b) => a.young / a.density - b.young / b.density);
  assert.ok(presets.length >= 3, "gelatine, rubber and wood at least");
  return presets.slice(0, 2);
};
const choose = async (preset) => {
  await page.locator("#tab-feel").click();
  await page.locator("#presets").getByRole("button", { name: preset.title }).click();
  await client.until(preset.title, () => Math.abs(client.settings.stiffness / preset.young - 1) < 1e-6);
  assert.ok(Math.abs(client.settings.density / preset.density - 1) < 1e-6);
};

test("a preset changes how fast the body swings, as the square root of stiffness over density", async () => {
  const [a, b] = soft();
  const { built } = client.settings;
  const lowest = client.body.frequencies_hz.find((hz) => hz > 1e-3);
  const measured = [];
  for (const preset of [a, b]) {
    await choose(preset);
    measured.push(await frequency(lowest * Math.sqrt(preset.young / built.stiffness / (preset.density / built.density))));
  }
  const expected = Math.sqrt(b.young / b.density / (a.young / a.density));
  const ratio = measured[1] / measured[0];
  assert.ok(Math.abs(ratio / expected - 1) < 0.01, `${measured} Hz: ratio ${ratio}, expected ${expected}`);
});

test("the frequencies of the modes are those of the preset", async () => {
  const { built } = client.settings;
  const lowest = client.body.frequencies_hz.find((hz) => hz > 1e-3);
  for (const preset of soft()) {
    await choose(preset);
    await page.waitForFunction((young) => Math.abs(globalThis.studio.settings.stiffness / young - 1) < 1e-6, preset.young);
    const expected = lowest * Math.sqrt(preset.young / built.stiffness / (preset.density / built.density));
    const near = (text) => {
      const shown = Number(/([\d.]+) Hz/.exec(text)?.[1]);
      assert.ok(Math.abs(shown / expected - 1) < 0.01, `"${text}" where ${preset.title} swings at ${expected} Hz`);
    };
    near(await page.locator("#gallery button").first().textContent());
    await page.locator("#tab-modes").click();
    near((await page.locator("#spectrum-text").textContent()).replace(/modes from ([\d.]+)/, "$1 Hz"));
  }
});

test("a mode that is picked plays on the page alone", async () => {
  await page.locator("#tab-modes").click();
  const { vertex } = await handle(page, shape);
  await page.locator("#gallery").getByRole("button").first().click();
  const [x, far] = [await page.evaluate((v) => [...globalThis.studio.position(v)], vertex), 1e-3 * client.body.length];
  await page.waitForFunction(
    ({ vertex, x, far }) => Math.hypot(...[...globalThis.studio.position(vertex)].map((c, k) => c - x[k])) > far,
    { vertex, x, far },
  );
  assert.ok(client.frame.atRest, "the body itself was moved");
  await page.locator("#gallery").getByRole("button").first().click();
  await page.locator("#tab-feel").click();
  await nothingWentWrong(page);
});

test("software pixels and shader pixels show the same picture", async () => {
  const held = await handle(page, shape);
  const end = await dragFrom(page, held, [120, 30], { hold: 500 });
  client.send({ do: "time.pause", paused: true });
  await client.until("pause", () => client.frame.paused);
  await end();
  const pictures = [];
  for (const renderer of ["cpu", "gpu"]) {
    const other = await open(chromium, studio.url, { query: `renderer=${renderer}`, scale: 1, size: { width: 800, height: 480 } });
    assert.match(await other.evaluate(() => String(globalThis.studio.renderer)), new RegExp(renderer, "i"));
    await other.waitForFunction((t) => Math.abs((globalThis.studio.frame?.t ?? -1) - t) < 1e-9, client.frame.t);
    // The body alone: the hint bobs. It is drawn sharply once nothing moves any more.
    await other.evaluate(() => document.querySelectorAll("#stage ~ *, #panel").forEach((part) => (part.style.display = "none")));
    let [last, same] = [Buffer.alloc(0), 0];
    for (let tries = 0; same < 2 && tries < 40; tries++) {
      await pause(400);
      const next = await other.locator("#stage").screenshot();
      same = next.equals(last) ? same + 1 : 0;
      last = next;
    }
    pictures.push(last);
    await nothingWentWrong(other);
    await other.context().close();
  }
  const { mean, share } = await difference(chromium, ...pictures);
  assert.ok(mean < 1.5, `they differ by ${mean} of 255 in the mean`);
  assert.ok(share < 0.005, `${(100 * share).toFixed(2)} % of the pixels differ by more than 24 of 255`);
});

test("two pages see one body; pins painted on one replace it for both, and both say so", async () => {
  const other = await open(chromium, studio.url);
  const pages = [page, other];
  const { end } = await pull(page, client, shape, [100, 0]);
  client.send({ do: "time.pause", paused: true });
  await client.until("pause", () => client.frame.paused);
  for (const p of pages) await p.waitForFunction((t) => globalThis.studio.frame.t === t, client.frame.t);
  const states = await Promise.all(pages.map((p) => p.evaluate(() => [globalThis.studio.frame.t, ...globalThis.studio.frame.q])));
  assert.deepEqual(states[0], states[1]);
  assert.ok(states[0].some((x) => Math.abs(x) > 0));
  await end();
  client.send({ do: "time.pause", paused: false });
  client.send({ do: "time.reset" });
  await client.until("rest", () => !client.settings.paused && client.frame.atRest);
  await pause(300);

  const old = client.body;
  // A message stays for some seconds, and this test may look later than that.
  const listen = () => {
    globalThis.said = [];
    const keep = (changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((node) => globalThis.said.push(node.textContent)));
    new MutationObserver(keep).observe(document.getElementById("messages"), { childList: true });
  };
  for (const p of pages) await p.evaluate(listen);
  await page.locator("#pin").click();
  const spot = await handle(page, shape);
  await (await dragFrom(page, spot, [12, 12]))();
  const said = client.job();
  await page.locator("#paint-build").click();
  await page.locator("#job").waitFor();
  assert.equal((await said).state, "done");
  const fresh = await client.until("another body", () => client.body.body !== old.body && client.body);
  assert.equal(fresh.why, "rebuilt");
  assert.ok(fresh.pinned > old.pinned, `${fresh.pinned} pinned after painting, ${old.pinned} before`);
  shape = await client.shape();
  assert.equal(shape.pinned.data[spot.vertex], 1, "the vertex under the brush is not pinned");
  for (const [i, p] of pages.entries()) {
    await p.waitForFunction((b) => globalThis.studio.body.body === b, fresh.body);
    await p.waitForFunction(() => globalThis.said.length > 0);
    const words = await p.evaluate(() => globalThis.said.join(" "));
    assert.match(words, /replace|rebuil|new body|now/i, `page ${i} says: ${words}`);
    await nothingWentWrong(p);
  }
  await other.context().close();
});
