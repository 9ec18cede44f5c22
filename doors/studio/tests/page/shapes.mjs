// Files to drop, made here: a ball with bumps as OBJ, STL and GLB, and files that are broken in ways people meet.

/** A ball of 20 · 4ⁿ triangles with bumps and feet to stand on: { points, triangles }. */
export function bumpyBall(times, size = 0.1) {
  const g = (1 + Math.sqrt(5)) / 2;
  let points = [
    [-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g],
    [0, -1, -g], [0, 1, -g], [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1],
  ];
  let triangles = [
    [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
    [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
  ];
  for (let i = 0; i < times; i++) {
    const middles = new Map();
    const middle = (a, b) => {
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      if (!middles.has(key)) {
        middles.set(key, points.length);
        points.push(points[a].map((x, k) => (x + points[b][k]) / 2));
      }
      return middles.get(key);
    };
    triangles = triangles.flatMap(([a, b, c]) => {
      const [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
    points = points.map(unit);
  }
  points = points.map(unit).map(([x, y, z]) => {
    const r = size * (1 + 0.15 * Math.sin(5 * x + 1) * Math.sin(4 * y) * Math.cos(5 * z));
    return [r * x, 1.4 * r * y, r * z];
  });
  return { points, triangles };
}

/** The lower part of it, an open bowl. */
export function bowl(times, size) {
  const { points, triangles } = bumpyBall(times, size);
  const kept = triangles.filter((corners) => corners.every((v) => points[v][1] < 0.03));
  const used = [...new Set(kept.flat())];
  const number = new Map(used.map((v, i) => [v, i]));
  return { points: used.map((v) => points[v]), triangles: kept.map((corners) => corners.map((v) => number.get(v))) };
}

/** Three sheets that meet in one edge: nothing that could be filled, nor a sheet that could bend. */
export function fins(n = 6, size = 0.1) {
  const points = [], triangles = [];
  for (let f = 0; f < 3; f++) {
    const [c, s] = [Math.cos((2 * Math.PI * f) / 3), Math.sin((2 * Math.PI * f) / 3)];
    const first = points.length;
    for (let i = 0; i <= n; i++) for (let j = 0; j <= n; j++) points.push([(c * i * size) / n, (j * size) / n, (s * i * size) / n]);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const [a, b, d, e] = [first + i * (n + 1) + j, first + (i + 1) * (n + 1) + j, first + (i + 1) * (n + 1) + j + 1, first + i * (n + 1) + j + 1];
        triangles.push([a, b, d], [a, d, e]);
      }
  }
  return { points, triangles };
}

const unit = (p) => p.map((x) => x / Math.hypot(...p));

export function obj({ points, triangles }) {
  const lines = points.map((p) => `v ${p.map((x) => x.toPrecision(9)).join(" ")}`);
  return [...lines, ...triangles.map((t) => `f ${t.map((i) => i + 1).join(" ")}`), ""].join("\n");
}

/** Binary STL. */
export function stl({ points, triangles }) {
  const bytes = Buffer.alloc(84 + 50 * triangles.length);
  bytes.write("a ball with bumps");
  bytes.writeUInt32LE(triangles.length, 80);
  triangles.forEach((corners, i) => {
    corners.forEach((v, c) => points[v].forEach((x, k) => bytes.writeFloatLE(x, 84 + 50 * i + 12 * (c + 1) + 4 * k)));
  });
  return bytes;
}

/** A GLB with one mesh. */
export function glb({ points, triangles }) {
  const positions = Buffer.from(Float32Array.from(points.flat()).buffer);
  const indices = Buffer.from(Uint32Array.from(triangles.flat()).buffer);
  const bound = (pick) => [0, 1, 2].map((k) => pick(...points.map((p) => Math.fround(p[k]))));
  const document = {
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [
      { bufferView: 0, componentType: 5126, count: points.length, type: "VEC3", min: bound(Math.min), max: bound(Math.max) },
      { bufferView: 1, componentType: 5125, count: 3 * triangles.length, type: "SCALAR" },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: positions.length, target: 34962 },
      { buffer: 0, byteOffset: positions.length, byteLength: indices.length, target: 34963 },
    ],
    buffers: [{ byteLength: positions.length + indices.length }],
  };
  const text = Buffer.from(JSON.stringify(document));
  const json = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
  const part = (kind, data) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(data.length, 0);
    head.write(kind, 4, "latin1");
    return Buffer.concat([head, data]);
  };
  const body = Buffer.concat([part("JSON", json), part("BIN\0", Buffer.concat([positions, indices]))]);
  const head = Buffer.alloc(12);
  head.write("glTF");
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + body.length, 8);
  return Buffer.concat([head, body]);
}

/** Name → contents of files that no body can be made of. */
export const broken = {
  "corner.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
  "number.obj": "v 0 0 0\nv 1 zero 0\nv 0 1 0\nf 1 2 3\n",
  "empty.stl": "",
  "cut.glb": glb(bumpyBall(1)).subarray(0, 300),
  "letter.txt": "Dear sir or madam\n",
};
