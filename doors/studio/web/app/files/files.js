/**
 * Files in and out: drop, choose, our shapes; model, motion, picture, scenario.
 *
 * What is opened takes the place of the chosen body, unless it is to stand beside it.
 * Saves are fetched and not followed as links, so that a refusal is a sentence on this page instead of a page of its own.
 */

import { sentenceOf } from "../../body.js";
import { make, need } from "../../dom.js";
import { shapes } from "./shapes.js";

/** @typedef {import("../../studio.js").Studio} Studio */

const SHEET = /* html */ `
<h2>Open</h2>
<p class="small">Drop a surface, a solid or a <code>.pliant</code> model anywhere on this page, with the files that it names.</p>
<div class="row start"><button type="button" id="open" class="strong">Choose files…</button><input type="file" id="open-files" multiple class="hidden" tabindex="-1" aria-label="Files to open"></div>
<label class="check"><input type="checkbox" id="beside"> <span id="beside-text">Beside the others</span></label>
<h2 id="shape-title">Our shapes</h2>
<ul id="shape" aria-labelledby="shape-title"></ul>
<h2>Save</h2>
<ul class="saves">
  <li><a href="family/files/0/model.pliant" download="model.pliant">Model</a><span class="small">.pliant, as it feels now</span></li>
  <li><a href="family/files/0/motion.glb" download="motion.glb">Motion</a><span class="small">.glb, the last seconds, to play elsewhere</span></li>
  <li><button type="button" id="save-png" class="link">Picture</button><span class="small">.png, as it is seen now</span></li>
  <li><a href="family/files/0/scenario.toml" id="save-scenario" download="scenario.toml">Scenario</a><span class="small">.toml, the forces of the last seconds, of each body</span></li>
</ul>
`;

const OVER = /* html */ `
<div id="drop" hidden><div><p>Drop it here</p><p class="small">with Shift it stands beside what is there</p></div></div>
<dialog id="instead" class="question" aria-labelledby="instead-text">
  <p id="instead-text"></p>
  <div class="row"><button type="button" id="instead-no" class="quiet">Go on with that</button><button type="button" id="instead-yes" class="strong">Stop it and open this</button></div>
</dialog>
`;

const ICON = '<path d="M3.500 6.500a1.500 1.500 0 0 1 1.500-1.500h4.500l2 2.500H19a1.500 1.500 0 0 1 1.500 1.500v8.500A1.500 1.500 0 0 1 19 19H5a1.500 1.500 0 0 1-1.500-1.500z"/>';

/** @type {import("../../app.js").App} */
export const files = { name: "files", title: "Files", sheet: SHEET, icon: ICON, over: OVER, style: "app/files/files.css", start };

