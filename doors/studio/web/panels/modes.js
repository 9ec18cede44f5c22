/**
 * The gallery of modes: a small picture of each, which plays when it is picked.
 *
 * Frequencies are those of the body as it feels now, whatever it was built with.
 *
 * A mode plays on this page alone, x = X + U (a sin 2πft) mode; the server goes on undisturbed and others do not see it.
 * What is too fast for the eye (and for sixty pictures a second) is slowed down, and the text says by how much.
 */

import { Camera } from "../camera.js";
import { make, need, three } from "../dom.js";
import { drawSpectrum } from "./spectrum.js";

/** @typedef {import("../studio.js").Studio} Studio */
/** @typedef {import("../body.js").Body} Body */

const SMALL = { width: 208, height: 156 };
const FASTEST = 3.5; // Hz, comfortable to follow
const MOST = 60; // pictures

/** @param {Studio} studio @param {ReturnType<typeof import("./tabs.js").tabs>} panel @param {import("../theme.js").Theme} theme */
export function modes(studio, panel, theme) {
  const { view } = studio;
  const gallery = need("gallery", HTMLElement);
  const text = need("mode-text", HTMLElement);
  const amplitude = need("mode-amplitude", HTMLInputElement);
  const spectrum = need("spectrum", HTMLCanvasElement);
  const idle = text.textContent ?? "";
  /** @type {{ button: HTMLButtonElement, canvas: HTMLCanvasElement, drawn: boolean }[]} */ let cards = [];
  let pace = 1;
  let playing = -1;
  let drawing = false;

  const hertz = (/** @type {number} */ f) => (f > 1e-3 ? `${three(f)} Hz` : "rigid");
  /** Hz, now. */
  const frequencies = () => (studio.shape?.frequencies ?? new Float32Array(0)).map((f) => f * pace);
  const caption = (/** @type {number} */ k, /** @type {number} */ f) => `${k + 1} · ${hertz(f)}`;
  const spectrumNow = () => drawSpectrum(spectrum, need("spectrum-text", HTMLElement), frequencies(), playing);

  /** @param {number} k −1 for none @param {boolean} [again] what plays is begun again instead of stopped */
  function play(k, again = false) {
    const body = studio.shape;
    playing = body && (again || k !== playing) && k < body.frequencies.length && studio.view.body === body ? k : -1;
    cards.forEach(({ button }, i) => button.setAttribute("aria-pressed", String(i === playing)));
    if (body && playing >= 0) {
      const mode = body.mode(playing), f = frequencies()[playing];
      const shown = f > 1e-3 ? Math.min(f, FASTEST) : 0.5;
      const start = performance.now() / 1000;
      view.play = (now) => {
        const size = Number(amplitude.value) * (studio.body?.length ?? body.bounds.radius);
        const a = size * Math.sin(2 * Math.PI * shown * (now - start));
        return mode.map((x) => a * x);
      };
      text.textContent = `Mode ${playing + 1}: ${hertz(f)}${f > shown * 1.01 ? `, shown ${three(f / shown)} times slower` : ""}. Pick it again to stop.`;
    } else {
      view.play = null;
      text.textContent = idle;
    }
    if (panel.isOpen("modes")) spectrumNow();
    view.invalidate();
  }

  /** One picture at a time, so that the body goes on moving meanwhile. */
  function drawSome() {
    const body = studio.shape;
    const card = cards.find(({ drawn }) => !drawn);
    drawing = Boolean(card && body && panel.isOpen("modes") && view.body === body);
    if (!drawing || !card || !body) return;
    const k = cards.indexOf(card);
    const camera = new Camera();
    camera.resize(SMALL.width, SMALL.height);
    camera.frame(body.bounds, true);
    camera.pose.distance *= 0.94; // a card has no room for air
    const size = 0.2 * (studio.body?.length ?? body.bounds.radius);
    const image = view.scene.small(camera, body.mode(k).map((x) => size * x), SMALL.width, SMALL.height, theme.look);
    card.canvas.getContext("2d")?.putImageData(image, 0, 0);
    card.drawn = true;
    setTimeout(() => requestAnimationFrame(drawSome), 8);
  }
  const startDrawing = () => {
    if (!drawing) drawSome();
  };

  /** The body became stiffer or heavier: what is written changes, and what plays goes on. */
  function tune() {
    if (pace === studio.pace) return;
    pace = studio.pace;
    frequencies().forEach((f, k) => {
      const words = cards[k]?.button.lastChild;
      if (words) words.textContent = caption(k, f);
    });
    if (playing >= 0) play(playing, true);
    else if (panel.isOpen("modes")) spectrumNow();
  }

  studio.stopMode = () => play(-1);
  studio.connection.on("settings", tune);
  studio.onShown((body) => {
    play(-1);
    pace = studio.pace;
    const now = frequencies();
    cards = Array.from({ length: Math.min(MOST, body.frequencies.length) }, (_, k) => {
      const canvas = make("canvas", { width: SMALL.width, height: SMALL.height, ariaHidden: "true" });
      const button = make("button", { type: "button" }, canvas, caption(k, now[k]));
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => play(k));
      return { button, canvas, drawn: false };
    });
    gallery.replaceChildren(...cards.map(({ button }) => make("li", {}, button)));
    if (panel.isOpen("modes")) {
      startDrawing();
      spectrumNow();
    }
  });
  panel.onOpen("modes", () => {
    startDrawing();
    spectrumNow();
  });
  theme.on(() => {
    for (const card of cards) card.drawn = false;
    if (panel.isOpen("modes")) {
      startDrawing();
      spectrumNow();
    }
  });
  const percent = need("mode-amplitude-value", HTMLOutputElement);
  const showAmplitude = () => (percent.textContent = `${Math.round(100 * Number(amplitude.value))} %`);
  amplitude.addEventListener("input", showAmplitude);
  showAmplitude();

  return {
    /** @param {number} step +1 the next, −1 the one before */
    next(step) {
      const count = cards.length;
      if (count) play(playing < 0 ? (step > 0 ? 0 : count - 1) : (playing + step + count) % count);
    },
    stop: () => play(-1),
    get playing() {
      return playing;
    },
  };
}
