"""Faulty plug-ins: one line names the package and the entry point, other plug-ins continue to work, and the exit code
is not 0.

Every kind of fault is tested with every group of entry points, both when a plug-in is loaded and when it is used.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from oracles.onnx_models import model, node
from programs.paths import ROOT
from programs.plugins import ENTRY, PACKAGE, forget, install
from programs.spread import spread_product
from programs.tflite_models import TfliteModel

from tinyml.dialects.errors import InputError
from tinyml.dialects.interface_version import VERSION
from tinyml.dialects.plugins import (
    ALTERNATIVES,
    CHIPS,
    COMMANDS,
    EXPORTERS,
    FAMILIES,
    FRONTENDS,
    GROUPS,
    MEMORIES,
    METRICS,
    ONNX_OPS,
    PACKAGES,
    PACKERS,
    REPORTS,
    RUNNERS,
    SCHEDULES,
    STEPS,
    TFLITE_OPS,
    UNIVERSES,
    PluginError,
    attributed,
    problems,
)
from tinyml.lowering.added_steps import steps_of
from tinyml.lowering.pipeline_steps import If
from tinyml.runtime.devices.registry import is_available, runner_for
from tinyml.targets.registry import board, chip_of, targets
from tinyml.tools.driver.choice.alternatives import considered
from tinyml.tools.driver.request import searches
from tinyml.tools.main import COMMANDS as COMMANDS_TABLE
from tinyml.tools.main import main as tinyml
from tinyml.tools.tinyml_opt import main as tinyml_opt
from tinyml.transforms.buffers.packing import Rectangle, pack

TOUR = ROOT / "docs/tour"

ASKED = tuple(group for group in GROUPS if group != MEMORIES)
"""The groups whose plug-ins a command asks for by name. Memories are loaded for a board of their name alone."""
DATA = TOUR / "val.npz"


STEP = "cse.after.profile.in.reals-to-formats"
"""The name of the plug-ins that are steps, whose names state a place. All other plug-ins are named `ENTRY`."""


def named(group: str) -> str:
    return f"plug-in '{STEP if group == STEPS else ENTRY}' of package '{PACKAGE}' ({group}): "


def of_an_op(suffix: str) -> bytes:
    """The bytes of a model with the op `evil`.

    suffix: `.onnx` for ONNX; otherwise, the model is of TensorFlow Lite.
    """
    if suffix == ".onnx":
        return model([node("evil", "x")], [1, 4]).SerializeToString()
    written = TfliteModel()
    x, y = written.tensor((1, 4), "float32"), written.tensor((1, 4), "float32")
    written.op("CUSTOM evil", [x], y)
    return written.finish([x], [y])


class Packages:
    """A helper that installs a package for a test and runs tools with it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]):
        self.folder, self.patch, self.capture = folder, patch, capture

    def install(self, group: str, code: str, *, entry: str = f"{ENTRY} = {{}}:X", **options: str) -> str:
        if group == STEPS:
            entry = entry.replace(f"{ENTRY} =", f"{STEP} =")
        return install(self.folder / "packages", self.patch, group, code, entry=entry, **options)

    def said(self, code: int, *arguments: str | Path, tool: str = "opt") -> list[str]:
        """Run a tool in this process, assert that its exit code is `code`, and return the lines of standard error.

        tool: `opt` for tinyml-opt, otherwise tinyml.
        """
        self.capture.readouterr()
        assert (tinyml_opt if tool == "opt" else tinyml)([str(one) for one in arguments]) == code
        return self.capture.readouterr().err.splitlines()

    def said_of(self, group: str, *, board: str = "evil") -> list[str]:
        """The lines of standard error with which a tool rejects the plug-in `evil` of a group, without lines that
        report progress. Asserts that the exit code of the tool is 1.

        board: the target for plug-ins that are chips.
        """
        (self.folder / "model.evil").write_text("")
        reals_to_c = f"reals-to-c{{data={DATA} target={board}}}"
        asked = {
            CHIPS: [TOUR / "tour.sd", "-p", reals_to_c, "-t", f"c{{target={board}}}"],
            FRONTENDS: [self.folder / "model.evil"],
            SCHEDULES: [TOUR / "tour.sd", "-p", f"reals-to-c{{data={DATA} plan=evil}}"],
            UNIVERSES: [TOUR / "tour.sd", "-p", "evil"],
            # Whoever asks for a pipeline gets the steps of packages without asking for them.
            STEPS: [TOUR / "tour.sd", "-p", f"reals-to-c{{data={DATA} plan=nowhere}}"],
        }
        if group in (ONNX_OPS, TFLITE_OPS):
            file = self.folder / ("model.onnx" if group == ONNX_OPS else "model.tflite")
            file.write_bytes(of_an_op(file.suffix))
            return self.said(1, file)
        if group == PACKERS:
            (self.folder / "buffers.csv").write_text("id,lower,upper,size\na,0,1,4\n")
            return self.said(1, "pack", self.folder / "buffers.csv", "--packer", "evil", tool="tinyml")
        if group == COMMANDS:
            return self.said(1, "evil", tool="tinyml")
        if group == FAMILIES:
            (self.folder / "table.csv").write_text("x,class\n" + "".join(f"{i},{i % 2}\n" for i in range(40)))
            wanted = "--families", "evil", "-o", self.folder / "out"
            lines = self.said(1, "design", self.folder / "table.csv", *wanted, tool="tinyml")
            return [line for line in lines if line.startswith(("error:", "warning:"))]
        if group == REPORTS:
            # A report is written without what is left out, which is told whatever ends the command.
            self.said(0, "doctor", tool="tinyml")
            return self.said(1, "nowhere", tool="tinyml")
        if group == RUNNERS:
            out = self.folder / "out"
            self.said(0, "compile", TOUR / "tour.sd", "--val", DATA, "--target", "host", "-o", out, tool="tinyml")
            lines = self.said(1, "run", out, "--data", DATA, "--device", "evil", tool="tinyml")
            return [line for line in lines if line.startswith(("error:", "warning:"))]
        if group == EXPORTERS:
            return self.said(1, "export", TOUR / "tour.sd", "--to", "evil", "-o", self.folder / "x", tool="tinyml")
        if group == METRICS:
            options = "--target", "host", "--width", "8", "--metric", "evil", "-o", self.folder / "out"
            return self.said(1, "compile", TOUR / "tour.sd", "--val", DATA, *options, tool="tinyml")
        if group in (PACKAGES, ALTERNATIVES):
            compiled = ["compile", TOUR / "tour.sd", "--val", DATA, "--target", "host", "-o", self.folder / "out"]
            wrong = ("--package", "evil") if group == PACKAGES else ("--format", "auto", "--ram", "1")
            lines = self.said(1, *compiled, *wrong, tool="tinyml")
            return [line for line in lines if line.startswith(("error:", "warning:"))]
        return self.said(1, *asked[group])


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Packages]:
    yield Packages(tmp_path, monkeypatch, capsys)
    monkeypatch.undo()
    forget()


