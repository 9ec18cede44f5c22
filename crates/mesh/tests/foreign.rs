//! What other programs write and we do not: gaps in numbers, mixed elements, second order, the other byte order.

use std::io::Write as _;
use std::path::Path;

use pliant_linalg::Vec3;
use pliant_mesh::io::{self, Loaded, Source};
use pliant_mesh::{Attributes, Elements, Faces, Kind, MeshData, Result};

fn read(name: &str, bytes: impl Into<Vec<u8>>) -> Result<Loaded> {
    let open = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    io::read(io::format_of(Path::new(name))?, &Source::memory(name, bytes.into(), &open))
}

#[track_caller]
fn refused(name: &str, bytes: impl Into<Vec<u8>>, because: &[&str]) {
    let error = read(name, bytes).expect_err("should be refused").to_string();
    for word in because {
        assert!(error.contains(word), "{error:?} does not say {word:?}");
    }
}

/// A Gmsh file of version 2.2 with eight corners of a cube, numbered 10, 20, … 80, in falling order.
fn gmsh(elements: &str) -> String {
    let corners = ["0 1 1", "1 1 1", "1 0 1", "0 0 1", "0 1 0", "1 1 0", "1 0 0", "0 0 0"];
    let nodes: String =
        corners.iter().enumerate().map(|(i, xyz)| format!("{} {xyz}\n", 10 * (8 - i))).collect();
    let count = elements.lines().count();
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{nodes}$EndNodes\n\
         $Elements\n{count}\n{elements}$EndElements\n"
    )
}

#[test]
fn gmsh_vertices_keep_their_order_whatever_their_numbers() {
    let loaded = read("t.msh", gmsh("1 4 2 0 1 10 20 40 50\n")).unwrap();
    assert_eq!(loaded.mesh.elements, Elements::Tets(vec![[7, 6, 4, 3]]));
    assert_eq!(loaded.mesh.vertices[0], Vec3::new(0.0, 1.0, 1.0));
    refused("t.msh", gmsh("1 4 2 0 1 10 20 40 55\n"), &["element 1", "vertex 55"]);
    refused("t.msh", gmsh("1 4 2 0 1 10 20 40 50\n").replace("\n20 ", "\n10 "), &["number 10"]);
}

#[test]
fn gmsh_hexahedra_become_six_tets_of_their_group() {
    let loaded = read("t.msh", gmsh("1 5 2 7 1 10 20 30 40 50 60 70 80\n2 4 2 3 1 10 20 40 50\n")).unwrap();
    assert_eq!(loaded.mesh.elements.len(), 7);
    let names: Vec<&str> = (0..7).map(|e| loaded.mesh.attributes.region(e).unwrap().name.as_str()).collect();
    assert_eq!(names, ["3", "7", "7", "7", "7", "7", "7"]);
}

#[test]
fn gmsh_triangles_and_quads_stay_polygons_and_lines_are_skipped() {
    let loaded =
        read("t.msh", gmsh("1 15 2 0 1 10\n2 1 2 0 1 10 20\n3 2 2 0 1 10 20 30\n4 3 2 0 1 50 60 70 80\n"))
            .unwrap();
    let expected: Faces = [&[7, 6, 5][..], &[3, 2, 1, 0]].into_iter().collect();
    assert_eq!(loaded.mesh.elements, Elements::Faces(expected));
    assert_eq!(loaded.mesh.attributes, Attributes::default());
    assert!(loaded.notes.iter().any(|n| n.contains("lines")), "{:?}", loaded.notes);
}

#[test]
fn gmsh_second_order_by_corners_prisms_not_at_all() {
    let loaded = read("t.msh", gmsh("1 9 2 0 1 10 20 30 40 50 60\n")).unwrap();
    assert_eq!((loaded.mesh.kind(), loaded.mesh.vertices.len()), (Kind::Triangles, 8));
    assert!(loaded.notes[0].contains("second order"), "{:?}", loaded.notes);
    refused("t.msh", gmsh("1 6 2 0 1 10 20 30 40 50 60\n"), &["line 17", "prism"]);
    refused("t.msh", gmsh("1 4 2 0 1 10 20 40 50\n").replace("2.2", "4"), &["\"4\"", "4.1"]);
}

