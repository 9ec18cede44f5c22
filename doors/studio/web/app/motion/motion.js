/**
 * How a body moves: by its own forces, linearly, or linearly and shown warped; and ghosts of the last two beside it.
 *
 * Warping wants training once, which takes a few seconds: the server answers with a job then, and is asked again when that is done.
 */

import { need } from "../../dom.js";
import { GhostLayer } from "../../gl/ghost.js";
import { floats } from "../../protocol.js";

/** @typedef {import("../../math.js").Vec3} Vec3 */
/** @typedef {{ body: number, motion: string, ghosts: boolean, warp: { points: number, validation_error: number } | null }} Now */
/** @typedef {{ linear: Float32Array, warped: Float32Array }} Poses */
/** @typedef {import("../../protocol.js").Requests["motion.set"]} Wish */

const MOTIONS = ["nonlinear", "linear", "warped"];

/** sRGB: what is linear warm, what is warped cool. @type {Record<keyof Poses, Vec3>} */
const TINTS = { linear: [0.95, 0.35, 0.1], warped: [0.1, 0.45, 0.95] };

const SHEET = /* html */ `
<div class="field"><label for="motion" class="field-name">Motion</label>
  <select id="motion" aria-keyshortcuts="L"><option value="nonlinear">by its forces</option><option value="linear">linear</option><option value="warped">linear, warped</option></select></div>
<label class="check"><input type="checkbox" id="ghosts"> Ghosts: linear in red, warped in blue</label>
<p class="small" id="motion-text" role="status"></p>
`;

/** @type {import("../../app.js").App} */
export const motion = { name: "motion", title: "Motion", under: SHEET, start };

/** @param {import("../../studio.js").Studio} studio */
function start(studio) {
  const { view } = studio;
  const menu = need("motion", HTMLSelectElement);
  const ghosts = need("ghosts", HTMLInputElement);
  const text = need("motion-text", HTMLElement);
  /** @type {Map<number, Now>} */ const known = new Map();
  /** What is asked again when a job is done. @type {Map<number, Wish>} */ const waiting = new Map();
  /** @type {Map<number, Record<keyof Poses, GhostLayer>>} */ const layers = new Map();

  function show() {
    const now = studio.figure && known.get(studio.figure.number);
    menu.disabled = ghosts.disabled = !now;
    if (!now) return;
    const asked = waiting.size > 0;
    if (!asked) [menu.value, ghosts.checked] = [now.motion, now.ghosts];
    const { warp } = now;
    if (asked) text.textContent = "It learns to warp …";
    else if (now.ghosts && now.motion === "nonlinear") text.textContent = "Ghosts are of linear motions.";
    else text.textContent = warp ? `Warped by ${warp.points} points, off by ${(100 * warp.validation_error).toFixed(1)} %.` : "";
  }

  /** @param {Wish} fields */
  async function set(fields) {
    const answer = await studio.request("motion.set", fields);
    if (answer?.job !== undefined) waiting.set(answer.job, fields);
    show();
  }
  const ask = (/** @type {Omit<Wish, "body">} */ change) => studio.figure && void set({ body: studio.figure.number, ...change });
  const next = () => ask({ motion: MOTIONS[(MOTIONS.indexOf(menu.value) + 1) % MOTIONS.length] });

  menu.addEventListener("change", () => ask({ motion: menu.value }));
  ghosts.addEventListener("change", () => ask({ ghosts: ghosts.checked }));
  studio.on("motion.now", (/** @type {Now} */ now) => {
    known.set(now.body, now);
    show();
  });
  studio.on("chosen", show);
  studio.on("jobs.news", ({ job, state }) => {
    const fields = waiting.get(job);
    if (!fields || state === "running") return;
    waiting.delete(job);
    if (state === "done") void set(fields);
    else show();
  });
  studio.on("left", ({ body }) => known.delete(body));

  /** @param {number} body */
  function haunt(body) {
    const figure = view.figures.get(body);
    let layer = layers.get(body);
    if (layer && layer.linear.of !== figure) layer = void lay(body);
    if (!layer && figure) {
      const { scene } = view;
      const make = (/** @type {keyof Poses} */ kind) => scene.add(new GhostLayer(scene.gl, figure, TINTS[kind], scene.deformPrograms));
      layers.set(body, (layer = { linear: make("linear"), warped: make("warped") }));
    }
    return layer;
  }
  /** @param {number} body */
  function lay(body) {
    const layer = layers.get(body);
    layers.delete(body);
    if (layer) for (const kind of /** @type {const} */ (["linear", "warped"])) view.scene.remove(layer[kind]);
  }
  studio.onSection("motion", readGhosts);
  studio.on("frame", ({ sections }) => {
    /** @type {Map<number, Poses>} */ const poses = sections.get("motion") ?? new Map();
    for (const body of [...layers.keys()]) if (!poses.has(body)) lay(body);
    for (const [body, { linear, warped }] of poses) {
      const layer = haunt(body);
      if (layer) [layer.linear.figure.q, layer.warped.figure.q] = [linear, warped];
    }
    if (poses.size) view.invalidate();
  });
  return { keys: [{ keys: ["l"], shown: "L", title: "the next motion: by its forces, linear, warped", does: next }] };
}

/** @param {DataView} data @returns {Map<number, Poses>} by body */
function readGhosts(data) {
  const poses = new Map();
  for (let at = 0; at + 8 <= data.byteLength; ) {
    const r = data.getUint16(at + 4, true);
    const read = (/** @type {number} */ from) => Float32Array.from(floats(data, at + 8 + 4 * from, r));
    poses.set(data.getUint32(at, true), { linear: read(0), warped: read(r) });
    at += 8 + 8 * r;
  }
  return poses;
}