UNREADABLE = """
class Unreadable(Exception):
    def __str__(self):
        raise RuntimeError
"""
ENDS = {
    "wrong type": ("return 3", "expected "),
    "raises": ("raise ValueError('two\\nlines')", "ValueError: two lines"),
    "unreadable": ("raise Unreadable", "Unreadable, whose message raises RuntimeError"),
    "exits": ("raise SystemExit(0)", "it ends the program with exit code 0"),
}
"""Ends of a function, and what is said of them."""

ends = pytest.mark.parametrize("end", ENDS)

LOADS: dict[str, tuple[str, dict[str, str], str]] = {
    "wrong type": ("X = 3", {}, "expected "),
    "no such name": ("", {}, "AttributeError: "),
    "no such module": ("", {"entry": "evil = nowhere_at_all:X"}, "ModuleNotFoundError: "),
    "no name of a module": ("", {"entry": "evil = not a module"}, "expected MODULE:NAME, got 'not a module'"),
    "raises": (ENDS["raises"][0], {}, ENDS["raises"][1]),
    "unreadable": (UNREADABLE + ENDS["unreadable"][0], {}, ENDS["unreadable"][1]),
    "exits": (ENDS["exits"][0], {}, ENDS["exits"][1]),
    "older": (
        "raise ImportError('a name that is gone')",
        {"entry": "evil = {0}:X\n[tinyml.extend]\nversion-0 = {0}"},
        f"the package is written for version 0 of tinyml.extend, and this is version {VERSION}: see 'Changes for ",
    ),
    "newer": (
        "",
        {"entry": "evil = {0}:X\n[tinyml.extend]\nversion-999 = {0}"},
        f"the package is written for version 999 of tinyml.extend, and this is version {VERSION}: install a newer ",
    ),
    "no version": (
        "",
        {"entry": "evil = {0}:X\n[tinyml.extend]\nversion = {0}"},
        f"expected version-{VERSION} in the group tinyml.extend, got 'version'",
    ),
}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "group"), spread_product(18, LOADS, ASKED))
def test_a_plug_in_that_cannot_be_loaded_is_left_out(group: str, kind: str, packages: Packages):
    code, options, reason = LOADS[kind]
    packages.install(group, code, **options)
    lines = packages.said_of(group)
    assert [line for line in lines if named(group) + reason in line] == [lines[0]], lines
    assert [line.partition(":")[0] for line in lines] in (["error"], ["warning", "error"])
    said = packages.said(0, TOUR / "tour.sd", "-p", f"reals-to-c{{data={DATA} target=host}}", "-t", "c{target=host}")
    assert said in ([], [lines[0]])


