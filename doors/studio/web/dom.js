/**
 * Getting at the page's elements, and small words for numbers.
 */

/**
 * The element with this id; a page without it is broken, and says so.
 * @template {Element} T
 * @param {string} id @param {new () => T} kind @returns {T}
 */
export function need(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} "${id}".`);
  return found;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name @param {Partial<HTMLElementTagNameMap[K]>} [properties] @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

/** Whether decorations should keep still. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const PREFIXES = ["p", "n", "µ", "m", "", "k", "M", "G", "T"];

/** Three digits and a prefix: 2.35e5 Pa is 235 kPa. @param {number} x @param {string} unit */
export function si(x, unit) {
  if (!Number.isFinite(x)) return `– ${unit}`;
  if (Math.abs(x) < 1e-12) return `0 ${unit}`;
  const step = Math.max(-4, Math.min(4, Math.floor(Math.log10(Math.abs(x)) / 3 + 1e-9)));
  const value = x / 1000 ** step;
  return `${three(value)} ${PREFIXES[step + 4]}${unit}`;
}

/** Three digits. @param {number} x */
export function three(x) {
  const size = Math.abs(x);
  if (size === 0) return "0";
  if (size > 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(1).replace("e+", "e");
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
}

/** @param {number} x @param {string} one @param {string} [many] */
export const count = (x, one, many = `${one}s`) => `${x.toLocaleString("en")} ${x === 1 ? one : many}`;

/** @param {string} text @returns {string} with a capital and a full stop */
export const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;

/** @param {number} seconds */
export const duration = (seconds) => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);
