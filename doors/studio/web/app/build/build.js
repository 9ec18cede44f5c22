/**
 * What needs a rebuild: material and its own constants, Poisson's ratio, what a surface is cut from, basis, forces and their sizes.
 *
 * Changes are marked and wait until Rebuild is pressed; only what was changed is sent, the server keeps the rest.
 */

import { explain } from "../../about.js";
import { make, need, si } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../protocol.js").BuildOptions} BuildOptions */
/** @typedef {import("../../protocol.js").BodyEvent} BodyEvent */

/**
 * @typedef {object} Choice
 * @property {string} id of the control
 * @property {"material" | "poisson" | "sheet" | "basis" | "forces" | "modes" | "rank" | "cubature"} key
 * @property {(body: BodyEvent) => string | number | null} read
 */

/** @type {Choice[]} */
const CHOICES = [
  { id: "material", key: "material", read: (body) => body.material },
  { id: "poisson", key: "poisson", read: (body) => body.poisson },
  { id: "sheet", key: "sheet", read: (body) => body.sheet || (body.plate ? OWN : body.sheet) },
  { id: "basis", key: "basis", read: (body) => body.basis },
  { id: "forces", key: "forces", read: (body) => body.forces },
  { id: "modes-count", key: "modes", read: (body) => body.modes },
  { id: "rank", key: "rank", read: (body) => body.rank },
  { id: "cubature", key: "cubature", read: (body) => body.cubature_points },
];

const FIELDS = /* html */ `
<fieldset id="build"><legend>Needs a rebuild <span id="build-changed" class="badge" hidden>changed</span></legend>
  <div class="field"><label for="material" class="field-name">Material</label><select id="material"></select></div>
  <div id="constants"></div>
  <label class="field" id="poisson-field"><span class="field-name">Poisson’s ratio</span><input type="range" id="poisson" min="0" max="0.49" step="0.01"><output id="poisson-value"></output></label>
  <div class="field"><label for="sheet" class="field-name">Cut from</label><select id="sheet"></select></div>
  <div id="plate" hidden>
    <label class="field"><span class="field-name">Young’s modulus</span><input type="number" id="plate-young" min="0" step="any"><span class="unit">MPa</span></label>
    <label class="field"><span class="field-name">Thickness</span><input type="number" id="plate-thickness" min="0" step="any"><span class="unit">mm</span></label>
    <label class="field"><span class="field-name">Density</span><input type="number" id="plate-density" min="0" step="any"><span class="unit">kg/m³</span></label>
  </div>
  <div class="field"><label for="basis" class="field-name">Basis</label><select id="basis"></select></div>
  <div class="field"><label for="forces" class="field-name">Forces</label><select id="forces"></select></div>
  <label class="field"><span class="field-name">Linear modes</span><input type="range" id="modes-count" min="2" max="60" step="1"><output id="modes-count-value"></output></label>
  <label class="field"><span class="field-name">Rank</span><input type="range" id="rank" min="2" max="120" step="1"><output id="rank-value"></output></label>
  <label class="field"><span class="field-name">Cubature points</span><input type="range" id="cubature" min="10" max="400" step="5"><output id="cubature-value"></output></label>
  <div class="row"><span class="small" id="build-note">The body stays live while a new one is made.</span><button type="button" id="rebuild" class="strong" disabled>Rebuild</button></div>
</fieldset>
`;

/** In the menu of sheets: numbers of one's own. */
const OWN = "own";

/** Fields of those numbers, and what one of their units is. @type {{ id: string, key: "young" | "thickness" | "density", unit: number }[]} */
const PLATE = [
  { id: "plate-young", key: "young", unit: 1e6 },
  { id: "plate-thickness", key: "thickness", unit: 1e-3 },
  { id: "plate-density", key: "density", unit: 1 },
];

/** What helps against remarks: its name there, what its button says, and the control. @type {[string, string, string][]} */
const HELPS = [
  ["sheet", "Choose what it is cut from", "sheet"],
  ["rank", "Twice the coordinates", "rank"],
  ["cubature", "Twice the cubature points", "cubature"],
  ["material", "Another material", "material"],
  ["forces", "Other forces", "forces"],
];

/** @type {import("../../app.js").App} */
export const build = { name: "build", under: FIELDS, start };

