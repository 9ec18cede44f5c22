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
    text.textContent = now === "open" ? (people > 1 ? `${people} pages on this body` : "live")
      : now === "lost" ? "The studio does not answer; trying again" : "connecting";
  }
  studio.on("state", show);
  studio.on("people", ({ clients }) => {
    people = clients;
    show();
  });
  studio.onChosen((_, body) => {
    document.title = `${body.name} · pliant studio`;
    need("name", HTMLElement).textContent = body.name;
    need("summary", HTMLElement).textContent = `${count(body.rank, "number")} move ${count(body.surface_vertices, "vertex", "vertices")}`;
  });
  show();
}
