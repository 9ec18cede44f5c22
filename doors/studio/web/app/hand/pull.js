/**
 * Pulling: a pointer that goes down on the body grabs the vertex under it and drags it in the plane that faces the eye.
 *
 * The server hangs a spring between vertex and target and reports its force with every frame; here the spring is drawn as
 * a coil that stretches, with the force in newton beside the hand. Each finger pulls on its own. To let go while moving is
 * to fling: the server keeps the velocity.
 */

import { si, make } from "../../dom.js";
import { add, clamp, cross, length, normalize, scale, subtract } from "../../math.js";

/** @typedef {import("../../math.js").Vec3} Vec3 */
/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("./section.js").Hand} Hand */
/** @typedef {import("../../figure.js").Hit} Hit */
/**
 * @typedef {object} Hold
 * @property {number} id
 * @property {number} body
 * @property {Vec3} anchor
 * @property {Vec3} offset
 * @property {Vec3} target
 * @property {boolean} sent whether the server was told the target
 * @property {boolean} isListed whether a frame listed it
 * @property {number} missed frames in a row that no longer list it
 */

/** Frames without a hold that was listed before, until it is taken for gone. */
const MISSED = 3;

export class Pull {
  /** @type {Map<number, Hold>} by pointer */ holds = new Map();
  /** Those of the last frame, of everybody. @type {Hand[]} */ hands = [];
  /** @type {HTMLElement[]} */ #labels = [];
  #next = 1;
  #sending = false;

