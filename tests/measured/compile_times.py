"""Print the time to compile programs of many ops (`make compile-times`); this takes about six minutes.

A separate process compiles each program, either to C or, by `tinyml compile`, to a folder with a report. The output is
the CPU seconds of this process and of the C compiler that it calls. `--help` lists the options.
"""

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
from onnx import helper, numpy_helper

from tinyml.dialects.options import option, options_of
from tinyml.tools.cli.arguments import add_options, parsed

SIZES = (1_000, 3_000, 10_000)


@dataclass(frozen=True, kw_only=True)
class TimeSurvey:
    """The command-line options of the measurement."""

    ops: int | None = option("programs of N ops instead of those of 1,000, 3,000 and 10,000", default=None)


def chain(ops: int) -> bytes:
    """The source of a program in SeeDot's language: a chain of additions, each of which is a separate op at L0.

    ops: the number of additions.
    """
    values = ["X", *(f"v{number}" for number in range(ops))]
    lets = [f"let {after} = {before} + X in" for before, after in pairwise(values)]
    return "\n".join(["let X = (2, 1) in", *lets, values[-1], ""]).encode()


def chain_data() -> dict[str, np.ndarray]:
    """Samples for a chain, with labels."""
    return {"x": np.random.default_rng(0).uniform(-1, 1, (8, 2)), "y": np.zeros(8, dtype=int)}


def mixed_ops(ops: int) -> Iterator[tuple[str, np.ndarray | None]]:
    """Yield the name and the constant of each op: in turn a sum, a product, a function and a difference of 8 numbers.
    The constant of a function is None.

    ops: the number of ops.
    """
    random = np.random.default_rng(0)
    for name in islice(cycle(("add", "mul", "tanh", "sub")), ops):
        numbers = None if name == "tanh" else random.uniform(-0.5, 0.5, (1, 8)) + (name == "mul")
        yield name, None if numbers is None else numbers.astype(np.float32)


def mixture(ops: int) -> bytes:
    """The IR at L0 of a program of mixed ops."""
    type = "tensor<1x8xf32>"
    lines = [f"func.func @predict(%v0: {type}) -> {type} {{"]
    for number, (name, constant) in enumerate(mixed_ops(ops)):
        operands, types = f"%v{number}", type
        if constant is not None:
            lines.append(f"%c{number} = tdsl.const dense<{constant.tolist()}> : {type} -> {type}")
            operands, types = f"{operands}, %c{number}", f"{type}, {type}"
        lines.append(f"%v{number + 1} = tdsl.{name} {operands} : {types} -> {type}")
    return "\n".join([*lines, f"func.return %v{ops} : {type}", "}", ""]).encode()


def mixed_graph(ops: int) -> bytes:
    """The bytes of an ONNX model of mixed ops."""
    nodes: list[onnx.NodeProto] = []
    constants: list[onnx.TensorProto] = []
    for number, (name, constant) in enumerate(mixed_ops(ops)):
        operands = [f"v{number}"]
        if constant is not None:
            operands.append(f"c{number}")
            constants.append(numpy_helper.from_array(constant, operands[-1]))
        nodes.append(helper.make_node(name.capitalize(), operands, [f"v{number + 1}"]))
    first, last = (helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1, 8]) for name in ("v0", f"v{ops}"))
    graph = helper.make_graph(nodes, "mixture", [first], [last], constants)
    opset = helper.make_opsetid("", 13)
    return helper.make_model(graph, opset_imports=[opset], ir_version=8).SerializeToString()


def mixture_data() -> dict[str, np.ndarray]:
    """Samples for a mixture, with targets."""
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, 8, 8))
    return {"x": x, "y": y}


@dataclass(frozen=True)
class Family:
    """Programs of one kind with any number of ops, and samples for them.

    name: the name of the kind in the output.
    file: the name of the file to which each program is written.
    content: returns the content of this file for a number of ops.
    data: returns the arrays of the samples.
    width: the width of the number formats; None for the compiler's default.
    folder: True for programs that `tinyml compile` compiles, False for programs that a pipeline lowers to C.
    """

    name: str
    file: str
    content: Callable[[int], bytes]
    data: Callable[[], dict[str, np.ndarray]]
    width: int | None = None
    folder: bool = False

    def arguments(self, program: Path, data: Path, out: Path) -> Sequence[str | Path]:
        """The arguments of the Python interpreter for the compilation of a program."""
        if self.folder:
            width = () if self.width is None else ("--width", str(self.width))
            return ["-m", "tinyml.tools.main", "compile", program, "--target", "host", *width, "--val", data, "-o", out]
        width = "" if self.width is None else f" width={self.width}"
        pipeline = f'reals-to-c{{data="{data}"{width}}}'
        return ["-m", "tinyml.tools.tinyml_opt", program, "-p", pipeline, "-t", "c", "-o", out]


FAMILIES = (
    Family("additions", "chain.sd", chain, chain_data),
    Family("mixed, 8 bits", "mixture.mlir", mixture, mixture_data, 8),
    Family("tinyml compile", "mixture.onnx", mixed_graph, mixture_data, 8, folder=True),
)


def seconds_to_compile(family: Family, ops: int) -> float:
    """The CPU seconds for the compilation of a program with `ops` ops."""
    with TemporaryDirectory() as name:
        program, data, out = (Path(name, file) for file in (family.file, "data.npz", "out"))
        program.write_bytes(family.content(ops))
        np.savez(data, allow_pickle=False, **family.data())
        before = _seconds_of_children()
        command = [sys.executable, *family.arguments(program, data, out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
