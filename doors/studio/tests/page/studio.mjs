// Starts the studio and a browser, as a person would, and listens for what goes wrong in it.
//
// PLIANT         the program
// STUDIO_SCRATCH a folder for what the tests make; the cache of the studio is kept there from test to test
// STUDIO_WEB     the sources of the page (for the type checker)
// STUDIO_SCREENS where pictures of the page are kept
// STUDIO_LARGE   if set, pictures of a desktop are 1440 × 900
// CHROMIUM       the browser, else Debian's

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";
import { connect } from "./protocol.mjs";

export const PLIANT = process.env.PLIANT ?? "pliant";
export const SCRATCH = process.env.STUDIO_SCRATCH ?? path.join(tmpdir(), "pliant-studio-tests");
export const SCREENS = process.env.STUDIO_SCREENS ?? path.join(SCRATCH, "screens");

/** Small: every pixel is drawn by the processor. */
export const COMPACT = { width: 960, height: 600 };
/** For pictures to be shown, `STUDIO_LARGE=1`: the processor draws them for a minute. */
export const DESKTOP = process.env.STUDIO_LARGE ? { width: 1440, height: 900 } : { width: 1000, height: 640 };
export const PHONE = { width: 390, height: 844 };

/** WebGL2 without a graphics card, and nothing that asks the network. */
const FLAGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
];

/** `pliant studio`, listening: { url, process, stop }. */
export async function start(args = [], { env = {}, seconds = 300 } = {}) {
  mkdirSync(path.join(SCRATCH, "cache"), { recursive: true });
  const child = spawn(PLIANT, ["--json", "studio", ...args, "--port", "0", "--no-open"], {
    env: { ...process.env, XDG_CACHE_HOME: path.join(SCRATCH, "cache"), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, complaints] = ["", ""];
  child.stderr.on("data", (text) => (complaints += text));
  const url = await new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`\`pliant studio\` ${why}: ${complaints || out || "it said nothing"}`));
    const timer = setTimeout(() => (child.kill(), fail(`did not listen within ${seconds} s`)), 1000 * seconds);
    child.on("error", (error) => (clearTimeout(timer), fail(`cannot start (${error.message})`)));
    child.on("exit", (code) => (clearTimeout(timer), fail(`ended with status ${code}`)));
    child.stdout.on("data", (text) => {
      out += text;
      if (!out.includes("\n")) return;
      clearTimeout(timer);
      resolve(JSON.parse(out).url);
    });
  });
  const gone = new Promise((resolve) => child.on("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), 5000);
    await gone;
    clearTimeout(late);
  };
  return { url, process: child, stop, complaints: () => complaints };
}