@pytest.mark.long
@pytest.mark.parametrize(("entry", "reason"), [("evil evil_mod", "[line 2]"), ("evil = \xff", "UnicodeDecodeError")])
@pytest.mark.parametrize("group", ASKED)
def test_malformed_metadata_are_left_out(group: str, entry: str, reason: str, packages: Packages):
    packages.install(group, "", entry=entry)
    [warning] = packages.said(0, TOUR / "tour.sd", "-p", "cse")
    assert warning.startswith("warning: left out: package '")
    assert PACKAGE.replace("-", "_") in warning.replace("-", "_")
    assert "entry_points.txt cannot be read: " in warning
    assert reason in warning
    assert packages.said_of(group)[0] == warning


CSE = "from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination as X"
FORWARD = "from tinyml.transforms.buffers.forward_inserts import ForwardInsertsPass as X"
PROFILE = "from tinyml.transforms.reals.profile import ProfilePass as X"
ALTERNATIVE = "from tinyml.tools.driver.choice.alternatives import Alternative\nX = Alternative"
PLACE = "expected a name PASS.before.STEP.in.PIPELINE or PASS.after.STEP.in.PIPELINE"
CONTRIBUTIONS = {
    "no pipeline": (STEPS, "cse.after.profile.in.reals-to-x", CSE, "there is no pipeline 'reals-to-x'"),
    "no pass": (STEPS, "csi.after.profile.in.reals-to-formats", CSE, "there is no pass 'csi'"),
    "a pipeline": (STEPS, "bits-to-c.after.profile.in.reals-to-formats", CSE, "'bits-to-c' is a pipeline, and no pass"),
    "another pass": (STEPS, "cse.after.profile.in.reals-to-formats", FORWARD, "the pass 'cse', got 'forward-inserts'"),
    "no option": (STEPS, "cse.after.profile.in.reals-to-formats.if.flush", CSE, "there is no option 'flush'"),
    "required": (STEPS, "profile.after.profile.in.reals-to-formats", PROFILE, "'profile' cannot run without data"),
    "no step": (STEPS, "cse.after.profile.in.rewrite-reals", CSE, "has 0 steps 'profile', expected one"),
    "no place": (STEPS, "cse.in.reals-to-formats", CSE, PLACE),
    "no side": (STEPS, "cse.beside.profile.in.reals-to-formats", CSE, PLACE),
    "two places": (STEPS, "cse.before.simplify.in.rewrite-reals", CSE, "has 2 steps 'simplify', expected one"),
    "taken": (ALTERNATIVES, "fixed 8", f"{ALTERNATIVE}('fixed 8', {{}})", "the alternative 'fixed 8' already exists"),
    "another name": (ALTERNATIVES, "fixed-12", f"{ALTERNATIVE}('fixed 12', {{}})", "of the same name, got 'fixed 12'"),
    "an unknown option": (ALTERNATIVES, "mine", f"{ALTERNATIVE}('mine', {{'wide': 1}})", "there is no option 'wide'"),
    "beside none": (ALTERNATIVES, "mine", f"{ALTERNATIVE}('mine', {{}}, 'fixed 7')", "no alternative 'fixed 7' that"),
}


