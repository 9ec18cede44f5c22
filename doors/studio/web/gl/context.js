/**
 * WebGL2: getting a context, programs, textures; and whether a graphics card is behind it.
 *
 * A software renderer (SwiftShader, llvmpipe) draws well but adds U q slowly, since the shader runs on the same processor
 * without the vector units that JavaScript's engine uses. There the page adds U q itself, draws fewer samples and a
 * smaller shadow. `?renderer=gpu` and `?renderer=cpu` in the address choose by hand.
 */

/** @typedef {WebGL2RenderingContext} GL */
/** @typedef {"gpu" | "cpu"} Renderer where U q is added */
/** @typedef {{ gl: GL, renderer: Renderer, software: boolean, name: string }} Context */

/**
 * The canvas has its size already: a context that is resized waits until everything that was asked of it is done, and then
 * makes its buffers again.
 * @param {HTMLCanvasElement} canvas @returns {Context}
 */
export function openContext(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
  if (!gl) throw new Error("This browser offers no WebGL 2, which the studio draws with. A current Firefox, Chromium or Safari does.");
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  const software = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
  const floats = gl.getExtension("EXT_color_buffer_float") !== null;
  const wish = new URLSearchParams(location.search).get("renderer");
  const gpu = floats && (wish === "gpu" || (wish !== "cpu" && !software));
  return { gl, renderer: gpu ? "gpu" : "cpu", software, name };
}

/** A program, and its uniforms by name. Whether it compiled is asked at its first use, so that browsers compile several at once. */
export class Program {
  /** @type {Map<string, WebGLUniformLocation | null>} */ #places = new Map();
  /** @type {WebGLShader[]} */ #shaders = [];
  #checked = false;

  /** @param {GL} gl @param {string} vertex @param {string} fragment */
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, source] of /** @type {[number, string][]} */ ([[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]])) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error("The graphics context was lost.");
      gl.shaderSource(shader, PREAMBLE + source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
      this.#shaders.push(shader);
    }
    gl.linkProgram(this.program);
  }

  use() {
    if (!this.#checked) this.#check();
    this.gl.useProgram(this.program);
    return this;
  }

  #check() {
    const { gl } = this;
    this.#checked = true;
    if (gl.getProgramParameter(this.program, gl.LINK_STATUS) || gl.isContextLost()) return;
    const logs = [...this.#shaders.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(this.program)];
    throw new Error(`The graphics driver refuses a shader: ${logs.filter(Boolean).join(" ")}`);
  }

  /** @param {string} name */
  #at(name) {
    let place = this.#places.get(name);
    if (place === undefined) this.#places.set(name, (place = this.gl.getUniformLocation(this.program, name)));
    return place;
  }

  /** @param {string} name @param {number} value */
  int(name, value) { this.gl.uniform1i(this.#at(name), value); return this; }
  /** @param {string} name @param {number} value */
  float(name, value) { this.gl.uniform1f(this.#at(name), value); return this; }
  /** @param {string} name @param {number[]} value two, three or four numbers */
  vec(name, value) {
    if (value.length === 2) this.gl.uniform2fv(this.#at(name), value);
    else if (value.length === 3) this.gl.uniform3fv(this.#at(name), value);
    else this.gl.uniform4fv(this.#at(name), value);
    return this;
  }
  /** @param {string} name @param {Float32Array} value */
  matrix(name, value) { this.gl.uniformMatrix4fv(this.#at(name), false, value); return this; }
  /** @param {string} name @param {number} unit @param {WebGLTexture} texture @param {number} [target] */
  texture(name, unit, texture, target = this.gl.TEXTURE_2D) {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(target, texture);
    return this.int(name, unit);
  }
}

const PREAMBLE = `#version 300 es
precision highp float; precision highp int; precision highp sampler2D; precision highp usampler2D; precision highp sampler2DArray;
`;

/** Numbers of vertices are laid out in rows of this many texels; every WebGL2 takes textures at least this wide. */
export const ROW = 1024;

/** @param {number} count @returns {number} rows that `count` texels take */
export const rowsFor = (count) => Math.max(1, Math.ceil(count / ROW));

/**
 * A texture whose texels are fetched by number, not filtered.
 * @param {GL} gl @param {number} format sized, such as RGBA32F @param {number} width @param {number} height
 */
export function table(gl, format, width, height) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
  unfiltered(gl, gl.TEXTURE_2D);
  return texture;
}

/** @param {GL} gl @param {number} target */
export function unfiltered(gl, target) {
  gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  gl.texParameteri(target, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(target, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
}

/** A target that colours are drawn into. @param {GL} gl @param {WebGLTexture} texture */
export function frameOf(gl, texture) {
  const frame = gl.createFramebuffer();
  gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  return frame;
}

/** One triangle that covers the picture; draw three vertices without buffers. */
export const COVER = `void main() { gl_Position = vec4(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1., 1., 1.); }`;
