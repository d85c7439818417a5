"""The command `tinyml prove`, which proves that the arithmetic of a format is the documented one, for all inputs."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tinyml.dialects.options import Seconds, option, options_of
from tinyml.tools.cli.arguments import PrintOptions, add_options, parsed

if TYPE_CHECKING:
    from tinyml.tools.proofs.proving import Verdict


@dataclass(frozen=True, kw_only=True)
class ProveRequest(PrintOptions):
    """What is proved; the fields are the options of `tinyml prove`."""

    subject: str = option("a number format and its bits, such as NAME:8", flags=(), metavar="FORMAT")
    seconds: Seconds = option("limit on the solver's time for each statement", default=60.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_options(parser, options_of(ProveRequest))


def run(arguments: argparse.Namespace) -> int:
    """Print a row for each op, then what is open and what is false; the exit code is 1 if anything is false."""
    from tinyml.dialects.context import context
    from tinyml.dialects.formats.lookup import format_spelled
    from tinyml.tools.proofs.facts import facts
    from tinyml.tools.proofs.formulas import solver
    from tinyml.tools.proofs.function_statements import Call, function_statement
    from tinyml.tools.proofs.proving import decide
    from tinyml.tools.proofs.statements import statements, variants

    request = parsed(arguments, ProveRequest)
    format = format_spelled(context(), request.subject)
    solver()
    stated = [*statements(format)]
    verdicts = [decide(statement, request.seconds) for statement in stated]
    calls = sorted(set[Call]().union(*(statement.calls for statement in stated)), key=str)
    verdicts += [decide(fact, request.seconds) for one in variants(format) for fact in facts(one)]
    verdicts += [decide(function_statement(call), request.seconds) for call in calls]
    if request.json:
        print(json.dumps(_report(verdicts), indent=2))
    else:
        _print(request.subject, verdicts)
    return int(any(verdict.counterexample is not None for verdict in verdicts))


def _by_op(verdicts: Iterable[Verdict]) -> Iterable[tuple[str, Sequence[Verdict]]]:
    ordered = sorted(verdicts, key=lambda verdict: verdict.statement.subject)
    for name, group in groupby(ordered, key=lambda verdict: verdict.statement.subject):
        yield name, [*group]


def _report(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """`ops` with the number of statements and how each was decided, and the texts of those that are not proved."""
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
        "open": [{"statement": one.statement.name, "reason": one.how} for one in verdicts if one.is_open],
        "false": [
            {"statement": found.statement.name, "inputs": found.inputs, "wrong": found.wrong, "test": found.as_test()}
            for found in (one.counterexample for one in verdicts)
            if found is not None
        ],
    }


def _print(subject: str, verdicts: Sequence[Verdict]) -> None:
    from rich.table import Table

    from tinyml.tools.reports.tables import wide_console

    report = _report(verdicts)
    table = Table(title=f"the arithmetic of {subject}, against what it documents")
    table.add_column("op or function", no_wrap=True)
    for heading in ("statements", "proved", "by the solver", "seconds"):
        table.add_column(heading, justify="right")
    for row in report["ops"]:
        cells = row["statements"], row["proved"], row["by_solver"], f"{row['seconds']:.1f}"
        table.add_row(row["op"], *map(str, cells))
    wide_console(80).print(table)
    for one in report["open"]:
        print(f"open: {one['statement']}: {one['reason']}")
    for one in report["false"]:
        print(f"false: {one['statement']}: {one['wrong']}\n\n{one['test']}")
