//! Sections of model files: kept by programs that do not know them, refused by their owner when they do not fit.

use std::path::Path;

use pliant_energy::Recipe;
use pliant_linalg::{Vec3, ignore_progress};
use pliant_mesh::{select, shapes};
use pliant_reduce::model::{Section, seal};
use pliant_reduce::{Model, Precompute, ReduceError, TensorFault};

fn bar() -> Model {
    let bar = shapes::bar(Vec3::new(0.4, 0.1, 0.1), [3, 1, 1]).into_data();
    let fixed = vec![select::select(&bar, "x<5%").expect("a slab")];
    let small = Precompute { modes: Some(4), forces: Some("linear".into()), ..Precompute::default() };
    let made = small.build(bar, Recipe { fixed, ..Recipe::default() }, &mut ignore_progress);
    let model = made.expect("a model").model;
    // Of fewer coordinates no pull was measured: nothing in it needs a newer format.
    model.truncated(model.rank() - 1).expect("fewer")
}

fn sound() -> Section {
    let mut section = Section::new(3);
    section.set("loss", 1.0 / 3.0);
    section.set("names", vec!["a".to_owned(), "\"b\"".to_owned()]);
    section.put_reals("damping", &[2, 2], &[0.1, 0.2, 1e-300, -4.0]).expect("sound numbers");
    section.put_floats("air", &[3], &[1.5, 2.5, -0.25]).expect("sound numbers");
    section.put_indices("ids", &[2], &[7, u32::MAX]).expect("indices");
    section.put_bytes("bytes", &[5], b"hello").expect("bytes");
    section
}

fn read(bytes: &[u8]) -> Result<Model, String> {
    Model::from_bytes(Path::new("x.pliant"), bytes).map_err(|error| error.to_string())
}

#[test]
fn a_section_comes_back_and_a_model_without_one_is_as_before() {
    let plain = bar().to_bytes().expect("a file");
    assert!(String::from_utf8_lossy(&plain).contains("\\\"version\\\":1"), "nothing that needs format 3");
    let model = bar().with_section("sound", sound()).expect("a good name");
    let bytes = model.to_bytes().expect("a file");
    assert_eq!(bytes.len(), model.size_in_bytes());
    assert!(String::from_utf8_lossy(&bytes).contains("\\\"version\\\":3"));
    let again = read(&bytes).expect("a model");
    // Whoever does not know it keeps it to the last byte.
    assert_eq!(again.to_bytes().expect("a file"), bytes);
    let section = again.section("sound", 3).expect("of this basis").expect("there");
    assert_eq!((section.version(), section.facts()["loss"].as_f64()), (3, Some(1.0 / 3.0)));
    assert_eq!(section.reals("damping", &[Some(2), None]).expect("numbers"), [0.1, 0.2, 1e-300, -4.0]);
    assert_eq!(section.floats("air", &[Some(3)]).expect("numbers"), [1.5, 2.5, -0.25]);
    assert_eq!(section.indices("ids", &[None]).expect("indices"), [7, u32::MAX]);
    assert_eq!(section.bytes("bytes", &[None]).expect("bytes"), b"hello");
    assert!(again.section("light", 1).expect("no error").is_none());
    assert_eq!(again.without_section("sound").to_bytes().expect("a file"), plain);
}

#[test]
fn a_section_of_another_basis_or_of_a_newer_program_is_refused_by_its_owner() {
    let model = bar().with_section("sound", sound()).expect("a good name");
    let newer = model.section("sound", 2).expect_err("of version 3");
    assert!(matches!(newer, ReduceError::SectionVersion { version: 3, latest: 2, .. }), "{newer:?}");
    let newer = newer.to_string();
    assert!(newer.contains("\"sound\" is of version 3") && newer.contains("1 to 2"), "{newer}");
    assert!(newer.contains("update the program"), "{newer}");
    for other in [model.truncated(3).expect("fewer"), model.rescaled(2.0, 1.0).expect("stiffer")] {
        let stale = other.section("sound", 3).expect_err("made for another");
        assert!(matches!(&stale, ReduceError::StaleSection { name } if name == "sound"), "{stale:?}");
        let stale = stale.to_string();
        assert!(
            stale.contains("another basis, mass or stiffness") && stale.contains("make it again"),
            "{stale}"
        );
        // It is kept all the same, for whoever can still use it.
        let kept = read(&other.to_bytes().expect("a file")).expect("a model");
        assert_eq!(kept.sections().len(), 1);
    }
}

