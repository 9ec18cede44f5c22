/**
 * The edges of the triangles of a body, as a layer of the picture: thin lines over its skin.
 *
 * Edges are numbers of vertices, each once; where they are is fetched from the textures that the skin has made.
 */

import { Program, ROW } from "./context.js";
import { deformerOf } from "./deformers.js";
import { OVER } from "./layer.js";

/** @typedef {import("./context.js").GL} GL */
/** @typedef {import("../figure.js").Figure} Figure */

export class WireLayer {
  order = OVER - 0.5;
  /** @type {{ array: WebGLVertexArrayObject, buffer: WebGLBuffer, count: number } | null} made when first seen */ #edges = null;
  /** @type {Map<string, Program>} by deformer */ #programs = new Map();

  /** @param {GL} gl @param {Figure} figure @param {import("./deform.js").Deformation} deformation of its skin */
  constructor(gl, figure, deformation) {
    this.gl = gl;
    this.figure = figure;
    this.deformation = deformation;
  }

  /** @param {import("./layer.js").Pass} pass */
  draw({ view, look }) {
    const { gl, figure } = this;
    if (figure.hidden || !figure.isWired) return;
    const edges = (this.#edges ??= upload(gl, edgesOf(figure.shape.triangles)));
    const deformer = deformerOf(figure);
    let program = this.#programs.get(deformer.name);
    if (!program) this.#programs.set(deformer.name, (program = new Program(gl, FETCH + deformer.glsl + ENDS, INK)));
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    const dark = look.near[0] < 0.5;
    deformer.set(program.use(), figure).matrix("view", view).texture("positions", 0, this.deformation.positions)
      .vec("ink", dark ? [1, 1, 1, 0.4] : [0.06, 0.08, 0.16, 0.42]);
    gl.bindVertexArray(edges.array);
    gl.drawElements(gl.LINES, edges.count, gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(null);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  dispose() {
    for (const { program } of this.#programs.values()) this.gl.deleteProgram(program);
    if (!this.#edges) return;
    this.gl.deleteBuffer(this.#edges.buffer);
    this.gl.deleteVertexArray(this.#edges.array);
  }
}

/** @param {GL} gl @param {Uint32Array} edges */
function upload(gl, edges) {
  const array = gl.createVertexArray(), buffer = gl.createBuffer();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, edges, gl.STATIC_DRAW);
  gl.bindVertexArray(null);
  return { array, buffer, count: edges.length };
}

/** Each edge once, as two vertices. @param {Uint32Array} triangles */
export function edgesOf(triangles) {
  const sides = new Float64Array(triangles.length);
  for (let i = 0; i < triangles.length; i++) {
    const a = triangles[i], b = triangles[i % 3 === 2 ? i - 2 : i + 1];
    sides[i] = Math.min(a, b) * 2 ** 26 + Math.max(a, b); // below 2⁵³, so that it is exact
  }
  sides.sort();
  const edges = new Uint32Array(2 * sides.length);
  let count = 0;
  for (let i = 0; i < sides.length; i++) {
    if (i && sides[i] === sides[i - 1]) continue;
    edges[count++] = Math.floor(sides[i] / 2 ** 26);
    edges[count++] = sides[i] % 2 ** 26;
  }
  return edges.slice(0, count);
}

const FETCH = `
uniform sampler2D positions; uniform mat4 view;
ivec2 texel(int i) { return ivec2(i % ${ROW}, i / ${ROW}); }
`;

// A little nearer to the eye than the skin that they lie in.
const ENDS = `
void main() {
  gl_Position = view * vec4(placed(texelFetch(positions, texel(gl_VertexID), 0).xyz), 1.);
  gl_Position.z -= .0006 * gl_Position.w;
}`;

const INK = `uniform vec4 ink; out vec4 pixel; void main() { pixel = ink; }`;
