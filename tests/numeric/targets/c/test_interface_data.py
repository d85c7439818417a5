"""NAME.json describes exactly what NAME.h declares, as the compilers of the boards understand the header.

Oracles that read the header and not the data: gcc lists the prototypes (`-aux-info`) and the macros (`-dM`) of a
translation unit that only includes it, and compilers check sizes, alignments, offsets, values and types by assertions.
"""

from __future__ import annotations

import json
import re
import subprocess
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import gural_murmann
from programs.estimators import datasets, sk
from programs.paths import ROOT
from programs.sensor_models import NAME, inputs, sensor_model
from programs.spread import spread

import tinyml
from tinyml.targets.registry import board, chip_of
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.stages import print_ir
from tinyml.tools.main import main

# The package has no types for some of its functions.
JSONSCHEMA: Any = import_module("jsonschema")

SCHEMA = json.loads((ROOT / "docs/schemas/interface-1.json").read_text())

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("host", {}),
    "strings in program memory": ("uno", {}),
    "floats": ("nano33ble", {"format": "f32", "width": None}),
    "instances": ("nano33ble", {"instances": True}),
    "instances on AVR": ("uno", {"instances": True, "width": 16}),
    "weights in RAM": ("cortex-m4", {"load_weights": True}),
    "weights in a blob": ("esp32-c3", {"weights_at": "0x40000"}),
    "weights in a far blob": ("mega", {"weights_at": "0x1000"}),
    "a unit": ("uno", {"input_unit": "adc10:5"}),
    "posits": ("cortex-m0", {"format": "posit", "width": 8}),
    "input in the arena": ("cortex-m4", {"reuse_input": True}),
}


