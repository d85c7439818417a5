"""Forests that become functions: trees over raws, and the votes that their leaves add, as an attribute holds them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.layouts.dense import dense_array, dense_attribute
from tinyml.dialects.layouts.trees import Trees, element_type
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.own_attributes import OwnAttribute, Place, read_by

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        """The votes that one inference adds on average."""
        return self.nonzero if self.is_sparse else len(self.trees.roots) * self.results

    @cached_property
    def nonzero(self) -> float:
        """The votes other than zero that one inference adds on average."""
        leaves, _ = self.trees.leaves_by_tree
        return float(self.trees.leaf_shares @ np.count_nonzero(self.votes[leaves], axis=1))


FOREST = OwnAttribute(
    "tinyml.forest", {Place.DECLARATION: read_by("a forest", ForestCode.of)}, "The forest that a C function is."
)
