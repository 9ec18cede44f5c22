/**
 * Wiring: makes the studio, starts every app of the table, opens the connection. No logic.
 */

import { ALL } from "./app/all.js";
import { startApps } from "./app.js";
import { need } from "./dom.js";
import { help } from "./help.js";
import { listenToKeys } from "./keys.js";
import { notices } from "./notices.js";
import { listenToPointers } from "./pointers.js";
import { scripting } from "./scripting.js";
import { status } from "./status.js";
import { Studio } from "./studio.js";

const voice = notices(need("messages", HTMLElement));
try {
  start();
} catch (error) {
  voice.say(error instanceof Error ? error.message : String(error), "error");
  throw error;
}

function start() {
  const studio = new Studio(voice);
  const { panel, keys } = studio;
  scripting(studio);
  status(studio);
  startApps(ALL, studio);
  panel.fit();
  keys.push(
    { keys: ["1", "2", "3", "4", "5", "6", "7", "8", "9"], get shown() { return `1 – ${panel.names.length}`; }, title: "open a panel",
      does: ({ key }) => panel.names[Number(key) - 1] && panel.open(panel.names[Number(key) - 1]) },
    { keys: ["0"], shown: "0", title: "hide or show the panel", does: () => panel.toggle() },
    { keys: ["?"], shown: "?", title: "this help", does: () => help(keys) },
  );
  need("help-open", HTMLButtonElement).addEventListener("click", () => help(keys));
  listenToKeys(keys);
  listenToPointers(studio.view, studio.tools);
  studio.connection.open();
}
