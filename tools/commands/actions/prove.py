"""Proofs that the arithmetic of a format or a program is the documented arithmetic, and their report.

For a program, sums of products are also proved never to overflow.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table

from tinyml.dialects.context import context
from tinyml.dialects.formats.lookup import format_spelled
from tinyml.tools.driver.output_folder import (
    PICTURES,
    PROOFS,
    REPORT_PAGE,
    add_to_folder,
    listed_files,
    require_as_written,
)
from tinyml.tools.driver.output_pages import facts_of_folder, pages_of
from tinyml.tools.driver.program_in_folder import program_in, require_chain
from tinyml.tools.proofs.facts import facts
from tinyml.tools.proofs.formulas import solver
from tinyml.tools.proofs.function_statements import Call, function_statement
from tinyml.tools.proofs.machine_statements import machine_statements
from tinyml.tools.proofs.posit.quire_statements import quire_statements
from tinyml.tools.proofs.programs import Unstated, accumulators, exponents, operations
from tinyml.tools.proofs.proving import Verdict, decide
from tinyml.tools.proofs.statements import statements, variants
from tinyml.tools.reports.tables import print_table

if TYPE_CHECKING:
    from tinyml.tools.proofs.op_statements import OpStatement
    from tinyml.tools.proofs.step_statements import StepStatement


def prove(subject: str, seconds: float, *, as_json: bool) -> int:
    """Print a row for each op, then the false statements and the statements that could not be decided, or print the
    report as JSON. The exit code is 1 if any statement is false.

    For a program, the findings are also added to its report page.

    subject: a number format or an output folder.
    seconds: the limit on the solver's time for each statement.
    """
    solver()
    is_program = Path(subject).is_dir()
    verdicts, unstated = (_of_program if is_program else _of_format)(subject, seconds)
    report = _report(verdicts, unstated)
    if is_program:
        _add_to_page(Path(subject), report)
    if as_json:
        print(json.dumps(report, indent=2))
    else:
        _print(subject, report)
    return int(any(verdict.counterexample is not None for verdict in verdicts))


def _of_format(name: str, seconds: float) -> tuple[Sequence[Verdict], Sequence[Unstated]]:
    format = format_spelled(context(), name)
    quires = [*quire_statements(format)]
    stated = [] if quires and not variants(format) else [*statements(format)]
    verdicts = [decide(statement, seconds) for statement in (*quires, *stated)]
    verdicts += [decide(fact, seconds) for one in variants(format) for fact in facts(one)]
    return verdicts + _of_parts(stated, seconds, machine_statements()), []


def _of_program(folder: str, seconds: float) -> tuple[Sequence[Verdict], Sequence[Unstated]]:
    found = program_in(Path(folder))
    require_chain(found)
    pictures = [name for name in listed_files(found.report) if name.startswith(f"{PICTURES}/")]
    require_as_written(Path(folder), (PROOFS, REPORT_PAGE, *pictures))
    sums = [*accumulators(found.formats), *exponents(found.formats, found.loops)]
    stated = [*operations(found.loops)]
    ops = [one for one in stated if not isinstance(one, Unstated)]
    verdicts = [decide(one, seconds) for one in (*sums, *ops) if not isinstance(one, Unstated)]
    unstated = [one for one in (*sums, *stated) if isinstance(one, Unstated)]
    return verdicts + _of_parts(ops, seconds), unstated


def _add_to_page(folder: Path, report: dict[str, Any]) -> None:
    add_to_folder(folder, {PROOFS: json.dumps(report, indent=2) + "\n"})
    add_to_folder(folder, pages_of(facts_of_folder(program_in(folder), None)))


def _of_parts(stated: Sequence[OpStatement], seconds: float, others: Iterable[StepStatement] = ()) -> list[Verdict]:
    """Decide the statements about the parts of ops, which are ops of `exact` and runtime functions. Each statement is
    decided once; return a verdict for each.

    seconds: the limit on the solver's time for each statement.
    others: further statements about ops of `exact`.
    """
    steps = {step.name: step for step in others}
    steps |= {name: step for statement in stated for name, step in statement.steps.items()}
    verdicts = [decide(step, seconds) for _, step in sorted(steps.items())]
    calls = sorted(set[Call]().union(*(statement.calls for statement in stated)), key=str)
    return verdicts + [decide(function_statement(call), seconds) for call in calls]


def _by_op(verdicts: Iterable[Verdict]) -> Iterable[tuple[str, Sequence[Verdict]]]:
    ordered = sorted(verdicts, key=lambda verdict: verdict.statement.subject)
    for name, group in groupby(ordered, key=lambda verdict: verdict.statement.subject):
        yield name, [*group]


def _report(verdicts: Sequence[Verdict], unstated: Sequence[Unstated]) -> dict[str, Any]:
    """The report, with three entries:

    ops: for each op, the number of statements, how many of them are proved, how many of these the solver proved, and
        the time in seconds.
    open: the open statements with the reasons.
    false: the false statements with their counterexamples.
    """
    return {
        "ops": [
            {
                "op": name,
                "statements": len(group),
                "proved": sum(verdict.proved for verdict in group),
                "by_solver": sum(verdict.proved and verdict.how == "solver" for verdict in group),
                "seconds": round(sum(verdict.seconds for verdict in group), 3),
            }
            for name, group in _by_op(verdicts)
        ],
        "open": [
            *({"statement": one.statement.name, "reason": one.how} for one in verdicts if one.is_open),
            *({"statement": one.name, "reason": one.reason} for one in unstated),
        ],
        "false": [
            {"statement": found.statement.name, "inputs": found.inputs, "wrong": found.wrong, "test": found.as_test()}
            for found in (one.counterexample for one in verdicts)
            if found is not None
        ],
    }


def _print(subject: str, report: dict[str, Any]) -> None:
    table = Table(title=f"the arithmetic of {subject}, compared with its documentation")
    table.add_column("op or function", no_wrap=True)
    for heading in ("statements", "proved", "by the solver", "seconds"):
        table.add_column(heading, justify="right")
    for row in report["ops"]:
        cells = row["statements"], row["proved"], row["by_solver"], f"{row['seconds']:.1f}"
        table.add_row(row["op"], *map(str, cells))
    print_table(table, 80)
    for one in report["open"]:
        print(f"open: {one['statement']}: {one['reason']}")
    for one in report["false"]:
        print(f"false: {one['statement']}: {one['wrong']}\n\n{one['test']}")
