"""A forest as AVR code: each inner node is a comparison and a branch, and each leaf is a record (`forest_leaves`).

The votes of leaves are added to the results in working memory. The function calls the trees one after the other. A pure
leaf jumps to code that adds to the leaf's result and returns from the tree. Any other leaf calls the code that reads
records. The record follows this call, so the code pops the address of the record from the stack. Relative jumps reach 4
KB. Trees are therefore grouped in blocks, each of which starts with jumps to this shared code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from tinyml.dialects.layouts.trees import ForestCode
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import bytes_of, cycles
from tinyml.targets.avr.composer.forest_leaves import REACH, RESULTS, AvrForest, Leaves, compares, has_floats
from tinyml.targets.avr.composer.forest_tables import ForestTables
from tinyml.targets.c.composer.forests_in_c import forest_inline
from tinyml.targets.composer.instructions import Code, Line, LocalLabel, joined
from tinyml.targets.kernel import Kernel

SECOND = 63
"""The byte offset into the input of the second pointer, if the first one does not reach all features."""
_BRANCH = 126
"""The forward reach of a conditional branch, in bytes."""
JUMP = 4000
"""A lower bound on the reach of relative jumps and calls, in bytes."""
_CALL = 4

TREES, NODES = 1000, 10000
"""Labels of trees and of second children."""
_RESULTS, _RECORD = 100, 99
"""Labels of the code for pure leaves and of that for records."""
_BLOCK_LABELS = 200
"""Labels of a block: the code for pure leaves and for records in the same order as above."""


@dataclass(frozen=True)
class Branches:
    """The comparisons and branches of the trees of a forest, on integers of one or two bytes or on floats.

    Floats are compared by their bit patterns. As unsigned integers, these increase with positive numbers and decrease
    with negative numbers. One pointer addresses the first byte of the input, a second pointer the byte `SECOND` bytes
    later. r24 and r25 are scratch registers. If a feature is beyond the reach of both pointers, X is also a scratch
    register.
    """

    forest: ForestCode
    first: str
    second: str

    @property
    def farthest(self) -> int:
        """The number of bytes from the start of the input to the end of the last feature that the trees compare."""
        trees = self.forest.trees
        return (int(trees.features.max(initial=0)) + 1) * trees.thresholds.itemsize

    def subtree(self, root: int, leaf: Callable[[int], Code], jump: a.Opcode) -> Code:
        """The code that evaluates the subtree below a root.

        root: the root, encoded as in `Trees`.
        leaf: a function that returns the code of a leaf, which must not fall through.
        jump: the opcode of jumps within the tree.

        The sizes of all subtrees are computed bottom-up, then the code is written top-down: trees may be deep, so that
        code that is joined at each node takes quadratic time, and recursion too much stack.
        """
        trees, floats = self.forest.trees, has_floats(self.forest)
        code, size, children = dict[int, Code](), dict[int, int](), dict[int, tuple[int, int]]()
        for node in reversed(list(trees.below(root))):
            if node < 0:
                code[node] = leaf(-1 - node)
                size[node] = bytes_of(code[node])
                continue
            near, far = trees.children[node].tolist()
            branch, inverse = a.brge, a.brlt
            if floats and np.signbit(trees.thresholds[node]):
                branch, inverse = a.brcs, a.brcc
            if size[near] > size[far]:
                near, far, branch, inverse = far, near, inverse, branch
            test = (branch(ahead=NODES + node),)
            if size[near] > _BRANCH:
                test = (inverse(ahead=1), jump(ahead=NODES + node), a.label(1))
            code[node] = (*self.compared(node), *test)
            size[node] = bytes_of(code[node]) + size[near] + size[far]
            children[node] = near, far
        lines, pending = list[Line](), list[int | LocalLabel]([root])
        while pending:
            if isinstance(item := pending.pop(), LocalLabel):
                lines.append(item)
                continue
            lines += code[item]
            if item in children:
                near, far = children[item]
                pending += (far, a.label(NODES + item), near)
        return tuple(lines)

    def compared(self, node: int) -> Code:
        """Code that compares a feature with the smallest number above the threshold of a node.

        If the threshold is a negative float, the feature is compared with the bit pattern of the threshold.
        """
        trees = self.forest.trees
        bytes, threshold = trees.thresholds.itemsize, trees.thresholds[node]
        if has_floats(self.forest):
            above = int(threshold.view(np.uint32)) + (not np.signbit(threshold))
        else:
            above = int(threshold) + 1
        at = int(trees.features[node]) * bytes
        if at + bytes <= REACH:
            lines, loads = [], [a.ldd("r24", a.at(self.first, at + byte)) for byte in range(bytes)]
        elif at + bytes <= SECOND + REACH:
            lines, loads = [], [a.ldd("r24", a.at(self.second, at - SECOND + byte)) for byte in range(bytes)]
        else:
            lines = [a.movw("r26", a.POINTERS[self.first]), a.subi("r26", a.lo8(-at)), a.sbci("r27", a.hi8(-at))]
            loads = [a.ld("r24", "X+" if byte + 1 < bytes else "X") for byte in range(bytes)]
        # Neither loads nor LDI change the carry.
        for byte, load in enumerate(loads):
            constant = above >> 8 * byte & 255
            if byte == 0:
                lines += [load, a.cpi("r24", constant)]
            elif constant == 0:
                lines += [load, a.cpc("r24", "r1")]
            else:
                lines += [load, a.ldi("r25", constant), a.cpc("r24", "r25")]
        return tuple(lines)

    @property
    def cycles(self) -> float:
        """The expected number of cycles that comparisons and branches take per inference."""
        trees = self.forest.trees
        return (cycles(self.compared(0)) + 1.7) * trees.visits if trees.inner else 0.0


@dataclass(frozen=True)
class ForestRecords(AvrForest):
    """The function of a forest whose leaves are records.

    Y points to the input. Z points to the byte `SECOND` bytes after the start of the input, or to the results.
    """

    @property
    def fits(self) -> bool:
        return compares(self.forest) and self.leaves.fits and self.leaves.mask_bytes <= 6

    @cached_property
    def leaves(self) -> Leaves:
        return Leaves(self.forest)

    @cached_property
    def branches(self) -> Branches:
        return Branches(self.forest, "Y", "Z")

    @cached_property
    def lines(self) -> Code:
        trees = [self._tree(number) for number in range(len(self.forest.trees.roots))]
        blocks, placed = self._blocks(trees)
        main = (a.movw("r28", "r24"), a.movw("r30", f"r{RESULTS}"), *self.leaves.cleared())
        end = (a.pop("r29"), a.pop("r28"), a.ret())
        shared = joined(*(self._pure(result) for result in self.leaves.pure_results), self._record())
        # Calls of near trees are short, which does not change the reach to other trees.
        ahead = bytes_of(end) + bytes_of(shared)
        calls: list[Line] = []
        for number, at in reversed(list(enumerate(placed))):
            call = (a.rcall if at + ahead < JUMP else a.call)(ahead=TREES + number)
            calls.append(call)
            ahead += bytes_of([call])
        return joined(a.push("r28"), a.push("r29"), main, reversed(calls), end, shared, *blocks)

    def _blocks(self, trees: list[Code]) -> tuple[list[Code], list[int]]:
        """The blocks of trees with their labels, and for each tree its distance in bytes from the first block."""
        blocks: list[Code] = []
        placed: list[int] = []
        size = offset = 0
        for number, tree in enumerate(trees):
            length = bytes_of(tree)
            if not blocks or size + length > JUMP:
                entries = self._entries(len(blocks))
                blocks.append(entries)
                size = bytes_of(entries)
                offset += size
            placed.append(offset)
            blocks.append((a.label(TREES + number), *tree))
            size, offset = size + length, offset + length
        return blocks, placed

    def _entries(self, block: int) -> Code:
        """The jumps to the shared code, which begin a block."""
        labels = [*(_RESULTS + result for result in self.leaves.pure_results)]
        labels += [_RECORD] if self.leaves.records else []
        return joined(*((a.label(_BLOCK_LABELS + label), a.jmp(back=label)) for label in labels))

    def _tree(self, number: int) -> Code:
        root = int(self.forest.trees.roots[number])
        lines = self.branches.subtree(root, lambda leaf: self._leaf(leaf, huge=False), a.rjmp)
        if bytes_of(lines) >= JUMP - _BLOCK_LABELS * _CALL // 2:
            # All jumps in a huge tree are long.
            lines = self.branches.subtree(root, lambda leaf: self._leaf(leaf, huge=True), a.jmp)
        if self.branches.farthest <= REACH:
            return lines
        return a.movw("r30", "r28"), a.adiw("r30", SECOND), *lines

    def _leaf(self, leaf: int, *, huge: bool) -> Code:
        if (result := self.leaves.pure(leaf)) is not None:
            return ((a.jmp if huge else a.rjmp)(back=(0 if huge else _BLOCK_LABELS) + _RESULTS + result),)
        label = (0 if huge else _BLOCK_LABELS) + _RECORD
        record = a.constants([*self.leaves.mask(leaf), *self.leaves.numbers(leaf)])
        return ((a.call if huge else a.rcall)(back=label), *record)

    def _pure(self, result: int) -> Code:
        """The code that all pure leaves of a result share. It adds their vote and returns from the tree."""
        added = self.leaves.unit_added("Z", result * self.leaves.size)
        return (a.label(_RESULTS + result), a.movw("r30", f"r{RESULTS}"), *added, a.ret())

    def _record(self) -> Code:
        """The code that adds the votes of a record; empty if there are no records. The word address of the record is on
        the stack.
        """
        if not self.leaves.records:
            return ()
        masks = ["r18", "r19", "r20", "r21", "r26", "r27"][: self.leaves.mask_bytes]
        begin = (a.label(_RECORD), a.UPPER(), a.pop("r31"), a.pop("r30"), a.lsl("r30"), a.rol("r31"))
        results = (a.push("r28"), a.push("r29"), a.movw("r28", f"r{RESULTS}"))
        read = tuple(a.lpm(mask, "Z+") for mask in masks)
        return joined(begin, results, read, self.leaves.record_added(masks), a.pop("r29"), a.pop("r28"), a.ret())

    @property
    def cycles(self) -> float:
        leaves = self.leaves
        pure = 2 + cycles(self._pure(0)) if leaves.pure_results else 0.0
        record = leaves.record_cycles + 24 if leaves.records else 0.0
        leaf = leaves.share_of_pure * pure + (1 - leaves.share_of_pure) * record + 3.5
        begin = 2 * self.forest.results * leaves.size + 24
        return begin + self.branches.cycles + leaf * len(self.forest.trees.roots)

    @property
    def stack(self) -> int:
        return 8

    @property
    def near(self) -> bool:
        return self.leaves.records


def plain_forest(symbol: str, forest: ForestCode) -> Kernel | None:
    """The kernel in plain C for forests that assembly does not support; None for other forests.

    Assembly does not support forests with float votes, with 4-byte integer features, or with too many results, and
    forests whose tables, the smallest form, are too long.
    """
    return None if ForestRecords(forest).fits and ForestTables(forest).fits else forest_inline(symbol, forest)
