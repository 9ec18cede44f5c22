//! What was found, as one list for programs and people.

use pliant_linalg::facts::{Fact, Facts, Value, measured};

use crate::{Found, Kind};

/// Rows of one kind that people read.
const MOST_ROWS: usize = 12;

impl Found {
    /// One list, in the order of the door's document; `seconds` is all the time it took.
    pub fn facts(&self, seconds: f64) -> Facts {
        let unit = self.request.kind.unit();
        let list = |numbers: &[f64]| Value::from(numbers.to_vec());
        let first = crate::times::slowest(&self.eigenvalues);
        let slowest = first.map_or_else(|| "unknown".to_owned(), |x| format!("{} {unit}", measured(x)));
        let t_unit = if self.request.kind == Kind::Heat { "m²" } else { "s²" };
        let range = match (self.times.first(), self.times.last()) {
            (Some(a), Some(b)) => {
                format!("{} from {} to {} {t_unit}", self.times.len(), measured(*a), measured(*b))
            }
            _ => "none".into(),
        };
        let asked: Vec<u32> = self.vertices();
        let values: Vec<Value> = (0..self.times.len())
            .map(|i| Value::List(self.told_of(&asked).iter().map(|s| s[i].into()).collect()))
            .collect();
        let distance =
            self.distance.as_ref().map(|all| asked.iter().map(|&v| all[v as usize]).collect::<Vec<f64>>());
        let mut vertices = Fact::new("vertices", asked.clone());
        for (k, v) in asked.iter().enumerate().take(MOST_ROWS) {
            if let Some(all) = &distance {
                vertices = vertices.read_as(format!("vertex {v}"), format!("distance {}", measured(all[k])));
            }
        }
        let stages: Facts = [
            Fact::new("hessian", self.stages.hessian),
            Fact::new("modes", self.stages.modes),
            Fact::new("signature", self.stages.signature),
        ]
        .into_iter()
        .collect();
        [
            Fact::new("kind", self.request.kind.name()).labelled("kind"),
            Fact::new("eigenvalues", list(&self.eigenvalues))
                .unit(unit)
                .read_as("modes", self.eigenvalues.len().to_string())
                .read_as("slowest", slowest),
            Fact::new("rigid_modes", self.rigid_modes).labelled("rigid modes"),
            Fact::new("t", list(&self.times)).read_as("times", range),
            Fact::new("l1", if self.l1.is_empty() { Value::Nothing } else { list(&self.l1) }),
            vertices,
            Fact::new("signature", Value::List(values)),
            Fact::new("distance", distance),
            self.region_fact(),
            self.alike_fact(),
            self.feature_fact(),
            Fact::new("truncation", self.truncation)
                .read_as("cut off", format!("{:.2} % at the smallest time", 100.0 * self.truncation)),
            self.check_fact(),
            Fact::new("stages", stages),
            Fact::new("seconds", seconds).unit("s").read_as("time", format!("{seconds:.2} s")),
        ]
        .into_iter()
        .collect()
    }

    /// The vertices that are told of: those asked for, then those that distances are measured from.
    pub(crate) fn vertices(&self) -> Vec<u32> {
        let mut all = self.request.at.clone();
        if self.signature.is_some() {
            all.extend(self.request.from.iter().filter(|v| !self.request.at.contains(v)));
        }
        all
    }

    /// S of these vertices at all times.
    pub(crate) fn told_of(&self, vertices: &[u32]) -> Vec<Vec<f64>> {
        match &self.signature {
            Some(signature) => vertices.iter().map(|&v| signature.of_vertex(v)).collect(),
            None => self.told.clone(),
        }
    }

    fn region_fact(&self) -> Fact {
        let record = |region: &crate::Region| -> Facts {
            [
                Fact::new("threshold", region.threshold),
                Fact::new("vertices", region.vertices.clone()),
                Fact::new("centre", <[f64; 3]>::from(region.centre)),
                Fact::new("area", region.area),
                Fact::new("mean", region.mean),
            ]
            .into_iter()
            .collect()
        };
        let fact = Fact::new("regions", self.regions.iter().map(record).collect::<Vec<_>>());
        self.regions.iter().take(MOST_ROWS).enumerate().fold(fact, |fact, (k, region)| {
            let words = format!(
                "{} vertices nearer than {}, area {} m²",
                region.vertices.len(),
                measured(region.threshold),
                measured(region.area)
            );
            fact.read_as(format!("region {}", k + 1), words)
        })
    }

    fn alike_fact(&self) -> Fact {
        let record = |place: &crate::Alike| -> Facts {
            [Fact::new("vertex", place.vertex), Fact::new("distance", place.distance)].into_iter().collect()
        };
        let fact = Fact::new("alike", self.alike.iter().map(record).collect::<Vec<_>>());
        self.alike.iter().take(MOST_ROWS).fold(fact, |fact, place| {
            fact.read_as("alike", format!("vertex {}, distance {}", place.vertex, measured(place.distance)))
        })
    }

    fn feature_fact(&self) -> Fact {
        let record = |feature: &crate::Feature| -> Facts {
            [
                Fact::new("vertex", feature.vertex),
                Fact::new("t", feature.time),
                Fact::new("value", feature.value),
                Fact::new("persistence", feature.persistence),
            ]
            .into_iter()
            .collect()
        };
        let fact = Fact::new("features", self.features.iter().map(record).collect::<Vec<_>>());
        self.features.iter().take(MOST_ROWS).fold(fact, |fact, feature| {
            let words =
                format!("vertex {}, {:.0} % of the range", feature.vertex, 100.0 * feature.persistence);
            fact.read_as("feature", words)
        })
    }

    fn check_fact(&self) -> Fact {
        let Some(check) = &self.check else { return Fact::new("check", Value::Nothing) };
        let record: Facts = [
            Fact::new("vertices", check.vertices.clone()),
            Fact::new("mean", check.mean),
            Fact::new("worst", check.worst),
        ]
        .into_iter()
        .collect();
        let words = format!(
            "{:.1} % off on average, at most {:.1} %, at {} vertices",
            100.0 * check.mean,
            100.0 * check.worst,
            check.vertices.len()
        );
        Fact::new("check", record).read_as("beside the fine one", words)
    }
}