def call(command: list[str | Path]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def data_of(folder: Path, name: str) -> dict[str, Any]:
    return json.loads((folder / f"{name}.json").read_text())


def check(folder: Path, name: str, target: str) -> None:
    """Check the data of a program against its header and against the schema."""
    data = data_of(folder, name)
    JSONSCHEMA.validate(data, SCHEMA)
    check_names(folder, data)
    check_meaning(folder, data, target)


def check_names(folder: Path, data: dict[str, Any]) -> None:
    """The header declares the functions, macros, types and tables of the data, and no others."""
    name = data["name"]
    unit = folder / "only_header.c"
    unit.write_text(f'#include "{name}.h"\n')
    found = folder / "prototypes.txt"
    call(["gcc", "-std=c99", "-fsyntax-only", "-aux-info", found, unit])
    functions = re.findall(r"^/\* \S+ \*/.*?(\w+) \(", found.read_text(), re.MULTILINE)
    macros = call(["gcc", "-dM", "-E", unit])
    defined = {macro for macro in re.findall(r"^#define (\w+)", macros, re.MULTILINE) if macro.startswith(f"{name}_")}
    text = (folder / f"{name}.h").read_text()
    own = {function for function in functions if function.startswith(f"{name}_")}
    assert own == {function["name"] for function in data["functions"]}
    assert defined == {macro["name"] for macro in data["macros"]}
    types = re.findall(r"^\} (\w+);", text, re.MULTILINE)
    assert types == [type["name"] for type in data["types"]]
    tables = re.findall(r"^(?:static|extern) const \w+ (\w+)\[", text, re.MULTILINE)
    assert tables == [table["name"] for table in data["tables"]]


def check_meaning(folder: Path, data: dict[str, Any], target: str) -> None:
    """The board's compiler finds the sizes, values and types that the data state."""
    lines = ["#include <stddef.h>", f'#include "{data["name"]}.h"', "#define SAME(a, b) _Static_assert((a) == (b), #a)"]
    for macro in data["macros"]:
        value = macro["value"]
        if isinstance(value, str):
            lines.append(f"SAME(sizeof {macro['name']}, {len(value) + 1});")
        else:
            lines.append(
                f"SAME((double)({macro['name']}), (double)({value!r}{'f' if isinstance(value, float) else ''}));"
            )
    for type in data["types"]:
        name = type["name"]
        lines += [f"SAME(sizeof({name}), {type['bytes']});", f"SAME(_Alignof({name}), {type['alignment']});"]
        for member in type["members"]:
            lines.append(f"SAME(offsetof({name}, {member['name']}), {member['offset']});")
            lines.append(f"SAME(sizeof((({name} *)0)->{member['name']}), {member['bytes']});")
            lines.append(f"SAME(sizeof((({name} *)0)->{member['name']}[0]), sizeof({member['type']}));")
    for number, function in enumerate(data["functions"]):
        result = function["result"]["type"] if "result" in function else "void"
        taken = ", ".join(parameter["type"] for parameter in function["parameters"]) or "void"
        lines.append(
            f"{result.rstrip('*')}{'*' if '*' in result else ''}(*const f{number})({taken}) = {function['name']};"
        )
    for table in data["tables"]:
        lines.append(f"SAME(sizeof {table['name']}, {table['length']} * sizeof({table['type']}));")
    unit, chip = folder / "claims.c", chip_of(target)
    unit.write_text("\n".join([*lines, ""]))
    flags = [*board(target).flags, *chip.flags, "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable"]
    call([chip.command("cc"), *flags, "-fsyntax-only", "-I", folder, unit])


@pytest.mark.parametrize("case", spread(list(CASES), 3))
def test_the_header_declares_what_the_data_state(case: str, tmp_path: Path):
    target, options = CASES[case]
    out = sensor_model(tmp_path, target, **options).out
    check(out, NAME, target)
    data = data_of(out, NAME)
    assert data["model"]["classes"] == ["rest", "wave", "turn"]
    [predict] = [function for function in data["functions"] if function["role"] == "predict"]
    assert predict["result"] == {"type": "int16_t", "kind": "number"}
    assert data["model"]["input"]["length"] == inputs(1).shape[1]


def test_static_memory_is_that_of_the_object_file(tmp_path: Path):
    """The arena and the buffers in the data have the sizes and alignments of the symbols in the object file."""
    out = sensor_model(tmp_path, "host", width=16).out
    data = data_of(out, NAME)
    call(["gcc", "-c", out / f"{NAME}.c", "-o", tmp_path / "model.o"])
    listed = call(["nm", "-S", tmp_path / "model.o"])
    sizes = {words[3]: int(words[1], 16) for line in listed.splitlines() if len(words := line.split()) == 4}
    assert data["memory"]
    for array in data["memory"]:
        assert sizes[array["name"]] == array["bytes"]


@pytest.mark.long(seconds=3)
@pytest.mark.filterwarnings("ignore")
def test_tables_of_features_are_in_program_memory(tmp_path: Path):
    """The tables of features with separate scales are in the data, with the memory in which they are."""
    x, y = datasets.load_wine(return_X_y=True)
    nearest = sk.LogisticRegression(max_iter=5, C=1e-6).fit(x, y)
    options: dict[str, Any] = {"format": "posit", "width": 8, "feature_scales": True, "outputs": "class"}
    out = tinyml.compile(nearest, x, board="uno", name="wine", **options).save(tmp_path / "out")
    check(out, "wine", "uno")
    tables = data_of(out, "wine")["tables"]
    assert [table["name"] for table in tables] == ["wine_feature_scales", "wine_feature_zeros"]
    assert {table["memory"] for table in tables} == {"program"}


@pytest.mark.long(seconds=4)
def test_joined_programs_have_data_each(tmp_path: Path):
    folders = [sensor_model(tmp_path / name, "nano33ble", name=name).out for name in _made(tmp_path, "left", "right")]
    both = ["compile", str(tmp_path / "left/left.sd"), "--val", str(tmp_path / "left/val.npz"), "--width", "8"]
    both += ["--target", "nano33ble", "--with", str(folders[1]), "-o", str(tmp_path / "both")]
    assert main(both) == 0
    for name in ("left", "right"):
        check(tmp_path / "both", name, "nano33ble")
    joined = data_of(tmp_path / "both", "left_right")
    assert joined["programs"] == ["left.json", "right.json"]


@pytest.mark.long(seconds=5)
def test_a_stream_and_rows_of_the_caller(tmp_path: Path):
    """Pushed samples are counted by a parameter, and rows are written by a function of the caller."""
    images = gural_murmann.images(np.load(gural_murmann.FOLDER / "test.npz")["x"])[:4]
    (tmp_path / "network.mlir").write_text(print_ir(gural_murmann.program()))
    np.savez(tmp_path / "images.npz", x=images)
    for source in ("callback", "push"):
        out = tmp_path / source
        model, images_file = tmp_path / "network.mlir", tmp_path / "images.npz"
        request = Request(model=model, val=images_file, out=out, target="host", input=source)
        compile_model(request)
        check(out, "gural_mnist10", "host")
        data = data_of(out, "gural_mnist10")
        functions, given = {function["role"]: function for function in data["functions"]}, data["model"]["input"]
        if source == "callback":
            assert functions["row"]["defined"] == "caller"
            assert functions["row"]["parameters"][0]["elements"] == given["row"]
        else:
            assert functions["push"]["parameters"][0]["elements"] == "n"
            assert given["pushed"]["frame"] > 0


def _made(folder: Path, *names: str) -> tuple[str, ...]:
    for name in names:
        (folder / name).mkdir()
    return names


def test_a_model_is_not_named_like_another_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    tour = ["compile", "docs/tour/tour.sd", "--val", "docs/tour/val.npz", "--width", "8", "--name", "report"]
    assert main([*tour, "-o", str(tmp_path / "out")]) == 1
    assert "'report.json' is another file of the output folder" in capsys.readouterr().err
