/**
 * `globalThis.studio`: the page for scripts, tests and the curious.
 *
 * | name | what |
 * |---|---|
 * | `ready` | true once the first picture of a body was drawn |
 * | `connected` | whether the socket is open |
 * | `body` | the last `body` event |
 * | `settings` | the last `settings` event |
 * | `frame` | the last frame; `frame.q` is a Float32Array |
 * | `job` | the running job or null |
 * | `renderer` | where U q is added: "gpu" or "cpu" |
 * | `position(vertex)` | [x, y, z] of a vertex of the shown surface, m |
 * | `project(vertex)` | [clientX, clientY, visible] |
 * | `hit(x, y)` | the vertex that a mouse at clientX, clientY would take, or null |
 * | `request(object)` | sends a request of docs/protocol.md; whether it was sent |
 * | `errors` | sentences of what went wrong, newest last |
 *
 * The mark `pliant-first-frame` (Performance API) is set at the first picture.
 */

/** @param {import("./studio.js").Studio} studio */
export function scripting(studio) {
  const { view } = studio;
  view.first = () => performance.mark("pliant-first-frame");
  addEventListener("error", (event) => studio.errors.push(event.message));
  addEventListener("unhandledrejection", (event) => studio.errors.push(String(event.reason)));
  const face = {
    get ready() { return view.ready; },
    get connected() { return studio.connection.state === "open"; },
    get body() { return studio.body; },
    get settings() { return studio.settings; },
    get frame() { return studio.frame; },
    get job() { return studio.job; },
    get renderer() { return view.renderer; },
    get errors() { return studio.errors; },
    position: (/** @type {number} */ vertex) => view.position(vertex),
    project: (/** @type {number} */ vertex) => view.project(vertex),
    hit: (/** @type {number} */ x, /** @type {number} */ y) => {
      const hit = view.pick(x, y);
      return hit && hit.body === studio.figure?.number ? hit.vertex : null;
    },
    request: (/** @type {import("./protocol.js").Request} */ request) => studio.request(request),
  };
  Object.defineProperty(globalThis, "studio", { value: face, configurable: true });
}
