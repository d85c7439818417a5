"""Code with loops whose iterations are known, and the instructions that it runs through."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.targets.composer.lines import Lines, instructions, joined


@dataclass(frozen=True)
class Repeated:
    """Code with loops, and the instructions that it runs through."""

    lines: Lines
    time: int

    @staticmethod
    def once(lines: Lines) -> Repeated:
        return Repeated(lines, instructions(lines))

    def followed_by(self, further: Repeated) -> Repeated:
        return Repeated(joined(self.lines, further.lines), self.time + further.time)

    def then(self, lines: Lines) -> Repeated:
        return self.followed_by(Repeated.once(lines))

    def looped(self, begin: Lines, end: Lines, count: int, label: int, skipped: int = 0) -> Repeated:
        """The same between `begin` and, `count` times, a label and `end`, which branches back to it.

        A single iteration takes neither. skipped: the instructions of `end` that only a branch back takes.
        """
        if count == 1:
            return self
        whole = self.then(end)
        time = instructions(begin) + count * whole.time - skipped
        return Repeated(joined(begin, f"{label}:", whole.lines), time)


def balanced(count: int, most: int) -> list[tuple[int, int]]:
    """How often so many are taken at once, at most `most`: as few groups as possible, of sizes that differ by one."""
    groups = -(-count // most)
    size, larger = divmod(count, groups)
    return [group for group in ((larger, size + 1), (groups - larger, size)) if group[0]]
