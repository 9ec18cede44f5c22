/**
 * The words that page and server exchange: types of every message, and how a frame is read.
 *
 * The contract is docs/protocol.md, version 1; what is written there is not repeated here. Unknown keys and events are
 * ignored, as the contract asks of a client.
 */

export const SUBPROTOCOL = "pliant.1";

/** @typedef {import("./math.js").Vec3} Vec3 */

/** @typedef {{ mass: number, stiffness: number }} Damping Rayleigh's α (1/s) and β (s) */

/**
 * @typedef {object} Settings
 * @property {number} stiffness Young's modulus, Pa; for surfaces a factor
 * @property {number} density kg/m³
 * @property {Damping} damping
 * @property {Vec3} gravity m/s²
 * @property {string} integrator
 * @property {number} coordinates how many of the r are used
 * @property {number} speed body seconds for each second of the clock
 * @property {boolean} paused
 * @property {number} dt s
 * @property {{ stiffness: number, density: number }} built what the body was built with
 */

/** @typedef {{ name: string, title: string, about?: string }} MenuItem */
/** @typedef {{ name: string, title: string, young: number, density: number, thickness: number }} Sheet */
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
 */

/** @typedef {{ protocol: number, version: string, client: number, menus: Menus, limits: Record<string, number> }} Welcome */

/**
 * @typedef {object} BodyEvent
 * @property {number} body
 * @property {"opened" | "dropped" | "rebuilt"} why
 * @property {number | null} by
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
 * @property {string} material
 * @property {Record<string, number>} constants those that the material has of its own
 * @property {number | null} poisson
 * @property {string | null} sheet what a surface is cut from, of the menu or empty
 * @property {number} pinned
 * @property {boolean} free whether nothing holds it
 * @property {number} length longest side, m
 * @property {number} mass kg
 * @property {number} bytes
 * @property {string[]} notes
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

/** @typedef {{ what: string, severity: "note" | "warning" | "error", sentence: string, places: Vec3[] }} Finding */
/** @typedef {{ job: number, name: string, findings: Finding[] }} Findings */
/** @typedef {{ clients: number }} People */
/** @typedef {{ do: string, sentence: string }} Refused */
/** @typedef {{ sentence: string }} Stumbled */

/**
 * @typedef {object} Events what the server says, by the name of the event
 * @property {Welcome} welcome
 * @property {BodyEvent} body
 * @property {Settings} settings
 * @property {Job} job
 * @property {Findings} findings
 * @property {People} people
 * @property {Refused} refused
 * @property {Stumbled} stumbled
 */

/**
 * @typedef {{ do: "grab", id: number, body: number, vertex: number, target: Vec3 }
 *   | { do: "drag", id: number, target: Vec3 }
 *   | { do: "release", id: number }
 *   | { do: "reset" } | { do: "step" } | { do: "cancel" }
 *   | { do: "pause", paused: boolean }
 *   | ({ do: "set" } & Partial<Omit<Settings, "paused" | "dt" | "built">>)
 *   | ({ do: "build" } & BuildOptions)
 *   | { do: "shape", name: string }} Request
 */

/**
 * @typedef {object} BuildOptions
 * @property {string} [material]
 * @property {Record<string, number>} [constants]
 * @property {number} [poisson]
 * @property {string} [sheet]
 * @property {string} [basis]
 * @property {number} [modes]
 * @property {number} [rank]
 * @property {string} [forces]
 * @property {number} [cubature]
 * @property {{ body: number, vertices: number[] }} [pins]
 */

/** @typedef {{ client: number, id: number, vertex: number, target: Vec3, force: Vec3 }} Grab force on the body, N */

/**
 * @typedef {object} Frame
 * @property {boolean} paused
 * @property {boolean} atRest
 * @property {boolean} slow slower than real time
 * @property {number} body
 * @property {number} number
 * @property {number} t s
 * @property {number} kinetic J
 * @property {number} elastic J
 * @property {number} stepMicroseconds
 * @property {number} speed
 * @property {number} steps
 * @property {number} late
 * @property {Float32Array} q
 * @property {Grab[]} grabs
 */

const HEAD = 48;
const GRAB = 36;

/** @param {ArrayBuffer} buffer @returns {Frame | null} null where it is no frame that we know */
export function readFrame(buffer) {
  const view = new DataView(buffer);
  if (buffer.byteLength < HEAD || view.getUint8(0) !== 1) return null;
  const flags = view.getUint8(1);
  const r = view.getUint16(2, true);
  const count = view.getUint16(12, true);
  if (buffer.byteLength < HEAD + 4 * r + GRAB * count) return null;
  const f32 = (/** @type {number} */ at) => view.getFloat32(at, true);
  /** @type {(at: number) => Vec3} */
  const vec3 = (at) => [f32(at), f32(at + 4), f32(at + 8)];
  const grabs = Array.from({ length: count }, (_, i) => {
    const at = HEAD + 4 * r + GRAB * i;
    return {
      client: view.getUint32(at, true),
      id: view.getUint32(at + 4, true),
      vertex: view.getUint32(at + 8, true),
      target: vec3(at + 12),
      force: vec3(at + 24),
    };
  });
  return {
    paused: (flags & 1) !== 0,
    atRest: (flags & 2) !== 0,
    slow: (flags & 4) !== 0,
    body: view.getUint32(4, true),
    number: view.getUint32(8, true),
    t: view.getFloat64(16, true),
    kinetic: f32(24),
    elastic: f32(28),
    stepMicroseconds: f32(32),
    speed: f32(36),
    steps: view.getUint32(40, true),
    late: view.getUint32(44, true),
    q: Float32Array.from({ length: r }, (_, k) => f32(HEAD + 4 * k)),
    grabs,
  };
}
