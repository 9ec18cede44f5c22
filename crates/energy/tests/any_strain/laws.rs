//! The laws as they are printed, in twice the digits: what cancels may cancel.

use pliant_energy::material::Isotropic;
use pliant_energy::shell;
use pliant_linalg::Vec3;
use pliant_mesh::TetMesh;
use pliant_testkit::double::Double;

type Matrix = [[Double; 3]; 3];
type Vector = [Double; 3];

fn number(x: f64) -> Double {
    x.into()
}

fn matrix(of: impl Fn(usize, usize) -> Double) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| of(i, j)))
}

fn identity() -> Matrix {
    matrix(|i, j| number(f64::from(u8::from(i == j))))
}

fn product(A: &Matrix, B: &Matrix) -> Matrix {
    matrix(|i, j| (0..3).map(|k| A[i][k] * B[k][j]).sum())
}

fn transpose(A: &Matrix) -> Matrix {
    matrix(|i, j| A[j][i])
}

fn minus(A: &Matrix, B: &Matrix) -> Matrix {
    matrix(|i, j| A[i][j] - B[i][j])
}

fn trace(A: &Matrix) -> Double {
    A[0][0] + A[1][1] + A[2][2]
}

fn squared(A: &Matrix) -> Double {
    A.iter().flatten().map(|x| *x * *x).sum()
}

fn cofactor(A: &Matrix) -> Matrix {
    matrix(|i, j| {
        let at = |r: usize, c: usize| A[(i + r) % 3][(j + c) % 3];
        at(1, 1) * at(2, 2) - at(1, 2) * at(2, 1)
    })
}

fn determinant(A: &Matrix) -> Double {
    let C = cofactor(A);
    (0..3).map(|k| A[0][k] * C[0][k]).sum()
}

/// The rotation of the polar decomposition, by Newton: R ← ½(R + R⁻ᵀ).
fn rotation(F: &Matrix) -> Matrix {
    let mut R = *F;
    for _ in 0..12 {
        let (C, det) = (cofactor(&R), determinant(&R));
        R = matrix(|i, j| (R[i][j] + C[i][j] / det) * 0.5);
    }
    R
}

/// ψ at 1 + H, H in rows.
///
/// A new law of the table needs a line here: how it is printed.
pub(crate) fn density(name: &str, isotropic: &Isotropic, H: &[Double]) -> Double {
    let (mu, lambda) = (number(isotropic.mu()), number(isotropic.lambda()));
    let one = number(1.0);
    let H = matrix(|i, j| H[3 * i + j]);
    let F = matrix(|i, j| identity()[i][j] + H[i][j]);
    let C = product(&transpose(&F), &F);
    let (I1, J) = (trace(&C), determinant(&F));
    let hooke = |E: &Matrix| mu * squared(E) + lambda * trace(E) * trace(E) * 0.5;
    match name {
        "linear" => hooke(&matrix(|i, j| (H[i][j] + H[j][i]) * 0.5)),
        // No stretch is below one half here.
        "stvk" | "invertible-stvk" => hooke(&matrix(|i, j| (C[i][j] - identity()[i][j]) * 0.5)),
        "corotational" | "projective" => {
            let R = rotation(&F);
            let growth = trace(&product(&transpose(&R), &F)) - number(3.0);
            let lambda = if name == "projective" { number(0.0) } else { lambda };
            mu * squared(&minus(&F, &R)) + lambda * growth * growth * 0.5
        }
        "neo-hookean" => {
            let log = J.ln();
            mu * (I1 - number(3.0)) * 0.5 - mu * log + lambda * log * log * 0.5
        }
        "stable-neo-hookean" => {
            let (m, l) = (mu * 4.0 / number(3.0), lambda + mu * 5.0 / number(6.0));
            let a = one + m * 3.0 / (l * 4.0);
            let at = |I: Double, J: Double| {
                m * (I - number(3.0)) * 0.5 + l * (J - a) * (J - a) * 0.5 - m * (I + one).ln() * 0.5
            };
            at(I1, J) - at(number(3.0), one)
        }
        "mooney-rivlin" => {
            let (quarter, v1) = (mu * 0.25, lambda * 0.5 + mu / number(3.0));
            let I2 = (I1 * I1 - squared(&C)) * 0.5;
            let p = (-(J.ln() * 2.0) / number(3.0)).exp();
            quarter * (I1 * p - number(3.0))
                + quarter * (I2 * p * p - number(3.0))
                + v1 * (J - one) * (J - one)
        }
        other => panic!("the law {other} is not written down in twice the digits: add it to this file"),
    }
}