@pytest.mark.long
@pytest.mark.parametrize(("group", "name", "code", "reason"), CONTRIBUTIONS.values(), ids=CONTRIBUTIONS)
def test_what_has_no_place_is_left_out(group: str, name: str, code: str, reason: str, packages: Packages):
    packages.install(group, code, entry=f"{name} = {{}}:X")
    warning, *_ = packages.said_of(group)
    assert f"plug-in '{name}' of package '{PACKAGE}' ({group}): " in warning
    assert reason in warning


def test_a_step_and_an_alternative_have_their_places(packages: Packages):
    packages.install(STEPS, CSE, entry="cse.before.fold-rounding.in.loops-to-bits = {}:X")
    steps = steps_of("loops-to-bits")
    assert steps.index("cse") + 1 == steps.index("fold-rounding")
    packages.patch.undo()
    code = f"{ALTERNATIVE}('fixed 12', {{'width': 12}})"
    packages.install(ALTERNATIVES, code, entry="fixed 12 = {}:X", package="other")
    assert [row.options for row in considered() if row.name == "fixed 12"] == [{"width": 12}]


def test_a_step_of_a_package_may_depend_on_an_option(packages: Packages):
    packages.install(STEPS, CSE, entry="cse.before.fold-rounding.in.loops-to-bits.if.reuse_input = {}:X")
    assert If("reuse_input", "cse") in steps_of("loops-to-bits")


def test_a_step_that_nobody_asks_for_is_not_loaded(packages: Packages):
    module = packages.install(STEPS, CSE, entry="cse.before.fold-rounding.in.loops-to-bits = {}:X")
    assert "cse" not in steps_of("bits-to-c")
    assert module not in sys.modules
    assert "cse" in steps_of("loops-to-bits")
    assert module in sys.modules


def test_a_pipeline_inside_the_named_one_receives_a_step(packages: Packages):
    """`reals-to-formats` has `fuse-products` only in the pipeline `rewrite-reals`."""
    packages.install(STEPS, CSE, entry="cse.after.fuse-products.in.reals-to-formats = {}:X")
    steps = steps_of("rewrite-reals")
    assert steps.index("cse") == steps.index("fuse-products") + 1
    assert "cse" not in steps_of("reals-to-formats")


PACKER = """
from tinyml.transforms.buffers.packing.rectangles import placement_at
def X(rectangles, effort):
    return placement_at(rectangles, [0] * len(rectangles), 0)
"""


def test_the_placement_of_a_packer_is_checked(packages: Packages):
    packages.install(PACKERS, PACKER)
    two = [Rectangle(name, 4, 1, 0, 1) for name in "ab"]
    with pytest.raises(PluginError, match=r"tinyml.packers\): .*a"):
        pack(two, "evil")
    assert pack(two[:1], "evil").height == 4


