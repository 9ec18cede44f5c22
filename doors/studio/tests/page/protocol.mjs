// A client of docs/protocol.md, written from that document alone: what it says about the body is what the page is held against.

import WebSocket from "ws";

/** Bytes of the head of a frame, of a section, of a body before its q, of a hand. */
const [HEAD, SECTION, BODY, HAND] = [24, 8, 52, 40];

/** Half a float: sign, 5 bits of exponent, 10 of fraction. */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The tensors of a safetensors file: name → { shape, data }. */
export function tensors(bytes) {
  const view = new DataView(bytes);
  const length = Number(view.getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, length)));
  const types = { F32: Float32Array, U32: Uint32Array, U8: Uint8Array, F16: Uint16Array };
  const out = {};
  for (const [name, about] of Object.entries(header)) {
    if (name === "__metadata__") continue;
    const [begin, end] = about.data_offsets;
    // Copied: a view would need the alignment of its type.
    const raw = new types[about.dtype](bytes.slice(8 + length + begin, 8 + length + end));
    out[name] = { shape: about.shape, data: about.dtype === "F16" ? Float64Array.from(raw, half) : raw };
  }
  return out;
}

/** What a binary message says: the head, all bodies and hands, and every section by its family. */
export function frame(bytes, families) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint8(0) !== 2) return null;
  const flags = view.getUint8(1);
  const sections = new Map();
  let at = HEAD;
  for (let i = 0; i < view.getUint16(2, true); i++) {
    const [family, length] = [families[view.getUint16(at, true)], view.getUint32(at + 4, true)];
    if (length % 4) throw new Error(`a section of ${length} bytes`);
    sections.set(family, new DataView(bytes.buffer, bytes.byteOffset + at + SECTION, length));
    at += SECTION + length;
  }
  if (at !== bytes.byteLength) throw new Error(`a frame of ${bytes.byteLength} bytes has sections of ${at}`);
  return {
    paused: (flags & 1) !== 0,
    allAtRest: (flags & 2) !== 0,
    slow: (flags & 4) !== 0,
    number: view.getUint32(4, true),
    microseconds: view.getFloat32(8, true),
    rate: view.getFloat32(12, true),
    steps: view.getUint32(16, true),
    late: view.getUint32(20, true),
    sections,
    bodies: bodiesOf(sections.get("bodies")),
    hands: handsOf(sections.get("hand")),
  };
}

const floats = (view, at, count) => Float32Array.from({ length: count }, (_, i) => view.getFloat32(at + 4 * i, true));

function bodiesOf(view) {
  const found = new Map();
  for (let at = 0; at < (view?.byteLength ?? 0); ) {
    const r = view.getUint16(at + 4, true);
    found.set(view.getUint32(at, true), {
      atRest: (view.getUint16(at + 6, true) & 1) !== 0,
      t: view.getFloat64(at + 8, true),
      kinetic: view.getFloat32(at + 16, true),
      elastic: view.getFloat32(at + 20, true),
      position: [...floats(view, at + 24, 3)],
      turn: [...floats(view, at + 36, 4)],
      q: floats(view, at + BODY, r),
    });
    at += BODY + 4 * r;
  }
  return found;
}

function handsOf(view) {
  return Array.from({ length: (view?.byteLength ?? 0) / HAND }, (_, i) => {
    const at = HAND * i;
    const [client, id, body, vertex] = [0, 4, 8, 12].map((k) => view.getUint32(at + k, true));
    return { client, id, body, vertex, target: [...floats(view, at + 16, 3)], force: [...floats(view, at + 28, 3)] };
  });
}

/** A frame, with what it says of one body, or of the first where that one is not in it. */
export function frameOf(said, wanted) {
  const body = said.bodies.has(wanted) ? wanted : ([...said.bodies.keys()][0] ?? null);
  const state = said.bodies.get(body) ?? { atRest: true, t: 0, kinetic: 0, elastic: 0, q: new Float32Array(0) };
  return { ...said, body, ...state, grabs: said.hands.filter((hand) => hand.body === body) };
}

/** x of one vertex of a shape: rest + U q. */
export function position(shape, q, vertex) {
  const [, m] = shape.basis.shape;
  const x = [0, 1, 2].map((k) => shape.rest.data[3 * vertex + k]);
  q.forEach((value, i) => {
    for (let k = 0; k < 3; k++) {
      x[k] += value * shape.basis_scale.data[i] * shape.basis.data[3 * (i * m + vertex) + k];
    }
  });
  return x;
}

