"""The Python package `safetensors` reads the models that pliant writes, and NumPy finds in them what should be there.

Called by `cargo xtask test` with the tool `model_files` of the reduce room, a scratch folder and docs/model-format.md,
whose lines of Python are run as they stand.
"""

import contextlib
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import safetensors
from safetensors.numpy import load_file

TOOL, FOLDER, DOCUMENT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
subprocess.run([TOOL, FOLDER], check=True)


def close(what, mine, theirs, tolerance):
    worst = np.abs(mine - theirs).max()
    assert mine.shape == theirs.shape and worst <= tolerance, f"{what}: {worst:.1e} off, allowed {tolerance:.0e}"


def read(name):
    path = FOLDER / f"{name}.pliant"
    with safetensors.safe_open(path, framework="numpy") as file:
        metadata = file.metadata()
    assert list(metadata) == ["pliant"], metadata
    about = json.loads(metadata["pliant"])
    assert json.dumps(about) == json.dumps(about, sort_keys=True), "keys are sorted"
    data, stated = path.read_bytes(), about["checksum"].encode()
    assert data.count(stated) == 1
    assert hashlib.sha256(data.replace(stated, b"0" * 64)).hexdigest().encode() == stated, "the checksum"
    tensors = load_file(path)
    n, r = about["vertices"], about["rank"]
    shapes = {"rest": (n, 3), "held": (n, 3), "U": (3 * n, r), "mass": (r, r), "stiffness": (r, r), "gravity": (3, r)}
    for tensor, shape in shapes.items():
        assert tensors[tensor].shape == shape and tensors[tensor].dtype == ("u1" if tensor == "held" else "<f8"), tensor
    assert tensors["held"].sum() == about["held"]
    # Linear modes: zero where the body is held, orthonormal, eigenvectors.
    assert (tensors["U"].reshape(n, 3, r)[tensors["held"] == 1] == 0).all()
    close("mass", tensors["mass"], np.eye(r), 1e-12)
    values = np.array(about["basis"]["eigenvalues"])
    close("stiffness", tensors["stiffness"], np.diag(values), 1e-8 * values.max())
    return about, tensors


def rows(tensors, name):
    offsets = tensors[f"{name}.offsets"]
    return [tensors[name][a:b].tolist() for a, b in zip(offsets[:-1], offsets[1:])]


# A solid of two regions: its consistent mass, made here, in the basis.
about, model = read("model")
rest, tets = model["rest"], model["elements"]
assert about["kind"] == "tets" and tets.dtype == np.uint32 and tets.shape == (about["elements"], 4)
edges = rest[tets[:, 1:]] - rest[tets[:, :1]]
volumes = np.linalg.det(edges) / 6
assert volumes.min() > 0 and abs(volumes.sum() - 0.004) < 1e-15
matter = {m["region"]: (m["material"], m["constants"]) for m in about["body"]["matter"]}
assert matter["handle"][0] == matter["head"][0] == "stable-neo-hookean"
densities = np.array([matter[r["name"]][1]["density"] for r in about["regions"]])
assert densities.tolist() == [700, 1000] and abs(matter["handle"][1]["young"] - 5e5) < 1e-6
weights = densities[model["regions"]] * volumes
M = np.zeros((len(rest), len(rest)))
for tet, weight in zip(tets, weights):
    M[np.ix_(tet, tet)] += weight / 20 * (1 + np.eye(4))
