//! Making glTF: a buffer with its views and accessors, and the JSON around it.

use pliant_linalg::Vec3;
use serde_json::{Value, json};

use super::FORMAT;
use crate::io::to_f32;
use crate::measure::area_vector;
use crate::{Faces, Result};

/// Component and buffer types of the specification.
pub(super) const FLOAT: u32 = 5126;
pub(super) const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// A buffer that grows, and what describes it.
pub(in crate::io) struct Builder {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Builder {
    pub(in crate::io) fn new() -> Self {
        Self { bytes: Vec::new(), views: Vec::new(), accessors: Vec::new() }
    }

    /// Positions, with the bounds that the specification demands. Returns the number of the accessor.
    pub(in crate::io) fn positions(&mut self, points: &[Vec3]) -> Result<usize> {
        let accessor = self.vectors(points)?;
        let [low, high] = crate::data::bounds(points);
        // What the bounds bound are the rounded numbers; rounding keeps order.
        self.accessors[accessor]["min"] = json!([low.x as f32, low.y as f32, low.z as f32]);
        self.accessors[accessor]["max"] = json!([high.x as f32, high.y as f32, high.z as f32]);
        Ok(accessor)
    }

    /// Vectors at vertices. Returns the number of the accessor.
    pub(in crate::io) fn vectors(&mut self, vectors: &[Vec3]) -> Result<usize> {
        let start = self.bytes.len();
        for x in vectors.iter().flat_map(|v| v.iter()) {
            self.bytes.extend_from_slice(&to_f32(FORMAT.title, *x)?.to_le_bytes());
        }
        self.view(start, Some(ARRAY_BUFFER));
        Ok(self.accessor(FLOAT, vectors.len(), "VEC3"))
    }

    /// Corners of triangles. Returns the number of the accessor.
    pub(in crate::io) fn triangles(&mut self, triangles: &[[u32; 3]]) -> usize {
        let start = self.bytes.len();
        for v in triangles.as_flattened() {
            self.bytes.extend_from_slice(&v.to_le_bytes());
        }
        self.view(start, Some(ELEMENT_ARRAY_BUFFER));
        self.accessor(UNSIGNED_INT, 3 * triangles.len(), "SCALAR")
    }

    /// Numbers that are not at vertices, such as times. Returns the number of the accessor.
    pub(in crate::io) fn numbers(&mut self, numbers: &[f32]) -> usize {
        let start = self.bytes.len();
        for x in numbers {
            self.bytes.extend_from_slice(&x.to_le_bytes());
        }
        self.view(start, None);
        let accessor = self.accessor(FLOAT, numbers.len(), "SCALAR");
        let fold = |f: fn(f32, f32) -> f32| numbers.iter().copied().reduce(f);
        if let (Some(low), Some(high)) = (fold(f32::min), fold(f32::max)) {
            self.accessors[accessor]["min"] = json!([low]);
            self.accessors[accessor]["max"] = json!([high]);
        }
        accessor
    }

    fn view(&mut self, start: usize, target: Option<u32>) {
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start });
        if let Some(target) = target {
            view["target"] = target.into();
        }
        self.views.push(view);
    }

    fn accessor(&mut self, component: u32, count: usize, kind: &str) -> usize {
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }));
        self.accessors.len() - 1
    }

    /// The whole document around `document`, whose buffer is at `uri` (in the same file without one).
    fn document(&self, mut document: Value, uri: Option<String>) -> Vec<u8> {
        let mut buffer = json!({ "byteLength": self.bytes.len() });
        if let Some(uri) = uri {
            buffer["uri"] = uri.into();
        }
        document["asset"] = json!({ "version": "2.0", "generator": "pliant" });
        document["scene"] = 0.into();
        document["scenes"] = json!([{ "nodes": [0] }]);
        document["buffers"] = json!([buffer]);
        document["bufferViews"] = json!(self.views);
        document["accessors"] = json!(self.accessors);
        document.to_string().into_bytes()
    }

    /// One binary file.
    pub(in crate::io) fn glb(mut self, document: Value) -> Vec<u8> {
        let mut json = self.document(document, None);
        json.resize(json.len().next_multiple_of(4), b' ');
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let length = 12 + 8 + json.len() + 8 + self.bytes.len();
        let mut out = Vec::with_capacity(length);
        // Lengths are 32 bits wide; 4 GiB of one surface do not come here.
        let word = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes();
        out.extend_from_slice(b"glTF");
        out.extend_from_slice(&word(2));
        out.extend_from_slice(&word(length));
        for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &self.bytes)] {
            out.extend_from_slice(&word(chunk.len()));
            out.extend_from_slice(kind);
            out.extend_from_slice(chunk);
        }
        out
    }

    /// The JSON, and the buffer for the file `bin`; without a name the buffer is in the JSON as base64.
    pub(super) fn gltf(self, document: Value, bin: Option<&str>) -> (Vec<u8>, Option<Vec<u8>>) {
        match bin {
            Some(name) => (self.document(document, Some(percent(name))), Some(self.bytes)),
            None => {
                let uri = format!("data:application/octet-stream;base64,{}", base64(&self.bytes));
                (self.document(document, Some(uri)), None)
            }
        }
    }
}

