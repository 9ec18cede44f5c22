/**
 * Colours of quantities: how far, how strained, how stressed, where the energy is, where the cubature weighs; with a legend, a range, and the
 * number under the cursor.
 *
 * The server says the numbers of the state that it has; they are asked for again when the body has moved and the last ones are there.
 */

import { fetchTensors } from "../../body.js";
import { make, need, si, three } from "../../dom.js";
import { MAP } from "../../gl/field.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../figure.js").Figure} Figure */
/** @typedef {import("../../protocol.js").Quantity} Quantity */

const FIELDS = /* html */ `
<fieldset id="colours"><legend>Colours</legend>
  <div class="field"><label for="colour-by" class="field-name">Colour by</label><select id="colour-by"><option value="">nothing</option></select></div>
  <label class="check"><input type="checkbox" id="colour-keep" disabled> <span>Keep the range as it is now</span></label>
  <p class="small" id="colour-text"></p>
</fieldset>
`;

const CARDS = /* html */ `
<div id="legend" class="card" role="group" aria-label="Legend of the colours" hidden>
  <div class="row"><span id="legend-title"></span><output id="legend-here"></output></div>
  <div id="legend-bar" aria-hidden="true"></div>
  <div class="row ends"><span id="legend-low"></span><span id="legend-high"></span></div>
</div>
`;

/** What cannot be had of which bodies. @type {Record<string, (body: import("../../protocol.js").BodyEvent) => boolean>} */
const LACKS = {
  stress: (body) => body.kind === "triangles" && !body.plate,
  weights: (body) => body.cubature_points === null || body.kind === "triangles",
};

/** @type {import("../../app.js").App} */
export const colours = { name: "colours", under: FIELDS, cards: CARDS, style: "app/colours/colours.css", start };

/** @param {Studio} studio */
function start(studio) {
  const { view } = studio;
  const by = need("colour-by", HTMLSelectElement);
  const keep = need("colour-keep", HTMLInputElement);
  const legend = need("legend", HTMLElement);
  const text = need("colour-text", HTMLElement);
  need("legend-bar", HTMLElement).style.background = `linear-gradient(to right, ${MAP.map(([r, g, b]) => `rgb(${r} ${g} ${b})`).join(", ")})`;
  /** What is coloured: the body, its numbers, and the largest of them that counts. @type {{ figure: Figure, values: Float32Array, high: number } | null} */ let shown = null;
  let isAsking = false, isStale = false;

  const chosen = () => studio.welcome?.menus.quantities.find(({ name }) => name === by.value) ?? null;

  function end() {
    if (shown) view.colour(shown.figure, null);
    shown = null;
    legend.hidden = true;
    keep.disabled = true;
    keep.checked = false;
  }

  /** Asks for the numbers, and once more where the body has moved meanwhile. */
  async function refresh() {
    const { figure, body } = studio;
    isStale = true;
    if (isAsking || !figure || !body || !by.value) return;
    const waits = Boolean(chosen()?.paused) && !studio.isPaused;
    text.textContent = waits ? "It is found for a body that stands still: pause (Space)." : "";
    if (waits) return end();
    isAsking = true;
    isStale = false;
    const quantity = by.value;
    try {
      const values = await fetchTensors(`family/colours/${body.body}/${quantity}`);
      if (studio.figure === figure && by.value === quantity) show(figure, /** @type {Float32Array} */ (values.get("values")?.data));
    } catch (error) {
      // A body that has just been replaced, or a server that is busy: the next frame asks again.
      if (studio.figure === figure && by.value === quantity && studio.connection.state === "open" && !shown) text.textContent = String(error instanceof Error ? error.message : error);
    }
    isAsking = false;
    if (isStale) void refresh();
  }

  /** @param {Figure} figure @param {Float32Array} values */
  function show(figure, values) {
    if (values.length !== figure.shape.count) return;
    const high = keep.checked && shown ? shown.high : values.reduce((most, x) => Math.max(most, x), 0);
    if (shown && shown.figure !== figure) view.colour(shown.figure, null);
    shown = { figure, values, high };
    const quantity = chosen();
    if (figure.play) return;
    view.colour(figure, values, high);
    legend.hidden = !quantity;
    keep.disabled = false;
    text.textContent = "";
    if (!quantity) return;
    need("legend-title", HTMLElement).textContent = quantity.title;
    need("legend-low", HTMLElement).textContent = inWords(0, quantity);
    need("legend-high", HTMLElement).textContent = inWords(high, quantity);
    if (mouse) read(mouse);
  }

  /** The number where the mouse is, of the corners around it. @param {PointerEvent} event */
  function read(event) {
    const quantity = chosen();
    if (!shown || !quantity || event.buttons) return;
    const hit = shown.figure.play ? null : view.pick(event.clientX, event.clientY);
    const here = hit && hit.body === shown.figure.number ? inWords(shown.values[hit.vertex], quantity) : "";
    need("legend-here", HTMLOutputElement).textContent = here;
  }
  let isReading = false;
  /** Where the mouse was last. @type {PointerEvent | null} */ let mouse = null;
  view.canvas.addEventListener("pointermove", (event) => {
    mouse = event;
    if (!shown || isReading) return;
    isReading = true;
    requestAnimationFrame(() => {
      isReading = false;
      read(event);
    });
  });

  // What the page plays itself, a mode or the last seconds, is not the state of which the server says the numbers.
  view.before.push(() => {
    if (!shown) return;
    const plays = shown.figure.play !== null;
    if (plays !== legend.hidden) {
      legend.hidden = plays;
      view.colour(shown.figure, plays ? null : shown.values, shown.high);
    }
  });

  by.addEventListener("input", () => {
    end();
    void refresh();
  });
  studio.on("frame", () => by.value && by.value !== "weights" && !chosen()?.paused && void refresh());
  // Of a body that stands still it is asked for once, and after every step.
  studio.on("time.now", () => chosen()?.paused && void refresh());
  studio.on("frame", ({ paused }) => paused && chosen()?.paused && void refresh());
  studio.on("welcome", ({ menus }) => {
    const { value } = by;
    by.replaceChildren(make("option", { value: "", textContent: "nothing" }), ...menus.quantities.map(({ name, title }) => make("option", { value: name, textContent: title })));
    by.value = value;
  });
  studio.on("left", ({ body }) => shown?.figure.number === body && (shown = null));
  studio.on("chosen", (body) => {
    if (!body) return end();
    for (const option of Array.from(by.options)) option.disabled = LACKS[option.value]?.(body) ?? false;
    if (by.selectedOptions[0]?.disabled) by.value = "";
    if (shown?.figure !== studio.figure) end();
    return void refresh();
  });

  function next() {
    const free = Array.from(by.options).filter(({ disabled }) => !disabled);
    by.value = free[(free.findIndex(({ value }) => value === by.value) + 1) % free.length].value;
    end();
    void refresh();
  }
  return { keys: [{ keys: ["v"], shown: "V", title: "colour by the next quantity", does: next }] };
}

/** @param {number} x @param {Quantity} quantity */
function inWords(x, { name, unit }) {
  if (name === "strain" || name === "error") return `${three(100 * x)} %`;
  return unit ? si(x, unit) : three(x);
}
