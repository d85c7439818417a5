"""Every registered format in C and compiled by LLVM: operations and a small network compute the evaluator's bits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from programs.devices import PRINTED, chips_of_llvm, with_llvm
from programs.number_formats import SORTS, Array, Sort, pairs_of, raws_of
from programs.on_boards import printed
from programs.spread import examples, spread
from xdsl.parser import Parser

from tinyml.dialects.context import context
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.runtime.devices.llvm import build_upstream
from tinyml.runtime.devices.registry import LLVM, runner_for
from tinyml.runtime.evaluator.evaluator import Outputs, evaluate
from tinyml.runtime.model.model_interface import interface_of
from tinyml.targets.registry import HOST, board
from tinyml.tools.driver.compile_model import build_folder
from tinyml.tools.driver.measure import first_mismatch
from tinyml.tools.driver.program_in_folder import program_in
from tinyml.tools.driver.request import Request
from tinyml.tools.driver.run_model import run_model
from tinyml.tools.driver.run_request import RunRequest

SLOW = 4
"""Samples that simulated devices run."""


def limit(device: str) -> int | None:
    """The number of samples that a device runs; None for all samples."""
    return None if device in (HOST, LLVM) else SLOW


PAIRS = examples(1 << 11)
"""Tried on this computer; of formats of 8 bits all that there are in `make exhaustive`."""

RUN = 16
OPERATIONS = (
    "add",
    "sub",
    "mul",
    "maximum",
    "minimum",
    "neg",
    "relu",
    "relu6",
    "clip",
    "tanh",
    "exp",
    "sigmoid",
    "erf",
    "log",
    "softplus",
    "leaky_relu",
    "hard_swish",
    "softmax",
    "normalise",
)
ATTRIBUTES = {"clip": "{low = -0.5 : f64, high = 0.75 : f64} ", "leaky_relu": "{slope = 0.1 : f64} "}
BINARY = 5

STEP = """
  %{name} = tdsl.{name} {operands} {attributes}: {types} -> tensor<1x{run}x{type}>
  %at{place} = arith.constant {place} : index
  %y{next} = tdsl.insert_slice %{name}, %y{place}[%at{place}, %at0] : tensor<1x{run}x{type}>, {out} -> {out}"""

AVERAGES = """
  %image = tdsl.reshape %X : tensor<2x1x{run}x{type}> -> tensor<1x4x4x2x{type}>
  %pooled = tdsl.average_pool %image
    {{kernel = array<i64: 3, 2>, padding = array<i64: 1, 1, 0, 1>, strides = array<i64: 1, 1>}}
    : tensor<1x4x4x2x{type}> -> tensor<1x4x4x2x{type}>
  %some = tdsl.max_pool %pooled
    {{kernel = array<i64: 2, 3>, padding = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 1>}}
    : tensor<1x4x4x2x{type}> -> tensor<1x2x2x2x{type}>
  %mean = tdsl.mean %some {{axes = array<i64: 3>}} : tensor<1x2x2x2x{type}> -> tensor<1x2x2x1x{type}>
  %all = tdsl.concat %some, %mean {{axis = 3 : i64}}
    : tensor<1x2x2x2x{type}>, tensor<1x2x2x1x{type}> -> tensor<1x2x2x3x{type}>
  %averages = tdsl.reshape %all : tensor<1x2x2x3x{type}> -> tensor<1x12x{type}>
  %last = arith.constant {place} : index
  %y{next} = tdsl.insert_slice %averages, %y{place}[%last, %at0] : tensor<1x12x{type}>, {out} -> {out}"""
"""Of windows that leave the image and over an axis, after the results of the operations."""


def elementwise(format: NumberFormat) -> str:
    """A program at L1 that applies every operation to a vector of pairs of operands, and averages the results."""
    rows = len(OPERATIONS) + 1
    type, out = format.type, f"tensor<{rows}x{RUN}x{format.type}>"
    row = f"tensor<1x{RUN}x{type}>"
    lines = [
        f"func.func @elementwise(%X: tensor<2x1x{RUN}x{type}>) -> {out} {{",
        "  %first = arith.constant 0 : index",
        "  %second = arith.constant 1 : index",
        f"  %a = tdsl.index %X[%first] : tensor<2x1x{RUN}x{type}> -> {row}",
        f"  %b = tdsl.index %X[%second] : tensor<2x1x{RUN}x{type}> -> {row}",
        f"  %y0 = tdsl.fill {{value = 0.0 : f64}} -> {out}",
    ]
    for place, name in enumerate(OPERATIONS):
        operands, types = ("%a, %b", f"{row}, {row}") if place < BINARY else ("%a", row)
        words = {"name": name, "place": place, "next": place + 1, "run": RUN, "type": type, "out": out}
        words["attributes"] = ATTRIBUTES.get(name, "")
        lines.append(STEP.format(**words, operands=operands, types=types))
    lines.append(AVERAGES.format(run=RUN, type=type, out=out, place=rows - 1, next=rows))
    return "\n".join([*lines, f"  func.return %y{rows} : {out}", "}"])


def check_means(format: NumberFormat, scores: Array) -> None:
    """Assert that every finite mean is one of the two numbers of the format nearest to the exact mean.

    Formats that do not define `encode_away`, which rounds to the second nearest number, are not checked.
    """
    averages = format.decode(scores).reshape(len(scores), -1, RUN)[:, -1, :12]
    averages = averages[np.isfinite(averages).all(1)]
    assert len(averages)
    pooled, means = np.split(averages.reshape(-1, 4, 3), [2], -1)
    reals = pooled.mean(-1, keepdims=True)
    spacing = np.abs(format.decode(format.encode_away(reals)) - format.decode(format.encode(reals)))
    slack = spacing + 1e-6 * np.abs(pooled).sum(-1, keepdims=True)
    assert not (np.abs(means - reals) > slack)[spacing > 0].any()


def inputs(format: NumberFormat) -> Array:
    """Raws of shape (samples, 2 * RUN): `RUN` left operands, followed by the `RUN` right operands."""
    a, b = pairs_of(format, format, every=False)
    if len(a) < len(raws_of(format)) ** 2:
        random = np.random.default_rng(1)
        a, b = (np.concatenate([x, random.choice(raws_of(format), PAIRS)])[:PAIRS] for x in (a, b))
    padding = -len(a) % RUN
    runs = [np.pad(x, (0, padding), "wrap").reshape(-1, 1, RUN) for x in (a, b)]
    # The first samples, which slow devices run, are of any values.
    order = np.random.default_rng(2).permutation(len(runs[0]))
    return np.concatenate(runs, axis=1)[order].reshape(-1, 2 * RUN)


def target_of(sort: Sort, turn: int) -> tuple[str, Sequence[str]]:
    """A target for the program of `sort`, and the devices that execute programs for it.

    turn: a number by which the assignment is rotated. The assignment distributes `SORTS` evenly over the targets.
    """
    printed = [*PRINTED.items()]
    return printed[(SORTS.index(sort) + turn) % len(printed)]


@pytest.mark.long(seconds=10)
@pytest.mark.parametrize("sort", spread(SORTS, 3), ids=str)
def test_elementwise_operations_and_averages(sort: Sort, tmp_path: Path):
    """A program in the last variant of a format and width, compiled by gcc for one target, computes the evaluator's
    bits. For half of the formats, LLVM's code for the host and for a chip does so too.

    The target differs from that of `test_network`.
    """
    format, (target, devices) = sort.variants[-1], target_of(sort, 0)
    x = inputs(format)[: None if HOST in devices else SLOW]
    module = Parser(context(), elementwise(format)).parse_module()
    module.verify()
    interface, expected = interface_of(module), evaluate(module, x).scores
    assert expected is not None
    check_means(format, expected)
    sources = printed(module, target, tmp_path / "c")
    ways = [(device, sources, type(runner_for(device)).build) for device in devices]
    for device in with_llvm(sort, 2):
        upstream = printed(module, device, tmp_path / "mlir")
        ways.append((device, upstream, type(runner_for(device)).build))
        chips = chips_of_llvm()
        ways += [(chip, upstream, build_upstream) for chip in chips[SORTS.index(sort) % 2 :: 2]]
    for number, (device, source, build) in enumerate(ways):
        runner, samples = runner_for(device), slice(limit(device))
        result = runner.run(build(runner, source, interface, tmp_path / str(number)), interface, x[samples])
        assert first_mismatch(Outputs(None, expected[samples]), Outputs(None, result.scores)) is None


NETWORK = """
let X = (12, 1) in [-1.0, 1.0] in
let W = (7, 12) in [-2.0, 2.0] in
let B = (7, 1) in [-1.0, 1.0] in
let V = (4, 7) in [-2.0, 2.0] in
let S = (4, 12) in [-2.0, 2.0] in
let U = (7, 7) in [-0.1, 0.1] in
let G = tanh(W * X) in
let H = tanh(W * X + U * G + B) in
argmax((V * H) <*> sigmoid(S |*| X))
"""


def sorts_of_networks() -> list[Sort]:
    """For each format type, its `Sort` of 16 bits, or the first one if there is none."""
    types: dict[str, Sort] = {}
    for sort in SORTS:
        name, _, width = str(sort).rpartition("-")
        if name not in types or width == "16":
            types[name] = sort
    return [*types.values()]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("sort", spread(sorts_of_networks(), 3), ids=str)
def test_network(sort: Sort, tmp_path: Path):
    """A compiled network with a sparse product, dense products, and a sum of two tensors of different scales computes
    the evaluator's bits.
    """
    random = np.random.default_rng(3)
    for name, shape in {"W": (7, 12), "B": (7, 1), "V": (4, 7), "S": (4, 12), "U": (7, 7)}.items():
        sparse = random.random(shape) < 0.3 if name == "S" else 0.1 if name == "U" else 1.0
        np.save(tmp_path / f"{name}.npy", (random.uniform(-1, 1, shape) * sparse).astype(np.float32))
    data = tmp_path / "data.npz"
    np.savez(data, x=random.uniform(-1, 1, (100, 12)).astype(np.float32))
    (tmp_path / "network.sd").write_text(NETWORK)
    format, width = sort.option
    target, devices = target_of(sort, 1)
    folder = tmp_path / target
    folder.mkdir()
    asked = Request(model=tmp_path / "network.sd", val=data, target=target, format=format, width=width, out=folder)
    report = build_folder(asked, board(target), folder, must_fit=True).report.as_json()
    # What is measured on the target is compared with the evaluator.
    assert report["flash_bytes"] is not None
    assert report["mismatch"] is None
    program = program_in(folder)
    for device in (one for one in (*devices, *with_llvm(f"{sort}, network", 2)) if one != target):
        result = run_model(RunRequest(folder=folder, data=data, device=device, limit=limit(device)), program)
        assert result["mismatch"] is None
