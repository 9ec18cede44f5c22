/**
 * What the page knows: the last word of the server on everything, the bodies that stand on the stage, and who wants to hear of it.
 *
 * Apps read from here, send requests through here and add to its lists; they do not know each other. One body is chosen: panels
 * act on it. A body that is replaced while its shape is still on the way is never shown: only the newest counts.
 */

import { Body } from "./body.js";
import { Connection } from "./connection.js";
import { need, sentence } from "./dom.js";
import { Panel } from "./panel.js";
import { readBodies } from "./protocol.js";
import { Theme } from "./theme.js";
import { Undo } from "./undo.js";
import { View } from "./view.js";

/** @typedef {import("./protocol.js").BodyEvent} BodyEvent */
/** @typedef {import("./protocol.js").BodyState} BodyState */
/** @typedef {import("./protocol.js").BuildOptions} BuildOptions */
/** @typedef {import("./protocol.js").Feel} Feel */
/** @typedef {import("./protocol.js").Frame} Frame */
/** @typedef {import("./protocol.js").Job} Job */
/** @typedef {import("./protocol.js").Requests} Requests */
/** @typedef {{ say: (text: string, kind?: "note" | "error") => void }} Voice */

/** A shape is gone as soon as its body is replaced; the word of that comes by another way, and may be so much later, ms. */
const LATE = 400;

export class Studio {
  /** @type {import("./protocol.js").Welcome | null} */ welcome = null;
  /** Those that stand on the stage, by their numbers. @type {Map<number, BodyEvent>} */ bodies = new Map();
  /** @type {Frame | null} */ frame = null;
  /** What is being made, by number. @type {Map<number, Job>} */ jobs = new Map();
  /** Which body a job of this page will replace; null where it will stand beside. @type {Map<number, number | null>} */ replacing = new Map();
  /** What went wrong on this page, newest last. @type {string[]} */ errors = [];
  /** What pointers do on a body; the last one that wants a pointer gets it. @type {import("./pointers.js").Tool[]} */ tools = [];
  /** @type {import("./keys.js").Key[]} */ keys = [];
  /** Where handles over the chosen body can be taken on the page, by their names. @type {() => Record<string, [number, number]>} */ handles = () => ({});
  /** Choices that wait for a rebuild of the chosen body, of whoever offers some. @type {(() => BuildOptions)[]} */ wishes = [];
  /** What was done by this page and can be undone. */ undo = new Undo();
  /** Which body took the place of one that is gone. @type {Map<number, number>} */ #heirs = new Map();
  /** What helps against what is remarked, by the names of docs/protocol/bodies.md. @type {Map<string, { title: string, does: () => void }>} */ remedies = new Map();
  /** What saves a file of the last seconds, by the names of docs/protocol/files.md. @type {Map<string, () => Promise<void>>} */ saves = new Map();
  /** Those whose shapes are on the way, and which they will replace. @type {Map<number, { event: BodyEvent, replaces: number[] }>} */ #coming = new Map();
  /** How bodies feel. @type {Map<number, Feel>} */ #feels = new Map();
  /** @type {import("./protocol.js").Time} */ #time = { paused: false, speed: 1, dt: 0 };
  /** Bodies of a connection that was lost; null once the server has said which are there. @type {Set<number> | null} */ #doubted = new Set();
  /** Whether a person chose a body; until then it is the first of those that were there. */ #hasPicked = false;
  #connected = 0;

