/**
 * What there is to say of the chosen body: how many remarks stands in the line at the top, what they are is told when asked for.
 *
 * A remark names what would help; the app that can do it has put itself into `studio.remedies`, and gets a button.
 */

import { count, make, need, sentence } from "../../dom.js";

/** @typedef {import("../../studio.js").Studio} Studio */
/** @typedef {import("../../protocol.js").Remark} Remark */

const LINE = /* html */ `<button type="button" id="remarks-open" aria-expanded="false" aria-controls="remarks" hidden></button>`;

const CARDS = /* html */ `
<section id="remarks" class="card" aria-label="Remarks" hidden>
  <div class="row"><strong id="remarks-title"></strong><button type="button" id="remarks-close" class="quiet">Close</button></div>
  <ul id="remarks-list"></ul>
</section>
`;

/** @type {import("../../app.js").App} */
export const remarks = { name: "remarks", line: LINE, cards: CARDS, style: "app/remarks/remarks.css", start };

/** @param {Studio} studio */
function start(studio) {
  const card = need("remarks", HTMLElement);
  const open = need("remarks-open", HTMLButtonElement);

  /** @param {boolean} shown */
  function setShown(shown) {
    card.hidden = !shown;
    open.setAttribute("aria-expanded", String(shown));
    if (shown) list();
  }

  /** @param {Remark} remark */
  function row({ sentence: text, severity, remedy }) {
    const item = make("li", {}, make("span", {}, make("span", { className: "hidden", textContent: `${severity}: ` }), sentence(text)));
    item.dataset.severity = severity;
    const help = studio.remedies.get(remedy ?? "");
    if (!help) return item;
    const button = make("button", { type: "button", className: "link", textContent: help.title });
    button.addEventListener("click", () => help.does());
    item.append(button);
    return item;
  }

  function list() {
    const { body } = studio;
    need("remarks-title", HTMLElement).textContent = body ? `About ${studio.titleOf(body)}` : "";
    need("remarks-list", HTMLElement).replaceChildren(...(body?.remarks ?? []).map(row));
  }

  function show() {
    const many = studio.body?.remarks.length ?? 0;
    open.hidden = many === 0;
    open.textContent = count(many, "remark");
    setShown(!card.hidden && many > 0);
  }

  const toggle = () => !open.hidden && setShown(Boolean(card.hidden));
  open.addEventListener("click", toggle);
  need("remarks-close", HTMLButtonElement).addEventListener("click", () => {
    setShown(false);
    open.focus();
  });
  studio.on("chosen", show);
  return {
    keys: [
      { keys: ["q"], shown: "Q", title: "remarks on the body", does: toggle },
      { keys: ["Escape"], shown: "", title: "", does: () => setShown(false) },
    ],
  };
}
