// Pictures of the page, kept to be looked at; and that nothing of it lies beside the screen.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pixels } from "./pictures.mjs";
import { connect } from "./protocol.mjs";
import { bumpyBall, obj } from "./shapes.mjs";
import { browser, DESKTOP, dragFrom, drop, handle, open, PHONE, SCREENS, start, tabs } from "./studio.mjs";

let studio, chromium, client, shape;

before(async () => {
  studio = await start();
  chromium = await browser();
  client = await connect(studio.url);
  await client.settled();
  shape = await client.shape();
  mkdirSync(SCREENS, { recursive: true });
});

after(async () => {
  client?.close();
  await chromium?.close();
  await studio?.stop();
});

for (const [where, size] of [["desktop", DESKTOP], ["phone", PHONE]]) {
  for (const dark of [false, true]) {
    const name = `${where}-${dark ? "dark" : "light"}`;
    test(`${name}: kept as a picture, nothing lies beside the screen`, async () => {
      const page = await open(chromium, studio.url, { size, scale: 1, dark, phone: where === "phone" });
      const keep = async (what) => {
        const png = await page.screenshot();
        writeFileSync(path.join(SCREENS, `${name}${what}.png`), png);
        if (!what) {
          const { colours, ...seen } = await pixels(chromium, png);
          assert.deepEqual(seen, size);
          assert.ok(colours > 200, `${colours} colours`);
        }
        const [wide, high] = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]);
        assert.ok(wide <= 0 && high <= 0, `${what || "the page"} is ${wide} × ${high} pixels larger than the screen`);
      };
      await keep("");
      const end = await dragFrom(page, await handle(page, shape), where === "phone" ? [60, 10] : [140, 30], { hold: 400 });
      await keep("-pulled");
      await end();
      // What swings is drawn again and again, which takes the time of the pictures to come.
      client.send({ do: "time.reset" });
      await client.until("rest", () => client.frame.atRest && client.frame.grabs.length === 0);
      // The panels differ in colour only.
      for (const tab of dark ? [] : await tabs(page)) {
        await tab.click();
        await page.waitForTimeout(250);
        await keep(`-${(await tab.innerText()).trim().toLowerCase()}`);
      }
      if (!dark) {
        await page.locator("#help-open").click();
        await keep("-help");
      }
      await page.context().close();
    });
  }
}

test("five bodies: kept as pictures, desktop and phone", async () => {
  for (let i = 0; i < 4; i++) await client.ask({ do: "bodies.duplicate", body: client.bodies[0].body });
  for (const [name, size, dark] of [["desktop-light", DESKTOP, false], ["desktop-dark", DESKTOP, true], ["phone-light", PHONE, false]]) {
    const page = await open(chromium, studio.url, { size, scale: 1, dark, phone: size === PHONE });
    await page.waitForFunction(() => globalThis.studio.bodies.length === 5);
    if (size === DESKTOP) await page.locator("#tab-bodies").click();
    await page.waitForTimeout(2000);
    writeFileSync(path.join(SCREENS, `${name}-five.png`), await page.screenshot());
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
});

test("a drop: kept as pictures while it is read, as a draft, and finished", async () => {
  for (const { body } of client.bodies.slice(1)) await client.ask({ do: "bodies.remove", body });
  for (const [name, size] of [["desktop-light", DESKTOP], ["phone-light", PHONE]]) {
    const page = await open(chromium, studio.url, { size, scale: 1, phone: size === PHONE });
    const keep = async (what) => writeFileSync(path.join(SCREENS, `${name}-drop-${what}.png`), await page.screenshot());
    const job = client.job();
    await drop(page, { name: "ball.obj", bytes: obj(bumpyBall(5)) });
    await page.locator("#job").waitFor();
    await keep("read");
    await page.waitForFunction(() => globalThis.studio.body?.name === "ball.obj");
    await page.waitForTimeout(600);
    await keep("draft");
    assert.equal((await job).state, "done");
    await page.waitForFunction((b) => globalThis.studio.body.body === b, client.body.body);
    await page.waitForTimeout(1500);
    await keep("finished");
    await page.locator("#form-more").click({ timeout: 2000 }).catch(() => {}); // whole already where there is room
    await page.waitForTimeout(600);
    await keep("card");
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }
});
