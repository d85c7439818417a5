"""Wrong results of functions that a package defines: one line names the package, wherever the result is first used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from programs.paths import ROOT
from programs.plugins import forget, install

from tinyml.dialects.plugins import COMMANDS, PACKERS, SCHEDULES, UNIVERSES, problems
from tinyml.tools.main import main as tinyml

TOUR = ROOT / "docs/tour"

OPS = '''
"""A difference of rows, and a sum."""
import numpy as np
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.universe import Universe
from tinyml.extend.ops import SHAPED, element_type, init_tensor_op, lowers_to_loops, num, shaped, tdsl

SYNTAX = "$image attr-dict `:` type($image) (`into` $dest^ `:` type($dest))? (`->` type($result)^)?"

@irdl_op_definition
class StepOp(tdsl.TensorOp):
    """The difference of each element and the element two rows below."""
    name = "evil.step"
    image = operand_def(SHAPED)
    assembly_format = SYNTAX

    def infer_shape(self):
        one, height, width, channels = tdsl.shape_of(self.image)
        return one, height - 2, width, channels

    def footprint(self, operand):
        return tdsl.Footprint(kernel=(3, 1))

    def real(self, x):
        return x[0][:, :, :-2] - x[0][:, :, 2:]

    def bits(self, m, x):
        result, source = tdsl.format_of(self.out), tdsl.format_of(self.image)
        return result.sub(m, x[0][:, :, :-2], source, x[0][:, :, 2:], source)

@lowers_to_loops(StepOp)
def lower(op, nest):
    def pixel(indices):
        one, y, x, channel = indices
        loads = [nest.load(op.image, [one, nest.add(y, nest.index(i)), x, channel]) for i in (0, 2)]
        nest.store(nest.insert(num.SubOp(*loads, element_type(op.out))), op.out, indices)
    nest.nest(tdsl.shape_of(op.out), pixel)

@irdl_op_definition
class TwiceOp(tdsl.ElementwiseOp):
    name = "evil.twice"
    image = operand_def(SHAPED)
    assembly_format = SYNTAX

    def infer_shape(self):
        return tdsl.shape_of(self.image)

    def scalar(self, x, element, insert):
        return insert(num.AddOp(x[0], x[0], element))

X = Universe(all_dialects={"evil": lambda: Dialect("evil", [StepOp, TwiceOp])})
'''

PROGRAM = """
func.func @f(%x: tensor<1x8x2x1xf32>) -> tensor<1x6x2x1xf32> {
  %a = tdsl.relu %x : tensor<1x8x2x1xf32> -> tensor<1x8x2x1xf32>
  %d = evil.step %a : tensor<1x8x2x1xf32> -> tensor<1x6x2x1xf32>
  %y = evil.twice %d : tensor<1x6x2x1xf32> -> tensor<1x6x2x1xf32>
  func.return %y : tensor<1x6x2x1xf32>
}
"""

FAULTS: dict[str, tuple[str, str, str]] = {
    "footprint too small": (
        "kernel=(3, 1)",
        "kernel=(2, 1)",
        "the footprint of evil.step contradicts the shape: 6 windows of 2 pixels with stride 1 in 8 pixels",
    ),
    "footprint too large": (
        "kernel=(3, 1)",
        "kernel=(4, 1)",
        "the footprint of evil.step contradicts the shape: 6 windows of 4 pixels with stride 1 in 8 pixels",
    ),
    "margins that are not there": (
        "kernel=(3, 1)",
        "kernel=(3, 1), margins=(0, 1, 0, 0)",
        "the footprint of evil.step contradicts the shape: 6 windows of 3 pixels with stride 1 in 9 pixels",
    ),
    "strides that are not there": (
        "kernel=(3, 1)",
        "kernel=(3, 1), strides=(2, 1)",
        "the footprint of evil.step contradicts the shape: 6 windows of 3 pixels with stride 2 in 8 pixels",
    ),
    "no footprint": (
        "return tdsl.Footprint(kernel=(3, 1))",
        "return 3, 1",
        "expected an object of type Footprint from StepOp.footprint, got tuple",
    ),
    "visits in no list": (
        "    def footprint(self, operand):",
        "    @property\n    def visits(self):\n        return tdsl.Visits([], np.arange(12))\n\n"
        "    def footprint(self, operand):",
        "expected an object of type Visits from StepOp, got list",
    ),
    "shape in a list": (
        "return one, height - 2, width, channels",
        "return [one, height - 2, width, channels]",
        "expected an object of type tuple from StepOp.infer_shape, got list",
    ),
    "no shape": (
        "def infer_shape(self):\n        one",
        "def shape(self):\n        one",
        "the class StepOp does not define infer_shape",
    ),
    "no scalar": (
        "return insert(num.Add",
        "insert(num.Add",
        "expected an object of type SSAValue from TwiceOp.scalar, got NoneType",
    ),
    "no evaluation": ("def bits(", "def bit(", "evil.step is not supported yet by the evaluator"),
    "other array": (
        "2:], source)\n\n@lowers",
        "2:], source)[..., 0]\n\n@lowers",
        "evil.step computes an array of shape (4, 1, 6, 2), expected samples of shape (1, 6, 2, 1)",
    ),
    "no array": (
        "return result.sub(",
        "result.sub(",
        "evil.step computes an array of shape (), expected samples of shape (1, 6, 2, 1)",
    ),
    "no lowering": ("@lowers_to_loops(StepOp)", "", "evil.step is not supported yet: it has no lowering"),
    "load outside": ("in (0, 2)", "in (0, 3)", "memref.load reaches elements 3 to 8 of axis 1 of 8"),
    "store outside": (
        "op.out, indices)",
        "op.out, [one, nest.add(y, nest.index(1)), x, channel])",
        "memref.store reaches elements 1 to 6 of axis 1 of 6",
    ),
    "other result": ("SubOp(*loads", "AddOp(*loads", "differ: sample 0: "),
}
"""For each fault: the code that is replaced, what replaces it, and the reason that the message states."""


class Packages:
    """A helper that installs packages and compiles programs with them."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]):
        self.folder, self.patch, self.capture = folder, patch, capture

    def install(self, group: str, code: str, entry: str = "evil = {}:X", package: str = "evil-package") -> None:
        install(self.folder / package, self.patch, group, code, entry=entry, package=package)

    def errors(self, *arguments: str | Path, code: int = 1) -> list[str]:
        """The errors and warnings of a command, whose exit code must be `code`."""
        self.capture.readouterr()
        assert tinyml([str(one) for one in arguments]) == code
        lines = self.capture.readouterr().err.splitlines()
        assert not any("Traceback" in line for line in lines)
        return [line for line in lines if line.startswith(("error:", "warning:"))]

    def compiled(self, model: Path, data: Path, *options: str) -> list[str]:
        """The errors and warnings of a compilation that fails."""
        return self.errors("compile", model, "--val", data, "--target", "host", "-o", self.folder / "out", *options)

    def compiled_ops(self) -> list[str]:
        """The errors and warnings of the compilation of `PROGRAM`."""
        (model := self.folder / "f.mlir").write_text(PROGRAM)
        x = np.random.default_rng(0).uniform(-1, 1, (4, 16)).astype("f4")
        np.savez(self.folder / "x.npz", x=x)
        return self.compiled(model, self.folder / "x.npz", "--width", "8", "--plan", "ordinary")


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Packages]:
    yield Packages(tmp_path, monkeypatch, capsys)
    monkeypatch.undo()
    forget()


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_an_op_names_the_package(fault: str, packages: Packages):
    right, wrong, reason = FAULTS[fault]
    assert right in OPS
    packages.install(UNIVERSES, OPS.replace(right, wrong, 1))
    [line] = packages.compiled_ops()
    assert "plug-in 'evil' of package 'evil-package' (xdsl.universe)" in line
    assert reason in line


