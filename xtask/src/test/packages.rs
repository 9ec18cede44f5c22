//! The packages of the workspace and their short names: `mesh` for `pliant-mesh`.

use anyhow::Context as _;
use serde_json::Value;

use crate::tools;

/// Names of the packages of the workspace, as cargo tells them.
#[derive(Debug)]
pub(crate) struct Packages(Vec<String>);

impl Packages {
    /// Asks cargo.
    pub(crate) fn read() -> anyhow::Result<Self> {
        let metadata = metadata()?;
        let packages = metadata["packages"].as_array().context("cargo describes packages")?;
        let names = packages.iter().filter_map(|package| package["name"].as_str());
        Ok(Self(names.map(str::to_owned).collect()))
    }

    /// The package of a short name, or of its own.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.iter().map(String::as_str).find(|package| *package == name || short(package) == name)
    }

    /// All short names, in order.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|package| short(package)).collect();
        names.sort_unstable();
        names
    }
}

fn short(package: &str) -> &str {
    package.strip_prefix("pliant-").unwrap_or(package)
}

/// What cargo says about the workspace, dependencies left out.
pub(super) fn metadata() -> anyhow::Result<Value> {
    let args = ["metadata", "--no-deps", "--format-version", "1"];
    Ok(serde_json::from_str(&tools::output(&mut tools::cargo(&args))?)?)
}

#[cfg(test)]
mod tests {
    use super::Packages;

    #[test]
    fn packages_are_found_by_short_names_and_unknown_ones_are_not() {
        let packages = Packages(["pliant-mesh", "pliant", "xtask"].map(str::to_owned).to_vec());
        assert_eq!(packages.find("mesh"), Some("pliant-mesh"));
        assert_eq!(packages.find("pliant-mesh"), Some("pliant-mesh"));
        assert_eq!(packages.find("pliant"), Some("pliant"));
        assert_eq!(packages.find("mes"), None);
        assert_eq!(packages.names(), ["mesh", "pliant", "xtask"]);
    }
}