#[test]
fn gmsh_groups_of_entities_parameters_and_the_other_byte_order() {
    // Version 4.1, highest byte first: a surface in two groups, vertices with parameters.
    let mut b = b"$MeshFormat\n4.1 1 8\n\0\0\0\x01\n$EndMeshFormat\n".to_vec();
    b.extend(b"$PhysicalNames\n2\n2 5 \"skin\"\n0 9 \"tip\"\n$EndPhysicalNames\n$Entities\n");
    let int = |b: &mut Vec<u8>, numbers: &[i32]| numbers.iter().for_each(|n| b.extend(n.to_be_bytes()));
    let size = |b: &mut Vec<u8>, numbers: &[u64]| numbers.iter().for_each(|n| b.extend(n.to_be_bytes()));
    let real = |b: &mut Vec<u8>, numbers: &[f64]| numbers.iter().for_each(|n| b.extend(n.to_be_bytes()));
    size(&mut b, &[1, 0, 1, 0]);
    int(&mut b, &[1]);
    real(&mut b, &[0.0; 3]);
    size(&mut b, &[1]);
    int(&mut b, &[9, 2]);
    real(&mut b, &[0.0; 6]);
    size(&mut b, &[2]);
    int(&mut b, &[6, 5]);
    size(&mut b, &[1]);
    int(&mut b, &[-3]);
    b.extend(b"\n$EndEntities\n$Nodes\n");
    size(&mut b, &[2, 4, 1, 9]);
    int(&mut b, &[2, 2, 1]);
    size(&mut b, &[3, 9, 1, 2]);
    for v in 0..3 {
        real(&mut b, &[f64::from(v), 0.5, 0.25, 0.1, 0.2]);
    }
    int(&mut b, &[0, 1, 0]);
    size(&mut b, &[1, 4]);
    real(&mut b, &[7.0, 8.0, 9.0]);
    b.extend(b"\n$EndNodes\n$Elements\n");
    size(&mut b, &[2, 2, 1, 2]);
    int(&mut b, &[0, 1, 15]);
    size(&mut b, &[1, 1, 4]);
    int(&mut b, &[2, 2, 2]);
    size(&mut b, &[1, 2, 1, 2, 9]);
    b.extend(b"\n$EndElements\n");
    let loaded = read("t.msh", b).unwrap();
    let (mesh, a) = (&loaded.mesh, &loaded.mesh.attributes);
    assert_eq!(mesh.vertices[1], Vec3::new(1.0, 0.5, 0.25));
    assert_eq!(mesh.vertices[3], Vec3::new(7.0, 8.0, 9.0));
    assert_eq!(mesh.elements.get(0), [1, 2, 0]);
    assert_eq!(a.region(0).unwrap().name, "skin");
    assert_eq!(a.set("tip").unwrap().vertices, [3]);
    assert!(loaded.notes[0].contains("more than one"), "{:?}", loaded.notes);
}

#[test]
fn tetgen_from_one_with_markers_and_ten_nodes() {
    let node = "# four and six\n10 3 1 1\n".to_owned()
        + &(1..=10).map(|v| format!("{v} {v} 0.5 0 3.5 1\n")).collect::<String>();
    let ele = "1 10 1\n1  1 2 3 4 5 6 7 8 9 10  2\n";
    for main in ["bar.node", "bar.ele"] {
        let open = |path: &Path| {
            Ok(if path.ends_with("bar.node") { node.clone() } else { ele.to_owned() }.into_bytes())
        };
        let source = Source::memory(main, open(Path::new(main)).unwrap(), &open);
        let loaded = io::read(io::format_of(Path::new(main)).unwrap(), &source).unwrap();
        assert_eq!(loaded.mesh.elements, Elements::Tets(vec![[0, 1, 2, 3]]));
        assert_eq!(loaded.mesh.vertices.len(), 10);
        assert!(loaded.notes[0].contains("second order"), "{:?}", loaded.notes);
    }
    refused("alone.ele", ele, &["alone.node"]);
}

