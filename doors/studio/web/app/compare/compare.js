/**
 * Compare: which places of a body vibrate alike.
 *
 * A job makes the signature of the chosen body; then a click on any point colours all of it by its distance, white to red, what is
 * nearer than a threshold blue. The server sends a byte for each vertex; colours, threshold and legend are the page's.
 */

import { fetchTensors } from "../../body.js";
import { make, need, three } from "../../dom.js";
import { ink, sharp } from "../../plot.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../figure.js").Figure} Figure */

/** @typedef {{ figure: Figure, kind: string, times: Float32Array, features: Uint32Array, modes: number }} Known */
/** @typedef {{ vertex: number, near: Uint8Array, high: number, curve: Float32Array }} Picked bytes, 255 is `high` */

/** How far a click may be from a feature point to mean it, pixels. */
const NEAR = 14;

const SHEET = /* html */ `
<p class="small" id="compare-text">Each place takes part in the modes of a body in its own way. Make them, then pick a point: what is white vibrates like it, what is red does not.</p>
<div class="field"><label for="compare-kind" class="field-name">By</label><select id="compare-kind"><option value="vibration">vibration: sees how it is bent</option><option value="heat">heat: sees distances alone</option></select></div>
<label class="check"><input type="checkbox" id="compare-pins"> <span>What is pinned stays pinned</span></label>
<div class="row"><button type="button" id="compare-make" class="strong">Make the modes</button><button type="button" id="compare-end" class="quiet" disabled>No colours</button></div>
<fieldset id="compare-with" disabled><legend>Compare</legend>
  <label class="field"><span class="field-name">From, local</span><input type="range" id="compare-from" min="0" max="100" step="1" value="0"><output id="compare-from-value"></output></label>
  <label class="field"><span class="field-name">To, global</span><input type="range" id="compare-to" min="0" max="100" step="1" value="100"><output id="compare-to-value"></output></label>
  <label class="field"><span class="field-name">Alike below</span><input type="range" id="compare-below" min="0" max="100" step="1" value="0"><output id="compare-below-value"></output></label>
  <div class="field"><label for="compare-map" class="field-name">Colours</label><select id="compare-map"><option value="red">white to red</option><option value="even">dark to light, for any eye</option></select></div>
  <label class="check"><input type="checkbox" id="compare-beside"> <span>Vibration and heat side by side</span></label>
  <h2>What stands out</h2>
  <ul id="compare-features" class="tight"></ul>
  <figure><canvas id="compare-curve" class="plot" role="img" aria-label="Signature of the picked point"></canvas><figcaption class="small" id="compare-curve-text"></figcaption></figure>
  <p class="small">Save <a id="compare-ply" class="save" download="alike.ply">surface (.ply)</a>, <a id="compare-png" class="save" download="alike.png">picture (.png)</a>, <a id="compare-npz" class="save" download="alike.npz">numbers (.npz)</a></p>
</fieldset>
`;

const CARDS = /* html */ `
<div id="compare-legend" class="card" role="group" aria-label="Legend of the distance" hidden>
  <div class="row"><span>Distance</span><output id="compare-here"></output></div>
  <div id="compare-bar" aria-hidden="true"></div>
  <div class="row ends"><span>0, alike</span><span id="compare-high"></span></div>
</div>
`;

/** @type {import("../../app.js").App} */
export const compare = { name: "compare", title: "Compare", sheet: SHEET, cards: CARDS, style: "app/compare/compare.css", start };

