"""A forest as code, each inner node a comparison and a branch, each leaf a jump; and the leaves, as in `forest_tables`.

A leaf is *pure* if it adds one number, the same for all pure leaves, to one result. Any other leaf is a record in
flash: a mask of the results that it adds to, and a number for each; without a mask it adds to all of them. The votes of
leaves are added to the results in working memory.

The function calls the trees one after the other. A pure leaf jumps to the code that adds to its result and returns from
the tree; the record of any other leaf follows the call of the code that reads it, which pops the record's address from
the stack. Relative jumps reach 4 KB; trees are therefore grouped in blocks, each of which starts with jumps to that
code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tinyml.dialects.layouts.trees import ForestCode
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import AVR, HEADER, bytes_of, cycles, statement
from tinyml.targets.c.composer.constants_in_c import code_in_c, forest_inline, forest_signature
from tinyml.targets.composer.instructions import Code, Line, joined
from tinyml.targets.kernel import Composed, Kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray


REACH = 64
"""The reach of a displacement, in bytes."""

_FARTHEST = 1 << 14
"""The maximum bytes of an input whose features can be compared."""

LONGEST = 56000
"""The maximum bytes of a function whose constants are certain to be within the reach of `lpm`."""

RESULTS = 22
"""The lower register of the pair that holds the address of the results."""


@dataclass(frozen=True)
class Leaves:
    """The leaves of a forest of integers.

    Registers: Z reads flash; Y points to the results while a record is added; r0, r18, r24 and r25 are scratch, r1 is
    zero.
    """

    forest: ForestCode

    @property
    def fits(self) -> bool:
        """True if displacements reach all results."""
        votes = self.forest.votes
        return votes.dtype.kind == "i" and votes.dtype.itemsize <= 4 and self.forest.results * self.size <= REACH

    @property
    def size(self) -> int:
        """The bytes of a result."""
        return self.forest.votes.dtype.itemsize

    @cached_property
    def vote(self) -> int:
        """The bytes of a vote in a record."""
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
        """True if records have a mask."""
        return self.forest.is_sparse

    @cached_property
    def unit(self) -> int | None:
        """The vote of pure leaves; None if there are none."""
        votes, (leaves, _) = self.forest.votes, self.forest.trees.leaves_by_tree
        alone = [leaf for leaf in leaves.tolist() if np.count_nonzero(votes[leaf]) == 1]
        counted = Counter(int(votes[leaf].sum()) for leaf in alone)
        return counted.most_common(1)[0][0] if self.masked and counted else None

    def pure(self, leaf: int) -> int | None:
        """The result to which a pure leaf adds; None for other leaves."""
        votes = self.forest.votes[leaf]
        columns = np.flatnonzero(votes)
        return int(columns[0]) if len(columns) == 1 and votes[columns[0]] == self.unit else None

    @cached_property
    def records(self) -> bool:
        """True if some leaves are not pure."""
        leaves, _ = self.forest.trees.leaves_by_tree
        return any(self.pure(leaf) is None for leaf in set(leaves.tolist()))

    @cached_property
    def pure_results(self) -> list[int]:
        """The results to which pure leaves add."""
        leaves, _ = self.forest.trees.leaves_by_tree
        return sorted({result for leaf in set(leaves.tolist()) if (result := self.pure(leaf)) is not None})

    @property
    def mask_bytes(self) -> int:
        return -(-self.forest.results // 8) if self.masked else 0

    def numbers(self, leaf: int) -> list[int]:
        """The bytes of the votes in a record; a single zero if all votes are zero."""
        votes: NDArray[Any] = self.forest.votes[leaf]
        added = votes[votes != 0] if self.masked and votes.any() else votes[:1] if self.masked else votes
        return [int(vote) >> 8 * byte & 255 for vote in added for byte in range(self.vote)]

    def mask(self, leaf: int) -> list[int]:
        """The bytes of the mask, results 0 to 7 first."""
        bits = sum(1 << int(result) for result in np.flatnonzero(self.forest.votes[leaf])) or 1
        return [bits >> 8 * byte & 255 for byte in range(self.mask_bytes)]

    def cleared(self) -> Code:
        """Clear all results, whose address is in Z."""
        return tuple(a.std(a.at("Z", byte), "r1") for byte in range(self.forest.results * self.size))

    @property
    def carries_seldom(self) -> bool:
        """True if results have two bytes and votes an unsigned one, so that the upper byte rarely changes."""
        return self.size == 2 and self.vote == 1 and not self.signed

    def unit_added(self, pointer: str, offset: int) -> Code:
        """Add `unit` to a result at a displacement from a pointer that supports one; ends with the label 1."""
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
        """Add the votes of the record at Z, which points past its mask.

        masks: the registers of the mask, results 0 to 7 first; clobbered.
        """
        parts: list[Code] = []
        for result in range(self.forest.results):
            masked = (a.lsr(masks[result // 8]), a.brcc(ahead=1)) if self.masked else ()
            parts.append((*masked, *self._added(result * self.size), a.label(1)))
        return joined(*parts)

    def _added(self, offset: int) -> Code:
        """Add the next vote of a record to a result; the label 1 follows."""
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
    def record_time(self) -> float:
        """The average cycles to add a record."""
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
        """The share of walks that end in pure leaves."""
        leaves, _ = self.forest.trees.leaves_by_tree
        pure = np.array([self.pure(leaf) is not None for leaf in leaves.tolist()])
        return float(self.forest.trees.leaf_shares @ pure) / len(self.forest.trees.roots)


def compares(forest: ForestCode) -> bool:
    """True if all features are floats, or integers of one or two bytes, at offsets within reach."""
    trees = forest.trees
    compared = has_floats(forest) or (trees.thresholds.dtype.kind == "i" and trees.thresholds.itemsize <= 2)
    return compared and int(trees.features.max(initial=0)) * trees.thresholds.itemsize < _FARTHEST


def has_floats(forest: ForestCode) -> bool:
    """True if features are floats."""
    return forest.trees.thresholds.dtype.kind == "f"


_SECOND = 63
"""The byte offset into the input at which Z points in a tree, if Y does not reach all features."""
_BRANCH = 126
"""The forward reach of a conditional branch, in bytes."""
_JUMP = 4000
"""A lower bound on the reach of relative jumps and calls, in bytes."""
_CALL = 4

_TREES, _RESULTS, _RECORD, _NODES = 1000, 100, 99, 10000
"""Labels of trees, of the code for pure leaves, of that for records, and of second children."""
_BLOCK_LABELS = 200
"""Labels of a block: the code for pure leaves and for records in the same order as above."""


@dataclass(frozen=True)
class _AvrForestCode:
    """The function for a forest of integers of one or two bytes, or of floats, which are compared by their bits.

    The bits of floats rise with positive numbers and, as unsigned integers, fall with negative ones.
    """

    forest: ForestCode

    @property
    def fits(self) -> bool:
        """True if the features can be compared, and displacements reach the results."""
        return compares(self.forest) and self.leaves.fits and self.forest.results < _BLOCK_LABELS // 2

    @cached_property
    def leaves(self) -> Leaves:
        return Leaves(self.forest)

    @cached_property
    def lines(self) -> Code:
        trees = [self._tree(number) for number in range(len(self.forest.trees.roots))]
        blocks, placed = self._blocks(trees)
        main = (a.movw("r28", "r24"), a.movw("r30", f"r{RESULTS}"), *self.leaves.cleared())
        end = (a.pop("r29"), a.pop("r28"), a.ret())
        shared = joined(*(self._pure(result) for result in self.leaves.pure_results), self._record())
        # Calls of near trees are short, which does not bring other trees into reach.
        ahead = bytes_of(end) + bytes_of(shared)
        calls: list[Line] = []
        for number, at in reversed(list(enumerate(placed))):
            near = at + ahead + bytes_of(calls) < _JUMP
            calls.insert(0, (a.rcall if near else a.call)(ahead=_TREES + number))
        return joined(a.push("r28"), a.push("r29"), main, calls, end, shared, *blocks)

    def _blocks(self, trees: list[Code]) -> tuple[list[Code], list[int]]:
        """Blocks of trees with their labels, and the byte offset of each tree from the first block."""
        blocks: list[Code] = []
        placed: list[int] = []
        size = offset = 0
        for number, tree in enumerate(trees):
            if not blocks or size + bytes_of(tree) > _JUMP:
                entries = self._entries(len(blocks))
                blocks.append(entries)
                offset += bytes_of(entries)
                size = bytes_of(entries)
            placed.append(offset)
            blocks.append((a.label(_TREES + number), *tree))
            size, offset = size + bytes_of(tree), offset + bytes_of(tree)
        return blocks, placed

    def _entries(self, block: int) -> Code:
        """Jump to the shared code at the beginning of a block."""
        labels = [*(_RESULTS + result for result in self.leaves.pure_results)]
        labels += [_RECORD] if self.leaves.records else []
        return joined(*((a.label(_BLOCK_LABELS + label), a.jmp(back=label)) for label in labels))

    def _tree(self, number: int) -> Code:
        root = int(self.forest.trees.roots[number])
        lines = self._subtree(root, huge=False)
        if bytes_of(lines) >= _JUMP - _BLOCK_LABELS * _CALL // 2:
            # All jumps in a huge tree are long.
            lines = self._subtree(root, huge=True)
        farthest = int(self.forest.trees.features.max(initial=0)) + 1
        near = farthest * self.forest.trees.thresholds.itemsize <= REACH
        return lines if near else (a.movw("r30", "r28"), a.adiw("r30", _SECOND), *lines)

    def _subtree(self, root: int, *, huge: bool) -> Code:
        """The code of a subtree, bottom up and without recursion: trees may be deep."""
        trees, done = self.forest.trees, dict[int, Code]()
        jump = a.jmp if huge else a.rjmp
        pending = [root]
        while pending:
            node = pending[-1]
            if node < 0:
                done[node] = self._leaf(-1 - node, huge=huge)
                pending.pop()
                continue
            first, second = map(int, trees.children[node])
            if missing := [child for child in (first, second) if child not in done]:
                pending += missing
                continue
            pending.pop()
            near, far, branch, inverse = done[first], done[second], a.brge, a.brlt
            if has_floats(self.forest) and np.signbit(trees.thresholds[node]):
                branch, inverse = a.brcs, a.brcc
            if bytes_of(near) > bytes_of(far):
                near, far, branch, inverse = far, near, inverse, branch
            label = _NODES + node
            test = (branch(ahead=label),)
            if bytes_of(near) > _BRANCH:
                test = (inverse(ahead=1), jump(ahead=label), a.label(1))
            done[node] = joined(self._compared(node), test, near, a.label(label), far)
        return done[root]

    def _compared(self, node: int) -> Code:
        """A comparison of a feature with the smallest number above the threshold."""
        trees = self.forest.trees
        bytes = trees.thresholds.itemsize
        at = int(trees.features[node]) * bytes
        if has_floats(self.forest):
            return self._compared_bits(trees.thresholds[node], at)
        above = int(trees.thresholds[node]) + 1
        if at + bytes <= REACH:
            lines = [a.ldd(f"r{24 + byte}", a.at("Y", at + byte)) for byte in range(bytes)]
        elif at + bytes <= _SECOND + REACH:
            lines = [a.ldd(f"r{24 + byte}", a.at("Z", at - _SECOND + byte)) for byte in range(bytes)]
        else:
            address = (a.movw("r26", "r28"), a.subi("r26", a.lo8(-at)), a.sbci("r27", a.hi8(-at)))
            lines = [*address, *(a.ld("r24", "X+"), a.ld("r25", "X"))[:bytes]]
        if bytes == 1:
            return (*lines, a.cpi("r24", above & 255))
        return (*lines, a.cpi("r24", above & 255), a.ldi("r18", above >> 8 & 255), a.cpc("r25", "r18"))

    def _compared_bits(self, threshold: np.float32, at: int) -> Code:
        """A comparison of a float's bits with those above a positive threshold, or with those of a negative one."""
        bits = int(threshold.view(np.uint32)) + (not np.signbit(threshold))
        loaded = [f"r{18 + byte}" for byte in range(4)]
        if at + 4 <= _SECOND + REACH:
            base, start = ("Y", at) if at + 4 <= REACH else ("Z", at - _SECOND)
            lines = [a.ldd(register, a.at(base, start + byte)) for byte, register in enumerate(loaded)]
        else:
            lines = [a.movw("r26", "r28"), a.subi("r26", a.lo8(-at)), a.sbci("r27", a.hi8(-at))]
            lines += [a.ld(register, "X+") for register in loaded]
        for byte, register in enumerate(loaded):
            constant = bits >> 8 * byte & 255
            if byte == 0:
                lines.append(a.cpi(register, constant))
            elif constant == 0:
                lines.append(a.cpc(register, "r1"))
            else:
                lines += [a.ldi("r24", constant), a.cpc(register, "r24")]
        return tuple(lines)

    def _leaf(self, leaf: int, *, huge: bool) -> Code:
        if (result := self.leaves.pure(leaf)) is not None:
            return ((a.jmp if huge else a.rjmp)(back=(0 if huge else _BLOCK_LABELS) + _RESULTS + result),)
        label = (0 if huge else _BLOCK_LABELS) + _RECORD
        record = a.constants([*self.leaves.mask(leaf), *self.leaves.numbers(leaf)])
        return ((a.call if huge else a.rcall)(back=label), *record)

    def _pure(self, result: int) -> Code:
        """The code for the pure leaves of a result; returns from the tree."""
        added = self.leaves.unit_added("Z", result * self.leaves.size)
        return (a.label(_RESULTS + result), a.movw("r30", f"r{RESULTS}"), *added, a.ret())

    def _record(self) -> Code:
        """The code for records: their address is on the stack, in words."""
        if not self.leaves.records:
            return ()
        masks = ["r18", "r19", "r20", "r21", "r26", "r27"][: self.leaves.mask_bytes]
        begin = (a.label(_RECORD), a.UPPER(), a.pop("r31"), a.pop("r30"), a.lsl("r30"), a.rol("r31"))
        results = (a.push("r28"), a.push("r29"), a.movw("r28", f"r{RESULTS}"))
        read = tuple(a.lpm(mask, "Z+") for mask in masks)
        return joined(begin, results, read, self.leaves.record_added(masks), a.pop("r29"), a.pop("r28"), a.ret())

    @property
    def time(self) -> int:
        """The cycles of a call if both children of each node are equally likely, arguments included."""
        trees, leaves = self.forest.trees, self.leaves
        node = cycles(self._compared(0)) + 1.7 if trees.inner else 0
        pure = 2 + cycles(self._pure(0)) if leaves.pure_results else 0.0
        record = leaves.record_time + 24 if leaves.records else 0.0
        leaf = leaves.share_of_pure * pure + (1 - leaves.share_of_pure) * record + 3.5
        begin = 2 * self.forest.results * leaves.size + 24
        return round(begin + node * trees.visits + leaf * len(trees.roots))


def forest_code(symbol: str, forest: ForestCode) -> Kernel | None:
    """The kernel of a forest as code; None for integers of more than two bytes, float votes, or too many results."""
    function = _AvrForestCode(forest)
    if not function.fits:
        return None
    lines = function.lines
    if bytes_of(lines) >= LONGEST:
        return None
    costs = {"": float(function.time)}
    composed = Composed(
        HEADER,
        forest_signature(symbol, forest),
        {(AVR,): statement(lines)},
        code_in_c(forest),
        costs,
        call=16,
        stack=8,
        near=function.leaves.records,
    )
    return Kernel(symbol, 8, 8, 16, op="num.forest", code=bytes_of(lines), composed=composed)


def plain_forest(symbol: str, forest: ForestCode) -> Kernel | None:
    """The kernel in plain C of a forest without one in assembly; None for other forests."""
    return None if _AvrForestCode(forest).fits else forest_inline(symbol, forest)
