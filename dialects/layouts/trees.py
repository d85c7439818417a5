"""Decision trees as arrays, in which every node comes after its parent: the storage of `tdsl.forest` and `num.forest`.

The nodes are stored as in ONNX's TreeEnsemble (ai.onnx.ml 5): arrays over the inner nodes of all trees, and a list of
roots. A forest that is compiled to a function (`ForestCode`) compares raws with thresholds and adds the votes of
leaves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import DictionaryAttr, f32, i8, i32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.contents import Content, content_attribute
from tinyml.dialects.layouts.dense import dense_array, dense_attribute, element_type
from tinyml.dialects.lazy_numpy import np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.layouts.dense import Numbers


FEATURES, THRESHOLDS, CHILDREN, ROOTS = KEYS = ("features", "thresholds", "children", "roots")
SHARES, MISSING = "shares", "missing"
"""The keys of two optional arrays: fractions of samples, and the children that missing values select."""


def ordered(numbers: NDArray[Any]) -> NDArray[Any]:
    """Integers in the same order as `numbers`.

    For floats, the integers are derived from the bit patterns: a NaN is beyond the infinity of its sign.
    """
    if numbers.dtype.kind != "f":
        return numbers
    bits = np.ascontiguousarray(numbers, np.float32).view(np.int32)
    return bits ^ (bits >> 31 & 0x7FFFFFFF)


@dataclass(frozen=True, eq=False)
class Trees:
    """Binary trees whose inner nodes compare a feature with a threshold.

    * features: the index of the feature that each inner node compares.
    * thresholds: the threshold of each inner node.
    * children: shape (inner nodes, 2). The first child is selected if feature <= threshold. A nonnegative number is the
      index of an inner node; -1 - n is leaf n. Several nodes may have the same leaf.
    * roots: the root of each tree, encoded like a child.
    * shares: shape (inner nodes, 2), the fraction of a data set's samples that reaches each child, from 0 to 1. If it
      is None, both children of a node are assumed equally likely. The shares affect only estimates of time.
    * missing: for each inner node, true if NaN selects the first child; None if no feature is NaN.
    """

    features: Numbers
    thresholds: NDArray[Any]
    children: Numbers
    roots: Numbers
    shares: NDArray[np.float64] | None = None
    missing: NDArray[np.bool_] | None = None

    @property
    def inner(self) -> int:
        return len(self.features)

    @property
    def leaves(self) -> int:
        """The number of leaves: one more than the greatest index of a leaf in the trees."""
        ends = np.concatenate([self.children.reshape(-1), self.roots])
        return int((-1 - ends).max(initial=-1)) + 1

    @cached_property
    def depth(self) -> int:
        """The maximum number of inner nodes on a path from a root to a leaf."""
        depth, level = 0, self.roots
        while (level := level[level >= 0]).size:
            depth, level = depth + 1, self.children[level].reshape(-1)
        return depth

    @cached_property
    def likely(self) -> NDArray[np.float64]:
        """The fractions of samples that reach the children of each inner node, shape (inner nodes, 2): `shares`, or an
        equal division at each node if `shares` is None.
        """
        if self.shares is not None:
            return self.shares
        likely = np.zeros((self.inner, 2))
        likely[self.roots[self.roots >= 0]] = 0.5
        level = self.roots
        while (level := level[level >= 0]).size:
            level, halves = self.children[level].reshape(-1), likely[level].reshape(-1) / 2
            likely[level[level >= 0]] = halves[level >= 0, None]
        return likely

    @property
    def visits(self) -> float:
        """The expected number of inner nodes that one inference visits, according to `likely`."""
        return float(self.likely.sum())

    @cached_property
    def asks_first(self) -> NDArray[np.bool_]:
        """For each inner node, true if no ancestor of the node compares the same feature."""
        asked, first = [0] * self.inner, np.ones(self.inner, np.bool_)
        for node, feature in enumerate(self.features.tolist()):
            first[node] = not asked[node] >> feature & 1
            for child in self.children[node].tolist():
                if child >= 0:
                    asked[child] = asked[node] | 1 << feature
        return first

    def verify(self, features: int, leaves: int) -> None:
        """Raise `VerifyException` unless these trees are valid.

        There must be at least one root, and the arrays must have consistent shapes. Every inner node must be either a
        root or a child of exactly one node, which precedes it. No threshold may be NaN, and shares must be from 0 to 1.
        The indices of features and leaves must be below `features` and `leaves`.
        """
        inner = self.inner
        if self.features.shape != (inner,) or self.thresholds.shape != (inner,) or self.children.shape != (inner, 2):
            raise VerifyException(
                f"{inner} inner nodes have a feature, a threshold and two children each, got shapes"
                f" {self.features.shape}, {self.thresholds.shape} and {self.children.shape}"
            )
        if self.shares is not None and (
            self.shares.shape != (inner, 2) or not ((self.shares >= 0) & (self.shares <= 1)).all()
        ):
            raise VerifyException(f"{inner} inner nodes have two {SHARES} each, from 0 to 1")
        if self.missing is not None and self.missing.shape != (inner,):
            raise VerifyException(f"{inner} inner nodes have one direction of `{MISSING}` each, 0 or 1")
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

    def walk(
        self,
        goes_left: Callable[[NDArray[Any], NDArray[Any]], NDArray[np.bool_]],
        samples: int,
        passed: Numbers | None = None,
    ) -> Numbers:
        """The leaf of each tree for each sample, as an array of shape (samples, trees).

        goes_left: a function that returns, for one node of each tree and sample, whether this node selects its first
            child. Its arguments and result have the shape (samples, trees).
        passed: if given, an array (inner nodes, 2) to which the number of samples that reach each child is added.
        """
        at = np.broadcast_to(self.roots, (samples, len(self.roots))).copy()
        for _ in range(self.depth):
            nodes = np.maximum(at, 0)
            side = np.where(goes_left(nodes, self.features[nodes]), 0, 1)
            if passed is not None:
                passed += np.bincount((2 * nodes + side)[at >= 0], minlength=passed.size).reshape(passed.shape)
            at = np.where(at >= 0, self.children[nodes, side], at)
        return -1 - at

    def below(self, root: int) -> Iterator[int]:
        """Yield the nodes of the subtree below a root, which is encoded like a child, in preorder."""
        children, pending = self.children, [root]
        while pending:
            yield (node := pending.pop())
            if node >= 0:
                pending += reversed(children[node].tolist())

    @cached_property
    def leaf_shares(self) -> NDArray[np.float64]:
        """The fraction of samples that reaches each leaf, in the order of `leaves_by_tree`."""
        shares, children, likely = list[float](), self.children.tolist(), self.likely.tolist()
        for root in self.roots.tolist():
            pending = [(root, 1.0)]
            while pending:
                node, share = pending.pop()
                if node < 0:
                    shares.append(share)
                else:
                    pending += [(children[node][side], likely[node][side]) for side in (1, 0)]
        return np.array(shares)

    @cached_property
    def leaves_by_tree(self) -> tuple[Numbers, Numbers]:
        """The indices of the leaves of all trees, tree by tree, and for each tree the position of its first leaf in
        this list.
        """
        leaves, starts, children = list[int](), list[int](), self.children.tolist()
        for root in self.roots.tolist():
            starts.append(len(leaves))
            pending = [root]
            while pending:
                if (node := pending.pop()) < 0:
                    leaves.append(-1 - node)
                else:
                    pending += reversed(children[node])
        return np.array(leaves, np.int64), np.array(starts, np.int64)

    def rebuilt(self, decided: Sequence[int] | None = None, leaves: Sequence[int] | None = None) -> Trees:
        """The trees without three kinds of nodes: nodes that always select the same child, nodes whose two children are
        the same leaf, and nodes that are then unreachable.

        decided: for each node, the index, 0 or 1, of the child that it always selects; -1 if it may select both. None
            if all nodes may.
        leaves: the new index of each leaf; None if it is the same.
        """
        nodes: list[int] = []
        children: list[list[int]] = []
        ends = list[int]([0]) * self.inner

        def end(child: int) -> int:
            return ends[child] if child >= 0 else child if leaves is None else -1 - leaves[-1 - child]

        sides = [-1] * self.inner if decided is None else decided
        all_children: list[list[int]] = self.children.tolist()
        for node in reversed(range(self.inner)):
            pair, side = [end(child) for child in all_children[node]], sides[node]
            if side >= 0 or (pair[0] == pair[1] and pair[0] < 0):
                ends[node] = pair[max(side, 0)]
            else:
                ends[node] = len(nodes)
                nodes.append(node)
                children.append(pair)
        # Children were numbered before their parents, and some have no parent any more.
        order: dict[int, int] = {}
        roots = [end(root) for root in self.roots.tolist()]
        for root in roots:
            pending = [root]
            while pending:
                if (number := pending.pop()) >= 0:
                    order[number] = len(order)
                    pending += reversed(children[number])
        kept = np.array([nodes[number] for number in order], np.int64)
        pairs = [[order.get(child, child) for child in children[number]] for number in order]
        return Trees(
            self.features[kept].astype(np.int64),
            self.thresholds[kept],
            np.array(pairs, np.int64).reshape(-1, 2),
            np.array([order.get(root, root) for root in roots], np.int64),
            None if self.shares is None else self.shares[kept],
            None if self.missing is None else self.missing[kept],
        )

    def with_leaves(self, leaves: NDArray[np.int64]) -> Trees:
        """The trees with other indices of leaves.

        leaves: the new index of each leaf. Different leaves have different new indices.
        """

        def renumbered(ends: Numbers) -> Numbers:
            return np.where(ends < 0, -1 - leaves[np.maximum(-1 - ends, 0)], ends)

        return replace(self, children=renumbered(self.children), roots=renumbered(self.roots))

    def with_shares(self, shares: NDArray[np.float64]) -> Trees:
        return replace(self, shares=shares)

    def with_thresholds(self, thresholds: NDArray[Any]) -> Trees:
        return replace(self, thresholds=thresholds)

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes that store the arrays of the trees, by name."""
        return {
            FEATURES: dense_attribute(self.features, i32),
            THRESHOLDS: dense_attribute(self.thresholds, element_type(self.thresholds)),
            CHILDREN: dense_attribute(self.children, i32),
            ROOTS: dense_attribute(self.roots, i32),
            **({} if self.shares is None else {SHARES: dense_attribute(self.shares, f32)}),
            **({} if self.missing is None else {MISSING: dense_attribute(self.missing.astype(np.int8), i8)}),
        }

    @staticmethod
    def of(attributes: Mapping[str, Attribute]) -> Trees:
        """The trees that attributes store. Raises `VerifyException` unless the attributes are dense arrays of numbers
        with the required ranks and element types.
        """
        return _trees_of(*map(attributes.get, (*KEYS, SHARES, MISSING)))