@pytest.mark.parametrize(
    ("placement", "field"),
    [
        ("Placement(None, 4, 4)", "'offsets' of a Placement"),
        ("Placement((None,), 4, 4)", "'offsets' of a Placement"),
        ("Placement((0,), 4, None)", "'lower_bound' of a Placement"),
        ("Placement((0,), 4, 4, moves=None)", "'moves' of a Placement"),
        ("Placement((0,), 4, 4, moves=(BufferMove(None, 0, 0),))", "'point' of a BufferMove"),
    ],
)
def test_the_fields_of_a_placement_are_checked(placement: str, field: str, packages: Packages):
    imported = "from tinyml.transforms.buffers.packing.rectangles import BufferMove, Placement"
    packages.install(PACKERS, f"{imported}\ndef X(rectangles, effort):\n    return {placement}\n")
    with pytest.raises(PluginError, match=f"the field {field} is of another type than"):
        pack([Rectangle("a", 4, 1, 0, 1)], "evil")


CHIP = """
from dataclasses import replace
from tinyml.runtime.devices.host import HostRunner
from tinyml.targets.board import Board
from tinyml.targets.host.chip import CHIP
class Runner(HostRunner):
    {method}
def end(*_):
    {end}
X = replace(CHIP, **dict(dict(name="evil", runner=__name__ + ":Runner", boards=(Board("evil", "evil"),)), {fields}))
"""


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ("boards=None", "the field 'boards' of a Chip is of another type than "),
        ("boards=('evil',)", "the field 'boards' of a Chip is of another type than "),
        ("boards=(Board('evil', 'evil', flash='32 KB'),)", "the field 'flash' of a Board is of another type than "),
        ("boards=()", "the chip evil has no board"),
        ("flags='-O2'", "the field 'flags' of a Chip is of another type than "),
        ("folder='.'", "the field 'folder' of a Chip is of another type than "),
        ("prelude=3", "the field 'prelude' of a Chip is of another type than "),
        ("name='riscv'", "a chip riscv already exists"),
        ("boards=(Board('host', 'evil'),)", "target 'host' belongs to two chips, host and evil"),
    ],
)
def test_a_chip_that_is_not_complete_is_left_out(fields: str, reason: str, packages: Packages):
    packages.install(CHIPS, CHIP.format(method="pass", end="pass", fields=fields))
    warning, error = packages.said_of(CHIPS)
    assert warning.startswith("warning: left out: " + named(CHIPS) + reason)
    assert error.startswith("error: ")
    assert "unknown target 'evil'" in error


@pytest.mark.long
@ends
@pytest.mark.parametrize("field", ["functions=end", "makers=(SumComposer(end),)"], ids=["functions", "makers"])
def test_a_chip_that_cannot_be_asked_stops_no_other(field: str, end: str, packages: Packages):
    code, reason = ENDS[end]
    chip = "from tinyml.targets.kernel_table import SumComposer\n" + CHIP.format(method="pass", end=code, fields=field)
    packages.install(CHIPS, UNREADABLE + chip)
    # Functions are asked for where single elements are packed.
    options = f"data={DATA} target=uno width=5 packed=always"
    program = TOUR / "tour.sd", "-p", f"reals-to-c{{{options}}}", "-t", "c{target=uno}"
    assert packages.said(0, *program) == []
    [line] = packages.said(1, *(str(part).replace("uno", "evil") for part in program))
    assert named(CHIPS) + reason in line


