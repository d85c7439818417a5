"""The command `filecheck` of RUN lines. If a CHECK fails, it also prints the most similar line of the input."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from difflib import SequenceMatcher

from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.ops import CheckOp, Literal, Subst
from filecheck.options import parse_argv_options
from filecheck.parser import Parser

COMPARED = 400
"""Characters of a line that are compared; constants may go on for pages."""

LEAST = 0.4
"""The least share of a CHECK that the nearest line has."""


def filecheck(argv: Sequence[str] | None = None) -> int:
    """Check an input as filecheck does, and return its exit code.

    argv: the command line; by default that of this process.
    """
    options = parse_argv_options(list(sys.argv if argv is None else argv))
    return NearestLines(options, FInput.from_opts(options), Parser.from_opts(options)).run()


class NearestLines(Matcher):
    """filecheck's matcher, which after a failure prints the expected text and the most similar line."""

    def find_prefix_match_for(self, op: CheckOp) -> re.Match[str] | None:
        """Print the expected text and the most similar line, and return None. filecheck calls this method after it has
        printed a failure.
        """
        print(f"Looked for: {op.arg}", file=self.stderr)
        wanted = "".join(map(self._text, op.uops)).strip()
        lines = self.file.content.splitlines()
        passed = self.file.content.count("\n", 0, self.file.range.start)
        # Of equal lines the next one after what was matched.
        numbers = [*range(passed, len(lines)), *range(min(passed, len(lines)))]
        nearest = max(numbers, key=lambda number: _share(wanted, lines[number]), default=None)
        if nearest is None or _share(wanted, lines[nearest]) < LEAST:
            print("Nearest line: none is like it", file=self.stderr)
        else:
            earlier = ", before what is matched already" if nearest < passed else ""
            print(f"Nearest line: {nearest + 1}{earlier}: {lines[nearest].strip()}", file=self.stderr)
        return None

    def _text(self, part: object) -> str:
        """The text that a part of a pattern stands for: literal text, the value of a variable (empty before its
        definition), or a space for a regular expression.
        """
        match part:
            case Literal(content):
                return content
            case Subst(variable):
                return str(self.ctx.live_variables.get(variable, ""))
            case _:
                return " "


def _share(wanted: str, line: str) -> float:
    """The fraction of the characters of `wanted` that also occur in `line`, in common runs of at least three
    characters.

    For two lines with equal fractions, the result is slightly greater for the shorter line.
    """
    line = line.strip()[:COMPARED]
    blocks = SequenceMatcher(None, wanted, line, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks if block.size >= 3) / max(len(wanted), 1) - len(line) / 1e6
