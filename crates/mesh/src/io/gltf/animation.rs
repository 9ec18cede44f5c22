//! A moving surface as glTF morph targets: x(t) = X + Σ q_k(t) U_k.
//!
//! Some programs (Blender) clamp morph weights to 0..1, so what is written is shifted and scaled; the sum is the same:
//! ```text
//! base = X + Σ min_t(q_k) U_k,   target_k = (max_t − min_t)(q_k) U_k,   w_k = (q_k − min)/(max − min)      (1)
//! ```
//! Normals are morphed too. With a(x) = Σ ½ (x_j − x_i) × (x_l − x_i) over the triangles around a vertex and a_k its
//! derivative along U_k, both at X, the normal is along a + Σ q_k a_k: exact to first order in q. glTF wants the normal
//! of the base to have length 1, and viewers normalise the sum, so at each vertex everything is divided by one number.
//! Under large deformation these normals drift; positions are exact to 32 bits.

use pliant_linalg::Vec3;
use serde_json::json;

use super::build::{Builder, smooth_normals, triangles_of, vertex_areas};
use crate::io::to_f32;
use crate::{Elements, Kind, MeshData, MeshError, Result};

/// Lengths in a `.glb` have 32 bits; some room is for the rest.
const MOST_BYTES: usize = 4_000_000_000;

/// What [`write_animation`] writes.
#[derive(Clone, Copy, Debug)]
pub struct MorphAnimation<'a> {
    /// X, the surface at rest: triangles, metres. Its regions have colours.
    pub surface: &'a MeshData,
    /// U: for each coordinate the displacement of every vertex, metres for q = 1.
    pub targets: &'a [Vec<Vec3>],
    /// A name for each target; none for `q0`, `q1`, …
    pub names: &'a [String],
    /// Motions of it, played one at a time; at least one.
    pub clips: &'a [MorphClip<'a>],
    /// Red, green, blue of a surface without regions, linear, 0 to 1.
    pub base_color: [f64; 3],
}

/// One motion.
#[derive(Clone, Debug)]
pub struct MorphClip<'a> {
    /// What viewers call it.
    pub name: String,
    /// The time of each frame, seconds, ascending from 0 or later.
    pub times: &'a [f64],
    /// q at each frame: as many numbers as there are targets.
    pub weights: &'a [Vec<f64>],
}

