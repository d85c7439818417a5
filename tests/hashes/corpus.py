"""The programs whose C is compared with digests: combinations of models, boards, number formats and options.

Every two of these that differ in kind, such as a model and a board, occur together in at least one program. No model is
trained here, so that the C of a program is equal on every computer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from programs import gural_murmann
from programs.forests import forest_program, random_trees, random_votes
from programs.paths import MODELS, NETWORK, ROOT, TESTS
from programs.pushed_sums import running_sum
from programs.random_networks import random_network
from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.targets.board import Board
from tinyml.targets.registry import board
from tinyml.tools.driver.compile_model import adapt_interface, read_program
from tinyml.tools.driver.compile_program import compile_asked
from tinyml.tools.driver.request import Request, SearchRequest
from tinyml.tools.driver.stages import find_model
from tinyml.transforms.schedules.table import AUTO, SCHEDULES

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAMPLES = 40
"""Samples by which ranges are profiled and constants rounded: most of a compilation's time goes to these."""

BOARDS = ("uno", "mega", "cortex-m0", "cortex-m4", "riscv", "host")
FABRIC = "ecp5-25k"
VECTORS = "cortex-m55"

Options = dict[str, Any]

NUMBERS: dict[str, Options] = {
    "fixed 8": {"format": "fixed", "width": 8},
    "fixed 16": {"format": "fixed", "width": 16},
    "fixed 32": {"format": "fixed", "width": 32},
    "fixed 12": {"format": "fixed", "width": 12},
    "fixed 8, weights of 4": {"format": "fixed", "width": 8, "weights": "fixed:4"},
    "fixed 8, weights of 16": {"format": "fixed", "width": 8, "weights": "fixed:16"},
    "zeroskew 8": {"format": "zeroskew", "width": 8},
    "posit 8": {"format": "posit", "width": 8},
    "posit 16": {"format": "posit", "width": 16},
    "minifloat 8": {"format": "minifloat", "width": 8},
    "codebook 4": {"format": "codebook", "width": 4},
    "seedot 16": {"format": "seedot", "width": 16},
    "shiftry 16": {"format": "shiftry", "width": 16},
    "bf16": {"format": "bf16"},
    "f32": {"format": "f32"},
}

CHOICES: dict[str, Options] = {
    "": {},
    "row scales": {"row_scales": True},
    "feature scales": {"feature_scales": True},
    "folded": {"fold_affine": True},
    "class": {"outputs": "class"},
    "packed": {"packed": "always"},
    "packed buffers": {"pack_buffers": True},
    "reused input": {"reuse_input": True},
    "instances": {"instances": True},
    "loaded weights": {"load_weights": True},
    "rounded sums": {"round_sums": True},
    "flash": {"flash": 20_000},
    "RAM": {"ram": 1_400},
}


@dataclass(frozen=True)
class Model:
    """A model: its file or a function that builds its program, and a function that returns data to profile it.

    data: None for a model that already has number formats.
    module: builds the program; None for a model in `file`.
    """

    file: Path
    data: Callable[[], dict[str, NDArray[Any]]] | None = None
    module: Callable[[], ModuleOp] | None = None


def _rows(file: Path, array: str = "x") -> dict[str, NDArray[Any]]:
    """The first `SAMPLES` inputs of a data file, as rows of float32, and their labels if the file has any.

    array: the name of the array of inputs.
    """
    with np.load(file) as data:
        x = data[array][:SAMPLES]
        labels = {"y": data["y"][:SAMPLES]} if "y" in data else {}
    return {"x": x.reshape(len(x), -1).astype(np.float32), **labels}


def _exported(name: str) -> Model:
    folder = TESTS / "models/pytorch"
    return Model(folder / f"{name}.onnx", partial(_rows, folder / "expected.npz", f"{name.partition('-')[0]}_x"))


def _boosted(library: str, data: str) -> Model:
    folder = TESTS / "models/boosted"
    suffix = {"xgboost": "json", "lightgbm": "txt"}[library]
    return Model(folder / f"{library}_{data}.{suffix}", partial(_rows, folder / "predictions.npz", data))


def _in_seedot(file: Path) -> Model:
    return Model(file, partial(_rows, file.with_name("val.npz")))


CLASSIFIERS: dict[str, Model] = {
    **{name: _in_seedot(file) for name, file in MODELS.items()},
    "small-network": _in_seedot(NETWORK),
    **{name: _exported(name) for name in ("cnn-script", "gru-script", "lstm-dynamo", "accelerometer-dynamo")},
    "xgboost iris": _boosted("xgboost", "iris"),
    "lightgbm cancer": _boosted("lightgbm", "cancer"),
    "xgboost diabetes": _boosted("xgboost", "diabetes"),
}
"""Small models, of all pairs with boards, numbers and choices."""

