/**
 * Small plots on 2D canvases: sharp on any screen, in the colours of the theme.
 */

/** @param {HTMLCanvasElement} canvas @returns {{ context: CanvasRenderingContext2D, width: number, height: number } | null} cleared; null while hidden */
export function sharp(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const context = canvas.getContext("2d");
  if (!context || !width || !height) return null;
  const density = Math.min(3, devicePixelRatio || 1);
  const [w, h] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** A colour of theme.css. @param {string} name such as `--ink` */
export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
