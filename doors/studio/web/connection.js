/**
 * The socket: opens it, opens it again when it breaks, hands on what arrives.
 *
 * A studio that is closed and started again (or a laptop that slept) is met again without a reload: the waits grow from a
 * quarter of a second to four seconds. Requests while there is no connection are dropped, not kept: a pull from a minute
 * ago should not happen now. A server of another version is not asked again: only another page can speak with it.
 */

import { Events } from "./events.js";
import { PROTOCOL, SUBPROTOCOL, readFrame } from "./protocol.js";

/** @typedef {import("./protocol.js").Heard} Heard */
/** @typedef {import("./protocol.js").Answer} Answer */
/** @typedef {"connecting" | "open" | "lost" | "outdated"} State */

/** The close code for another version of the protocol. */
const OTHER_VERSION = 1002;

/** @extends {Events<Heard>} */
export class Connection extends Events {
  /** @type {State} */ state = "connecting";
  /** What a section of a frame says, by its family; sections without a reader are skipped. @type {Map<string, (data: DataView) => unknown>} */ readers = new Map();
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {Map<number, (answer: Answer) => void>} requests that wait for an answer, by their seq */ #waiting = new Map();
  /** @type {string[]} */ #families = [];
  #seq = 0;
  #wait = 250;
  #timer = 0;

  /** @param {string} address */
  constructor(address) {
    super();
    this.address = address;
  }

  open() {
    window.clearTimeout(this.#timer);
    const socket = new WebSocket(this.address, SUBPROTOCOL);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#wait = 250;
      this.#seq = 0;
      this.#enter("open");
    });
    socket.addEventListener("message", ({ data }) => this.#hear(data));
    socket.addEventListener("close", ({ code }) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#giveUpWaiting();
      if (code === OTHER_VERSION || this.state === "outdated") {
        this.#enter("outdated");
        return;
      }
      this.#enter("lost");
      this.#timer = window.setTimeout(() => this.open(), this.#wait);
      this.#wait = Math.min(4000, this.#wait * 2);
    });
  }

  /** @param {object} request @returns {boolean} whether it was sent */
  send(request) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(request));
    return true;
  }

  /** @param {string} what FAMILY.WORD @param {object} fields @returns {Promise<Answer>} */
  ask(what, fields) {
    const seq = ++this.#seq;
    if (!this.send({ do: what, seq, ...fields })) return Promise.resolve({ event: "refused", seq, do: what, sentence: "The studio does not answer." });
    return new Promise((resolve) => this.#waiting.set(seq, resolve));
  }

  /** @param {string | ArrayBuffer} data */
  #hear(data) {
    if (typeof data !== "string") {
      const frame = readFrame(data, this.#families, this.readers);
      if (frame) this.tell("frame", frame);
      return;
    }
    const message = JSON.parse(data);
    if (typeof message?.event !== "string") return;
    if (message.event === "welcome") {
      if (message.protocol !== PROTOCOL) {
        this.#enter("outdated");
        this.#socket?.close();
        return;
      }
      this.#families = message.families;
    }
    const waits = message.event === "answered" || message.event === "refused" ? this.#waiting.get(message.seq) : undefined;
    if (waits) {
      this.#waiting.delete(message.seq);
      waits(message);
    } else this.tell(message.event, message);
  }

  #giveUpWaiting() {
    for (const [seq, waits] of this.#waiting) waits({ event: "refused", seq, do: "", sentence: "The studio went away before it answered." });
    this.#waiting.clear();
  }

  /** @param {State} state */
  #enter(state) {
    this.state = state;
    this.tell("state", state);
  }
}
