// A sheet: the page says what it can be cut from, and what is chosen gives it weight and stiffness.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { file, made, pliant, visit } from "./studio.mjs";

let visited, client, page;

before(async () => {
  const mesh = file("sheet.obj", "");
  pliant("mesh", "--shape", "cloth", "--subdivision", "6", "-o", mesh);
  visited = await visit([mesh]);
  ({ client, page } = visited);
  await page.locator("#tab-feel").click();
});

after(() => visited?.end());

const menu = () => page.locator("#sheet option").allTextContents();
const matter = (name) => client.welcome.menus.sheets.find((sheet) => sheet.name === name);

/** Chooses what it is cut from and presses Rebuild; the body that comes. */
async function cutFrom(name) {
  await page.locator("#sheet").selectOption(name);
  assert.equal(await page.locator("#build-changed").isVisible(), true);
  return made(page, client, () => page.locator("#rebuild").click());
}

/** That of the first mode which costs something, Hz. */
const lowest = (body) => body.frequencies_hz.find((hz) => hz > 1e-3);

test("of a sheet whose file says nothing of matter the page says what it can be cut from", async () => {
  assert.deepEqual([client.body.kind, client.body.sheet], ["triangles", ""]);
  assert.deepEqual(client.body.remarks.find(({ sentence }) => /Cut from/.test(sentence)).remedy, "sheet");
  assert.equal(await page.locator("#sheet").isVisible(), true);
  assert.deepEqual(await menu(), ["as it is", ...client.welcome.menus.sheets.map(({ name, title }) => (name === client.body.proposed_sheet ? `${title}, proposed` : title)), "numbers of my own"]);
  assert.ok(client.body.proposed_sheet, "something is proposed");
  await page.locator("#remarks-open").click();
  await page.getByRole("button", { name: "Choose what it is cut from" }).click();
  assert.equal(await page.locator("#sheet").inputValue(), client.body.proposed_sheet);
  await page.locator("#sheet").selectOption("");
  await page.locator("#remarks-close").click();
  // Whoever stands on one is told its numbers.
  const told = await page.locator('#sheet option[value="rubber"]').getAttribute("title");
  assert.equal(told, "Young’s modulus 5.00 MPa, 1100 kg/m³");
});

test("what is chosen gives weight and stiffness by its modulus, density and thickness", async () => {
  const bodies = {};
  for (const name of ["rubber", "steel"]) {
    const body = (bodies[name] = await cutFrom(name));
    assert.deepEqual([body.sheet, body.kind], [name, "triangles"]);
    // One square metre.
    const { density, thickness } = matter(name);
    assert.ok(Math.abs(body.mass / (density * thickness) - 1) < 1e-9, `${body.mass} kg`);
    await client.until("its settings", () => Math.abs(client.settings.density / (density * thickness) - 1) < 1e-6);
    assert.equal(await page.locator("#sheet").inputValue(), name);
    assert.equal((await menu()).includes("as it is"), false);
  }
  // The frequencies of a plate go with t √(E/ρ).
  const pace = ({ young, density, thickness }) => thickness * Math.sqrt(young / density);
  const wanted = pace(matter("steel")) / pace(matter("rubber"));
  const found = lowest(bodies.steel) / lowest(bodies.rubber);
  assert.ok(Math.abs(found / wanted - 1) < 0.02, `${found}, not ${wanted}`);
});

test("the page takes numbers of one's own", async () => {
  await page.locator("#tab-files").click();
  const sheet = await made(page, client, () => page.locator('#shape button[value="cloth"]').click());
  assert.ok(sheet.plate === null && client.welcome.menus.sheets.some(({ name }) => name === sheet.proposed_sheet), sheet.proposed_sheet);
  await page.locator("#tab-feel").click();
  await page.locator("#sheet").selectOption("own");
  await page.locator("#plate-thickness").fill("2.5");
  await page.locator("#plate-young").fill("40");
  await page.locator("#plate-density").fill("1000");
  const body = await made(page, client, () => page.locator("#rebuild").click());
  for (const [key, wanted] of [["young", 4e7], ["thickness", 2.5e-3], ["density", 1000]]) assert.ok(Math.abs(body.plate[key] / wanted - 1) < 1e-9, key);
  assert.deepEqual([body.sheet, body.proposed_sheet], ["", null]);
  assert.equal(await page.locator("#rebuild").isDisabled(), true, "nothing is changed any more");
  // Its stiffness is Young's modulus from now on.
  assert.equal(await page.locator("#stiffness-value").innerText(), "40.0 MPa");
  assert.deepEqual(page.complaints, []);
});

test("a solid is not cut from a sheet", async () => {
  await page.locator("#tab-files").click();
  const bar = await made(page, client, () => page.locator('#shape button[value="bar"]').click());
  await page.locator("#tab-feel").click();
  assert.equal(bar.sheet, null);
  assert.equal(await page.locator("#sheet").isVisible(), false);
  assert.deepEqual(page.complaints, []);
});
