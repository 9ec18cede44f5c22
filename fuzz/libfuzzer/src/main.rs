//! The libFuzzer program for all targets; the environment variable `TARGET` names the one to run.

#![no_main]

use std::sync::OnceLock;

static TARGET: OnceLock<pliant_fuzz::Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("TARGET").unwrap_or_default();
        pliant_fuzz::target(&name).unwrap_or_else(|| {
            let names: Vec<&str> = pliant_fuzz::names().collect();
            eprintln!("TARGET is {name:?}; set it to one of {}", names.join(" "));
            std::process::exit(2);
        })
    });
    target(data);
});