/// W of a solid at displacements u.
pub(crate) fn bar(name: &str, isotropic: &Isotropic, mesh: &TetMesh, u: &[Double]) -> Double {
    let tet = |corners: &[u32; 4]| {
        let side = |a: usize, c: usize| {
            let [x, y] = [corners[a], corners[0]].map(|v| mesh.vertices()[v as usize][c]);
            number(x) - number(y)
        };
        let moved = |a: usize, c: usize| u[3 * corners[a] as usize + c] - u[3 * corners[0] as usize + c];
        let (rest, moved) = (matrix(|c, a| side(a + 1, c)), matrix(|c, a| moved(a + 1, c)));
        let det = determinant(&rest);
        let inverse = matrix(|i, j| cofactor(&rest)[j][i] / det);
        let H = product(&moved, &inverse);
        density(name, isotropic, H.as_flattened()) * det / number(6.0)
    };
    mesh.tets().iter().map(tet).sum()
}

fn between(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| b[k] - a[k])
}

fn dot(a: &Vector, b: &Vector) -> Double {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

fn length(a: &Vector) -> Double {
    dot(a, a).sqrt()
}

/// W of the triangles (0, 1, 2) and (1, 0, 3) at displacements u.
///
/// A new energy of the table needs a line here.
pub(crate) fn two_triangles(
    name: &str,
    constants: &shell::Constants,
    rest: &[Vec3; 4],
    u: &[Double],
) -> Double {
    assert_eq!(
        name, "discrete-shells",
        "{name} is not written down in twice the digits: add it to this file"
    );
    let shape = |moved: bool| -> [Vector; 4] {
        std::array::from_fn(|v| {
            std::array::from_fn(|c| {
                let x = number(rest[v][c]);
                if moved { x + u[3 * v + c] } else { x }
            })
        })
    };
    let edge = |x: &[Vector; 4], a: usize, b: usize| length(&between(&x[a], &x[b]));
    let area = |x: &[Vector; 4], a: usize, b: usize, c: usize| {
        length(&cross(&between(&x[a], &x[b]), &between(&x[a], &x[c]))) * 0.5
    };
    let angle = |x: &[Vector; 4]| {
        let (e, a, b) = (between(&x[0], &x[1]), between(&x[0], &x[2]), between(&x[0], &x[3]));
        let (n, m) = (cross(&e, &a), cross(&b, &e));
        (length(&e) * dot(&m, &a)).atan2(dot(&n, &m))
    };
    let (x, y) = (shape(false), shape(true));
    let change = |now: Double, before: Double| (now - before) * (now - before);
    let lengths: Double = [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3)]
        .iter()
        .map(|&(a, b)| change(edge(&y, a, b), edge(&x, a, b)) / edge(&x, a, b) * 0.5)
        .sum();
    let areas: Double = [(0, 1, 2), (1, 0, 3)]
        .iter()
        .map(|&(a, b, c)| change(area(&y, a, b, c), area(&x, a, b, c)) / area(&x, a, b, c) * 0.5)
        .sum();
    let around = area(&x, 0, 1, 2) + area(&x, 1, 0, 3);
    let bend = change(angle(&y), angle(&x)) * edge(&x, 0, 1) * edge(&x, 0, 1) / around * 1.5;
    bend * constants.bend + (lengths + areas) * constants.membrane
}