#[test]
fn version_0_is_none() {
    let refused = bar().with_section("sound", Section::new(0)).expect_err("versions begin with 1");
    assert!(matches!(refused, ReduceError::SectionVersion { version: 0, .. }), "{refused:?}");
    // A file that claims it is read, the section kept as it is; its owner refuses it and does not speak of newer programs.
    let mut bytes = bar().with_section("sound", sound()).expect("a good name").to_bytes().expect("a file");
    let claim = br#"\"version\":3}"#;
    let place = bytes.windows(claim.len()).position(|w| w == claim).expect("that of the section");
    bytes[place + claim.len() - 2] = b'0';
    seal(&mut bytes);
    let model = read(&bytes).expect("a model");
    assert_eq!(model.to_bytes().expect("a file"), bytes);
    let said = model.section("sound", 3).expect_err("of version 0").to_string();
    assert!(said.contains("is of version 0, expected 1 or more; make the section again"), "{said}");
}

#[test]
fn sizes_and_numbers_that_cannot_be_are_refused() {
    let mut section = Section::new(1);
    let said = |outcome: Result<(), ReduceError>| outcome.expect_err("refused").to_string();
    let size = said(section.put_reals("x", &[3], &[1.0, 2.0]));
    assert!(size.contains("the tensor \"x\" of a section has 2 entries for the shape [3]"), "{size}");
    assert!(said(section.put_reals("x", &[1], &[f64::NAN])).contains("has NaN, expected finite numbers"));
    assert!(
        said(section.put_reals("X y", &[1], &[1.0])).contains("\"X y\" of a section cannot be called so")
    );
    section.put_reals("x", &[2], &[1.0, 2.0]).expect("sound");
    let name = bar().with_section("Sound!", section.clone()).expect_err("a name that is none");
    assert!(matches!(&name, ReduceError::SectionName { .. }) && name.to_string().contains("a-z"), "{name}");

    // In a model, and read from a file, a section knows what it is called.
    let model = bar().with_section("sound", section).expect("a good name");
    let again = read(&model.to_bytes().expect("a file")).expect("a model");
    for model in [&model, &again] {
        let section = model.section("sound", 1).expect("of this basis").expect("there");
        let wrong = section.reals("x", &[Some(3)]).expect_err("two, not three").to_string();
        let meant =
            "the tensor \"x\" of the section \"sound\" is F64 [2], expected F64 [3]; make the section again";
        assert_eq!(wrong, meant);
        assert!(section.indices("x", &[None]).is_err());
        let missing = section.reals("y", &[None]).expect_err("not there");
        let ReduceError::SectionTensor { section, tensor, fault } = &missing else { panic!("{missing}") };
        assert_eq!((section.as_deref(), tensor.as_str(), fault), (Some("sound"), "y", &TensorFault::Missing));
    }
}

#[test]
fn damage_in_a_section_is_told() {
    let bytes = bar().with_section("sound", sound()).expect("a good name").to_bytes().expect("a file");
    let changed = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len(), "the header keeps its length");
        let mut bytes = bytes.clone();
        let place = bytes.windows(from.len()).position(|w| w == from.as_bytes()).expect("it is there");
        bytes[place..place + to.len()].copy_from_slice(to.as_bytes());
        seal(&mut bytes);
        read(&bytes).expect_err("refused")
    };
    // Twice: the second one takes the place of the key that follows.
    let twice = {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let start = text.find(r#"\"sections\":{"#).expect("sections") + r#"\"sections\":"#.len();
        let end = start + text[start..].find(r#",\"seed\""#).expect("the next key");
        let one = &text[start + 1..end - 1];
        let both = format!("{{{one},{one}}}");
        let mut longer = bytes.clone();
        longer.splice(start..end, both.bytes());
        let grown = both.len() - (end - start);
        let header = u64::from_le_bytes(*longer.first_chunk::<8>().expect("a length")) as usize + grown;
        let padding = header.next_multiple_of(8) - header;
        longer.splice(8 + header..8 + header, std::iter::repeat_n(b' ', padding));
        longer[..8].copy_from_slice(&((header + padding) as u64).to_le_bytes());
        seal(&mut longer);
        read(&longer).expect_err("refused")
    };
    assert!(twice.contains("the section \"sound\" is there twice"), "{twice}");
    let unclaimed = changed("section.sound.damping", "section.sond2.damping");
    assert!(unclaimed.contains("of no section that is described"), "{unclaimed}");
    let version = changed(r#"\"version\":3,"#, r#"\"version\":1,"#);
    assert!(version.contains("format") || version.contains("version"), "{version}");
    // A number that is not finite, in the file itself.
    let mut poked = bytes.clone();
    let place = poked.windows(8).position(|w| w == 1e-300f64.to_le_bytes()).expect("the number");
    poked[place..place + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    seal(&mut poked);
    let sentence = read(&poked).expect_err("refused");
    assert!(sentence.contains("the tensor \"damping\" of the section \"sound\" has NaN"), "{sentence}");
}
