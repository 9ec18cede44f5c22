/**
 * The line at the top: what the body is, and whether the server is there.
 */

import { count, need } from "./dom.js";

/** @param {import("./studio.js").Studio} studio */
export function status(studio) {
  const state = need("state", HTMLElement);
  const text = need("state-text", HTMLElement);
  let people = 1;

  function show() {
    const { state: now } = studio.connection;
    state.dataset.state = now;
    text.textContent = now === "open" ? (people > 1 ? `live, on ${people} pages` : "live")
      : now === "lost" ? "The studio does not answer; trying again"
      : now === "outdated" ? "another version; reload this page" : "connecting";
  }
  studio.on("state", show);
  studio.on("people", ({ clients }) => {
    people = clients;
    show();
  });
  const about = () => {
    const { body } = studio;
    const several = studio.bodies.size > 1 ? `, one of ${studio.bodies.size} bodies` : "";
    if (!body) {
      need("name", HTMLElement).textContent = studio.job?.title ?? "An empty stage";
      need("summary", HTMLElement).textContent = studio.job ? "is being made" : "drop a file here, or take one of our shapes";
      return;
    }
    const title = studio.titleOf(body);
    document.title = `${title} · pliant studio`;
    need("name", HTMLElement).textContent = title;
    need("summary", HTMLElement).textContent = `${count(body.elements, body.kind === "tets" ? "tet" : "triangle")}, ${count(body.rank, "coordinate")}${several}`;
  };
  for (const event of /** @type {const} */ (["chosen", "shown", "left"])) studio.on(event, about);
  studio.on("jobs.news", () => !studio.body && about());
  show();
}