const HEAD: &str = "# vtk DataFile Version 5.1\nby hand\nASCII\nDATASET ";

#[test]
fn vtk_polydata_with_strips_and_data_of_all_sorts() {
    let text = format!(
        "{HEAD}POLYDATA\nPOINTS 5 float\n0 0 0 1 0 0 0 1 0 1 1 0 2 2 0\nMETADATA\nINFORMATION 0\n\n\
         TRIANGLE_STRIPS 1 5\n4 0 1 2 3\nPOLYGONS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n\
         0 1 3 2\nPOINT_DATA 5\nSCALARS heat float 1\nLOOKUP_TABLE default\n1 2 3 4 5\n\
         VECTORS v double\n0 0 0 1 1 1 2 2 2 3 3 3 4 4 4\nFIELD f 2\nset:a%20b 1 5 char\n0 1 0 0 2\n\
         words 1 2 string\nhello%20you\nthere\nCELL_DATA 2\nSCALARS region int\nLOOKUP_TABLE default\n4 6\n"
    );
    let mesh = read("t.vtk", text).unwrap().mesh;
    let expected: Faces = [&[0, 1, 3, 2][..], &[0, 1, 2], &[2, 1, 3]].into_iter().collect();
    assert_eq!(mesh.elements, Elements::Faces(expected), "polygons come before strips");
    assert_eq!(mesh.attributes.set("a b").unwrap().vertices, [1, 4]);
    let regions: Vec<&str> = (0..3).map(|e| mesh.attributes.region(e).unwrap().name.as_str()).collect();
    assert_eq!(regions, ["4", "6", "6"]);
}

#[test]
fn vtk_refuses_what_it_cannot_be() {
    let grid =
        |cells: &str| format!("{HEAD}UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n{cells}");
    assert_eq!(
        read("t.vtk", grid("CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n")).unwrap().mesh.kind(),
        Kind::Tets
    );
    refused("t.vtk", grid("CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n14\n"), &["cell 0", "type 14"]);
    refused("t.vtk", grid("CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n"), &["line 8", "vertex 4"]);
    refused("t.vtk", grid("CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n"), &["cell 0", "3 vertices"]);
    refused("t.vtk", grid("CELLS 1 3\n4 0 1 2 3\nCELL_TYPES 1\n10\n"), &["4 corners"]);
    refused("t.vtk", grid("CELLS 1 5\n4 0 1 2 3\n"), &["0 cell types"]);
    refused("t.vtk", format!("{HEAD}STRUCTURED_POINTS\n"), &["STRUCTURED_POINTS", "POLYDATA"]);
    refused("t.vtk", "solid x\n", &["line 1", "vtk DataFile"]);
}

/// A `.vtu` of one tet, packed by zlib in blocks of 16 bytes, in base64 or raw, of either byte order.
fn packed(base64: bool, big: bool) -> Vec<u8> {
    let number = |n: u32| if big { n.to_be_bytes() } else { n.to_le_bytes() };
    let real = |x: f32| if big { x.to_be_bytes() } else { x.to_le_bytes() };
    let points: Vec<u8> =
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].into_iter().flat_map(real).collect();
    let corners: Vec<u8> = [0, 1, 2, 3].into_iter().flat_map(number).collect();
    let mut data = Vec::new();
    let mut offsets = Vec::new();
    for array in [points, corners, number(4).to_vec(), vec![10]] {
        offsets.push(data.len());
        let blocks: Vec<Vec<u8>> = array
            .chunks(16)
            .map(|block| {
                let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
                zlib.write_all(block).unwrap();
                zlib.finish().unwrap()
            })
            .collect();
        let sizes = blocks.iter().map(|b| b.len() as u32);
        let front = [blocks.len() as u32, 16, (array.len() % 16) as u32].into_iter().chain(sizes);
        let front: Vec<u8> = front.flat_map(number).collect();
        let blocks = blocks.concat();
        data.extend(if base64 {
            [encode(&front), encode(&blocks)].concat()
        } else {
            [front, blocks].concat()
        });
    }
    let array = |kind: &str, name: &str, i: usize| {
        format!(
            "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{}\" format=\"appended\" offset=\"{}\"/>",
            if i == 0 { 3 } else { 1 },
            offsets[i]
        )
    };
    let mut file = format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"{}\" compressor=\"vtkZLibDataCompressor\">\
         <UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>{}</Points><Cells>{}{}{}</Cells>\
         </Piece></UnstructuredGrid><AppendedData encoding=\"{}\">\n _",
        if big { "BigEndian" } else { "LittleEndian" },
        array("Float32", "Points", 0),
        array("Int32", "connectivity", 1),
        array("Int32", "offsets", 2),
        array("UInt8", "types", 3),
        if base64 { "base64" } else { "raw" },
    )
    .into_bytes();
    file.extend(data);
    file.extend(b"\n</AppendedData></VTKFile>");
    file
}

