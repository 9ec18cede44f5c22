// An app is a folder and a line: the test-only family `echo` has a panel, a section of frames, a job and a file.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, start, visit } from "./studio.mjs";

let visited, chromium, client, page;

before(async () => {
  visited = await visit([], { env: { PLIANT_STUDIO_TEST: "1" } });
  ({ chromium, client, page } = visited);
});

after(() => visited?.end());

test("its panel says, counts, works and fetches", async (context) => {
  if (!client.welcome.families.includes("echo")) return context.skip("this program was built without it");
  await page.locator("#tab-echo").click();
  await page.locator("#echo-text").fill("good morning");
  await page.locator("#echo-say").click();
  await page.locator("#echo-answer").getByText("good morning").waitFor();
  await page.waitForFunction(() => Number(document.getElementById("echo-count").value) === 1);
  await page.locator("#echo-fetch").click();
  await page.locator("#echo-answer").getByText("hello", { exact: true }).waitFor();

  const seen = client.events.length;
  await page.locator("#echo-work").click();
  await page.locator("#job").waitFor();
  await page.locator("#job-cancel").click();
  const ended = (event) => event.event === "jobs.news" && event.title === "echo" && event.state !== "running";
  const { state } = await client.until("its end", () => client.events.slice(seen).find(ended), 60);
  assert.equal(state, "cancelled");
  await page.locator("#job").waitFor({ state: "hidden" });

  // Its key is in the help, which is made of the table.
  await page.keyboard.press("Escape");
  await page.locator("#help-open").click();
  await page.locator("#help-body").getByText("say it").waitFor();
  assert.deepEqual(page.complaints, []);
});

test("a server without it shows no such panel", async () => {
  const plain = await start();
  try {
    const other = await open(chromium, plain.url);
    assert.equal(await other.locator("#tab-echo").count(), 0);
    await other.context().close();
  } finally {
    await plain.stop();
  }
});
