"""NumPy and meshio read the arrays and motions that pliant writes, and pliant reads NumPy's arrays.

Called by `cargo xtask test` with the tool `motion_files` of the mesh room and a scratch folder.
"""

import json
import pathlib
import struct
import subprocess
import sys
import xml.etree.ElementTree as xml

import meshio
import numpy as np

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*args):
    out = subprocess.run([TOOL, *map(str, args)], capture_output=True, text=True)
    assert out.returncode == 0, f"{args}: {out.stderr.strip()}"
    return out.stdout


def close(what, mine, theirs, tolerance):
    worst = np.abs(mine - theirs).max()
    assert mine.shape == theirs.shape and worst <= tolerance, f"{what}: {worst:.1e} off, allowed {tolerance:.0e}"


# pliant reads what NumPy writes: types, byte orders, index orders, packed or not.
rng = np.random.default_rng(0)
count = 0
for dtype in "<f8 >f8 <f4 >f4 <i8 >i4 <u4 <u8 >i2 |i1 |u1 |b1".split():
    for shape in [(), (7,), (4, 3), (2, 3, 4)]:
        for order in "CF":
            array = np.asarray(100 * rng.random(shape)).astype(dtype, order=order)
            np.save(FOLDER / "theirs.npy", array)
            np.savez(FOLDER / "theirs.npz", other=np.zeros(3), wanted=array)
            np.savez_compressed(FOLDER / "packed.npz", other=np.zeros(3), wanted=array)
            for file in ["theirs.npy", "theirs.npz", "packed.npz"]:
                shape_line, data = run("--read", FOLDER / file, "wanted").splitlines()
                assert json.loads(shape_line) == list(shape), f"{file} {dtype} {shape} {order}: {shape_line}"
                assert json.loads(data) == array.astype("f8").flatten().tolist(), f"{file} {dtype} {shape} {order}"
                count += 1

# NumPy reads what pliant writes.
run(FOLDER)
swing = np.load(FOLDER / "swing.npz")
times, rest, u = swing["times"], swing["rest"], swing["displacement"]
assert sorted(swing.files) == ["displacement", "elements", "rest", "times", "tip.y"]
assert u.dtype == np.float64 and u.shape == (len(times), len(rest), 3) and swing["elements"].dtype == np.int64
bend = np.stack([0 * rest[:, 0], 0.3 * rest[:, 0] ** 2, 0 * rest[:, 0]], axis=1)
twist = np.stack([0 * rest[:, 0], -(rest[:, 2] - 0.05) * rest[:, 0], (rest[:, 1] - 0.05) * rest[:, 0]], axis=1)
w = 2 * np.pi * times
truth = np.sin(w)[:, None, None] * bend + 0.5 * np.sin(3.1 * w)[:, None, None] * twist
close("swing.npz", u, truth, 1e-12)
modes = np.load(FOLDER / "modes.npz")
close("modes.npz", modes["modes"], np.stack([bend.ravel(), twist.ravel()], axis=1), 1e-15)
close("modes.npz", modes["frequencies_hz"], np.array([1, 3.1]), 1e-12)

# ParaView's files: every frame where the list says, points moved, the displacement at the points.
sets = xml.parse(FOLDER / "swing.pvd").getroot().findall("Collection/DataSet")
assert [float(s.get("timestep")) for s in sets] == times.tolist()
for i in range(0, len(sets), 10):
    frame = meshio.read(FOLDER / sets[i].get("file"))
    close(f"frame {i}", frame.points, rest + u[i], 0)
    close(f"frame {i}", frame.point_data["displacement"], u[i], 0)
    assert (frame.cells_dict["tetra"] == swing["elements"]).all()

# The point cache, for the mesh beside it.
cache = (FOLDER / "swing.pc2").read_bytes()
assert struct.unpack("<12siiffi", cache[:32]) == (b"POINTCACHE2\0", 1, len(rest), 0.0, 1.0, len(times))
points = np.frombuffer(cache[32:], "<f4").reshape(len(times), len(rest), 3)
close("swing.pc2", points, (rest + u).astype("f4"), 0)
close("swing.ply", meshio.read(FOLDER / "swing.ply").points, rest, 0)

table = np.loadtxt(FOLDER / "swing.csv", delimiter=",", skiprows=1)
close("swing.csv", table, np.stack([times, swing["tip.y"]], axis=1), 0)


def shown(file):
    """Positions of every frame of every clip of a .glb, added up as a viewer does that clamps weights to 0..1."""
    data = file.read_bytes()
    length = struct.unpack("<I", data[12:16])[0]
    document, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

    def numbers(accessor):
        a = document["accessors"][accessor]
        view = document["bufferViews"][a["bufferView"]]
        kind, columns = {5126: "<f4", 5125: "<u4"}[a["componentType"]], {"SCALAR": 1, "VEC3": 3}[a["type"]]
        flat = np.frombuffer(binary, kind, a["count"] * columns, view["byteOffset"])
        if "min" in a:
            assert (flat.reshape(-1, columns).min(axis=0) == np.array(a["min"], "f4")).all()
        return flat.reshape(-1, columns) if columns > 1 else flat

    primitive = document["meshes"][0]["primitives"][0]
    base = numbers(primitive["attributes"]["POSITION"])
    assert np.abs(np.linalg.norm(numbers(primitive["attributes"]["NORMAL"]), axis=1) - 1).max() < 1e-6
    targets = np.stack([numbers(t["POSITION"]) for t in primitive["targets"]])
    for clip in document["animations"]:
        sampler = clip["samplers"][0]
        weights = np.clip(numbers(sampler["output"]).reshape(-1, len(targets)), 0, 1)
        yield clip["name"], numbers(sampler["input"]), base + np.tensordot(weights, targets, 1)


# The animations: the boundary has the used vertices, ascending.
faces = np.sort(swing["elements"][:, [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]]].reshape(-1, 3), axis=1)
unique, often = np.unique(faces, axis=0, return_counts=True)
skin = np.unique(unique[often == 1])
[(name, input_, positions)] = shown(FOLDER / "swing.glb")
close("swing.glb", input_, times.astype("f4"), 0)
close("swing.glb", positions, (rest + u)[:, skin], 1e-6)
clips = list(shown(FOLDER / "modes.glb"))
assert [c[0] for c in clips] == ["mode 1: 1.0000 Hz", "mode 2: 3.1000 Hz"], clips
for (name, seconds, positions), shape in zip(clips, [bend, twist]):
    size = 0.1 / np.linalg.norm(shape, axis=1).max()
    swings = np.sin(np.pi * seconds.astype("f8"))[:, None, None] * size * shape[skin]
    close(name, positions, rest[skin] + swings, 1e-6)
print(f"{count} arrays of numpy {np.__version__} are read, and it reads ours; motions are where they should be")