fn encode(bytes: &[u8]) -> Vec<u8> {
    let signs = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    for triple in bytes.chunks(3) {
        let n = triple.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - triple.len()));
        for i in 0..4 {
            out.push(if i <= triple.len() { signs[(n >> (18 - 6 * i) & 63) as usize] } else { b'=' });
        }
    }
    out
}

#[test]
fn vtu_packed_raw_and_base64_of_either_byte_order() {
    for (base64, big) in [(false, false), (false, true), (true, false), (true, true)] {
        let mesh = read("t.vtu", packed(base64, big)).unwrap().mesh;
        assert_eq!(mesh.elements, Elements::Tets(vec![[0, 1, 2, 3]]), "base64 {base64}, big {big}");
        assert_eq!(mesh.vertices[3], Vec3::new(0.0, 0.0, 1.0));
        assert_eq!(mesh.vertices[1], Vec3::new(1.0, 0.0, 0.0));
    }
}

#[test]
fn vtu_pieces_are_put_together() {
    let piece = |x: u32| {
        format!(
            "<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\"><PointData><DataArray type=\"Int8\" Name=\"set:s\">\
             1 0 0</DataArray></PointData><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" \
             format=\"ascii\"><InformationKey name=\"k\"><Value>7</Value></InformationKey>{x} 0 0 1 0 0 0 1 0\
             </DataArray></Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\">0 1 2</DataArray>\
             <DataArray type=\"Int64\" Name=\"offsets\">3</DataArray><DataArray type=\"UInt8\" Name=\"types\">5\
             </DataArray></Cells></Piece>"
        )
    };
    let file = |pieces: &str| {
        format!("<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid>{pieces}</UnstructuredGrid></VTKFile>")
    };
    let mesh = read("t.vtu", file(&(piece(5) + &piece(6)))).unwrap().mesh;
    assert_eq!(mesh.elements, Elements::Faces(Faces::from_triangles(&[[0, 1, 2], [3, 4, 5]])));
    assert_eq!((mesh.vertices[0].x, mesh.vertices[3].x), (5.0, 6.0));
    assert_eq!(mesh.attributes.set("s").unwrap().vertices, [0, 3]);
    refused("t.vtu", file(&piece(5).replace(">3<", ">2<")), &["connectivity", "3 numbers"]);
    refused("t.vtu", file(&piece(5).replace("0 1 2", "0 1 3")), &["cell 0", "vertex 3"]);
    refused(
        "t.vtu",
        file(&piece(5)).replace("Grid\">", "Grid\" compressor=\"vtkLZ4DataCompressor\">"),
        &["LZ4"],
    );
    refused("t.vtu", file(""), &["Piece"]);
    refused("t.vtu", "no xml", &["VTKFile"]);
}

