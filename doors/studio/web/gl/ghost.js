/**
 * A ghost of a body: the same surface in another pose, as coloured glass.
 */

import { Figure } from "../figure.js";
import { SurfaceLayer } from "./surface.js";

/** @typedef {import("./layer.js").Pass} Pass */
/** @typedef {import("../math.js").Vec3} Vec3 */

export class GhostLayer extends SurfaceLayer {
  /**
   * @param {import("./context.js").GL} gl @param {Figure} of whose ghost it is @param {Vec3} tint sRGB, 0 to 1
   * @param {import("./deform.js").DeformPrograms | null} programs null: on the processor
   */
  constructor(gl, of, tint, programs) {
    const figure = new Figure(of.shape);
    super(gl, figure, programs);
    this.of = of;
    this.tint = tint;
    this.surface.painted = false;
    figure.isOpen = true;
  }

  prepare() {
    this.figure.moveTo(this.of);
    super.prepare();
  }

  /** @param {Pass} pass */
  draw(pass) {
    super.draw({ ...pass, look: { ...pass.look, rubber: this.tint } });
  }
}
