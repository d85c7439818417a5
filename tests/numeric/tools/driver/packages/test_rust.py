"""The crate is built and tested by cargo on this computer, and for a Cortex-M4 if its core library is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import gural_murmann
from programs.devices import need_tools
from programs.other_tools import passed
from programs.sensor_models import CLASSES, NAME, SensorModel, inputs, sensor_model
from programs.spread import spread

from tinyml.dialects.errors import InputError
from tinyml.targets.registry import board
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.packages.packaging_table import packagings_for
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.shared_programs import join_programs
from tinyml.tools.driver.stages import print_ir

CARGO = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")

OWN = """\
use gestures::Gestures;

#[test]
fn reals_become_the_classes_of_the_evaluator() {{
    let mut models = [Gestures::new(), Gestures::new()];
    for (at, (reals, class, name)) in [{rows}].iter().enumerate() {{
        let model = &mut models[at % 2];
        let found = model.predict_floats(reals);
        assert_eq!((found.0, found.name()), (*class, *name));
        let scores = model.scores();
        assert!(scores.iter().all(|score| *score <= scores[found.0 as usize]));
    }}
}}
"""


def cargo_test(crate: Path) -> str:
    """The output of `cargo test` without the network; warnings are errors."""
    return passed(["cargo", "test", "--offline"], folder=crate, environment={"RUSTFLAGS": "-Dwarnings"})


@CARGO
@pytest.mark.long(seconds=15)
@pytest.mark.parametrize("case", spread(["fixed", "f32", "posit"], 1))
def test_the_crate_computes_what_the_evaluator_does(case: str, tmp_path: Path):
    """The stored samples in ten thousand calls of two models, and fifty inputs of real numbers."""
    options: dict[str, Any] = {"format": case, "width": {"fixed": 16, "f32": None, "posit": 8}[case]}
    model = sensor_model(tmp_path, "cortex-m4", packages=("rust",), instances=True, **options)
    crate, x = model.out / "rust", inputs(50)
    rows = ", ".join(
        f"([{', '.join(map(repr, row))}], {label}_i16, {CLASSES[label]!r})".replace("'", '"')
        for row, label in zip(x.tolist(), model.classes(x), strict=True)
    )
    (crate / "tests/own.rs").write_text(OWN.format(rows=rows))
    said = cargo_test(crate)
    assert said.count("1 passed") == 2


@CARGO
@pytest.mark.long(seconds=15)
def test_a_stream_is_pushed(tmp_path: Path):
    images = gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"])[:4]
    (tmp_path / "network.mlir").write_text(print_ir(gural_murmann.program()))
    np.savez(tmp_path / "images.npz", x=images)
    request = Request(model=tmp_path / "network.mlir", val=tmp_path / "images.npz", out=tmp_path / "out", target="host")
    compile_model(replace(request, input="push", instances=True, packages=("rust",)))
    assert "1 passed" in cargo_test(tmp_path / "out/rust")


BOTH = """\
use gestures::*;
use second::*;

#[test]
fn programs_in_turn_compute_the_stored_outputs() {{
    let (mut first, mut other) = unsafe {{ (Gestures::new(), Second::new()) }};
    for turn in 0..5_000 {{
        let (reals, one, two) = [{rows}][turn % 20];
        assert_eq!(first.predict_floats(&reals).0, one);
        assert_eq!(other.predict_floats(&reals).0, two);
    }}
}}
"""


@CARGO
@pytest.mark.long(seconds=15)
def test_programs_with_one_arena_are_two_crates(tmp_path: Path):
    """The samples of each crate, and both crates in one program, whose linker merges the arenas."""
    models = [sensor_model(tmp_path / name, "cortex-m4", name=name, width=8) for name in (NAME, "second")]
    join_programs([model.out for model in models], out := tmp_path / "out", packages=["rust"])
    crate, x = out / "rust" / NAME, inputs(20)
    manifest = (crate / "Cargo.toml").read_text()
    (crate / "Cargo.toml").write_text(f'{manifest}\n[dev-dependencies]\nsecond = {{ path = "../second" }}\n')
    labels = zip(*(model.classes(x) for model in models), strict=True)
    rows = ", ".join(f"({row}, {one}_i16, {two}_i16)" for row, (one, two) in zip(x.tolist(), labels, strict=True))
    (crate / "tests/own.rs").write_text(BOTH.format(rows=rows))
    assert cargo_test(crate).count("1 passed") == 2
    assert cargo_test(out / "rust/second").count("1 passed") == 1


@CARGO
@pytest.mark.long(seconds=15)
def test_it_is_built_for_a_processor_without_an_operating_system(tmp_path: Path):
    target = "thumbv7em-none-eabihf"
    need_tools("cortex-m4")
    root = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    if not (Path(root) / "lib/rustlib" / target).is_dir():
        pytest.skip(f"rustup target add {target}: the core library is not installed")
    model = sensor_model(tmp_path, "cortex-m4", packages=("rust",), instances=True)
    passed(["cargo", "build", "--offline", "--release", "--target", target], folder=model.out / "rust")


@pytest.mark.long
@pytest.mark.parametrize("name", ["match", "Self"])
def test_words_of_rust_are_not_names(name: str, tmp_path: Path):
    out = sensor_model(tmp_path, "cortex-m4", packages=("rust",), instances=True, name=name).out
    manifest = (out / "rust/Cargo.toml").read_text()
    assert re.findall(r'^name = "(.*)"', manifest, re.MULTILINE) == [f"{name.lower()}_model"]


def test_boards_without_rust():
    with pytest.raises(InputError, match="uno is no target of rustc"):
        packagings_for(board("uno"), ["rust"], zipped=False)


def test_built_crates_are_replaced(tmp_path: Path):
    """What cargo wrote does not prevent the folder from being written again, and stays."""
    model = sensor_model(tmp_path, "cortex-m4", packages=("rust",), instances=True)
    target = model.out / "rust/target"
    target.mkdir()
    (target / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55")
    (model.out / "rust/Cargo.lock").write_text("version = 4\n")
    again = sensor_model(tmp_path, "cortex-m4", packages=("rust",), instances=True)
    assert isinstance(again, SensorModel)
    assert (target / "CACHEDIR.TAG").is_file()
    assert (model.out / f"rust/csrc/{NAME}.c").is_file()
