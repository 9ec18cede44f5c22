/**
 * Wiring: makes every part of the page, tells each of the others that it needs, opens the connection. No logic.
 */

import { need } from "./dom.js";
import { help } from "./help.js";
import { hint } from "./hint.js";
import { inside } from "./inside.js";
import { listenToKeys } from "./keys.js";
import { notices } from "./notices.js";
import { nudge } from "./nudge.js";
import { build } from "./panels/build.js";
import { feel } from "./panels/feel.js";
import { files } from "./panels/files.js";
import { job } from "./panels/job.js";
import { live } from "./panels/live.js";
import { modes } from "./panels/modes.js";
import { tabs } from "./panels/tabs.js";
import { pins } from "./pin.js";
import { listenToPointers } from "./pointers.js";
import { scripting } from "./scripting.js";
import { status } from "./status.js";
import { Studio } from "./studio.js";
import { Theme } from "./theme.js";
import { transport } from "./transport.js";

const voice = notices(need("messages", HTMLElement));
try {
  start();
} catch (error) {
  voice.say(error instanceof Error ? error.message : String(error), "error");
  throw error;
}

function start() {
  const studio = new Studio(voice);
  const { view, pull } = studio;
  scripting(studio);
  const theme = new Theme();
  theme.on((look) => {
    view.scene.look = look;
    view.invalidate();
  });
  const panel = tabs(view);
  status(studio);
  hint(studio);
  feel(studio);
  build(studio);
  live(studio, panel);
  job(studio);
  const motion = transport(studio);
  const gallery = modes(studio, panel, theme);
  const cut = inside(studio);
  const pin = pins(studio);
  const file = files(studio);

  /** @type {import("./pointers.js").Tool} */
  const hand = {
    begin: (pointer, hit) => {
      studio.stopMode();
      pull.grab(pointer, hit);
    },
    move: (pointer, event) => pull.drag(pointer, event.clientX, event.clientY),
    end: (pointer) => pull.release(pointer),
  };
  listenToPointers(view, () => pin.tool ?? hand);
  need("theme", HTMLButtonElement).addEventListener("click", () => theme.toggle());

  const turn = (/** @type {number} */ x, /** @type {number} */ y) => (/** @type {KeyboardEvent} */ event) => {
    if (event.shiftKey) view.camera.pan(-40 * x, -40 * y);
    else view.camera.orbit(0.12 * x, 0.12 * y);
    view.invalidate();
  };
  const zoom = (/** @type {number} */ factor) => () => {
    view.camera.zoom(factor);
    view.invalidate();
  };
  /** @type {import("./keys.js").Key[]} */
  const keys = [
    { keys: [" "], shown: "Space", title: "pause, go on", does: motion.pause },
    { keys: ["."], shown: ".", title: "one step, while paused", does: motion.step },
    { keys: ["s"], shown: "S", title: "slow motion", does: motion.slower },
    { keys: ["r"], shown: "R", title: "back to rest", does: motion.reset },
    { keys: ["Enter"], shown: "Enter", title: "nudge the body", does: () => nudge(studio) },
    { keys: ["ArrowLeft"], shown: "← →", title: "turn the view; with Shift, move it", does: turn(-1, 0) },
    { keys: ["ArrowRight"], shown: "", title: "", does: turn(1, 0) },
    { keys: ["ArrowUp"], shown: "↑ ↓", title: "look from above or below", does: turn(0, 1) },
    { keys: ["ArrowDown"], shown: "", title: "", does: turn(0, -1) },
    { keys: ["+", "="], shown: "+", title: "nearer", does: zoom(0.88) },
    { keys: ["-", "_"], shown: "−", title: "farther", does: zoom(1 / 0.88) },
    { keys: ["Home", "h"], shown: "Home", title: "whole body in view", does: motion.home },
    { keys: ["]"], shown: "]", title: "next mode", does: () => gallery.next(1) },
    { keys: ["["], shown: "[", title: "mode before", does: () => gallery.next(-1) },
    { keys: ["Escape"], shown: "Esc", title: "stop the mode, put the brush away", does: () => (gallery.stop(), pin.stop()) },
    { keys: ["p"], shown: "P", title: "paint pins", does: pin.toggle },
    { keys: ["c"], shown: "C", title: "cut the body open", does: cut.toggle },
    { keys: ["o"], shown: "O", title: "open files", does: file.choose },
    { keys: ["i"], shown: "I", title: "save a picture", does: () => void file.savePicture() },
    { keys: ["1", "2", "3", "4", "5"], shown: "1 – 5", title: "open a panel",
      does: ({ key }) => panel.open(["feel", "modes", "live", "inside", "files"][Number(key) - 1]) },
    { keys: ["0"], shown: "0", title: "hide or show the panel", does: panel.toggle },
    { keys: ["t"], shown: "T", title: "light or dark", does: () => theme.toggle() },
    { keys: ["?"], shown: "?", title: "this help", does: () => guide.open() },
  ];
  const guide = help(keys.filter(({ title }) => title));
  listenToKeys(keys);
  studio.connection.open();
}
