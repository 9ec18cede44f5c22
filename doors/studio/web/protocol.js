/**
 * The words that page and server exchange: types of every message, and how a frame is read.
 *
 * The contract is docs/protocol.md, version 2, with a page for each family; what is written there is not repeated here. Unknown
 * keys, events and sections are ignored, as the contract asks of a client.
 */

export const PROTOCOL = 2;
export const SUBPROTOCOL = `pliant.${PROTOCOL}`;

/** @typedef {import("./math.js").Vec3} Vec3 */
/** @typedef {import("./math.js").Quat} Quat */

/** @typedef {{ mass: number, stiffness: number }} Damping Rayleigh's α (1/s) and β (s) */

/**
 * @typedef {object} Feel how one body feels
 * @property {number} body
 * @property {number} stiffness Young's modulus, Pa; for surfaces that are no plate a factor
 * @property {number} density kg/m³
 * @property {Damping} damping
 * @property {Vec3} gravity m/s²
 * @property {string} integrator
 * @property {number} coordinates how many of the r are used
 * @property {string | null} caution where the integrator does not suit the body
 * @property {{ stiffness: number, density: number }} built what the body was built with
 */

/** @typedef {{ body: number, newton: number | null, fair: number, suiting: number }} Strength of hands on a body, N; null where they never tire */
/** @typedef {{ paused: boolean, speed: number, dt: number }} Time speed in body seconds for each second of the clock; dt in s */
/** @typedef {Feel & Time} Settings */

/** @typedef {{ name: string, title: string, about?: string }} MenuItem */
/** @typedef {{ young: number, density: number, thickness: number }} Plate Pa, kg/m³, m */
/** @typedef {Plate & { name: string, title: string }} Sheet */
/** @typedef {{ key: string, name: string, unit: string }} ConstantItem */
/** @typedef {MenuItem & { of: "tets" | "triangles", constants?: ConstantItem[] }} MaterialItem */
/** @typedef {MenuItem & { linear_only: boolean }} IntegratorItem */
/** @typedef {MenuItem & { young: number, density: number, damping?: Damping }} Preset */

/**
 * @typedef {object} Menus
 * @property {MaterialItem[]} materials
 * @property {IntegratorItem[]} integrators
 * @property {MenuItem[]} bases
 * @property {MenuItem[]} forces
 * @property {MenuItem[]} shapes
 * @property {Sheet[]} sheets
 * @property {Preset[]} presets
 * @property {Quantity[]} quantities
 */

/** @typedef {{ name: string, title: string, unit: string, paused: boolean }} Quantity paused: found only of bodies that stand still */

/** @typedef {{ protocol: number, version: string, client: number, families: string[], menus: Menus, limits: Record<string, number> }} Welcome */

/**
 * @typedef {object} BodyEvent
 * @property {number} body
 * @property {number | null} replaces
 * @property {"opened" | "dropped" | "refined" | "rebuilt" | "reshaped" | "restored" | "duplicated"} why
 * @property {number | null} by
 * @property {Vec3} position
 * @property {Quat} turn
 * @property {string} name
 * @property {"tets" | "triangles"} kind
 * @property {number} vertices
 * @property {number} elements
 * @property {number} surface_vertices
 * @property {number} triangles
 * @property {number} rank
 * @property {number} modes
 * @property {number[]} frequencies_hz
 * @property {string} basis
 * @property {string} forces
 * @property {number | null} cubature_points
 * @property {number | null} validation_error
 * @property {number | null} static_error
 * @property {number | null} frequency_error
 * @property {number | null} pull_error
 * @property {string | null} outlook what more coordinates or points would bring
 * @property {string} material
 * @property {Record<string, number>} constants those that the material has of its own
 * @property {number | null} poisson
 * @property {string | null} sheet what a surface is cut from, of the menu or empty
 * @property {Plate | null} plate the numbers of that, where they were said
 * @property {string | null} proposed_sheet what it may be cut from, where nobody says what it is made of
 * @property {number} pinned
 * @property {boolean} free whether nothing holds it
 * @property {"solid" | "shell" | "cage"} form what it was made as
 * @property {string[]} forms what it can be made as
 * @property {number} length longest side, m
 * @property {{ length: number, unit: string | null } | null} proposed what that is likely meant to be
 * @property {number} mass kg
 * @property {number} bytes
 * @property {Remark[]} remarks
 */