/// A calm surface, seen from both sides.
pub(in crate::io) fn material(color: [f64; 3]) -> Value {
    json!({
        "doubleSided": true,
        "pbrMetallicRoughness": {
            "baseColorFactor": [color[0], color[1], color[2], 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.6,
        },
    })
}

/// The triangles of a surface that has only triangles.
pub(super) fn triangles_of(faces: &Faces) -> Vec<[u32; 3]> {
    faces.corners().as_chunks().0.to_vec()
}

/// At each vertex the sum of the area vectors of its triangles, m².
pub(super) fn vertex_areas(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut areas = vec![Vec3::zeros(); vertices.len()];
    for t in triangles {
        let area = area_vector(&t.map(|v| vertices[v as usize]));
        t.iter().for_each(|&v| areas[v as usize] += area);
    }
    areas
}

/// Unit normals at vertices, weighted by area; (0, 0, 1) where there is none, since glTF demands length 1.
pub(in crate::io) fn smooth_normals(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    // Scaled, so that areas of huge or tiny meshes are still numbers.
    let scale = vertices.iter().flat_map(|p| p.iter()).fold(0.0f64, |m, x| m.max(x.abs()));
    let scaled: Vec<Vec3> = vertices.iter().map(|p| p / scale).collect();
    vertex_areas(&scaled, triangles).into_iter().map(unit).collect()
}

/// The vector of length 1 along `v`; (0, 0, 1) where there is none.
pub(super) fn unit(v: Vec3) -> Vec3 {
    let n = v.normalize();
    if (n.norm() - 1.0).abs() < 1e-6 { n } else { Vec3::z() }
}

/// A file name as a URI.
fn percent(name: &str) -> String {
    use std::fmt::Write as _;
    name.bytes().fold(String::new(), |mut out, b| {
        if b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'~') {
            out.push(b as char);
        } else {
            let _ = write!(out, "%{b:02X}");
        }
        out
    })
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize] as char;
            out.push(if i <= chunk.len() { digit } else { '=' });
        }
    }
    out
}

/// The bytes behind base64; `None` when it is none.
pub(super) fn from_base64(text: &[u8]) -> Option<Vec<u8>> {
    let digits = text.trim_ascii();
    let digits = digits.strip_suffix(b"==").or(digits.strip_suffix(b"=")).unwrap_or(digits);
    let mut out = Vec::with_capacity(digits.len() / 4 * 3 + 3);
    let (mut word, mut bits) = (0u32, 0);
    for &c in digits {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        word = word << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push((word >> bits) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_comes_back() {
        assert_eq!(base64(b"pliant"), "cGxpYW50");
        assert_eq!(base64(b"plian"), "cGxpYW4=");
        for n in 0..20u8 {
            let bytes: Vec<u8> = (0..n).map(|i| i.wrapping_mul(77).wrapping_add(n)).collect();
            assert_eq!(from_base64(base64(&bytes).as_bytes()).unwrap(), bytes);
        }
        assert_eq!(from_base64(b"a*b"), None);
    }
}