/// A `.glb` of a surface that moves.
///
/// # Errors
/// When the parts do not belong together, a number is not finite or does not fit 32 bits.
pub fn write_animation(animation: &MorphAnimation<'_>) -> Result<Vec<u8>> {
    check(animation)?;
    let MorphAnimation { surface, targets, clips, base_color, .. } = *animation;
    let Elements::Faces(faces) = &surface.elements else { unreachable!("checked: a surface of triangles") };
    let (vertices, triangles) = (&surface.vertices[..], &triangles_of(faces)[..]);
    let range = |k: usize| {
        let q = clips.iter().flat_map(|c| c.weights).map(|q| q[k]);
        (q.clone().fold(f64::INFINITY, f64::min), q.fold(f64::NEG_INFINITY, f64::max))
    };
    let ranges: Vec<(f64, f64)> = (0..targets.len()).map(range).collect();
    let shifted = |start: &[Vec3], columns: &[Vec<Vec3>]| {
        let mut sum = start.to_vec();
        for (column, (low, _)) in columns.iter().zip(&ranges) {
            sum.iter_mut().zip(column).for_each(|(s, u)| *s += u * *low);
        }
        sum
    };
    // (1)
    let mut builder = Builder::new();
    let base = builder.positions(&shifted(vertices, targets))?;
    let area = vertex_areas(vertices, triangles);
    let area_columns: Vec<Vec<Vec3>> =
        targets.iter().map(|u| area_derivative(vertices, triangles, u)).collect();
    let base_area = shifted(&area, &area_columns);
    let rest_normals = smooth_normals(vertices, triangles);
    // Where the shifted base has no normal to speak of, the normal of the rest shape stays.
    let length: Vec<Option<f64>> = area
        .iter()
        .zip(&base_area)
        .map(|(a, b)| Some(b.norm()).filter(|n| *n > 1e-6 * a.norm() && n.is_normal()))
        .collect();
    let normals: Vec<Vec3> =
        (0..vertices.len()).map(|v| length[v].map_or(rest_normals[v], |n| base_area[v] / n)).collect();
    let normals = builder.vectors(&normals)?;
    let mut morphs = Vec::with_capacity(targets.len());
    for (k, (low, high)) in ranges.iter().enumerate() {
        let span = high - low;
        let target: Vec<Vec3> = targets[k].iter().map(|u| u * span).collect();
        let normal: Vec<Vec3> = (0..vertices.len())
            .map(|v| length[v].map_or(Vec3::zeros(), |n| area_columns[k][v] * (span / n)))
            .collect();
        morphs.push(json!({ "POSITION": builder.positions(&target)?, "NORMAL": builder.vectors(&normal)? }));
    }
    let attributes = json!({ "POSITION": base, "NORMAL": normals });
    let (mut primitives, materials) =
        super::pieces(surface, triangles, &mut builder, &attributes, base_color);
    let mut mesh = json!({});
    let mut document = json!({ "nodes": [{ "mesh": 0 }], "materials": materials });
    if !targets.is_empty() {
        let shifted = |clip: &MorphClip<'_>| -> Vec<Vec<f32>> {
            let weight = |(q, (low, high)): (&f64, &(f64, f64))| {
                if high > low { ((q - low) / (high - low)) as f32 } else { 0.0 }
            };
            clip.weights.iter().map(|q| q.iter().zip(&ranges).map(weight).collect()).collect()
        };
        primitives.iter_mut().for_each(|p| p["targets"] = json!(morphs));
        let usual = || (0..targets.len()).map(|k| format!("q{k}")).collect();
        let names: Vec<String> = if animation.names.is_empty() { usual() } else { animation.names.to_vec() };
        mesh["weights"] = json!(shifted(&clips[0])[0]);
        mesh["extras"] = json!({ "targetNames": names });
        let mut inputs: Vec<(Vec<f32>, usize)> = Vec::new();
        let mut animations = Vec::new();
        for clip in clips {
            let times = rounded_times(clip.times)?;
            // Clips that share their times share the numbers.
            let input = match inputs.iter().find(|i| i.0 == times) {
                Some((_, input)) => *input,
                None => {
                    let input = builder.numbers(&times);
                    inputs.push((times, input));
                    input
                }
            };
            let output = builder.numbers(&shifted(clip).concat());
            animations.push(json!({
                "name": clip.name,
                "samplers": [{ "input": input, "output": output, "interpolation": "LINEAR" }],
                "channels": [{ "sampler": 0, "target": { "node": 0, "path": "weights" } }],
            }));
        }
        document["animations"] = json!(animations);
    }
    mesh["primitives"] = json!(primitives);
    document["meshes"] = json!([mesh]);
    Ok(builder.glb(document))
}

/// Times in 32 bits, refused when two become one.
fn rounded_times(times: &[f64]) -> Result<Vec<f32>> {
    let times = times.iter().map(|t| to_f32("glTF 2.0", *t)).collect::<Result<Vec<f32>>>()?;
    match times.windows(2).find(|w| w[1] <= w[0]) {
        Some(w) => Err(MeshError::Inconsistent(format!(
            "the times {} and {} s of two frames are the same in 32 bits; start the animation nearer to 0",
            w[0], w[1]
        ))),
        None => Ok(times),
    }
}

fn check(a: &MorphAnimation<'_>) -> Result<()> {
    let bad = |sentence: String| Err(MeshError::Inconsistent(sentence));
    a.surface.check()?;
    let vertices = a.surface.vertices.len();
    if a.surface.kind() != Kind::Triangles {
        return Err(MeshError::WrongKind {
            found: a.surface.kind().name(),
            needed: "triangles",
            next: crate::terms::TRIANGLES,
        });
    }
    for (k, target) in a.targets.iter().enumerate() {
        if target.len() != vertices {
            return bad(format!(
                "target {k} moves {} vertices, but the surface has {vertices}",
                target.len()
            ));
        }
        crate::data::check_vertices(target)?;
    }
    let size = (a.targets.len() + 1).saturating_mul(24 * vertices);
    if size > MOST_BYTES {
        return Err(MeshError::Format {
            format: super::FORMAT.title,
            problem: format!("{} targets of {vertices} vertices are {size} bytes", a.targets.len()),
            next: format!("a file holds {MOST_BYTES}: take fewer targets or a coarser surface"),
        });
    }
    if !a.names.is_empty() && a.names.len() != a.targets.len() {
        return bad(format!("{} names for {} targets, expected as many", a.names.len(), a.targets.len()));
    }
    if a.clips.is_empty() {
        return bad("an animation without a clip; expected at least one".into());
    }
    for clip in a.clips {
        check_clip(clip, a.targets.len())?;
    }
    Ok(())
}