/**
 * @typedef {object} Job
 * @property {number} job
 * @property {string} title
 * @property {"running" | "done" | "failed" | "cancelled"} state
 * @property {string} stage
 * @property {number | null} part 0 to 1 of the stage
 * @property {number} seconds
 * @property {number | null} left
 * @property {number | null} by
 * @property {string | null} message
 */

/** @typedef {{ sentence: string, severity: "note" | "warning" | "error", remedy: string | null }} Remark */
/** @typedef {{ what: string, severity: "note" | "warning" | "error", sentence: string, places: Vec3[] }} Finding */
/** @typedef {{ job: number, name: string, findings: Finding[] }} Findings */
/** @typedef {{ clients: number }} People */
/** @typedef {{ event: "refused", seq: number | null, do: string, sentence: string }} Refused */
/** @typedef {{ event: "answered", seq: number, do: string, [key: string]: any }} Answered */
/** @typedef {Answered | Refused} Answer */

/**
 * What the page hears, by the name of the event: the words of the server, frames, and what the page says itself: `state` of the
 * connection; a body `shown` on the stage; one that `left`, and which goes on in its state, if any; another `chosen`, or null; `settings` of the chosen one.
 * @typedef {{
 *   welcome: Welcome,
 *   people: People,
 *   answered: Answered,
 *   refused: Refused,
 *   "bodies.came": BodyEvent,
 *   "bodies.gone": { body: number, by: number | null },
 *   "bodies.placed": { body: number, position: Vec3, turn: Quat, by: number | null },
 *   "feel.settings": Feel,
 *   "hand.strength": Strength,
 *   "motion.now": { body: number, motion: string, ghosts: boolean, warp: { points: number, validation_error: number } | null },
 *   "edit.handles": { body: number, handles: { handle: number, vertices: number[] }[] },
 *   "edit.now": { body: number, by: number | null, places: { handle: number, to: number[] }[], energy?: number, elastic?: number, lag?: number, iterations?: number, converged?: boolean },
 *   "edit.ended": { body: number },
 *   "time.now": Time,
 *   "time.stumbled": { body: number, sentence: string },
 *   "jobs.news": Job,
 *   "files.findings": Findings,
 *   frame: Frame,
 *   state: import("./connection.js").State,
 *   shown: BodyEvent,
 *   left: { body: number, successor: number | null },
 *   chosen: BodyEvent | null,
 *   settings: Settings,
 * }} Heard
 */

/**
 * What the families of the studio can be asked, and the keys of it.
 * @typedef {{
 *   "bodies.duplicate": { body: number },
 *   "bodies.remove": { body: number },
 *   "bodies.place": { body: number, position: Vec3, turn?: Quat },
 *   "hand.grab": { body: number, id: number, vertex: number, target: Vec3 },
 *   "hand.drag": { id: number, target: Vec3 },
 *   "hand.release": { id: number },
 *   "hand.strength": { body: number, newton: number | null },
 *   "time.pause": { paused: boolean },
 *   "time.step": {},
 *   "time.speed": { speed: number },
 *   "time.reset": { body?: number },
 *   "feel.set": { body: number } & Partial<Omit<Feel, "built" | "caution">>,
 *   "motion.set": { body: number, motion?: string, ghosts?: boolean },
 *   "build.again": { body: number, pins?: number[] | "gathered" } & BuildOptions,
 *   "build.shape": { body: number, instead?: number } & ShapeOptions,
 *   "build.back": { body: number },
 *   "build.forward": { body: number },
 *   "build.pins": { body: number, vertices: number[], first: boolean },
 *   "files.shape": { name: string, replace?: number, instead?: number },
 *   "jobs.cancel": { job: number },
 * }} Requests
 */