U = model["U"].reshape(len(rest), 3, -1)
close("UᵀMU", np.einsum("ack,ab,bcl->kl", U, M, U), model["mass"], 1e-12)
close("gravity", model["gravity"], np.einsum("a,adk->dk", M.sum(axis=1), U), 1e-12)
assert dict(zip(about["sets"], rows(model, "sets"))) == {"left": [0, 5], "right": [4]}
assert model["cubature.components"].tolist() == [0, 7, 20] and model["cubature.weights"].tolist() == [2, 10.5, 1 / 3]
assert about["forces"]["training"]["validation_error"] == 0.1 + 0.2, "every digit"
left, right = rest[:, 0] < 1e-9, rest[:, 0] > 0.4 - 1e-9
assert (model["held"] == left[:, None] | (right[:, None] & (np.arange(3) == 1))).all()
for point, carriers, start in zip(model["surface.rest"], rows(model, "surface.carriers"), model["surface.carriers.offsets"]):
    weight = model["surface.weights"][start : start + len(carriers)]
    close("surface", weight @ rest[carriers], point, 1e-12)
assert model["surface.elements"].shape[1] == 3 and about["surface"]["kind"] == "triangles"

about, model = read("cubic")
assert about["forces"] == {"name": "cubic", "training": None} and about["recipe"]["material"] == "stvk"
for order, count in [("quadratic", 6), ("cubic", 10), ("quartic", 15)]:
    assert model[f"polynomial.{order}"].tolist() == list(range(1, count + 1)), order

# What an app keeps: its facts, its tensors, and the digest of what they were made for.
about, model = read("section")
assert about["version"] == 3 and list(about["sections"]) == ["tenant"]
tenant = about["sections"]["tenant"]
assert tenant["version"] == 2 and tenant["facts"] == {"title": "what an app keeps"}
assert model["section.tenant.numbers"].tolist() == [[1.0, -2.5], [1 / 3, 4.0]] and model["section.tenant.ids"].tolist() == [7, 8, 9]
parts = [about["rank"].to_bytes(8, "little")] + [model[name].astype("<f8").tobytes() for name in ("U", "mass", "stiffness")]
assert hashlib.sha256(b"".join(parts)).hexdigest() == tenant["basis"], "the digest of the basis"

# A cubature whose components see R q in place of q.
about, model = read("corrected")
assert about["version"] == 4 and about["forces"]["name"] == "cubature"
correction = model["cubature.correction"]
assert correction.dtype == "<f8" and correction.tolist() == [[1, 0.25, 0], [-0.5, 1.5, 1 / 3], [0, 0.125, 0.75]]
assert model["cubature.components"].tolist() == [1, 9] and model["cubature.weights"].tolist() == [4, 7.5]
training = about["forces"]["training"]
assert (training["static_error"], training["frequency_error"]) == (0.02, 1 / 3), "every digit"
assert not {"static_error", "frequency_error"} & set(read("model")[0]["forces"]["training"]), "format 1 has none"

# The error of a pull.
about, model = read("pulled")
assert about["version"] == 5 and about["basis"]["pull"] == {"error": 0.02, "with_half": 1 / 3}, "every digit"
assert "pull" not in read("model")[0]["basis"], "format 1 has none"

# A cubature whose indices are those of flaps.
about, model = read("flaps")
assert about["version"] == 5 and about["forces"]["name"] == "cubature" and "cubature.components" not in model
assert model["cubature.flaps"].tolist() == [1, 6] and model["cubature.weights"].tolist() == [2, 0.5]

about, model = read("polygons")
assert about["kind"] == "polygons" and rows(model, "elements") == [[0, 2, 3, 1], [2, 4, 5], [2, 5, 3], [4, 6, 7, 5]]
about, model = read("quads")
assert about["kind"] == "quads" and model["elements"].tolist() == [[0, 2, 3, 1], [2, 4, 5, 3], [4, 6, 7, 5]]

# The lines of the document, where a model lies.
blocks = [part.split("```")[0] for part in DOCUMENT.read_text().split("```python\n")[1:]]
assert len(blocks) == 2, "the document shows how to read a model and how to check it"
os.chdir(FOLDER)
said = io.StringIO()
with contextlib.redirect_stdout(said):
    exec("\n".join(blocks), {})
assert said.getvalue() == "tets 3 cubature (20, 3)\n", said.getvalue()
print(f"safetensors {safetensors.__version__} reads our models, and NumPy finds what should be in them")
