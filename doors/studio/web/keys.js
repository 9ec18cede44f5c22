/**
 * Keys: what the apps brought, in one table that listens and that the help panel shows.
 *
 * Keys are heard everywhere except while a control uses them: a slider keeps its arrows, a menu its letters.
 */

/**
 * @typedef {object} Key
 * @property {string[]} keys as `KeyboardEvent.key` says them
 * @property {string} shown how the help panel writes them; empty where another line speaks for this one too
 * @property {string} title
 * @property {boolean} [alt] only together with Alt
 * @property {(event: KeyboardEvent) => void} does
 */

/** @param {Key[]} table */
export function listenToKeys(table) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    if (isBusy(event)) return;
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = table.filter(({ keys, alt = false }) => alt === event.altKey && keys.includes(pressed)); // Escape ends whatever an app has begun
    if (!found.length) return;
    event.preventDefault();
    for (const { does } of found) does(event);
  });
}

/** Whether the element that has the focus wants this key for itself. @param {KeyboardEvent} event */
function isBusy(event) {
  const { target, key } = event;
  if (target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement && target.type === "range") return /^(Arrow|Home|End|Page)/.test(key);
  if (target instanceof HTMLInputElement && target.type === "checkbox") return key === " ";
  if (target instanceof HTMLInputElement) return true;
  const presses = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
  return presses && (key === " " || key === "Enter");
}
