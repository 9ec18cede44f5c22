//! What the JSON of a glTF file says, as far as shapes go. Everything may be missing: the reader says what it needs.

use serde::Deserialize;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Document {
    pub(super) asset: Asset,
    pub(super) extensions_required: Vec<String>,
    pub(super) scene: Option<usize>,
    pub(super) scenes: Vec<Scene>,
    pub(super) nodes: Vec<Node>,
    pub(super) meshes: Vec<Mesh>,
    pub(super) accessors: Vec<Accessor>,
    pub(super) buffer_views: Vec<View>,
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Asset {
    pub(super) version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Scene {
    pub(super) nodes: Vec<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Node {
    pub(super) name: Option<String>,
    pub(super) children: Vec<usize>,
    pub(super) mesh: Option<usize>,
    pub(super) skin: Option<usize>,
    pub(super) weights: Option<Vec<f64>>,
    /// Column by column.
    pub(super) matrix: Option<[f64; 16]>,
    pub(super) translation: Option<[f64; 3]>,
    /// x, y, z, w.
    pub(super) rotation: Option<[f64; 4]>,
    pub(super) scale: Option<[f64; 3]>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Mesh {
    pub(super) name: Option<String>,
    pub(super) primitives: Vec<Primitive>,
    pub(super) weights: Option<Vec<f64>>,
    pub(super) extras: Extras,
}

/// Other programs put anything here.
#[derive(Default, Deserialize)]
#[serde(from = "serde_json::Value")]
pub(super) struct Extras {
    pub(super) pliant: Vec<String>,
}

impl From<serde_json::Value> for Extras {
    fn from(value: serde_json::Value) -> Self {
        let lines = value.get("pliant").and_then(|v| v.as_array()).map(Vec::as_slice).unwrap_or_default();
        Self { pliant: lines.iter().filter_map(|l| l.as_str().map(str::to_owned)).collect() }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Primitive {
    pub(super) mode: Option<u32>,
    pub(super) indices: Option<usize>,
    pub(super) attributes: Attributes,
    pub(super) targets: Vec<Attributes>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<usize>,
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) sparse: Option<Sparse>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparsePart,
    pub(super) values: SparsePart,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct SparsePart {
    pub(super) buffer_view: usize,
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct View {
    pub(super) buffer: usize,
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) byte_stride: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) uri: Option<String>,
    pub(super) byte_length: u64,
}
