//! What the README promises: `cargo run --release` opens the studio, which serves its page.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;
use serde_json::Value;

use super::packages::metadata;
use crate::tools::BuildScope;

/// Whether the program that `cargo run` starts serves a page.
pub(super) fn holds(scope: BuildScope) -> anyhow::Result<bool> {
    let metadata = metadata()?;
    let programs = programs(&metadata);
    if programs != ["pliant"] {
        println!("`cargo run` must know one program to start, pliant; it has {programs:?}");
        return Ok(false);
    }
    let mut pliant = Command::new(scope.pliant()?);
    // Without a screen no browser is opened.
    pliant.arg("--json").env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").stdout(Stdio::piped());
    let mut studio = pliant.spawn()?;
    let served = page_of(&mut studio);
    studio.kill()?;
    studio.wait()?;
    served
}

/// Programs among which `cargo run` would choose: those of the default members of the workspace.
fn programs(metadata: &Value) -> Vec<&str> {
    let list = |value: &'_ Value| value.as_array().map(Vec::as_slice).unwrap_or_default().to_vec();
    let members = list(&metadata["workspace_default_members"]);
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    packages
        .iter()
        .filter(|package| members.contains(&package["id"]))
        .flat_map(|package| package["targets"].as_array().map(Vec::as_slice).unwrap_or_default())
        .filter(|target| list(&target["kind"]).iter().any(|kind| kind == "bin"))
        .filter_map(|target| target["name"].as_str())
        .collect()
}

/// Whether the address that a studio prints has a page.
fn page_of(studio: &mut Child) -> anyhow::Result<bool> {
    let mut line = String::new();
    BufReader::new(studio.stdout.take().context("it has a standard output")?).read_line(&mut line)?;
    let url = line.split('"').find(|part| part.starts_with("http://")).context("no url was printed")?;
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host)?;
    write!(stream, "GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200") && answer.contains("<title>"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn cargo_run_knows_what_to_start() {
        let target = |kind: &str, name: &str| json!({"kind": [kind], "name": name});
        let packages = json!([
            {"id": "a", "targets": [target("bin", "pliant"), target("test", "cli")]},
            {"id": "b", "targets": [target("lib", "b"), target("bin", "other")]},
        ]);
        let programs = |members: &[&str]| {
            let metadata = json!({"workspace_default_members": members, "packages": packages});
            super::programs(&metadata).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(programs(&["a"]), ["pliant"]);
        assert_eq!(programs(&["a", "b"]), ["pliant", "other"]);
        assert!(programs(&[]).is_empty());
    }
}
