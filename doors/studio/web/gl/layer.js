/**
 * What the picture is made of: a list of layers, each of which prepares itself, throws a shadow and draws, as far as it does.
 *
 * A layer knows nothing of the others. `order` says which come first: what is solid, then what one sees through, then what lies
 * over everything.
 */

/** @typedef {import("./context.js").Program} Program */
/** @typedef {import("../camera.js").Camera} Camera */
/** @typedef {import("../math.js").Mat4} Mat4 */
/** @typedef {import("./scene.js").Look} Look */
/** @typedef {import("./light.js").LightPrograms} LightPrograms */

/**
 * @typedef {object} Pass one picture, as a layer sees it
 * @property {Camera} camera
 * @property {Mat4} view
 * @property {[number, number]} picture pixels
 * @property {number} density device pixels for each pixel
 * @property {Look} look
 * @property {LightPrograms} programs
 * @property {(program: Program) => Program} light gives a program the room's light and the lamp's shadow
 */

/**
 * @typedef {object} Layer
 * @property {number} order of [`SOLID`], [`CLEAR`], [`OVER`]
 * @property {() => void} [prepare] before anything is drawn
 * @property {(lamp: Mat4, programs: LightPrograms) => void} [shadow] as the lamp sees it
 * @property {(pass: Pass) => void} [draw]
 * @property {() => void} [dispose]
 */

export const SOLID = 0;
export const CLEAR = 1;
export const OVER = 2;
