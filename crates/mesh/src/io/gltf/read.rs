//! Reading glTF: the container, the scene, its primitives. Accessors are in `numbers`.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pliant_linalg::{Vec3, foreign, quote};

use super::build::from_base64;
use super::document::{Document, Node, Primitive};
use super::motion::Motion;
use super::numbers::Numbers;
use crate::io::{Loaded, Source, annotations};
use crate::{Attributes, Elements, Faces, MeshData, Place, Region, Result};

pub(super) fn read(source: &Source<'_>) -> Result<Loaded> {
    let (json, chunk) = container(source)?;
    let document: Document = serde_json::from_slice(json).map_err(|e| {
        let place =
            if chunk.is_some() { Place::Part("the JSON in it".into()) } else { Place::Line(e.line()) };
        source.error(place, foreign(&e.to_string()), "the JSON of glTF 2.0")
    })?;
    if !document.asset.version.starts_with("2.") {
        let found = format!("version {}", quote(&document.asset.version));
        return Err(source.error(Place::Part("asset".into()), found, "version 2.0"));
    }
    // Looks may differ, shapes may not.
    let harmless = ["KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_mesh_quantization", "EXT_texture_"];
    if let Some(unknown) =
        document.extensions_required.iter().find(|e| !harmless.iter().any(|h| e.starts_with(h)))
    {
        return Err(source.error(
            Place::Part("extensionsRequired".into()),
            quote(unknown),
            "a file without this extension; export it without compression",
        ));
    }
    let buffers = buffers(source, &document, chunk)?;
    let mut scene = Scene::new(source, &document, &buffers);
    scene.walk()?;
    scene.finish()
}

/// The JSON, and the binary chunk of a `.glb`.
fn container<'a>(source: &'a Source<'_>) -> Result<(&'a [u8], Option<&'a [u8]>)> {
    let bytes = &source.bytes;
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let word = |at: usize| {
        bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).ok_or_else(|| {
            source.error(
                Place::Byte(bytes.len()),
                "the file ends here",
                "a chunk of a .glb file; it is cut off",
            )
        })
    };
    if word(4)? != 2 {
        return Err(source.error(Place::Byte(4), format!("version {}", word(4)?), "version 2"));
    }
    let (mut json, mut binary) = (None, None);
    let mut at = 12;
    while at < bytes.len() {
        let (length, kind) = (word(at)? as usize, word(at + 4)?);
        let chunk = bytes.get(at + 8..at + 8 + length).ok_or_else(|| {
            let there = bytes.len().saturating_sub(at + 8);
            let found = format!("a chunk of {length} bytes where {there} are left");
            source.error(Place::Byte(at), found, "chunks that are whole; the file is cut off")
        })?;
        match &kind.to_le_bytes() {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if binary.is_none() => binary = Some(chunk),
            _ => {}
        }
        at += 8 + length;
    }
    let json =
        json.ok_or_else(|| source.error(Place::Byte(12), "no JSON chunk", "one, before all others"))?;
    Ok((json, Some(binary.unwrap_or_default())))
}

/// The bytes of every buffer: the binary chunk, base64, or a file beside this one (read once, however often named).
fn buffers(source: &Source<'_>, document: &Document, chunk: Option<&[u8]>) -> Result<Vec<Rc<Vec<u8>>>> {
    let mut files: HashMap<&str, Rc<Vec<u8>>> = HashMap::new();
    let mut all = Vec::with_capacity(document.buffers.len());
    for (i, buffer) in document.buffers.iter().enumerate() {
        let bad = |found: String, expected: &str| {
            Err(source.error(Place::Part(format!("buffer {i}")), found, expected))
        };
        let bytes = match (&buffer.uri, chunk) {
            (None, Some(chunk)) if i == 0 => Rc::new(chunk.to_vec()),
            (None, _) => return bad("no uri".into(), "a uri; only the first buffer of a .glb may have none"),
            (Some(uri), _) => match files.get(uri.as_str()) {
                Some(known) => known.clone(),
                None => {
                    let bytes = match uri.strip_prefix("data:") {
                        Some(data) => {
                            data.split_once(";base64,").and_then(|(_, text)| from_base64(text.as_bytes()))
                        }
                        None if uri.contains("://") => {
                            return bad(format!("the address {}", quote(uri)), "a file beside this one");
                        }
                        None => Some(source.sibling(&annotations::decode_name(uri))?.bytes),
                    };
                    let Some(bytes) = bytes else {
                        return bad("a data uri that cannot be read".into(), "base64");
                    };
                    files.entry(uri).or_insert(Rc::new(bytes)).clone()
                }
            },
        };
        if (bytes.len() as u64) < buffer.byte_length {
            let expected = format!("{}, as announced; the file is cut off", buffer.byte_length);
            return bad(format!("{} bytes", bytes.len()), &expected);
        }
        all.push(bytes);
    }
    Ok(all)
}

