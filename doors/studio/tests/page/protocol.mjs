// A client of docs/protocol.md, written from that document alone: what it says about the body is what the page is held against.

import WebSocket from "ws";

/** Bytes before q in a frame. */
const HEADER = 48;
/** Bytes of one grab in a frame. */
const GRAB = 36;

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

/** What a binary message says. */
export function frame(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint8(0) !== 1) return null;
  const flags = view.getUint8(1);
  const r = view.getUint16(2, true);
  const g = view.getUint16(12, true);
  if (bytes.byteLength !== HEADER + 4 * r + GRAB * g) {
    throw new Error(`a frame of ${bytes.byteLength} bytes says r = ${r}, g = ${g}`);
  }
  const q = Float32Array.from({ length: r }, (_, i) => view.getFloat32(HEADER + 4 * i, true));
  const grabs = Array.from({ length: g }, (_, i) => {
    const at = HEADER + 4 * r + GRAB * i;
    const three = (offset) => [0, 4, 8].map((k) => view.getFloat32(at + offset + k, true));
    return {
      client: view.getUint32(at, true),
      id: view.getUint32(at + 4, true),
      vertex: view.getUint32(at + 8, true),
      target: three(12),
      force: three(24),
    };
  });
  return {
    paused: (flags & 1) !== 0,
    atRest: (flags & 2) !== 0,
    slow: (flags & 4) !== 0,
    body: view.getUint32(4, true),
    number: view.getUint32(8, true),
    t: view.getFloat64(16, true),
    kinetic: view.getFloat32(24, true),
    elastic: view.getFloat32(28, true),
    microseconds: view.getFloat32(32, true),
    rate: view.getFloat32(36, true),
    steps: view.getUint32(40, true),
    late: view.getUint32(44, true),
    q,
    grabs,
  };
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
  const socket = new WebSocket(address, "pliant.1", { perMessageDeflate: false });
  const client = new Client(url, socket);
  await client.until("the welcome", () => client.welcome);
  return client;
}

class Client {
  events = [];
  /** The last frame. */
  frame = null;
  /** Called with every frame, when set. */
  onframe = null;
  #waiting = new Set();

  constructor(url, socket) {
    this.url = url;
    this.socket = socket;
    socket.on("message", (data, binary) => {
      if (binary) {
        this.frame = frame(data);
        this.onframe?.(this.frame);
      } else {
        const event = JSON.parse(data.toString());
        this.events.push(event);
        if (event.event === "stumbled") console.error(`the body stumbled: ${event.sentence}`);
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
  get body() {
    return this.last("body");
  }
  get settings() {
    return this.last("settings");
  }

  send(request) {
    this.socket.send(JSON.stringify(request));
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

  /** A job that begins from now on, followed to its end. */
  async job(seconds = 600) {
    const seen = this.events.length;
    const ended = (event) => event.event === "job" && event.state !== "running";
    return this.until("end of the job", () => this.events.slice(seen).find(ended), seconds);
  }

  /** Rest positions, basis and modes of the body that is there now. */
  async shape() {
    const answer = await fetch(new URL(`body/${this.body.body}/shape`, this.url));
    if (!answer.ok) throw new Error(`no shape: ${answer.status} ${await answer.text()}`);
    return tensors(await answer.arrayBuffer());
  }

  close() {
    this.socket.close();
  }
}
