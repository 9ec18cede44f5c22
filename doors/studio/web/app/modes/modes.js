/**
 * The gallery of modes: a small picture of each, which plays when it is picked.
 *
 * Frequencies are those of the body as it feels now, whatever it was built with.
 *
 * A mode plays on this page alone, x = X + U (a sin 2πft) mode; the server goes on undisturbed and others do not see it.
 * What is too fast for the eye (and for sixty pictures a second) is slowed down, and the text says by how much.
 */

import { fetchTensors } from "../../body.js";
import { Camera } from "../../camera.js";
import { make, need, three } from "../../dom.js";
import { drawSpectrum } from "./spectrum.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../figure.js").Figure} Figure */

/** @typedef {{ frequencies: Float32Array, modes: Float32Array, rank: number }} Found Hz; each mode as coordinates whose largest displacement is one metre */

const SMALL = { width: 208, height: 156 };
const FASTEST = 3.5; // Hz, comfortable to follow
const MOST = 60; // pictures

const SHEET = /* html */ `
<p class="small" id="mode-text">Each is a way to swing on its own. Pick one to see it.</p>
<label class="field"><span class="field-name">Amplitude</span><input type="range" id="mode-amplitude" min="0.02" max="0.5" step="0.01" value="0.16"><output id="mode-amplitude-value"></output></label>
<ul id="gallery"></ul>
<h2>Spectrum</h2>
<figure><canvas id="spectrum" class="plot" role="img" aria-label="Frequencies of the modes"></canvas><figcaption class="small" id="spectrum-text"></figcaption></figure>
`;

const ICON = '<path d="M3 12c2-7 4-7 6 0s4 7 6 0 4-7 6 0"/>';

/** @type {import("../../app.js").App} */
export const modes = { name: "modes", title: "Modes", sheet: SHEET, icon: ICON, style: "app/modes/modes.css", start };