@lru_cache(maxsize=8)
def _trees_of(*attributes: Attribute | None) -> Trees:
    """The trees of the arrays `KEYS`, `SHARES` and `MISSING`. Copies of an op share their attributes, and what was
    computed about trees is then shared, too.
    """
    *dense, given_shares, given_missing = attributes
    arrays = [dense_array(attribute, key) for key, attribute in zip(KEYS, dense, strict=True)]
    for key, array in zip(KEYS, arrays, strict=True):
        if array.ndim != (rank := 2 if key == CHILDREN else 1):
            raise VerifyException(f"{key} have rank {rank}, got shape {array.shape}")
    for key, array in zip(KEYS, arrays, strict=True):
        if key != THRESHOLDS and array.dtype.kind != "i":
            raise VerifyException(f"{key} are integers, got {array.dtype}")
    features, thresholds, children, roots = arrays
    shares = None if given_shares is None else dense_array(given_shares, SHARES).astype(np.float64)
    missing = None if given_missing is None else dense_array(given_missing, MISSING).astype(np.bool_)
    integers = (array.astype(np.int64) for array in (features, children, roots))
    features, children, roots = integers
    trees = Trees(features, thresholds, children, roots, shares, missing)
    for array in (features, thresholds, children, roots, shares, missing):
        if array is not None:
            array.setflags(write=False)
    return trees


