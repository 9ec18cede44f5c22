/**
 * Time, in the bar below the bodies: pause, step, speed, back to rest.
 */

import { need } from "../../dom.js";

const BAR = /* html */ `
<button type="button" id="pause" aria-pressed="false" aria-keyshortcuts="Space" title="Pause (space)"><svg aria-hidden="true"><use href="#i-pause" id="pause-icon"/></svg><span class="hidden" id="pause-name">Pause</span></button>
<button type="button" id="step" aria-keyshortcuts="." title="One step (.)" disabled><svg aria-hidden="true"><use href="#i-step"/></svg><span class="hidden">One step</span></button>
<label class="speed" title="Speed of time (s)"><span class="hidden">Speed of time</span>
  <select id="speed"><option value="1">1×</option><option value="0.5">½×</option><option value="0.25">¼×</option><option value="0.1">⅒×</option><option value="0.02">1⁄50×</option></select></label>
<button type="button" id="reset" aria-keyshortcuts="R" title="Back to rest (R)"><svg aria-hidden="true"><use href="#i-reset"/></svg><span class="hidden">Back to rest</span></button>
`;

/** @type {import("../../app.js").App} */
export const time = { name: "time", bar: BAR, start };

/** @param {import("../../studio.js").Studio} studio */
function start(studio) {
  const pause = need("pause", HTMLButtonElement);
  const step = need("step", HTMLButtonElement);
  const speed = need("speed", HTMLSelectElement);
  const icon = need("pause-icon", SVGUseElement);
  const name = need("pause-name", HTMLElement);

  const setSpeed = () => void studio.request("time.speed", { speed: Number(speed.value) });
  const actions = {
    pause: () => void studio.request("time.pause", { paused: !studio.isPaused }),
    step: () => studio.isPaused && void studio.request("time.step", {}),
    reset: () => {
      for (const figure of studio.view.figures.values()) studio.view.stop(figure);
      void studio.request("time.reset", {});
    },
    /** The next slower speed; after the slowest, real time again. */
    slower: () => {
      speed.selectedIndex = (speed.selectedIndex + 1) % speed.options.length;
      setSpeed();
    },
  };
  pause.addEventListener("click", actions.pause);
  step.addEventListener("click", actions.step);
  need("reset", HTMLButtonElement).addEventListener("click", actions.reset);
  speed.addEventListener("change", setSpeed);

  studio.on("time.now", (settings) => {
    step.disabled = !settings.paused;
    icon.setAttribute("href", settings.paused ? "#i-play" : "#i-pause");
    name.textContent = settings.paused ? "Go on" : "Pause";
    pause.title = `${name.textContent} (space)`;
    const nearest = Array.from(speed.options).sort((a, b) => Math.abs(Math.log(Number(a.value) / settings.speed)) - Math.abs(Math.log(Number(b.value) / settings.speed)))[0];
    speed.value = nearest.value;
  });
  return {
    keys: [
      { keys: [" "], shown: "Space", title: "pause, go on", does: actions.pause },
      { keys: ["."], shown: ".", title: "one step, while paused", does: actions.step },
      { keys: ["s"], shown: "S", title: "slow motion", does: actions.slower },
      { keys: ["r"], shown: "R", title: "back to rest", does: actions.reset },
    ],
  };
}