@pytest.mark.long
def test_a_kernel_of_another_width_is_named(packages: Packages):
    """A kernel that a package composes, by the names of `tinyml.extend`, with a sum of 24 bits."""
    header = "from tinyml.extend.chips import SumComposer\n"
    end = 'return replace(_[0], symbol="tm_evil", sum=24)'
    packages.install(CHIPS, header + CHIP.format(method="pass", end=end, fields="makers=(SumComposer(end),)"))
    program = TOUR / "tour.sd", "-p", f"reals-to-c{{data={DATA} target=evil}}", "-t", "c{target=evil}"
    [line] = packages.said(1, *program)
    assert f"{named(CHIPS)}the kernel 'tm_evil' has a sum of 24 bits, expected " in line


@ends
def test_a_runner_that_cannot_be_made_is_the_plug_ins(end: str, packages: Packages):
    code, reason = ENDS[end]
    packages.install(
        CHIPS, UNREADABLE + CHIP.format(method="pass", end=code, fields="runner=__name__ + ':end', modules=('json',)")
    )
    assert is_available("evil")
    with pytest.raises(PluginError) as raised:
        runner_for("evil")
    assert str(raised.value).startswith(named(CHIPS) + reason)


@pytest.mark.long
@ends
def test_a_run_that_fails_is_the_plug_ins(end: str, packages: Packages, tmp_path: Path):
    code, reason = ENDS[end]
    packages.install(CHIPS, UNREADABLE + CHIP.format(method=f"def run(self, *_): {code}", end="pass", fields=""))
    program = "compile", TOUR / "tour.sd", "--val", DATA, "--target", "evil", "-o", tmp_path / "out"
    assert named(CHIPS) + reason in packages.said(1, *program, tool="tinyml")[-1]
    assert not (tmp_path / "out").exists()


@ends
def test_a_frontend_that_fails_is_named(end: str, packages: Packages):
    code, reason = ENDS[end]
    packages.install(FRONTENDS, UNREADABLE + f"def X(content, file):\n    {code}\n")
    [line] = packages.said_of(FRONTENDS)
    assert line.startswith("error: ")
    assert named(FRONTENDS) + reason in line


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("onnx", "the frontend 'onnx' already exists"),
        ("mlir", "modules, which have the suffix .mlir, need no frontend"),
        ("../*", "expected the suffix"),
    ],
)
def test_a_frontend_of_a_suffix_that_is_none_or_taken_is_left_out(name: str, reason: str, packages: Packages):
    packages.install(FRONTENDS, "X = 3", entry=f"{name} = {{}}:X")
    [warning] = packages.said(0, TOUR / "tour.sd", "-p", "cse")
    assert reason in warning
    assert PACKAGE in warning


BOARDS = "evil = {0}:X\n[tinyml.boards]\nevil = {0}:X\n"


def test_a_chip_whose_boards_are_named_is_loaded_for_these_alone(packages: Packages):
    module = packages.install(CHIPS, CHIP.format(method="pass", end="pass", fields=""), entry=BOARDS)
    assert targets()[-2:] == ["host", "evil"]
    with pytest.raises(InputError, match="unknown target 'eviil', did you mean 'evil'"):
        board("eviil")
    assert not problems()
    assert module in sys.modules
    assert chip_of("evil").name == "evil"


def test_a_chip_that_nobody_asks_for_is_not_loaded(packages: Packages):
    module = packages.install(CHIPS, "raise ValueError", entry=BOARDS)
    assert "evil" in targets()
    assert packages.said(0, TOUR / "tour.sd", "-p", f"reals-to-c{{data={DATA} target=host}}") == []
    assert module not in sys.modules
    warning, error = packages.said_of(CHIPS)
    assert warning == f"warning: left out: {named(CHIPS)}ValueError:"
    assert "unknown target 'evil'" in error


def test_a_chip_with_other_boards_than_are_named_is_left_out(packages: Packages):
    packages.install(CHIPS, CHIP.format(method="pass", end="pass", fields=""), entry=f"{BOARDS}more = {{0}}:X")
    warning, _ = packages.said_of(CHIPS)
    assert warning.endswith("its boards are evil, the entry points of tinyml.boards name evil, more")


