"""Import of the text that LightGBM's `save_model` writes (L0): lines `name=value`, in a block for each tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.boosted.json_fields import not_integers
from tinyml.lowering.frontends.boosted.objectives import boosted_program
from tinyml.lowering.frontends.layers.tree_ensembles import LEAF, Tree
from tinyml.lowering.frontends.lightgbm.trees import (
    CATEGORICAL,
    LINEAR,
    ZERO_AS_MISSING,
    finite,
    in_turns,
    objective_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST = "tree"
"""The first line of a model."""
END = "end of trees"

_CATEGORICAL = 1
"""The bit of `decision_type` for categorical features; its bits 2 and 3 hold 1 if zeros are missing values."""


def read_lightgbm(content: bytes, file: str) -> ModuleOp:
    """The program of a model; raises `InputError` for an invalid file and for an unsupported model."""
    lines = content.decode("utf-8").splitlines()
    if not lines or lines[0].strip() != FIRST:
        raise InputError("expected a model as LightGBM's save_model('model.txt') writes it", file=file)
    end = lines.index(END) if END in lines else len(lines)
    starts = [number for number, line in enumerate(lines[:end]) if line.startswith("Tree=")]
    if not starts:
        raise InputError("the model has no trees", file=file)
    header = _Section(lines[: starts[0]], file, 1)
    results = header.integer("num_tree_per_iteration")
    if results < 1 or len(starts) % results:
        raise InputError(f"{len(starts)} trees are no whole number of iterations of {results}", file=file)
    share = results / len(starts) if "average_output" in header.values else 1.0
    blocks = [_Section(lines[a:b], file, a + 1) for a, b in zip(starts, [*starts[1:], end], strict=True)]
    objective = objective_of(header.text("objective"), results, file)
    boosted = in_turns([_tree(block, share) for block in blocks], results)
    return boosted_program(file, header.integer("max_feature_idx") + 1, boosted, None, objective)


class _Section:
    """Lines `name=value`. first: the number of the first line, for messages."""

    def __init__(self, lines: list[str], file: str, first: int) -> None:
        self.file, self.first = file, first
        pairs = (line.partition("=") for line in lines)
        self.values: Mapping[str, str] = {name.strip(): value.strip() for name, _, value in pairs}

    def error(self, message: str) -> InputError:
        return InputError(message, file=self.file, line=self.first)

    def text(self, name: str) -> str:
        if not self.values.get(name):
            raise self.error(f"the block has no {name}")
        return self.values[name]

    def integer(self, name: str) -> int:
        [number] = self.integers(name, 1).tolist()
        return number

    def integers(self, name: str, length: int) -> NDArray[np.int64]:
        numbers = self.numbers(name, length)
        if (wrong := not_integers(numbers)).size:
            raise self.error(f"expected integers of 32 bits as {name}, got {wrong[0]:g}")
        return numbers.astype(np.int64)

    def numbers(self, name: str, length: int, *, infinite: bool = False) -> NDArray[np.float64]:
        """Finite numbers, as many as expected. infinite: some may be infinity, too."""
        try:
            numbers = np.array([float(word) for word in self.text(name).split()])
        except ValueError as error:
            raise self.error(f"expected numbers as {name}") from error
        if len(numbers) != length:
            raise self.error(f"expected {length} numbers as {name}, got {len(numbers)}")
        if (wrong := numbers[~(np.isfinite(numbers) | (infinite & (numbers == np.inf)))]).size:
            raise self.error(f"expected finite numbers as {name}, got {wrong[0]}")
        return numbers


def _tree(block: _Section, share: float) -> Tree:
    """A tree: inner nodes, then its leaves, which the file numbers -1, -2 and so on."""
    leaves = block.integer("num_leaves")
    values: Any = block.numbers("leaf_value", leaves)
    if block.values.get("is_linear", "0") != "0":
        raise block.error(LINEAR)
    inner = leaves - 1
    votes = np.concatenate([np.zeros(inner), share * values]).reshape(-1, 1)
    none: Any = np.full(leaves, LEAF)
    if not inner:
        return Tree(np.zeros(1, int), np.zeros(1), none, none, votes)
    kinds = block.integers("decision_type", inner)
    if (kinds & _CATEGORICAL).any():
        raise block.error(CATEGORICAL)
    if (kinds >> 2 & 3 == 1).any():
        raise block.error(ZERO_AS_MISSING)
    sides: list[Any] = []
    for name in ("left_child", "right_child"):
        child = block.integers(name, inner)
        if (wrong := child[(child < -leaves) | (child >= inner)]).size:
            raise block.error(f"expected {inner} nodes and {leaves} leaves as {name}, got {wrong[0]}")
        sides.append(np.concatenate([np.where(child < 0, inner - 1 - child, child), none]))
    zeros = np.zeros(leaves, np.int64)
    features = np.concatenate([block.integers("split_feature", inner), zeros])
    thresholds = np.concatenate([finite(block.numbers("threshold", inner, infinite=True)), zeros])
    return Tree(features, thresholds, sides[0], sides[1], votes)