#[test]
fn a_small_vtu_that_unpacks_to_gigabytes_is_refused() {
    // A thousand zeros pack to a few bytes; a file may not become more than a small multiple of its size.
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    zlib.write_all(&vec![0; 24 << 20]).unwrap();
    let packed = zlib.finish().unwrap();
    let size = 24u32 << 20;
    let front: Vec<u8> = [1, size, 0, packed.len() as u32].into_iter().flat_map(u32::to_le_bytes).collect();
    let mut file = format!(
        "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid>\
         <Piece NumberOfPoints=\"{}\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" Name=\"p\" \
         NumberOfComponents=\"3\" format=\"appended\" offset=\"0\"/></Points></Piece></UnstructuredGrid>\
         <AppendedData encoding=\"raw\">_",
        size / 24
    )
    .into_bytes();
    file.extend(front);
    file.extend(packed);
    refused("t.vtu", file, &["times the size of the file"]);
}

/// A Vega file of four vertices and `tets` times the same tet.
fn vega(tets: usize, rest: &str) -> String {
    let elements: String = (1..=tets).map(|t| format!("{t} 1 2 3 4\n")).collect();
    format!(
        "*VERTICES\n4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n*ELEMENTS\nTET\n{tets} 4 0\n{elements}{rest}"
    )
}

const SOFT: &str = "*MATERIAL soft\nENU, 1000, 1e5, 0.4\n";

#[test]
fn vega_regions_added_by_hand_stay_beside_those_of_comments() {
    let text = "# pliant-region bare\n".to_owned()
        + &vega(2, &format!("*SET bare\n1\n*SET added\n2\n{SOFT}*REGION\nadded, soft\n"));
    let a = read("t.veg", text).unwrap().mesh.attributes;
    let regions: Vec<_> = a.regions.iter().map(|r| (r.name.as_str(), r.material)).collect();
    assert_eq!(regions, [("bare", None), ("added", Some(0))]);
    assert_eq!(a.region_of, [0, 1]);
}

#[test]
fn a_vega_file_that_ends_before_its_materials_says_so() {
    let notes = |rest: &str| read("t.veg", vega(1, rest)).unwrap().notes;
    let [bare] = &notes("")[..] else { panic!("one note") };
    assert!(bare.contains("no *MATERIAL and no *REGION") && bare.contains("the usual material"), "{bare}");
    let [cut] = &notes(SOFT)[..] else { panic!("one note") };
    assert!(cut.contains("no *REGION section") && !cut.contains("*MATERIAL"), "{cut}");
    assert!(notes(&format!("{SOFT}*REGION\nallElements, soft\n")).is_empty());
    let commented = "# pliant-region allElements\n".to_owned() + &vega(1, "");
    assert!(
        read("t.veg", commented).unwrap().notes.is_empty(),
        "its regions have no material, and that is all"
    );
}

#[test]
fn vega_materials_in_comments_give_way_to_those_of_the_file() {
    let comments = "# pliant-material foam named foam 10 a 0.5\n# pliant-material soft isotropic 7 8 0.1\n\
                    # pliant-region allElements foam\n";
    let a = read("t.veg", comments.to_owned() + &vega(1, SOFT)).unwrap().mesh.attributes;
    assert_eq!((a.materials.len(), a.regions[0].material), (2, Some(0)));
    assert_eq!(
        (a.materials[0].law.name.as_deref(), a.materials[0].law.constant("a")),
        (Some("foam"), Some(0.5))
    );
    assert_ne!(a.materials[1].density, 7.0, "what *MATERIAL says counts");
    let moved = comments.to_owned() + &vega(1, &format!("{SOFT}*REGION\nallElements, soft\n"));
    assert_eq!(read("t.veg", moved).unwrap().mesh.attributes.regions[0].material, Some(1));
}

#[test]
fn vega_orthotropic_materials_are_left_out_with_a_note() {
    for kind in ["ORTHOTROPIC", "ORTHOTROPIC_N1G1R1"] {
        let wood = format!("*MATERIAL wood\n{kind}, 1000, 1e5, 2e5, 3e5, 0.1, 0.2, 0.3, 1e4, 1e4, 1e4\n");
        let text = vega(1, &format!("{wood}{SOFT}*REGION\nallElements, wood\n"));
        let loaded = read("t.veg", text).unwrap();
        let a = &loaded.mesh.attributes;
        assert_eq!((a.materials.len(), a.regions[0].material, &a.region_of[..]), (1, None, &[0][..]));
        assert!(loaded.notes[0].contains("wood") && loaded.notes[0].contains("ORTHO"), "{:?}", loaded.notes);
    }
    refused("t.veg", vega(1, "*REGION\nallElements, wood\n"), &["wood", "*MATERIAL"]);
}

