import { Body } from "./body.js";
import { Connection } from "./connection.js";
import { need } from "./dom.js";
import { listenToPointers } from "./pointers.js";
import { Pull } from "./pull.js";
import { View } from "./view.js";

const connection = new Connection(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
const view = new View(need("stage", HTMLCanvasElement));
const pull = new Pull(view, (request) => connection.send(request), need("labels", HTMLElement));
listenToPointers(view, () => ({
  begin: (pointer, hit) => pull.grab(pointer, hit),
  move: (pointer, event) => pull.drag(pointer, event.clientX, event.clientY),
  end: (pointer) => pull.release(pointer),
}));
connection.on("welcome", ({ client }) => (pull.client = client));
connection.on("body", async (event) => {
  const body = await Body.fetch(`/body/${event.body}/shape`, event.body);
  pull.forget();
  view.show(body, true);
});
connection.on("frame", (frame) => {
  if (frame.body !== view.body?.number) return;
  view.q = frame.q;
  pull.frame = frame;
  view.invalidate();
});
connection.open();
view.first = () => performance.mark("pliant-first-frame");
Object.assign(globalThis, { studio: { view, connection, get ready() { return view.ready; }, get renderer() { return view.scene.renderer; } , project: (/** @type {number} */ v) => view.project(v)} });