OFFERED = {
    COMMANDS: ("def add_arguments(parser): pass\ndef run(arguments):\n    {end}", "evil = {}"),
    EXPORTERS: ("def X(module):\n    {end}", "evil = {}:X"),
    RUNNERS: (
        "from tinyml.runtime.devices.runner import Device\ndef end(name):\n    {end}\nX = Device('host', end, tuple)",
        "evil = {}:X",
    ),
}


@pytest.mark.long
@ends
@pytest.mark.parametrize("group", OFFERED)
def test_what_fails_when_it_is_used_is_named(group: str, end: str, packages: Packages):
    (code, entry), (ending, reason) = OFFERED[group], ENDS[end]
    packages.install(group, UNREADABLE + code.format(end="return 'x'" if end == "wrong type" else ending), entry=entry)
    [line] = packages.said_of(group)
    assert line.startswith("error: ")
    assert named(group) + reason in line
    assert not (packages.folder / "x").exists()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def run(arguments): pass", "expected a command, which has a function 'add_arguments'"),
        ("def add_arguments(parser): pass", "expected a command, which has a function 'run'"),
        ("def run(arguments): pass\ndef add_arguments(parser): parser.add_argument('--debug')", "ArgumentError: "),
    ],
)
def test_a_command_that_is_none_is_named(code: str, reason: str, packages: Packages):
    packages.install(COMMANDS, code, entry="evil = {}")
    [line] = packages.said_of(COMMANDS)
    assert named(COMMANDS) + reason in line


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("Evil = {}", "expected a name of small letters, digits and -"),
        ("pack = {}", "the command 'pack' already exists"),
    ],
)
def test_a_name_that_is_no_command_is_left_out(entry: str, reason: str, packages: Packages):
    packages.install(COMMANDS, "", entry=entry)
    assert "doctor" in COMMANDS_TABLE.names()
    assert [reason in problem for problem in problems()] == [True]


@pytest.mark.long
@pytest.mark.parametrize(
    ("code", "reason"),
    [(code, reason) for code, reason in ENDS.values()]
    + [
        ("return [3]", "expected an object of type Sequence, got int"),
        ("return [[('a', 'b'), [1]]]", "expected a table, whose rows are as long as its headings"),
        ("return [[]]", "expected a table"),
    ],
)
def test_a_part_of_the_report_that_fails_is_left_out(code: str, reason: str, packages: Packages, tmp_path: Path):
    packages.install(REPORTS, UNREADABLE + f"def X(report):\n    {code}\n")
    out = tmp_path / "out"
    program = "compile", TOUR / "tour.sd", "--val", DATA, "--target", "host", "-o", out, "--format", "f32"
    [warning] = [line for line in packages.said(0, *program, tool="tinyml") if line.startswith("warning: ")]
    assert warning.startswith(f"warning: left out: {named(REPORTS)}{reason}")
    assert "part-evil" not in (out / "report.html").read_text()


UNIVERSE = """
from dataclasses import dataclass
from tinyml.dialects.formats.parameters import IntegerParameters
from tinyml.dialects.formats.tabulated import SymmetricFormat
from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.target import Target

def end(*_):
    {end}

@irdl_attr_definition
class Number(IntegerParameters, SymmetricFormat):
    name = "evil.t"
    width: IntAttr
    of_width = end

# The error is that of the function, not that the class is incomplete.
Number.__abstractmethods__ = frozenset()

@dataclass(frozen=True)
class EvilPass(ModulePass):
    name = "evil"
    apply = end

@dataclass(frozen=True)
class EvilTarget(Target):
    name = "evil"
    emit = end

X = Universe(**{offered})
"""

