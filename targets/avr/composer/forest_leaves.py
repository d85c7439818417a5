"""Shared parts of the AVR functions for forests: limits on features, the kernel of a function, and the votes of leaves.

A leaf is *pure* if it adds only to one result and adds the same number as all other pure leaves. Any other leaf is a
record in flash. A record consists of a mask of the results to which the leaf adds, and a number for each of these
results. A record without a mask has a number for all results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.layouts.trees import ForestCode
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import AVR, HEADER, bytes_of, statement
from tinyml.targets.c.composer.forests_in_c import code_in_c, forest_signature
from tinyml.targets.composer.instructions import Code, Line, joined
from tinyml.targets.kernel import Composed, Kernel

REACH = 64
"""The reach of a displacement, in bytes."""

_FARTHEST = 1 << 14
"""The maximum bytes of an input whose features can be compared."""

LONGEST = 56000
"""Maximum bytes of a function, for which its constants are within the reach of `lpm`."""

RESULTS = 22
"""The lower register of the pair with the address of the results."""


@dataclass(frozen=True)
class AvrForest(ABC):
    """The base class of functions that compute a forest. Each subclass is one form of code.

    r24 and r25 contain the address of the input. `RESULTS` contains the address of the results.
    """

    forest: ForestCode

    @property
    @abstractmethod
    def fits(self) -> bool:
        """True if this form supports the forest."""

    @cached_property
    @abstractmethod
    def lines(self) -> Code:
        """The instructions of the function, including those that save and restore registers."""

    @property
    @abstractmethod
    def cycles(self) -> float:
        """The expected number of cycles of a call, including the passing of arguments, if an input reaches each child
        of a node with the probability in `Trees.likely`.
        """

    @property
    @abstractmethod
    def stack(self) -> int:
        """The number of bytes of stack that the function uses."""

    @property
    def near(self) -> bool:
        """True if the function reads constants from near flash that are placed between its instructions."""
        return True

    @property
    def portable(self) -> str:
        return code_in_c(self.forest)

    def kernel(self, symbol: str) -> Kernel | None:
        """The kernel that consists of the function.

        Returns None if this form does not support the forest, or if the function is too long.
        """
        if not self.fits or bytes_of(lines := self.lines) >= LONGEST:
            return None
        composed = Composed(
            HEADER,
            forest_signature(symbol, self.forest),
            {(AVR,): statement(lines)},
            self.portable,
            {"": float(round(self.cycles))},
            call=16,
            stack=self.stack,
            near=self.near,
        )
        return Kernel(symbol, 8, 8, 16, op="num.forest", code=bytes_of(lines), composed=composed)


@dataclass(frozen=True)
class Leaves:
    """The numbers that the leaves of a forest add to its results, as integers, and the code that adds them.

    Z is the pointer that reads flash. Y points to the results while a record is added. r0, r18, r24 and r25 are
    scratch registers. r1 is zero.
    """

    forest: ForestCode

    @property
    def fits(self) -> bool:
        """True if address displacements reach all results and votes are integers of at most 4 bytes."""
        votes = self.forest.votes
        return votes.dtype.kind == "i" and votes.dtype.itemsize <= 4 and self.forest.results * self.size <= REACH

    @property
    def size(self) -> int:
        return self.forest.votes.dtype.itemsize

    @cached_property
    def vote(self) -> int:
        """The number of bytes of each vote in a record."""
        low, high = int(self.forest.votes.min()), int(self.forest.votes.max())
        return (
            next(n for n in (1, 2, 4) if -(1 << 8 * n - 1) <= low and high < 1 << 8 * n - (low < 0))
            if self.size > 1
            else 1
        )

    @property
    def signed(self) -> bool:
        return bool((self.forest.votes < 0).any())

    @cached_property
    def masked(self) -> bool:
        """True if records contain only nonzero votes, and a mask of the results to which these votes are added."""
        return self.forest.is_sparse

    @cached_property
    def unit(self) -> int | None:
        """The vote of pure leaves: the most frequent vote of the leaves that add to a single result. None if there are
        no such leaves, or if records contain all votes.
        """
        votes, (leaves, _) = self.forest.votes, self.forest.trees.leaves_by_tree
        alone = leaves[np.count_nonzero(votes[leaves], axis=1) == 1]
        sums: list[int] = votes[alone].sum(1).tolist()
        counted = Counter(sums)
        return counted.most_common(1)[0][0] if self.masked and counted else None

    @cached_property
    def _pure(self) -> list[int | None]:
        votes = self.forest.votes
        if self.unit is None:
            return [None] * len(votes)
        pure = (np.count_nonzero(votes, axis=1) == 1) & (votes.sum(1) == self.unit)
        columns = np.argmax(votes != 0, axis=1).tolist()
        return [column if is_pure else None for column, is_pure in zip(columns, pure.tolist(), strict=True)]

    def pure(self, leaf: int) -> int | None:
        """The index of the result to which a leaf adds, if the leaf is pure; None for other leaves."""
        return self._pure[leaf]

    @cached_property
    def records(self) -> bool:
        """True if at least one leaf is not pure."""
        leaves, _ = self.forest.trees.leaves_by_tree
        return any(self.pure(leaf) is None for leaf in set(leaves.tolist()))

    @cached_property
    def pure_results(self) -> list[int]:
        """The indices of the results to which pure leaves add."""
        leaves, _ = self.forest.trees.leaves_by_tree
        return sorted({result for leaf in set(leaves.tolist()) if (result := self.pure(leaf)) is not None})

    @property
    def mask_bytes(self) -> int:
        return -(-self.forest.results // 8) if self.masked else 0

    @cached_property
    def _votes(self) -> list[list[int]]:
        return self.forest.votes.tolist()

    def numbers(self, leaf: int) -> list[int]:
        """The bytes of the votes in the record of a leaf.

        If records have masks, only the nonzero votes are in the record, or one vote of 0 if all votes are zero.
        """
        votes = self._votes[leaf]
        added = ([vote for vote in votes if vote] or votes[:1]) if self.masked else votes
        return [vote >> 8 * byte & 255 for vote in added for byte in range(self.vote)]

    def mask(self, leaf: int) -> list[int]:
        """The bytes of the mask in the record of a leaf. The first byte is for results 0 to 7."""
        bits = sum(1 << result for result, vote in enumerate(self._votes[leaf]) if vote) or 1
        return [bits >> 8 * byte & 255 for byte in range(self.mask_bytes)]

    def cleared(self) -> Code:
        """Code that clears all results. Z contains the address of the results."""
        return tuple(a.std(a.at("Z", byte), "r1") for byte in range(self.forest.results * self.size))

    @property
    def carries_seldom(self) -> bool:
        """True if results have two bytes and votes are unsigned bytes, so that an addition rarely changes the upper
        byte of a result.
        """
        return self.size == 2 and self.vote == 1 and not self.signed

    def unit_added(self, pointer: str, offset: int) -> Code:
        """Code that adds the vote `unit` to the result at displacement `offset` from `pointer`. The code ends with the
        label 1.
        """
        assert self.unit is not None
        if self.carries_seldom:
            low, high = a.at(pointer, offset), a.at(pointer, offset + 1)
            first = (a.ldd("r24", low), a.subi("r24", -self.unit & 255), a.std(low, "r24"), a.brcs(ahead=1))
            return (*first, a.ldd("r24", high), a.inc("r24"), a.std(high, "r24"), a.label(1))
        lines: list[Line] = []
        for byte in range(self.size):
            operation = a.subi if byte == 0 else a.sbci
            at = a.at(pointer, offset + byte)
            lines += [a.ldd("r24", at), operation("r24", -self.unit >> 8 * byte & 255), a.std(at, "r24")]
        return tuple(lines)

    def record_added(self, masks: Sequence[str]) -> Code:
        """Code that adds the votes of the record at address Z. Z points to the first vote, after the record's mask.

        masks: the registers that contain the mask, results 0 to 7 first. The code clobbers these registers.
        """
        parts: list[Code] = []
        for result in range(self.forest.results):
            masked = (a.lsr(masks[result // 8]), a.brcc(ahead=1)) if self.masked else ()
            parts.append((*masked, *self._added(result * self.size), a.label(1)))
        return joined(*parts)

    def _added(self, offset: int) -> Code:
        """Code that adds the next vote of a record to the result at displacement `offset`. The caller places the label
        1 after this code.
        """
        lines: list[Line] = []
        if self.carries_seldom:
            low, high = a.at("Y", offset), a.at("Y", offset + 1)
            first = (a.lpm("r0", "Z+"), a.ldd("r24", low), a.add("r24", "r0"), a.std(low, "r24"), a.brcc(ahead=1))
            return (*first, a.ldd("r24", high), a.inc("r24"), a.std(high, "r24"))
        for byte in range(self.size):
            operation, at = a.add if byte == 0 else a.adc, a.at("Y", offset + byte)
            if byte < self.vote:
                lines.append(a.lpm("r0", "Z+"))
            elif byte == self.vote:
                # The sign extension: none of these changes the carry.
                lines += [a.mov("r25", "r1"), a.sbrc("r0", 7), a.dec("r25")] if self.signed else []
            source = "r0" if byte < self.vote else "r25" if self.signed else "r1"
            lines += [a.ldd("r24", at), operation("r24", source), a.std(at, "r24")]
        return tuple(lines)

    @property
    def record_cycles(self) -> float:
        """The expected number of cycles to add a record."""
        added = self.size * 5 + 3 * self.vote + 3 * self.signed - 3 * self.carries_seldom
        if not self.masked:
            return self.forest.results * added
        leaves, _ = self.forest.trees.leaves_by_tree
        records = np.array([self.pure(leaf) is None for leaf in leaves.tolist()])
        shares = self.forest.trees.leaf_shares[records]
        numbers = np.count_nonzero(self.forest.votes[leaves[records]], axis=1)
        mean = float(shares @ numbers) / max(float(shares.sum()), 1e-9)
        return 3 * self.forest.results + mean * (added - 1) + 3 * self.mask_bytes

    @property
    def share_of_pure(self) -> float:
        """The expected fraction of trees in which an input reaches a pure leaf, from 0 to 1."""
        leaves, _ = self.forest.trees.leaves_by_tree
        pure = np.array([self.pure(leaf) is not None for leaf in leaves.tolist()])
        return float(self.forest.trees.leaf_shares @ pure) / len(self.forest.trees.roots)


def compares(forest: ForestCode) -> bool:
    """True if the function of a forest can compare all features: floats or integers of one or two bytes, at offsets
    that the code can reach.
    """
    trees = forest.trees
    compared = has_floats(forest) or (trees.thresholds.dtype.kind == "i" and trees.thresholds.itemsize <= 2)
    return compared and int(trees.features.max(initial=0)) * trees.thresholds.itemsize < _FARTHEST


def has_floats(forest: ForestCode) -> bool:
    return forest.trees.thresholds.dtype.kind == "f"
