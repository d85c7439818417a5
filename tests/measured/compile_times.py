"""Prints the time to compile programs of many ops to C (`make compile-times`); takes about four minutes.

Each program is compiled by a process of its own, whose CPU time is printed in seconds. `--help` lists the options.
"""

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed

SIZES = (1_000, 3_000, 10_000)


@dataclass(frozen=True, kw_only=True)
class TimeSurvey:
    """The options of a measurement."""

    ops: int | None = option("programs of N ops instead of those of 1,000, 3,000 and 10,000", default=None)


def chain(ops: int) -> str:
    """A program in SeeDot's language: a chain of additions, each of which is an op of its own at L0."""
    values = ["X", *(f"v{number}" for number in range(ops))]
    lets = [f"let {after} = {before} + X in" for before, after in pairwise(values)]
    return "\n".join(["let X = (2, 1) in", *lets, values[-1], ""])


def chain_data() -> dict[str, np.ndarray]:
    """Samples for a chain, with labels."""
    return {"x": np.random.default_rng(0).uniform(-1, 1, (8, 2)), "y": np.zeros(8, dtype=int)}


def mixture(ops: int) -> str:
    """A program at L0 of sums, products, differences and functions of 8 numbers, each with a constant of its own."""
    random, type = np.random.default_rng(0), "tensor<1x8xf32>"
    lines = [f"func.func @predict(%v0: {type}) -> {type} {{"]
    for number, name in zip(range(ops), cycle(("add", "mul", "tanh", "sub"))):
        if name == "tanh":
            lines.append(f"%v{number + 1} = tdsl.tanh %v{number} : {type} -> {type}")
            continue
        numbers = (random.uniform(-0.5, 0.5, (1, 8)) + (name == "mul")).astype(np.float32).tolist()
        lines.append(f"%c{number} = tdsl.const dense<{numbers}> : {type} -> {type}")
        lines.append(f"%v{number + 1} = tdsl.{name} %v{number}, %c{number} : {type}, {type} -> {type}")
    return "\n".join([*lines, f"func.return %v{ops} : {type}", "}", ""])


def mixture_data() -> dict[str, np.ndarray]:
    """Samples for a mixture, with targets."""
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, 8, 8))
    return {"x": x, "y": y}


@dataclass(frozen=True)
class Family:
    """Programs of any number of ops, in files of one name, with samples; compiled with a width, if one is given."""

    name: str
    file: str
    text: Callable[[int], str]
    data: Callable[[], dict[str, np.ndarray]]
    width: int | None = None


FAMILIES = (
    Family("additions", "chain.sd", chain, chain_data),
    Family("mixed, 8 bits", "mixture.mlir", mixture, mixture_data, 8),
)


def seconds_to_compile(family: Family, ops: int) -> float:
    """Seconds of CPU time that `tinyml-opt` takes to compile a program to C."""
    with TemporaryDirectory() as name:
        program, data, out = (Path(name, file) for file in (family.file, "data.npz", "program.c"))
        program.write_text(family.text(ops))
        np.savez(data, allow_pickle=False, **family.data())
        before = _seconds_of_children()
        width = "" if family.width is None else f" width={family.width}"
        pipeline = f'reals-to-c{{data="{data}"{width}}}'
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
    print(f"{'ops':>8}{'of':>16}{'seconds':>10}{'ms per op':>12}")
    for family in FAMILIES:
        for ops in SIZES if survey.ops is None else (survey.ops,):
            seconds = seconds_to_compile(family, ops)
            print(f"{ops:>8,}{family.name:>16}{seconds:>10.1f}{1000 * seconds / ops:>12.2f}", flush=True)


if __name__ == "__main__":
    main()
