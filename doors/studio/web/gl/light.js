/**
 * How things look: a room with a bright ceiling, one large lamp, and a body of rubber.
 *
 * Colours are linear inside the shaders and sRGB outside. The lamp's shadow is softer the farther it falls (blockers are
 * searched first, then the width of the penumbra is chosen), since that is what makes a body stand on its ground; software
 * renderers take one width, and the ground in a third of the resolution. Rubber:
 * a diffuse coat that light creeps into (the terminator is wrapped and warmer), a broad highlight, a faint rim.
 */

import { Program, COVER, ROW } from "./context.js";
import { DEFORMERS } from "./deformers.js";
import { COLOURS } from "./field.js";

/** @typedef {import("./context.js").GL} GL */
/** @typedef {import("./deformers.js").Deformer} Deformer */
/** @typedef {"skin" | "glass" | "field" | "solid" | "shadow"} Coat what a body is drawn as */

/** Where the lamp is; length one. */
export const LAMP = /** @type {import("../math.js").Vec3} */ ([0.4703, 0.7641, 0.4415]);

/** The programs that light needs: two for the ground, and one for each coat and way to the stage that was asked for so far. */
export class LightPrograms {
  /** @type {Map<string, Program>} */ #made = new Map();

  /** @param {GL} gl @param {boolean} software fewer samples */
  constructor(gl, software) {
    this.gl = gl;
    this.taps = software ? `#define TAPS 5\n` : `#define TAPS 20\n#define SOFT\n`;
    this.ground = new Program(gl, COVER, (software ? `#define TAPS 16\n` : this.taps) + LIGHT + GROUND);
    this.copy = new Program(gl, COVER, COPY);
    // What every first picture needs, so that browsers compile it while the body is on its way.
    for (const coat of /** @type {const} */ (["skin", "shadow"])) this.of(coat, DEFORMERS[0]);
  }

  /** @param {Coat} coat @param {Deformer} deformer */
  of(coat, deformer) {
    const key = `${coat}: ${deformer.name}`;
    let program = this.#made.get(key);
    if (!program) {
      const { corners, pixels } = COATS[coat];
      this.#made.set(key, (program = new Program(this.gl, FETCH + deformer.glsl + corners, pixels(this.taps + LIGHT))));
    }
    return program;
  }
}

const COPY = `
uniform sampler2D image; uniform vec2 picture; out vec4 pixel;
void main() { pixel = texture(image, gl_FragCoord.xy / picture); }`;

const FETCH = `
uniform sampler2D positions, normals, pins; uniform mat4 view;
ivec2 texel(uint i) { return ivec2(int(i % ${ROW}u), int(i / ${ROW}u)); }
`;

const SURFACE_CORNERS = `
layout(location = 0) in uint name; layout(location = 1) in vec3 colour;
out vec3 world, normal, tint; out float pin;
void main() {
  world = placed(texelFetch(positions, texel(name), 0).xyz);
  normal = turned(texelFetch(normals, texel(name), 0).xyz);
  pin = texelFetch(pins, texel(name), 0).x;
  tint = colour;
  gl_Position = view * vec4(world, 1.);
}`;

/** The skin of a body that is coloured by a number at each vertex. */
const FIELD_CORNERS = `
layout(location = 0) in uint name;
uniform sampler2D field; uniform float high;
out vec3 world, normal, tint; out float pin, amount;
void main() {
  world = placed(texelFetch(positions, texel(name), 0).xyz);
  normal = turned(texelFetch(normals, texel(name), 0).xyz);
  pin = texelFetch(pins, texel(name), 0).x;
  amount = texelFetch(field, texel(name), 0).x / high;
  tint = vec3(1);
  gl_Position = view * vec4(world, 1.);
}`;

const SHADOW_CORNERS = `
layout(location = 0) in uint name;
void main() { gl_Position = view * vec4(placed(texelFetch(positions, texel(name), 0).xyz), 1.); }`;

