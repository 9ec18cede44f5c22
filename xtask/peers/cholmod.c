/* Times CHOLMOD (supernodal, METIS ordering) on a matrix, as a yardstick: cholmod MATRIX
 *
 * MATRIX: little-endian; rows n and stored numbers m as 64-bit integers, then n + 1 column starts and m row indices as
 * 32-bit integers (lower triangle by column), then m doubles. Prints the best times in seconds as one JSON object.
 * Threads are what OPENBLAS_NUM_THREADS says. */
#include <cholmod.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void take(void *into, size_t size, size_t count, FILE *file) {
    if (fread(into, size, count, file) != count) {
        fprintf(stderr, "the matrix file ends too early\n");
        exit(1);
    }
}

static double best_solve(cholmod_factor *L, size_t n, size_t columns, int repeat, cholmod_common *c) {
    cholmod_dense *b = cholmod_ones(n, columns, CHOLMOD_REAL, c);
    cholmod_dense *x = NULL, *y = NULL, *e = NULL;
    double best = 1e300;
    for (int k = 0; k < repeat; k++) {
        double start = now();
        cholmod_solve2(CHOLMOD_A, L, b, NULL, &x, NULL, &y, &e, c);
        double time = now() - start;
        best = time < best ? time : best;
    }
    cholmod_free_dense(&b, c);
    cholmod_free_dense(&x, c);
    cholmod_free_dense(&y, c);
    cholmod_free_dense(&e, c);
    return best;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: cholmod MATRIX\n");
        return 2;
    }
    int64_t sizes[2];
    take(sizes, 8, 2, file);
    size_t n = sizes[0], m = sizes[1];
    cholmod_common c;
    cholmod_start(&c);
    c.supernodal = CHOLMOD_SUPERNODAL;
    c.nmethods = 1;
    c.method[0].ordering = CHOLMOD_METIS;
    c.postorder = 1;
    cholmod_sparse *A = cholmod_allocate_sparse(n, n, m, 0, 1, -1, CHOLMOD_REAL, &c);
    take(A->p, 4, n + 1, file);
    take(A->i, 4, m, file);
    take(A->x, 8, m, file);
    fclose(file);
    double start = now();
    cholmod_factor *L = cholmod_analyze(A, &c);
    double analyse = now() - start, factorise = 1e300;
    for (int k = 0; k < 3; k++) {
        start = now();
        cholmod_factorize(A, L, &c);
        double time = now() - start;
        factorise = time < factorise ? time : factorise;
    }
    if (c.status != CHOLMOD_OK) {
        fprintf(stderr, "CHOLMOD failed with status %d\n", c.status);
        return 1;
    }
    double one = best_solve(L, n, 1, 8, &c), many = best_solve(L, n, 16, 4, &c);
    printf("{\"analyse\":%.6f,\"factorise\":%.6f,\"solve_1\":%.6f,\"solve_16\":%.6f,\"stored\":%zu}\n", analyse,
           factorise, one, many, (size_t)L->xsize);
    cholmod_free_factor(&L, &c);
    cholmod_free_sparse(&A, &c);
    cholmod_finish(&c);
    return 0;
}
