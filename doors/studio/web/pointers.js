/**
 * Who gets a pointer: a tool if a body lies under it, else the camera.
 *
 * Handles that a tool shows over the bodies come first. Left button or one finger: what the last tool that wants it does with the body (the hand pulls), beside the bodies turns. Right or middle button, or Shift:
 * moves aside. Wheel and two fingers beside the body: zoom, and move aside. A finger on the body stays a pull whatever the
 * others do, so that two hands can stretch it.
 */

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./figure.js").Hit} Hit */

/**
 * @typedef {object} Tool what a pointer does on a body
 * @property {() => boolean} [takesEnter] whether Enter is for this tool now, and no nudge
 * @property {(event: PointerEvent) => boolean} wants whether it is for this tool; the last of the list that says so gets it
 * @property {(pointer: number, event: PointerEvent) => boolean} [takes] takes it wherever it is, on a body or beside them, if it says so
 * @property {(pointer: number, hit: Hit, event: PointerEvent) => void} begin
 * @property {(pointer: number, event: PointerEvent) => void} move
 * @property {(pointer: number) => void} end
 * @property {(hit: Hit | null) => void} [hover]
 * @property {(pointer: number, event: PointerEvent) => boolean} [grip] takes what lies over the bodies, such as a handle, instead of `begin`; whether there was something
 * @property {(event: PointerEvent) => boolean} [isOver] whether the mouse is over such a thing
 */

/** Corners; looking for the hand under the mouse would cost more than a picture beyond. */
const HOVER = 600_000;

/** @param {View} view @param {Tool[]} tools */
export function listenToPointers(view, tools) {
  const { canvas, camera } = view;
  /** @type {Map<number, { x: number, y: number, kind: "tool" | "orbit" | "pan", tool: Tool | undefined }>} */
  const pointers = new Map();
  let hovering = false;
  const toolFor = (/** @type {PointerEvent} */ event) => tools.findLast((tool) => tool.wants(event));

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const aside = event.button !== 0 || event.shiftKey;
    const gripping = aside ? undefined : tools.findLast((tool) => tool.grip?.(event.pointerId, event));
    if (gripping) {
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, kind: "tool", tool: gripping });
      canvas.dataset.doing = "tool";
      return;
    }
    const pick = event.pointerType === "touch" ? view.pickNear : view.pick;
    const hit = aside ? null : pick.call(view, event.clientX, event.clientY);
    const used = toolFor(event);
    const isTaken = !aside && used?.takes?.(event.pointerId, event);
    const kind = isTaken || (hit && used) ? "tool" : aside ? "pan" : "orbit";
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, kind, tool: used });
    if (hit && used && !isTaken) used.begin(event.pointerId, hit, event);
    canvas.dataset.doing = kind;
  });

  canvas.addEventListener("pointermove", (event) => {
    const pointer = pointers.get(event.pointerId);
    if (!pointer) {
      hover(event);
      return;
    }
    const [dx, dy] = [event.clientX - pointer.x, event.clientY - pointer.y];
    const others = [...pointers.entries()].filter(([id, p]) => p.kind !== "tool" && id !== event.pointerId).map(([, p]) => p);
    if (pointer.kind === "tool") {
      pointer.tool?.move(event.pointerId, event);
    } else if (others.length) {
      const other = others[0];
      const before = Math.hypot(pointer.x - other.x, pointer.y - other.y);
      const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
      if (before > 1 && after > 1) camera.zoom(before / after);
      camera.pan(dx / 2, dy / 2);
    } else if (pointer.kind === "pan") {
      camera.pan(dx, dy);
    } else {
      camera.orbit(dx * 0.006, dy * 0.006);
    }
    [pointer.x, pointer.y] = [event.clientX, event.clientY];
    view.invalidate();
  });

  for (const name of /** @type {const} */ (["pointerup", "pointercancel", "lostpointercapture"]))
    canvas.addEventListener(name, (event) => {
      const pointer = pointers.get(event.pointerId);
      if (!pointer) return;
      pointers.delete(event.pointerId);
      if (pointer.kind === "tool") pointer.tool?.end(event.pointerId);
      if (!pointers.size) delete canvas.dataset.doing;
    });

  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
    const factor = Math.exp(Math.max(-120, Math.min(120, event.deltaY * lines)) * (event.ctrlKey ? 0.008 : 0.0016));
    // Towards what is under the cursor; away from the plane that it is in.
    const hit = factor < 1 && view.corners <= HOVER ? view.pick(event.clientX, event.clientY) : null;
    const { left, top } = canvas.getBoundingClientRect();
    camera.zoom(factor, hit?.point ?? camera.onPlane(event.clientX - left, event.clientY - top, camera.goal.target));
    view.invalidate();
  }, { passive: false });

  /** The hand shows where the body can be held; once for each picture, since picking looks at every triangle. @param {PointerEvent} event */
  function hover(event) {
    if (hovering || event.pointerType === "touch") return;
    hovering = true;
    requestAnimationFrame(() => {
      hovering = false;
      const handle = tools.some((tool) => tool.isOver?.(event));
      const hit = handle || view.corners > HOVER ? null : view.pick(event.clientX, event.clientY);
      canvas.dataset.over = handle ? "handle" : hit ? "body" : "";
      toolFor(event)?.hover?.(hit);
    });
  }
}