const SOLID_CORNERS = `
layout(location = 0) in uint name; layout(location = 1) in uint kind;
out vec3 world, tint; out float special;
void main() {
  world = placed(texelFetch(positions, texel(name), 0).xyz);
  special = float(kind);
  tint = vec3(1);
  gl_Position = view * vec4(world, 1.);
}`;

/** What the stage and the bodies share: the room's light and the lamp's shadow. */
const LIGHT = `
uniform sampler2D shadows; uniform highp sampler2DShadow shade; uniform mat4 lamp; uniform vec3 toLamp, eye, sky, bounce; uniform float spread, floorY, size, shadowStrength;

vec3 linear(vec3 c) { return mix(c / 12.92, pow((c + .055) / 1.055, vec3(2.4)), step(.04045, c)); }
vec3 shown(vec3 c) {
  c = mix(c, .82 + .18 * tanh((c - .82) / .18), step(.82, c));
  return mix(c * 12.92, 1.055 * pow(max(c, 0.), vec3(1. / 2.4)) - .055, step(.0031308, c));
}
float noise(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(.06711056, .00583715)))); }
vec2 disc(int i, float turn) {
  float a = float(i) * 2.399963 + turn;
  return sqrt((float(i) + .5) / float(TAPS)) * vec2(cos(a), sin(a));
}
// How much of the lamp is seen from X; bias and least width are lengths in the lamp's box.
float lit(vec3 X, float bias, float least, float most) {
  vec3 p = (lamp * vec4(X, 1.)).xyz * .5 + .5;
  if (any(lessThan(p, vec3(0))) || any(greaterThan(p, vec3(1)))) return 1.;
#ifdef SOFT
  float turn = 6.2832 * noise(gl_FragCoord.xy);
#else
  float turn = 0.; // few samples: an even edge is calmer than grain
#endif
  float width = most, sum = 0.;
#ifdef SOFT
  float blocker = 0., found = 0.;
  for (int i = 0; i < TAPS; i++) {
    float d = texture(shadows, p.xy + disc(i, turn) * most).x;
    if (d < p.z - bias) { blocker += d; found += 1.; }
  }
  if (found == 0.) return 1.;
  width = clamp((p.z - blocker / found) * spread, least, most);
#endif
  for (int i = 0; i < TAPS; i++) sum += texture(shade, vec3(p.xy + disc(i, turn + 2.) * width, p.z - bias));
  return sum / float(TAPS);
}
vec3 room(vec3 n) { return mix(bounce, sky, smoothstep(-.9, .9, n.y)); }
vec3 rubber(vec3 albedo, vec3 X, vec3 n, float gloss) {
  vec3 v = normalize(eye - X), h = normalize(v + toLamp);
  float nl = dot(n, toLamp), nv = max(dot(n, v), 0.), nh = max(dot(n, h), 0.);
  float seen = mix(1., lit(X + n * size * .012, .004, .0035, .012), shadowStrength);
  vec3 wrap = vec3(.30, .22, .18);
  vec3 lampLight = max((nl + wrap) / (1. + wrap), 0.) * mix(seen, 1., .12);
  float height = clamp((X.y - floorY) / (.35 * size), 0., 1.);
  float open = mix(.5 + .5 * height, 1., smoothstep(-.6, .7, n.y));
  vec3 diffuse = albedo * (lampLight * vec3(1.02, .98, .91) + room(n) * open);
  float fresnel = .04 + .5 * pow(1. - nv, 5.);
  float broad = pow(nh, 26.) * .22 + pow(nh, 120.) * .28 * gloss;
  vec3 mirror = reflect(-v, n);
  vec3 sheen = room(mirror) * fresnel * open * .7;
  float strip = smoothstep(.55, .95, dot(mirror, normalize(vec3(-.7, .55, -.1)))) * .05 * gloss;
  return diffuse + (broad * seen + strip) * vec3(1., .97, .92) + sheen;
}
`;

/** What a skin is painted with: its own colours, or those of a number. */
const OWN = `
uniform vec3 colour; uniform float painted; in vec3 tint;
vec3 painting() { return mix(colour, tint, painted); }`;

