// The first start, without a cache: there is something to look at long before there is a body.

import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { browser, start } from "./studio.mjs";

test("the coarse dinosaur stands there while its body is made, and becomes it", async () => {
  const studio = await start([], { env: { XDG_CACHE_HOME: mkdtempSync(path.join(tmpdir(), "pliant-cold-")) } });
  const chromium = await browser();
  const page = await chromium.newPage();
  page.setDefaultTimeout(300_000);
  try {
    await page.goto(studio.url);
    await page.waitForFunction(() => performance.getEntriesByName("pliant-first-shape").length > 0);
    // Whoever joins later is shown it too.
    const late = await chromium.newPage();
    await late.goto(studio.url);
    await late.waitForFunction(() => performance.getEntriesByName("pliant-first-shape").length > 0);
    await page.waitForFunction(() => globalThis.studio.body && globalThis.studio.ready);
    const [shape, body] = await page.evaluate(() => ["shape", "frame"].map((name) => performance.getEntriesByName(`pliant-first-${name}`)[0].startTime));
    assert.ok(shape < body, `${shape} ms until something was seen, ${body} ms until the body`);
    assert.deepEqual(await page.evaluate(() => [...globalThis.studio.errors]), []);
  } finally {
    await chromium.close();
    await studio.stop();
  }
});