SEARCH = """
from dataclasses import dataclass
from xdsl.universe import Universe
from tinyml.extend.searches import FormatChoice, SearchPass, SearchResult

@dataclass(frozen=True)
class EvilSearch(SearchPass):
    name = "search-evil"
    def search(self, search):
        choices = [FormatChoice(search.prototype) for _ in search.classes]
        return {}

X = Universe(all_passes={{"search-evil": lambda: EvilSearch}})
"""


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("None", "expected an object of type SearchResult from EvilSearch.search, got NoneType"),
        ("SearchResult(choices[1:], {})", "elements from EvilSearch.search, got"),
        ("SearchResult([search.prototype for _ in choices], {})", "expected an object of type FormatChoice from Evil"),
    ],
    ids=["none", "too few", "formats"],
)
def test_a_result_of_a_search_is_checked(result: str, reason: str, packages: Packages):
    packages.install(UNIVERSES, SEARCH.format(result))
    [line] = packages.compiled(TOUR / "tour.sd", TOUR / "val.npz", "--search", "evil")
    assert "plug-in 'evil' of package 'evil-package' (xdsl.universe): " in line
    assert reason in line


FORMAT = """
import numpy as np
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.universe import Universe
from tinyml.extend.formats import IntegerParameters, SymmetricFormat

@irdl_attr_definition
class EvilType(IntegerParameters, SymmetricFormat):
    name = "evil.t"
    width: IntAttr
    bits = property(lambda self: 8)
    scale = property(lambda self: 6)
    magnitudes = property(lambda self: {magnitudes})

    @classmethod
    def of_width(cls, width):
        return cls(IntAttr(8))

    def for_range(self, low, high):
        return {format}

    def narrowed(self, bits):
        return self

X = Universe(all_dialects={{"evil": lambda: Dialect("evil", [], [EvilType])}})
"""


