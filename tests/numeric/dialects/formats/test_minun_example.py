"""The worked example of MinUn's section 3: a linear classifier in posits of 8 and 16 bits with es 2, in 3 bytes of
RAM.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray
from programs.on_boards import difference, printed
from xdsl.dialects import func
from xdsl.parser import Parser

from tinyml.dialects import scratch
from tinyml.dialects.context import context
from tinyml.dialects.formats.posit.type import PositType
from tinyml.lowering import pipelines
from tinyml.runtime.devices.registry import is_available, runner_for
from tinyml.runtime.evaluator.evaluator import evaluate
from tinyml.targets.registry import HOST
from tinyml.tools.driver.stages import print_ir
from tinyml.transforms.buffers.liveness.live_ranges import live_ranges
from tinyml.transforms.buffers.pack_scratch import PackScratchPass
from tinyml.transforms.buffers.packing import Rectangle, pack
from tinyml.transforms.buffers.update_in_place import UpdateInPlacePass
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.evaluation.candidates import SearchProblem
from tinyml.transforms.reals.profile import ProfilePass
from tinyml.transforms.search.engine.evaluation import Evaluation
from tinyml.transforms.search.engine.search import Search
from tinyml.transforms.search.engine.workers import Workers
from tinyml.transforms.search.search_promote import Promotion, best_variant, heat_map, representative, uniform_losses

W, X, B = np.array([[-2.139562, 1.885351]]), np.array([[1.185109], [-2.206466]]), np.array([[0.146048]])
EXACT = (W @ X + B).item()
NARROW, WIDE = PositType(8, 2), PositType(16, 2)

# Procedures 2 and 3: one sum of products in a quire, then a sum of two numbers.
PROGRAM = """
func.func @classifier(%X: tensor<2x1x{X}>) -> tensor<1x1x{t2}> {{
  %W = tdsl.const dense<{w}> : tensor<1x2xi{wbits}> -> tensor<1x2x{W}>
  %B = tdsl.const dense<{b}> : tensor<1x1xi{bbits}> -> tensor<1x1x{B}>
  %t1 = tdsl.matmul %W, %X : tensor<1x2x{W}>, tensor<2x1x{X}> -> tensor<1x1x{t1}>
  %t2 = tdsl.add %t1, %B : tensor<1x1x{t1}>, tensor<1x1x{B}> -> tensor<1x1x{t2}>
  func.return %t2 : tensor<1x1x{t2}>
}}
"""


def rounded(reals: NDArray[np.float64], format: PositType) -> list[float]:
    return [float(f"{real:.6g}") for real in format.decode(format.encode(reals)).ravel()]


def program(promoted: set[str]) -> tuple[str, NDArray[Any]]:
    """The source of the classifier and its raw input.

    promoted: the tensors among W, X, B, t1 and t2 that have 16 bits.
    """
    formats = {name: WIDE if name in promoted else NARROW for name in ("W", "X", "B", "t1", "t2")}
    bits = {"wbits": formats["W"].stored_width, "bbits": formats["B"].stored_width}
    raws = {"w": formats["W"].encode(W).tolist(), "b": formats["B"].encode(B).tolist()}
    text = PROGRAM.format(**{name: str(format) for name, format in formats.items()}, **bits, **raws)
    return text, formats["X"].encode(X).reshape(1, 2)


def result(promoted: set[str]) -> float:
    text, x = program(promoted)
    module = Parser(context(), text).parse_module()
    module.verify()
    scores = evaluate(module, x).scores
    assert scores is not None
    return float((WIDE if "t2" in promoted else NARROW).decode(scores).item())


def test_table_1_values():
    assert rounded(W, WIDE) == [-2.13965, 1.88525]
    assert rounded(W, NARROW) == [-2.25, 1.875]
    assert rounded(X, WIDE) == [1.18506, -2.20605]
    assert rounded(X, NARROW) == [1.125, -2.25]
    assert rounded(B, WIDE) == [0.146057]
    assert rounded(B, NARROW) == [0.140625]
    assert [float(f"{product(format).item():.6g}") for format in (WIDE, NARROW)] == [-6.69531, -7]
    assert float(f"{result({'W', 'X', 'B', 't1', 't2'}):.6g}") == -6.54883
    assert result(set()) == -7


def product(format: PositType) -> NDArray[np.float64]:
    """The tensor t1 in one format: the products are summed exactly, as in a quire, and rounded once."""
    w, x = (format.decode(format.encode(reals)) for reals in (W, X))
    return format.decode(format.encode(w @ x)).ravel()


def deviations() -> dict[str, NDArray[np.float64]]:
    """For each tensor, the absolute differences between its 8-bit and its 16-bit numbers."""
    found = {
        name: np.abs(WIDE.decode(WIDE.encode(reals)) - NARROW.decode(NARROW.encode(reals))).ravel()
        for name, reals in {"W": W, "X": X, "B": B}.items()
    }
    last = np.array([result({"W", "X", "B", "t1", "t2"}) - result(set())])
    return found | {"t1": np.abs(product(WIDE) - product(NARROW)), "t2": np.abs(last)}


def test_table_1_promotability():
    """The scores of MinUn's table 1 are the 95th percentiles of the deviations (algorithm 6) divided by the number of
    elements; the ranking is t2, t1, X, B, W.

    W and X have two elements each, of which the lesser deviation is at most the percentile.
    """
    scores = {name: representative(found) / len(found) for name, found in deviations().items()}
    published = {"W": 0.00513, "B": 0.00543, "X": 0.02198, "t1": 0.30469, "t2": 0.45117}
    assert {name: round(score, 5) for name, score in scores.items()} == pytest.approx(published, abs=1.1e-5)
    assert sorted(scores, key=lambda name: -scores[name]) == ["t2", "t1", "X", "B", "W"]


class PaperSearch:
    """A search with the methods that `Promotion` calls, for the example's posits, which have no shifts.

    tried: the sets of promoted tensors in the order in which they were tested, with their RAM in bytes.
    """

    def __init__(self) -> None:
        self.classes = [SimpleNamespace(name=name) for name in ("W", "X", "B", "t1", "t2")]
        self.tried: list[tuple[set[str], int]] = []
        self.found: dict[frozenset[str], float] = {}

    def choice(self, prototype: PositType) -> FormatChoice:
        return FormatChoice(prototype)

    def promoted(self, choices: Sequence[FormatChoice]) -> set[str]:
        return {one.name for one, choice in zip(self.classes, choices, strict=True) if choice.prototype == WIDE}

    def losses(self, candidates: Sequence[Sequence[FormatChoice]]) -> list[float]:
        self.found |= {frozenset(self.promoted(one)): abs(result(self.promoted(one)) - EXACT) for one in candidates}
        return [self.found[frozenset(self.promoted(one))] for one in candidates]

    def fits(self, choices: Sequence[FormatChoice], ram: int = 3) -> bool:
        """Whether t1 and t2 together need at most `ram` bytes. In MinUn's procedure 3, only these two tensors are in
        RAM, and they share no bytes.
        """
        promoted = self.promoted(choices)
        taken = sum(2 if name in promoted else 1 for name in ("t1", "t2"))
        self.tried.append((promoted, taken))
        return taken <= ram


def test_promotion_chooses_procedure_3():
    """With the published scores, MinUn's algorithms 7 and 8 choose its procedure 3 within 3 bytes."""
    search, heat = PaperSearch(), (0.00513, 0.02198, 0.00543, 0.30469, 0.45117)
    chosen = Promotion(cast(Search, search), NARROW, WIDE, heat).best(search.fits)
    assert search.promoted(chosen.choices) == {"t1", "X", "B", "W"}
    errors = {
        frozenset[str](): 0.45047,
        frozenset({"t2", "X", "B", "W"}): 0.19601,
        frozenset({"t1", "X", "B", "W"}): 0.04953,
    }
    assert search.found == pytest.approx(errors, abs=1e-5)
    assert ({"t2", "t1"}, 4) in search.tried, "what overshoots is reverted"
    assert chosen.reasons["t1"].endswith("beyond the limit by itself")


