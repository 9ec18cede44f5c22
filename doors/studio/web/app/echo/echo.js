/**
 * A family for tests: shows that an app is a folder and a line. It has a panel, reads a section, starts a job, fetches a file.
 */

import { need } from "../../dom.js";

const SHEET = /* html */ `
<label class="field"><span class="field-name">Say</span><input type="text" id="echo-text" value="hello"></label>
<div class="row start"><button type="button" id="echo-say">Say it</button><button type="button" id="echo-work">Work</button><button type="button" id="echo-fetch">Fetch</button></div>
<p id="echo-answer" role="status"></p>
<p>Said so far: <output id="echo-count">0</output></p>
`;

const ICON = '<path d="M5 9v6M9 6v12M13 8v8M17 10v4M20.500 11.500v1"/>';

/** @type {import("../../app.js").App} */
export const app = { name: "echo", title: "Echo", sheet: SHEET, icon: ICON, start };

/** @param {import("../../studio.js").Studio} studio */
function start(studio) {
  const answer = need("echo-answer", HTMLElement);
  const say = async () => {
    const said = await studio.request("echo.say", { text: need("echo-text", HTMLInputElement).value });
    if (said) answer.textContent = said.text;
  };
  const fetchHello = async () => (answer.textContent = await (await fetch("family/echo/hello.txt")).text());
  need("echo-say", HTMLButtonElement).addEventListener("click", say);
  need("echo-work", HTMLButtonElement).addEventListener("click", () => studio.request("echo.work", { seconds: 3 }));
  need("echo-fetch", HTMLButtonElement).addEventListener("click", fetchHello);
  studio.onSection("echo", (data) => data.getUint32(0, true));
  studio.on("frame", ({ sections }) => (need("echo-count", HTMLOutputElement).value = String(sections.get("echo") ?? 0)));
  return { keys: [{ keys: ["e"], shown: "E", title: "say it", does: say }] };
}