/** @param {Studio} studio */
function start(studio) {
  const { view, panel } = studio;
  const kind = need("compare-kind", HTMLSelectElement), pins = need("compare-pins", HTMLInputElement);
  const makeButton = need("compare-make", HTMLButtonElement), endButton = need("compare-end", HTMLButtonElement);
  const controls = need("compare-with", HTMLFieldSetElement);
  const from = need("compare-from", HTMLInputElement), to = need("compare-to", HTMLInputElement);
  const below = need("compare-below", HTMLInputElement), map = need("compare-map", HTMLSelectElement);
  const legend = need("compare-legend", HTMLElement), text = need("compare-text", HTMLElement);
  const beside = need("compare-beside", HTMLInputElement);
  const idle = text.textContent ?? "";
  /** @type {Known | null} */ let known = null;
  /** @type {Picked | null} */ let picked = null;
  /** The other kind, on the other half of the screen. @type {Known | null} */ let second = null;
  /** @type {Picked | null} */ let secondPicked = null;
  /** Of the point under the mouse. @type {Float32Array | null} */ let hovered = null;
  /** The job of this page, and what it is for. @type {{ job: number, figure: Figure, kind: string } | null} */ let making = null;
  /** Only the last click counts. */
  let asked = 0;

  const path = (/** @type {Known} */ of) => `family/compare/${of.figure.number}/${of.kind}`;
  const range = () => [Math.min(Number(from.value), Number(to.value)), Math.max(Number(from.value), Number(to.value))];
  const isOn = () => known !== null && panel.isOpen("compare") && studio.figure === known.figure;

  function clear() {
    if (known && picked) view.colour(known.figure, null);
    if (known && secondPicked) view.colourTwin(known.figure, null);
    picked = secondPicked = hovered = null;
    legend.hidden = true;
    for (const link of links()) link.removeAttribute("href");
    draw();
  }

  /** One picture again. */
  function join() {
    if (known) view.colourTwin(known.figure, null);
    second = secondPicked = null;
    beside.checked = false;
    view.twin?.remove();
    view.twin = null;
    panel.fit();
  }

  /** The other kind of the same body is made; then there are two pictures. */
  async function part() {
    const of = known;
    if (!of) return;
    const by = of.kind === "heat" ? "vibration" : "heat";
    const answer = await studio.request("compare.modes", { body: of.figure.number, kind: by, pins: pins.checked });
    const job = Number(/** @type {{ job?: number } | null} */ (answer)?.job);
    if (!answer || !Number.isFinite(job) || known !== of) return void (beside.checked = false);
    making = { job, figure: of.figure, kind: by };
  }

  /** @param {Known} of */
  function split(of) {
    second = of;
    const twin = make("canvas", { id: "twin", role: "img", ariaLabel: `The same body, coloured by ${of.kind}` });
    view.canvas.after(twin);
    view.twin = twin;
    let moved = 0;
    const point = (/** @type {PointerEvent} */ event) => view.pick(event.clientX - twin.getBoundingClientRect().left + view.cut, event.clientY);
    twin.addEventListener("pointerdown", (event) => {
      moved = 0;
      twin.setPointerCapture(event.pointerId);
    });
    twin.addEventListener("pointermove", (event) => {
      if (!event.buttons) return void read(point(event));
      moved += Math.abs(event.movementX) + Math.abs(event.movementY);
      view.camera.orbit(event.movementX * 0.006, event.movementY * 0.006);
      view.invalidate();
    });
    twin.addEventListener("pointerup", (event) => {
      const hit = moved < 4 ? point(event) : null;
      if (known && hit?.body === known.figure.number) void pick(meant(hit));
    });
    panel.fit();
    if (picked) void pick(picked.vertex);
  }

  function forget() {
    join();
    clear();
    known = null;
    controls.disabled = endButton.disabled = true;
    text.textContent = idle;
    need("compare-features", HTMLElement).replaceChildren();
  }

  async function begin() {
    const { figure } = studio;
    if (!figure) return;
    const by = kind.value;
    const answer = await studio.request("compare.modes", { body: figure.number, kind: by, pins: pins.checked });
    const job = Number(/** @type {{ job?: number } | null} */ (answer)?.job);
    if (!answer || !Number.isFinite(job)) return;
    forget();
    making = { job, figure, kind: by };
    text.textContent = "The modes are being made; the bodies go on meanwhile.";
  }

  /** @param {{ figure: Figure, kind: string }} of */
  async function look({ figure, kind }) {
    const tensors = await fetchTensors(`family/compare/${figure.number}/${kind}/all`);
    if (studio.figure !== figure) return;
    const times = /** @type {Float32Array} */ (tensors.get("times")?.data);
    const features = /** @type {Uint32Array} */ (tensors.get("features")?.data);
    const found = { figure, kind, times, features, modes: tensors.get("modes")?.data[0] ?? 0 };
    if (known?.figure === figure && known.kind !== kind && beside.checked) return split(found);
    known = found;
    from.max = to.max = String(times.length - 1);
    to.value = to.max;
    from.value = "0";
    controls.disabled = endButton.disabled = false;
    text.textContent = `${known.modes} modes. Pick a point of the body while this is open.`;
    const buttons = Array.from(features.slice(0, 24), (vertex, k) => {
      const button = make("button", { type: "button", className: "quiet", textContent: String(k + 1), title: `Compare with feature point ${k + 1}` });
      button.addEventListener("click", () => void pick(vertex));
      return make("li", {}, button);
    });
    need("compare-features", HTMLElement).replaceChildren(...buttons);
    say();
    view.invalidate();
  }

  /** @param {Known} of @param {number} vertex @returns {Promise<Picked>} */
  async function distances(of, vertex) {
    const [first, last] = range();
    const tensors = await fetchTensors(`${path(of)}/${vertex}/${first}/${last}`);
    const near = /** @type {Uint8Array} */ (tensors.get("distance")?.data);
    const curve = /** @type {Float32Array} */ (tensors.get("curve")?.data);
    return { vertex, near, high: tensors.get("high")?.data[0] ?? 0, curve };
  }

  /** Colours the body by the distance to a vertex. @param {number} vertex */
  async function pick(vertex) {
    if (!known) return;
    const of = known, mine = ++asked;
    const [first, last] = range();
    try {
      const [own, other] = await Promise.all([distances(of, vertex), second && distances(second, vertex)]);
      if (mine !== asked || known !== of) return;
      [picked, secondPicked] = [own, second && other];
      paint();
      for (const link of links()) link.href = `${path(of)}/${vertex}/${first}/${last}/${link.download}`;
    } catch (error) {
      if (mine === asked && known === of) studio.fail(error);
    }
  }

  const links = () => /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll("#compare .save")]);

  function paint() {
    say();
    if (!known || !picked) return;
    const red = map.value === "red", limit = (255 * Number(below.value)) / 100;
    // Below zero is the colour of what is alike.
    const shares = (/** @type {Picked} */ { near }) => Float32Array.from(near, (x) => (limit > 0 && x <= limit ? -1 : x / 255));
    view.colour(known.figure, shares(picked), 1, red);
    if (secondPicked) view.colourTwin(known.figure, shares(secondPicked), 1, red);
    legend.hidden = false;
    legend.dataset.map = map.value;
    need("compare-high", HTMLElement).textContent = three(picked.high);
    draw();
  }

  function say() {
    const at = (/** @type {HTMLInputElement} */ input) => (known ? `${three(known.times[Number(input.value)])}/λ₁` : "");
    need("compare-from-value", HTMLOutputElement).textContent = at(from);
    need("compare-to-value", HTMLOutputElement).textContent = at(to);
    need("compare-below-value", HTMLOutputElement).textContent = picked && Number(below.value) ? three((picked.high * Number(below.value)) / 100) : "off";
  }

  /** The curves of the picked point and of the one under the mouse, both logarithmic. */
  function draw() {
    const plot = sharp(need("compare-curve", HTMLCanvasElement));
    const words = need("compare-curve-text", HTMLElement);
    words.textContent = picked ? "How much of all that vibrates is at the picked point, from local to global; thin: at the point under the mouse." : "";
    if (!plot || !picked) return;
    const { context, width, height } = plot;
    const curves = [hovered, picked.curve].filter((curve) => curve !== null);
    const logs = curves.map((curve) => Array.from(curve, (x) => Math.log(Math.max(x, 1e-30))));
    const low = Math.min(...logs.flat()), high = Math.max(...logs.flat());
    logs.forEach((curve, k) => {
      const chosen = k === logs.length - 1;
      context.strokeStyle = ink(chosen ? "--accent" : "--ink-soft");
      context.lineWidth = chosen ? 2 : 1;
      context.beginPath();
      curve.forEach((y, i) => context.lineTo(6 + ((width - 12) * i) / (curve.length - 1), 6 + (height - 12) * (1 - (y - low) / (high - low || 1))));
      context.stroke();
    });
  }

  /** A feature point that is meant, or the vertex itself. @param {import("../../figure.js").Hit} hit */
  function meant(hit) {
    if (!known) return hit.vertex;
    const [x, y] = view.camera.project(hit.point);
    const far = (/** @type {number} */ v) => {
      const [a, b] = view.camera.project(/** @type {Known} */ (known).figure.at(v));
      return Math.hypot(a - x, b - y);
    };
    return [...known.features].filter((v) => far(v) < NEAR).sort((a, b) => far(a) - far(b))[0] ?? hit.vertex;
  }

  let isReading = false;
  /** @param {import("../../figure.js").Hit | null} hit */
  async function read(hit) {
    const here = need("compare-here", HTMLOutputElement);
    if (!known || !picked || hit?.body !== known.figure.number) {
      here.textContent = "";
      return;
    }
    here.textContent = three((picked.high * picked.near[hit.vertex]) / 255);
    if (isReading) return;
    isReading = true;
    const of = known;
    const tensors = await fetchTensors(`${path(of)}/${hit.vertex}/0/${of.times.length - 1}`).catch(() => null);
    isReading = false;
    if (!tensors || known !== of) return;
    hovered = /** @type {Float32Array} */ (tensors.get("curve")?.data);
    draw();
  }

  studio.tools.push({
    wants: () => isOn(),
    begin: (_, hit) => {
      if (known && hit.body === known.figure.number) void pick(meant(hit));
    },
    move: () => {},
    end: () => {},
    hover: (hit) => void read(hit),
  });
  view.before.push((lines) => {
    if (!known || !panel.isOpen("compare")) return;
    for (const vertex of known.features) {
      const at = known.figure.at(vertex);
      lines.dot(at, [1, 1, 1, 1], 10);
      lines.dot(at, [0.9, 0.62, 0, 1], 7);
    }
    if (picked) {
      const at = known.figure.at(picked.vertex);
      lines.dot(at, [1, 1, 1, 1], 13);
      lines.dot(at, [0, 0.45, 0.7, 1], 10);
    }
  });
  makeButton.addEventListener("click", () => begin().catch((error) => studio.fail(error)));
  endButton.addEventListener("click", clear);
  beside.addEventListener("change", () => (beside.checked ? part().catch((error) => studio.fail(error)) : join()));
  for (const input of [below, map]) input.addEventListener("input", paint);
  for (const input of [from, to]) input.addEventListener("input", () => (say(), picked && void pick(picked.vertex)));
  panel.onOpen("compare", draw);
  studio.theme.on(draw);
  studio.on("jobs.news", (job) => {
    if (making?.job !== job.job || job.state === "running") return;
    const of = making;
    making = null;
    if (job.state === "done") look(of).catch((error) => studio.fail(error));
    else if (known) beside.checked = false;
    else text.textContent = idle;
  });
  studio.on("left", ({ body }) => known?.figure.number === body && forget());
  studio.on("chosen", () => known && studio.figure !== known.figure && forget());
  studio.on("state", (state) => state === "lost" && forget());
  return {
    keys: [
      { keys: ["k"], shown: "K", title: "compare places of the body", does: () => panel.open("compare") },
    ],
  };
}
