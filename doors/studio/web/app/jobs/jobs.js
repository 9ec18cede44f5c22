/**
 * Work in progress: a bar that can be cancelled, and the shape that is worked on, with the places of what was found in its file.
 */

import { Body } from "../../body.js";
import { duration, need } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../protocol.js").Job} Job */
/** @typedef {import("../../protocol.js").Finding} Finding */

/** @type {Record<Finding["severity"], import("../../gl/lines.js").Colour>} */
const MARK = { note: [0.35, 0.42, 0.55, 1], warning: [0.95, 0.6, 0.05, 1], error: [0.87, 0.16, 0.12, 1] };

const CARDS = /* html */ `
<section id="job" class="card" aria-label="Work in progress" hidden>
  <div class="row"><strong id="job-title"></strong><button type="button" id="job-cancel" class="quiet">Cancel</button></div>
  <progress id="job-part" max="1" aria-label="Progress of this stage"></progress>
  <div class="row small"><span id="job-stage"></span><span id="job-left"></span></div>
</section>
`;

/** @type {import("../../app.js").App} */
export const jobs = { name: "jobs", cards: CARDS, style: "app/jobs/jobs.css", start };

/** @param {Studio} studio */
function start(studio) {
  const card = need("job", HTMLElement);
  const bar = need("job-part", HTMLProgressElement);
  /** @type {Finding[]} */ let marked = [];
  let previewOf = -1;
  /** What was told last of a file that is worked on; a page that joins hears of it before it hears of the job. @type {import("../../protocol.js").Findings | null} */ let told = null;
  const { view } = studio;

  need("job-cancel", HTMLButtonElement).addEventListener("click", () => studio.job && void studio.request("jobs.cancel", { job: studio.job.job }));

  studio.on("jobs.news", (job) => {
    card.hidden = job.state !== "running";
    need("job-title", HTMLElement).textContent = job.title;
    need("job-stage", HTMLElement).textContent = job.stage;
    need("job-left", HTMLElement).textContent = job.left === null ? duration(job.seconds) : `${duration(job.left)} left of this stage`;
    if (job.part === null) bar.removeAttribute("value");
    else bar.value = job.part;
    if (job.state === "running") return lookAt();
    told = null;
    studio.replacing.delete(job.job);
    if (job.state === "failed") studio.fail(job.message ?? `${job.title} failed.`);
    if (job.state === "cancelled") studio.voice.say(job.message ?? `${job.title} was cancelled; the body stays.`);
    if (job.state === "done" && job.message) studio.voice.say(job.message);
    if (job.state !== "done") endPreview(); // a new body is on its way, and takes the place of the preview itself
  });

  studio.on("files.findings", (findings) => {
    told = findings;
    lookAt();
  });

  /** On the page of whoever brought it, and where there is nothing else to see: others go on with what they see. */
  function lookAt() {
    const running = told && studio.jobs.get(told.job);
    if (!told || !running || (running.by !== studio.welcome?.client && studio.bodies.size > 0)) return;
    const { job, findings } = told;
    told = null;
    showPreview(job, findings).catch((error) => {
      if (studio.jobs.has(job)) studio.fail(error); // of a job that has ended nobody misses it
    });
  }
  studio.on("shown", ({ why }) => {
    if (why === "duplicated") return;
    marked = []; // the new body has taken the place of the preview
    previewOf = -1;
  });
  studio.on("state", (state) => {
    if (state === "lost") card.hidden = true;
  });

  /** @param {number} number @param {Finding[]} findings */
  async function showPreview(number, findings) {
    const preview = await Body.fetch(`family/jobs/${number}/preview`, 0);
    if (!studio.jobs.has(number)) return;
    previewOf = number;
    const replaced = studio.replacing.get(number);
    view.preview(preview, replaced === undefined ? studio.figure : (view.figures.get(replaced ?? -1) ?? null));
    marked = findings;
  }

  function endPreview() {
    marked = [];
    if (previewOf < 0) return;
    previewOf = -1;
    view.preview(null);
    view.lookAtAll();
  }

  view.before.push((lines) => {
    for (const { severity, places } of marked)
      for (const place of places) {
        const [r, g, b, a] = MARK[severity] ?? MARK.note;
        lines.dot(place, [r, g, b, 0.25], 22);
        lines.dot(place, [1, 1, 1, 1], 11);
        lines.dot(place, [r, g, b, a], 8);
      }
  });
}