/// The accessors of positions and of their morph targets.
type Morphed = (usize, Vec<Option<usize>>);

/// Gathers the primitives of all nodes.
struct Scene<'a> {
    source: &'a Source<'a>,
    document: &'a Document,
    numbers: Numbers<'a>,
    vertices: Vec<Vec3>,
    faces: Faces,
    /// Name and number of triangles of each primitive.
    primitives: Vec<(String, usize)>,
    /// How many meshes were met.
    meshes: usize,
    lines: &'a [String],
    passed: Vec<&'static str>,
}

impl<'a> Scene<'a> {
    fn new(source: &'a Source<'a>, document: &'a Document, buffers: &'a [Rc<Vec<u8>>]) -> Self {
        Self {
            source,
            document,
            numbers: Numbers::new(source, document, buffers),
            vertices: Vec::new(),
            faces: Faces::new(),
            primitives: Vec::new(),
            meshes: 0,
            lines: &[],
            passed: Vec::new(),
        }
    }

    /// Visits the nodes of the scene in depth, children in their order.
    fn walk(&mut self) -> Result<()> {
        let document = self.document;
        let nodes = &document.nodes;
        if nodes.is_empty() {
            return (0..document.meshes.len())
                .try_for_each(|m| self.mesh(m, &Node::default(), Motion::identity()));
        }
        let roots: Vec<usize> = match document.scenes.get(document.scene.unwrap_or(0)) {
            Some(scene) => scene.nodes.clone(),
            None => {
                let mut is_child = vec![false; nodes.len()];
                for &c in nodes.iter().flat_map(|n| &n.children) {
                    if let Some(is_child) = is_child.get_mut(c) {
                        *is_child = true;
                    }
                }
                (0..nodes.len()).filter(|&n| !is_child[n]).collect()
            }
        };
        let mut seen = vec![false; nodes.len()];
        let mut stack: Vec<(usize, Motion)> = roots.iter().rev().map(|&n| (n, Motion::identity())).collect();
        while let Some((n, parent)) = stack.pop() {
            let bad = |found: &str| {
                let expected = format!("a tree of the {} nodes", nodes.len());
                Err(self.source.error(Place::Part(format!("node {n}")), found, expected))
            };
            let Some(node) = nodes.get(n) else { return bad("a node that is not there") };
            if std::mem::replace(&mut seen[n], true) {
                return bad("a node with two parents");
            }
            let motion = parent.after(&Motion::of(node));
            if let Some(mesh) = node.mesh {
                self.mesh(mesh, node, motion)?;
            }
            stack.extend(node.children.iter().rev().map(|&c| (c, motion)));
        }
        Ok(())
    }