VOTES = "votes"
MOST_NONZERO = 0.6
"""The fraction of nonzero votes below which each leaf stores a list of its nonzero votes."""

FOREST = content_attribute("tinyml.forest", "a forest", lambda forest: ForestCode.of(forest))


@dataclass(frozen=True, eq=False)
class ForestCode(Content):
    """Trees whose thresholds are raws of the input's element type, and the votes of their leaves.

    trees: the trees.
    votes: the number that each leaf adds to each result, in the element type of the results, of shape (leaves,
        results). Votes are added tree by tree, starting at zero. The sum of the greatest votes must fit in the
        type, so that no addition overflows.
    """

    DECLARED_AS: ClassVar[str] = FOREST

    trees: Trees
    votes: NDArray[Any]

    @property
    def results(self) -> int:
        return self.votes.shape[1]

    @property
    def attributes(self) -> Mapping[str, Attribute]:
        """The attributes that store the arrays of the forest, by name."""
        return {**self.trees.attributes, VOTES: dense_attribute(self.votes, element_type(self.votes))}

    @staticmethod
    def of(attribute: Attribute | Mapping[str, Attribute]) -> ForestCode:
        """The forest that attributes store. Raises `VerifyException` unless they have the form of
        `ForestCode.attributes`.
        """
        data = dict[str, Attribute](attribute.data) if isinstance(attribute, DictionaryAttr) else attribute
        if not isinstance(data, Mapping):
            raise VerifyException(f"a forest is a dictionary, got {attribute}")
        return _forest_of(*map(data.get, (VOTES, *KEYS, SHARES, MISSING)))

    def verify(self, features: int, results: int) -> None:
        """Raise `VerifyException` unless the nodes compare features below `features` and the leaves have votes for
        `results` results.
        """
        self.trees.verify(features, len(self.votes))
        if self.results != results:
            raise VerifyException(f"votes have {self.results} columns, there are {results} results")

    @cached_property
    def digest(self) -> str:
        """A digest of the arrays. The digest is part of the names of generated functions."""
        arrays = self.trees.features, self.trees.thresholds, self.trees.children, self.trees.roots, self.votes
        hashed = hashlib.sha256()
        for array in arrays:
            hashed.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
        return hashed.hexdigest()[:16]

    @cached_property
    def is_sparse(self) -> bool:
        """True if leaves are stored as lists of their nonzero votes, because most votes are zero."""
        return self.results > 1 and int(np.count_nonzero(self.votes)) < MOST_NONZERO * self.votes.size

    @property
    def added(self) -> float:
        """The expected number of votes that one inference adds. Zeros are counted unless leaves are sparse."""
        return self.nonzero if self.is_sparse else len(self.trees.roots) * self.results

    @cached_property
    def nonzero(self) -> float:
        """The expected number of nonzero votes that one inference adds."""
        leaves, _ = self.trees.leaves_by_tree
        return float(self.trees.leaf_shares @ np.count_nonzero(self.votes[leaves], axis=1))


@lru_cache(maxsize=8)
def _forest_of(votes: Attribute | None, *trees: Attribute | None) -> ForestCode:
    """The forest of the array `VOTES` and of those of its trees. The copies of a declaration share one forest, and the
    kernels that were composed for it.
    """
    array = dense_array(votes, VOTES)
    if array.ndim != 2:
        raise VerifyException(f"votes have a row for each leaf, got shape {array.shape}")
    return ForestCode(_trees_of(*trees), array)
