/**
 * The last seconds: a bar to go back in them, to play them in a loop and to save them; and undo and redo.
 *
 * Time stands still while one looks back, so that the seconds that are looked at stay the last ones. What is shown is fetched once from the
 * server, which keeps it for saving, and played by the page.
 */

import { fetchTensors } from "../../body.js";
import { need } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../figure.js").Figure} Figure */
/** @typedef {{ times: Float32Array, q: Float32Array, rank: number }} Seconds of one body: s, and its coordinates at each time */

const BAR = /* html */ `
<button type="button" id="look-back" aria-pressed="false" aria-keyshortcuts="B" title="Look back (B)"><svg aria-hidden="true"><use href="#i-past"/></svg><span class="hidden">Look back at the last seconds</span></button>
<button type="button" id="undo" aria-keyshortcuts="Control+Z" title="Undo (Ctrl Z)" disabled><svg aria-hidden="true"><use href="#i-undo"/></svg><span class="hidden" id="undo-name">Undo</span></button>
<button type="button" id="redo" aria-keyshortcuts="Control+Y" title="Redo (Ctrl Y)" disabled><svg aria-hidden="true"><use href="#i-redo"/></svg><span class="hidden" id="redo-name">Redo</span></button>
`;

const OVER = /* html */ `
<div id="past" class="card" role="group" aria-label="The last seconds" hidden>
  <button type="button" id="past-loop" aria-pressed="false" title="Play in a loop"><svg aria-hidden="true"><use href="#i-loop"/></svg><span class="hidden">Play in a loop</span></button>
  <input type="range" id="past-at" min="0" max="1" step="any" value="1" aria-label="Time">
  <output id="past-text"></output>
  <button type="button" id="past-glb" class="quiet" title="Save these seconds of the chosen body as .glb, to play elsewhere"><span class="hidden">Save these seconds as </span>.glb</button>
  <button type="button" id="past-scenario" class="quiet" title="Save the forces of these seconds as .toml, of each body"><span class="hidden">Save the forces of these seconds as </span>.toml</button>
  <button type="button" id="past-live" class="quiet">Live</button>
</div>
`;

/** @type {import("../../app.js").App} */
export const past = { name: "past", bar: BAR, over: OVER, style: "app/past/past.css", start };