LENET = Model(ROOT / "examples/pruned-lenet/lenet.onnx", partial(_rows, ROOT / "examples/pruned-lenet/digits.npz"))


def _quantised(seed: int) -> Model:
    """A random TensorFlow Lite network without floating-point parts."""
    return Model(Path(f"{seed}.tflite"), module=partial(_read_quantised, seed))


def _read_quantised(seed: int) -> ModuleOp:
    from tinyml.lowering.frontends.tflite.importer import read_tflite

    return read_tflite(random_network(Random(seed), floats=False).finish(), f"{seed}.tflite")


def _stream() -> ModuleOp:
    from tinyml.tools.cli.parse_mlir import parse_mlir

    text = f"builtin.module {{{running_sum('sums', classifies=True)}}}"
    return parse_mlir(context(), text.encode(), "sums.mlir")


def _forest() -> ModuleOp:
    random = np.random.default_rng(1)
    trees = random_trees(random, 12, 20, 8, 30, -4, 4)
    return forest_program(trees, random_votes(random, 30, 4, signed=False, pure=1), 8)


def _uniform() -> dict[str, NDArray[Any]]:
    return {"x": np.random.default_rng(2).uniform(-4, 4, (SAMPLES, 8)).astype(np.float32)}


FOREST = Model(Path("forest.mlir"), _uniform, _forest)
SUMS = Model(Path("sums.mlir"), module=_stream)
GURAL = Model(Path("gural.mlir"), module=gural_murmann.program)


@dataclass(frozen=True)
class Program:
    """A program of the corpus: a model, compiled for a board with options.

    name: its key in the file of digests.
    """

    name: str
    model: Model
    board: str
    options: Options = field(default_factory=dict[str, Any], hash=False)

    def texts(self, folder: Path) -> dict[str, str]:
        """The C, the header and the Verilog by suffix. If the compiler rejects the program, the only entry is
        `refused`, with an empty suffix.

        folder: an empty folder, in which data files are written.
        """
        inputs: dict[str, Any] = {}
        if self.model.data is not None:
            arrays: dict[str, Any] = self.model.data()
            np.savez(folder / "val.npz", **arrays)
            inputs["val"] = folder / "val.npz"
        try:
            options = dict(self.options)
            if (search := options.pop("search", None)) is not None:
                options["search"] = SearchRequest(search, {"jobs": 1})
            module = None if self.model.module is None else self.model.module()
            request = Request(
                model=self.model.file, module=module, target=self.board, out=folder / "out", **inputs, **options
            )
            return _compile(request, board(self.board))
        except InputError:
            # The words of a refusal are free to change.
            return {"": "refused"}


def _compile(request: Request, chosen: Board) -> dict[str, str]:
    ctx = context()
    program = read_program(request, ctx)
    adapt_interface(program, request, ctx)
    compiled, _ = compile_asked(program, ctx, request, chosen, must_fit=True)
    texts = {"c": compiled.source, "h": compiled.header}
    return texts if compiled.verilog is None else texts | {"v": compiled.verilog}


def programs() -> list[Program]:
    """All programs of the corpus: programs for combinations of small models, boards, number formats and options, and
    programs for further features.
    """
    found = [
        Program(_name(model, board, numbers, choice), CLASSIFIERS[model], board, NUMBERS[numbers] | CHOICES[choice])
        for model, board, numbers, choice in pairwise([*CLASSIFIERS], BOARDS, [*NUMBERS], [*CHOICES])
    ]
    return [*found, *_networks(), *_vectors(), *_hardware(), *_others()]


