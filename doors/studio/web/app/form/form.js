/**
 * The card of a body that was brought: solid, shell or cage, how fine, held where, which way up, how long. The same card makes it anew.
 *
 * It opens by itself for whoever dropped a file: whole where there is room beside the bodies, else as one line. The server makes the
 * body anew from the surface or solid that it came as. Only what was changed is sent; what cannot go together is disabled. A size that
 * nobody means is proposed another, which one click takes.
 */

import { make, need, sentence, si } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../protocol.js").BodyEvent} BodyEvent */
/** @typedef {import("../../protocol.js").ShapeOptions} ShapeOptions */

const FORMS = /** @type {const} */ ([
  ["solid", "Solid", "tets fill it"],
  ["shell", "Shell", "it is a skin that bends and stretches"],
  ["cage", "Cage", "tets enclose it, so that thin and loose parts stay together"],
]);

const UNDER = /* html */ `
<div class="row" id="form-row" hidden><span class="small" id="form-line"></span><button type="button" id="form-open" aria-controls="form" aria-expanded="false">Change how …</button></div>
`;

const CARDS = /* html */ `
<section id="form" class="card" aria-labelledby="form-title" hidden>
  <div class="row"><span><strong id="form-title"></strong> <span id="form-changed" class="badge" hidden>changed</span></span>
    <span class="ends"><button type="button" id="form-more" class="quiet" aria-controls="form-fields" aria-expanded="false">Change</button><button type="button" id="form-close" class="quiet">Close</button></span></div>
  <div id="form-fields">
  <div class="segments" id="form-kind" role="group" aria-label="Made as" aria-describedby="form-about"></div>
  <p class="small" id="form-about"></p>
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
  <div class="row"><span class="small">From the file as it came.</span><button type="button" id="form-make" class="strong" disabled>Make it anew</button></div>
  </div>
  <p class="small" id="form-size-note" hidden><span id="form-size-text"></span> <button type="button" class="link" id="form-propose"></button></p>
</section>
`;

/** @type {import("../../app.js").App} */
export const form = { name: "form", under: UNDER, cards: CARDS, style: "app/form/form.css", start };

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
  const card = need("form", HTMLElement);
  const fields = need("form-fields", HTMLElement);
  const [open, more] = [need("form-open", HTMLButtonElement), need("form-more", HTMLButtonElement)];
  /** What is chosen of [`FORMS`]. */ let kind = "solid";
  /** What the field of the size says of the body as it is. */ let shown = "";
  /** The body that the fields speak of. */ let of = -1;

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
    const about = FORMS.find(([name]) => name === kind)?.[2] ?? "";
    need("form-about", HTMLElement).textContent = about && sentence(about);
    // A solid that came as one has its tets; a shell has none.
    tets.disabled = kind === "shell" || !body?.forms.includes("cage");
    need("form-changed", HTMLElement).hidden = !changed;
    // What this page is making of it is stopped for that; work of others is waited for.
    button.disabled = !changed || (studio.job !== null && studio.job.by !== studio.welcome?.client);
  }

  /** @param {boolean} isOpen @param {boolean} [isWhole] whether its fields are shown */
  function setShown(isOpen, isWhole = false) {
    card.hidden = !isOpen;
    fields.hidden = !isWhole;
    more.hidden = isWhole;
    for (const one of [open, more]) one.setAttribute("aria-expanded", String(isOpen && (isWhole || one === open)));
  }

  /** @param {BodyEvent} body */
  function show(body) {
    const title = `Made as a ${body.form}, ${si(body.length, "m")}`;
    need("form-title", HTMLElement).textContent = title;
    need("form-line", HTMLElement).textContent = `${title}.`;
    need("form-row", HTMLElement).hidden = false;
    // Its draft was of the same form and size: what was chosen meanwhile still waits.
    const isSame = body.why === "refined" && body.replaces === of;
    of = body.body;
    if (isSame) return mark();
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
      const { length, unit: meant } = body.proposed;
      need("form-size-text", HTMLElement).textContent = `${si(body.length, "m")} is unlikely to be meant.`;
      propose.textContent = meant ? `Read it in ${meant}: ${si(length, "m")}` : `Make it ${si(length, "m")}`;
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
    const instead = studio.job ? { instead: studio.job.job } : {};
    const answer = await studio.request("build.shape", { body: body.body, ...changes(), ...instead });
    if (answer) studio.replacing.set(answer.job, body.body);
  }

  /** Shows a control of this card. @param {HTMLElement} control */
  function point(control) {
    setShown(true, true);
    control.scrollIntoView({ block: "center" });
    control.focus();
  }

  /** Opens the card with a choice made. @param {HTMLSelectElement} menu @param {string} value */
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
  propose.addEventListener("click", () => {
    takeProposal();
    void makeAnew();
  });
  button.addEventListener("click", () => void makeAnew());
  for (const control of [tets, up, size, unit]) control.addEventListener("input", mark);
  hold.addEventListener("input", () => {
    if (hold.value !== "paint") return mark();
    hold.value = "";
    mark();
    return studio.remedies.get("paint")?.does();
  });
  studio.on("jobs.news", mark);
  studio.on("chosen", (body) => {
    if (body) return show(body);
    need("form-row", HTMLElement).hidden = true;
    return setShown(false);
  });
  studio.on("shown", ({ why, by }) => why === "dropped" && by === studio.welcome?.client && card.hidden && setShown(true, studio.panel.hasRoom));
  const toggle = () => setShown(Boolean(studio.body) && (Boolean(card.hidden) || Boolean(fields.hidden)), true);
  open.addEventListener("click", toggle);
  more.addEventListener("click", () => point(kinds.querySelector('[aria-pressed="true"]') ?? kinds));
  need("form-close", HTMLButtonElement).addEventListener("click", () => setShown(false));
  return {
    keys: [
      { keys: ["f"], shown: "F", title: "what the body is made as", does: toggle },
      { keys: ["Escape"], shown: "", title: "", does: () => setShown(false) },
    ],
  };
}
