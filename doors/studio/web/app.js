/**
 * What an app is, and how the page is made of the table of them (app/all.js).
 *
 * An app is a folder: its elements, its style, its keys, and what it does. It is given the studio and knows no other app; what
 * several of them need (tools, layers, jobs, choices that wait for a rebuild) are lists of the studio that each adds to.
 */

import { make, need } from "./dom.js";

/** @typedef {import("./studio.js").Studio} Studio */
/** @typedef {import("./keys.js").Key} Key */

/**
 * @typedef {object} App
 * @property {string} name of its folder, its family and the id of its sheet
 * @property {string} [title] of its tab, and above its keys in the help
 * @property {string} [sheet] HTML of its sheet in the panel
 * @property {string} [icon] of its tab: what an SVG of 24 by 24 holds, drawn by lines
 * @property {string} [under] HTML at the end of the sheet of the app that stands before it in the table
 * @property {string} [line] HTML at the end of the line at the top
 * @property {string} [bar] HTML in the bar below the bodies
 * @property {string} [cards] HTML at the left edge, for what comes and goes
 * @property {string} [over] HTML over the picture, which no pointer hits
 * @property {string} [style] its style sheet
 * @property {(studio: Studio) => { keys?: Key[] } | void} start
 */

/** @typedef {App | { family: string, load: () => Promise<{ app: App }> }} Row of the table; what is loaded is loaded when a server names its family */

/** @param {Row[]} table @param {Studio} studio */
export function startApps(table, studio) {
  /** @type {Map<string, () => Promise<{ app: App }>>} */ const waiting = new Map();
  for (const row of table) {
    if ("load" in row) waiting.set(row.family, row.load);
    else startApp(row, studio);
  }
  studio.on("welcome", ({ families }) => {
    for (const family of families) {
      const load = waiting.get(family);
      waiting.delete(family);
      load?.().then(({ app }) => startApp(app, studio)).catch((error) => studio.fail(error));
    }
  });
}

/** The icon of an app that brings none. */
const PLAIN = '<circle cx="12" cy="12" r="7"/>';

/** Makes the elements of an app and starts it. @param {App} app @param {Studio} studio */
function startApp(app, studio) {
  if (app.style) document.head.append(make("link", { rel: "stylesheet", href: app.style }));
  if (app.sheet) studio.panel.add(app.name, app.title ?? app.name, elements(`<svg viewBox="0 0 24 24" aria-hidden="true">${app.icon ?? PLAIN}</svg>`), elements(app.sheet));
  if (app.under) studio.panel.append(elements(app.under));
  if (app.line) need("top", HTMLElement).append(elements(app.line));
  if (app.bar) need("bar-end", HTMLElement).before(elements(app.bar));
  if (app.cards) need("cards", HTMLElement).append(elements(app.cards));
  if (app.over) studio.view.canvas.after(elements(app.over));
  const { keys } = app.start(studio) ?? {};
  studio.keys.push(...(keys ?? []));
}

/** @param {string} html written by us, never by others @returns {DocumentFragment} */
function elements(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}
