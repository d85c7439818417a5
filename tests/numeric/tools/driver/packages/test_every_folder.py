"""The C in the folder of every `--package` compiles without warnings and computes what the evaluator computes.

What a folder does with its own tool is the subject of the other files of this directory; `TOOLS` lists them.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from numeric.tools.driver.packages.test_built_folders import BUILDS
from programs.other_tools import passed
from programs.plugins import installed
from programs.sensor_models import NAME, inputs, sensor_model

import tinyml
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.plugins import PACKAGES
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate
from tinyml.targets.registry import board
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging
from tinyml.tools.driver.packages.packaging_table import PACKAGINGS, packaging_names
from tinyml.tools.driver.shared_programs import join_programs
from tinyml.tools.driver.stages import load_program

BOARD = "esp32-c3"
"""A board that most tools support."""

TOOLS = {
    "c": "test_built_folders.py",
    "arduino": "test_arduino_builder.py",
    "cmake": "test_cmake.py",
    "platformio": "test_platformio.py",
    "header": "test_header.py",
    "micropython": "test_micropython.py",
    "rust": "test_rust.py",
    "zephyr": "test_zephyr.py",
    "idf": "test_idf.py",
    "esphome": "test_esphome.py",
    "bitstream": "test_built_folders.py",
    "mlir": "test_mlir.py",
    "circt": "test_circt.py",
    "mlperf": "test_mlperf.py",
}
"""The tests of each folder with its own tool."""

WITHOUT_C = ("bitstream", "circt", "mlir", "mlperf")
"""Folders of hardware and upstream dialects, and that of a benchmark whose networks are given."""

CALLS = 10_000

CHECK = """\
{includes}
#include <stdio.h>

{before}static const float inputs[{rows}][6] = {{
{inputs}
}};

int main(void)
{{
    for (int call = 0; call < {calls}; call++) {{
        const float *const x = inputs[call / 2 % {rows}];
        if (call % 2 == 0) {{
{even}
        }} else {{
{odd}
        }}
        printf("\\n");
    }}
    return 0;
}}
"""

CALL = """\
            printf("%d", {name}_predict_floats({before}x));
            for (int i = 0; i < {name}_OUTPUT_LENGTH; i++)
                printf(" %d", {name}_scores({given})[i]);"""

LANGUAGES = {"c99": ["gcc", "-std=c99"], "c11": ["gcc", "-std=c11"], "c++17": ["g++", "-std=c++17"]}
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]


def test_every_package_has_a_test_of_its_tool():
    assert {*TOOLS} == {*packaging_names()}
    here = Path(__file__).parent
    for name, file in TOOLS.items():
        assert f'"{name}"' in (here / file).read_text(), name
    assert {name for _, names, _ in BUILDS.values() for name in names} >= {*packaging_names()} - {"mlperf"}


def walked() -> list[str]:
    """The folders with C for `BOARD`, those of packages of others included."""
    names = [*PACKAGINGS.names()]
    return [name for name in names if name not in WITHOUT_C and PACKAGINGS.get(name).lacks(board(BOARD)) is None]


def answers(out: Path) -> list[str]:
    """The lines of `CALL` for each of 20 inputs, according to the evaluator."""
    formats = load_program(out / "ir" / "1-formats.mlir", context())
    found = evaluate(formats, encode_inputs(formats, inputs(20).astype(np.float32)))
    assert found.scores is not None
    rows = zip(found.classes.tolist(), found.scores, strict=True)
    return [" ".join(map(str, [label, *scores.ravel().tolist()])) for label, scores in rows]


def check_folder(folder: Path, programs: Sequence[str], main: str, expected: Sequence[str], work: Path) -> None:
    """Compile the C in a folder as C99 and C11, and a program that calls it also as C++17, and compare what it prints.

    programs: the names of the programs in the folder, each with a header.
    """
    headers = [next(folder.rglob(f"{name}.h")) for name in programs]
    sources = [path for name in programs for path in folder.rglob(f"{name}.c")]
    assert len(sources) in (0, len(programs))
    includes = [flag for header in headers for flag in ("-I", header.parent)]
    for language, compiler in LANGUAGES.items():
        check = work / f"check.{'cpp' if language == 'c++17' else 'c'}"
        check.write_text(main)
        objects: list[Path] = []
        for source in sources:
            objects.append(work / f"{len(objects)}.o")
            standard = "-std=c99" if language == "c++17" else compiler[1]
            passed(["gcc", standard, *WARNINGS, "-O1", "-c", *includes, source, "-o", objects[-1]])
        passed([*compiler, *WARNINGS, "-O1", *includes, check, *objects, "-o", work / "check", "-lm"])
        assert passed([work / "check"]).splitlines() == expected, (folder.name, language)


def main_text(programs: Sequence[str], before: str, calls: tuple[str, str]) -> str:
    """The text of the program that calls the C of a folder.

    calls: the statements of even and of odd calls.
    """
    x = inputs(20).tolist()
    return CHECK.format(
        includes="\n".join(f'#include "{name}.h"' for name in programs),
        before=before,
        rows=len(x),
        inputs=",\n".join(f"    {{{', '.join(f'{value!r}f' for value in row)}}}" for row in x),
        calls=CALLS,
        even=calls[0],
        odd=calls[1],
    )


def of_instance(number: int) -> str:
    return CALL.format(name=NAME, before=f"&models[{number}], ", given=f"&models[{number}]")


INSTANCES = main_text([NAME], f"static {NAME}_ctx models[2];\n", (of_instance(0), of_instance(1)))


@pytest.mark.long(seconds=20)
def test_the_c_of_every_folder_computes_what_the_evaluator_does(tmp_path: Path):
    """Ten thousand calls of two instances in turn, compiled as C99 and C11, and called from C++17."""
    names = walked()
    assert {*names} == {*packaging_names()} - {*WITHOUT_C, "c"}
    out = sensor_model(tmp_path, BOARD, packages=tuple(names), instances=True, width=16).out
    each = answers(out)
    expected = [each[call // 2 % len(each)] for call in range(CALLS)]
    plain = tmp_path / "c"
    plain.mkdir()
    for file in out.glob(f"{NAME}.[ch]"):
        shutil.copy(file, plain)
    for folder in (plain, *(out / name for name in names)):
        check_folder(folder, [NAME], INSTANCES, expected, tmp_path)


def _wrong_files(model: PackagedModel) -> Mapping[str, str]:
    return {f"own/{NAME}.c": f'#error "not what {NAME} computes"\n', f"own/{NAME}.h": model.sources[f"{NAME}.h"]}


STRANGER = Packaging("stranger", _wrong_files)


@pytest.mark.long(seconds=4)
def test_the_folder_of_another_package_is_compared(tmp_path: Path):
    """The folder of a package that is not tinyml's is among those that are compared, and a wrong one is found."""
    with installed(EntryPoint("stranger", f"{__name__}:STRANGER", PACKAGES)):
        assert "stranger" in walked()
        out = sensor_model(tmp_path, BOARD, packages=("stranger",), instances=True).out
        with pytest.raises(AssertionError, match="not what gestures computes"):
            check_folder(out / "stranger", [NAME], INSTANCES, [], tmp_path)


