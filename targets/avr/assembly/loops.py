"""Loops over unrolled steps that are entered in the middle, and their costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from tinyml.targets.avr.assembly.instructions import bytes_of, cycles, pair
from tinyml.targets.composer.lines import Lines, joined

END = ("clr r1", "ret")
_REACH = 128
"""The bytes that a conditional branch can jump back, including itself."""


@dataclass(frozen=True)
class Loop:
    """A loop.

    lines: with a label N: in front of the last N steps and 0: after them. in_byte: true if the counter is a single
    register, which counts iterations. at_once: the number of steps in an iteration. offsets: the byte offset of each
    label from the first one. step: the cycles of a step, including its share of the loop's overhead. least: the cycles
    of a call without steps, including the end of the function.
    """

    lines: Lines
    in_byte: bool
    at_once: int
    offsets: Sequence[int]
    step: float
    least: float


def counted_in_byte(step: Lines, at_once: int, counter: str, flush: Lines = ()) -> Loop:
    """A loop whose counter holds the number of iterations, including a partial first one.

    flush: code that runs at the end.
    """
    return over_steps([step] * at_once, counter, flush)


def over_steps(steps: Sequence[Lines], counter: str, flush: Lines = ()) -> Loop:
    """A loop whose counter holds the number of iterations, each of which consists of different steps."""
    body, at_once = _labelled(steps), len(steps)
    back = again(at_once, bytes_of(body) + 2)
    share = 1 + _taken(back)
    lines = joined(body, "0:", f"dec {counter}", back, flush, END)
    time = (cycles(body) + share) / at_once
    return Loop(lines, True, at_once, _offsets(steps), time, 2 + cycles(flush) + cycles(END))


def counted_in_word(step: Lines, at_once: int, counter: str, flush: Lines = ()) -> Loop:
    """A loop whose counter, a pair of registers, holds the number of steps.

    flush: code that runs after at most 256 steps.
    """
    low, high = pair(counter)
    steps = [step] * at_once
    body = _labelled(steps)
    back = again(at_once, bytes_of(body) + 2, "brcc", "brcs")
    inner = joined(body, "0:", f"subi {low},{at_once}", back, flush, f"subi {high},1")
    lines = joined(inner, again(at_once, bytes_of(inner), "brcc", "brcs"), END)
    outer = cycles(flush) + 3
    share = 1 + _taken(back)
    time = cycles(step) + share / at_once + outer / 256
    return Loop(lines, False, at_once, _offsets(steps), time, 3 + outer + cycles(END))


def entry_by_count(counter: str) -> Lines:
    """Enter the following loop of four steps per iteration such that it runs as many steps as its counter holds."""
    return (
        *(f"sbrc {counter},1", "rjmp 31f", f"sbrc {counter},0", "rjmp 1f", "rjmp 0f"),
        *("31:", f"sbrc {counter},0", "rjmp 3f", "rjmp 2f"),
    )


def _labelled(steps: Sequence[Lines]) -> Lines:
    """Steps, each labelled with the number of remaining steps, itself included."""
    return joined(*(joined(f"{len(steps) - number}:", step) for number, step in enumerate(steps)))


def _offsets(steps: Sequence[Lines]) -> Sequence[int]:
    return [*accumulate((bytes_of(step) for step in steps), initial=0)]


def again(label: int, behind: int, condition: str = "brne", inverse: str = "breq") -> Lines:
    """A conditional jump to a label `behind` bytes back."""
    if behind + 2 <= _REACH:
        return (f"{condition} {label}b",)
    return f"{inverse} 19f", f"rjmp {label}b", "19:"


@dataclass(frozen=True)
class TimedCode:
    """Lines with loops of known trip counts, and their cycles including callees."""

    lines: Lines
    time: int

    @staticmethod
    def once(*parts: str | Lines) -> TimedCode:
        """Straight-line code."""
        lines = joined(*parts)
        return TimedCode(lines, cycles(lines))

    def followed_by(self, further: TimedCode) -> TimedCode:
        return TimedCode(joined(self.lines, further.lines), self.time + further.time)

    def then(self, *parts: str | Lines) -> TimedCode:
        return self.followed_by(TimedCode.once(*parts))

    def longer(self, time: int) -> TimedCode:
        """The same lines with `time` more cycles, or fewer if it is negative."""
        return TimedCode(self.lines, self.time + time)

    def looped(self, label: int, count: int, counter: str) -> TimedCode:
        """Repeat the code `count` times, which a register holds initially. The last jump is not taken."""
        body = self.then(f"dec {counter}")
        back = again(label, bytes_of(body.lines))
        return TimedCode(joined(f"{label}:", body.lines, back), count * (body.time + _taken(back)) - 1)


def _taken(back: Lines) -> int:
    """The cycles of a jump back that is taken."""
    return 2 if len(back) == 1 else cycles(back)
