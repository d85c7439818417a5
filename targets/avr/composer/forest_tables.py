"""A forest as tables in flash, which a loop of AVR code interprets. The nodes of a tree are stored in preorder.

A node consists of the byte offset of its feature and of the threshold. The upper bits of the offset contain two flags:
bit 7 is set if the first child is a leaf, bit 6 if the second child is a leaf. If both children are inner nodes, the
distance to the second child follows, and then the first child. Otherwise a leaf directly follows its node, and an inner
child follows the leaf.

A pure leaf is a byte that contains the index of its result. If all leaves are pure and indices have at most four bits,
two leaves of one node share a byte. A record begins with the number of its votes and its mask. If the upper part of the
mask has at most four bits, the number is in the upper bits of the byte that contains this part; otherwise it is a
separate byte. A record without a mask contains only votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import moved
from tinyml.targets.avr.composer.forest_leaves import LONGEST, RESULTS, AvrForest, Leaves, compares, has_floats
from tinyml.targets.c.composer.forests_in_c import tables_in_c
from tinyml.targets.composer.instructions import Code, joined

_FLAGS = 64
"""Feature offsets below this limit share their byte with the flags; larger ones take another byte."""
_NIBBLE = 16
_IN_HEAD = 12
"""The maximum number of results whose mask fits in the byte with the number of votes."""
_STEPS = 3
"""The number of descents to a first child before the loop over nodes jumps back."""

_MASKS = ("r18", "r19", "r16", "r17", "r26", "r27")
_NODE, _SECOND, _LEAFY, _TREE, _OTHER, _LEAF, _SKIP, _PURE, _NEXT, _TABLE = range(20, 30)
"""Labels."""


@dataclass(frozen=True)
class ForestTables(AvrForest):
    """The function that interprets the tables of a forest whose features are floats, or integers of one or two bytes.

    Floats are compared by their bit patterns. For a positive threshold, the comparison is one of signed integers. A
    negative threshold is stored as its bit pattern minus 1. As an unsigned integer, this number exceeds the bit
    patterns of all greater floats.

    Registers: Z reads the tables. r22 and r23 point to the next tree, r20 and r21 to the input, Y to the results. r16
    contains flags. X, r0, r18, r19, r24 and r25 are scratch registers.
    """

    @property
    def fits(self) -> bool:
        leaves = self.leaves
        return (
            compares(self.forest)
            and leaves.fits
            and leaves.mask_bytes <= len(_MASKS)
            and sum(map(len, self.tables)) < LONGEST
        )

    @cached_property
    def leaves(self) -> Leaves:
        return Leaves(self.forest)

    @property
    def bytes(self) -> int:
        return self.forest.trees.thresholds.itemsize

    @cached_property
    def wide(self) -> bool:
        """True if the offset of a feature has two bytes, because one byte would leave no bits for the flags."""
        return int(self.forest.trees.features.max(initial=0)) * self.bytes >= _FLAGS

    @cached_property
    def nibbles(self) -> bool:
        """True if two leaves share a byte."""
        return self.leaves.masked and not self.leaves.records and self.forest.results <= _NIBBLE

    @cached_property
    def in_head(self) -> bool:
        """True if the upper part of a record's mask shares a byte with the number of votes."""
        return self.forest.results <= _IN_HEAD

    @cached_property
    def _trees(self) -> tuple[list[list[int]], int]:
        """The tables of all trees, and the number of bytes of each distance to a second child.

        This number is one if all distances fit in a byte, otherwise two.
        """
        near = [self._subtree(int(root), 1) for root in self.forest.trees.roots]
        if all(tree is not None for tree in near):
            return [tree for tree in near if tree is not None], 1
        far = [self._subtree(int(root), 2) for root in self.forest.trees.roots]
        return [tree for tree in far if tree is not None], 2

    @cached_property
    def tables(self) -> list[list[int]]:
        """For each tree, the length of its table followed by the bytes of the table."""
        trees, _ = self._trees
        return [[*_number(len(tree) + 2), *tree] for tree in trees]

    @property
    def skip(self) -> int:
        """The number of bytes of the distance to a second child, 1 or 2."""
        return self._trees[1]

    def _subtree(self, root: int, skip: int) -> list[int] | None:
        """The bytes of the subtree below a root; None if a distance does not fit in `skip` bytes."""
        trees = self.forest.trees
        if root < 0:
            # A comparison with the greatest number has the same result for any feature.
            return [*self._head(0, (1 << 8 * self.bytes - 1) - 1, (root, root)), *self._leaves((root, root))]
        nodes = [node for node in trees.below(root) if node >= 0]
        bytes, size = dict[int, list[int]](), dict[int, int]()
        for node in reversed(nodes):
            children: list[int] = trees.children[node].tolist()
            threshold = trees.thresholds[node]
            if has_floats(self.forest):
                threshold = int(threshold.view(np.uint32)) - bool(np.signbit(threshold))
            inner = [size[child] for child in children if child >= 0]
            if len(inner) == 2:
                distance = inner[0] + 1
                if distance >> 8 * skip:
                    return None
                rest = _number(distance)[:skip]
            else:
                rest = self._leaves(children)
            bytes[node] = [*self._head(int(trees.features[node]), int(threshold), children), *rest]
            size[node] = len(bytes[node]) + sum(inner)
        return [byte for node in nodes for byte in bytes[node]]

    def _head(self, feature: int, threshold: int, children: Sequence[int]) -> list[int]:
        offset = feature * self.bytes
        flags = 128 * (children[0] < 0) + 64 * (children[1] < 0)
        head = [flags | offset >> 8, offset & 255] if self.wide else [flags | offset]
        return head + [threshold >> 8 * byte & 255 for byte in range(self.bytes)]

    def _leaves(self, children: Sequence[int]) -> list[int]:
        if self.nibbles:
            first, second = (self._result(-1 - child) if child < 0 else 0 for child in children)
            return [first << 4 | second]
        return [byte for child in children if child < 0 for byte in self._records[-1 - child]]

    @cached_property
    def _records(self) -> list[list[int]]:
        return [self._leaf(leaf) for leaf in range(len(self.forest.votes))]

    def _result(self, leaf: int) -> int:
        result = self.leaves.pure(leaf)
        assert result is not None
        return result

    def _leaf(self, leaf: int) -> list[int]:
        leaves = self.leaves
        if not leaves.masked:
            return leaves.numbers(leaf)
        if (result := leaves.pure(leaf)) is not None:
            return [result] if self.in_head or not leaves.records else [0, result]
        mask, numbers = leaves.mask(leaf), leaves.numbers(leaf)
        count = len(numbers) // leaves.vote
        if self.in_head:
            low, high = [*mask, 0][:2]
            return [count << 4 | high, low, *numbers]
        return [count, *mask, *numbers]

    @cached_property
    def lines(self) -> Code:
        bytes = [byte for tree in self.tables for byte in tree]
        behind = f"{_TABLE}f+{len(bytes)}"
        begin = (
            *(a.push(f"r{number}") for number in (16, 17, 28, 29)),
            *(a.movw("r20", "r24"), a.movw("r28", f"r{RESULTS}")),
            *(a.movw("r30", f"r{RESULTS}"), *self.leaves.cleared()),
            *(a.ldi("r22", a.lo8(f"{_TABLE}f")), a.ldi("r23", a.hi8(f"{_TABLE}f"))),
        )
        length = (a.lpm("r24", "Z+"), a.lpm("r25", "Z+"), a.add("r22", "r24"), a.adc("r23", "r25"))
        next = (
            *(a.label(_NEXT), a.cpi("r22", a.lo8(behind)), a.ldi("r18", a.hi8(behind)), a.cpc("r23", "r18")),
            *(a.breq(ahead=1), a.rjmp(back=_TREE)),
        )
        end = (a.label(1), a.pop("r29"), a.pop("r28"), a.pop("r17"), a.pop("r16"), a.ret())
        tree = (a.label(_TREE), a.movw("r30", "r22"), *length)
        return joined(
            begin, tree, self._inner(), self._leafy(), self._at_leaf(), next, end, a.label(_TABLE), a.constants(bytes)
        )

    def _fetched(self) -> Code:
        """Code that loads a node: the byte offset of the feature, and the threshold if it is an integer.

        r24 receives the upper or only byte of the offset, r0 the lower byte.
        """
        wide = (a.lpm("r0", "Z+"),) if self.wide else ()
        if has_floats(self.forest):
            return (a.lpm("r24", "Z+"), *wide)
        threshold = (a.lpm("r25", "Z+"), a.lpm("r19", "Z+"))[: self.bytes]
        return (a.lpm("r24", "Z+"), *wide, *threshold)

    def _compared(self) -> Code:
        """Code that sets the processor flags as a subtraction of the feature from the threshold would."""
        address = (a.add("r26", "r0"), a.adc("r27", "r24")) if self.wide else (a.add("r26", "r24"), a.adc("r27", "r1"))
        if has_floats(self.forest):
            compared = [
                (a.lpm("r25", "Z+"), a.ld("r18", "X+"), (a.cpc if byte else a.cp)("r25", "r18")) for byte in range(4)
            ]
            return joined((a.movw("r26", "r20"), *address), *compared)
        second = self.bytes > 1
        loaded = (a.ld("r18", "X+"), a.ld("r0", "X")) if second else (a.ld("r18", "X"),)
        compared = (a.cp("r25", "r18"), *([a.cpc("r19", "r0")] * second))
        return (a.movw("r26", "r20"), *address, *loaded, *compared)

    def _second(self, **where: int) -> Code:
        """Code that branches to a label if the feature exceeds the threshold, so that the second child is selected.

        where: the label of the branch, as an argument of an opcode.

        If features are floats, r25 contains their highest byte.
        """
        if not has_floats(self.forest):
            return (a.brlt(**where),)
        negative = (a.brcc(**where), a.rjmp(ahead=2), a.label(1))
        return (a.sbrs("r25", 7), a.rjmp(ahead=1), *negative, a.brlt(**where), a.label(2))

    def _inner(self) -> Code:
        """The loop over nodes whose two children are inner nodes.

        Where the loop selects a child, the code for the first child falls through, and the code for the second child
        jumps.
        """
        distance = (a.lpm("r0", "Z"), a.add("r30", "r0"), a.adc("r31", "r1"))
        if self.skip == 2:
            distance = (a.lpm("r18", "Z+"), a.lpm("r0", "Z"), a.add("r30", "r18"), a.adc("r31", "r0"))
        end = (a.cpi("r24", _FLAGS), a.brcc(ahead=_LEAFY))
        step = joined(self._fetched(), end, self._compared(), self._second(back=_SECOND))
        moved_on = a.adiw("r30", self.skip)
        steps = joined(*((*step, moved_on) for _ in range(1 if has_floats(self.forest) else _STEPS)))
        return joined(a.rjmp(ahead=_NODE), a.label(_SECOND), *distance, a.label(_NODE), *steps, a.rjmp(back=_NODE))

    def _leafy(self) -> Code:
        """The code for a node with at least one leaf as child. Z points to the first leaf of the node."""
        flags = (a.label(_LEAFY), a.mov("r16", "r24"), a.andi("r24", _FLAGS - 1))
        compared = (*flags, *self._compared(), *self._second(ahead=_OTHER))
        skipped = (a.label(_SKIP), *self._leaf_skipped(), a.rjmp(back=_NODE))
        if self.nibbles:
            first = (a.sbrs("r16", 7), a.rjmp(ahead=_SKIP), a.lpm("r24", "Z"), a.swap("r24"), a.rjmp(ahead=_PURE))
            second = (a.label(_OTHER), a.sbrs("r16", 6), a.rjmp(ahead=_SKIP), a.lpm("r24", "Z"), a.rjmp(ahead=_PURE))
            return joined(compared, first, second, skipped)
        first = (a.sbrc("r16", 7), a.rjmp(ahead=_LEAF), a.rjmp(ahead=_SKIP))
        second = (a.label(_OTHER), a.sbrs("r16", 6), a.rjmp(ahead=_SKIP), a.sbrs("r16", 7), a.rjmp(ahead=_LEAF))
        return joined(compared, first, second, self._leaf_skipped(), a.rjmp(ahead=_LEAF), skipped)

    def _leaf_skipped(self) -> Code:
        leaves = self.leaves
        if not leaves.masked:
            return moved("r30", self.forest.results * leaves.vote)
        if not leaves.records:
            return (a.adiw("r30", 1),)
        doubled = (a.lsl("r24"),) * (leaves.vote.bit_length() - 1)
        if self.in_head:
            head, mask = (a.lpm("r24", "Z+"), a.swap("r24"), a.andi("r24", 15)), 1
            moved_on = (a.add("r30", "r24"), a.adc("r31", "r1"), a.adiw("r30", mask))
            return (*head, a.breq(ahead=1), *doubled, *moved_on, a.label(1))
        longer = (*doubled, a.add("r30", "r24"), a.adc("r31", "r1"), a.adiw("r30", leaves.mask_bytes - 1))
        return (a.lpm("r24", "Z+"), a.tst("r24"), a.breq(ahead=1), *longer, a.label(1), a.adiw("r30", 1))

    def _at_leaf(self) -> Code:
        """Code that adds the votes of the leaf at address Z.

        If the leaf is pure, r24 contains the index of its result.
        """
        leaves = self.leaves
        if not leaves.masked:
            return joined(a.label(_LEAF), leaves.record_added([]))
        if self.nibbles:
            return joined(a.label(_PURE), a.andi("r24", 15), self._pure())
        if not leaves.records:
            return joined(a.label(_LEAF), a.lpm("r24", "Z"), self._pure())
        masks = list(_MASKS[: leaves.mask_bytes])
        if self.in_head:
            head = (a.lpm("r19", "Z+"), a.cpi("r19", _NIBBLE), a.brcc(ahead=1), a.mov("r24", "r19"))
            read = (a.lpm("r18", "Z+"),)
        else:
            head = (a.lpm("r24", "Z+"), a.tst("r24"), a.brne(ahead=1), a.lpm("r24", "Z"))
            read = tuple(a.lpm(mask, "Z+") for mask in masks)
        pure = (*self._pure(), a.rjmp(ahead=_NEXT)) if leaves.unit is not None else ()
        return joined(a.label(_LEAF), head, pure, a.label(1), read, leaves.record_added(masks))

    def _pure(self) -> Code:
        """Code that adds `unit` to the result whose index is in r24."""
        size, unit = self.leaves.size, self.leaves.unit
        assert unit is not None
        doubled = [a.lsl("r24")] * (size.bit_length() - 1)
        lines = [a.movw("r26", "r28"), *doubled, a.add("r26", "r24"), a.adc("r27", "r1")]
        if self.leaves.carries_seldom:
            first = (a.ld("r24", "X"), a.subi("r24", -unit & 255), a.st("X+", "r24"), a.brcs(ahead=2))
            return (*lines, *first, a.ld("r24", "X"), a.inc("r24"), a.st("X", "r24"), a.label(2))
        for byte in range(size):
            added = (a.sbci if byte else a.subi)("r24", -unit >> 8 * byte & 255)
            lines += [a.ld("r24", "X"), added, a.st(f"X{'+' if byte + 1 < size else ''}", "r24")]
        return tuple(lines)

    @property
    def cycles(self) -> float:
        trees, leaves = self.forest.trees, self.leaves
        count = len(trees.roots)
        node = 22 + 5 * self.wide + 7 * (self.bytes - 1)
        pure = 12 + 5 * leaves.size
        leaf = 32 + leaves.share_of_pure * pure + (1 - leaves.share_of_pure) * (leaves.record_cycles + 10)
        begin = 2 * self.forest.results * leaves.size + 40
        return begin + node * max(trees.visits - count, 0) + (leaf + 14) * count

    @property
    def stack(self) -> int:
        return 6

    @property
    def portable(self) -> str:
        return tables_in_c(self.forest)


def _number(value: int) -> list[int]:
    return [value & 255, value >> 8]
