// The numbers of the studio, as one JSON object: `cargo xtask bench studio` runs this and writes the page.

import { mkdtempSync, readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import path from "node:path";
import { connect } from "./protocol.mjs";
import { bumpyBall, obj } from "./shapes.mjs";
import { browser, drop, open, start } from "./studio.mjs";

/** Clients of the load test, and for how long. */
const CLIENTS = 50;
const SECONDS = Number(process.env.STUDIO_LOAD_SECONDS ?? 60);
/** Starts of which the median is taken. */
const STARTS = 5;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** No draft: the demo is in the cache once it is. */
const isFinished = (body) => body && body.forces !== "linear";

/** From the command to the first picture in a browser that is open already, s. */
async function startTimes(chromium) {
  const warm = await start();
  await connect(warm.url).then((client) => client.until("a finished body", () => isFinished(client.body)).then(() => client.close()));
  await warm.stop();
  const [whole, listening] = [[], []];
  for (let i = 0; i < STARTS; i++) {
    const began = Date.now();
    const studio = await start();
    listening.push((Date.now() - began) / 1000);
    const page = await open(chromium, studio.url);
    const drawn = await page.evaluate(
      () => performance.timeOrigin + performance.getEntriesByName("pliant-first-frame")[0].startTime,
    );
    whole.push((drawn - began) / 1000);
    await page.context().close();
    await studio.stop();
  }
  return { first_frame_s: median(whole), first_frames_s: whole, listening_s: median(listening) };
}

/** The same without a cache: until there is something to look at, and until it can be pulled. */
async function coldTimes(chromium) {
  const [shapes, bodies] = [[], []];
  for (let i = 0; i < 3; i++) {
    const began = Date.now();
    const studio = await start([], { env: { XDG_CACHE_HOME: mkdtempSync(path.join(tmpdir(), "pliant-cold-")) } });
    const page = await open(chromium, studio.url);
    const [shape, body] = await page.evaluate(() => ["shape", "frame"].map((name) => performance.timeOrigin + performance.getEntriesByName(`pliant-first-${name}`)[0].startTime));
    shapes.push((shape - began) / 1000);
    bodies.push((body - began) / 1000);
    await page.context().close();
    await studio.stop();
  }
  return { shape_s: median(shapes), body_s: median(bodies) };
}

/** Of one core what the studio takes while its body is at rest and a page looks on. */
async function restingPart(chromium) {
  const studio = await start();
  const page = await open(chromium, studio.url);
  const client = await connect(studio.url);
  await client.until("rest", () => isFinished(client.body) && client.frame?.atRest);
  await pause(2000);
  // Fields 14 and 15 of stat: ticks of a hundredth of a second.
  const ticks = () => readFileSync(`/proc/${studio.process.pid}/stat`, "utf8").split(") ")[1].split(" ").slice(11, 13).map(Number).reduce((a, b) => a + b);
  const [before, seconds] = [ticks(), 10];
  await pause(1000 * seconds);
  const part = (ticks() - before) / (100 * seconds);
  client.close();
  await page.context().close();
  await studio.stop();
  return { part };
}

/** From dropping a surface to its body on the screen, s, and the longest time without news meanwhile. */
async function dropTime(chromium) {
  const studio = await start();
  const page = await open(chromium, studio.url);
  const client = await connect(studio.url);
  await client.until("a finished body", () => isFinished(client.body));
  const before = client.body.body;
  const ball = bumpyBall(5);
  const stages = [];
  let [longest, heard] = [0, Date.now()];
  client.socket.on("message", (data, binary) => {
    if (binary) return;
    const event = JSON.parse(data.toString());
    if (event.event !== "jobs.news") return;
    longest = Math.max(longest, Date.now() - heard);
    heard = Date.now();
    if (stages.at(-1)?.stage !== event.stage) stages.push({ stage: event.stage, at_s: (heard - began) / 1000 });
  });
  const began = Date.now();
  heard = began;
  await drop(page, { name: "ball.obj", bytes: obj(ball) });
  await page.waitForFunction((old) => globalThis.studio.body.body !== old, before, { timeout: 120_000, polling: 20 });
  const seconds = (Date.now() - began) / 1000;
  // Until then it moves by linear modes.
  await page.waitForFunction((old) => globalThis.studio.body.body > old && globalThis.studio.body.forces !== "linear", before, { timeout: 120_000, polling: 20 });
  const finished = (Date.now() - began) / 1000;
  const { vertices, elements, rank, triangles } = client.body;
  client.close();
  await page.context().close();
  await studio.stop();
  return { dropped: ball.triangles.length, seconds, finished_s: finished, silence_s: longest / 1000, stages, vertices, elements, rank, triangles };
}

/** Many clients on one body that never rests. */
async function load() {
  const studio = await start();
  const clients = [];
  for (let i = 0; i < CLIENTS; i++) clients.push(await connect(studio.url));
  const [puller] = clients;
  await puller.until("a finished body", () => isFinished(puller.body));
  const { surface_vertices, body, length, rank } = puller.body;
  const shape = await puller.shape();
  const top = Array.from({ length: surface_vertices }, (_, v) => v).reduce((best, v) =>
    shape.rest.data[3 * v + 1] > shape.rest.data[3 * best + 1] ? v : best,
  );
  const rest = [0, 1, 2].map((k) => shape.rest.data[3 * top + k]);
  const target = (t) => [rest[0] + 0.15 * length * Math.sin(5 * t), rest[1], rest[2] + 0.15 * length * Math.cos(3 * t)];
  puller.send({ do: "hand.grab", id: 1, body, vertex: top, target: target(0) });
  await pause(2000);

  const watch = clients.map((client) => {
    const seen = { frames: 0, steps: 0, missed: 0, first: null, last: null, gap: 0, at: 0, bytes: client.socket._socket.bytesRead };
    client.onframe = (f) => {
      const now = performance.now();
      if (seen.last) {
        seen.frames += 1;
        seen.steps += f.steps;
        seen.missed += ((f.number - seen.last.number) >>> 0) - 1;
        seen.gap = Math.max(seen.gap, now - seen.at);
      }
      seen.first ??= f;
      seen.last = f;
      seen.at = now;
    };
    return seen;
  });
  const began = performance.now();
  const dragging = setInterval(() => puller.send({ do: "hand.drag", id: 1, target: target((performance.now() - began) / 1000) }), 20);
  await pause(1000 * SECONDS);
  clearInterval(dragging);
  const seconds = (performance.now() - began) / 1000;
  const closed = clients.filter((client) => client.closed).length;
  const rows = clients.map((client, i) => {
    const { frames, steps, missed, first, last, gap, bytes } = watch[i];
    return {
      rate: frames / seconds,
      missed,
      gap_ms: gap,
      steps,
      late: last.late - first.late,
      body_seconds: last.t - first.t,
      bytes: (client.socket._socket.bytesRead - bytes) / seconds,
      microseconds: last.microseconds,
    };
  });
  for (const client of clients) client.close();
  await studio.stop();
  const of = (key) => rows.map((row) => row[key]);
  const most = rows.reduce((a, b) => (b.steps > a.steps ? b : a));
  return {
    clients: CLIENTS,
    seconds,
    closed,
    rank,
    surface_vertices,
    least_rate: Math.min(...of("rate")),
    median_rate: median(of("rate")),
    missed: of("missed").reduce((a, b) => a + b, 0),
    frames: of("rate").reduce((a, b) => a + b * seconds, 0),
    longest_gap_ms: Math.max(...of("gap_ms")),
    steps: most.steps,
    late: most.late,
    real_time: most.body_seconds / seconds,
    microseconds_per_step: most.microseconds,
    bytes_per_second: median(of("bytes")),
    vertex_bytes_per_second: 12 * surface_vertices * 60,
  };
}

/** What is measured; the words after the file name choose. */
const PARTS = { times: startTimes, cold: coldTimes, resting: restingPart, dropping: dropTime, load };
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS);
const measured = { cores: availableParallelism() };
for (const part of wanted) {
  const chromium = part === "load" ? null : await browser();
  measured[part] = await PARTS[part](chromium);
  await chromium?.close();
}
console.log(JSON.stringify(measured));