fn check_clip(clip: &MorphClip<'_>, targets: usize) -> Result<()> {
    let bad = |sentence: String| Err(MeshError::Inconsistent(sentence));
    if clip.times.is_empty() || clip.times.len() != clip.weights.len() {
        return bad(format!(
            "{} times for {} frames, expected as many and at least one",
            clip.times.len(),
            clip.weights.len()
        ));
    }
    if !(clip.times.is_sorted_by(|s, t| s < t) && clip.times.iter().all(|t| t.is_finite() && *t >= 0.0)) {
        return bad("the times of the frames are not ascending from 0 s or later".into());
    }
    for (frame, q) in clip.weights.iter().enumerate() {
        if q.len() != targets || !q.iter().all(|q| q.is_finite()) {
            return bad(format!(
                "frame {frame} has {} weights for {targets} targets, or one that is not finite",
                q.len()
            ));
        }
    }
    Ok(())
}

/// The derivative of [`vertex_areas`] when the vertices move along `u`.
fn area_derivative(x: &[Vec3], triangles: &[[u32; 3]], u: &[Vec3]) -> Vec<Vec3> {
    let mut derivative = vec![Vec3::zeros(); x.len()];
    for t in triangles {
        let [i, j, l] = t.map(|v| v as usize);
        let (e, f, de, df) = (x[j] - x[i], x[l] - x[i], u[j] - u[i], u[l] - u[i]);
        let da = (de.cross(&f) + e.cross(&df)) * 0.5;
        [i, j, l].into_iter().for_each(|v| derivative[v] += da);
    }
    derivative
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::gltf::document::Document;
    use crate::io::gltf::numbers::Numbers;
    use crate::io::{Source, gltf};
    use std::rc::Rc;

    struct Body {
        surface: MeshData,
        x: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        u: Vec<Vec<Vec3>>,
        q: Vec<Vec<f64>>,
        times: Vec<f64>,
    }

    fn body() -> Body {
        let solid = crate::shapes::ball(1.0, 3);
        let x = solid.vertices().to_vec();
        let bend = |p: &Vec3| Vec3::new(0.0, p.x * p.x, -2.0 * p.y);
        let twist = |p: &Vec3| Vec3::new(-p.y * p.z, p.x * p.z, 0.1);
        let still = |p: &Vec3| Vec3::new(p.z, 0.0, 0.0);
        let u =
            vec![x.iter().map(bend).collect(), x.iter().map(twist).collect(), x.iter().map(still).collect()];
        let times: Vec<f64> = (0..20).map(|i| f64::from(i) / 30.0).collect();
        // Signed, larger than 1, one that never passes 0, one that stays.
        let q = times.iter().map(|t| vec![3.0 * (9.0 * t).sin(), -2.0 + t, 0.25]).collect();
        let triangles = crate::topology::boundary_faces(solid.tets());
        let surface = MeshData::from_faces(x.clone(), crate::Faces::from_triangles(&triangles));
        Body { surface, triangles, x, u, q, times }
    }

    impl Body {
        fn write(&self) -> Vec<u8> {
            let clip = MorphClip { name: "swing".into(), times: &self.times, weights: &self.q };
            write_animation(&MorphAnimation {
                surface: &self.surface,
                targets: &self.u,
                names: &[],
                clips: &[clip],
                base_color: [0.9, 0.5, 0.2],
            })
            .unwrap()
        }

        /// X + U q.
        fn at(&self, q: &[f64]) -> Vec<Vec3> {
            let move_ = |v: usize| (0..q.len()).map(|k| self.u[k][v] * q[k]).sum::<Vec3>();
            (0..self.x.len()).map(|v| self.x[v] + move_(v)).collect()
        }
    }

    /// Adds up base and targets of a written file with weights of a frame, as a viewer does.
    fn shown(glb: &[u8], attribute: &str, frame: usize) -> Vec<Vec3> {
        let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
        let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
        let document: Document = serde_json::from_slice(&glb[20..20 + length]).unwrap();
        let buffers = [Rc::new(glb[28 + length..].to_vec())];
        let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        let source = Source::memory("t.glb", glb.to_vec(), &open);
        let mut numbers = Numbers::new(&source, &document, &buffers);
        let number = |v: &serde_json::Value| v.as_u64().unwrap() as usize;
        let primitive = &json["meshes"][0]["primitives"][0];
        let mut sum = numbers.points(number(&primitive["attributes"][attribute])).unwrap();
        let output = number(&json["animations"][0]["samplers"][0]["output"]);
        let start = number(&json["bufferViews"][output]["byteOffset"]);
        let targets = primitive["targets"].as_array().unwrap();
        for (k, target) in targets.iter().enumerate() {
            let at = start + 4 * (frame * targets.len() + k);
            let w = f32::from_le_bytes(buffers[0][at..at + 4].try_into().unwrap());
            assert!((0.0..=1.0).contains(&w), "weight {w} would be clamped");
            let target = numbers.points(number(&target[attribute])).unwrap();
            sum.iter_mut().zip(target).for_each(|(s, t)| *s += t * f64::from(w));
        }
        sum
    }

    #[test]
    fn base_and_targets_add_up_to_x_plus_u_q() {
        let body = body();
        let glb = body.write();
        for frame in 0..body.times.len() {
            let exact = body.at(&body.q[frame]);
            for (shown, exact) in shown(&glb, "POSITION", frame).iter().zip(&exact) {
                // Base and targets are up to 10 long: a few roundings of 32 bits.
                assert!((shown - exact).norm() < 1e-5, "frame {frame}: {shown} instead of {exact}");
            }
        }
    }

    #[test]
    fn the_reader_shows_the_first_frame() {
        let body = body();
        let open = |_: &std::path::Path| Err(std::io::ErrorKind::NotFound.into());
        let loaded = crate::io::read(&gltf::FORMAT, &Source::memory("t.glb", body.write(), &open)).unwrap();
        for (read, exact) in loaded.mesh.vertices.iter().zip(body.at(&body.q[0])) {
            assert!((read - exact).norm() < 1e-5);
        }
    }

    #[test]
    fn normals_are_right_to_first_order() {
        let mut body = body();
        let mut error = |size: f64| {
            body.q =
                [-1.0, 0.5, 1.0].iter().map(|s| vec![0.3 * size * s, -size * s, 0.2 * size * s]).collect();
            body.times = vec![0.0, 0.5, 1.0];
            let glb = body.write();
            let exact = smooth_normals(&body.at(&body.q[2]), &body.triangles);
            let used: Vec<usize> = body.triangles.as_flattened().iter().map(|v| *v as usize).collect();
            let shown = shown(&glb, "NORMAL", 2);
            used.iter().map(|&v| (shown[v].normalize() - exact[v]).norm()).fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(0.1), error(0.01));
        let order = (coarse / fine).log10();
        assert!(order > 1.8, "order {order:.2} (want 2), errors {coarse:.1e} → {fine:.1e}");
    }

    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let body = body();
        let clip = MorphClip { name: String::new(), times: &body.times, weights: &body.q };
        let clips = [clip.clone()];
        let sound = MorphAnimation {
            surface: &body.surface,
            targets: &body.u,
            names: &[],
            clips: &clips,
            base_color: [1.0; 3],
        };
        let back: Vec<f64> = body.times.iter().rev().copied().collect();
        let other = crate::shapes::ball(1.0, 2).boundary().into_data();
        for bad in [
            MorphAnimation { surface: &other, ..sound },
            MorphAnimation { surface: &crate::shapes::ball(1.0, 3).into_data(), ..sound },
            MorphAnimation { targets: &body.u[1..], ..sound },
            MorphAnimation { names: &["one".into()], ..sound },
            MorphAnimation { clips: &[], ..sound },
            MorphAnimation { clips: &[MorphClip { times: &body.times[1..], ..clip.clone() }], ..sound },
            MorphAnimation { clips: &[clip.clone(), MorphClip { times: &back, ..clip.clone() }], ..sound },
        ] {
            assert!(write_animation(&bad).is_err());
        }
        // A surface that does not move is a file too.
        let still = vec![Vec::new(); body.times.len()];
        let clips = [MorphClip { weights: &still, ..clip }];
        write_animation(&MorphAnimation { targets: &[], clips: &clips, ..sound }).unwrap();
    }
}
