"""The lowest modes by SciPy's eigsh (ARPACK), shift-invert through CHOLMOD: the peer of our own eigenpairs.

modes_peer.py FOLDER K...   reads stiffness.bin and mass.bin, prints a line of JSON for each K.
"""

import json
import sys
import time

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, eigsh
from sksparse.cholmod import analyze


def matrix(path):
    """The lower triangle by columns; the whole matrix comes back."""
    with open(path, "rb") as f:
        n, entries = np.fromfile(f, "<u8", 2)
        starts = np.fromfile(f, "<i8", int(n) + 1)
        rows = np.fromfile(f, "<i8", int(entries))
        values = np.fromfile(f, "<f8", int(entries))
    lower = sp.csc_matrix((values, rows.astype(np.int32), starts.astype(np.int32)), shape=(int(n), int(n)))
    return (lower + sp.tril(lower, -1).T).tocsc()


folder, counts = sys.argv[1], [int(k) for k in sys.argv[2:]]
K, M = matrix(folder + "/stiffness.bin"), matrix(folder + "/mass.bin")
for k in counts:
    start, cpu = time.perf_counter(), time.process_time()
    factor = analyze(K, mode="supernodal", ordering_method="metis")
    factor.cholesky_inplace(K)
    factorised = time.process_time() - cpu
    solves = 0

    def solve(b):
        global solves
        solves += 1
        return factor(b)

    inverse = LinearOperator(K.shape, matvec=solve, dtype=float)
    values, vectors = eigsh(K, k, M, sigma=0.0, OPinv=inverse, which="LM", tol=1e-9)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    left = K @ vectors
    residual = np.linalg.norm(left - (M @ vectors) * values, axis=0) / np.linalg.norm(left, axis=0)
    print(json.dumps({
        "modes": k,
        "seconds": round(seconds, 3),
        "cpu": round(cpu, 2),
        "cpu_factor": round(factorised, 2),
        "solves": solves,
        "residual": float(residual.max()),
        "first": values.min(),
        "last": values.max(),
    }), flush=True)
