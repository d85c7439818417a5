"""Expected errors in an IR file, declared in comments with the syntax of mlir-opt's `--verify-diagnostics`.

`// expected-error {{TEXT}}` expects an error on its line whose message contains TEXT. After `expected-error`, `@+N`,
`@-N`, `@below` and `@above` select another line, and `@unknown` an error without a line. In `expected-error-re` each
`{{...}}` inside the text is a regular expression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tinyml.dialects.errors import InputError

_COMMENT = re.compile(
    r"expected-(?P<kind>\w+?)(?P<pattern>-re)?(?:@(?P<where>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}"
)

_ATTEMPT = re.compile(r"//.*\bexpected-(?:(?:error|warning|remark|note)\b|\S*\s*\{\{)")
"""A comment that resembles an expectation: it is an error, since a misspelled expectation would never fail."""

_LINES = {None: 0, "above": -1, "below": 1}


@dataclass(frozen=True)
class ExpectedError:
    """An expected error.

    at: the line of the comment.
    line: the line of the error; None for an error without a line.
    text: the expected text, as in the comment.
    pattern: matches the messages that contain the text.
    """

    at: int
    line: int | None
    text: str
    pattern: re.Pattern[str]

    def fits(self, error: InputError) -> bool:
        return error.line == self.line and self.pattern.search(error.message) is not None


def expected_errors(text: str, file: str, offset: int) -> Sequence[ExpectedError]:
    """Parse the comments of a module that state the errors it is expected to cause.

    offset: the number of lines before the text in the file.

    Raises `InputError` for a malformed expectation.
    """
    return [*_expected(text, file, offset)]


def _expected(text: str, file: str, offset: int) -> Iterator[ExpectedError]:
    for number, line in enumerate(text.split("\n"), offset + 1):
        if (found := _COMMENT.search(line)) is None:
            if _ATTEMPT.search(line):
                more = "perhaps with `-re`, then `@+N`, `@-N`, `@above`, `@below` or `@unknown`, before the text"
                raise InputError(f"expected `expected-error {{{{TEXT}}}}`, {more}", file=file, line=number)
            continue
        if found["kind"] != "error":
            raise InputError(f"expected-{found['kind']}: there are errors only", file=file, line=number)
        pieces = re.split(r"\{\{(.*?)\}\}", found["text"]) if found["pattern"] else [found["text"]]
        pattern = "".join(piece if turn % 2 else re.escape(piece) for turn, piece in enumerate(pieces))
        where = found["where"]
        at = None if where == "unknown" else number + (_LINES[where] if where in _LINES else int(where))
        try:
            yield ExpectedError(number, at, found["text"], re.compile(pattern))
        except re.error as error:
            raise InputError(f"expected-error-re: {error}", file=file, line=number) from error


def check_errors(expected: Sequence[ExpectedError], error: InputError | None, file: str) -> None:
    """Raise `InputError` for an unexpected error, and for an expected error that does not occur.

    A module causes at most one error, because the first error ends its processing.
    """
    produced = next((each for each in expected if error is not None and each.fits(error)), None)
    if error is not None and produced is None:
        raise InputError(f"unexpected error: {error.message}", file=file, line=error.line, column=error.column)
    for each in expected:
        if each is not produced:
            raise InputError(f"expected error '{each.text}' was not produced", file=file, line=each.at)