/** @param {Studio} studio */
function start(studio) {
  const chooser = need("open-files", HTMLInputElement);
  const overlay = need("drop", HTMLElement);
  const beside = need("beside", HTMLInputElement);
  const question = need("instead", HTMLDialogElement);
  /** Answers the question. @type {(yes: boolean) => void} */ let decide = () => {};
  /** The body whose place a new one takes; undefined where it is to stand beside. @param {boolean} aside */
  const replaced = (aside) => (aside || beside.checked ? undefined : studio.body?.body);

  /**
   * Nothing is lost while something else is being made: the person says which of the two goes on.
   * @param {string} name of what is new @returns {Promise<{ instead?: number } | null>} null where it is not to be opened
   */
  async function turn(name) {
    const { job } = studio;
    if (!job) return {};
    need("instead-text", HTMLElement).textContent = `The studio is still at work: ${job.title}. Stop that, and open ${name}?`;
    if (question.open) return null; // of two drops at once the first has the word
    question.showModal();
    const yes = await new Promise((/** @type {(yes: boolean) => void} */ decided) => (decide = decided));
    question.close();
    return yes ? { instead: job.job } : null;
  }

  need("instead-no", HTMLButtonElement).addEventListener("click", () => decide(false));
  need("instead-yes", HTMLButtonElement).addEventListener("click", () => decide(true));
  question.addEventListener("cancel", (event) => {
    event.preventDefault();
    decide(false);
  });

  /** @param {File[]} list @param {boolean} [aside] beside the other bodies, whatever the box says */
  async function send(list, aside = false) {
    if (!list.length) return;
    const name = list.length === 1 ? list[0].name : `${list.length} files`;
    const form = new FormData();
    for (const file of list) form.append("file", file, file.name);
    try {
      for (;;) {
        const ours = await turn(name);
        if (!ours) return;
        studio.voice.say(`Opening ${name} …`);
        const replace = replaced(aside);
        const query = Object.entries({ client: studio.welcome?.client, replace, ...ours }).filter(([, value]) => value !== undefined);
        const response = await fetch(`family/files/drop?${new URLSearchParams(query.map(([key, value]) => [key, String(value)]))}`, { method: "POST", body: form });
        if (response.status === 409 && studio.job) continue; // somebody else was faster: ask
        if (!response.ok) throw new Error(await sentenceOf(response));
        studio.replacing.set((await response.json()).job, replace ?? null);
        return;
      }
    } catch (error) {
      studio.fail(error);
    }
  }

  /** @param {string} name */
  async function openShape(name) {
    const title = studio.welcome?.menus.shapes.find((item) => item.name === name)?.title ?? name;
    const ours = await turn(title);
    if (!ours) return;
    const replace = replaced(false);
    const answer = await studio.request("files.shape", { name, ...(replace === undefined ? {} : { replace }), ...ours });
    if (answer) studio.replacing.set(answer.job, replace ?? null);
  }

  /** @param {string} path @returns {Promise<Blob | null>} null where it is refused, which is said */
  async function load(path) {
    try {
      const response = await fetch(path);
      if (!response.ok) throw new Error(await sentenceOf(response));
      return await response.blob();
    } catch (error) {
      studio.fail(error);
      return null;
    }
  }

  /** @param {string} path @param {string} name */
  async function save(path, name) {
    const blob = await load(path);
    if (blob) download(blob, name);
  }

  /** A file of the chosen body. @param {string} file */
  const path = (file) => `family/files/${studio.body?.body ?? 0}/${file}`;

  /** With the state that it begins in, which it names by its file name; one that begins at rest names none. @param {number} body @param {string} scenario @param {string} state */
  async function saveScenario(body, scenario, state) {
    const text = await (await load(`family/files/${body}/scenario.toml`))?.text();
    if (text === undefined) return;
    download(new Blob([text.replace(/^initial\s*=.*$/m, `initial = "${state}"`)], { type: "application/toml" }), scenario);
    if (/^initial\s*=/m.test(text)) await save(`family/files/${body}/state.npz`, state);
  }

  /** Of several bodies one each, by their names: they do not touch, so that each repeats its own. */
  async function saveScenarios() {
    const { numbers } = studio;
    if (numbers.length < 2) return saveScenario(studio.body?.body ?? 0, "scenario.toml", "state.npz");
    const taken = new Set();
    for (const body of numbers) {
      let name = stem(studio.bodies.get(body));
      for (let k = 2; taken.has(name); k++) name = `${stem(studio.bodies.get(body))}-${k}`;
      taken.add(name);
      await saveScenario(body, `${name}.toml`, `${name}.npz`);
    }
  }

  async function savePicture() {
    const { view } = studio;
    const { inset } = view.camera;
    view.camera.inset = { left: 0, right: 0, top: 0, bottom: 0 }; // no panel is in the picture: the body takes its middle
    view.scene.sharpness = 1;
    view.drawNow();
    const picture = new Promise((/** @type {(blob: Blob | null) => void} */ done) => view.canvas.toBlob(done, "image/png"));
    view.camera.inset = inset;
    view.drawNow();
    const blob = await picture;
    if (blob) download(blob, `${stem(studio.body)}.png`);
  }

  need("open", HTMLButtonElement).addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", () => {
    void send(Array.from(chooser.files ?? []));
    chooser.value = ""; // the same file may be chosen again
  });

  let depth = 0; // dragenter and dragleave come for every element that is crossed
  addEventListener("dragenter", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    depth++;
    overlay.hidden = false;
  });
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    overlay.hidden = depth === 0;
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    overlay.hidden = true;
    void send(Array.from(event.dataTransfer?.files ?? []), event.shiftKey);
  });

  shapes(studio, need("shape", HTMLElement), (name) => void openShape(name));

  /** A file of the chosen body, by its own name. @param {string} file */
  const saveNamed = (file) => save(path(file), `${stem(studio.body)}.${file.split(".").pop()}`);
  studio.saves.set("motion.glb", () => saveNamed("motion.glb"));
  studio.saves.set("scenario.toml", saveScenarios);

  const links = Array.from(document.querySelectorAll(".saves a")).filter((link) => link instanceof HTMLAnchorElement);
  for (const link of links)
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const kind = link.href.split("/").pop() ?? "";
      void (studio.saves.get(kind)?.() ?? saveNamed(kind));
    });
  studio.on("chosen", (body) => {
    for (const link of links) link.setAttribute("href", path(link.href.split("/").pop() ?? ""));
    need("beside-text", HTMLElement).textContent = body ? `Beside ${studio.titleOf(body)}, not in its place` : "Beside the others";
  });
  need("save-png", HTMLButtonElement).addEventListener("click", () => void savePicture());

  return {
    keys: [
      { keys: ["o"], shown: "O", title: "open files", does: () => chooser.click() },
      { keys: ["i"], shown: "I", title: "save a picture", does: () => void savePicture() },
    ],
  };
}

/** The body's name as a file name. @param {import("../../protocol.js").BodyEvent | null | undefined} body */
const stem = (body) => (body?.name ?? "body").replace(/\.[^.]*$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "-") || "body";

/** @param {Blob} blob @param {string} name */
function download(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