/**
 * @typedef {object} BuildOptions
 * @property {string} [material]
 * @property {Record<string, number>} [constants]
 * @property {number} [poisson]
 * @property {string} [sheet]
 * @property {Plate} [plate] in numbers of one's own
 * @property {string} [basis]
 * @property {number} [modes]
 * @property {number} [rank]
 * @property {string} [forces]
 * @property {number} [cubature]
 */

/** @typedef {{ form?: string, tets?: number, hold?: string, up?: string, size?: number }} ShapeOptions how it is to be opened again; m */

/**
 * @typedef {object} BodyState one body in a frame
 * @property {boolean} atRest
 * @property {number} t s
 * @property {number} kinetic J
 * @property {number} elastic J
 * @property {Vec3} position
 * @property {Quat} turn
 * @property {Float32Array} q
 */

/**
 * @typedef {object} Frame
 * @property {boolean} paused
 * @property {boolean} atRest whether all bodies are
 * @property {boolean} slow slower than real time
 * @property {number} number
 * @property {number} stepMicroseconds
 * @property {number} speed
 * @property {number} steps
 * @property {number} late
 * @property {Map<string, any>} sections what was read, by family
 */

const HEAD = 24;
const SECTION_HEAD = 8;

/**
 * @param {ArrayBuffer} buffer @param {string[]} families as `welcome` lists them
 * @param {Map<string, (data: DataView) => unknown>} readers by family
 * @returns {Frame | null} null where it is no frame that we know
 */
export function readFrame(buffer, families, readers) {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEAD || view.getUint8(0) !== PROTOCOL) return null;
  const flags = view.getUint8(1);
  const sections = new Map();
  let at = HEAD;
  for (let left = view.getUint16(2, true); left > 0; left--) {
    if (at + SECTION_HEAD > buffer.byteLength) return null;
    const family = families[view.getUint16(at, true)];
    const bytes = view.getUint32(at + 4, true);
    at += SECTION_HEAD;
    if (at + bytes > buffer.byteLength) return null;
    const read = readers.get(family);
    if (read) sections.set(family, read(new DataView(buffer, at, bytes)));
    at += bytes;
  }
  return {
    paused: (flags & 1) !== 0,
    atRest: (flags & 2) !== 0,
    slow: (flags & 4) !== 0,
    number: view.getUint32(4, true),
    stepMicroseconds: view.getFloat32(8, true),
    speed: view.getFloat32(12, true),
    steps: view.getUint32(16, true),
    late: view.getUint32(20, true),
    sections,
  };
}

const BODY_HEAD = 52;

/** The section of `bodies`. @param {DataView} data @returns {Map<number, BodyState>} by their numbers */
export function readBodies(data) {
  const bodies = new Map();
  for (let at = 0; at + BODY_HEAD <= data.byteLength; ) {
    const r = data.getUint16(at + 4, true);
    const [x, y, z, a, b, c, d, ...q] = floats(data, at + 24, Math.min(7 + r, (data.byteLength - at - 24) >> 2));
    bodies.set(data.getUint32(at, true), {
      atRest: (data.getUint16(at + 6, true) & 1) !== 0,
      t: data.getFloat64(at + 8, true),
      kinetic: data.getFloat32(at + 16, true),
      elastic: data.getFloat32(at + 20, true),
      position: [x, y, z],
      turn: [a, b, c, d],
      q: Float32Array.from(q),
    });
    at += BODY_HEAD + 4 * r;
  }
  return bodies;
}

/** @param {DataView} data @param {number} at @param {number} count */
export const floats = (data, at, count) => Array.from({ length: count }, (_, k) => data.getFloat32(at + 4 * k, true));
