/**
 * Files in and out: drop, choose, our shapes; model, motion, picture, scenario.
 *
 * Saves are fetched and not followed as links, so that a refusal is a sentence on this page instead of a page of its own.
 */

import { sentenceOf } from "../../body.js";
import { make, need } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */

const SHEET = /* html */ `
<h2>Open</h2>
<p class="small">Drop a surface, a solid or a <code>.pliant</code> model anywhere on this page, with the files that it names.</p>
<div class="row start"><button type="button" id="open" class="strong">Choose files…</button><input type="file" id="open-files" multiple class="hidden" tabindex="-1" aria-label="Files to open"></div>
<div class="field"><label for="shape" class="field-name">Our shapes</label><select id="shape"></select></div>
<h2>Save</h2>
<ul class="saves">
  <li><a href="save/model.pliant" download="model.pliant">Model</a><span class="small">.pliant, as it feels now</span></li>
  <li><a href="save/motion.glb" download="motion.glb">Motion</a><span class="small">.glb, the last seconds, to play elsewhere</span></li>
  <li><button type="button" id="save-png" class="link">Picture</button><span class="small">.png, as it is seen now</span></li>
  <li><a href="save/scenario.toml" id="save-scenario" download="scenario.toml">Scenario</a><span class="small">.toml, the forces of the last seconds</span></li>
</ul>
`;

const OVER = /* html */ `<div id="drop" hidden><p>Drop it here</p></div>`;

/** @type {import("../../apps.js").App} */
export const files = { name: "files", title: "Files", sheet: SHEET, over: OVER, style: "app/files/files.css", start };

/** @param {Studio} studio */
function start(studio) {
  const chooser = need("open-files", HTMLInputElement);
  const overlay = need("drop", HTMLElement);
  const shape = need("shape", HTMLSelectElement);

  /** @param {File[]} list */
  async function send(list) {
    if (!list.length) return;
    const form = new FormData();
    for (const file of list) form.append("file", file, file.name);
    studio.voice.say(`Opening ${list.length === 1 ? list[0].name : `${list.length} files`} …`);
    try {
      const response = await fetch(studio.welcome ? `drop?client=${studio.welcome.client}` : "drop", { method: "POST", body: form });
      if (!response.ok) throw new Error(await sentenceOf(response));
    } catch (error) {
      studio.fail(error);
    }
  }

  /** @param {string} path @param {string} name @returns {Promise<Blob | null>} what was saved */
  async function save(path, name) {
    try {
      const response = await fetch(path);
      if (!response.ok) throw new Error(await sentenceOf(response));
      const blob = await response.blob();
      download(blob, name);
      return blob;
    } catch (error) {
      studio.fail(error);
      return null;
    }
  }

  /** With the state that it begins in, which it names by its file name; one that begins at rest names none. */
  async function saveScenario() {
    const text = await (await save("save/scenario.toml", "scenario.toml"))?.text();
    if (text && /^initial\s*=/m.test(text)) await save("save/state.npz", "state.npz");
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
    if (blob) download(blob, `${stem(studio)}.png`);
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
    void send(Array.from(event.dataTransfer?.files ?? []));
  });

  studio.on("welcome", ({ menus }) => {
    shape.replaceChildren(make("option", { value: "", textContent: "choose …" }),
      ...menus.shapes.map(({ name, title }) => make("option", { value: name, textContent: title })));
  });
  shape.addEventListener("change", () => {
    if (shape.value) studio.request({ do: "shape", name: shape.value });
    shape.value = "";
  });

  for (const link of Array.from(document.querySelectorAll(".saves a")))
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const path = link.getAttribute("href") ?? "";
      const kind = path.split("/").pop() ?? "";
      if (kind === "scenario.toml") void saveScenario();
      else void save(path, `${stem(studio)}.${kind.split(".").pop()}`);
    });
  need("save-png", HTMLButtonElement).addEventListener("click", () => void savePicture());

  return {
    keys: [
      { keys: ["o"], shown: "O", title: "open files", does: () => chooser.click() },
      { keys: ["i"], shown: "I", title: "save a picture", does: () => void savePicture() },
    ],
  };
}

/** The body's name as a file name. @param {Studio} studio */
const stem = (studio) => (studio.body?.name ?? "body").replace(/\.[^.]*$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "-") || "body";

/** @param {Blob} blob @param {string} name */
function download(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
