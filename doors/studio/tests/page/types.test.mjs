// The types that the page's comments promise, checked by the TypeScript compiler.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { file } from "./studio.mjs";

test("the page's JSDoc types hold", (context) => {
  const web = process.env.STUDIO_WEB;
  if (!web) return context.skip("STUDIO_WEB names no folder");
  const sources = readdirSync(web, { recursive: true }).filter((name) => /\.m?js$/.test(name));
  assert.ok(sources.length > 0, `no module in ${web}`);
  const options = {
    allowJs: true,
    checkJs: true,
    strict: true,
    noEmit: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    target: "es2022",
    module: "es2022",
    moduleResolution: "bundler",
    lib: ["es2023", "dom", "dom.iterable"],
    types: [],
  };
  const project = file("tsconfig.json", JSON.stringify({ compilerOptions: options, files: sources.map((name) => path.join(web, name)) }));
  const tsc = path.join(import.meta.dirname, "node_modules/typescript/bin/tsc");
  const run = spawnSync(process.execPath, [tsc, "--project", project, "--pretty", "false"], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stdout + run.stderr);
});
