/**
 * The table of apps: a folder and a line each. Bar, tabs, sheets, shortcuts and help are made of it, in this order.
 *
 * An app whose family not every server has is fetched when a server names it.
 */

import { bodies } from "./bodies/bodies.js";
import { build } from "./build/build.js";
import { colours } from "./colours/colours.js";
import { compare } from "./compare/compare.js";
import { edit } from "./edit/edit.js";
import { feel } from "./feel/feel.js";
import { files } from "./files/files.js";
import { form } from "./form/form.js";
import { hand } from "./hand/hand.js";
import { hints } from "./hints/hints.js";
import { inside } from "./inside/inside.js";
import { jobs } from "./jobs/jobs.js";
import { live } from "./live/live.js";
import { look } from "./look/look.js";
import { modes } from "./modes/modes.js";
import { motion } from "./motion/motion.js";
import { past } from "./past/past.js";
import { pins } from "./pins/pins.js";
import { remarks } from "./remarks/remarks.js";
import { time } from "./time/time.js";

/** @type {import("../app.js").Row[]} */
export const ALL = [
  time,
  past,
  feel,
  motion,
  hand,
  build,
  modes,
  live,
  inside,
  colours,
  compare,
  edit,
  files,
  form,
  bodies,
  jobs,
  pins,
  look,
  remarks,
  hints,
  { family: "echo", load: () => import("./echo/echo.js") },
];
