"""User errors as one-line messages."""

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
    """The error as an `InputError`; None for a defect of the program.

    file: the file to report if the error has no location of its own. Multi-line messages become a single line, and
    messages that quote whole constants are truncated.
    """
    match error:
        case InputError():
            if error.file is not None or file is None:
                return error
            return InputError(error.message, file=file, line=error.line, column=error.column)
        case ParseError():
            location = error.span.get_location()
            return InputError(squeeze(error.msg), file=location.file, line=location.line, column=location.col)
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
    """The message on one line, truncated if a constant makes it too long to read."""
    line = " ".join(message.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."


def find_invalid(module: ModuleOp, error: VerifyException) -> Operation | None:
    """The operation whose verifier raises `error`, which does not name it; None if no single operation does."""
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as exception:
            if str(exception) == str(error):
                return op
    return None


def _pipeline_complaint(text: str) -> str:
    """A one-line message for a syntax error in a pipeline.

    text: lines with a header, `pass-pipeline:LINE:COLUMN`, the pipeline, carets and the complaint.
    """
    _, location, pipeline, *rest = text.splitlines()
    offending = pipeline[int(location.rpartition(":")[2]) - 1 :]
    position = f"at {json.dumps(offending)}" if offending else f"at the end of {json.dumps(pipeline)}"
    return f"{rest[-1].strip()}, {position}"
