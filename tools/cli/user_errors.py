"""Errors of the user as one line."""

import json

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    UnregisteredConstructException,
    VerifyException,
)

from tinyml.dialects.errors import InputError

_LONGEST = 1000


def as_input_error(error: BaseException, file: str | None = None) -> InputError | None:
    """The same error as an `InputError`; None for a defect of the program.

    file: named where the error itself knows no better location. Messages of several lines become one; those with whole
    constants are cut.
    """
    match error:
        case InputError():
            if error.file is not None or file is None:
                return error
            return InputError(error.message, file=file, line=error.line, column=error.column)
        case ParseError():
            place = error.span.get_location()
            return InputError(squeeze(error.msg), file=place.file, line=place.line, column=place.col)
        case ArgSpecParseError():
            return InputError(_pipeline_complaint(str(error)))
        case OSError() if error.strerror is not None:
            name = error.filename if isinstance(error.filename, str) else file
            return InputError(error.strerror, file=name)
        case DiagnosticException() | UnregisteredConstructException() | NotImplementedError():
            return InputError(squeeze(str(error)) or type(error).__name__, file=file)
        case _:
            return None


def squeeze(message: str) -> str:
    """The message on one line, cut where a constant makes it too long to read."""
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


def find_invalid(module: ModuleOp, error: VerifyException) -> Operation | None:
    """The operation whose verifier raises `error`, which itself does not say; None if no single operation does."""
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as found:
            if str(found) == str(error):
                return op
    return None


def _pipeline_complaint(text: str) -> str:
    """`text` is a header, `pass-pipeline:LINE:COLUMN`, the pipeline, carets and the complaint."""
    _, place, pipeline, *rest = text.splitlines()
    where = pipeline[int(place.rpartition(":")[2]) - 1 :]
    complaint = rest[-1].strip()
    return f"{complaint}, at {json.dumps(where)}" if where else f"{complaint}, at the end of {json.dumps(pipeline)}"
