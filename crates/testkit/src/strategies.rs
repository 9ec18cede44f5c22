//! Random meshes for property tests: any numbers, any connectivity, names that are hard to write down.

use pliant_linalg::Vec3;
use pliant_mesh::{Attributes, Elements, Faces, Kind, Law, Material, MeshData, Region, VertexSet};
use proptest::collection::vec;
use proptest::prelude::*;

/// Finite numbers of all magnitudes, both zeros and subnormal ones included.
pub fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -10.0..10.0f64,
        1 => any::<f64>().prop_filter("finite", |x| x.is_finite()),
        1 => prop_oneof![Just(0.0), Just(-0.0), Just(1.0 / 3.0), Just(f64::MIN_POSITIVE / 8.0)],
    ]
}

/// A point with such coordinates.
pub fn point() -> impl Strategy<Value = Vec3> {
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from)
}

/// Names with spaces, quotes, separators and letters from elsewhere.
pub fn name() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-zA-Z][a-zA-Z0-9_]{0,8}", 1 => "[ -~]{1,12}", 1 => "[äßλ€ ,#%*\"]{1,4}"]
}

/// A consistent mesh of the given kind: indices in range, names unique, geometry arbitrary.
pub fn mesh(kind: Kind) -> impl Strategy<Value = MeshData> {
    (4usize..20, 1usize..12).prop_flat_map(move |(n, m)| {
        let corners = match kind {
            Kind::Tets | Kind::Quads => 4..=4,
            Kind::Triangles => 3..=3,
            Kind::Polygons => 3..=7usize,
        };
        // Different corners: a face or tet that names a vertex twice is `doctor`'s business, some formats refuse it.
        let element = corners.prop_flat_map(move |c| {
            proptest::sample::subsequence((0..n as u32).collect::<Vec<_>>(), c.min(n)).prop_shuffle()
        });
        (vec(point(), n), vec(element, m), attributes(n, m)).prop_map(
            move |(vertices, corners, attributes)| {
                let elements = match kind {
                    Kind::Tets => Elements::Tets(corners.iter().map(|c| [c[0], c[1], c[2], c[3]]).collect()),
                    _ => Elements::Faces(corners.iter().map(|c| &c[..]).collect::<Faces>()),
                };
                MeshData { vertices, elements, attributes }
            },
        )
    })
}

fn attributes(vertices: usize, elements: usize) -> impl Strategy<Value = Attributes> {
    let names =
        || proptest::collection::btree_set(name(), 0..4).prop_map(|s| s.into_iter().collect::<Vec<_>>());
    (names(), names(), names()).prop_flat_map(move |(regions, materials, sets)| {
        let (r, m) = (regions.len(), materials.len());
        let region_of = vec(prop_oneof![4 => 0..r.max(1) as u32, 1 => Just(Attributes::NO_REGION)], elements);
        let set = || proptest::sample::subsequence((0..vertices as u32).collect::<Vec<_>>(), 0..=vertices);
        (
            region_of,
            vec(proptest::option::of(0..m.max(1) as u32), r),
            vec(material(), m),
            vec(set(), sets.len()),
        )
            .prop_map(move |(region_of, region_materials, laws, members)| Attributes {
                regions: regions
                    .iter()
                    .zip(region_materials)
                    .map(|(name, material)| Region {
                        name: name.clone(),
                        material: material.filter(|_| m > 0),
                    })
                    .collect(),
                region_of: if r == 0 { Vec::new() } else { region_of },
                materials: materials
                    .iter()
                    .zip(laws)
                    .map(|(name, (density, law))| Material { name: name.clone(), density, law })
                    .collect(),
                sets: sets
                    .iter()
                    .zip(members)
                    .map(|(name, vertices)| VertexSet { name: name.clone(), vertices })
                    .collect(),
                embedded: None,
            })
    })
}

fn material() -> impl Strategy<Value = (f64, Law)> {
    let positive = || 1e-3..1e9f64;
    let named = (
        proptest::option::of("[a-z -]{0,5}"),
        proptest::collection::btree_map("[a-z%é ]{1,5}", -1e9..1e9f64, 0..4),
    );
    let law = prop_oneof![
        (positive(), -0.99..0.499f64).prop_map(|(young, poisson)| Law::isotropic(young, poisson)),
        (positive(), positive(), positive()).prop_map(|(mu01, mu10, v1)| {
            Law::named("mooney-rivlin", [("mu01", mu01), ("mu10", mu10), ("v1", v1)])
        }),
        named.prop_map(|(name, constants)| Law { name, constants }),
    ];
    (positive(), law)
}
