/**
 * Work in progress: a bar that can be cancelled, and what was found about the file, with its places on the shape.
 */

import { Body } from "../body.js";
import { duration, make, need } from "../dom.js";

/** @typedef {import("../studio.js").Studio} Studio */
/** @typedef {import("../protocol.js").Job} Job */
/** @typedef {import("../protocol.js").Finding} Finding */

/** @type {Record<Finding["severity"], import("../gl/lines.js").Colour>} */
const MARK = { note: [0.35, 0.42, 0.55, 1], warning: [0.95, 0.6, 0.05, 1], error: [0.87, 0.16, 0.12, 1] };

/** @param {Studio} studio */
export function job(studio) {
  const card = need("job", HTMLElement);
  const bar = need("job-part", HTMLProgressElement);
  const list = need("findings", HTMLElement);
  /** @type {Finding[]} */ let marked = [];
  let previewOf = -1;

  need("job-cancel", HTMLButtonElement).addEventListener("click", () => studio.request({ do: "cancel" }));
  need("findings-close", HTMLButtonElement).addEventListener("click", () => (list.hidden = true));

  studio.connection.on("job", (job) => {
    card.hidden = job.state !== "running";
    need("job-title", HTMLElement).textContent = job.title;
    need("job-stage", HTMLElement).textContent = job.stage;
    need("job-left", HTMLElement).textContent = job.left === null ? duration(job.seconds) : `${duration(job.left)} left of this stage`;
    if (job.part === null) bar.removeAttribute("value");
    else bar.value = job.part;
    if (job.state === "running") return;
    if (job.state === "failed") studio.fail(job.message ?? `${job.title} failed.`);
    if (job.state === "cancelled") {
      list.hidden = true; // what was found is of no interest any more
      studio.voice.say(job.message ?? `${job.title} was cancelled; the body stays.`);
    }
    if (job.state === "done" && job.message) studio.voice.say(job.message);
    if (job.state !== "done") endPreview(); // a new body is on its way, and takes the place of the preview itself
  });

  studio.connection.on("findings", ({ job, name, findings }) => {
    need("findings-title", HTMLElement).textContent = findings.length ? `About ${name}` : `${name}: nothing wrong with it`;
    need("findings-list", HTMLElement).replaceChildren(...findings.map(({ severity, sentence }) => {
      const item = make("li", {}, make("span", {}, make("span", { className: "hidden", textContent: `${severity}: ` }), sentence));
      item.dataset.severity = severity;
      return item;
    }));
    list.hidden = !findings.length;
    if (studio.job?.job === job) {
      showPreview(job, findings).catch((error) => {
        if (studio.job?.job === job) studio.fail(error); // of a job that has ended nobody misses it
      });
    }
  });
  studio.onShown(() => endPreview());
  studio.connection.on("state", (state) => {
    if (state === "lost") card.hidden = true;
  });

  /** @param {number} number @param {Finding[]} findings */
  async function showPreview(number, findings) {
    const preview = await Body.fetch(`preview/${number}`, 0);
    if (studio.job?.job !== number) return;
    previewOf = number;
    studio.showPreview(preview);
    marked = findings;
    studio.view.invalidate();
  }

  function endPreview() {
    marked = [];
    if (previewOf < 0) return;
    previewOf = -1;
    studio.showPreview(null);
  }

  studio.view.before.push((lines) => {
    for (const { severity, places } of marked)
      for (const place of places) {
        const [r, g, b, a] = MARK[severity] ?? MARK.note;
        lines.dot(place, [r, g, b, 0.25], 22);
        lines.dot(place, [1, 1, 1, 1], 11);
        lines.dot(place, [r, g, b, a], 8);
      }
  });
}
