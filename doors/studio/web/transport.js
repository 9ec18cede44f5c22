/**
 * The bar under the body: pause, step, speed, reset, view.
 */

import { need } from "./dom.js";

/** @typedef {import("./studio.js").Studio} Studio */

/** @param {Studio} studio */
export function transport(studio) {
  const pause = need("pause", HTMLButtonElement);
  const step = need("step", HTMLButtonElement);
  const speed = need("speed", HTMLSelectElement);
  const icon = need("pause-icon", SVGUseElement);
  const name = need("pause-name", HTMLElement);

  const actions = {
    pause: () => studio.request({ do: "pause", paused: !studio.settings?.paused }),
    step: () => studio.settings?.paused && studio.request({ do: "step" }),
    reset: () => {
      studio.stopMode();
      studio.request({ do: "reset" });
    },
    home: () => {
      studio.view.camera.home();
      studio.view.invalidate();
    },
    /** The next slower speed; after the slowest, real time again. */
    slower: () => {
      speed.selectedIndex = (speed.selectedIndex + 1) % speed.options.length;
      studio.set({ speed: Number(speed.value) });
    },
  };
  pause.addEventListener("click", actions.pause);
  step.addEventListener("click", actions.step);
  need("reset", HTMLButtonElement).addEventListener("click", actions.reset);
  need("home", HTMLButtonElement).addEventListener("click", actions.home);
  speed.addEventListener("change", () => studio.set({ speed: Number(speed.value) }));

  studio.connection.on("settings", (settings) => {
    step.disabled = !settings.paused;
    icon.setAttribute("href", settings.paused ? "#i-play" : "#i-pause");
    name.textContent = settings.paused ? "Go on" : "Pause";
    pause.title = `${name.textContent} (space)`;
    const nearest = Array.from(speed.options).sort((a, b) => Math.abs(Math.log(Number(a.value) / settings.speed)) - Math.abs(Math.log(Number(b.value) / settings.speed)))[0];
    speed.value = nearest.value;
  });
  return actions;
}
