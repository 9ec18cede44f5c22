/**
 * How a vertex gets from the body's own space onto the stage: a table, one line for each way.
 *
 * gl/deform.js has made x = X + U q in the body's own space; what draws asks here for the rest of the way, as two functions of a
 * shader (`placed` for points, `turned` for directions) and the numbers that they need. Programs are composed from them, so that
 * a new way is a line here and no branch anywhere.
 */

/** @typedef {import("./context.js").Program} Program */
/** @typedef {import("../figure.js").Figure} Figure */

/**
 * @typedef {object} Deformer
 * @property {string} name
 * @property {string} glsl
 * @property {(figure: Figure) => boolean} fits whether it does what this body needs; the first of the table that does is taken
 * @property {(program: Program, figure: Figure) => Program} set
 */

/** @type {Deformer[]} */
export const DEFORMERS = [
  {
    name: "U q",
    glsl: `vec3 turned(vec3 v) { return v; } vec3 placed(vec3 x) { return x; }`,
    fits: (figure) => figure.isAtOrigin,
    set: (program) => program,
  },
  {
    name: "rigid frame and U q",
    glsl: `uniform vec3 standsAt; uniform vec4 turn;
vec3 turned(vec3 v) { return v + 2. * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v); } vec3 placed(vec3 x) { return standsAt + turned(x); }`,
    fits: () => true,
    set: (program, { position, turn }) => program.vec("standsAt", position).vec("turn", turn),
  },
];

/** @param {Figure} figure @returns {Deformer} */
export const deformerOf = (figure) => DEFORMERS.find(({ fits }) => fits(figure)) ?? DEFORMERS[DEFORMERS.length - 1];
