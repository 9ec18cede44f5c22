//! A surface with a colour and a number at every vertex, for viewers: `.ply` (binary, `red green blue` and a `float` property)
//! and `.glb` (`COLOR_0` and an attribute whose name begins with `_`).
//!
//! Not a format of meshes: nothing is read back. Colours are sRGB; glTF wants light, and gets it.

use serde_json::json;

use pliant_linalg::Vec3;

use super::gltf::build::{Builder, material, smooth_normals};
use super::to_f32;
use crate::{MeshError, Result};

/// What is written.
#[derive(Clone, Copy, Debug)]
pub struct Painted<'a> {
    /// Positions, m.
    pub vertices: &'a [Vec3],
    /// Corners.
    pub triangles: &'a [[u32; 3]],
    /// sRGB, one a vertex.
    pub colours: &'a [[u8; 3]],
    /// What the number at every vertex is called: small letters.
    pub name: &'a str,
    /// The numbers, one a vertex; not finite where there is none.
    pub numbers: &'a [f64],
}

impl Painted<'_> {
    fn check(&self) -> Result<()> {
        let n = self.vertices.len();
        let sound = self.colours.len() == n
            && self.numbers.len() == n
            && self.triangles.as_flattened().iter().all(|&v| (v as usize) < n)
            && self.vertices.iter().all(|x| x.iter().all(|x| x.is_finite()));
        if sound {
            return Ok(());
        }
        let sentence =
            "a painted surface needs finite positions, and a colour and a number for each of its vertices";
        Err(MeshError::Inconsistent(sentence.into()))
    }

    /// As binary PLY.
    ///
    /// # Errors
    /// Parts that do not belong together.
    pub fn to_ply(&self) -> Result<Vec<u8>> {
        self.check()?;
        let header = format!(
            "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
             property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float {}\nelement face {}\n\
             property list uchar int vertex_indices\nend_header\n",
            self.vertices.len(),
            self.name,
            self.triangles.len()
        );
        let mut out = header.into_bytes();
        for ((x, colour), number) in self.vertices.iter().zip(self.colours).zip(self.numbers) {
            x.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
            out.extend_from_slice(colour);
            out.extend_from_slice(&(*number as f32).to_le_bytes());
        }
        for t in self.triangles {
            out.push(3);
            t.iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        }
        Ok(out)
    }

    /// As binary glTF.
    ///
    /// # Errors
    /// Parts that do not belong together, or positions that glTF's small numbers cannot hold.
    pub fn to_glb(&self) -> Result<Vec<u8>> {
        self.check()?;
        let mut builder = Builder::new();
        let light = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let colours: Vec<Vec3> = self.colours.iter().map(|c| Vec3::from(c.map(light))).collect();
        // A number that is none has no place in glTF, whose accessors are finite.
        let numbers = self.numbers.iter().map(|x| if x.is_finite() { to_f32("glTF", *x) } else { Ok(-1.0) });
        let numbers = numbers.collect::<Result<Vec<f32>>>()?;
        let mut attributes = json!({ "POSITION": builder.positions(self.vertices)? });
        attributes["NORMAL"] = builder.vectors(&smooth_normals(self.vertices, self.triangles))?.into();
        attributes["COLOR_0"] = builder.vectors(&colours)?.into();
        attributes[format!("_{}", self.name.to_uppercase())] = builder.numbers(&numbers).into();
        let primitive =
            json!({ "attributes": attributes, "indices": builder.triangles(self.triangles), "material": 0 });
        let document = json!({
            "meshes": [{ "primitives": [primitive] }],
            "nodes": [{ "mesh": 0 }],
            "materials": [material([1.0; 3])],
        });
        Ok(builder.glb(document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{self, Source};

    fn square() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        (corners.map(|[x, y]| Vec3::new(x, y, 0.5)).to_vec(), vec![[0, 1, 2], [0, 2, 3]])
    }

    #[test]
    fn both_are_read_back_as_meshes_and_hold_the_paint() {
        let (vertices, triangles) = square();
        let colours = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]];
        let numbers = [0.0, 1.5, f64::NAN, 3.0];
        let painted = Painted {
            vertices: &vertices,
            triangles: &triangles,
            colours: &colours,
            name: "distance",
            numbers: &numbers,
        };
        let (ply, glb) = (painted.to_ply().expect("a file"), painted.to_glb().expect("a file"));
        let alone = |_: &std::path::Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
        for (name, bytes) in [("a.ply", &ply), ("a.glb", &glb)] {
            let path = std::path::Path::new(name);
            let format = io::format_of(path).expect("a format");
            let loaded = io::read(format, &Source::memory(path, bytes.clone(), &alone)).expect("a mesh");
            assert_eq!((loaded.mesh.vertices.len(), loaded.mesh.elements.len()), (4, 2), "{name}");
        }
        let first = ply.len() - 2 * 13 - 4 * 31;
        assert_eq!(ply[first + 31 + 24..first + 31 + 27], [0, 255, 0]);
        assert_eq!(ply[first + 31 + 27..first + 62], 1.5_f32.to_le_bytes());
        let text = String::from_utf8_lossy(&glb);
        assert!(text.contains("COLOR_0") && text.contains("_DISTANCE"));
        let short = Painted { numbers: &numbers[1..], ..painted };
        assert!(short.to_ply().is_err() && short.to_glb().is_err());
    }
}
