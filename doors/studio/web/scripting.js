/**
 * `globalThis.studio`: the page for scripts, tests and the curious.
 *
 * | name | what |
 * |---|---|
 * | `ready` | true once the first picture of a body was drawn |
 * | `connected` | whether the socket is open |
 * | `bodies` | the `bodies.came` events of all bodies that are shown, with their places as they are now |
 * | `body` | that of the chosen one |
 * | `choose(body)` | chooses another |
 * | `settings` | how the chosen body feels, and `paused`, `speed`, `dt` of the stage |
 * | `frame` | the last frame with what it says of the chosen body; `frame.q` is a Float32Array, `frame.grabs` its hands |
 * | `job` | the running job or null |
 * | `renderer` | where U q is added: "gpu" or "cpu" |
 * | `position(vertex)` | [x, y, z] of a vertex of the chosen body's shown surface, m |
 * | `project(vertex)` | [clientX, clientY, visible] |
 * | `hit(x, y)` | the vertex of the chosen body that a mouse at clientX, clientY would take, or null |
 * | `handles` | by x, y, z and turn, [clientX, clientY] where a handle that moves the chosen body can be taken; empty unless Move is on |
 * | `request(object)` | sends a request of docs/protocol.md; whether it was sent |
 * | `errors` | sentences of what went wrong, newest last |
 *
 * The mark `pliant-first-frame` (Performance API) is set at the first picture of a body, `pliant-first-shape` at that of anything.
 */

/** @param {import("./studio.js").Studio} studio */
export function scripting(studio) {
  const { view } = studio;
  view.first = () => performance.mark("pliant-first-frame");
  view.firstOfAll = () => performance.mark("pliant-first-shape");
  addEventListener("error", (event) => studio.errors.push(event.message));
  addEventListener("unhandledrejection", (event) => studio.errors.push(String(event.reason)));
  const face = {
    get ready() { return view.ready; },
    get connected() { return studio.connection.state === "open"; },
    get body() { return studio.body; },
    get settings() { return studio.settings; },
    get bodies() { return studio.numbers.map((number) => studio.bodies.get(number)); },
    get frame() { return frameOf(studio); },
    get job() { return studio.job; },
    get renderer() { return view.renderer; },
    get errors() { return studio.errors; },
    get handles() { return studio.handles(); },
    position: (/** @type {number} */ vertex) => view.position(vertex),
    project: (/** @type {number} */ vertex) => view.project(vertex),
    hit: (/** @type {number} */ x, /** @type {number} */ y) => {
      const hit = view.pick(x, y);
      return hit && hit.body === studio.figure?.number ? hit.vertex : null;
    },
    choose: (/** @type {number} */ body) => studio.choose(body),
    request: (/** @type {object} */ request) => studio.connection.send(request),
  };
  Object.defineProperty(globalThis, "studio", { value: face, configurable: true });
}

/** @param {import("./studio.js").Studio} studio */
function frameOf({ frame, state, figure }) {
  if (!frame || !state || !figure) return null;
  const { sections, ...head } = frame;
  const grabs = (sections.get("hand") ?? []).filter((/** @type {{ body: number }} */ { body }) => body === figure.number);
  return { ...head, body: figure.number, ...state, grabs };
}
