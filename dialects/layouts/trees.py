"""Decision trees as arrays, numbered so that every node follows its parent: `tdsl.forest` and `num.forest` have them.

The order of ONNX's TreeEnsemble (ai.onnx.ml 5): arrays over the inner nodes of all trees, with the roots apart. A
forest that becomes a function (`ForestCode`) compares raws with its thresholds and adds the votes of the leaves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import DictionaryAttr, Float32Type, Float64Type, IntegerType, f32, f64, i32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.dense import dense_array, dense_attribute
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.own_attributes import OwnAttribute, Place, read_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.layouts.dense import Numbers


Element: TypeAlias = IntegerType | Float32Type | Float64Type

FEATURES, THRESHOLDS, CHILDREN, ROOTS = KEYS = ("features", "thresholds", "children", "roots")


@dataclass(frozen=True, eq=False)
class Trees:
    """Binary trees, whose inner nodes compare a feature with a threshold.

    features, thresholds: of each inner node. children: (inner nodes, 2), the one for feature <= threshold first; a
    number from 0 on is an inner node, -1 - n the leaf n. roots: the root of each tree, in the same numbers. Several
    nodes may share a leaf.
    """

    features: Numbers
    thresholds: NDArray[Any]
    children: Numbers
    roots: Numbers

    @property
    def inner(self) -> int:
        """The number of inner nodes."""
        return len(self.features)

    @property
    def leaves(self) -> int:
        """The number of leaves that are reached."""
        ends = np.concatenate([self.children.reshape(-1), self.roots])
        return int((-1 - ends).max(initial=-1)) + 1

    @cached_property
    def depth(self) -> int:
        """The most inner nodes between a root and a leaf."""
        depths = np.zeros(self.inner, np.int64)
        for node in range(self.inner):
            for child in self.children[node]:
                if child >= 0:
                    depths[child] = depths[node] + 1
        return int(depths.max(initial=-1)) + 1

    @property
    def visits(self) -> float:
        """The inner nodes that are visited on average if both children of a node are equally likely."""
        shares = np.zeros(self.inner)
        shares[self.roots[self.roots >= 0]] = 1
        for node in range(self.inner):
            for child in self.children[node]:
                if child >= 0:
                    shares[child] += shares[node] / 2
        return float(shares.sum())

    def verify(self, features: int, leaves: int) -> None:
        """Raise `VerifyException` unless these are trees over a number of features, with at most `leaves` leaves."""
        inner = self.inner
        if self.features.shape != (inner,) or self.thresholds.shape != (inner,) or self.children.shape != (inner, 2):
            raise VerifyException(
                f"{inner} inner nodes have a feature, a threshold and two children each, got shapes"
                f" {self.features.shape}, {self.thresholds.shape} and {self.children.shape}"
            )
        if self.roots.ndim != 1 or not self.roots.size:
            raise VerifyException("expected the root of at least one tree")
        if inner and not 0 <= int(self.features.min()) <= int(self.features.max()) < features:
            raise VerifyException(f"a node compares a feature beyond the {features} of the input")
        if np.isnan(self.thresholds).any():
            raise VerifyException("a threshold is NaN")
        ends = np.concatenate([self.children.reshape(-1), self.roots])
        if int(ends.min()) < -leaves:
            raise VerifyException(f"a node has the leaf {-1 - int(ends.min())}, there are {leaves}")
        if int(ends.max()) >= inner:
            raise VerifyException(f"a node has the child {int(ends.max())}, there are {inner} inner nodes")
        if (self.children >= 0).any() and (self.children <= np.arange(inner)[:, None])[self.children >= 0].any():
            raise VerifyException("every inner node must follow its parent")
        reached = np.bincount(ends[ends >= 0], minlength=inner)
        if (reached != 1).any():
            raise VerifyException(f"the inner node {int(np.flatnonzero(reached != 1)[0])} has no parent, or several")

    def walk(self, goes_left: Callable[[NDArray[Any], NDArray[Any]], NDArray[np.bool_]], samples: int) -> Numbers:
        """The leaf of each tree, (samples, trees). goes_left: the decisions of given nodes, both (samples, trees)."""
        at = np.broadcast_to(self.roots, (samples, len(self.roots))).copy()
        for _ in range(self.depth):
            nodes = np.maximum(at, 0)
            first: Numbers = self.children[nodes, 0]
            second: Numbers = self.children[nodes, 1]
            at = np.where(at >= 0, np.where(goes_left(nodes, self.features[nodes]), first, second), at)
        return -1 - at

    @cached_property
    def leaves_by_tree(self) -> tuple[Numbers, Numbers]:
        """The leaves of all trees, one tree after the other, and where each tree begins."""
        leaves, starts = list[int](), list[int]()
        for root in map(int, self.roots):
            starts.append(len(leaves))
            pending = [root]
            while pending:
                if (node := pending.pop()) < 0:
                    leaves.append(-1 - node)
                else:
                    pending += [int(self.children[node, 1]), int(self.children[node, 0])]
        return np.array(leaves, np.int64), np.array(starts, np.int64)

    def rebuilt(self, decided: Callable[[int], int | None], leaf: Callable[[int], int] = int) -> Trees:
        """The trees without nodes of which one child is never reached, or whose children are the same leaf.

        decided: the side of the child that is always reached, or None. leaf: the new number of a leaf.
        """
        features: list[int] = []
        nodes: list[int] = []
        children: list[list[int]] = []
        ends: dict[int, int] = {}
        for node in reversed(range(self.inner)):
            pair = [ends[child] if child >= 0 else -1 - leaf(-1 - child) for child in map(int, self.children[node])]
            side = decided(node)
            if side is not None or (pair[0] == pair[1] and pair[0] < 0):
                ends[node] = pair[side or 0]
            else:
                ends[node] = len(nodes)
                nodes.append(node)
                children.append(pair)
        # Children were numbered before their parents, and some have none any more.
        order: dict[int, int] = {}
        roots = [ends[root] if root >= 0 else -1 - leaf(-1 - root) for root in map(int, self.roots)]
        for root in roots:
            pending = [root]
            while pending:
                if (number := pending.pop()) >= 0:
                    order[number] = len(order)
                    pending += reversed(children[number])
        kept = [nodes[number] for number in order]
        features = [int(self.features[node]) for node in kept]
        pairs = [[order.get(child, child) for child in children[number]] for number in order]
        return Trees(
            np.array(features, np.int64),
            self.thresholds[kept] if kept else self.thresholds[:0],
            np.array(pairs, np.int64).reshape(-1, 2),
            np.array([order.get(root, root) for root in roots], np.int64),
        )

    def with_thresholds(self, thresholds: NDArray[Any]) -> Trees:
        return replace(self, thresholds=thresholds)

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes that hold the arrays."""
        return {
            FEATURES: dense_attribute(self.features, i32),
            THRESHOLDS: dense_attribute(self.thresholds, element_type(self.thresholds)),
            CHILDREN: dense_attribute(self.children, i32),
            ROOTS: dense_attribute(self.roots, i32),
        }

    @staticmethod
    def of(attributes: Mapping[str, Attribute]) -> Trees:
        """The trees of attributes; raises `VerifyException` for others than dense arrays of numbers."""
        arrays = [dense_array(attributes.get(key), key) for key in KEYS]
        for key, array in zip(KEYS, arrays, strict=True):
            if array.ndim != (rank := 2 if key == CHILDREN else 1):
                raise VerifyException(f"{key} have rank {rank}, got shape {array.shape}")
        for key, array in zip(KEYS, arrays, strict=True):
            if key != THRESHOLDS and array.dtype.kind != "i":
                raise VerifyException(f"{key} are integers, got {array.dtype}")
        features, thresholds, children, roots = arrays
        integers = (array.astype(np.int64) for array in (features, children, roots))
        features, children, roots = integers
        return Trees(features, thresholds, children, roots)


