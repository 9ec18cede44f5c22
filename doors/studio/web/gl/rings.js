/**
 * The one-ring of every vertex, in order, for normals in a shader.
 *
 * A vertex's triangles (v, a, b) form fans: a₀ a₁ a₂ …, each pair one triangle. The normal is Σ (aᵢ − v) × (aᵢ₊₁ − v),
 * which needs each neighbour once instead of twice. A closed fan repeats its first vertex at the end; an open one, at a
 * boundary, does not; a vertex where several fans meet (a defect, or two sheets that touch) has them one after the other,
 * and the first of each is marked by the highest bit: the pair before it is no triangle.
 */

export const NEW_FAN = 0x80000000;

/**
 * @param {Uint32Array} triangles (k, 3) @param {number} count of vertices
 * @returns {{ starts: Uint32Array, ring: Uint32Array }} the ring of v is `ring[starts[v] .. starts[v + 1]]`
 */
export function ringsOf(triangles, count) {
  const first = new Uint32Array(count + 1);
  for (const v of triangles) first[v + 1]++;
  for (let v = 0; v < count; v++) first[v + 1] += first[v];
  const from = new Uint32Array(triangles.length), to = new Uint32Array(triangles.length);
  const fill = first.slice();
  for (let i = 0; i < triangles.length; i += 3)
    for (let c = 0; c < 3; c++) {
      const slot = fill[triangles[i + c]]++;
      from[slot] = triangles[i + ((c + 1) % 3)];
      to[slot] = triangles[i + ((c + 2) % 3)];
    }

  const starts = new Uint32Array(count + 1);
  const ring = new Uint32Array(2 * triangles.length); // the worst case: every triangle a fan of its own
  let end = 0;
  for (let v = 0; v < count; v++) {
    let low = first[v];
    const high = first[v + 1];
    while (low < high) {
      // Begin where no triangle ends, so that an open fan is walked from its first to its last.
      let begin = low;
      for (let i = low; i < high; i++) {
        let entered = false;
        for (let j = low; j < high; j++) if (to[j] === from[i]) { entered = true; break; }
        if (!entered) { begin = i; break; }
      }
      ring[end++] = (from[begin] | NEW_FAN) >>> 0;
      let next = begin;
      for (;;) {
        const tip = to[next];
        ring[end++] = tip;
        swap(from, to, low++, next); // this triangle is done
        next = -1;
        for (let i = low; i < high; i++) if (from[i] === tip) { next = i; break; }
        if (next < 0) break;
      }
    }
    starts[v + 1] = end;
  }
  return { starts, ring: ring.slice(0, end) };
}

/** @param {Uint32Array} from @param {Uint32Array} to @param {number} i @param {number} j */
function swap(from, to, i, j) {
  [from[i], from[j]] = [from[j], from[i]];
  [to[i], to[j]] = [to[j], to[i]];
}