  /** @param {Studio} studio @param {HTMLElement} labels where forces are written */
  constructor(studio, labels) {
    this.studio = studio;
    this.view = studio.view;
    this.labels = labels;
    this.view.before.push((lines) => this.#draw(lines));
  }

  /** @param {number} pointer @param {Hit} hit */
  grab(pointer, hit) {
    const figure = this.view.figures.get(hit.body);
    if (!figure?.number) return; // a preview has none: nobody simulates it
    this.view.stop(figure);
    const at = figure.at(hit.vertex);
    /** @type {Hold} */
    const hold = { id: this.#next++, body: figure.number, anchor: hit.point, offset: subtract(at, hit.point), target: at, sent: true, isListed: false, missed: 0 };
    this.holds.set(pointer, hold);
    void this.studio.request("hand.grab", { body: figure.number, id: hold.id, vertex: hit.vertex, target: at }).then((answer) => {
      if (!answer && this.holds.get(pointer) === hold) this.holds.delete(pointer);
    });
    this.view.invalidate();
  }

  /** @param {number} pointer @param {number} clientX @param {number} clientY */
  drag(pointer, clientX, clientY) {
    const hold = this.holds.get(pointer);
    if (!hold) return;
    const { left, top } = this.view.canvas.getBoundingClientRect();
    this.move(pointer, add(this.view.camera.onPlane(clientX - left, clientY - top, hold.anchor), hold.offset));
  }

  /** @param {number} pointer @param {Vec3} target m */
  move(pointer, target) {
    const hold = this.holds.get(pointer);
    if (!hold) return;
    hold.target = target;
    hold.sent = false;
    this.#sendSoon();
    this.view.invalidate();
  }

  /** @param {number} pointer */
  release(pointer) {
    const hold = this.holds.get(pointer);
    if (!hold) return;
    this.#send(hold);
    this.studio.tell("hand.release", { id: hold.id });
    this.holds.delete(pointer);
    this.view.invalidate();
  }

  /** A body is gone or was put back to rest: every hand on it opens, also one that closes just now. @param {number} [body] all, where it is left out */
  forget(body) {
    for (const [pointer, hold] of this.holds) {
      if (body !== undefined && hold.body !== body) continue;
      this.studio.tell("hand.release", { id: hold.id });
      this.holds.delete(pointer);
    }
    this.view.invalidate();
  }

  /** Hands on a body that is finished now go on to hold it. @param {number} body @param {number} successor */
  passOn(body, successor) {
    for (const hold of this.holds.values()) if (hold.body === body) hold.body = successor;
  }

  /** A frame: another page may have put a body back to rest, and then it no longer lists our holds. @param {Hand[]} hands @param {boolean} atRest */
  hear(hands, atRest) {
    if (hands.length || this.hands.length) this.view.invalidate();
    this.hands = hands;
    const listed = new Set(hands.filter(({ client }) => client === this.studio.welcome?.client).map(({ id }) => id));
    for (const [pointer, hold] of this.holds) {
      if (listed.has(hold.id)) {
        hold.isListed = true;
        hold.missed = 0;
        if (!hold.sent) this.#sendSoon();
      } else if (hold.isListed && (++hold.missed >= MISSED || atRest)) this.holds.delete(pointer); // at rest no further frame comes
    }
  }

  /** Mice speak up to a thousand times a second; the server hears them sixty times. */
  #sendSoon() {
    if (this.#sending) return;
    this.#sending = true;
    setTimeout(() => {
      this.#sending = false;
      for (const hold of this.holds.values()) this.#send(hold);
    }, 12);
  }

  /** @param {Hold} hold */
  #send(hold) {
    if (hold.sent || hold.missed) return;
    hold.sent = true;
    this.studio.tell("hand.drag", { id: hold.id, target: hold.target });
  }

  /** @param {import("../../gl/lines.js").Lines} lines */
  #draw(lines) {
    const { scene, camera, figures } = this.view;
    const mine = new Map([...this.holds.values()].map((hold) => [hold.id, hold]));
    let used = 0;
    for (const grab of this.hands) {
      const figure = figures.get(grab.body);
      if (!figure || figure.hidden || figure.play || grab.vertex >= figure.shape.count) continue;
      const own = grab.client === this.studio.welcome?.client;
      const hold = own ? mine.get(grab.id) : undefined;
      if (own && !hold) continue; // already let go
      const from = figure.at(grab.vertex);
      const to = hold?.target ?? grab.target;
      const [r, g, b] = hold ? scene.look.accent : scene.look.pin;
      lines.path(coil(from, to, figure.bounds.radius, camera.axes().forward), [r, g, b, 0.95], hold ? 2.5 : 1.75);
      lines.dot(from, [1, 1, 1, 0.95], 11);
      lines.dot(from, [r, g, b, 1], 7);
      lines.dot(to, [r, g, b, 0.22], 26);
      lines.dot(to, [r, g, b, 1], 8);
      this.#label(used++, to, si(length(grab.force), "N"));
    }
    for (; used < this.#labels.length; used++) this.#labels[used].hidden = true;
  }

  /** @param {number} index @param {Vec3} at @param {string} text */
  #label(index, at, text) {
    const label = (this.#labels[index] ??= this.labels.appendChild(make("span", { className: "force" })));
    const [x, y, ahead] = this.view.camera.project(at);
    label.hidden = !ahead;
    label.textContent = text;
    const [left, top] = [clamp(x, 0, Math.max(0, this.view.camera.width - label.offsetWidth - 24)), Math.max(y, 40)]; // on the page, wherever the hand is
    label.style.transform = `translate(${left.toFixed(1)}px, ${top.toFixed(1)}px)`;
  }
}

/**
 * A coil from a to b with straight ends, thinner the farther it is stretched; a short one has fewer turns, which would run together.
 * @param {Vec3} a @param {Vec3} b @param {number} size of the body @param {Vec3} forward @returns {Vec3[]}
 */
function coil(a, b, size, forward) {
  const along = subtract(b, a);
  const stretch = length(along);
  if (stretch < size * 0.03) return [a, b];
  const side = normalize(cross(along, forward));
  const width = (size * 0.022) / (1 + stretch / size);
  const turns = Math.round(clamp((12 * stretch) / size, 2, 8)), POINTS = turns * 8;
  const points = [a];
  for (let i = 0; i <= POINTS; i++) {
    const part = 0.12 + 0.76 * (i / POINTS);
    const swell = Math.min(1, i / 6, (POINTS - i) / 6);
    points.push(add(add(a, scale(along, part)), scale(side, width * swell * Math.sin((i / POINTS) * turns * 2 * Math.PI))));
  }
  points.push(b);
  return points;
}
