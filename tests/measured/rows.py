"""A row of a paper's page: an item of the paper, the command that reproduces it, the result, and the verdict.

A row may be checked by tests instead of a command. The tests of all requested rows run in one process, because the
start of pytest is slow.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from programs.paths import ROOT

from measured.assertions import Assertion, Value, is_ir
from measured.store import Values
from measured.tables import Cells


class Verdict(Enum):
    """The judgement on an item, as pages print it (`MEANINGS`). All members except the first two require a reason."""

    REPRODUCED = "reproduced"
    SURPASSED = "surpassed"
    BETTER = "better"
    WORSE = "worse"
    OTHER = "other"
    TEXT = "text"
    DATA = "data"
    NOT_DONE = "not done"

    @property
    def has_reason(self) -> bool:
        return self not in (Verdict.REPRODUCED, Verdict.SURPASSED)


REPRODUCED, SURPASSED, BETTER, WORSE, OTHER, TEXT, DATA, NOT_DONE = Verdict

MEANINGS = """\
*Reproduced*: the result agrees with the paper. Reproduced results agree in all digits if the paper states the inputs,
and otherwise on models and data of the same kind. *Surpassed*: the same quantity, measured as in the paper, is better
than the paper reports, or tinyml implements future work of the paper. *Better*: all figures of the same quantity are
better, but the base, the model or the board is another one. *Worse*: a figure of the same quantity is worse. *Other*:
the setting or the method is another one, by decision. *Text*: the paper contradicts itself, or does not state what a
comparison needs. *Data*: models, data, programs or devices of the paper are not available. *Not done*: tinyml does not
do this, or it was not measured."""


@dataclass(frozen=True)
class ByTests:
    """Tests of the suite that assert the statement of an item: pytest functions, and IR files for lit."""

    assertions: tuple[Assertion, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.test for one in self.assertions)

    def command(self, _paper: str, _item: str) -> str:
        parts = {"pytest": [name for name in self.names if not is_ir(name)], "lit": [*filter(is_ir, self.names)]}
        return " && ".join(" ".join([by, *(f"tests/{name}" for name in names)]) for by, names in parts.items() if names)

    @property
    def asserted(self) -> str:
        """The asserted values as a page lists them."""
        values = dict.fromkeys(value for one in self.assertions for value in one.values)
        return ", ".join(f"`{value:,}`" if isinstance(value, int) else f"`{value}`" for value in values)


@dataclass(frozen=True)
class Shown:
    """Figures of a row that are taken from tables of other pages, which `docs/figures/` stores.

    tables: the names of these tables.
    summary: computes the figures of the row from the stored tables.
    """

    tables: tuple[str, ...]
    summary: Callable[[], Values]

    def command(self, _paper: str, _item: str) -> str:
        return f"make figures ONLY={','.join(self.tables)}"


@dataclass(frozen=True)
class Measured:
    """A function that measures an item, given a folder of additional models or None; raises `Unmeasured` if models are
    missing.
    """

    measure: Callable[[Path | None], Values]

    def command(self, paper: str, item: str) -> str:
        return f"make papers ONLY={paper}:{slug(item)}"


Run = ByTests | Shown | Measured


def tested(*assertions: tuple[str, *tuple[Value, ...]]) -> ByTests:
    """The tests that assert the statement of an item.

    assertions: the node id of a test relative to `tests/`, followed by the values of the item that the test asserts.
    """
    return ByTests(tuple(Assertion(test, values) for test, *values in assertions))


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the table that compares an item of a paper, such as a table or figure, with tinyml.

    item: kind and number, such as `table 3`, followed by a comma and a part if parts have separate rows.
    title: the subject of the item.
    reports: the statement of the paper.
    here: tinyml's result, with `{name}` for the figures of `run` (`Cells`).
    verdict: the judgement on tinyml's result.
    why: the reason that some verdicts require; otherwise "".
    win_back: what may make a *worse* result as good as the paper's; "" for all other verdicts.
    run: how the figures are obtained; None if no command can exist.
    holds: a condition on the figures that must hold for the verdict; None if tests check the row.
    nothing_to_run: the reason why no command can exist, for a row without `run`.
    """

    item: str
    title: str
    reports: str
    here: str
    verdict: Verdict
    why: str = ""
    win_back: str = ""
    run: Run | None = None
    holds: Callable[[Values], bool] | None = None
    nothing_to_run: str = ""

    def __post_init__(self) -> None:
        assert all((self.reports, self.here)), f"{self.item}: a row says what the paper has and what is here"
        assert self.verdict.has_reason == bool(self.why), f"{self.item}: some verdicts need a reason"
        assert (self.verdict is WORSE) == bool(self.win_back), f"{self.item}: what is worse says how to win it back"
        assert self.run is not None or self.verdict.has_reason, f"{self.item}: a success is shown by a command"
        assert (self.run is None) == bool(self.nothing_to_run), (
            f"{self.item}: it has a command or says why there is none"
        )
        assert self.verdict.has_reason or isinstance(self.run, ByTests) or self.holds is not None, (
            f"{self.item}: when does the verdict hold?"
        )

    def command(self, paper: str) -> str:
        return self.run.command(paper, self.item) if self.run else ""

    def is_open(self, values: Values) -> bool:
        """Whether the item has no figures yet, because its measurement has not been run."""
        return self.verdict is NOT_DONE and isinstance(self.run, Measured) and not values

    def cells(self, paper: str, values: Values) -> list[str]:
        """The cells of the page's table: item, statement of the paper, result here, command and verdict."""
        command = self.command(paper)
        cells = [
            f"{self.item}: {self.title}",
            self.reports,
            "not measured yet" if self.is_open(values) else Cells().vformat(self.here, (), dict(values)),
            self._shown(command),
            f"{self.verdict.value}: {self.why}" if self.why else self.verdict.value,
        ]
        assert not any("|" in cell for cell in cells), self.item
        return cells

    def _shown(self, command: str) -> str:
        if not command:
            return f"none: {self.nothing_to_run}"
        return f"`{command}` asserts {self.run.asserted}" if isinstance(self.run, ByTests) else f"`{command}`"


