"""Products of an element and constants, each added to sums, for ARMv6-M: shifted, derived, or multiplied.

A multiplication overwrites a factor. The order of products therefore decides which ones can be derived from the
previous product by one instruction, and which one may overwrite the element itself.

Registers are assigned by hand: only additions and copies take high registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import permutations

from tinyml.targets.composer.instructions import Code, Line, instructions, joined
from tinyml.targets.cortex_m.assembly import thumb as t
from tinyml.targets.cortex_m.composer.multiply import is_power_of_two

PRODUCT, ELEMENT = "r6", "r7"
_TRIED = 4
"""The greatest number of weights for which all orders are tried."""

_KEPT = 1 << 12
"""The size of the cache of products, in entries."""


def products(users: Sequence[tuple[str, int]], registers: Mapping[int, str]) -> Code:
    """Adds an element times a weight to each sum; clobbers `ELEMENT` and `PRODUCT`. registers: those of weights."""
    sums: dict[int, list[str]] = {}
    for sum, weight in users:
        sums.setdefault(weight, []).append(sum)
    named = tuple(sorted((weight, name) for weight, name in registers.items() if weight in sums))
    lines: list[Line] = []
    for weight, made, product in _made(tuple(sorted(sums)), named):
        lines += [*made, *(t.add(sum, sum, product) for sum in sums[weight])]
    return tuple(lines)


@lru_cache(_KEPT)
def _made(weights: tuple[int, ...], registers: tuple[tuple[int, str], ...]) -> list[tuple[int, Code, str]]:
    """The products in the shortest order: for each the weight, the instructions and the register."""
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
    """The product with a power of two, which takes neither a multiplication nor a register."""
    if is_power_of_two(weight):
        places = abs(weight).bit_length() - 1
        source = PRODUCT if places else ELEMENT
        shift = (t.lsls(PRODUCT, ELEMENT, places),) if places else ()
        yield joined(shift, t.rsbs(PRODUCT, source, 0) if weight < 0 else ())


def _derived(weight: int, before: int) -> Iterator[Code]:
    """The product derived from that with another weight."""
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
