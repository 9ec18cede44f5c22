/**
 * Who wants to hear of what: lists of listeners by the name of an event.
 */

/** @template {object} Heard what is said, by the name of the event */
export class Events {
  /** @type {Map<string, Set<(value: any) => void>>} */ #listeners = new Map();

  /**
   * @template {Extract<keyof Heard, string>} K
   * @param {K} name @param {(value: Heard[K]) => void} listener
   */
  on(name, listener) {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set.add(listener));
  }

  /** @param {string} name one that nobody listens to is no mistake @param {any} value */
  tell(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }
}