@pytest.mark.parametrize(
    ("faults", "reason"),
    [
        ({"format": "None"}, "expected an object of type NumberFormat from EvilType.for_range, got NoneType"),
        ({"magnitudes": "np.arange(127, 0, -1)"}, "expected 1 to 127 integers in ascending order"),
        ({"magnitudes": "np.arange(1, 128) * 1.5"}, "got 127 of type float64"),
        ({"magnitudes": "np.arange(1, 129)"}, "got 128 of type int64"),
        ({"magnitudes": "np.array([])"}, "got 0 of type float64"),
    ],
    ids=["no format", "falling", "no integers", "too many", "none"],
)
def test_a_result_of_a_number_format_is_checked(faults: dict[str, str], reason: str, packages: Packages):
    packages.install(UNIVERSES, FORMAT.format(**{"format": "self", "magnitudes": "np.arange(1, 128)"} | faults))
    [line] = packages.compiled(TOUR / "tour.sd", TOUR / "val.npz", "--format", "evil")
    assert "plug-in 'evil' of package 'evil-package' (xdsl.universe): " in line
    assert reason in line


SCHEDULE = """
from tinyml.extend.schedules import Schedule

class Evil(Schedule):
    name = "evil"
    def segments(self, graph): return iter(())
    def program_segments(self, network): return iter({})

X = Evil()
"""


@pytest.mark.parametrize(
    ("segments", "reason"),
    [
        ("()", "the segments do not cover the network"),
        ("[3]", "expected an object of type Segment from Evil.program_segments, got int"),
    ],
)
def test_the_segments_of_a_schedule_are_checked(segments: str, reason: str, packages: Packages):
    packages.install(SCHEDULES, SCHEDULE.format(segments))
    [line] = packages.compiled(TOUR / "tour.sd", TOUR / "val.npz", "--width", "8", "--plan", "evil")
    assert f"plug-in 'evil' of package 'evil-package' ({SCHEDULES}): {reason}" in line


def test_the_called_package_is_named(packages: Packages):
    """If a function of one package calls that of another, an exception is attributed to the called one."""
    module = "def bad(): raise KeyError('w')\nX = None\n"
    packages.install(SCHEDULES, module, package="called-package")
    [called] = packages.folder.glob("called-package/*.py")
    command = f"def add_arguments(parser): pass\ndef run(arguments): __import__('{called.stem}').bad()\n"
    packages.install(COMMANDS, command, entry="evil = {}")
    assert packages.errors("evil") == [
        f"error: plug-in 'evil' of package 'called-package' ({SCHEDULES}): KeyError: 'w'"
    ]


def test_a_misspelt_group_is_named(packages: Packages):
    packages.install(PACKERS[:-1], "X = None")
    packages.errors("doctor", code=0)
    assert list(problems()) == [
        f"package 'evil-package': unknown group of entry points '{PACKERS[:-1]}', did you mean '{PACKERS}'?"
    ]


def test_a_command_in_use_is_left_out_of_its_calls(packages: Packages):
    packages.install(COMMANDS, "", entry="doctor = {}")
    lines = packages.errors("doctor", code=0)
    assert lines == [
        f"warning: left out: plug-in 'doctor' of package 'evil-package' ({COMMANDS}): "
        "the command 'doctor' already exists"
    ]


def test_a_board_that_is_left_out_is_not_suggested(packages: Packages):
    packages.install("tinyml.chips", "X = 3", entry="evil = {0}:X\n[tinyml.boards]\nevil-board = {0}:X")
    options = "--target", "evil-board", "-o", packages.folder / "out"
    *_, error = packages.errors("compile", TOUR / "tour.sd", "--val", TOUR / "val.npz", *options)
    assert "unknown target 'evil-board'" in error
    assert "did you mean" not in error