    fn mesh(&mut self, m: usize, node: &Node, motion: Motion) -> Result<()> {
        let Some(mesh) = self.document.meshes.get(m) else {
            let expected = format!("one of the {} meshes", self.document.meshes.len());
            return Err(self.source.error(Place::Part("nodes".into()), format!("mesh {m}"), expected));
        };
        self.meshes += 1;
        if node.skin.is_some() {
            self.pass("skins");
        }
        let weights = node.weights.as_ref().or(mesh.weights.as_ref()).map_or(&[][..], Vec::as_slice);
        // Primitives that share their positions share their vertices, if their morph targets are the same too.
        let mut shared: HashMap<Morphed, (u32, usize)> = HashMap::new();
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let mode = primitive.mode.unwrap_or(4);
            if mode < 4 {
                self.pass("points and lines");
                continue;
            }
            let place = || Place::Part(format!("primitive {i} of mesh {m}"));
            let Some(position) = primitive.attributes.position else {
                return Err(self.source.error(place(), "no POSITION", "an accessor with positions"));
            };
            let morphed: Morphed = (position, primitive.targets.iter().map(|t| t.position).collect());
            let (base, count) = match shared.get(&morphed) {
                Some(&known) => known,
                None => {
                    let known = self.positions(position, primitive, weights, motion)?;
                    shared.insert(morphed, known);
                    known
                }
            };
            let corners = match primitive.indices {
                Some(indices) => self.numbers.indices(indices, count)?,
                None => (0..count as u32).collect(),
            };
            let before = self.faces.len();
            self.triangles(mode, &corners, base, motion.linear.determinant() < 0.0).map_err(|found| {
                self.source.error(place(), found, "triangles (mode 4), a strip (5) or a fan (6)")
            })?;
            let mut name =
                node.name.as_ref().or(mesh.name.as_ref()).cloned().unwrap_or_else(|| format!("mesh {m}"));
            if mesh.primitives.len() > 1 {
                name.push_str(&format!(" {i}"));
            }
            self.primitives.push((name, self.faces.len() - before));
            self.lines = &mesh.extras.pliant;
        }
        Ok(())
    }

    /// Appends the vertices of a primitive at its default morph weights; returns the first and how many.
    fn positions(
        &mut self,
        accessor: usize,
        primitive: &Primitive,
        weights: &[f64],
        motion: Motion,
    ) -> Result<(u32, usize)> {
        let mut points = self.numbers.points(accessor)?;
        if !primitive.targets.is_empty() {
            self.pass("morph targets (the shape is that of their default weights)");
        }
        for (target, &weight) in primitive.targets.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            let Some(target) = target.position else { continue };
            for (p, d) in points.iter_mut().zip(self.numbers.points(target)?) {
                *p += d * weight;
            }
        }
        let base =
            u32::try_from(self.vertices.len()).expect("the number of vertices is limited by the file's size");
        self.vertices.extend(points.iter().map(|p| motion.apply(*p)));
        Ok((base, points.len()))
    }

    /// Appends triangles, a strip or a fan. `mirrored`: the node turns the surface inside out.
    fn triangles(
        &mut self,
        mode: u32,
        corners: &[u32],
        base: u32,
        mirrored: bool,
    ) -> std::result::Result<(), String> {
        let mut push = |t: [u32; 3]| {
            let t = if mirrored { [t[0], t[2], t[1]] } else { t };
            self.faces.push(&t.map(|v| base + v));
        };
        match mode {
            4 => {
                let (triangles, rest) = corners.as_chunks();
                if !rest.is_empty() {
                    return Err(format!("{} corners, which is no multiple of three", corners.len()));
                }
                triangles.iter().for_each(|t| push(*t));
            }
            // Every second triangle of a strip turns the other way.
            5 => corners.windows(3).enumerate().for_each(|(i, t)| {
                push(if i % 2 == 0 { [t[0], t[1], t[2]] } else { [t[0], t[2], t[1]] });
            }),
            6 => corners.windows(2).skip(1).for_each(|t| push([t[0], t[1], corners[0]])),
            _ => return Err(format!("mode {mode}")),
        }
        Ok(())
    }

    fn pass(&mut self, what: &'static str) {
        if !self.passed.contains(&what) {
            self.passed.push(what);
        }
    }

    fn finish(self) -> Result<Loaded> {
        let lines = self.lines.iter().enumerate();
        let lines = lines.map(|(i, l)| (Place::Part(format!("line {i} of the extras")), l.as_bytes()));
        let one = self.primitives.len() == 1;
        // Our notes speak of the triangles of one mesh; beside other meshes their numbers would be wrong.
        let ours = if self.meshes == 1 {
            annotations::read_lines(self.source, lines, self.faces.len())?
        } else {
            None
        };
        let attributes = match ours {
            Some(ours) => ours,
            None if one => Attributes::default(),
            None => regions(&self.primitives),
        };
        let notes = if self.passed.is_empty() {
            Vec::new()
        } else {
            vec![format!("skipped: {}", self.passed.join(", "))]
        };
        let elements = Elements::Faces(self.faces);
        Ok(Loaded { mesh: MeshData { vertices: self.vertices, elements, attributes }, notes })
    }
}

