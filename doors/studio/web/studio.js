/**
 * What the page knows: the last word of the server on everything, the body that is shown, and who wants to hear of it.
 *
 * Apps read from here, send requests through here and add to its lists; they do not know each other. A body that is replaced
 * while its shape is still on the way is never shown: only the newest counts.
 */

import { Body } from "./body.js";
import { Connection } from "./connection.js";
import { need } from "./dom.js";
import { Panel } from "./panel.js";
import { Theme } from "./theme.js";
import { View } from "./view.js";

/** @typedef {import("./protocol.js").BodyEvent} BodyEvent */
/** @typedef {import("./protocol.js").BuildOptions} BuildOptions */
/** @typedef {import("./protocol.js").Request} Request */
/** @typedef {import("./protocol.js").Job} Job */
/** @typedef {import("./figure.js").Figure} Figure */
/** @typedef {{ say: (text: string, kind?: "note" | "error") => void }} Voice */

/** A shape is gone as soon as its body is replaced; the word of that comes by another way, and may be so much later, ms. */
const LATE = 400;

export class Studio {
  /** @type {import("./protocol.js").Welcome | null} */ welcome = null;
  /** @type {BodyEvent | null} */ body = null;
  /** @type {import("./protocol.js").Settings | null} */ settings = null;
  /** @type {import("./protocol.js").Frame | null} */ frame = null;
  /** What is being made, by number. @type {Map<number, Job>} */ jobs = new Map();
  /** What went wrong on this page, newest last. @type {string[]} */ errors = [];
  /** What pointers do on a body; the last one that wants a pointer gets it. @type {import("./pointers.js").Tool[]} */ tools = [];
  /** @type {import("./keys.js").Key[]} */ keys = [];
  /** Choices that wait for a rebuild, of whoever offers some. @type {(() => BuildOptions)[]} */ wishes = [];
  /** @type {((figure: Figure, event: BodyEvent) => void)[]} */ #chosen = [];
  /** @type {((request: Request) => void)[]} */ #asked = [];
  #newest = 0;

  /** @param {Voice} voice */
  constructor(voice) {
    this.voice = voice;
    this.connection = new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.view = new View(need("stage", HTMLCanvasElement));
    this.theme = new Theme();
    this.panel = new Panel(this.view);
    const { connection } = this;
    connection.on("welcome", (welcome) => (this.welcome = welcome));
    connection.on("settings", (settings) => (this.settings = settings));
    connection.on("job", (job) => (job.state === "running" ? this.jobs.set(job.job, job) : this.jobs.delete(job.job)));
    connection.on("body", (event) => this.#replace(event).catch((error) => this.fail(error)));
    connection.on("frame", (frame) => this.#move(frame));
    connection.on("refused", ({ do: what, sentence }) => {
      if (what !== "drag" && what !== "release") voice.say(sentence, "error"); // a hand that a reset has opened moves on for a moment
    });
    connection.on("stumbled", ({ sentence }) => voice.say(sentence, "error"));
    connection.on("state", (state) => {
      if (state !== "lost") return;
      this.#newest++; // the next server may count its bodies from 1 again: what is on the way is of the old one
      this.frame = null;
      this.jobs.clear();
    });
    this.theme.on((look) => {
      this.view.scene.look = look;
      this.view.invalidate();
    });
  }

  /** @type {Connection["on"]} */
  on(name, listener) {
    this.connection.on(name, listener);
  }

  /** Called whenever another body is chosen. @param {(figure: Figure, event: BodyEvent) => void} listener */
  onChosen(listener) {
    this.#chosen.push(listener);
  }

  /** Called with every request that was sent. @param {(request: Request) => void} listener */
  onAsked(listener) {
    this.#asked.push(listener);
  }

  /** The job that runs, the oldest where there are several. */
  get job() {
    return this.jobs.values().next().value ?? null;
  }

  /** The chosen body; null while there is none. */
  get figure() {
    return this.view.chosen;
  }

  /** All choices that wait for a rebuild. @returns {BuildOptions} */
  get wish() {
    return Object.assign({}, ...this.wishes.map((wish) => wish()));
  }

  /** @param {Request} request @returns {boolean} whether it was sent */
  request(request) {
    const sent = this.connection.send(request);
    if (sent) for (const listener of this.#asked) listener(request);
    return sent;
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

  /** @param {import("./protocol.js").Frame} frame */
  #move(frame) {
    const before = this.frame;
    this.frame = frame;
    const figure = this.view.figures.get(frame.body);
    if (!figure) return;
    figure.q = frame.q;
    const still = before?.body === frame.body && isStill(before) && isStill(frame);
    if (!figure.play && !still) this.view.invalidate();
  }

  /** @param {BodyEvent} event */
  async #replace(event) {
    const newest = ++this.#newest;
    const before = this.body;
    const shape = await Body.fetch(`body/${event.body}/shape`, event.body).catch(async (error) => {
      await new Promise((later) => setTimeout(later, LATE));
      if (newest === this.#newest) throw error;
    });
    if (!shape || newest !== this.#newest) return;
    this.body = event;
    this.view.preview(null);
    for (const number of [...this.view.figures.keys()]) this.view.remove(number);
    const figure = this.view.add(shape, { position: [0, 0, 0], turn: [0, 0, 0, 1] });
    this.view.chosen = figure;
    if (before?.name !== event.name || event.why !== "rebuilt") this.view.lookAtAll(!this.view.ready);
    if (this.frame?.body === shape.number) this.#move(this.frame);
    for (const listener of this.#chosen) listener(figure, event);
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