/** Connects; resolves when the server has said welcome. */
export async function connect(url) {
  const address = new URL("socket", url);
  address.protocol = "ws:";
  const socket = new WebSocket(address, "pliant.2", { perMessageDeflate: false });
  const client = new Client(url, socket);
  await client.until("the welcome", () => client.welcome);
  return client;
}

class Client {
  events = [];
  /** What the last frame says. */
  said = null;
  /** Called with every frame, when set. */
  onframe = null;
  #waiting = new Set();

  constructor(url, socket) {
    this.url = url;
    this.socket = socket;
    socket.on("message", (data, binary) => {
      if (binary) {
        this.said = frame(data, this.welcome.families);
        this.onframe?.(this.frame);
      } else {
        const event = JSON.parse(data.toString());
        this.events.push(event);
        if (event.event === "time.stumbled") console.error(`the body stumbled: ${event.sentence}`);
      }
      this.#look();
    });
    socket.on("close", (code) => (this.closed = code) && this.#look());
    socket.on("error", (error) => (this.error = error) && this.#look());
  }

  /** The last event of a kind. */
  last(kind) {
    return this.events.findLast((event) => event.event === kind);
  }
  get welcome() {
    return this.last("welcome");
  }
  /** The bodies that are there, in the order in which they came. */
  get bodies() {
    const there = new Map();
    for (const event of this.events) {
      if (event.event === "bodies.came") there.set(event.body, event) && there.delete(event.replaces);
      if (event.event === "bodies.gone") there.delete(event.body);
    }
    return [...there.values()];
  }
  /** The one that came last. */
  get body() {
    return this.bodies.at(-1);
  }
  /** How the last one feels, and the time of all. */
  get settings() {
    const body = this.body?.body;
    return { ...this.events.findLast((event) => event.event === "feel.settings" && event.body === body), ...this.last("time.now") };
  }
  /** The last frame, and what it says of the last body. */
  get frame() {
    return this.said && frameOf(this.said, this.body?.body);
  }

  send(request) {
    this.socket.send(JSON.stringify(request));
  }

  /** Sends with a number of its own; what is answered, or an error with the sentence of a refusal. */
  async ask(request) {
    const seq = (this.seq = (this.seq ?? 0) + 1);
    this.send({ ...request, seq });
    const answer = await this.until(`an answer to ${request.do}`, () => this.events.findLast((event) => event.seq === seq));
    if (answer.event === "refused") throw new Error(answer.sentence);
    return answer;
  }

  /** The first true value of `look`, which is asked after every message. */
  until(what, look, seconds = 300) {
    return new Promise((resolve, reject) => {
      const check = () => {
        const found = look();
        const gone = this.error ?? (this.closed && new Error(`closed with code ${this.closed}`));
        if (!found && !gone) return;
        clearTimeout(timer);
        this.#waiting.delete(check);
        if (found) resolve(found);
        else reject(new Error(`waiting for ${what}: ${gone.message}`));
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(check);
        const heard = this.events.slice(-3).map((event) => JSON.stringify(event).slice(0, 300));
        reject(new Error(`${seconds} s went by without ${what}; heard last: ${heard.join(" ")}`));
      }, 1000 * seconds);
      this.#waiting.add(check);
      check();
    });
  }
  #look() {
    for (const check of [...this.#waiting]) check();
  }

  /** Whatever the studio began with is over: the body is there, no draft of it, and no job runs. */
  async settled() {
    // An answer comes behind the whole greeting, which tells of a job that runs.
    await this.ask({ do: "hand.release", id: 0 });
    await this.until("a finished body", () => this.body && this.last("jobs.news")?.state !== "running");
  }

  /** A job that begins from now on, followed to its end. */
  async job(seconds = 600) {
    const seen = this.events.length;
    const ended = (event) => event.event === "jobs.news" && event.state !== "running";
    return this.until("end of the job", () => this.events.slice(seen).find(ended), seconds);
  }

  /** Rest positions and basis of a body, of the last one where none is named. */
  async shape(body = this.body.body) {
    const answer = await fetch(new URL(`family/bodies/${body}/shape`, this.url));
    if (!answer.ok) throw new Error(`no shape: ${answer.status} ${await answer.text()}`);
    return tensors(await answer.arrayBuffer());
  }

  close() {
    this.socket.close();
  }
}
