/**
 * What can be measured while it moves: energies, the time of a step against the frame, coordinates against vertices.
 */

import { count, make, need, sentence, si, three } from "../../dom.js";
import { ink, sharp } from "../../plot.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../protocol.js").Frame} Frame */

const FRAME = 1e6 / 60; // µs
const WINDOW = 10; // s

const SHEET = /* html */ `
<h2>Energy</h2>
<figure><canvas id="energy" class="plot" role="img" aria-label="Kinetic and elastic energy over the last ten seconds"></canvas>
  <figcaption class="legend small"><span class="key kinetic">kinetic <output id="kinetic-value"></output></span><span class="key elastic">elastic <output id="elastic-value"></output></span></figcaption></figure>
<h2>Time for a frame</h2>
<div class="meter"><div class="meter-fill" id="step-fill"></div></div>
<p class="small" id="step-text"></p>
<h2>Coordinates against vertices</h2>
<div class="meter"><div class="meter-fill" id="ratio-fill"></div></div>
<p class="small" id="ratio-text"></p>
<h2>This body</h2>
<dl id="facts"></dl>
<ul id="notes" class="small"></ul>
`;

const ICON = '<path d="M4 4v16h16M8 15l3.500-5 3 3L19 7"/>';

/** @type {import("../../app.js").App} */
export const live = { name: "live", title: "Live", sheet: SHEET, icon: ICON, style: "app/live/live.css", start };

/** @param {Studio} studio */
function start(studio) {
  const canvas = need("energy", HTMLCanvasElement);
  /** @type {{ at: number, kinetic: number, elastic: number }[]} */ const past = [];
  let steps = { micros: 0, frames: 0, each: 0, speed: 0 };
  let busy = 0;

  studio.on("frame", (frame) => {
    const now = performance.now() / 1000;
    past.push({ at: now, kinetic: studio.state?.kinetic ?? 0, elastic: studio.state?.elastic ?? 0 });
    while (past.length && past[0].at < now - WINDOW - 1) past.shift();
    // A mean over about a second: single frames flicker.
    const used = frame.stepMicroseconds * frame.steps;
    const mix = steps.frames++ ? 0.04 : 1;
    steps.micros += (used - steps.micros) * mix;
    steps.each += (frame.stepMicroseconds - steps.each) * mix;
    steps.speed += (frame.speed - steps.speed) * mix;
  });

  function draw() {
    if (!studio.panel.isOpen("live")) return;
    requestAnimationFrame(draw);
    if (busy++ % 3) return; // twenty pictures a second are enough
    drawEnergy(canvas, past);
    const { frame, state } = studio;
    need("kinetic-value", HTMLOutputElement).textContent = si(state?.kinetic ?? 0, "J");
    need("elastic-value", HTMLOutputElement).textContent = si(state?.elastic ?? 0, "J");
    if (frame) drawTimes(frame);
  }
  studio.panel.onOpen("live", draw);

  /** @param {Frame} frame */
  function drawTimes(frame) {
    const part = steps.micros / FRAME;
    const fill = need("step-fill", HTMLElement);
    fill.style.width = `${Math.min(100, 100 * part)}%`;
    fill.toggleAttribute("data-over", part > 1);
    need("step-text", HTMLElement).textContent =
      `${three(steps.each)} µs a step, ${three(100 * part)} % of a frame of 16.7 ms. ` +
      `${frame.atRest ? "At rest" : `${three(steps.speed)}× real time${frame.slow ? ", slower than it should be" : ""}`}; ${count(frame.late, "step")} late.`;
  }

  function drawRatio() {
    const { body, settings } = studio;
    if (!body) return;
    const numbers = 3 * body.surface_vertices, used = settings?.coordinates ?? body.rank;
    need("ratio-fill", HTMLElement).style.width = `${(100 * used) / numbers}%`;
    const ours = 60 * (84 + 4 * used), theirs = 60 * 4 * numbers;
    need("ratio-text", HTMLElement).textContent =
      `${count(used, "coordinate")} move ${count(body.surface_vertices, "vertex", "vertices")}, one for ${count(Math.round(numbers / used), "number")}. ` +
      `This page is sent ${si(ours, "B/s")} instead of ${si(theirs, "B/s")}.`;
  }
  studio.on("settings", drawRatio);

  const mass = make("span");
  function drawMass() {
    mass.textContent = studio.mass >= 1 ? `${three(studio.mass)} kg` : si(studio.mass * 1000, "g");
  }
  studio.on("settings", drawMass);

  studio.on("chosen", (body) => {
    if (!body) return;
    past.length = 0;
    drawRatio();
    drawMass();
    steps = { micros: 0, frames: 0, each: 0, speed: 0 };
    /** @type {[string, string | HTMLElement][]} */
    const facts = [
      ["Longest side", si(body.length, "m")],
      ["Mass", mass],
      [body.kind === "tets" ? "Tetrahedra" : "Triangles", body.elements.toLocaleString("en")],
      ["Vertices", body.vertices.toLocaleString("en")],
      ["Pinned", body.free ? "nothing, it floats" : count(body.pinned, "vertex", "vertices")],
      ["Basis", studio.welcome?.menus.bases.find(({ name }) => name === body.basis)?.title ?? body.basis],
      ["Forces", `${studio.welcome?.menus.forces.find(({ name }) => name === body.forces)?.title ?? body.forces}${body.cubature_points ? `, ${count(body.cubature_points, "point")}` : ""}`],
      ...(body.static_error === null ? [] : [/** @type {[string, string]} */ (["Error under loads", `${three(100 * body.static_error)} %`])]),
      ...(body.frequency_error === null ? [] : [/** @type {[string, string]} */ (["Error of frequencies", `${three(100 * body.frequency_error)} %`])]),
      ...(body.pull_error === null ? [] : [/** @type {[string, string]} */ (["Error of a pull", `${three(100 * body.pull_error)} %`])]),
      ...(body.validation_error === null ? [] : [/** @type {[string, string]} */ (["Error on unseen poses", `${three(100 * body.validation_error)} %`])]),
      ["Model file", si(body.bytes, "B")],
      ["Drawn by", studio.view.renderer === "gpu" ? "the graphics card" : "the processor"],
    ];
    need("facts", HTMLElement).replaceChildren(...facts.flatMap(([name, value]) => [make("dt", { textContent: name }), make("dd", {}, value)]));
    need("notes", HTMLElement).replaceChildren(...(body.outlook ? [body.outlook] : []).map((note) => make("li", { textContent: sentence(note) })));
  });
}