def element_type(array: NDArray[Any]) -> Element:
    """The element type of an array in an attribute."""
    if array.dtype.kind == "f":
        return f32 if array.dtype.itemsize == 4 else f64
    return IntegerType(8 * array.dtype.itemsize)


VOTES = "votes"
MOST_NONZERO = 0.6
"""Leaves whose votes are zero more often are lists of what is not."""


@dataclass(frozen=True, eq=False)
class ForestCode:
    """Trees whose thresholds are raws of the input's element type, and votes (leaves, results) of the results' type.

    Votes are added to results, which start at zero, tree by tree. Integers never overflow: the sums are proven to fit.
    """

    trees: Trees
    votes: NDArray[Any]

    @property
    def results(self) -> int:
        return self.votes.shape[1]

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes that hold the arrays."""
        return {**self.trees.attributes, VOTES: dense_attribute(self.votes, element_type(self.votes))}

    @staticmethod
    def of(attribute: Attribute | Mapping[str, Attribute]) -> ForestCode:
        """The forest of attributes; raises `VerifyException` for others."""
        data = dict[str, Attribute](attribute.data) if isinstance(attribute, DictionaryAttr) else attribute
        if not isinstance(data, Mapping):
            raise VerifyException(f"a forest is a dictionary, got {attribute}")
        votes = dense_array(data.get(VOTES), VOTES)
        if votes.ndim != 2:
            raise VerifyException(f"votes have a row for each leaf, got shape {votes.shape}")
        return ForestCode(Trees.of(data), votes)

    def verify(self, features: int, results: int) -> None:
        """Raise `VerifyException` unless the forest has these numbers of features and results."""
        self.trees.verify(features, len(self.votes))
        if self.results != results:
            raise VerifyException(f"votes have {self.results} columns, there are {results} results")

    @cached_property
    def digest(self) -> str:
        """A digest of the arrays, by which functions are named."""
        arrays = self.trees.features, self.trees.thresholds, self.trees.children, self.trees.roots, self.votes
        hashed = hashlib.sha256()
        for array in arrays:
            hashed.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
        return hashed.hexdigest()[:16]

    @cached_property
    def is_sparse(self) -> bool:
        """True if leaves are lists of the votes that are not zero, since most are."""
        return self.results > 1 and int(np.count_nonzero(self.votes)) < MOST_NONZERO * self.votes.size

    @property
    def added(self) -> float:
        """The votes that one inference adds on average, if all leaves are equally likely."""
        leaves, _ = self.trees.leaves_by_tree
        share = np.count_nonzero(self.votes[leaves]) / max(self.votes[leaves].size, 1) if self.is_sparse else 1.0
        return len(self.trees.roots) * self.results * share


FOREST = OwnAttribute(
    "tinyml.forest", {Place.DECLARATION: read_by("a forest", ForestCode.of)}, "The forest that a C function is."
)