/** @param {Studio} studio */
function start(studio) {
  const { view, panel, theme } = studio;
  const gallery = need("gallery", HTMLElement);
  const text = need("mode-text", HTMLElement);
  const amplitude = need("mode-amplitude", HTMLInputElement);
  const spectrum = need("spectrum", HTMLCanvasElement);
  const idle = text.textContent ?? "";
  /** @type {{ button: HTMLButtonElement, canvas: HTMLCanvasElement, drawn: boolean }[]} */ let cards = [];
  /** Of the chosen body as it was built. @type {Found} */
  let found = { frequencies: new Float32Array(0), modes: new Float32Array(0), rank: 0 };
  let pace = 1;
  let playing = -1;
  let drawing = false;

  const hertz = (/** @type {number} */ f) => (f > 1e-3 ? `${three(f)} Hz` : "rigid");
  /** Hz, now. */
  const frequencies = () => found.frequencies.map((f) => f * pace);
  const mode = (/** @type {number} */ k) => found.modes.subarray(k * found.rank, (k + 1) * found.rank);
  const caption = (/** @type {number} */ k, /** @type {number} */ f) => `${k + 1} · ${hertz(f)}`;
  const spectrumNow = () => panel.isOpen("modes") && drawSpectrum(spectrum, need("spectrum-text", HTMLElement), frequencies(), playing);

  /** @param {number} k −1 for none */
  function mark(k) {
    playing = k;
    cards.forEach(({ button }, i) => button.setAttribute("aria-pressed", String(i === playing)));
    if (k < 0) text.textContent = idle;
    spectrumNow();
  }

  /** @param {number} k */
  function play(k) {
    const { figure } = studio;
    if (!figure || figure.hidden || !cards[k]) return;
    const { shape } = figure;
    const direction = mode(k), f = frequencies()[k];
    const shown = f > 1e-3 ? Math.min(f, FASTEST) : 0.5;
    const start = performance.now() / 1000;
    const pose = (/** @type {number} */ now) => {
      const size = Number(amplitude.value) * (studio.body?.length ?? shape.bounds.radius);
      const a = size * Math.sin(2 * Math.PI * shown * (now - start));
      return direction.map((x) => a * x);
    };
    view.play(figure, { pose, stopped: () => mark(-1) });
    mark(k);
    text.textContent = `Mode ${k + 1}: ${hertz(f)}${f > shown * 1.01 ? `, shown ${three(f / shown)} times slower` : ""}. Pick it again to stop.`;
  }

  function stop() {
    if (studio.figure && playing >= 0) view.stop(studio.figure);
  }

  /** One picture at a time, so that the body goes on moving meanwhile. */
  function drawSome() {
    const { figure } = studio;
    const card = cards.find(({ drawn }) => !drawn);
    drawing = Boolean(card && figure && panel.isOpen("modes") && !figure.hidden);
    if (!drawing || !card || !figure) return;
    const k = cards.indexOf(card);
    const camera = new Camera();
    camera.resize(SMALL.width, SMALL.height);
    camera.frame(figure.bounds, true);
    camera.pose.distance *= 0.94; // a card has no room for air
    const size = 0.2 * (studio.body?.length ?? figure.bounds.radius);
    const image = view.small(figure, mode(k).map((x) => size * x), camera, SMALL.width, SMALL.height);
    if (image) card.canvas.getContext("2d")?.putImageData(image, 0, 0);
    card.drawn = true;
    setTimeout(() => requestAnimationFrame(drawSome), 8);
  }
  function showAll() {
    if (!drawing) drawSome();
    spectrumNow();
  }

  /** The body became stiffer or heavier: what is written changes, and what plays goes on. */
  function tune() {
    if (pace === studio.pace) return;
    pace = studio.pace;
    frequencies().forEach((f, k) => {
      const words = cards[k]?.button.lastChild;
      if (words) words.textContent = caption(k, f);
    });
    if (playing >= 0) play(playing);
    else spectrumNow();
  }

  async function look() {
    const { figure } = studio;
    if (!figure) return;
    const tensors = await fetchTensors(`family/modes/${figure.number}`).catch((error) => {
      if (studio.figure === figure) throw error; // nobody misses those of a body that is gone
    });
    if (!tensors || studio.figure !== figure) return;
    const [modes, frequencies] = ["modes", "frequencies"].map((name) => /** @type {Float32Array} */ (tensors.get(name)?.data ?? new Float32Array(0)));
    show({ frequencies, modes, rank: frequencies.length ? modes.length / frequencies.length : 0 });
  }

  /** @param {Found} now */
  function show(now) {
    stop();
    found = now;
    pace = studio.pace;
    playing = -1;
    cards = Array.from(frequencies().subarray(0, MOST), (f, k) => {
      const canvas = make("canvas", { width: SMALL.width, height: SMALL.height, ariaHidden: "true" });
      const button = make("button", { type: "button" }, canvas, caption(k, f));
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => (k === playing ? stop() : play(k)));
      return { button, canvas, drawn: false };
    });
    gallery.replaceChildren(...cards.map(({ button }) => make("li", {}, button)));
    showAll();
  }

  studio.on("settings", tune);
  studio.on("chosen", () => {
    show({ frequencies: new Float32Array(0), modes: new Float32Array(0), rank: 0 });
    look().catch((error) => studio.fail(error));
  });
  panel.onOpen("modes", showAll);
  theme.on(() => {
    for (const card of cards) card.drawn = false;
    showAll();
  });
  const percent = need("mode-amplitude-value", HTMLOutputElement);
  const showAmplitude = () => (percent.textContent = `${Math.round(100 * Number(amplitude.value))} %`);
  amplitude.addEventListener("input", showAmplitude);
  showAmplitude();

  /** @param {number} step +1 the next, −1 the one before */
  const next = (step) => () => {
    const count = cards.length;
    if (count) play(playing < 0 ? (step > 0 ? 0 : count - 1) : (playing + step + count) % count);
  };
  return {
    keys: [
      { keys: ["]"], shown: "]", title: "next mode", does: next(1) },
      { keys: ["["], shown: "[", title: "mode before", does: next(-1) },
      { keys: ["Escape"], shown: "Esc", title: "stop the mode, put the brush away", does: stop },
    ],
  };
}
