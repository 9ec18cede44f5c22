// Accessibility: axe-core finds nothing serious, on any panel, light and dark, desktop and phone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import axe from "axe-core";
import { browser, COMPACT, open, PHONE, start, tabs } from "./studio.mjs";

let studio, chromium;

before(async () => {
  studio = await start();
  chromium = await browser();
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
