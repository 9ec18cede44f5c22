"""The same warp by SimKit (PyPI): time of one, its factorisation at hand, and how far the result is from ours.

warp_peer.py FOLDER   reads rest.npy, tets.npy, pinned.npy, u.npy and warped.npy, prints a line of JSON.
"""

import json
import sys
import time

import numpy as np
import simkit

folder = sys.argv[1]
X, T, pinned, u, ours = (np.load(f"{folder}/{name}.npy") for name in ("rest", "tets", "pinned", "u", "warped"))
start = time.perf_counter()
pre = simkit.RSPrecompute(X, T, pinned) if hasattr(simkit, "RSPrecompute") else None
if pre is None:
    from simkit.rotation_strain_coordinates import RSPrecompute

    pre = RSPrecompute(X, T, pinned)
prepare = time.perf_counter() - start
from simkit.rotation_strain_coordinates import rotation_strain_coordinates  # noqa: E402

times = []
for _ in range(3):
    start = time.perf_counter()
    theirs, _ = rotation_strain_coordinates(X, T, u, pre=pre)
    times.append(time.perf_counter() - start)
apart = np.linalg.norm(np.asarray(theirs).reshape(-1, 3) - ours, axis=1).max() / np.ptp(X, axis=0).max()
print(json.dumps({"prepare": prepare, "full": sorted(times)[1], "apart": float(apart)}))