/** Both energies over the last ten seconds, on a common scale. @param {HTMLCanvasElement} canvas @param {{ at: number, kinetic: number, elastic: number }[]} past */
function drawEnergy(canvas, past) {
  const plot = sharp(canvas);
  if (!plot) return;
  const { context, width, height } = plot;
  const now = performance.now() / 1000;
  const seen = past.filter(({ at }) => at > now - WINDOW);
  const last = past[past.length - 1];
  if (last) seen.push({ ...last, at: now });
  const highest = Math.max(1e-9, ...seen.map(({ kinetic, elastic }) => Math.max(kinetic, elastic))) * 1.15;
  const base = height - 8, room = base - 20;
  context.fillStyle = ink("--ink-soft");
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "left";
  context.fillText(si(highest / 1.15, "J"), 10, 15);
  context.textAlign = "right";
  context.fillText("10 s", width - 10, 15);
  for (const [key, colour] of /** @type {["kinetic" | "elastic", string][]} */ ([["elastic", "--elastic"], ["kinetic", "--kinetic"]])) {
    context.beginPath();
    seen.forEach((sample, i) => {
      const x = width * (1 - (now - sample.at) / WINDOW), y = base - (room * sample[key]) / highest;
      if (i) context.lineTo(x, y);
      else context.moveTo(x, y);
    });
    context.strokeStyle = ink(colour);
    context.lineWidth = 1.75;
    context.lineJoin = "round";
    context.stroke();
    if (!seen.length) continue;
    context.lineTo(width, base);
    context.lineTo(width * (1 - (now - seen[0].at) / WINDOW), base);
    context.globalAlpha = 0.1;
    context.fillStyle = ink(colour);
    context.fill();
    context.globalAlpha = 1;
  }
}