  /** @param {Voice} voice */
  constructor(voice) {
    this.voice = voice;
    this.connection = new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.view = new View(need("stage", HTMLCanvasElement));
    this.theme = new Theme();
    this.panel = new Panel(this.view);
    this.onSection("bodies", readBodies);
    this.on("welcome", (welcome) => this.#begin(welcome));
    this.on("bodies.came", (event) => this.#bring(event).catch((error) => this.fail(error)));
    this.on("bodies.gone", ({ body }) => this.#takeAway(body));
    this.on("bodies.placed", ({ body, position, turn }) => {
      const known = this.bodies.get(body) ?? this.#coming.get(body)?.event;
      if (known) Object.assign(known, { position, turn });
    });
    this.on("feel.settings", (feel) => {
      this.#feels.set(feel.body, feel);
      if (feel.body === this.figure?.number) this.#tellSettings();
    });
    this.on("time.now", ({ paused, speed, dt }) => {
      this.#time = { paused, speed, dt };
      this.#tellSettings();
    });
    this.on("time.stumbled", ({ sentence }) => voice.say(sentence, "error"));
    this.on("jobs.news", (job) => (job.state === "running" ? this.jobs.set(job.job, job) : this.jobs.delete(job.job)));
    this.on("frame", (frame) => this.#move(frame));
    // Of requests that asked for no answer: a hand that a reset has opened moves on for a moment.
    this.on("refused", ({ do: what, sentence }) => !what.startsWith("hand.") && voice.say(sentence, "error"));
    this.on("state", (state) => this.#notice(state));
    this.theme.on((look) => {
      this.view.scene.look = look;
      this.view.invalidate();
    });
  }

  /** Called with what the server says, by the name of the event, and with the page's own events (protocol.js, `Heard`). @type {Connection["on"]} */
  on(name, listener) {
    this.connection.on(name, listener);
  }

  /** How the section of a family is read; what was read is in `frame.sections`. @param {string} family @param {(data: DataView) => unknown} read */
  onSection(family, read) {
    this.connection.readers.set(family, read);
  }

  /**
   * Asks, and says it where that is refused.
   * @template {string} K
   * @param {K} what FAMILY.WORD @param {K extends keyof Requests ? Requests[K] : object} fields
   * @returns {Promise<import("./protocol.js").Answered | null>} null where it was refused
   */
  async request(what, fields) {
    const answer = await this.connection.ask(what, fields);
    if (answer.event === "answered") return answer;
    if (this.connection.state === "open") this.voice.say(answer.sentence, "error"); // else the line at the top says it
    return null;
  }

  /**
   * As [`Studio.request`], without an answer: for what is said many times a second.
   * @template {keyof Requests} K
   * @param {K} what @param {Requests[K]} fields @returns {boolean} whether it was sent
   */
  tell(what, fields) {
    return this.connection.send({ do: what, ...fields });
  }

  /** Changes how the chosen body feels; that can be undone. @param {Partial<Omit<Feel, "body" | "built">>} settings */
  set(settings) {
    const { figure } = this;
    const now = figure && this.#feels.get(figure.number);
    if (!figure || !now) return;
    const of = figure.number, keys = /** @type {(keyof typeof settings)[]} */ (Object.keys(settings));
    const before = Object.fromEntries(keys.map((key) => [key, now[key]]));
    const give = (/** @type {typeof settings} */ values) => {
      const body = this.heir(of);
      if (this.bodies.has(body)) void this.request("feel.set", { body, ...values });
    };
    this.undo.note({ key: `feel ${of} ${keys.join(" ")}`, title: keys.join(" and "), undo: () => give(before), redo: () => give(settings) });
    give(settings);
  }

  /** What people call a body: our shapes have names of their own. @param {BodyEvent} body */
  titleOf({ name }) {
    return this.welcome?.menus.shapes.find((shape) => shape.name === name)?.title ?? name;
  }

  /** The body that stands in the place of one that was there. @param {number} body */
  heir(body) {
    for (let next = this.#heirs.get(body); next !== undefined; next = this.#heirs.get(body)) body = next;
    return body;
  }

  /** The chosen body as it stands there; null while there is none. */
  get figure() {
    return this.view.chosen;
  }

  /** Numbers of the bodies, in the order in which they came. */
  get numbers() {
    return [...this.bodies.keys()].sort((a, b) => a - b);
  }

  /** What the server says about the chosen body. */
  get body() {
    return (this.figure && this.bodies.get(this.figure.number)) ?? null;
  }

  /** Of the chosen body. @returns {import("./protocol.js").Settings | null} */
  get settings() {
    const feel = this.figure && this.#feels.get(this.figure.number);
    return feel ? { ...feel, ...this.#time } : null;
  }

  /** The chosen body in the last frame. @returns {BodyState | null} */
  get state() {
    return (this.figure && this.frame?.sections.get("bodies")?.get(this.figure.number)) ?? null;
  }

  /** The job that runs, the oldest where there are several. */
  get job() {
    return this.jobs.values().next().value ?? null;
  }

  get isPaused() {
    return this.#time.paused;
  }

  /** All choices that wait for a rebuild. @returns {BuildOptions} */
  get wish() {
    return Object.assign({}, ...this.wishes.map((wish) => wish()));
  }

  /** How much faster the chosen body swings now than as it was built: ω² is stiffness over density. */
  get pace() {
    const { settings } = this;
    if (!settings) return 1;
    const { stiffness, density, built } = settings;
    return Math.sqrt(stiffness / built.stiffness / (density / built.density));
  }

  /** Of the chosen body as it is set now, kg. */
  get mass() {
    const { body, settings } = this;
    return (body?.mass ?? 0) * (settings ? settings.density / settings.built.density : 1);
  }

  /** Tells the person, and keeps it for scripts. @param {unknown} error */
  fail(error) {
    const sentence = error instanceof Error ? error.message : String(error);
    this.errors.push(sentence);
    this.voice.say(sentence, "error");
  }

  /** Panels act on this body from now on. @param {number} number */
  choose(number) {
    const figure = this.view.figures.get(number);
    if (!figure || figure === this.figure || !this.bodies.has(number)) return;
    this.#hasPicked = true;
    if (this.figure) this.view.stop(this.figure);
    this.view.chosen = figure;
    this.#tellChosen();
  }

  #tellChosen() {
    this.view.invalidate();
    this.connection.tell("chosen", this.body);
    this.#tellSettings();
  }

  #tellSettings() {
    if (this.settings) this.connection.tell("settings", this.settings);
  }

  /** @param {import("./connection.js").State} state */
  #notice(state) {
    if (state === "outdated") this.fail("This page is of another version than the studio. Reload it.");
    if (state !== "lost") return;
    this.#connected++; // the next server may count its bodies from 1 again: what is on the way is of the old one
    this.#coming.clear();
    this.frame = null;
    this.jobs.clear();
  }

  /** @param {import("./protocol.js").Welcome} welcome */
  #begin(welcome) {
    this.welcome = welcome;
    this.#doubted = new Set(this.bodies.keys());
    this.#feels.clear();
    this.#heirs.clear();
  }

  /** @param {Frame} frame */
  #move(frame) {
    const doubted = this.#doubted;
    this.#doubted = null; // a client that joins is told of all bodies, and then gets a frame
    for (const number of doubted ?? []) if (!this.#coming.has(number)) this.#takeAway(number);
    this.frame = frame;
    for (const [number, state] of frame.sections.get("bodies") ?? []) this.#pose(number, state);
  }

  /** Draws only where something changed. @param {number} number @param {BodyState} state */
  #pose(number, { q, position, turn }) {
    const figure = this.view.figures.get(number);
    if (!figure) return;
    const moved = q.length !== figure.q.length || q.some((x, k) => x !== figure.q[k]);
    figure.q = q;
    if (moved && !figure.play) this.view.invalidate();
    if (!figure.isCarried) this.view.place(figure, { position, turn });
  }

  /** @param {BodyEvent} event */
  async #bring(event) {
    const { body: number } = event;
    const connected = this.#connected;
    const isNews = this.#doubted === null;
    const before = event.replaces === null ? [] : [event.replaces, ...(this.#coming.get(event.replaces)?.replaces ?? [])];
    for (const old of before) this.#coming.delete(old);
    for (const known of [number, ...before]) this.#doubted?.delete(known);
    const coming = { event, replaces: before };
    this.#coming.set(number, coming);
    const isWanted = () => connected === this.#connected && this.#coming.get(number) === coming;
    const shape = await Body.fetch(`family/bodies/${number}/shape`, number).catch(async (error) => {
      await new Promise((later) => setTimeout(later, LATE));
      if (isWanted()) throw error;
    });
    if (!shape || !isWanted()) return;
    this.#coming.delete(number);
    this.#show(event, before, shape, isNews);
  }

  /** @param {BodyEvent} event @param {number[]} before @param {Body} shape @param {boolean} isNews */
  #show(event, before, shape, isNews) {
    const { body: number, why, by } = event;
    const replaced = before.map((old) => this.bodies.get(old)).find(Boolean);
    const isFirst = this.bodies.size === 0;
    const wasChosen = this.figure !== null && [number, ...before].includes(this.figure.number);
    // Of a body that a page sees for the first time nothing was seen before, however it came.
    const isSame = replaced !== undefined && (why === "refined" || ((why === "rebuilt" || why === "restored") && replaced.name === event.name && replaced.length === event.length));
    if (why !== "duplicated") this.view.preview(null);
    this.#forget(number, null); // of a connection that was lost
    const figure = this.view.add(shape, event);
    this.bodies.set(number, event);
    for (const old of before) {
      this.#heirs.set(old, number);
      this.#feels.delete(old);
      this.#forget(old, why === "refined" ? number : null);
    }
    if (!isSame) this.view.lookAtAll(!this.view.ready);
    const state = this.frame?.sections.get("bodies")?.get(number);
    if (state) this.#pose(number, state);
    this.connection.tell("shown", event);
    const isEarlier = !isNews && !this.#hasPicked && number < (this.figure?.number ?? Infinity);
    if (wasChosen || !this.figure || isEarlier || (isNews && by === this.welcome?.client && why !== "refined")) {
      this.view.chosen = figure;
      this.#tellChosen();
    }
    if (isNews && !isFirst) this.#announce(event);
  }

  /** @param {number} number */
  #takeAway(number) {
    this.#coming.delete(number);
    if (!this.bodies.has(number)) return;
    this.#feels.delete(number);
    this.#forget(number, null);
    const [other] = this.numbers;
    if (this.figure) this.view.invalidate();
    else if (other === undefined) this.#tellChosen();
    else this.choose(other);
  }

  /** @param {number} number @param {number | null} successor the body that goes on in its state */
  #forget(number, successor) {
    if (!this.bodies.delete(number)) return;
    this.view.remove(number);
    this.connection.tell("left", { body: number, successor });
  }

  /** Says who did what; what there is to remark stands behind a button in the line at the top. @param {BodyEvent} event */
  #announce(event) {
    const { by, why } = event, name = this.titleOf(event);
    const who = by === null ? "" : by === this.welcome?.client ? "You" : "Somebody on another page";
    const did = { opened: "opened", dropped: "brought", rebuilt: "rebuilt", reshaped: "reshaped", restored: "put back", duplicated: "duplicated" };
    const what = why === "refined" ? `finished: ${name}` : `${who} ${did[why] ?? "brought"} ${name}`.trim();
    this.voice.say(sentence(what));
  }
}