#[test]
fn vega_tets_and_cubes_in_one_file_are_refused() {
    refused("t.veg", vega(1, "*ELEMENTS\nCUBIC\n2 8 0\n2 1 2 3 4 1 2 3 4\n"), &["CUBIC", "one kind"]);
}

#[test]
fn vega_with_very_many_regions_takes_no_square_of_them() {
    let n = 60_000;
    let sets: String = (1..=n).map(|t| format!("*SET s{t}\n{t}\n")).collect();
    let regions: String = (1..=n).map(|t| format!("*REGION\ns{t}, soft\n")).collect();
    let comments: String = (1..=n).map(|t| format!("# pliant-region s{t}\n")).collect();
    let mesh = read("t.veg", comments + &vega(n, &(sets + SOFT + &regions))).unwrap().mesh;
    assert_eq!(mesh.attributes.region_of, (0..n as u32).collect::<Vec<_>>());
    let triangles = vec![[0, 1, 2]; n];
    let surface = MeshData { elements: Elements::Faces(Faces::from_triangles(&triangles)), ..mesh.clone() };
    for (name, mesh) in [("t.veg", &mesh), ("t.off", &surface)] {
        let format = io::format_of(Path::new(name)).unwrap();
        io::encode(format, mesh, Path::new(name), None).unwrap();
    }
    // A few tenths of a second; with a search through all sets for each region it took 18 s.
}

#[test]
fn medit_elements_that_would_leave_holes_are_refused() {
    let with = |section: &str| {
        format!(
            "MeshVersionFormatted 2\nDimension 3\nVertices 6\n0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 1 0 1 0 0 1 1 0\n\
             Tetrahedra 1\n1 2 3 4 0\n{section}\nEnd\n"
        )
    };
    for section in [
        "Prisms 1\n1 2 3 4 5 6 0",
        "Pyramids 1\n1 2 3 4 5 0",
        "PrismsP2\n1\n1 2 3 4 5 6 0",
        "TetrahedraP2 1\n1 2 3 4 1 2 3 4 5 6 0",
        "HexahedraQ2 1\n1 0",
        "TrianglesP3 1\n1 2 3 4 5 6 1 2 3 4 0",
    ] {
        refused(
            "t.mesh",
            with(section),
            &["line 7", section.split_ascii_whitespace().next().unwrap(), "holes"],
        );
    }
    assert_eq!(read("t.mesh", with("Prisms 0")).unwrap().notes, Vec::<String>::new());
    let skipped = read("t.mesh", with("EdgesP2 1\n1 2 3 0\nRequiredTriangles 1\n1")).unwrap();
    assert_eq!(skipped.notes.len(), 2, "{:?}", skipped.notes);
}

#[test]
fn medit_one_reference_for_all_is_a_region_unless_it_says_nothing() {
    let with = |number: i32| {
        format!(
            "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0\n\
             Tetrahedra 1\n1 2 3 4 {number}\nEnd\n"
        )
    };
    for nothing in [0, 1] {
        assert_eq!(read("t.mesh", with(nothing)).unwrap().mesh.attributes, Attributes::default());
    }
    for number in [9, -2] {
        let mesh = read("t.mesh", with(number)).unwrap().mesh;
        assert_eq!(mesh.attributes.region(0).unwrap().name, number.to_string());
        let path = Path::new("t.mesh");
        let parts = io::encode(io::format_of(path).unwrap(), &mesh, path, None).unwrap();
        assert_eq!(read("t.mesh", &parts[0].bytes[..]).unwrap().mesh, mesh, "written again");
    }
}
