// A material with constants of its own: a field for each, and another material after it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { file, made, pliant, visit } from "./studio.mjs";

let visited, client, page;

before(async () => {
  const [mesh, model] = [file("bar.veg", ""), file("rubber.pliant", "")];
  pliant("mesh", "--shape", "bar", "--subdivision", "1", "-o", mesh);
  pliant("build", mesh, "-o", model, "--fix", "x<5%", "--mooney", "2e4,1e4,3e5", "--modes", "3", "--forces", "linear");
  visited = await visit([model]);
  ({ client, page } = visited);
  await page.locator("#tab-feel").click();
});

after(() => visited?.end());

/** Names and numbers of the fields. */
const fields = () => page.locator("#constants input").evaluateAll((inputs) => Object.fromEntries(inputs.map(({ name, value }) => [name, value])));

/** Presses Rebuild; the body that comes. */
const rebuilt = () => made(page, client, () => page.locator("#rebuild").click());

test("a constant has a field with its number, and what is typed there is built", async () => {
  assert.deepEqual(client.body.constants, { mu01: 1e4, mu10: 2e4, v1: 3e5 });
  assert.deepEqual(await fields(), { mu01: "10000", mu10: "20000", v1: "300000" });
  assert.equal(await page.locator("#rebuild").isDisabled(), true);
  await page.locator('#constants input[name="mu10"]').fill("5e4");
  assert.deepEqual(await page.locator("#constants .changed .field-name").allTextContents(), ["mu10"]);
  const fresh = await rebuilt();
  assert.deepEqual(fresh.constants, { mu01: 1e4, mu10: 5e4, v1: 3e5 });
  assert.equal((await fields()).mu10, "50000");
});

test("another material has other fields, and takes its place", async () => {
  await page.locator("#material").selectOption("stvk");
  assert.deepEqual(await fields(), {});
  // What is chosen says what it is, where it can be read.
  const { materials, integrators, bases, forces } = client.welcome.menus;
  for (const [id, items] of Object.entries({ material: materials, integrator: integrators, basis: bases, forces })) {
    const chosen = await page.locator(`#${id}`).inputValue();
    const { about } = items.find(({ name }) => name === chosen);
    assert.equal((await page.locator(`#${id}-about`).innerText()).toLowerCase().replace(/\.$/, ""), about.toLowerCase().replace(/\.$/, ""), id);
    assert.match(await page.locator(`#${id}`).getAttribute("aria-describedby"), new RegExp(`${id}-about`));
  }
  const fresh = await rebuilt();
  assert.deepEqual([fresh.material, fresh.constants], ["stvk", {}]);
  await page.locator("#material").selectOption("mooney-rivlin");
  assert.deepEqual(await fields(), { mu01: "", mu10: "", v1: "" });
  assert.equal((await rebuilt()).material, "mooney-rivlin");
});

test("what cannot be is said in the words of the page", async () => {
  await page.locator('#constants input[name="mu10"]').fill("1e4");
  const said = client.job();
  await page.locator("#rebuild").click();
  const { state, message } = await said;
  assert.equal(state, "failed");
  assert.match(message, /its field below the Material menu/);
  assert.deepEqual(page.complaints, []);
});
