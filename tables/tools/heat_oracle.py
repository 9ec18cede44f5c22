"""Heat by other programs beside ours: LaPy's eigenpairs (ratio of times, in one run) and pyFM's heat kernel signature.

pip install lapy pyfmaps; python heat_oracle.py PLIANT MESH.obj K
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from lapy import Solver, TriaMesh


def main(pliant, mesh, count):
    """Prints one line for each comparison."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "heat.npz"
        command = [pliant, "signature", mesh, "--kind", "heat", "--modes", str(count - 1), "-o", str(out), "--json"]
        begin = time.perf_counter()
        told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        ours = time.perf_counter() - begin
        found = np.load(out)
    vertices, triangles = read(mesh)
    begin = time.perf_counter()
    solver = Solver(TriaMesh(vertices, triangles), lump=True)
    values, vectors = solver.eigs(k=count)
    theirs = time.perf_counter() - begin
    own = np.concatenate([[0.0], found["eigenvalues"]])
    off = np.max(np.abs(own[1:] - values[1:]) / values[1:])
    print(f"{len(vertices)} vertices, {count} pairs: ours {ours:.2f} s with reading, S and writing ({told['stages']['modes']:.2f} s the pairs)")
    print(f"LaPy {theirs:.2f} s: {theirs / ours:.1f} times ours; eigenvalues {off:.1e} apart")
    try:
        from pyFM.signatures import HKS
    except ImportError:
        print("pyFM is not there: pip install pyfmaps")
        return
    times = found["t"]
    theirs = HKS(values, vectors, times, scaled=False)
    print(f"pyFM's HKS of LaPy's pairs: {np.max(np.abs(theirs - found['signature']) / found['signature'].max()):.1e} apart from ours")


def read(path):
    """Vertices and triangles of an OBJ."""
    vertices, triangles = [], []
    for line in Path(path).read_text(encoding="utf8").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            triangles.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
    return np.array(vertices), np.array(triangles)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