def slug(item: str) -> str:
    """The name of an item in `make papers ONLY=...`: `table3` for `table 3`, or `table9-faces` for `table 9, faces`."""
    number, _, part = item.partition(", ")
    return "-".join(filter(None, (re.sub(r"[^\w.]", "", number), re.sub(r"\W+", "-", part.lower()))))


class Failed(Exception):
    """Raised for a row whose command failed, or whose figures contradict its verdict."""


def passed(names: tuple[str, ...], together: tuple[str, ...] = ()) -> Values:
    """The number of passed tests among those that the given node ids (relative to `tests/`) select.

    together: the node ids of the tests that run in one process, including `names`; by default `names` alone.

    Raises `Failed` unless all tests of `names` passed.
    """
    ended = _ended(tuple(name for name in together or names if not is_ir(name)))
    results = [result for name in names for result in ([_by_lit(name)] if is_ir(name) else _of(name, ended))]
    if not results or any(result != "passed" for result in results):
        raise Failed(", ".join(sorted(set(results))) or "no such test")
    return {"passed": len(results)}


def _of(name: str, ended: Sequence[tuple[str, str, str]]) -> list[str]:
    file, _, test = name.partition("::")
    module = "tests." + file.removesuffix(".py").replace("/", ".")
    return [result for of, called, result in ended if of == module and (not test or called.partition("[")[0] == test)]


@cache
def _by_lit(name: str) -> str:
    lit = Path(sys.executable).with_name("lit")
    ended = subprocess.run([lit, f"tests/{name}"], cwd=ROOT, capture_output=True, check=False)
    return "failure" if ended.returncode else "passed"


@cache
def _ended(names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """The module, name and result of each test that the node ids select, after one run of pytest. Raises `Failed` if
    pytest writes no report.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "-n0", f"--junitxml={report}"]
        subprocess.run([*command, *(f"tests/{name}" for name in names)], cwd=ROOT, capture_output=True, check=False)
        if not report.exists():
            raise Failed("pytest did not run")
        cases = list(ElementTree.parse(report).iter("testcase"))
    return [(case.attrib["classname"], case.attrib["name"], _result(case)) for case in cases]


def _result(case: ElementTree.Element) -> str:
    return next((part.tag for part in case if part.tag in ("failure", "error", "skipped")), "passed")
