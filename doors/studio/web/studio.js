/**
 * What the page knows: the last word of the server on everything, the body that is shown, and who wants to hear of it.
 *
 * Panels read from here and send requests through here; they do not know each other. A body that is replaced while its
 * shape is still on the way is never shown: only the newest counts.
 */

import { Body } from "./body.js";
import { Connection } from "./connection.js";
import { Pull } from "./pull.js";
import { View } from "./view.js";
import { need } from "./dom.js";

/** @typedef {import("./protocol.js").BodyEvent} BodyEvent */
/** @typedef {import("./protocol.js").BuildOptions} BuildOptions */
/** @typedef {import("./protocol.js").Request} Request */
/** @typedef {{ say: (text: string, kind?: "note" | "error") => void }} Voice */

/** A shape is gone as soon as its body is replaced; the word of that comes by another way, and may be so much later, ms. */
const LATE = 400;

export class Studio {
  /** @type {import("./protocol.js").Welcome | null} */ welcome = null;
  /** @type {BodyEvent | null} */ body = null;
  /** @type {import("./protocol.js").Settings | null} */ settings = null;
  /** @type {import("./protocol.js").Frame | null} */ frame = null;
  /** @type {import("./protocol.js").Job | null} */ job = null;
  /** What went wrong on this page, newest last. @type {string[]} */ errors = [];
  /** The live body; the view may show the preview of a job instead. @type {Body | null} */ shape = null;
  /** Choices of the panel that wait for a rebuild. @type {() => BuildOptions} */ pending = () => ({});
  /** Stops a mode that plays. @type {() => void} */ stopMode = () => {};
  /** @type {((body: Body, event: BodyEvent) => void)[]} */ #shown = [];
  #asked = 0;

  /** @param {Voice} voice */
  constructor(voice) {
    this.voice = voice;
    this.connection = new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.view = new View(need("stage", HTMLCanvasElement));
    this.pull = new Pull(this.view, (request) => this.request(request), need("labels", HTMLElement));
    const { connection } = this;
    connection.on("welcome", (welcome) => {
      this.welcome = welcome;
      this.pull.client = welcome.client;
    });
    connection.on("settings", (settings) => (this.settings = settings));
    connection.on("job", (job) => (this.job = job.state === "running" ? job : null));
    connection.on("body", (event) => this.#replace(event).catch((error) => this.fail(error)));
    connection.on("frame", (frame) => this.#move(frame));
    connection.on("refused", ({ do: what, sentence }) => {
      if (what === "grab") this.pull.doubt();
      if (what !== "drag" && what !== "release") voice.say(sentence, "error"); // a hand that a reset has opened moves on for a moment
    });
    connection.on("stumbled", ({ sentence }) => {
      this.pull.forget();
      voice.say(sentence, "error");
    });
    connection.on("state", (state) => {
      if (state !== "lost") return;
      this.pull.forget();
      this.#asked++; // the next server may count its bodies from 1 again: what is on the way is of the old one
      this.frame = null;
    });
  }

  /** Called whenever another body is shown. @param {(body: Body, event: BodyEvent) => void} listener */
  onShown(listener) {
    this.#shown.push(listener);
  }

  /** @param {Request} request @returns {boolean} whether it was sent */
  request(request) {
    if (request.do === "reset") this.pull.forget();
    return this.connection.send(request);
  }

  /** @param {Partial<Omit<import("./protocol.js").Settings, "paused" | "dt" | "built">>} settings */
  set(settings) {
    return this.request({ do: "set", ...settings });
  }

  /** How much faster the body swings now than as it was built: ω² is stiffness over density. */
  get pace() {
    if (!this.settings) return 1;
    const { stiffness, density, built } = this.settings;
    return Math.sqrt(stiffness / built.stiffness / (density / built.density));
  }

  /** Of the body as it is set now, kg. */
  get mass() {
    const { body, settings } = this;
    return (body?.mass ?? 0) * (settings?.built ? settings.density / settings.built.density : 1);
  }

  /** Tells the person, and keeps it for scripts. @param {unknown} error */
  fail(error) {
    const sentence = error instanceof Error ? error.message : String(error);
    this.errors.push(sentence);
    this.voice.say(sentence, "error");
  }

  /** Shows a shape that cannot be pulled; null goes back to the live body. @param {Body | null} preview */
  showPreview(preview) {
    const shown = preview ?? this.shape;
    if (!shown || shown === this.view.body) return;
    this.pull.forget();
    this.stopMode();
    this.view.show(shown, true);
    if (!preview && this.frame?.body === shown.number) this.#move(this.frame);
  }

  /** @param {import("./protocol.js").Frame} frame */
  #move(frame) {
    const before = this.frame;
    this.frame = frame;
    if (frame.body !== this.view.body?.number) return;
    this.pull.hear(frame);
    this.view.q = frame.q;
    const still = before?.body === frame.body && isStill(before) && isStill(frame);
    if (!this.view.play && !still) this.view.invalidate();
  }

  /** @param {BodyEvent} event */
  async #replace(event) {
    const asked = ++this.#asked;
    const before = this.body;
    const shape = await Body.fetch(`body/${event.body}/shape`, event.body).catch(async (error) => {
      await new Promise((later) => setTimeout(later, LATE));
      if (asked === this.#asked) throw error;
    });
    if (!shape || asked !== this.#asked) return;
    this.body = event;
    this.shape = shape;
    this.pull.forget();
    this.stopMode();
    this.view.show(shape, before?.name !== event.name || event.why !== "rebuilt");
    if (this.frame?.body === shape.number) this.#move(this.frame);
    for (const listener of this.#shown) listener(shape, event);
    if (before && before.body !== event.body) this.voice.say(this.#announcement(event));
  }

  /** @param {BodyEvent} event */
  #announcement({ by, why, name, notes }) {
    const who = by === null ? "" : by === this.welcome?.client ? "You" : "Somebody on another page";
    const what = why === "rebuilt" ? `rebuilt ${name}` : why === "dropped" ? `brought ${name}` : `opened ${name}`;
    return [who ? `${who} ${what}.` : sentence(what), ...notes.map(sentence)].join(" ");
  }
}

/** Whether a picture of it would be the picture before. @param {import("./protocol.js").Frame} frame */
const isStill = ({ atRest, grabs }) => atRest && !grabs.length;

/** @param {string} text @returns {string} with a capital and a full stop */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
