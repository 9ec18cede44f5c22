/**
 * A gallery of our shapes: a picture of each, drawn by the page itself when the sheet is first opened.
 */

import { Body } from "../../body.js";
import { Camera } from "../../camera.js";
import { make } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {{ name: string, button: HTMLButtonElement, canvas: HTMLCanvasElement, isDrawn: boolean }} Card */

const SMALL = { width: 148, height: 104 };

/** @param {Studio} studio @param {HTMLElement} list @param {(name: string) => void} open */
export function shapes(studio, list, open) {
  const { view, panel, theme } = studio;
  /** @type {Card[]} */ let cards = [];
  let isDrawing = false;

  /** One at a time, so that bodies go on moving meanwhile. */
  async function draw() {
    if (isDrawing) return;
    isDrawing = true;
    for (let card = next(); card; card = next()) {
      card.isDrawn = true;
      // One that cannot be had has no picture, and its name.
      const shape = await Body.fetch(`family/files/shape/${card.name}`, 0).catch(() => null);
      if (!shape) continue;
      const camera = new Camera();
      camera.resize(SMALL.width, SMALL.height);
      camera.frame(shape.bounds, true);
      card.canvas.getContext("2d")?.putImageData(view.portrait(shape, camera, SMALL.width, SMALL.height), 0, 0);
      await new Promise((later) => setTimeout(later, 30));
    }
    isDrawing = false;
  }
  const next = () => (panel.isOpen("files") && view.ready ? cards.find(({ isDrawn }) => !isDrawn) : undefined);

  studio.on("welcome", ({ menus }) => {
    cards = menus.shapes.map(({ name, title, about }) => {
      const canvas = make("canvas", { ...SMALL, ariaHidden: "true" });
      const button = make("button", { type: "button", value: name, title: about ?? "" }, canvas, make("span", { textContent: title }));
      button.addEventListener("click", () => open(name));
      return { name, button, canvas, isDrawn: false };
    });
    list.replaceChildren(...cards.map(({ button }) => make("li", {}, button)));
    void draw();
  });
  panel.onOpen("files", () => void draw());
  theme.on(() => {
    for (const card of cards) card.isDrawn = false;
    void draw();
  });
}