LINEAR = """func.func @classifier(%X: tensor<2x1xf32>) -> tensor<1x1xf32> {
  %W = tdsl.const dense<[[-2.139562, 1.885351]]> : tensor<1x2xf32> -> tensor<1x2xf32>
  %B = tdsl.const dense<[[0.146048]]> : tensor<1x1xf32> -> tensor<1x1xf32>
  %t1 = tdsl.matmul %W, %X : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  %t2 = tdsl.add %t1, %B : tensor<1x1xf32>, tensor<1x1xf32> -> tensor<1x1xf32>
  func.return %t2 : tensor<1x1xf32>
}"""


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    """A search on the example, whose single input is the whole data set."""
    np.savez(tmp_path / "x.npz", x=X.T.astype(np.float32))
    module = Parser(context(), LINEAR).parse_module()
    pipelines.run(module, context(), [ProfilePass(str(tmp_path / "x.npz"))])
    problem = SearchProblem(print_ir(module), X.T.astype(np.float32), None, None)
    with Evaluation(problem, "error", Workers(1)) as evaluation:
        yield Search(evaluation, WIDE)


def test_search_promote_on_the_example(search: Search):
    """With posits that have shifts, as in `search-promote`, the ranking is t1, t2, W, X, B.

    The score of B is 0, since sums are computed in 16 bits. Within 3 bytes, only t1 stays in 8 bits, and the error of
    the result is 0.0003.
    """
    heat = heat_map(search, NARROW, WIDE)
    scores = {one.name: round(score, 4) for one, score in zip(search.classes, heat, strict=True)}
    assert scores == {"t1": 0.0708, "t2": 0.0498, "W": 0.0052, "X": 0.0012, "B": 0.0}
    names = [one.name for one in search.classes]

    def ram(choices: Sequence[FormatChoice]) -> int:
        bits = {name: choice.prototype.bits for name, choice in zip(names, choices, strict=True)}
        return (bits["t1"] + bits["t2"]) // 8

    chosen = Promotion(search, NARROW, WIDE, heat).best(lambda choices: ram(choices) <= 3)
    narrow = [name for name, one in zip(names, chosen.choices, strict=True) if one.prototype.bits == NARROW.bits]
    assert narrow == ["t1"]
    assert search.losses([chosen.choices])[0] == pytest.approx(0.0003, abs=5e-5)


