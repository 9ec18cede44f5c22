/**
 * Carrying a body over the ground: it follows the pointer at once, and the server is told where it stands.
 *
 * Until the server has answered, the places in its frames are old ones.
 */

import { add, subtract } from "../../math.js";

/** @typedef {import("../../figure.js").Figure} Figure */
/** @typedef {import("../../figure.js").Hit} Hit */
/** @typedef {import("../../math.js").Vec3} Vec3 */
/** @typedef {import("../../math.js").Quat} Quat */

export class Carry {
  /** @type {Map<number, { figure: Figure, from: Vec3, start: Vec3 }>} by pointer */ #carried = new Map();
  /** @type {Map<Figure, { position: Vec3, turn: Quat } | null>} bodies whose place is being told, and where they have gone since */ #telling = new Map();

  /** @param {import("../../studio.js").Studio} studio */
  constructor(studio) {
    this.studio = studio;
  }

  /** @param {number} pointer @param {Hit} hit */
  begin(pointer, hit) {
    const figure = this.studio.view.figures.get(hit.body);
    if (figure?.number) this.#carried.set(pointer, { figure, from: hit.point, start: figure.position });
  }

  /** @param {number} pointer @param {PointerEvent} event */
  drag(pointer, event) {
    const carried = this.#carried.get(pointer);
    if (!carried) return;
    const { view } = this.studio;
    const { left, top } = view.canvas.getBoundingClientRect();
    const at = view.camera.onLevel(event.clientX - left, event.clientY - top, carried.from[1]);
    if (at) this.put(carried.figure, add(carried.start, subtract(at, carried.from)));
  }

  /** @param {number} pointer */
  end(pointer) {
    this.#carried.delete(pointer);
  }

  /** As [`Carry.to`], and it can be undone. @param {Figure} figure @param {Vec3} position m @param {Quat} [turn] */
  put(figure, position, turn = figure.turn) {
    const { studio } = this;
    const from = { position: figure.position, turn: figure.turn }, to = { position, turn };
    const go = (/** @type {typeof to} */ place) => {
      const now = studio.view.figures.get(studio.heir(figure.number));
      if (now) void this.to(now, place.position, place.turn);
    };
    studio.undo.note({ key: `place ${figure.number}`, title: "moving it", undo: () => go(from), redo: () => go(to) });
    go(to);
  }

  /** One place at a time is told, and then the newest: a mouse speaks faster than the server listens. @param {Figure} figure @param {Vec3} position m @param {Quat} [turn] */
  async to(figure, position, turn = figure.turn) {
    const { view } = this.studio;
    view.place(figure, { position, turn });
    const isTelling = this.#telling.has(figure);
    this.#telling.set(figure, { position, turn });
    if (isTelling) return;
    figure.isCarried = true;
    for (let next = this.#telling.get(figure); next; next = this.#telling.get(figure)) {
      this.#telling.set(figure, null);
      await this.studio.request("bodies.place", { body: figure.number, ...next });
    }
    this.#telling.delete(figure);
    figure.isCarried = false;
  }
}
