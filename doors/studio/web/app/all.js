/**
 * The table of apps: a folder and a line each. Bar, tabs, sheets, shortcuts and help are made of it, in this order.
 *
 * An app whose family not every server has is fetched when a server names it.
 */

import { bodies } from "./bodies/bodies.js";
import { build } from "./build/build.js";
import { feel } from "./feel/feel.js";
import { files } from "./files/files.js";
import { hand } from "./hand/hand.js";
import { inside } from "./inside/inside.js";
import { jobs } from "./jobs/jobs.js";
import { live } from "./live/live.js";
import { look } from "./look/look.js";
import { modes } from "./modes/modes.js";
import { pins } from "./pins/pins.js";
import { remarks } from "./remarks/remarks.js";
import { time } from "./time/time.js";

/** @type {import("../app.js").Row[]} */
export const ALL = [
  time,
  feel,
  hand,
  build,
  modes,
  live,
  inside,
  files,
  bodies,
  jobs,
  pins,
  look,
  remarks,
  { family: "echo", load: () => import("./echo/echo.js") },
];
