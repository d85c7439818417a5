"""A forest as AVR code whose leaves add to results in registers. This form is the fastest for few results or small
trees.

The code of each tree follows the code of the previous tree. A leaf adds its votes and jumps to the end of its tree. An
addition takes two cycles for a byte and its carry.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import CALLEES, bytes_of, cycles, registers
from tinyml.targets.avr.composer.forest_branches import JUMP, SECOND, TREES, Branches
from tinyml.targets.avr.composer.forest_leaves import REACH, RESULTS, AvrForest, compares
from tinyml.targets.composer.instructions import Code, Instruction, Line, joined

_FAR = 26, 27
"""The register of the pointer to features that neither Z nor Y reaches."""
_LOWER = 18, 19, 20, 21, 22, 23, *_FAR, 16, 17
"""Registers that accept immediates, for the lowest byte of each result; call-clobbered ones first."""
_UPPER = 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
"""Registers for the other bytes, in addition to unused registers of `_LOWER`."""
_RESULTS = RESULTS, RESULTS + 1


@dataclass(frozen=True)
class ForestRegisters(AvrForest):
    """The function of a forest with results in registers.

    Z points to the input, and Y to the byte `SECOND` bytes after its start. r24 and r25 are scratch registers. r1 is
    zero.
    """

    @property
    def fits(self) -> bool:
        votes = self.forest.votes
        integers = votes.dtype.kind == "i" and votes.dtype.itemsize <= 4
        return compares(self.forest) and integers and bool(self._assigned)

    @cached_property
    def branches(self) -> Branches:
        return Branches(self.forest, "Z", "Y")

    @property
    def size(self) -> int:
        return self.forest.votes.dtype.itemsize

    @cached_property
    def _assigned(self) -> list[list[str]]:
        """For each result, the list of its registers, the lowest byte first. One more list follows.

        The additional list contains a register with the value 255, or is empty if results have one byte. If there are
        too few registers, the outer list is empty.
        """
        far = self.branches.farthest > SECOND + REACH
        lower = [number for number in _LOWER if not (far and number in _FAR)]
        results, above = self.forest.results, self.size - 1
        free = [*lower[results:], *_UPPER]
        if results > len(lower) or results * above + (above > 0) > len(free):
            return []
        rest = iter(f"r{number}" for number in free)
        rows = [[f"r{number}", *(next(rest) for _ in range(above))] for number in lower[:results]]
        return [*rows, [next(rest)] if above else []]

    @cached_property
    def lines(self) -> Code:
        *results, ones = self._assigned
        used = [register for row in results for register in row]
        kept = not {f"r{number}" for number in _RESULTS}.isdisjoint([*used, *ones])
        cleared = [a.clr(register) for register in used]
        # The lowest byte of the first result is in a register that accepts immediates.
        cleared += [a.ldi(used[0], 255), a.mov(ones[0], used[0]), a.clr(used[0])] if ones else []
        begin = joined(a.movw("r30", "r24"), cleared)
        if self.branches.farthest > REACH:
            begin = joined(begin, a.movw("r28", "r30"), a.adiw("r28", SECOND))
        trees = joined(*(self._tree(number) for number in range(len(self.forest.trees.roots))))
        saved = [f"r{number}" for number in sorted(registers((*begin, *trees)) & CALLEES)]
        to = (a.pop("r31"), a.pop("r30")) if kept else (a.movw("r30", f"r{RESULTS}"),)
        stored = [a.std(a.at("Z", offset), register) for offset, register in enumerate(used)]
        return joined(
            map(a.push, saved),
            [a.push(f"r{number}") for number in _RESULTS if kept],
            *(begin, trees, to, stored),
            map(a.pop, reversed(saved)),
            a.ret(),
        )

    def _tree(self, number: int) -> Code:
        root, end = int(self.forest.trees.roots[number]), TREES + number
        lines = self.branches.subtree(root, lambda leaf: (*self._added(leaf), a.rjmp(ahead=end)), a.rjmp)
        if bytes_of(lines) >= JUMP:
            lines = self.branches.subtree(root, lambda leaf: (*self._added(leaf), a.jmp(ahead=end)), a.jmp)
        # The last leaf is at the end of its tree.
        return (*lines[:-1], a.label(end))

    def _added(self, leaf: int) -> Code:
        *results, ones = self._assigned
        lines: list[Line] = []
        for row, vote in zip(results, self.forest.votes[leaf].tolist(), strict=True):
            if vote == 0:
                continue
            for byte, register in enumerate(row):
                constant = -vote >> 8 * byte & 255
                if byte == 0:
                    lines.append(a.subi(register, constant))
                elif constant in (0, 255):
                    lines.append(a.sbc(register, ones[0] if constant else "r1"))
                else:
                    lines += [a.ldi("r25", constant), a.sbc(register, "r25")]
        return tuple(lines)

    @property
    def stack(self) -> int:
        return bytes_of(line for line in self.lines if isinstance(line, Instruction) and line.name == a.push.name) // 2

    @property
    def cycles(self) -> float:
        forest, trees = self.forest, self.forest.trees
        leaves, _ = trees.leaves_by_tree
        added = [cycles(self._added(leaf)) + 2 for leaf in leaves.tolist()]
        rest = 4 * self.stack + 3 * forest.results * self.size + 10
        return self.branches.cycles + float(trees.leaf_shares @ added) + rest

    @property
    def near(self) -> bool:
        return False
