/**
 * What needs a rebuild: material, Poisson's ratio, what a surface is cut from, basis, forces and their sizes.
 *
 * Changes are marked and wait until Rebuild is pressed; only what was changed is sent, the server keeps the rest.
 */

import { make, need } from "../dom.js";

/** @typedef {import("../studio.js").Studio} Studio */
/** @typedef {import("../protocol.js").BuildOptions} BuildOptions */
/** @typedef {import("../protocol.js").BodyEvent} BodyEvent */

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
  { id: "sheet", key: "sheet", read: (body) => body.sheet },
  { id: "basis", key: "basis", read: (body) => body.basis },
  { id: "forces", key: "forces", read: (body) => body.forces },
  { id: "modes-count", key: "modes", read: (body) => body.modes },
  { id: "rank", key: "rank", read: (body) => body.rank },
  { id: "cubature", key: "cubature", read: (body) => body.cubature_points },
];

/** @param {Studio} studio */
export function build(studio) {
  const button = need("rebuild", HTMLButtonElement);
  const badge = need("build-changed", HTMLElement);
  const controls = new Map(CHOICES.map(({ id }) => [id, /** @type {HTMLInputElement | HTMLSelectElement} */ (need(id, HTMLElement))]));

  /** @returns {BuildOptions} */
  function changes() {
    const { body } = studio;
    if (!body) return {};
    return Object.fromEntries(CHOICES.flatMap(({ id, key, read }) => change(id, key, read(body))));
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
    badge.hidden = !any;
    button.disabled = !any || studio.job !== null;
  }

  studio.pending = changes;
  for (const control of controls.values()) control.addEventListener("input", mark);
  button.addEventListener("click", () => studio.request({ do: "build", ...changes() }));
  studio.connection.on("job", mark);
  studio.onShown((_, body) => {
    const menus = studio.welcome?.menus;
    fill("material", menus?.materials.filter((item) => item.of === body.kind) ?? [], body.material);
    fill("sheet", [...body.sheet ? [] : [{ name: "", title: "as it is" }], ...menus?.sheets ?? []], body.sheet ?? "");
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
    mark();
  });
}

/** @param {Element | undefined} control @returns {HTMLElement | null} */
const field = (control) => control?.closest(".field") ?? null;

/** A menu that always offers what the body is. @param {string} id @param {import("../protocol.js").MenuItem[]} items @param {string} value */
function fill(id, items, value) {
  const all = items.some(({ name }) => name === value) ? items : [...items, { name: value, title: value }];
  need(id, HTMLSelectElement).replaceChildren(...all.map(({ name, title, about }) => make("option", { value: name, textContent: title, title: about ?? "" })));
}
