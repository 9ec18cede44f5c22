//! What a body weighs, without the body being made.

use pliant_mesh::{Elements, MeshData, measure};

use crate::{Matter, Resolved};

impl Resolved {
    /// The mass of the body that `mesh` becomes, kg: Σ density × volume of its tets, or mass of an area × area of its
    /// triangles.
    pub fn total_mass(&self, mesh: &MeshData) -> f64 {
        let density = |matter: &Matter| {
            let of = |name: &str| matter.constants.iter().find(|(key, _)| *key == name).map(|(_, x)| *x);
            of("density").or_else(|| of("area_density")).unwrap_or(0.0)
        };
        // By region, then what is in none.
        let densities: Vec<f64> = self.matter.iter().map(density).collect();
        let regions = mesh.attributes.regions.len();
        let of_element = |e: usize| {
            let region = mesh.attributes.region_of.get(e).map_or(regions, |&r| (r as usize).min(regions));
            densities.get(region).copied().unwrap_or(0.0)
        };
        let at = |v: u32| mesh.vertices[v as usize];
        match &mesh.elements {
            Elements::Tets(tets) => {
                let each = tets.iter().enumerate().map(|(e, t)| of_element(e) * volume(t.map(at)));
                each.sum()
            }
            Elements::Faces(faces) => {
                // A face of k corners becomes k − 2 triangles, one after another.
                let of_faces = faces.iter().enumerate();
                let face_of = of_faces.flat_map(|(f, corners)| (2..corners.len()).map(move |_| f));
                let triangles = measure::triangulate(&mesh.vertices, faces);
                let each = face_of
                    .zip(&triangles)
                    .map(|(face, t)| of_element(face) * measure::area_vector(&t.map(at)).norm());
                each.sum()
            }
        }
    }
}

fn volume([p, q, r, s]: [pliant_linalg::Vec3; 4]) -> f64 {
    (q - p).cross(&(r - p)).dot(&(s - p)).abs() / 6.0
}

#[cfg(test)]
mod tests {
    use crate::Recipe;
    use pliant_linalg::Vec3;
    use pliant_mesh::{Attributes, MeshData, Region, shapes};

    fn same(recipe: &Recipe, mesh: &MeshData) {
        let body = recipe.build(mesh.clone()).expect("a body").total_mass();
        let quick = recipe.resolve(mesh).expect("sound constants").total_mass(mesh);
        assert!((quick / body - 1.0).abs() < 1e-12, "{quick} kg instead of {body} kg");
    }

    #[test]
    fn it_is_what_the_body_weighs() {
        let mut bar = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [4, 1, 1]).into_data();
        same(&Recipe { density: Some(700.0), ..Recipe::default() }, &bar);
        let law = pliant_mesh::Law::isotropic(1e6, 0.3);
        bar.attributes.materials =
            vec![pliant_mesh::Material { name: "lead".into(), density: 11_000.0, law }];
        let region = |name: &str, material| Region { name: name.into(), material };
        bar.attributes.regions = vec![region("a", Some(0)), region("b", None)];
        bar.attributes.region_of = (0..bar.elements.len() as u32)
            .map(|e| if e % 3 == 2 { Attributes::NO_REGION } else { e % 3 })
            .collect();
        same(&Recipe::default(), &bar);
        let sheet = shapes::bar(Vec3::new(1.0, 0.3, 0.2), [3, 1, 1]).boundary().into_data();
        same(&Recipe::default(), &sheet);
        same(&Recipe { thickness: Some(0.01), density: Some(20.0), ..Recipe::default() }, &sheet);
    }
}
