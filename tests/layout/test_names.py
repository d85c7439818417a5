"""The name of a number format or chip occurs only in its own files."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from layout.sources import MODULES, name_of, source
from layout.test_files import FORMATS
from tinyml.dialects.formats.accumulator import Accumulator
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.targets import registry
from tinyml.targets.chip import Chip
from tinyml.targets.registry import chips

NAMING_FORMATS = {
    "dialects/formats/__init__.py": "it registers builtin formats, and the integers of exact ones",
    "dialects/formats/exact/accumulator.py": "all exact formats add up in `!fixed.acc`",
    "dialects/formats/fixed/type.py": "the dialect of a family of four",
    "dialects/formats/lookup.py": "the usual format",
    "dialects/formats/midrise.py": "its numbers are odd ones of fixed point",
    "dialects/formats/mxfp.py": "elements, and tensors without groups, are small floats",
    "dialects/formats/mxint.py": "elements, and tensors without groups, are fixed point",
    "dialects/formats/zeroskew/type.py": "the dialect of a family of two",
    "lowering/frontends/onnx/formats.py": "a file's quantisation is a format",
    "lowering/frontends/qonnx/integer_formats.py": "a file's quantisation is a format",
    "dialects/formats/published/published_format.py": "the papers compute functions by what fixed point has as schemes",
    "lowering/frontends/tflite/builder.py": "a file's quantisation is a format",
    "lowering/frontends/tflite/rescaling.py": "a file's quantisation is a format",
    "lowering/frontends/signals/log_mel.py": "samples and the input of a model are integers",
    "lowering/frontends/signals/micro_frontend.py": "samples, channels and the input of a model are integers",
    "lowering/tosa/integers.py": "TOSA computes with the integers of TensorFlow Lite",
    "tools/calibration/costs.py": "the formats that cost tables are fitted to",
    "tools/calibration/formats.py": "the formats in which generated code and kernels are measured",
    "tools/commands/actions/prove.py": "statements about sums that have ops of their own",
    "tools/driver/choice/alternatives.py": "the formats that `auto` chooses among",
    "tools/driver/compare_formats.py": "the formats that MinUn compares, and ours",
    "tools/tinyml/extend/quantised.py": "a file's quantisation is a format",
    "tools/universe.py": "the registry",
    "tools/proofs/posit/quire_statements.py": "products of posits and fixed-point numbers are proved",
}
"""Files that name a format which is not theirs, and why."""


LITERATURE = ("seedot", "shiftry")
"""Formats that are called as a paper is: so are a language, a packing and ways to compute functions."""


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_no_format_is_named_outside_its_own_files(name: str):
    """The name of a format, its class and its module occur only in the files of the format and in those of
    `NAMING_FORMATS`.

    The files of a format are the file or the folder of its name in `dialects/formats/`.
    """
    format = FORMATS[name]
    *_, folder, stem = format.__module__.split(".")
    if stem == "type":
        stem = folder
    spelled = [re.escape(format.__module__), rf"\b{format.__name__}\b", rf"\b{re.escape(name)}\b"]
    if stem not in LITERATURE:
        spelled.append(rf"(?<![a-zA-Z]){stem}(?![a-zA-Z])")
    naming = re.compile("|".join(spelled))
    for path in MODULES:
        if stem in (path.stem, path.parent.name) or name_of(path) in NAMING_FORMATS:
            continue
        for text, line in source(path).words.items():
            assert not naming.search(text), f"{name_of(path)}:{line} names a format: {text}"


ASKING_FOR_FAMILIES = {
    "lowering/frontends/qonnx/integer_formats.py": "a file's quantisation is a format",
    "lowering/frontends/tflite/builder.py": "a file's quantisation is a format",
    "lowering/frontends/tflite/rescaling.py": "a file's quantisation is a format",
    "lowering/tosa/integers.py": "TOSA computes with the integers of TensorFlow Lite",
    "tools/proofs/posit/quire_statements.py": "posits and integers are enumerated differently",
    "transforms/formats/evaluation/number_checks.py": "only exact numbers promise an order of their raws",
    "transforms/loops/kernels/constant_rows.py": "code of rows is made of integers",
    "transforms/loops/shorten_sums.py": "conversions of exact numbers are shifts, which are short",
    "transforms/loops/load_weights.py": "common powers of two of integers are divided out",
}
"""Files outside `dialects/formats/` that ask whether a format or an accumulator is of a class, and why."""


def families() -> set[str]:
    """The names of all subclasses of `NumberFormat` and `Accumulator`, direct or indirect, that `dialects/formats/`
    defines.
    """
    found: set[str] = set()
    below: list[type] = [NumberFormat, Accumulator]
    while below:
        kinds = [one for one in below.pop().__subclasses__() if one.__module__.startswith("tinyml.dialects.formats")]
        found |= {kind.__name__ for kind in kinds}
        below += kinds
    return found


ASKING = ("isinstance", "issubclass")


def asked_for(path: Path) -> set[str]:
    """The names of the classes that a module tests for by `isinstance`, `issubclass` or a class pattern."""
    kinds: list[ast.AST] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING:
            kinds.append(node.args[1])
        elif isinstance(node, ast.MatchClass):
            kinds.append(node.cls)
    return {one.id for kind in kinds for one in ast.walk(kind) if isinstance(one, ast.Name)}


@pytest.mark.long(seconds=10)
def test_no_family_is_asked_for_outside_formats():
    """Outside `dialects/formats/`, only the files in `ASKING_FOR_FAMILIES` test whether an object is of a class of
    formats or accumulators.
    """
    names = families()
    assert {"ExactNumbers", "ExactFormat", "AccumulatorType"} <= names
    asking = {name_of(path) for path in MODULES if asked_for(path) & names}
    outside = {name for name in asking if not name.startswith("dialects/formats/")}
    assert outside == ASKING_FOR_FAMILIES.keys()


WORDS = {"due", "esp32", "mega", "nano", "pico", "uno"}
"""Boards that are called by words which have other meanings, too, such as that of a family of parts."""

NAMING_CHIPS = {
    "targets/c/header_names.py": "headers of the cores and libraries of many boards",
    "tools/reports/dialect_reference.py": "the page about hardware",
    "targets/c/print_c.py": "the macros of compilers, whichever chips are installed",
    "targets/registry.py": "the registry, the usual target and the host",
    "tools/driver/packages/micropython.py": "the architectures of native modules",
    "tools/driver/packages/esphome.py": "the platforms of ESPHome",
    "tools/tinyml/extend/chips.py": "chips of packages may run on the host",
}
"""Files that name a chip which is not theirs, and why."""


def own_by_convention(path: Path, chip: Chip) -> bool:
    """Whether a file belongs to a chip or to a chip that extends it.

    The files of a chip include its runner, and the file that measures its kernels and has the name of the chip.
    """
    if any(own_by_convention(path, other) for other in chips() if other.extends is chip):
        return True
    kernels = f"tools/calibration/{chip.folder.name}.py"
    runner = chip.runner.partition(":")[0].removeprefix("tinyml.").replace(".", "/")
    return chip.folder in path.parents or name_of(path) in (f"{runner}.py", kernels)


@pytest.mark.long
@pytest.mark.parametrize("chip", chips(), ids=lambda chip: chip.name)
def test_no_chip_is_named_outside_its_own_files(chip: Chip):
    """The name of a chip, and those of its boards, parts, runner and tools, occur only in the files of the chip and in
    the files of `NAMING_CHIPS`.
    """
    names = {chip.name, chip.folder.name, chip.prefix, chip.compiler, *chip.runner.rpartition(".")[2].split(":")} - {""}
    names |= {name for board in chip.boards for name in (board.name, board.part)} - WORDS
    if chip.extends is not None:
        names -= {chip.extends.prefix}
    # A prefix of tools ends where the name of a tool begins.
    ends = {name: "" if name.endswith("-") else "(?![a-z0-9])" for name in sorted(names)}
    spelled = re.compile("|".join(f"(?<![a-z0-9]){re.escape(name)}{ends[name]}" for name in ends), re.IGNORECASE)
    for path in MODULES:
        if own_by_convention(path, chip) or name_of(path) in NAMING_CHIPS:
            continue
        for text, line in source(path).words.items():
            if text not in vars(registry):
                assert not spelled.search(text), f"{name_of(path)}:{line} names a chip: {text}"