FORMAT = f"reals-to-formats{{data={DATA} format=evil}}"
USES = {
    "dialect": ("dict(all_dialects={'evil': end})", "-p", FORMAT),
    "format": ("dict(all_dialects={'evil': lambda: Dialect('evil', [], [Number])})", "-p", FORMAT),
    "pass": ("dict(all_passes={'evil': end})", "-p", "evil"),
    "search": ("dict(all_passes={'evil': lambda: EvilPass})", "-p", "evil"),
    "target": ("dict(all_targets={'evil': lambda: end()})", "-t", "evil"),
    "emission": ("dict(all_targets={'evil': lambda: EvilTarget})", "-t", "evil"),
    "function": ("dict(all_targets={'evil': lambda module, output: end()})", "-t", "evil"),
}
RETURN_NOTHING = ("search", "emission", "function")
"""Functions that xDSL calls for their effect; whatever they return is ignored."""


@pytest.mark.long
@ends
@pytest.mark.parametrize("use", USES)
def test_what_a_universe_offers_is_named_where_it_fails(use: str, end: str, packages: Packages):
    code, reason = ENDS[end]
    offered, *arguments = USES[use]
    packages.install(UNIVERSES, UNREADABLE + UNIVERSE.format(end=code, offered=offered))
    nothing_wrong = use in RETURN_NOTHING and end == "wrong type"
    lines = packages.said(0 if nothing_wrong else 1, TOUR / "tour.sd", *arguments)
    assert len(lines) == (0 if nothing_wrong else 1), lines
    assert all(named(UNIVERSES) + reason in line for line in lines), lines
    assert packages.said(0, TOUR / "tour.sd", "-p", f"reals-to-formats{{data={DATA}}}") == []


@pytest.mark.parametrize(
    ("offered", "reason"),
    [
        ("dict(all_passes=[])", ""),
        ("dict(all_passes={'evil': 3})", "expected the name of a pass and a function that makes it, got 'evil'"),
        ("dict(all_dialects={3: end})", "expected the name of a dialect and a function that makes it, got 3"),
        ("dict(all_passes={'cse': end})", "a pass 'cse' already exists"),
        ("dict(all_dialects={'fixed': end})", "a dialect 'fixed' already exists"),
        ("dict(all_targets={'c': end})", "a target 'c' already exists"),
    ],
)
def test_a_universe_that_cannot_be_added_is_left_out(offered: str, reason: str, packages: Packages):
    packages.install(UNIVERSES, UNIVERSE.format(end="return 3", offered=offered))
    lines = packages.said(0, TOUR / "tour.sd", "-p", "cse")
    if reason:
        assert lines == ["warning: left out: " + named(UNIVERSES) + reason]


@ends
def test_a_search_that_is_none_is_left_out(end: str, packages: Packages):
    code, reason = ENDS[end]
    packages.install(UNIVERSES, UNREADABLE + UNIVERSE.format(end=code, offered="dict(all_passes={'search-evil': end})"))
    assert {"promote", "pareto"} <= searches().keys()
    assert "evil" not in searches()
    assert [line.startswith(named(UNIVERSES) + reason) for line in problems()] == [True]


def test_a_pass_that_is_no_search_is_left_out_of_the_searches(packages: Packages):
    offered = "dict(all_passes={'search-evil': lambda: EvilPass})"
    packages.install(UNIVERSES, UNIVERSE.format(end="pass", offered=offered))
    assert "evil" not in searches()
    assert list(problems()) == [named(UNIVERSES) + "the pass 'search-evil' is not a SearchPass"]


@pytest.mark.parametrize("end", ["raises", "unreadable", "exits"])
def test_other_processes_send_an_error_of_a_plug_in_back(end: str, packages: Packages):
    code, reason = ENDS[end]
    module = packages.install(UNIVERSES, UNREADABLE + UNIVERSE.format(end=code, offered="{}"))
    with pytest.raises(PluginError) as raised, attributed():
        __import__(module).end()
    assert str(pickle.loads(pickle.dumps(raised.value))) == named(UNIVERSES) + reason
