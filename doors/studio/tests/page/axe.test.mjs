// Accessibility: axe-core finds nothing serious, on any panel, light and dark, desktop and phone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import axe from "axe-core";
import { connect } from "./protocol.mjs";
import { bumpyBall, obj } from "./shapes.mjs";
import { browser, COMPACT, file, open, PHONE, start, tabs } from "./studio.mjs";

let studio, chromium;

before(async () => {
  // Something to remark: nobody said where it is held.
  studio = await start([file("round.obj", obj(bumpyBall(3)))]);
  chromium = await browser();
  const client = await connect(studio.url);
  await client.settled();
  client.close();
});

after(async () => {
  await chromium?.close();
  await studio?.stop();
});

for (const [where, size] of [["desktop", COMPACT], ["phone", PHONE]]) {
  for (const dark of [false, true]) {
    test(`nothing serious, ${where}, ${dark ? "dark" : "light"}`, async () => {
      const page = await open(chromium, studio.url, { size, dark, phone: where === "phone" });
      await page.evaluate(axe.source);
      for (const tab of await tabs(page)) {
        await tab.click();
        await check(page, await tab.innerText());
      }
      // The card of what a body is made as, as a drop opens it and whole.
      await page.keyboard.press("f");
      await page.locator("#form").waitFor();
      await check(page, "the card of forms");
      await page.keyboard.press("Escape");
      // What comes and goes over the picture: remarks, the brush, a legend, the last seconds.
      await page.locator("#stage").focus();
      for (const [key, what] of [["q", "#remarks"], ["p", "#paint"], ["v", "#legend"], ["b", "#past"]]) {
        if (key === "b") await page.keyboard.press("Enter"); // what has not moved has no last seconds
        if (key === "b") await page.waitForFunction(() => globalThis.studio.frame.q.some((x) => x !== 0));
        await page.keyboard.press(key);
        await page.locator(what).waitFor();
        await check(page, what);
        await page.keyboard.press("Escape");
        await page.locator("#stage").focus();
      }
      await page.locator("#help-open").click();
      await check(page, "help");
      await page.context().close();
    });
  }
}

async function check(page, what) {
  const found = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, impact, help, nodes }) => ({ id, impact, help, where: nodes.map((n) => n.target.join(" ")).slice(0, 5) }));
  });
  const bad = found.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(bad, [], `${what}: ${JSON.stringify(bad)}`);
}
