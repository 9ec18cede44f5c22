/**
 * Edit: shapes that follow handles. Regions are painted; they stay, or a gizmo moves and turns them, and the body follows.
 *
 * The server knows the handles and finds the shape, a few iterations for each move; the page sends the newest place, one at a time,
 * and asks to go on until it has converged. Time stands still meanwhile. Two pages see and move the same handles.
 */

import { make, need, three } from "../../dom.js";
import { back, scale, turned } from "../../math.js";
import { apply, REST, shift, then, turn } from "./affine.js";
import { Gizmo } from "./gizmo.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../figure.js").Figure} Figure */
/** @typedef {import("../../math.js").Vec3} Vec3 */
/** @typedef {import("../../protocol.js").Heard} Heard */
/** @typedef {import("./affine.js").Affine} Affine */
/** @typedef {{ vertices: number[], middle: Vec3, to: Affine }} Region middle at rest */

/** What a region is coloured with, of the colours that any eye tells apart. */
const SWATCHES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];

/** Requests to go on after the last move; then it has not converged. */
const MOST_FOLLOWS = 60;

const SHEET = /* html */ `
<p class="small" id="edit-text">Paint regions of the body: some stay, others are moved and turned, and the body follows. Time stands still meanwhile.</p>
<div class="row"><button type="button" id="edit-begin" class="strong">Edit the body</button><button type="button" id="edit-end" class="quiet" disabled>Done</button></div>
<fieldset id="edit-with" disabled><legend>Regions</legend>
  <div class="segments" role="group" aria-label="Pointer">
    <button type="button" id="edit-paint" aria-pressed="true">Paint</button>
    <button type="button" id="edit-move" aria-pressed="false">Move</button>
  </div>
  <label class="field"><span class="field-name">Brush</span><input type="range" id="edit-size" min="1" max="40" value="12"><output id="edit-size-value">12 %</output></label>
  <div class="row"><button type="button" id="edit-add" disabled>Make it a region</button><span class="small" id="edit-count"></span></div>
  <ul id="edit-regions"></ul>
  <h2>Of the chosen region</h2>
  <div class="three"><label>Move x, m<input type="number" id="edit-x" step="any" value="0"></label><label>y<input type="number" id="edit-y" step="any" value="0"></label><label>z<input type="number" id="edit-z" step="any" value="0"></label></div>
  <div class="three"><label>Turn x, °<input type="number" id="edit-rx" step="any" value="0"></label><label>y<input type="number" id="edit-ry" step="any" value="0"></label><label>z<input type="number" id="edit-rz" step="any" value="0"></label></div>
  <div class="row"><button type="button" id="edit-apply">Move and turn</button><span class="gap"></span><button type="button" id="edit-reset" class="quiet">All back</button></div>
  <p class="small" id="edit-now" aria-live="off"></p>
  <p class="small">Save <a id="edit-obj" class="save" download>shape (.obj)</a>, <a id="edit-glb" class="save" download>(.glb)</a>, <a id="edit-toml" class="save" download>handles (.toml)</a></p>
  <label class="field"><span class="field-name">Load handles</span><input type="file" id="edit-load" accept=".toml"></label>
</fieldset>
`;

const ICON = '<path d="M4 19c3-9 6-12 13-12"/><circle cx="4" cy="19" r="2"/><circle cx="19" cy="7" r="2"/><path d="M19 11v4M17 13l2 2 2-2"/>';

/** @type {import("../../app.js").App} */
export const edit = { name: "edit", title: "Edit", sheet: SHEET, icon: ICON, style: "app/edit/edit.css", start };