/** `pliant ARGS` in the tests' own folder, so that it names files as the page does. */
export function pliant(...args) {
  return spawnSync(PLIANT, args, { cwd: SCRATCH, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** A browser with a fresh profile. */
export function browser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
}

/** The page, shown: its body is there and drawn, with half the pixels unless `scale` is 1. `page.complaints` collects whatever the browser complains about. */
export async function open(browser, url, { size = COMPACT, scale = 0.5, dark = false, phone = false, query = "" } = {}) {
  const context = await browser.newContext({
    viewport: size,
    deviceScaleFactor: scale,
    colorScheme: dark ? "dark" : "light",
    hasTouch: phone,
    isMobile: phone,
    acceptDownloads: true,
  });
  // Machines that test are slow and busy: what takes five minutes hangs, what takes less may be late.
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  page.complaints = [];
  page.on("console", (said) => said.type() === "error" && page.complaints.push(said.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error.stack ?? error)));
  page.on("requestfailed", (request) => page.complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  const address = new URL(url);
  for (const [key, value] of new URLSearchParams(query)) address.searchParams.set(key, value);
  await page.goto(address.href);
  await page.waitForFunction(() => globalThis.studio?.ready && globalThis.studio.body);
  await page.waitForFunction(() => performance.getEntriesByName("pliant-first-frame").length > 0);
  return page;
}

/** A studio whose body is finished, a client of its protocol, and its page in a browser: { studio, chromium, client, page, end }. */
export async function visit(args = [], { env = {}, ...view } = {}) {
  const visited = { end: async () => (visited.client?.close(), await visited.chromium?.close(), await visited.studio?.stop()) };
  try {
    visited.studio = await start(args, { env });
    visited.chromium = await browser();
    visited.client = await connect(visited.studio.url);
    await visited.client.settled();
    visited.page = await open(visited.chromium, visited.studio.url, view);
    return visited;
  } catch (error) {
    await visited.end();
    throw error;
  }
}

/** Drops files on the middle of the page, as from a file manager: each { name, bytes }. */
export async function drop(page, ...files) {
  const packed = files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") }));
  await page.evaluate((files) => {
    const carried = new DataTransfer();
    for (const { name, base64 } of files) {
      carried.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    }
    const at = { clientX: innerWidth / 2, clientY: innerHeight / 2 };
    const target = document.elementFromPoint(at.clientX, at.clientY) ?? document.body;
    for (const kind of ["dragenter", "dragover", "drop"]) {
      target.dispatchEvent(new DragEvent(kind, { ...at, dataTransfer: carried, bubbles: true, cancelable: true }));
    }
  }, packed);
}

/** Does what begins a job, and follows it to its end; the body that it made, on the wire and on the page. Of a mesh a draft comes before. */
export async function made(page, client, act) {
  const old = client.body.body;
  const job = client.job();
  await act();
  const { state, message } = await job;
  if (state !== "done") throw new Error(`the job is ${state}: ${message}`);
  const fresh = client.body;
  if (fresh.body === old) throw new Error(`there is still body ${old}`);
  await page.waitForFunction((b) => globalThis.studio.body?.body === b, fresh.body);
  return fresh;
}

/** A file of the tests' own folder. */
export function file(name, bytes) {
  mkdirSync(SCRATCH, { recursive: true });
  const where = path.join(SCRATCH, name);
  writeFileSync(where, bytes);
  return where;
}

/** What covers how much of the chosen body, pixels: cards, the panel, the bar, the line at the top; once the view stands still. */
export function covered(page) {
  return page.evaluate(async () => {
    const { studio } = globalThis;
    const count = studio.body.surface_vertices, step = Math.max(1, Math.floor(count / 60));
    const seen = () => {
      const all = Array.from({ length: Math.ceil(count / step) }, (_, k) => studio.project(k * step));
      const [x, y] = [0, 1].map((axis) => all.map((place) => place[axis]));
      return { left: Math.min(...x), top: Math.min(...y), right: Math.max(...x), bottom: Math.max(...y) };
    };
    // Of pictures that were drawn since: a window that has changed is looked at by the next one.
    const drawn = async () => {
      for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);
      await new Promise((later) => setTimeout(later, 100));
    };
    let [before, box] = [null, null];
    for (let tries = 0; tries < 200 && (!before || Object.keys(box).some((side) => Math.abs(box[side] - before[side]) > 0.5)); tries++) {
      before = box;
      await drawn();
      box = seen();
    }
    const parts = [...document.querySelectorAll("#cards > *, #panel, #transport, #top > *")].filter((part) => part.checkVisibility());
    const over = parts.map((part) => {
      const rim = part.getBoundingClientRect();
      return [part.id || part.className, Math.min(box.right, rim.right) - Math.max(box.left, rim.left), Math.min(box.bottom, rim.bottom) - Math.max(box.top, rim.top)];
    });
    return { size: Math.max(box.right - box.left, box.bottom - box.top), over: over.filter(([, wide, high]) => wide > 1 && high > 1) };
  });
}

/** Where a vertex is on the screen that can be taken with the mouse: in the upper half, not at the rim, and nothing hides it. */
export async function handle(page, shape) {
  const [m] = shape.rest.shape;
  const height = (v) => shape.rest.data[3 * v + 1];
  const high = Array.from({ length: m }, (_, v) => v)
    .filter((v) => !shape.pinned.data[v])
    .sort((a, b) => height(b) - height(a));
  // Some in the upper half: to ask what hides a vertex is to look at every triangle.
  const asked = high.filter((_, i) => i % Math.ceil(m / 80) === 0).slice(0, 40);
  const found = await page.waitForFunction(
    (asked) => {
      const { studio } = globalThis;
      // The camera turns to a new body: not before it stands still.
      const [x, y] = studio.project(asked[0]);
      const before = globalThis.lastSeen ?? [0, 0];
      globalThis.lastSeen = [x, y];
      if (Math.hypot(x - before[0], y - before[1]) > 0.5) return null;
      // At the rim of the body the mouse would slip off.
      const inside = (x, y) => [[5, 0], [-5, 0], [0, 5], [0, -5]].every(([dx, dy]) => studio.hit(x + dx, y + dy) !== null);
      for (const vertex of asked) {
        const [x, y, visible] = studio.project(vertex);
        if (visible && document.elementFromPoint(x, y)?.id === "stage" && inside(x, y)) return { vertex, x, y };
      }
      return null;
    },
    asked,
    { polling: 250 },
  );
  return found.jsonValue();
}

/** Takes the body with the mouse, pulls by `way` pixels and holds on; the returned function lets go. */
export async function dragFrom(page, { x, y }, [dx, dy], { hold = 0 } = {}) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 6; i++) await page.mouse.move(x + (dx * i) / 6, y + (dy * i) / 6);
  await page.waitForTimeout(hold);
  return () => page.mouse.up();
}

/** As [`dragFrom`] some vertex, until the server says that it is held: a view that still turned may have slipped away under the mouse. */
export async function pull(page, client, shape, way) {
  for (let tries = 1; ; tries++) {
    const held = await handle(page, shape);
    const end = await dragFrom(page, held, way);
    try {
      await client.until("a grab", () => client.frame.grabs.length === 1, 15);
      return { vertex: client.frame.grabs[0].vertex, end };
    } catch (error) {
      await end();
      if (tries === 3) throw error;
    }
  }
}

/** Keeps pulling the vertex that the first coordinate moves most about by a part of the body's length; the returned function lets go. */
export function stir(client, shape, part = 0.1) {
  const [m] = shape.rest.shape;
  const reach = (v) => (shape.pinned.data[v] ? -1 : Math.hypot(...shape.basis.data.subarray(3 * v, 3 * v + 3)));
  let top = 0;
  for (let v = 1; v < m; v++) if (reach(v) > reach(top)) top = v;
  const rest = [0, 1, 2].map((k) => shape.rest.data[3 * top + k]);
  const { body, length } = client.body;
  const id = Math.floor(Math.random() * 2 ** 31);
  const target = () => {
    const t = performance.now() / 1000;
    return [rest[0] + part * length * Math.sin(9 * t), rest[1], rest[2] + part * length * Math.cos(7 * t)];
  };
  client.send({ do: "hand.grab", id, body, vertex: top, target: target() });
  const moving = setInterval(() => client.send({ do: "hand.drag", id, target: target() }), 20);
  return async () => {
    clearInterval(moving);
    client.send({ do: "hand.release", id });
    await client.until("no grab", () => client.frame.grabs.every((grab) => grab.id !== id));
  };
}

/** The tabs of the panel, which is opened if it is not. */
export async function tabs(page) {
  const list = page.getByRole("tab");
  await list.first().waitFor();
  const toggle = page.locator("#panel-toggle");
  if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click();
  return list.all();
}
