"""Tile kernels that embed the rows of a matrix in code, by windows, up to six rows at a time, for ARMv6-M.

Each element is loaded once for the rows of a block, unless all weights of these rows for it are zero. The product of an
element and a weight is computed by a shift, by one instruction from the previous product, or by a multiplication, which
overwrites a factor. The order of the products determines which of them can be computed from the previous one, and which
may overwrite the element. The start values and factors of all rows are in the stack frame. Subroutines of the kernel
store the results.

This code is not an instance of `RowKernel`, because each block of rows has its own instructions, and there is no weight
stream.

Registers are assigned by hand, because on ARMv6-M, high registers can only be added, copied and compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import permutations

from tinyml.dialects.lazy_numpy import np
from tinyml.targets.composer.instructions import Code, Line, Repeated, balanced, instructions, joined
from tinyml.targets.cortex_m import thumb as t
from tinyml.targets.cortex_m.composer.armv6m import (
    SUMS,
    Armv6mCode,
    constant,
    moved,
    moved_in_frame,
    restored,
    saved,
)
from tinyml.targets.cortex_m.composer.coded_epilogues_armv6m import THIRDS_LIMIT, factor_words, requantised_from_words
from tinyml.targets.cortex_m.composer.epilogues_armv6m import SATURATED
from tinyml.targets.cortex_m.composer.fragments import element_at, is_power_of_two
from tinyml.targets.cortex_m.thumb import at, slot
from tinyml.targets.tiles import Sums, Tile

PRODUCT, ELEMENT = "r6", "r7"
_TRIED = 4
"""The greatest number of weights for which all orders are tried."""

_KEPT = 1 << 12
"""The size of the cache of products, in entries."""


def products(users: Sequence[tuple[str, int]], registers: Mapping[int, str]) -> Code:
    """Code that adds the products of an element and several weights to sums. It clobbers `ELEMENT` and `PRODUCT`.

    users: pairs of the register of a sum and the weight by which the element is multiplied for this sum.
    registers: for each weight that a register contains, this register.
    """
    sums: dict[int, list[str]] = {}
    for sum, weight in users:
        sums.setdefault(weight, []).append(sum)
    named = tuple(sorted((weight, name) for weight, name in registers.items() if weight in sums))
    lines: list[Line] = []
    for weight, code, product in _made(tuple(sorted(sums)), named):
        lines += [*code, *(t.add(sum, sum, product) for sum in sums[weight])]
    return tuple(lines)


@lru_cache(_KEPT)
def _made(weights: tuple[int, ...], registers: tuple[tuple[int, str], ...]) -> list[tuple[int, Code, str]]:
    """The products of an element and several weights, in the order that needs the fewest instructions or, if there are
    too many orders to try, in ascending order of magnitude.

    weights: the different weights by which the element is multiplied.
    registers: pairs (weight, register) for weights that registers contain.

    A product is a tuple: the weight, the instructions that compute the product, and the register that then contains the
    product.
    """
    orders = permutations(weights) if len(weights) <= _TRIED else iter([sorted(weights, key=abs)])
    made = (list(_in_order(order, dict(registers))) for order in orders)
    return min(made, key=lambda steps: sum(instructions(lines) for _, lines, _ in steps))


def _in_order(weights: Sequence[int], registers: Mapping[int, str]) -> Iterator[tuple[int, Code, str]]:
    before: int | None = None
    for number, weight in enumerate(weights):
        if weight == 1:
            yield weight, (), ELEMENT
            continue
        if number == len(weights) - 1 and (register := registers.get(weight)):
            yield weight, (t.muls(ELEMENT, register, ELEMENT),), ELEMENT
            continue
        ways = [
            _multiplied(weight, registers),
            *_shifted(weight),
            *(() if before is None else _derived(weight, before)),
        ]
        yield weight, min(ways, key=len), PRODUCT
        before = weight


def _multiplied(weight: int, registers: Mapping[int, str]) -> Code:
    if register := registers.get(weight):
        return t.mov(PRODUCT, ELEMENT), t.muls(PRODUCT, register, PRODUCT)
    sign = (t.rsbs(PRODUCT, PRODUCT, 0),) if weight < 0 else ()
    return joined(t.movs(PRODUCT, abs(weight)), sign, t.muls(PRODUCT, ELEMENT, PRODUCT))


def _shifted(weight: int) -> Iterator[Code]:
    if is_power_of_two(weight):
        places = abs(weight).bit_length() - 1
        source = PRODUCT if places else ELEMENT
        shift = (t.lsls(PRODUCT, ELEMENT, places),) if places else ()
        yield joined(shift, t.rsbs(PRODUCT, source, 0) if weight < 0 else ())


def _derived(weight: int, before: int) -> Iterator[Code]:
    if weight == -before:
        yield (t.rsbs(PRODUCT, PRODUCT, 0),)
    if weight == before + 1:
        yield (t.adds(PRODUCT, PRODUCT, ELEMENT),)
    if weight == before - 1:
        yield (t.subs(PRODUCT, PRODUCT, ELEMENT),)
    if weight == 1 - before:
        yield (t.subs(PRODUCT, ELEMENT, PRODUCT),)
    quotient, rest = divmod(weight, before)
    if rest == 0 and quotient > 1 and is_power_of_two(quotient):
        yield (t.lsls(PRODUCT, PRODUCT, quotient.bit_length() - 1),)


PLACE, NOTHING = "r3", "r4"
"""The registers that hold the address of an element, and 0."""

FINISH = 20
"""The label of the first subroutine."""


@dataclass(frozen=True)
class CodedTileArmv6m(Armv6mCode):
    """The base class of kernels for a tile. The arguments are the pointers to the windows and to the results.

    tile: the shape of the tile.
    given: the sums for which the kernel is requested.
    """

    tile: Tile
    given: Sums

    @cached_property
    def sums(self) -> Sums:
        """The sums of the kernel: if they exist, sums with the same results that are within the limit of
        `requantised_by_thirds`, the shorter epilogue, otherwise the given sums.
        """
        return self.given.clamp_starts(THIRDS_LIMIT, self.tile.zero) or self.given

    @property
    def by_thirds(self) -> bool:
        return self.sums.within(THIRDS_LIMIT)


_WINDOW_AT, _OUT_AT, _COUNT_AT, _SUM_AT, _ROWS_AT = 0, 4, 8, 12, 16
"""Stack slots: the addresses of the window and its results; the number of windows that are left; the last sum, whose
register holds the return address of the subroutine; the starts of all rows, then their factors."""

_FRAME_BYTES = 1020
"""The size of a stack frame that loads can reach, in bytes."""

_MOST = 1 << 14
"""The greatest number of nonzero weights."""


@dataclass(frozen=True)
class CodedRowsArmv6m(CodedTileArmv6m):
    """The kernel for a tile whose rows are embedded in code, block by block."""

    @property
    def fits(self) -> bool:
        """True if loads reach the stack frame, and the code fits in the flash of ARMv6-M chips."""
        return self.frame <= _FRAME_BYTES and int(np.count_nonzero(self.sums.weights)) <= _MOST

    @property
    def frame(self) -> int:
        size = _ROWS_AT + 12 * self.tile.rows
        return size + (4 - size) % 8

    @property
    def factors_at(self) -> int:
        return _ROWS_AT + 4 * self.tile.rows

    @cached_property
    def groups(self) -> Sequence[tuple[int, int]]:
        return balanced(self.tile.rows, len(SUMS))

    def set_up(self) -> Code:
        """Code that stores the start values and factors of all rows in the stack frame."""
        lines: list[Code] = []
        for row, (_, start, multiplier, shift) in enumerate(self.sums):
            words = factor_words(int(multiplier), -int(shift), by_thirds=self.by_thirds)
            first = self.factors_at + 8 * row
            for word, place in zip((int(start), *words), (_ROWS_AT + 4 * row, first, first + 4), strict=True):
                lines += [constant("r0", word), (t.str_("r0", slot(place)),)]
        return joined(*lines)

    def block(self, first: int, rows: int) -> Code:
        """Code that computes the sums of `rows` rows for one window.

        first: the index of the first row.
        """
        tile = self.tile
        starts = (
            (t.ldr(ELEMENT, slot(_ROWS_AT + 4 * row)), t.mov(sum, ELEMENT))
            for row, sum in enumerate(SUMS[:rows], first)
        )
        lines: list[Code] = [*starts, (t.ldr(PLACE, slot(_WINDOW_AT)), t.movs(NOTHING, 0))]
        weights = self.sums.weights[first : first + rows]
        place = 0
        for number in np.flatnonzero(weights.any(0)).tolist():
            run, column = divmod(number, tile.length)
            users = [(sum, int(weight)) for sum, weight in zip(SUMS, weights[:, number], strict=False) if weight]
            element = run * tile.pitch + column
            lines += [moved(PLACE, element - place, PRODUCT), element_at(8, PLACE, NOTHING, ELEMENT)]
            lines += [products(users, {})]
            place = element
        last = (t.mov("r0", "lr"), t.str_("r0", slot(_SUM_AT))) if rows == len(SUMS) else ()
        return joined(*lines, last, t.add("r5", "sp", self.factors_at + 8 * first))

    def finish(self, rows: int) -> Code:
        """The subroutine that stores the results of `rows` rows. r5 points to the factors of these rows."""
        lines: list[Code] = [(t.ldr("r7", slot(_OUT_AT)), t.movs("r3", 0)), constant("r4", self.tile.zero)]
        for row, sum in enumerate(SUMS[:rows]):
            fetch = t.mov("r0", sum) if row < len(SUMS) - 1 else t.ldr("r0", slot(_SUM_AT))
            epilogue = requantised_from_words(8 * row, at("r7", row), by_thirds=self.by_thirds)
            lines += [(fetch, *epilogue)]
        return joined(*lines, t.adds("r7", rows), t.str_("r7", slot(_OUT_AT)), t.bx("lr"))

    def function(self) -> Repeated:
        """The kernel's complete function: a loop over windows, followed by subroutines that store results."""
        tile, window, first = self.tile, Repeated.once(()), 0
        for number, (times, rows) in enumerate(self.groups):
            finish = self.finish(rows)
            for _ in range(times):
                block = Repeated.once((*self.block(first, rows), t.bl(ahead=FINISH + number)))
                window = window.followed_by(block.calling(finish))
                first += rows
        begin = joined(
            saved(self.frame),
            t.str_("r0", slot(_WINDOW_AT)),
            t.str_("r1", slot(_OUT_AT)),
            self.set_up(),
            constant("r0", tile.count),
            t.str_("r0", slot(_COUNT_AT)),
        )
        end = joined(
            moved_in_frame(_WINDOW_AT, tile.step),
            (t.ldr("r0", slot(_COUNT_AT)), t.subs("r0", 1), t.str_("r0", slot(_COUNT_AT))),
            # BL reaches farther than other branches, and lr holds no sum here.
            (t.beq(ahead=2), t.bl(back=1)),
        )
        windows = window.looped((), end, tile.count, 1, skipped=1)
        code = Repeated.once(begin).followed_by(windows).then(joined(t.label(2), restored(self.frame)))
        inner = (joined(t.label(FINISH + n), self.finish(rows)) for n, (_, rows) in enumerate(self.groups))
        return replace(code, lines=joined(code.lines, *inner))

    @property
    def time(self) -> float:
        """The number of instructions that a call executes. Half of the results are assumed to be saturated."""
        return self.code.time - SATURATED / 2 * self.tile.rows * self.tile.count
