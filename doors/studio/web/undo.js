/**
 * What was done and can be undone: a list of pairs of functions, newest last.
 *
 * A slider says many values on its way: what comes under the same key, soon after, is one thing with what came before it.
 */

/**
 * @typedef {object} Deed
 * @property {string} key what is one thing: the same key within [`SOON`] goes on with the last deed
 * @property {string} title what was done, in a word or two
 * @property {() => void} undo
 * @property {() => void} redo
 */

const MOST = 200;
const SOON = 1200; // ms

export class Undo {
  /** @type {(Deed & { at: number })[]} */ #done = [];
  /** @type {Deed[]} */ #undone = [];
  /** Called whenever there is more or less to undo. @type {(() => void)[]} */ changed = [];

  /** Something was done. @param {Deed} deed */
  note(deed) {
    const last = this.#done[this.#done.length - 1], at = performance.now();
    this.#undone = [];
    if (last && last.key === deed.key && at - last.at < SOON) Object.assign(last, { redo: deed.redo, at });
    else this.#done.push({ ...deed, at });
    if (this.#done.length > MOST) this.#done.shift();
    this.#tell();
  }

  undo() {
    const deed = this.#done.pop();
    if (!deed) return;
    deed.undo();
    this.#undone.push(deed);
    this.#tell();
  }

  redo() {
    const deed = this.#undone.pop();
    if (!deed) return;
    deed.redo();
    this.#done.push({ ...deed, at: -Infinity });
    this.#tell();
  }

  /** What would be undone; null where there is nothing. */
  get next() {
    return this.#done[this.#done.length - 1]?.title ?? null;
  }

  /** What would be done again; null where there is nothing. */
  get nextAgain() {
    return this.#undone[this.#undone.length - 1]?.title ?? null;
  }

  #tell() {
    for (const listener of this.changed) listener();
  }
}