/// Each primitive a region; of several with one name, the later ones get a number.
fn regions(primitives: &[(String, usize)]) -> Attributes {
    let mut a = Attributes::default();
    let mut taken: HashSet<String> = HashSet::new();
    // By name, how often it came: a number that was tried for it is not tried again.
    let mut times: HashMap<&str, usize> = HashMap::new();
    for (r, (name, count)) in primitives.iter().enumerate() {
        let times = times.entry(name).or_insert(0);
        *times += 1;
        let mut unique = if *times == 1 { name.clone() } else { format!("{name} ({times})") };
        while !taken.insert(unique.clone()) {
            *times += 1;
            unique = format!("{name} ({times})");
        }
        a.regions.push(Region { name: unique, material: None });
        a.region_of.extend(std::iter::repeat_n(r as u32, *count));
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn names_that_come_again_get_numbers_however_many_there_are() {
        let named = |names: &[&str]| -> Vec<String> {
            let primitives: Vec<(String, usize)> = names.iter().map(|n| ((*n).to_owned(), 1)).collect();
            regions(&primitives).regions.into_iter().map(|r| r.name).collect()
        };
        assert_eq!(named(&["a", "b", "a", "a"]), ["a", "b", "a (2)", "a (3)"]);
        assert_eq!(named(&["a (2)", "a", "a", "a (2)"]), ["a (2)", "a", "a (3)", "a (2) (2)"]);
        // Every number is tried once; a search from the first for each would never end.
        let hostile: Vec<String> = (2..100_000).map(|i| format!("a ({i})")).collect();
        let mut names: Vec<&str> = hostile.iter().map(String::as_str).collect();
        names.extend(std::iter::repeat_n("a", 100_000));
        assert_eq!(named(&names).last().map(String::as_str), Some("a (199998)"));
    }

    /// Reads JSON whose buffer `b.bin` has the bytes of the numbers.
    fn parse(json: &str, numbers: &[f32], corners: &[u16]) -> Result<Loaded> {
        let mut bin: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        bin.extend(corners.iter().flat_map(|v| v.to_le_bytes()));
        let open = |path: &Path| {
            if path == Path::new("folder/b b.bin") {
                Ok(bin.clone())
            } else {
                Err(std::io::ErrorKind::NotFound.into())
            }
        };
        let source = Source::memory("folder/t.gltf", json.into(), &open);
        crate::io::read(&super::super::FORMAT, &source)
    }

    /// A document with four vertices (accessor 0) and corners (accessor 1), and the rest as given.
    fn document(rest: &str, corners: usize) -> String {
        format!(
            r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"uri":"b%20b.bin","byteLength":48}}],
            "bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":{}}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
                         {{"bufferView":1,"componentType":5123,"count":{corners},"type":"SCALAR"}}],{rest}}}"#,
            2 * corners
        )
    }

    const SQUARE: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];

    fn area(mesh: &MeshData) -> Vec3 {
        let corners = mesh.elements.corners().as_chunks().0;
        corners
            .iter()
            .map(|t: &[u32; 3]| crate::measure::area_vector(&t.map(|v| mesh.vertices[v as usize])))
            .sum()
    }

    #[test]
    fn lists_strips_and_fans_cover_the_square_once() {
        for (mode, corners) in [(4, &[0, 1, 2, 1, 3, 2][..]), (5, &[0, 1, 2, 3]), (6, &[0, 1, 3, 2])] {
            let rest = format!(
                r#""meshes":[{{"primitives":[{{"mode":{mode},"attributes":{{"POSITION":0}},"indices":1}}]}}]"#
            );
            let mesh = parse(&document(&rest, corners.len()), &SQUARE, corners).unwrap().mesh;
            assert_eq!((mesh.elements.len(), area(&mesh)), (2, Vec3::new(0.0, 0.0, 1.0)), "mode {mode}");
        }
    }

    #[test]
    fn nodes_move_their_meshes_and_each_is_a_region() {
        // The parent turns a quarter around z and shifts; the first child scales by two; the second mirrors.
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let rest = format!(
            r#""scene":0,"scenes":[{{"nodes":[0]}}],
            "nodes":[{{"children":[1,2],"translation":[10,0,0],"rotation":[0,0,{h},{h}]}},
                     {{"mesh":0,"name":"big","scale":[2,2,2]}},
                     {{"mesh":0,"name":"big","matrix":[-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,5,1]}}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}]"#
        );
        let mesh = parse(&document(&rest, 3), &SQUARE, &[0, 1, 2]).unwrap().mesh;
        let close = |v: usize, p: [f64; 3]| {
            assert!((mesh.vertices[v] - Vec3::from(p)).norm() < 1e-14, "{v}: {}", mesh.vertices[v]);
        };
        // (1, 0, 0) doubled is turned to (0, 2, 0).
        close(1, [10.0, 2.0, 0.0]);
        close(2, [8.0, 0.0, 0.0]);
        // Mirrored to (−1, 0, 5), turned to (0, −1, 5); the triangle still faces up.
        close(5, [10.0, -1.0, 5.0]);
        assert_eq!(mesh.elements.get(1), [4, 6, 5]);
        let names: Vec<_> = mesh.attributes.regions.iter().map(|r| r.name.as_str()).collect();
        assert_eq!((names, &mesh.attributes.region_of[..]), (vec!["big", "big (2)"], &[0, 1][..]));
    }

    #[test]
    fn primitives_may_share_vertices_and_morph_weights_count() {
        let rest = r#""meshes":[{"weights":[0.5],"primitives":[
            {"attributes":{"POSITION":0},"indices":1,"targets":[{"POSITION":0}]},
            {"attributes":{"POSITION":0},"indices":1,"targets":[{"POSITION":0}]},
            {"attributes":{"POSITION":0},"mode":1}]}]"#;
        let loaded = parse(&document(rest, 3), &SQUARE, &[0, 1, 2]).unwrap();
        assert_eq!((loaded.mesh.vertices.len(), loaded.mesh.elements.len()), (4, 2));
        assert_eq!(loaded.mesh.vertices[3], Vec3::new(1.5, 1.5, 0.0));
        assert!(loaded.notes[0].contains("morph") && loaded.notes[0].contains("lines"), "{:?}", loaded.notes);
    }

    #[test]
    fn sparse_and_quantised_numbers() {
        let json = r#"{"asset":{"version":"2.0"},"extensionsRequired":["KHR_mesh_quantization"],
            "buffers":[{"uri":"b%20b.bin","byteLength":20}],
            "bufferViews":[{"buffer":0,"byteOffset":12,"byteLength":2},{"buffer":0,"byteOffset":14,"byteLength":6}],
            "accessors":[{"componentType":5123,"normalized":true,"count":3,"type":"VEC3","sparse":{"count":1,
              "indices":{"bufferView":0,"componentType":5123},"values":{"bufferView":1}}}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]}"#;
        let mesh = parse(json, &[0.0; 3], &[2, 65535, 0, 13107]).unwrap().mesh;
        assert_eq!(mesh.vertices, [Vec3::zeros(), Vec3::zeros(), Vec3::new(1.0, 0.0, 0.2)]);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let plain = r#""meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}]"#;
        let sound = document(plain, 3);
        assert!(parse(&sound, &SQUARE, &[0, 1, 2]).is_ok());
        let nodes = |nodes: &str| {
            sound.replace(r#""meshes""#, &format!(r#""scenes":[{{"nodes":[0]}}],"nodes":{nodes},"meshes""#))
        };
        for (json, place, says) in [
            (sound.replace(r#""count":3"#, r#""count":4000000000"#), "accessor 1: ", "4000000000"),
            (sound.replace(r#""count":4"#, r#""count":5"#), "accessor 0: ", "outside"),
            (sound.replace(r#""byteLength":48}]"#, r#""byteLength":480}]"#), "buffer 0: ", "480"),
            (sound.replace("b%20b.bin", "c.bin"), "", "c.bin"),
            (sound.replace("b%20b.bin", "data:x;base64,*"), "buffer 0: ", "base64"),
            (sound.replace("5123", "5124"), "accessor 1: ", "5125"),
            (sound.replace(r#""indices":1"#, r#""indices":7"#), "accessor 7: ", "not there"),
            (sound.replace("2.0", "1.0"), "asset: ", "2.0"),
            (
                sound.replace(
                    r#""buffers""#,
                    r#""extensionsRequired":["KHR_draco_mesh_compression"],"buffers""#,
                ),
                "extensionsRequired: ",
                "draco",
            ),
            (sound.replace('}', ""), "line ", "JSON"),
            (nodes(r#"[{"children":[0]}]"#), "node 0: ", "two parents"),
            (nodes(r#"[{"children":[4]}]"#), "node 4: ", "not there"),
            (nodes(r#"[{"mesh":4}]"#), "nodes: ", "mesh 4"),
            (String::new(), "line ", "JSON"),
        ] {
            let error = parse(&json, &SQUARE, &[0, 1, 2]).unwrap_err().to_string();
            assert!(error.contains(place) && error.contains(says) && error.starts_with("folder/"), "{error}");
        }
        let error = parse(&sound, &SQUARE, &[0, 1, 4]).unwrap_err().to_string();
        assert!(error.contains("accessor 1: vertex 4"), "{error}");
    }

    #[test]
    fn a_mesh_that_is_shown_too_often_ends_before_memory_does() {
        let nodes = vec![r#"{"mesh":0}"#; 2_000].join(",");
        let list = (0..2_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
        let rest = format!(
            r#""scenes":[{{"nodes":[{list}]}}],"nodes":[{nodes}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":2}}}}]}}]"#
        );
        let json = document(&rest, 3).replace(
            r#""type":"SCALAR"}]"#,
            r#""type":"SCALAR"},{"componentType":5126,"count":300000,"type":"VEC3"}]"#,
        );
        let error = parse(&json, &SQUARE, &[0, 1, 2]).unwrap_err().to_string();
        assert!(error.contains("too often"), "{error}");
    }
}