/** @param {Studio} studio */
function start(studio) {
  const { view } = studio;
  const card = need("past", HTMLElement);
  const button = need("look-back", HTMLButtonElement);
  const loop = need("past-loop", HTMLButtonElement);
  const at = need("past-at", HTMLInputElement);
  const text = need("past-text", HTMLOutputElement);
  /** Bodies that are shown as they were. @type {Map<Figure, Seconds>} */ const shown = new Map();
  /** The longest of them, s. */ let length = 0;
  /** Whether time goes on when one has looked enough. */ let goesOn = false;
  /** When the loop began, s of the clock; null where it stands. @type {number | null} */ let began = null;
  let isOpening = false;

  /** How long ago is looked at, s. @param {number} now s */
  function ago(now) {
    if (began !== null) at.value = String(((now - began) % (length + 0.3)) / length); // the end is seen for a moment
    return length * (1 - Math.min(1, Number(at.value)));
  }

  function tell() {
    const seconds = length * (1 - Number(at.value));
    text.textContent = seconds < 0.005 ? "now" : `−${seconds.toFixed(2)} s`;
    at.setAttribute("aria-valuetext", text.textContent.replace("−", "") + (seconds < 0.005 ? "" : " ago"));
  }

  async function open() {
    if (isOpening || !studio.bodies.size) return;
    isOpening = true;
    goesOn = !studio.isPaused;
    if (goesOn && !(await studio.request("time.pause", { paused: true }))) {
      isOpening = false;
      return;
    }
    try {
      for (const figure of Array.from(view.figures.values()).filter(({ number }) => studio.bodies.has(number))) {
        const seconds = await fetchSeconds(figure.number);
        if (seconds.times.length > 1) shown.set(figure, seconds);
      }
    } catch (error) {
      studio.fail(error);
    }
    isOpening = false;
    length = Math.max(0, ...Array.from(shown.values(), ({ times }) => times[times.length - 1]));
    if (!shown.size) {
      studio.voice.say("Nothing has moved yet: pull it first.");
      return close();
    }
    at.value = "1";
    card.hidden = false;
    document.body.toggleAttribute("data-past", true);
    button.setAttribute("aria-pressed", "true");
    for (const [figure, seconds] of shown) view.play(figure, { pose: (now) => poseOf(seconds, ago(now)), stopped: () => forget(figure) });
    tell();
    at.focus();
  }

  /** Another pose has taken over. @param {Figure} figure */
  function forget(figure) {
    if (shown.delete(figure) && !shown.size) close();
  }

  function close() {
    const all = Array.from(shown.keys());
    shown.clear();
    for (const figure of all) view.stop(figure);
    setLoop(false);
    card.hidden = true;
    document.body.toggleAttribute("data-past", false);
    button.setAttribute("aria-pressed", "false");
    if (goesOn) void studio.request("time.pause", { paused: false });
    goesOn = false;
  }

  /** @param {boolean} on */
  function setLoop(on) {
    const part = Number(at.value) >= 1 ? 0 : Number(at.value);
    began = on ? performance.now() / 1000 - part * length : null;
    loop.setAttribute("aria-pressed", String(on));
    view.invalidate();
  }

  const toggle = () => (shown.size ? close() : void open());
  button.addEventListener("click", toggle);
  need("past-live", HTMLButtonElement).addEventListener("click", close);
  // The server keeps what is looked at here, and saves all of it.
  for (const [id, file] of [["past-glb", "motion.glb"], ["past-scenario", "scenario.toml"]])
    need(id, HTMLButtonElement).addEventListener("click", () => void studio.saves.get(file)?.());
  loop.addEventListener("click", () => setLoop(began === null));
  at.addEventListener("input", () => {
    setLoop(false);
    tell();
  });
  view.before.push(() => began !== null && tell());
  // Whoever lets time go on looks at what is now.
  studio.on("time.now", ({ paused }) => {
    if (paused || !shown.size) return;
    goesOn = false;
    close();
  });
  studio.on("left", ({ body }) => Array.from(shown.keys()).forEach((figure) => figure.number === body && forget(figure)));

  return { keys: [...undoing(studio),
    { keys: ["b"], shown: "B", title: "look back at the last seconds", does: toggle },
    { keys: ["Escape"], shown: "", title: "", does: () => shown.size && close() },
  ] };
}

/** The buttons and keys of undo and redo. @param {Studio} studio @returns {import("../../keys.js").Key[]} */
function undoing({ undo }) {
  const back = need("undo", HTMLButtonElement), again = need("redo", HTMLButtonElement);
  undo.changed.push(() => {
    back.disabled = undo.next === null;
    again.disabled = undo.nextAgain === null;
    need("undo-name", HTMLElement).textContent = undo.next === null ? "Undo" : `Undo ${undo.next}`;
    need("redo-name", HTMLElement).textContent = undo.nextAgain === null ? "Redo" : `Redo ${undo.nextAgain}`;
    back.title = `${need("undo-name", HTMLElement).textContent} (Ctrl Z)`;
    again.title = `${need("redo-name", HTMLElement).textContent} (Ctrl Y)`;
  });
  back.addEventListener("click", () => undo.undo());
  again.addEventListener("click", () => undo.redo());
  return [
    { keys: ["z"], ctrl: true, shown: "Ctrl Z", title: "undo a setting, a rebuild, a stroke of pins, a move", does: ({ shiftKey }) => (shiftKey ? undo.redo() : undo.undo()) },
    { keys: ["y"], ctrl: true, shown: "Ctrl Y", title: "redo it", does: () => undo.redo() },
  ];
}

/** @param {number} body @returns {Promise<Seconds>} */
async function fetchSeconds(body) {
  const tensors = await fetchTensors(`family/time/${body}/past`);
  const times = /** @type {Float32Array} */ (tensors.get("times")?.data ?? new Float32Array(0));
  const q = /** @type {Float32Array} */ (tensors.get("q")?.data ?? new Float32Array(0));
  return { times, q, rank: times.length ? q.length / times.length : 0 };
}

/** Between the two times around it. @param {Seconds} seconds @param {number} ago s */
function poseOf({ times, q, rank }, ago) {
  const last = times.length - 1;
  const time = Math.max(0, times[last] - ago);
  let low = 0, high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const part = times[high] > times[low] ? Math.min(1, (time - times[low]) / (times[high] - times[low])) : 1;
  return Float32Array.from({ length: rank }, (_, k) => q[low * rank + k] * (1 - part) + q[high * rank + k] * part);
}
