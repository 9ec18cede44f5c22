"""meshio reads what pliant writes and pliant reads what meshio writes: same points, same cells.

Called by `cargo xtask test` with the binary and a scratch folder.
"""

import json
import pathlib
import subprocess
import sys

import meshio
import numpy as np

PLIANT, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])

# ending, variant, meshio's name for it, tolerance relative to the body's size (0: bit for bit; STL is 32-bit)
SOLID = [
    (".mesh", "text", "medit", 0),
    (".msh", "4.1-binary", "gmsh", 0),
    (".msh", "4.1-text", "gmsh", 0),
    (".msh", "2.2-binary", "gmsh", 0),
    (".msh", "2.2-text", "gmsh", 0),
    (".vtk", "text", "vtk", 0),
    (".vtk", "binary", "vtk", 0),
    (".vtu", "binary", "vtu", 0),
    (".vtu", "text", "vtu", 0),
    (".node", "text", "tetgen", 0),
]
SURFACE = [
    (".obj", "text", "obj", 0),
    (".ply", "binary", "ply", 0),
    (".ply", "text", "ply", 0),
    (".off", "text", "off", 0),
    (".stl", "binary", "stl", 1e-6),
    (".stl", "text", "stl", 1e-6),
]
# what meshio writes: ending, file format, options
THEIRS_SOLID = [
    (".mesh", "medit", {}),
    (".msh", "gmsh", {"binary": True}),
    (".msh", "gmsh", {"binary": False}),
    (".msh", "gmsh22", {"binary": True}),
    (".msh", "gmsh22", {"binary": False}),
    (".vtk", "vtk51", {"binary": True}),
    (".vtk", "vtk51", {"binary": False}),
    (".vtk", "vtk42", {"binary": True}),
    (".vtk", "vtk42", {"binary": False}),
    (".vtu", "vtu", {"binary": True, "compression": "zlib"}),
    (".vtu", "vtu", {"binary": True, "compression": None}),
    (".vtu", "vtu", {"binary": False}),
    (".node", "tetgen", {}),
]
THEIRS_SURFACE = [
    (".obj", "obj", {}),
    (".ply", "ply", {"binary": True}),
    (".ply", "ply", {"binary": False}),
    (".off", "off", {}),
    (".stl", "stl", {"binary": True}),
]


def run(*args):
    out = subprocess.run([PLIANT, "--json", "--quiet", *map(str, args)], capture_output=True, text=True)
    if out.returncode != 0:
        raise AssertionError(f"pliant {' '.join(map(str, args))}: {out.stderr.strip()}")
    return json.loads(out.stdout)


def corners(mesh):
    """Positions of all corners of all cells: equal whatever a format does to the numbering."""
    kind = "tetra" if "tetra" in mesh.cells_dict else "triangle"
    return mesh.points[:, :3][mesh.cells_dict[kind]]


def compare(what, mine, theirs, tolerance):
    a, b = corners(mine), corners(theirs)
    assert a.shape == b.shape, f"{what}: {a.shape} corners against {b.shape}"
    worst = np.abs(a - b).max() / np.ptp(a.reshape(-1, 3), axis=0).max()
    assert worst <= tolerance, f"{what}: positions differ by {worst:.1e} of the body, allowed {tolerance:.0e}"


def check(base, ours, theirs):
    count = 0
    truth = meshio.read(base)
    for i, (ending, variant, name, tolerance) in enumerate(ours):
        file = FOLDER / f"ours{i}{ending}"
        run("mesh", base, "-o", file, "--variant", variant)
        compare(f"{file.name} ({variant})", truth, meshio.read(file, file_format=name), tolerance)
        count += 1
    for i, (ending, name, options) in enumerate(theirs):
        file, back = FOLDER / f"theirs{i}{ending}", FOLDER / f"back{i}.mesh"
        meshio.write(file, meshio.Mesh(truth.points, truth.cells), file_format=name, **options)
        run("mesh", file, "-o", back)
        # Against what meshio itself reads back: some of its writers print fewer digits.
        compare(f"{file.name} ({name} {options})", meshio.read(file), meshio.read(back), 0)
        count += 1
    return count


solid, surface = FOLDER / "solid.mesh", FOLDER / "surface.mesh"
found = run("mesh", "--shape", "ball", "-o", solid)
assert found["elements"] == len(meshio.read(solid).cells_dict["tetra"])
run("mesh", solid, "-o", FOLDER / "surface.obj")
run("mesh", FOLDER / "surface.obj", "-o", surface)
total = check(solid, SOLID, THEIRS_SOLID) + check(surface, SURFACE, THEIRS_SURFACE)
print(f"{total} files agree with meshio {meshio.__version__}")
