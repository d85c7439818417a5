"""`python -m mutants`: make one-line defects in passes, and print which tests detect them.

The FileCheck file of the pass, its tests, the FileCheck files of other passes, or the C of programs may detect a
defect. Trials that exceed their time are listed separately.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

from layout.sources import name_of

from mutants.defects import defects
from mutants.subjects import Subject, subjects
from mutants.trials import CAUGHT, LATE, SURVIVED, Trial, try_filecheck, try_programs, try_suite, try_tests


def drawn(passes: Sequence[Subject], count: int, seed: int) -> Iterator[Trial]:
    """Yield trials of `count` random defects, or of all defects if there are fewer.

    Passes are in random order. No pass has a second defect before every pass has its first.
    """
    order = random.Random(seed)
    left = [_shuffled(subject, order) for subject in order.sample(passes, len(passes))]
    while left:
        for trials in list(left):
            if not count:
                return
            if (trial := next(trials, None)) is None:
                left.remove(trials)
            else:
                count -= 1
                yield trial


def _shuffled(subject: Subject, order: random.Random) -> Iterator[Trial]:
    found = [Trial(subject, path, defect) for path in subject.files for defect in defects(path.read_text())]
    yield from order.sample(found, len(found))


def tried(trial: Trial, tests: bool) -> Trial:
    """Run the steps of a trial until one detects the defect, and return the trial with the verdicts.

    tests: false to run only the FileCheck files of the pass.
    """
    trial = replace(trial, filecheck=try_filecheck(trial))
    if tests and trial.filecheck != CAUGHT:
        trial = replace(trial, tests=try_tests(trial))
        if trial.tests != CAUGHT:
            trial = replace(trial, suite=try_suite(trial))
        if CAUGHT not in (trial.tests, trial.suite):
            trial = replace(trial, programs=try_programs(trial))
    return trial


def verdict(trial: Trial) -> str:
    """The name of the step that detects the defect, or a statement that no step detects it or that a step exceeds its
    time.
    """
    parts = {"FileCheck": trial.filecheck, "tests": trial.tests, "suite": trial.suite, "programs": trial.programs}
    caught = (name for name, found in parts.items() if found == CAUGHT)
    return next(caught, LATE if LATE in parts.values() else SURVIVED)


def row(trial: Trial) -> str:
    line = trial.path.read_text().splitlines()[trial.defect.line - 1].strip()
    place = f"{name_of(trial.path)}:{trial.defect.line}"
    return f"{verdict(trial):9}  {trial.subject.name:24} {place}  {trial.defect.what}  |  {line}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw (default 0)")
    parser.add_argument("--count", type=int, default=10, help="number of defects (default 10)")
    parser.add_argument("--passes", help="passes to draw from (default all), by names and commas")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once (default 2)")
    parser.add_argument("--filecheck", action="store_true", help="run FileCheck alone")
    arguments = parser.parse_args()
    known = subjects()
    names = arguments.passes.split(",") if arguments.passes else list(known)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no pass of transforms or lowering: {', '.join(unknown)}")
    trials = list(drawn([known[name] for name in names], arguments.count, arguments.seed))
    found: list[Trial] = []
    with ProcessPoolExecutor(arguments.jobs, get_context("fork")) as pool:
        for trial in pool.map(partial(tried, tests=not arguments.filecheck), trials):
            found.append(trial)
            print(row(trial), flush=True)
    verdicts = [verdict(trial) for trial in found]
    caught = [f"FileCheck catches {verdicts.count('FileCheck')}"]
    if not arguments.filecheck:
        parts = {"tests": "the tests beside", "suite": "FileCheck of other passes", "programs": "programs"}
        caught += [f"{name} {verdicts.count(part)} more" for part, name in parts.items()]
    left = f"{verdicts.count(SURVIVED)} survive, {verdicts.count(LATE)} ran out of time"
    print(f"{len(found)} defects: {', '.join([*caught, left])}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
