//! Rows of `pliant bench`: u = U q and p = Uᵀ f beside the speed of the memory that U lies in.

use std::hint::black_box;

use pliant::linalg::{probe, rows as product};

use super::{Row, median};

/// 100,000 vertices, 60 coordinates: 144 MB.
const VERTICES: usize = 100_000;
const RANK: usize = 60;

/// The product may take so much of the time that reading U takes: 80 % of the bandwidth.
const SHARE: f64 = 1.0 / 0.8;

pub(super) fn rows() -> anyhow::Result<Vec<Row>> {
    let basis: Vec<f64> = (0..3 * VERTICES * RANK).map(|k| (k % 1009) as f64 * 1e-3 - 0.5).collect();
    let q: Vec<f64> = (0..RANK).map(|k| (k as f64).sin()).collect();
    let (mut u, mut p) = (vec![0.0; 3 * VERTICES], vec![0.0; RANK]);
    let read = median(9, || {
        black_box(probe::read(black_box(&basis)));
        anyhow::Ok(())
    })?;
    let expand = median(9, || {
        product::expand(black_box(&basis), &q, &mut u);
        anyhow::Ok(())
    })?;
    let project = median(9, || {
        product::project(black_box(&basis), &u, &mut p);
        anyhow::Ok(())
    })?;
    let bytes = (8 * basis.len()) as f64;
    let row = |name: String, seconds: f64, limit| Row { name, value: 1e3 * seconds, unit: "ms", limit };
    Ok(vec![
        Row { name: "reading memory".into(), value: 1e-9 * bytes / read, unit: "GB/s", limit: None },
        row(format!("u = U q, {VERTICES} vertices, r = {RANK}"), expand, Some(1e3 * SHARE * read)),
        row(format!("p = Uᵀ f, {VERTICES} vertices, r = {RANK}"), project, Some(1e3 * SHARE * read)),
    ])
}
