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
 * @property {boolean} [ctrl] only together with Ctrl or ⌘
 * @property {(event: KeyboardEvent) => void} does
 */

/** @param {Key[]} table */
export function listenToKeys(table) {
  addEventListener("click", (event) => event.detail > 0 && !(event.target instanceof HTMLSelectElement) && letGo(event)); // by a pointer
  addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement && !event.target.matches(":focus-visible")) letGo(event);
  });
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    const control = event.ctrlKey || event.metaKey;
    if (document.querySelector("dialog[open]")) return;
    if (isBusy(event)) return;
    const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const found = table.filter(({ keys, alt = false, ctrl = false }) => alt === event.altKey && ctrl === control && keys.includes(pressed)); // Escape ends whatever an app has begun
    if (!found.length) return;
    event.preventDefault();
    for (const { does } of found) does(event);
  });
}

/**
 * What was clicked does not keep the focus: Space would press it again. Whoever goes by the keyboard keeps it.
 * @param {Event} event
 */
function letGo({ target }) {
  const control = target instanceof Element ? target.closest("button, select, input[type=checkbox]") : null;
  if (control instanceof HTMLElement && control === document.activeElement) control.blur();
}

/** Whether the element that has the focus wants this key for itself. @param {KeyboardEvent} event */
function isBusy(event) {
  const { target, key } = event;
  if (key === "Escape") {
    if (target instanceof HTMLElement && target.matches("input, select")) target.blur();
    return false;
  }
  if (target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement && target.type === "range") return /^(Arrow|Home|End|Page)/.test(key);
  if (target instanceof HTMLInputElement && target.type === "checkbox") return key === " ";
  if (target instanceof HTMLInputElement) return key !== " " || target.type === "text";
  const presses = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
  return presses && (key === " " || key === "Enter");
}
