"""`python -m fuzz`: run random cases for a given time or number, and print their verdicts. The exit code is 1 if a case
fails.
"""

from __future__ import annotations

import argparse
import math
import signal
import sys
import tempfile
from collections import Counter

from fuzz.kinds import KINDS
from fuzz.verdicts import HARMLESS, HARMS
from fuzz.watched import Result, results, run_case


def table(counts: Counter[tuple[str, str]]) -> str:
    """The number of cases by kind and verdict."""
    columns = [*HARMLESS, *(harm for harm in HARMS if any(verdict == harm for _, verdict in counts))]
    rows = [["kind", "cases", *columns]]
    kinds = sorted({kind for kind, _ in counts})
    for kind in kinds:
        cells = [counts[kind, column] for column in columns]
        rows.append([kind, *map(str, [sum(cells), *cells])])
    totals = [sum(counts[kind, column] for kind in kinds) for column in columns]
    rows.append(["all", *map(str, [sum(totals), *totals])])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)


def stop(*_: object) -> None:
    """Handle a signal: exit with the code for an error."""
    sys.exit(1)


def main() -> int:
    # Workers stop with this process, whichever signal ends it.
    signal.signal(signal.SIGTERM, stop)
    # Workers that are killed leave their folders; this one goes in any case.
    with tempfile.TemporaryDirectory(prefix="fuzz-") as tempfile.tempdir:
        return fuzz()


def fuzz() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to try (default 60)")
    parser.add_argument("--cases", type=int, help="try so many cases of each kind, however long it takes")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once (default 2)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case of each kind (default 0)")
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds to try (default all)")
    parser.add_argument("--case", type=int, help="run this one case of each kind, in this process")
    arguments = parser.parse_args()
    kinds = {name: KINDS[name] for name in arguments.kinds.split(",")}
    if arguments.case is not None:
        for kind in kinds.values():
            print(run_case(kind, arguments.case))
        return 0
    counts: Counter[tuple[str, str]] = Counter()
    harms: list[Result] = []
    seconds = arguments.seconds if arguments.cases is None else math.inf
    for result in results(kinds, arguments.first, arguments.jobs, seconds, arguments.cases):
        counts[result.kind, result.verdict] += 1
        if result.verdict not in HARMLESS:
            harms.append(result)
            print(f"{result.kind} {result.number}: {result.verdict}: {result.detail}", flush=True)
    print(table(counts))
    return int(bool(harms))


if __name__ == "__main__":
    sys.exit(main())
