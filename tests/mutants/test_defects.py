"""Each kind of defect makes the change that it describes, in one line of code that compiles. The tests of a pass are
found, and its steps are stopped at their limits and report failing tests.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat
from random import Random

import pytest
from programs.paths import FILECHECK, TESTS

from mutants.__main__ import verdict
from mutants.defects import defects
from mutants.limits import TooLongError, limited
from mutants.subjects import ELSEWHERE, depending, subjects
from mutants.trials import CAUGHT, FAILED, LATE, SURVIVED, Trial, run_checks, run_programs

KINDS = {
    "x = a < b": {"x = a <= b"},
    "x = a >= b": {"x = a > b"},
    "x = a == len(b)": {"x = a != len(b)", "x = a >= len(b)", "x = a <= len(b)"},
    "x = a == b": {"x = a != b"},
    "x = a not in b": {"x = a in b"},
    "x = a is None": {"x = a is not None"},
    "x = 7": {"x = 8", "x = 6"},
    "x = a + b": {"x = (a)", "x = (b)", "x = a - b"},
    "x = a - b": {"x = (a)", "x = a + b"},
    "x = a * b": {"x = (a)", "x = (b)"},
    "x = a // b": {"x = (a)"},
    "x = -(-a // b)": {"x = a // b", "x = -((-a))"},
    "x += a": {"x -= a"},
    "x = a and b": {"x = a or b", "x = (a)", "x = (b)"},
    "x = a or b or c": {"x = (b) or (c)", "x = (a) or (c)", "x = (a) or (b)"},
    "x = len(a) == 0": {"x = len(a) != 0", "x = len(a) >= 0", "x = len(a) == 1", "x = len(a) == -1"},
    "x = a.reshape(-1, 2)": {"x = a.reshape(-1, 3)", "x = a.reshape(-1, 1)"},
    "x = min(a, b)": {"x = max(a, b)"},
    "x = a.any()": {"x = a.all()"},
    "x = a if b else c": {"x = a if not (b) else c", "x = a if True else c"},
    "x = [a for a in b if c]": {"x = [a for a in b if not (c)]", "x = [a for a in b if True]"},
    "x = a if b is None else c": {"x = a if not (b is None) else c"},
    "x = not a": set[str](),
    "x = isinstance(a, b) and c": {"x = isinstance(a, b) or c", "x = (isinstance(a, b))"},
    "x = a[0]": {"x = a[1]"},
    "if a:\n    b()": {"if not (a):\n    b()", "if True:\n    b()"},
    "for a in b:\n    if a:\n        continue": {
        "for a in b:\n    if not (a):\n        continue",
        "for a in b:\n    if False:\n        continue",
    },
}
"""Sources, and all that one defect can make of them."""


@pytest.mark.parametrize("source", KINDS)
def test_kinds_of_defects(source: str):
    assert {defect.applied(source) for defect in defects(source)} == KINDS[source]


@pytest.mark.parametrize(
    "source",
    [
        '"""1 < 2"""',
        "def f(x: Annotated[int, 1]) -> Literal[2]: ...",
        "@cache(7)\ndef f(): ...",
        "assert a < b",
        "raise InputError(a + b)",
        "warn(a + b)",
        'x = f"{a + 1} of {b * 8}"',
        'x = "a" + b',
        "if TYPE_CHECKING:\n    x = 1",
    ],
)
def test_what_is_no_code_of_a_pass_stays(source: str):
    assert defects(source) == []


def test_columns_count_characters_beside_others():
    source = "x = 'é' if a < b else 'ü'"
    assert source.replace("<", "<=") in {defect.applied(source) for defect in defects(source)}


@pytest.mark.long
@pytest.mark.parametrize("name", ["fold-affine", "set-threshold"])
def test_a_defect_of_a_pass_is_one_line(name: str):
    [path] = subjects()[name].files
    source = path.read_text()
    found = defects(source)
    for defect in Random(1).sample(found, 10):
        changed = defect.applied(source)
        compile(changed, str(path), "exec")
        pairs = zip(source.splitlines(), changed.splitlines(), strict=True)
        assert [line for line, (old, new) in enumerate(pairs, 1) if old != new] == [defect.line]


def test_what_belongs_to_a_pass():
    found = subjects()["spread-entries"]
    assert found.checks[0] == FILECHECK / "transforms/rtl/spread_entries.mlir"
    assert TESTS / "numeric/lowering/hw/test_hardware.py" in found.tests
    helpers = {path.name for path in subjects()["lower-rtl-to-hw"].helpers}
    assert helpers == {"circuit.py", "control.py", "memories.py"}
    assert "tinyml.transforms.rtl.spread_entries" in depending("tinyml.transforms.rtl.unrolling.entry_rows")


def test_tests_elsewhere_are_those_that_are_not_found():
    for name, tests in ELSEWHERE.items():
        found = [test.relative_to(TESTS).as_posix() for test in subjects()[name].tests]
        assert found[-len(tests) - 1 : -1] == [*tests]
        assert len(set(found)) == len(found)
        assert all((TESTS / test).exists() for test in tests)


def test_what_runs_out_of_time_is_no_catch_and_no_survivor():
    subject = subjects()["compare-arguments"]
    trial = Trial(subject, subject.path, defects(subject.path.read_text())[0])
    assert verdict(replace(trial, filecheck=CAUGHT)) == "FileCheck"
    assert verdict(replace(trial, filecheck=LATE, tests=CAUGHT)) == "tests"
    assert verdict(replace(trial, filecheck=SURVIVED, tests=LATE, suite=CAUGHT)) == "suite"
    assert verdict(replace(trial, filecheck=SURVIVED, tests=LATE, programs=CAUGHT)) == "programs"
    assert verdict(replace(trial, filecheck=SURVIVED, tests=LATE, programs=SURVIVED)) == LATE
    assert verdict(replace(trial, filecheck=SURVIVED, tests=SURVIVED, programs=SURVIVED)) == SURVIVED


def test_a_step_that_never_ends_is_stopped():
    with pytest.raises(TooLongError), limited(0):
        sum(1 for _ in repeat(None))


def test_a_test_that_fails_is_found_by_its_name():
    summary = "x\nFAILED tests/a.py::test_b[1 - 2] - assert 1 == 2\nERROR tests/c.py\n1 failed\n"
    assert FAILED.findall(summary)[1] == "tests/c.py"


@pytest.mark.long
def test_programs_tell_where_c_differs():
    path = subjects()["lower-arith-to-c"].path
    source = path.read_text()
    assert run_programs(path, source, 1) == 0
    assert run_programs(path, source.replace("def apply", "def other"), 1) == 1


@pytest.mark.long
def test_modules_that_declare_attributes_declare_them_again():
    declaring = {
        path for one in subjects().values() for path in one.files if "DiscardableAttribute(" in path.read_text()
    }
    assert FILECHECK.parent.parent / "transforms/rtl/unrolling/loop_hints.py" in declaring
    assert [path for path in declaring if run_checks([], path, path.read_text()) != 0] == []


@pytest.mark.long
def test_a_fork_runs_the_changed_source_alone():
    subject = subjects()["compare-arguments"]
    source = subject.path.read_text()
    assert run_checks(subject.checks, subject.path, source) == 0
    assert run_checks(subject.checks, subject.path, source.replace("def apply", "def other")) == 1
    assert run_checks(subject.checks, subject.path, "import") == 1
    assert run_checks(subject.checks, subject.path, source) == 0
