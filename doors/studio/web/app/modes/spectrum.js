/**
 * The spectrum: a stem for each natural frequency on one axis, the one that plays standing out.
 */

import { sharp, ink } from "../../plot.js";
import { three } from "../../dom.js";

/** @param {HTMLCanvasElement} canvas @param {HTMLElement} caption @param {Float32Array} frequencies Hz @param {number} chosen −1 for none */
export function drawSpectrum(canvas, caption, frequencies, chosen) {
  const plot = sharp(canvas);
  if (!plot) return;
  const { context, width, height } = plot;
  const elastic = [...frequencies].filter((f) => f > 1e-3);
  const rigid = frequencies.length - elastic.length;
  const highest = Math.max(...elastic, 1e-9) * 1.04;
  const base = height - 22, left = 12, right = width - 12;
  const x = (/** @type {number} */ f) => left + ((right - left) * f) / highest;
  context.strokeStyle = ink("--line");
  context.beginPath();
  context.moveTo(left, base);
  context.lineTo(right, base);
  context.stroke();
  frequencies.forEach((f, k) => {
    const mine = k === chosen;
    context.strokeStyle = context.fillStyle = ink(mine ? "--kinetic" : "--accent");
    context.globalAlpha = chosen < 0 || mine ? 1 : 0.4;
    context.lineWidth = mine ? 2.5 : 1.5;
    const top = mine ? 14 : 26;
    context.beginPath();
    context.moveTo(x(f), base);
    context.lineTo(x(f), top);
    context.stroke();
    context.beginPath();
    context.arc(x(f), top, mine ? 4 : 2.5, 0, 7);
    context.fill();
  });
  context.globalAlpha = 1;
  context.fillStyle = ink("--ink-soft");
  context.font = "11px system-ui, sans-serif";
  const step = niceStep(highest / 4);
  context.textAlign = "center";
  for (let f = 0; x(f) < right - 24; f += step) context.fillText(String(Number(f.toPrecision(6))), Math.max(left, x(f)), height - 7);
  context.textAlign = "right";
  context.fillText("Hz", right, height - 7);
  caption.textContent = elastic.length
    ? `${elastic.length} modes from ${three(elastic[0])} to ${three(elastic[elastic.length - 1])} Hz${rigid ? `, and ${rigid} rigid motions` : ""}.`
    : "No natural modes.";
  canvas.setAttribute("aria-label", `Spectrum. ${caption.textContent}`);
}

/** 1, 2 or 5 times a power of ten. @param {number} x */
function niceStep(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * ([1, 2, 5].find((m) => m * power >= x) ?? 10);
}
