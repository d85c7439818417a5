"""Forests of floats whose features are converted to keys of one byte before the trees are evaluated.

If the thresholds are numbers such as small integers (thresholds of pixels or of counts), the lower bits of their bit
patterns are zero. A positive float exceeds such a threshold if and only if its bit pattern minus 1, without the lower
bits, is at least the bit pattern of the threshold. The key is the difference between this number and that of the
smallest threshold, clamped to a byte. Negative numbers and -NaN have the least key. Infinity and NaN have the greatest
key. A forest whose thresholds need more bits has no keys.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from tinyml.dialects.layouts.trees import ForestCode
from tinyml.dialects.lazy_numpy import np
from tinyml.targets.avr import isa as a
from tinyml.targets.avr.assembly import RETURN_ADDRESS, bytes_of, cycles, moved
from tinyml.targets.avr.composer.forest_branches import JUMP
from tinyml.targets.avr.composer.forest_leaves import AvrForest, has_floats
from tinyml.targets.composer.instructions import Code, Line, joined

_GREATEST = 127
_MAX_SHIFTS = 7
_KEYS, _FOREST, _LOW, _HIGH, _STORE = range(40, 45)
"""Labels."""


@dataclass(frozen=True)
class _Keys:
    """The conversion of a forest's features to keys.

    The key of a float with the bit pattern b is (((b - 1) >> 16) - `zero` >> `shift`) - 128, limited to the range of a
    signed byte.

    forest: a copy of the forest whose thresholds are keys, without the features that the forest does not compare.
    features: the indices of the remaining features in the input, in ascending order.
    zero, shift: the parameters of the conversion.
    """

    forest: ForestCode
    features: list[int]
    zero: int
    shift: int

    @staticmethod
    def of(forest: ForestCode) -> _Keys | None:
        """The keys of a forest of floats. None if some threshold has no key of one byte, or if the forest has no
        comparisons.
        """
        trees = forest.trees
        bits = trees.thresholds.view(np.int32).astype(np.int64)
        if not len(bits) or bits.min() < 0 or (bits & 0xFFFF).any():
            return None
        upper = bits >> 16
        least = int(upper.min())
        steps = int(np.bitwise_or.reduce(upper - least)) | 1 << _MAX_SHIFTS
        shift = (steps & -steps).bit_length() - 1
        # The least threshold is the second key, so that the first key represents all numbers up to it.
        keys = (upper - least >> shift) + 1 - (_GREATEST + 1)
        if keys.max() > _GREATEST:
            return None
        features, numbers = np.unique(trees.features, return_inverse=True)
        below = replace(trees, features=numbers.reshape(-1), thresholds=(keys - 1).astype(np.int8))
        return _Keys(replace(forest, trees=below), features.tolist(), least - (1 << shift), shift)

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The runs of consecutive features, each as (first feature, length). A length is at most 255."""
        starts = [0, *(at + 1 for at, (one, next) in enumerate(pairwise(self.features)) if next > one + 1)]
        ends = [*starts[1:], len(self.features)]
        runs = zip(starts, ends, strict=True)
        return [(self.features[at], min(255, end - at)) for start, end in runs for at in range(start, end, 255)]

    @cached_property
    def key(self) -> Code:
        """Code that computes the key of the float at address X in r24, and advances X to the next float."""
        loaded = joined(a.ld(register, "X+") for register in ("r18", "r19", "r24", "r25"))
        # The carry of the lower bytes minus 1.
        borrow = (a.or_("r18", "r19"), a.cpi("r18", 1))
        less = (a.sbci("r24", a.lo8(self.zero)), a.sbci("r25", a.hi8(self.zero)), a.brlt(ahead=_LOW))
        limited = (a.cpi("r25", 1 << self.shift), a.brcc(ahead=_HIGH))
        shifted = (a.lsr("r25"), a.ror("r24")) * self.shift
        return joined(loaded, borrow, less, limited, shifted, a.subi("r24", _GREATEST + 1))

    @cached_property
    def routine(self) -> Code:
        """The subroutine that computes the keys of r20 floats from address X on, and stores them from address Z on."""
        again = (a.label(_STORE), a.st("Z+", "r24"), a.dec("r20"), a.brne(back=_KEYS))
        low = (a.label(_LOW), a.ldi("r24", _GREATEST + 1), a.rjmp(back=_STORE))
        high = (a.label(_HIGH), a.ldi("r24", _GREATEST), a.rjmp(back=_STORE))
        return joined(a.label(_KEYS), self.key, again, a.ret(), low, high)

    @cached_property
    def calls(self) -> Code:
        """Code that computes all keys. The input is at address X, and the keys are stored at address Z."""
        lines: list[Line] = []
        at = 0
        for start, length in self.runs:
            lines += [*moved("r26", 4 * (start - at)), a.ldi("r20", length), a.rcall(ahead=_KEYS)]
            at = start + length
        return tuple(lines)

    @property
    def frame(self) -> int:
        return len(self.features)

    @property
    def cycles(self) -> float:
        """The number of cycles to compute all keys, if no number is outside the range of the keys."""
        return (cycles(self.key) + 5) * self.frame + cycles(self.calls) + 4 * len(self.runs)


@dataclass(frozen=True)
class KeyedForest(AvrForest):
    """A function that stores the keys of the features on the stack, and calls the function of a forest on these keys.

    form: the class of the called function, whose features are integers.
    """

    form: type[AvrForest]

    @cached_property
    def _keys(self) -> _Keys | None:
        return _Keys.of(self.forest) if has_floats(self.forest) else None

    @cached_property
    def _on_keys(self) -> tuple[_Keys, AvrForest]:
        assert self._keys is not None
        return self._keys, self.form(self._keys.forest)

    @property
    def fits(self) -> bool:
        # The first call must reach the routine.
        return self._keys is not None and bytes_of(self._keys.calls) < JUMP and self._on_keys[1].fits

    @cached_property
    def lines(self) -> Code:
        keys, function = self._on_keys
        pointer = (a.in_("r30", a.STACK_POINTER[0]), a.in_("r31", a.STACK_POINTER[1]))
        first = (a.movw("r26", "r24"), *pointer, *_stack_to(-keys.frame), a.adiw("r30", 1))
        made = (a.push("r30"), a.push("r31"), *keys.calls, a.pop("r25"), a.pop("r24"), a.rcall(ahead=_FOREST))
        return joined(
            first, made, pointer, _stack_to(keys.frame), a.ret(), keys.routine, a.label(_FOREST), function.lines
        )

    @property
    def cycles(self) -> float:
        keys, function = self._on_keys
        return keys.cycles + function.cycles + 50

    @property
    def stack(self) -> int:
        keys, function = self._on_keys
        return keys.frame + RETURN_ADDRESS + max(function.stack, 2)

    @property
    def near(self) -> bool:
        return self._on_keys[1].near

    @property
    def portable(self) -> str:
        return self.form(self.forest).portable


def _stack_to(by: int) -> Code:
    """Code that adds a number of bytes to Z and copies Z to the stack pointer.

    Interrupts are disabled while the two bytes of the stack pointer are written.
    """
    low, high = a.STACK_POINTER
    return joined(
        moved("r30", by), a.in_("r0", a.STATUS), a.cli(), a.out(high, "r31"), a.out(a.STATUS, "r0"), a.out(low, "r30")
    )