/** @param {Studio} studio */
function start(studio) {
  const button = need("rebuild", HTMLButtonElement);
  const badge = need("build-changed", HTMLElement);
  const constants = need("constants", HTMLElement);
  const material = need("material", HTMLSelectElement);
  const controls = new Map(CHOICES.map(({ id }) => [id, /** @type {HTMLInputElement | HTMLSelectElement} */ (need(id, HTMLElement))]));

  const sheetMenu = need("sheet", HTMLSelectElement);
  const plate = need("plate", HTMLElement);
  const explained = ["material", "sheet", "basis", "forces"].map((id) => explain(need(id, HTMLSelectElement)));

  /** What the fields say a surface is cut from; null where one of them says nothing. @returns {import("../../protocol.js").Plate | null} */
  function numbers() {
    const [young, thickness, density] = PLATE.map(({ id, unit }) => need(id, HTMLInputElement).valueAsNumber * unit);
    return young > 0 && thickness > 0 && density > 0 ? { young, thickness, density } : null;
  }

  /** Fields for numbers of one's own begin with those of what was chosen before. @param {import("../../protocol.js").Plate | undefined} from */
  function showPlate(from) {
    plate.hidden = sheetMenu.value !== OWN || Boolean(field(sheetMenu)?.hidden);
    if (from) for (const { id, key, unit } of PLATE) need(id, HTMLInputElement).value = String(Number((from[key] / unit).toPrecision(6)));
  }

  /** @returns {BuildOptions} */
  function changes() {
    const { body } = studio;
    if (!body) return {};
    const { sheet, ...others } = Object.fromEntries(CHOICES.flatMap(({ id, key, read }) => change(id, key, read(body))));
    const own = sheetMenu.value === OWN ? numbers() : null;
    const isOther = own && PLATE.some(({ key }) => Math.abs(own[key] / (body.plate?.[key] ?? NaN) - 1) > 1e-6 || !body.plate);
    const given = Object.fromEntries(fields().flatMap((input) => constant(input, body)));
    return {
      ...others,
      ...(sheet === undefined || sheet === OWN ? {} : { sheet: String(sheet) }),
      ...(own && isOther ? { plate: own } : {}),
      ...(Object.keys(given).length > 0 ? { constants: given } : {}),
    };
  }

  /** Fields of the constants that the chosen material has of its own. */
  const fields = () => Array.from(constants.querySelectorAll("input"));

  /** Its number now, where the body has the chosen material and says it. @param {string} key @param {BodyEvent} body */
  const now = (key, body) => (material.value === body.material ? body.constants[key] : undefined);

  /** @param {HTMLInputElement} input @param {BodyEvent} body @returns {[string, number][]} none where nothing was changed */
  function constant(input, body) {
    if (input.value.trim() === "" || !Number.isFinite(input.valueAsNumber)) return [];
    return input.valueAsNumber === now(input.name, body) ? [] : [[input.name, input.valueAsNumber]];
  }

  /** A field for each constant of the chosen material; empty where it follows from others. @param {BodyEvent} body */
  function offer(body) {
    const items = studio.welcome?.menus.materials.find(({ name }) => name === material.value)?.constants ?? [];
    constants.replaceChildren(...items.map(({ key, name, unit }) => {
      const title = name.replace(/^the /, "");
      const input = make("input", { type: "number", step: "any", name: key, title, value: String(now(key, body) ?? ""), placeholder: "as usual" });
      input.addEventListener("input", mark);
      return make("label", { className: "field", title }, make("span", { className: "field-name", textContent: key }), input, make("span", { className: "unit", textContent: unit }));
    }));
  }

  /** @param {string} id @param {string} key @param {string | number | null} now @returns {[string, string | number][]} none where nothing was changed */
  function change(id, key, now) {
    const control = controls.get(id);
    if (!control || now === null || field(control)?.hidden) return [];
    if (typeof now === "string") return control.value === now || control.value === "" ? [] : [[key, control.value]];
    // Sliders round: 0.44999999999999996 comes back as 0.45.
    return Math.abs(Number(control.value) - now) < 1e-6 ? [] : [[key, Number(control.value)]];
  }

  function mark() {
    const changed = changes();
    const any = Object.keys(changed).length > 0;
    for (const { id, key } of CHOICES) {
      const control = controls.get(id);
      field(control)?.classList.toggle("changed", key in changed);
      const output = document.getElementById(`${id}-value`);
      if (output && control) output.textContent = control.value;
    }
    for (const input of fields()) field(input)?.classList.toggle("changed", Boolean(changed.constants && input.name in changed.constants));
    for (const show of explained) show();
    badge.hidden = !any;
    button.disabled = !any || studio.job !== null;
  }

  studio.wishes.push(changes);
  for (const [name, title, id] of HELPS) studio.remedies.set(name, { title, does: () => point(id) });

  /** Shows a control of this sheet; of a size it asks for twice as much. @param {string} id */
  function point(id) {
    studio.panel.open("feel");
    const control = controls.get(id);
    if (control instanceof HTMLInputElement) control.value = String(2 * Number(control.value));
    if (control === sheetMenu && studio.body?.proposed_sheet) sheetMenu.value = studio.body.proposed_sheet;
    showPlate(undefined);
    mark();
    control?.scrollIntoView({ block: "center" });
    control?.focus();
  }
  material.addEventListener("input", () => {
    if (studio.body) offer(studio.body);
  });
  let lastSheet = "";
  sheetMenu.addEventListener("input", () => {
    const { body, welcome } = studio;
    const before = [lastSheet, body?.proposed_sheet].map((wanted) => welcome?.menus.sheets.find(({ name }) => name === wanted)).find(Boolean);
    showPlate(body?.plate ?? before);
    lastSheet = sheetMenu.value;
  });
  for (const { id } of PLATE) need(id, HTMLInputElement).addEventListener("input", mark);
  for (const control of controls.values()) control.addEventListener("input", mark);
  button.addEventListener("click", () => studio.body && void studio.request("build.again", { body: studio.body.body, ...studio.wish }));
  studio.on("jobs.news", mark);
  studio.on("shown", ({ body, why, by }) => {
    if ((why !== "rebuilt" && why !== "reshaped") || by !== studio.welcome?.client) return;
    const go = (/** @type {"build.back" | "build.forward"} */ way) => void studio.request(way, { body: studio.heir(body) });
    studio.undo.note({ key: `build ${body}`, title: "the rebuild", undo: () => go("build.back"), redo: () => go("build.forward") });
  });
  studio.on("chosen", (body) => {
    if (!body) return;
    const menus = studio.welcome?.menus;
    fill("material", menus?.materials.filter((item) => item.of === body.kind) ?? [], body.material);
    const asItIs = body.sheet || body.plate ? [] : [{ name: "", title: "as it is" }];
    fill("sheet", [...asItIs, ...menus?.sheets.map((sheet) => withNumbers(sheet, sheet.name === body.proposed_sheet)) ?? [], { name: OWN, title: "numbers of my own" }], body.sheet || (body.plate ? OWN : ""));
    fill("basis", menus?.bases ?? [], body.basis);
    fill("forces", menus?.forces ?? [], body.forces);
    for (const { id, read } of CHOICES) {
      const control = controls.get(id);
      const value = read(body);
      const place = field(control);
      if (place) place.hidden = value === null;
      if (!control || value === null) continue;
      if (control instanceof HTMLInputElement && Number(control.max) < Number(value)) control.max = String(value);
      if (control instanceof HTMLInputElement && typeof value === "number") control.step = Number.isInteger(value) ? "1" : "any";
      control.value = String(value);
    }
    offer(body);
    lastSheet = sheetMenu.value;
    showPlate(body.plate ?? undefined);
    mark();
  });
}

/** @param {Element | undefined} control @returns {HTMLElement | null} */
const field = (control) => control?.closest(".field") ?? null;

/** @param {import("../../protocol.js").Sheet} sheet @param {boolean} isProposed @returns {import("../../protocol.js").MenuItem} */
const withNumbers = ({ name, title, young, density }, isProposed) => ({ name, title: isProposed ? `${title}, proposed` : title, about: `Young’s modulus ${si(young, "Pa")}, ${density} kg/m³` });

/** A menu that always offers what the body is. @param {string} id @param {import("../../protocol.js").MenuItem[]} items @param {string} value */
function fill(id, items, value) {
  const all = items.some(({ name }) => name === value) ? items : [...items, { name: value, title: value }];
  need(id, HTMLSelectElement).replaceChildren(...all.map(({ name, title, about }) => make("option", { value: name, textContent: title, title: about ?? "" })));
}