@pytest.mark.parametrize("width", [8, 16])
def test_es_by_accuracy(search: Search, width: int):
    """tinyml tries an es of 0, 1, 2 and 3 for either width and chooses the one with the least loss. MinUn's algorithm 4
    tries only 0 and 2 for 8 bits, and 1 and 2 for 16 bits.
    """
    variants = PositType.of_width(width).variants
    assert [format.for_range(-1.0, 1.0).es.data for format in variants] == [0, 1, 2, 3]
    losses = uniform_losses(search, variants)
    assert len(set(losses)) > 1
    best = best_variant(search, PositType.of_width(width), lambda _: True)
    assert best == variants[losses.index(min(losses))]


@pytest.mark.parametrize(
    ("promoted", "ram", "error"),
    [
        (set[str](), 2, 0.45047),
        ({"t2", "X", "B", "W"}, 3, 0.19601),
        ({"t1", "X", "B", "W"}, 3, 0.04953),
    ],
)
def test_table_2(promoted: set[str], ram: int, error: float):
    assert sum(2 if name in promoted else 1 for name in ("t1", "t2")) == ram
    assert abs(result(promoted) - EXACT) == pytest.approx(error, abs=1e-5)


def test_procedure_3_works_in_3_bytes():
    """MinUn's procedure 3 needs 3 bytes if results share no byte with their operands, and 2 bytes if they may overlap
    them.
    """
    text, _ = program({"t1", "X", "B", "W"})
    ctx = context()
    module = Parser(ctx, text).parse_module()
    steps = [step for step in pipelines.flatten("formats-to-buffers", {}) if not isinstance(step, UpdateInPlacePass)]
    packing = next(i for i, step in enumerate(steps) if isinstance(step, PackScratchPass))
    pipelines.run(module, ctx, steps[:packing])
    [function] = (op for op in module.ops if isinstance(op, func.FuncOp))
    shapes = [
        Rectangle(f"b{number}", scratch.size_in_bytes(scratch.memref_type(buffer.result)), 1, *span)
        for number, (buffer, span) in enumerate(live_ranges(function).ranges.items())
    ]
    assert pack(shapes).height == 3
    pipelines.run(module, ctx, steps[packing:])
    assert [op.size for op in module.walk() if isinstance(op, scratch.ArenaOp)] == [2]


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize(
    "promoted",
    [{"W", "X", "B", "t1", "t2"}, {"t1", "X", "B", "W"}, set[str]()],
    ids=["procedure 2", "procedure 3", "8 bits"],
)
def test_procedures_2_and_3_run_on_devices(promoted: set[str], tmp_path: Path):
    """In the posits of the paper, which have no shifts, the results of MinUn's procedures 2 and 3, and of the program
    in 8 bits, are those of the paper's tables. Devices compute the bits of the evaluator.
    """
    text, x = program(promoted)
    module = Parser(context(), text).parse_module()
    assert float(f"{result(promoted):.6g}") == {5: -6.54883, 4: -6.5, 0: -7}[len(promoted)]
    for device in (HOST, "uno", "cortex-m4"):
        if is_available(device):
            source = printed(module, device, tmp_path / device)
            assert difference(module, x, source, runner_for(device), tmp_path / f"{device}-build") is None
