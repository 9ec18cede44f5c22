/**
 * How a file was opened, and how it could be: solid, shell or cage, how fine, held where, which way up, how long.
 *
 * The server makes it anew from the surface or solid that it came as. Only what was changed is sent; what cannot go together is
 * disabled. A size that nobody means is proposed another, which one click takes.
 */

import { make, need, si } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../protocol.js").BodyEvent} BodyEvent */
/** @typedef {import("../../protocol.js").ShapeOptions} ShapeOptions */

const FORMS = /** @type {const} */ ([
  ["solid", "Solid", "tets fill it"],
  ["shell", "Shell", "it is a skin that bends and stretches"],
  ["cage", "Cage", "tets enclose it, so that thin and loose parts stay together"],
]);

const FIELDS = /* html */ `
<fieldset id="form-card"><legend>Made as <span id="form-changed" class="badge" hidden>changed</span></legend>
  <div class="segments" id="form-kind" role="group" aria-label="Made as"></div>
  <div class="field"><label for="form-tets" class="field-name">Resolution</label><select id="form-tets">
    <option value="">as it is</option><option value="3000">coarse, 3,000 tets</option><option value="9000">usual, 9,000 tets</option>
    <option value="20000">fine, 20,000 tets</option><option value="40000">very fine, 40,000 tets</option></select></div>
  <div class="field"><label for="form-hold" class="field-name">Held</label><select id="form-hold">
    <option value="">as it is</option><option value="bottom">at the bottom</option><option value="top">at the top</option>
    <option value="corners">at the corners</option><option value="nothing">nowhere, it floats</option><option value="paint">where I paint …</option></select></div>
  <div class="field"><label for="form-up" class="field-name">Up is</label><select id="form-up">
    <option value="y">y, as it is</option><option value="z">z</option><option value="x">x</option>
    <option value="-y">−y, upside down</option><option value="-z">−z</option><option value="-x">−x</option></select></div>
  <div class="field"><label for="form-size" class="field-name">Longest side</label><span class="pair"><input type="number" id="form-size" min="0" step="any">
    <select id="form-unit" aria-label="Unit of length"><option value="1">m</option><option value="0.01">cm</option><option value="0.001">mm</option><option value="0.0254">inch</option></select></span></div>
  <p class="small" id="form-size-note" hidden><span id="form-size-text"></span> <button type="button" class="link" id="form-propose"></button></p>
  <div class="row"><span class="small">From the file as it came.</span><button type="button" id="form-make" class="strong" disabled>Make it anew</button></div>
</fieldset>
`;

/** @type {import("../../app.js").App} */
export const form = { name: "form", under: FIELDS, style: "app/form/form.css", start };

/** @param {Studio} studio */
function start(studio) {
  const kinds = need("form-kind", HTMLElement);
  const tets = need("form-tets", HTMLSelectElement);
  const hold = need("form-hold", HTMLSelectElement);
  const up = need("form-up", HTMLSelectElement);
  const size = need("form-size", HTMLInputElement);
  const unit = need("form-unit", HTMLSelectElement);
  const button = need("form-make", HTMLButtonElement);
  const propose = need("form-propose", HTMLButtonElement);
  /** What is chosen of [`FORMS`]. */ let kind = "solid";
  /** What the field of the size says of the body as it is. */ let shown = "";

  for (const [name, title, about] of FORMS) {
    const one = make("button", { type: "button", value: name, textContent: title, title: about });
    one.addEventListener("click", () => {
      kind = name;
      mark();
    });
    kinds.append(one);
  }

  /** What was changed. @returns {ShapeOptions} */
  function changes() {
    const { body } = studio;
    if (!body) return {};
    return {
      ...(kind === body.form ? {} : { form: kind }),
      ...(tets.value && !tets.disabled ? { tets: Number(tets.value) } : {}),
      ...(hold.value ? { hold: hold.value } : {}),
      ...(up.value === "y" ? {} : { up: up.value }),
      ...(`${size.value} ${unit.value}` === shown || !(size.valueAsNumber > 0) ? {} : { size: size.valueAsNumber * Number(unit.value) }),
    };
  }

  function mark() {
    const { body } = studio;
    const changed = Object.keys(changes()).length > 0;
    for (const one of Array.from(kinds.querySelectorAll("button"))) {
      one.setAttribute("aria-pressed", String(one.value === kind));
      one.disabled = !body?.forms.includes(one.value);
    }
    // A solid that came as one has its tets; a shell has none.
    tets.disabled = kind === "shell" || !body?.forms.includes("cage");
    need("form-changed", HTMLElement).hidden = !changed;
    button.disabled = !changed || studio.job !== null;
  }

  /** @param {BodyEvent} body */
  function show(body) {
    kind = body.form;
    for (const menu of [tets, hold]) menu.value = "";
    tets.options[0].textContent = body.kind === "tets" ? `as it is, ${body.elements.toLocaleString("en")} tets` : "as it is";
    hold.options[0].textContent = body.free ? "nowhere, as it is" : "as it is";
    up.value = "y";
    setSize(body.length);
    shown = `${size.value} ${unit.value}`;
    const note = need("form-size-note", HTMLElement);
    note.hidden = body.proposed === null;
    if (body.proposed) {
      const { length, unit: of } = body.proposed;
      need("form-size-text", HTMLElement).textContent = `${si(body.length, "m")} is unlikely to be meant.`;
      propose.textContent = of ? `Read it in ${of}: ${si(length, "m")}` : `Make it ${si(length, "m")}`;
    }
    mark();
  }

  /** In the unit that people would say it in. @param {number} length m */
  function setSize(length) {
    unit.value = length >= 0.5 ? "1" : length >= 0.01 ? "0.01" : "0.001";
    size.value = String(Number((length / Number(unit.value)).toPrecision(3)));
  }

  async function makeAnew() {
    const { body } = studio;
    if (!body) return;
    const answer = await studio.request("build.shape", { body: body.body, ...changes() });
    if (answer) studio.replacing.set(answer.job, body.body);
  }

  /** Shows a control of this sheet. @param {HTMLElement} control */
  function point(control) {
    studio.panel.open("files");
    control.scrollIntoView({ block: "center" });
    control.focus();
  }

  /** Opens the sheet with a choice made. @param {HTMLSelectElement} menu @param {string} value */
  function choose(menu, value) {
    menu.value = value;
    mark();
    point(menu);
  }

  const takeProposal = () => {
    if (!studio.body?.proposed) return point(size);
    setSize(studio.body.proposed.length);
    mark();
    return point(button);
  };
  studio.remedies.set("size", { title: "Another size", does: takeProposal });
  studio.remedies.set("form", { title: "Make it a solid, a shell or a cage", does: () => point(kinds.querySelector("button:not(:disabled)") ?? kinds) });
  studio.remedies.set("resolution", { title: "Finer", does: () => choose(tets, "20000") });
  studio.remedies.set("hold", { title: "Hold it elsewhere", does: () => point(hold) });
  propose.addEventListener("click", takeProposal);
  button.addEventListener("click", () => void makeAnew());
  for (const control of [tets, up, size, unit]) control.addEventListener("input", mark);
  hold.addEventListener("input", () => {
    if (hold.value !== "paint") return mark();
    hold.value = "";
    mark();
    return studio.remedies.get("paint")?.does();
  });
  studio.on("jobs.news", mark);
  studio.on("chosen", (body) => body && show(body));
}
