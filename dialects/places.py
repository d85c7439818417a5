"""Where in a file an operation came from."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import Operation

from tinyml.dialects.errors import InputError


def source_place(op: Operation) -> tuple[str, int, int] | None:
    """File, line and column of the nearest operation, from `op` outwards, whose place in a file is known."""
    at: Operation | None = op
    while at is not None:
        if isinstance(location := at.location, FileLineColLoc):
            return location.filename.data, location.line.data, location.column.data
        at = at.parent_op()
    return None


def error_at(op: Operation, message: str) -> InputError:
    """An error of the user at an operation, with its place in the file where that is known."""
    file, line, column = source_place(op) or (None, None, None)
    return InputError(message, file=file, line=line, column=column)