const FIELD = `
${COLOURS}
in vec3 tint; in float amount;
vec3 painting() { return coloured(amount) * tint; }`;

/** The skin of a body as it is lit; `skin()` also gives how much it looks away, for glass. */
const SKIN = `
uniform vec3 pinColour; uniform float pinShown;
in vec3 world, normal; in float pin; out vec4 pixel;
vec4 skin() {
  vec3 n = normalize(normal);
  if (!gl_FrontFacing) n = -n;
  // Where the sum over the ring rounds off an edge that is sharp, the face itself has the word.
  vec3 flat_ = normalize(cross(dFdx(world), dFdy(world)));
  if (dot(flat_, eye - world) < 0.) flat_ = -flat_;
  n = normalize(mix(flat_, n, smoothstep(.72, .94, dot(flat_, n))));
  vec3 albedo = linear(painting());
  float edge = smoothstep(.35, .65, pin);
  albedo = mix(albedo, linear(pinColour), edge * pinShown);
  albedo = gl_FrontFacing ? albedo : albedo * .72;
  return vec4(shown(rubber(albedo, world, n, 1.)), 1. - abs(dot(n, normalize(eye - world))));
}`;

const OPAQUE = `void main() { pixel = vec4(skin().rgb, 1.); }`;

/** What is around an open body: seen at its rim. */
const GLASS = `void main() { vec4 c = skin(); pixel = vec4(c.rgb, .05 + .5 * pow(c.a, 3.)); }`;

const SOLID = `
uniform vec3 colour, pinColour;
in vec3 world, tint; in float special; out vec4 pixel;
void main() {
  vec3 n = normalize(cross(dFdx(world), dFdy(world)));
  if (dot(n, eye - world) < 0.) n = -n;
  vec3 albedo = linear(special > .5 ? pinColour : colour);
  pixel = vec4(shown(rubber(albedo, world, n, .3)), 1.);
}`;

const GROUND = `
uniform vec3 far, near, rayRight, rayUp, rayForward, middle; uniform vec2 picture, shift; out vec4 pixel;
void main() {
  vec2 p = gl_FragCoord.xy / picture * 2. - 1.;
  vec3 ray = normalize(rayForward + rayRight * (p.x - shift.x) + rayUp * (p.y - shift.y));
  vec3 c = mix(far, near, smoothstep(1.5, -.4, length((p - shift) * vec2(.8, 1.) + vec2(0., .25))));
  c = linear(c);
  float t = (floorY - eye.y) / ray.y;
  if (t > 0. && eye.y > floorY) {
    vec3 X = eye + t * ray;
    float away = length(X.xz - middle.xz) / size;
    float fade = exp(-away * away * .35) * smoothstep(.0, .25, -ray.y);
    vec3 floorColour = linear(near) * 1.06;
    c = mix(c, floorColour, fade * .8);
    if (away < 4.) {
#ifdef SOFT
      float sharp = 1. - lit(X, .003, .002, .05);
#else
      float sharp = 1. - lit(X, .003, .012, .012);
#endif
      float round = 1. - lit(X, .003, .16, .16);
      c *= 1. - shadowStrength * (.50 * sharp + .22 * round) * smoothstep(4., 1.2, away);
    }
  }
  pixel = vec4(shown(c) + (noise(gl_FragCoord.xy) - .5) / 255., 1.);
}`;

/** @type {Record<Coat, { corners: string, pixels: (light: string) => string }>} */
const COATS = {
  skin: { corners: SURFACE_CORNERS, pixels: (light) => light + OWN + SKIN + OPAQUE },
  glass: { corners: SURFACE_CORNERS, pixels: (light) => light + OWN + SKIN + GLASS },
  field: { corners: FIELD_CORNERS, pixels: (light) => light + FIELD + SKIN + OPAQUE },
  solid: { corners: SOLID_CORNERS, pixels: (light) => light + SOLID },
  shadow: { corners: SHADOW_CORNERS, pixels: () => `void main() {}` },
};
