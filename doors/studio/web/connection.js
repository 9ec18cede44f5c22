/**
 * The socket: opens it, opens it again when it breaks, hands on what arrives.
 *
 * A studio that is closed and started again (or a laptop that slept) is met again without a reload: the waits grow from a
 * quarter of a second to four seconds. Requests while there is no connection are dropped, not kept: a pull from a minute
 * ago should not happen now.
 */

import { SUBPROTOCOL, readFrame } from "./protocol.js";

/** @typedef {import("./protocol.js").Events} Events */
/** @typedef {import("./protocol.js").Frame} Frame */
/** @typedef {import("./protocol.js").Request} Request */
/** @typedef {"connecting" | "open" | "lost"} State */

/** @typedef {Events & { frame: Frame, state: State }} Heard */

export class Connection {
  /** @type {State} */ state = "connecting";
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {Map<string, Set<(value: any) => void>>} */ #listeners = new Map();
  #wait = 250;
  #timer = 0;

  /** @param {string} address */
  constructor(address) {
    this.address = address;
  }

  /**
   * @template {keyof Heard} K
   * @param {K} name @param {(value: Heard[K]) => void} listener
   */
  on(name, listener) {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set.add(listener));
  }

  open() {
    window.clearTimeout(this.#timer);
    const socket = new WebSocket(this.address, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#wait = 250;
      this.#enter("open");
    });
    socket.addEventListener("message", ({ data }) => this.#hear(data));
    socket.addEventListener("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#enter("lost");
      this.#timer = window.setTimeout(() => this.open(), this.#wait);
      this.#wait = Math.min(4000, this.#wait * 2);
    });
  }

  /** @param {Request} request @returns {boolean} whether it was sent */
  send(request) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(request));
    return true;
  }

  /** @param {string | ArrayBuffer} data */
  #hear(data) {
    if (typeof data !== "string") {
      const frame = readFrame(data);
      if (frame) this.#tell("frame", frame);
      return;
    }
    const message = JSON.parse(data);
    if (typeof message?.event === "string") this.#tell(message.event, message);
  }

  /** @param {State} state */
  #enter(state) {
    this.state = state;
    this.#tell("state", state);
  }

  /** @param {string} name @param {any} value */
  #tell(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }
}
