"""Prints the time to compile programs of many ops to C (`make compile-times`); takes about two minutes.

Each program is compiled by a process of its own, whose CPU time is printed in seconds. `--help` lists the options.
"""

import argparse
import resource
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed

SIZES = (1_000, 3_000, 10_000)


@dataclass(frozen=True, kw_only=True)
class TimeSurvey:
    """The options of a measurement."""

    ops: int | None = option("one program of N ops instead of those of 1,000, 3,000 and 10,000", default=None)


def chain(ops: int) -> str:
    """A program in SeeDot's language: a chain of additions, each of which is an op of its own at L0."""
    values = ["X", *(f"v{number}" for number in range(ops))]
    lets = [f"let {after} = {before} + X in" for before, after in pairwise(values)]
    return "\n".join(["let X = (2, 1) in", *lets, values[-1], ""])


def chain_data() -> dict[str, np.ndarray]:
    """Samples for a chain, with labels."""
    return {"x": np.random.default_rng(0).uniform(-1, 1, (8, 2)), "y": np.zeros(8, dtype=int)}


def seconds_to_compile(ops: int) -> float:
    """Seconds of CPU time that `tinyml-opt` takes to compile a chain to C."""
    with TemporaryDirectory() as name:
        program, data, out = (Path(name, file) for file in ("chain.sd", "data.npz", "chain.c"))
        program.write_text(chain(ops))
        np.savez(data, allow_pickle=False, **chain_data())
        before = _seconds_of_children()
        pipeline = f'reals-to-c{{data="{data}"}}'
        command = [sys.executable, "-m", "tinyml.tools.tinyml_opt", program, "-p", pipeline, "-t", "c", "-o", out]
        subprocess.run(command, check=True)
        return _seconds_of_children() - before


def _seconds_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser, options_of(TimeSurvey))
    survey = parsed(parser.parse_args(), TimeSurvey)
    print(f"{'ops':>8}{'seconds':>10}{'ms per op':>12}")
    for ops in SIZES if survey.ops is None else (survey.ops,):
        seconds = seconds_to_compile(ops)
        print(f"{ops:>8,}{seconds:>10.1f}{1000 * seconds / ops:>12.2f}", flush=True)


if __name__ == "__main__":
    main()