@pytest.mark.long(seconds=30)
def test_programs_with_one_arena_have_every_folder(tmp_path: Path):
    """Ten thousand calls of two programs in turn, linked from the folders of both, in which they share an arena."""
    names, programs = walked(), (NAME, "second")
    outs = [
        sensor_model(tmp_path / name, BOARD, name=name, width=width).out
        for name, width in zip(programs, (8, 16), strict=True)
    ]
    out = tmp_path / "out"
    join_programs(outs, out, "both", packages=names, zipped=True)
    each = [answers(alone) for alone in outs]
    expected = [each[call % 2][call // 2 % 20] for call in range(CALLS)]
    calls = [CALL.format(name=name, before="", given="") for name in programs]
    main = main_text(programs, "", (calls[0], calls[1]))
    for name in names:
        check_folder(out / name, programs, main, expected, tmp_path)
    assert {path.name for path in (out / "arduino").glob("*/*.zip")} == {f"{name}.zip" for name in programs}
    for file in ("report.html", *(f"{name}.json" for name in ("both", *programs))):
        assert (out / file).is_file()


@pytest.mark.long(seconds=10)
def test_programs_with_one_arena_are_saved_again_after_a_build(tmp_path: Path):
    programs = [tinyml.open(sensor_model(tmp_path / name, BOARD, name=name, width=8).out) for name in (NAME, "second")]
    joined = tinyml.compile(programs, name="both")
    out = joined.save(tmp_path / "out", packages=["cmake", "rust", "idf"])
    built = {
        f"cmake/{NAME}/build/CMakeCache.txt": "1",
        f"cmake/{NAME}/{NAME}_example": "2",
        "rust/second/target/debug/one": "3",
        "idf/second/second/test_apps/sdkconfig": "4",
    }
    for name, text in built.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    joined.save(out, packages=["cmake", "rust", "idf"])
    assert {name: (out / name).read_text() for name in built} == built
    (out / "cmake/second/notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"contains cmake/second/notes\.txt, not written by tinyml"):
        joined.save(out)
    assert (out / "cmake/second/notes.txt").read_text() == "mine"