/** @param {Studio} studio */
function start(studio) {
  const { view, panel } = studio;
  const text = need("edit-text", HTMLElement), controls = need("edit-with", HTMLFieldSetElement);
  const beginButton = need("edit-begin", HTMLButtonElement), endButton = need("edit-end", HTMLButtonElement);
  const addButton = need("edit-add", HTMLButtonElement), size = need("edit-size", HTMLInputElement);
  const paintButton = need("edit-paint", HTMLButtonElement), moveButton = need("edit-move", HTMLButtonElement);
  const idle = text.textContent ?? "";
  const gizmo = new Gizmo();
  /** The body that is edited. @type {Figure | null} */ let figure = null;
  /** @type {Map<number, Region>} by handle */ const regions = new Map();
  /** @type {number | null} */ let chosen = null;
  /** Painted, no region yet. @type {Uint8Array | null} */ let wish = null;
  /** @type {Uint8Array | null} */ let stroke = null;
  let painting = true;
  /** The last word on the handles of each body, and on their places: another page may have begun. @type {Map<number, Heard["edit.handles"]>} */ const held = new Map();
  /** @type {Map<number, Heard["edit.now"]>} */ const placed = new Map();
  /** The job of this page, and the body that it makes ready. @type {{ job: number, figure: Figure } | null} */ let making = null;
  /** @type {{ handle: number, to: Affine } | null} the newest place that was not sent */ let next = null;
  let isSending = false;
  /** @type {{ start: Affine, pointer: number } | null} */ let drag = null;

  const isOn = () => figure !== null && panel.isOpen("edit");
  const swatch = (/** @type {number} */ handle) => SWATCHES[handle % SWATCHES.length];

  async function begin() {
    const of = studio.figure;
    if (!of) return;
    if (!studio.isPaused) await studio.request("time.pause", { paused: true });
    const answer = await studio.request("edit.begin", { body: of.number });
    if (!answer) return;
    if (answer.job === null) return ready(of); // another page has begun
    const job = Number(answer.job);
    making = { job, figure: of };
    text.textContent = "The body is being made ready.";
  }

  function ready(/** @type {Figure} */ of) {
    forget();
    figure = of;
    wish = new Uint8Array(of.shape.count);
    controls.disabled = endButton.disabled = false;
    beginButton.disabled = true;
    text.textContent = "Paint a region and make it a handle; the first ones may stay where they are. Then choose one and move it.";
    for (const [id, file] of /** @type {const} */ ([["edit-obj", "shape.obj"], ["edit-glb", "shape.glb"], ["edit-toml", "handles.toml"]]))
      need(id, HTMLAnchorElement).href = `family/edit/${of.number}/${file}`;
    const [handles, places] = [held.get(of.number), placed.get(of.number)];
    if (handles) takeHandles(handles);
    if (places) takePlaces(places);
    show();
  }

  function forget() {
    if (figure) view.colour(figure, null);
    figure = wish = stroke = drag = next = null;
    chosen = null;
    regions.clear();
    gizmo.at = null;
    controls.disabled = endButton.disabled = true;
    beginButton.disabled = false;
    text.textContent = idle;
    need("edit-now", HTMLElement).textContent = "";
    for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("#edit .save"))) link.removeAttribute("href");
    show();
  }

  /** Regions are coloured, what is painted lies between them. */
  function colour() {
    if (!figure || !wish) return;
    const values = new Float32Array(figure.shape.count).fill(0);
    for (const [handle, { vertices }] of regions) for (const v of vertices) values[v] = 0.25 + 0.6 * ((handle % 7) / 6);
    for (let v = 0; v < values.length; v++) if (wish[v]) values[v] = 1;
    view.colour(figure, regions.size || wish.some((x) => x) ? values : null);
  }

  function show() {
    paintButton.setAttribute("aria-pressed", String(painting));
    moveButton.setAttribute("aria-pressed", String(!painting));
    need("edit-size-value", HTMLOutputElement).textContent = `${size.value} %`;
    const count = wish?.reduce((sum, x) => sum + x, 0) ?? 0;
    addButton.disabled = !count;
    need("edit-count", HTMLElement).textContent = count ? `${count.toLocaleString("en")} vertices painted` : "";
    const rows = [...regions].map(([handle, region], k) => {
      const dot = make("span", { className: "swatch" });
      dot.style.background = swatch(handle);
      const stays = region.to.every((x, i) => x === REST[i]);
      const pick = make("button", { type: "button", className: "pick quiet", textContent: `Region ${k + 1}: ${stays ? "stays" : "moved"}` });
      pick.setAttribute("aria-pressed", String(handle === chosen));
      pick.addEventListener("click", () => choose(handle));
      const drop = make("button", { type: "button", className: "quiet", textContent: "Let go", title: `Let go of region ${k + 1}` });
      drop.addEventListener("click", () => void letGo(handle));
      return make("li", {}, dot, pick, drop);
    });
    need("edit-regions", HTMLElement).replaceChildren(...rows);
    need("edit-apply", HTMLButtonElement).disabled = chosen === null;
    place();
    colour();
    view.invalidate();
  }

  /** The gizmo stands in the middle of the chosen region, where that is to be. */
  function place() {
    const region = chosen === null ? null : regions.get(chosen);
    gizmo.at = figure && region && !painting ? figure.toStage(apply(region.to, region.middle)) : null;
  }

  /** @param {number} handle */
  function choose(handle) {
    chosen = handle;
    painting = false;
    show();
  }

  /** @param {number[]} vertices */
  async function hold(vertices) {
    if (!figure) return null;
    const answer = await studio.request("edit.handle", { body: figure.number, vertices });
    return answer ? Number(answer.handle) : null;
  }

  async function addRegion() {
    if (!figure || !wish) return;
    const vertices = Array.from(wish.keys()).filter((v) => wish?.[v]);
    wish.fill(0);
    let handle = await hold(vertices);
    if (handle === null) return show();
    studio.undo.note({
      key: `edit region ${handle}`,
      title: "a region",
      undo: () => void (handle !== null && letGo(handle)),
      redo: () => void hold(vertices).then((again) => (handle = again)),
    });
    chosen = handle;
    show();
  }

  /** @param {number} handle */
  async function letGo(handle) {
    if (figure) await studio.request("edit.forget", { body: figure.number, handle });
    if (chosen === handle) chosen = null;
    show();
  }

  /** One place at a time is sent, and then the newest; then the body goes on until it has converged. @param {number} handle @param {Affine} to */
  async function send(handle, to) {
    const region = regions.get(handle);
    if (!region || !figure) return;
    region.to = to;
    next = { handle, to };
    place();
    view.invalidate();
    if (isSending) return;
    isSending = true;
    let answer = null, follows = 0;
    while (figure && (next || (answer && !answer.converged && follows < MOST_FOLLOWS))) {
      const body = figure.number, now = next;
      next = null;
      follows = now ? 0 : follows + 1;
      answer = now ? await studio.request("edit.move", { body, handle: now.handle, to: now.to }) : await studio.request("edit.follow", { body });
      if (!answer) break;
    }
    isSending = false;
    show();
  }

  /** As [`send`], and it can be undone. @param {number} handle @param {Affine} from @param {Affine} to */
  function put(handle, from, to) {
    studio.undo.note({ key: `edit ${handle} ${performance.now()}`, title: "moving a region", undo: () => void send(handle, from), redo: () => void send(handle, to) });
    void send(handle, to);
  }

  /** A map of the stage as one of the body's own space. @param {Affine} t @param {Figure} of @returns {Affine} */
  function intoBody(t, of) {
    const origin = of.toBody(apply(t, of.toStage([0, 0, 0])));
    const columns = /** @type {Vec3[]} */ ([[1, 0, 0], [0, 1, 0], [0, 0, 1]]).map((e) => {
      const [x, y, z] = turned(of.turn, e);
      return turned(back(of.turn), /** @type {Vec3} */ ([0, 4, 8].map((r) => t[r] * x + t[r + 1] * y + t[r + 2] * z)));
    });
    return [0, 1, 2].flatMap((r) => [columns[0][r], columns[1][r], columns[2][r], origin[r]]);
  }

  const number = (/** @type {string} */ id) => Number(need(id, HTMLInputElement).value) || 0;

  /** The numbers that were typed: a turn about the middle of the region where it is, then a move. */
  function byNumbers() {
    const region = chosen === null ? null : regions.get(chosen);
    if (!region || chosen === null) return;
    const about = apply(region.to, region.middle);
    /** @type {Affine} */ let by = [...REST];
    for (const [axis, id] of /** @type {const} */ ([[[1, 0, 0], "edit-rx"], [[0, 1, 0], "edit-ry"], [[0, 0, 1], "edit-rz"]]))
      if (number(id)) by = then(by, turn(/** @type {Vec3} */ ([...axis]), (number(id) * Math.PI) / 180, about));
    by = then(by, shift([number("edit-x"), number("edit-y"), number("edit-z")]));
    const from = region.to, to = then(from, by);
    put(chosen, from, to);
  }

  async function reset() {
    if (!figure) return;
    const before = [...regions].map(([handle, { to }]) => ({ handle, to }));
    const body = figure.number;
    await studio.request("edit.reset", { body });
    studio.undo.note({
      key: `edit reset ${performance.now()}`,
      title: "putting all back",
      undo: () => void (async () => { for (const { handle, to } of before) await send(handle, to); })(),
      redo: () => void studio.request("edit.reset", { body }),
    });
  }

  const radius = () => (Number(size.value) / 100) * (figure?.bounds.radius ?? 1);

  /** @param {import("../../figure.js").Hit | null} hit @param {boolean} [removes] */
  function paint(hit, removes = false) {
    if (!figure || !wish || hit?.body !== figure.number) return;
    if (!stroke) stroke = wish.slice();
    const x = figure.shape.deform(figure.pose), at = figure.toBody(hit.point), reach = radius() ** 2;
    for (let v = 0; v < figure.shape.count; v++) {
      const dx = x[3 * v] - at[0], dy = x[3 * v + 1] - at[1], dz = x[3 * v + 2] - at[2];
      if (dx * dx + dy * dy + dz * dz <= reach) wish[v] = removes ? 0 : 1;
    }
    wish[hit.vertex] = removes ? 0 : 1;
    show();
  }

  function endStroke() {
    if (!stroke || !wish) return;
    const before = stroke, after = wish.slice();
    stroke = null;
    const give = (/** @type {Uint8Array} */ painted) => {
      if (wish?.length === painted.length) wish.set(painted);
      show();
    };
    studio.undo.note({ key: `edit stroke ${performance.now()}`, title: "a stroke", undo: () => give(before), redo: () => give(after) });
  }

  /** @param {PointerEvent} event @returns {[number, number]} */
  function inside(event) {
    const { left, top } = view.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  const partAt = (/** @type {PointerEvent} */ event) => gizmo.find(view.camera, ...inside(event), event.pointerType === "touch" ? 24 : 12);

  studio.tools.push({
    wants: isOn,
    takes: (pointer, event) => {
      const part = painting ? null : partAt(event), region = chosen === null ? null : regions.get(chosen);
      if (!part || !region) return false;
      gizmo.grab(view.camera, part, ...inside(event));
      drag = { start: region.to, pointer };
      return true;
    },
    begin: (_, hit, event) => {
      if (painting) return paint(hit, event.altKey);
      const meant = [...regions].find(([, { vertices }]) => vertices.includes(hit.vertex));
      if (meant && hit.body === figure?.number) choose(meant[0]);
    },
    move: (pointer, event) => {
      if (painting) return paint(view.pick(event.clientX, event.clientY), event.altKey);
      if (!drag || drag.pointer !== pointer || chosen === null || !figure) return;
      const by = gizmo.drag(view.camera, ...inside(event), event.ctrlKey || event.metaKey);
      if (by) void send(chosen, then(drag.start, intoBody(by, figure)));
    },
    end: (pointer) => {
      endStroke();
      if (!drag || drag.pointer !== pointer) return;
      const region = chosen === null ? null : regions.get(chosen);
      if (region && chosen !== null) put(chosen, drag.start, region.to);
      drag = null;
      gizmo.release();
      view.invalidate();
    },
  });
  view.canvas.addEventListener("pointermove", (event) => {
    if (!gizmo.at || drag || !isOn()) return;
    const part = partAt(event);
    if (part?.kind === gizmo.part?.kind && part?.axis === gizmo.part?.axis) return;
    gizmo.part = part;
    view.invalidate();
  });
  view.before.push((lines) => isOn() && gizmo.draw(lines, view.camera));

  /** @param {Heard["edit.handles"]} event */
  function takeHandles({ body, handles }) {
    if (body !== figure?.number) return;
    const rest = figure.shape.deform(new Float32Array(figure.shape.rank));
    const before = new Map(regions);
    regions.clear();
    for (const { handle, vertices } of handles) {
      /** @type {Vec3} */ let sum = [0, 0, 0];
      for (const v of vertices) sum = [sum[0] + rest[3 * v], sum[1] + rest[3 * v + 1], sum[2] + rest[3 * v + 2]];
      regions.set(handle, { vertices, middle: scale(sum, 1 / Math.max(1, vertices.length)), to: before.get(handle)?.to ?? [...REST] });
    }
    if (chosen !== null && !regions.has(chosen)) chosen = null;
    show();
  }

  /** @param {Heard["edit.now"]} event */
  function takePlaces({ body, by, places, energy, lag, converged }) {
    if (body !== figure?.number) return;
    // What this page moves it knows better.
    const own = by === studio.welcome?.client && (isSending || drag);
    for (const { handle, to } of places) {
      const region = regions.get(handle);
      if (region && !own) region.to = to;
    }
    const words = energy === undefined ? "" : `Energy ${three(energy)} J, handles lag by at most ${three(lag ?? 0)} m${converged ? "" : ", still following"}`;
    need("edit-now", HTMLElement).textContent = words;
    if (!own) show();
  }

  studio.on("edit.handles", (event) => {
    held.set(event.body, event);
    takeHandles(event);
  });
  studio.on("edit.now", (event) => {
    placed.set(event.body, event);
    takePlaces(event);
  });
  studio.on("edit.ended", ({ body }) => {
    held.delete(body);
    placed.delete(body);
    if (body === figure?.number) forget();
  });
  studio.on("jobs.news", (job) => {
    if (making?.job !== job.job || job.state === "running") return;
    const of = making.figure;
    making = null;
    if (job.state === "done" && studio.figure === of) ready(of);
    else text.textContent = idle;
  });
  studio.on("left", ({ body }) => body === figure?.number && forget());
  studio.on("chosen", () => figure && studio.figure !== figure && forget());
  studio.on("state", (state) => state === "lost" && forget());

  beginButton.addEventListener("click", () => begin().catch((error) => studio.fail(error)));
  endButton.addEventListener("click", () => {
    if (figure) void studio.request("edit.end", { body: figure.number });
  });
  addButton.addEventListener("click", () => addRegion().catch((error) => studio.fail(error)));
  paintButton.addEventListener("click", () => ((painting = true), show()));
  moveButton.addEventListener("click", () => ((painting = false), show()));
  size.addEventListener("input", show);
  need("edit-apply", HTMLButtonElement).addEventListener("click", byNumbers);
  need("edit-reset", HTMLButtonElement).addEventListener("click", () => reset().catch((error) => studio.fail(error)));
  need("edit-load", HTMLInputElement).addEventListener("change", (event) => {
    const input = /** @type {HTMLInputElement} */ (event.target), file = input.files?.[0];
    if (!file || !figure) return;
    const body = figure.number;
    void file.text().then(async (text) => {
      input.value = "";
      const answer = await studio.request("edit.load", { body, text });
      for (const { handle, to } of /** @type {{ handle: number, to: Affine }[]} */ (answer?.places ?? [])) await send(handle, to);
    });
  });
  show();
  return {
    keys: [
      { keys: ["a"], shown: "A", title: "edit the body by handles; Ctrl snaps, Alt takes paint away", does: () => panel.open("edit") },
    ],
  };
}