def _name(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def _networks() -> Iterator[Program]:
    """Yield LeNet with every schedule of tinyml, on boards in turn; LeNet with a limit on flash, on three boards; and
    quantised networks.
    """
    eight = NUMBERS["fixed 8"]
    targets = ("cortex-m4", "mega", "riscv", "host", "cortex-m0")
    for number, plan in enumerate(SCHEDULES.built_in):
        target = targets[number % len(targets)]
        yield Program(_name("lenet", target, "fixed 8", plan), LENET, target, eight | {"plan": plan})
    for target, flash in (("cortex-m4", 150_000), ("mega", 60_000), ("riscv", 60_000)):
        yield Program(_name("lenet", target, "fixed 8", "flash"), LENET, target, eight | {"flash": flash})
    for number, target in enumerate(BOARDS):
        yield Program(_name(f"quantised {number}", target), _quantised(number), target)


def _vectors() -> Iterator[Program]:
    """Yield programs for a board with vector instructions: classifiers in the format `zeroskew 8`, and quantised
    networks.
    """
    for model in ("fastgrnn", "protonn", "bonsai", "cnn-script", "accelerometer-dynamo"):
        yield Program(_name(model, VECTORS, "zeroskew 8"), CLASSIFIERS[model], VECTORS, NUMBERS["zeroskew 8"])
    for number in range(1, 4):
        yield Program(_name(f"quantised {number}", VECTORS), _quantised(number), VECTORS)


def _hardware() -> Iterator[Program]:
    """Yield hardware modules for programmable logic, which compute in integers."""
    asked: dict[str, Options] = {"": {}, "all of it": {"cells": 80}, "class": CHOICES["class"]}
    numbers = ("fixed 8", "fixed 16", "fixed 12", "fixed 8, weights of 4", "zeroskew 8", "minifloat 8", "codebook 4")
    for model in ("protonn", "bonsai", "fastgrnn", "small-network"):
        for number, kind in enumerate(numbers):
            choice = [*asked][number % len(asked)]
            options = NUMBERS[kind] | asked[choice]
            yield Program(_name(model, FABRIC, kind, choice), CLASSIFIERS[model], FABRIC, options)


def _others() -> Iterator[Program]:
    for target in ("uno", "cortex-m4"):
        yield Program(_name("gural", target), GURAL, target)
        yield Program(_name("gural", target, "rows"), GURAL, target, {"plan": "rows"})
    for target, stride in (("uno", 1), ("riscv", 2)):
        yield Program(_name("sums", target, "push", f"{stride}"), SUMS, target, {"input": "push", "stride": stride})
    for model, target, search in (
        ("protonn", "uno", "demote"), ("bonsai", "cortex-m4", "demote"), ("protonn", "riscv", "promote"),
        ("bonsai", "uno", "maxscale"),
    ):  # fmt: skip
        yield Program(_name(model, target, f"search {search}"), CLASSIFIERS[model], target, {"search": search})
    eight = NUMBERS["fixed 8"]
    for target, votes in (("uno", "hard"), ("uno", "soft"), ("cortex-m0", "hard"), ("riscv", "soft")):
        yield Program(_name("forest", target, votes), FOREST, target, eight | {"votes": votes})
    for plan in ("pixels", "patches", AUTO):
        yield Program(_name("cnn-script", "uno", plan), CLASSIFIERS["cnn-script"], "uno", eight | {"plan": plan})
    for model, target in (("gru-script", "uno"), ("fastgrnn", "cortex-m4"), ("small-network", "riscv")):
        options = eight | {"input": "callback"}
        yield Program(_name(model, target, "callback"), CLASSIFIERS[model], target, options)


def programs_of(folder: Path) -> list[Program]:
    """The programs of the models in the subfolders of a folder. Each model is compiled for all boards; formats and
    options alternate.
    """
    found: list[Program] = []
    for number, place in enumerate(sorted(path for path in folder.iterdir() if path.is_dir())):
        try:
            file, val, _ = find_model(place)
        except InputError:
            continue
        model = Model(file, partial(_rows, val)) if val.is_file() else Model(file)
        for step, target in enumerate((*BOARDS, FABRIC)):
            numbers = [*NUMBERS][(3 * number + step) % len(NUMBERS)]
            choice = [*CHOICES][(5 * number + step) % len(CHOICES)]
            name = _name(place.name, target, numbers, choice)
            found.append(Program(name, model, target, NUMBERS[numbers] | CHOICES[choice]))
    return found


def pairwise(*axes: Sequence[str]) -> list[tuple[str, ...]]:
    """Tuples with one element of each axis, such that every pair of elements of two axes occurs in at least one tuple.

    A greedy algorithm keeps the number of tuples small, but not minimal.
    """
    random = Random(0)
    left = {
        (one, first, other, second)
        for one, other in combinations(range(len(axes)), 2)
        for first in axes[one]
        for second in axes[other]
    }
    rows: list[tuple[str, ...]] = []

    def gained(row: Sequence[str]) -> set[tuple[int, str, int, str]]:
        pairs = combinations(enumerate(row), 2)
        return {(i, first, j, second) for (i, first), (j, second) in pairs} & left

    while left:
        one, first, other, second = min(left)
        candidates: list[list[str]] = []
        for _ in range(30):
            row = [random.choice(axis) for axis in axes]
            row[one], row[other] = first, second
            candidates.append(row)
        best = max(candidates, key=lambda row: len(gained(row)))
        left -= gained(best)
        rows.append(tuple(best))
    return rows
