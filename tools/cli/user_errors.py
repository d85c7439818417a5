"""Conversion of user errors to one-line messages."""

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

from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.locations import source_location
from tinyml.dialects.plugins import described, plugin_of


def as_input_error(error: BaseException, file: str | None = None, running: str | None = None) -> InputError | None:
    """Convert an error to an `InputError`; None for an internal error.

    Multi-line messages become a single line, and messages that quote whole constants are truncated.

    file: the file to report if the error has no location.
    running: the name of the current pass, which the message mentions.
    """
    try:
        known = _known(error, file)
    except (Exception, SystemExit):
        # A plug-in's exception may lack a message, a location, or the fields of its class.
        known = _of_a_plugin(error, file)
    if known is None:
        return None
    message = known.message if running is None else f"pass '{running}': {known.message}"
    return InputError(squeeze(message), file=known.file, line=known.line, column=known.column)


def _known(error: BaseException, file: str | None) -> InputError | None:
    match error:
        case InputError():
            return InputError(error.message, file=error.file or file, line=error.line, column=error.column)
        case ParseError():
            location = error.span.get_location()
            return InputError(error.msg, file=location.file, line=location.line, column=location.col)
        case ArgSpecParseError():
            return InputError(_pipeline_complaint(str(error)))
        case OSError() if error.strerror is not None:
            # An error without a file name concerns the standard output or a temporary file, not a user's file.
            file = error.filename if isinstance(error.filename, str) else None
            return InputError(f"{_of_plugin(error)}{error.strerror}", file=file)
        case NotImplementedError():
            return InputError(f"{_of_plugin(error)}{str(error) or type(error).__name__}", file=file)
        case DiagnosticException() | UnregisteredConstructException():
            return InputError(str(error) or type(error).__name__, file=file)
        case MemoryError():
            return InputError(f"{_of_plugin(error)}there is not enough memory", file=file)
        case RecursionError():
            return InputError(f"{_of_plugin(error)}the input is nested too deeply", file=file)
        case _:
            return _of_a_plugin(error, file)


def _of_a_plugin(error: BaseException, file: str | None) -> InputError | None:
    """The error to report for an exception in a plug-in's code; None for exceptions in other code, and for the
    exceptions with which xDSL exits.
    """
    plugin = plugin_of(error)
    if plugin is None or (plugin.is_built_in and isinstance(error, SystemExit)):
        return None
    return InputError(f"{plugin}: {described(error)}", file=file)


def _of_plugin(error: BaseException) -> str:
    plugin = plugin_of(error)
    return "" if plugin is None else f"{plugin}: "


def _find_invalid(module: ModuleOp, error: VerifyException) -> Operation | None:
    """The operation whose verifier raises `error`, which does not name the operation; None if no single operation does.

    As in the verification of a whole module, nested operations are verified first, since an operation's verifier may
    rely on the verification of its nested operations.
    """
    for op in module.walk(region_first=True):
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as exception:
            if str(exception) == str(error):
                return op
    return None


def invalid(module: ModuleOp, error: VerifyException, file: str) -> InputError:
    """The error for a module that does not verify, located at the invalid operation if it is known."""
    if (op := _find_invalid(module, error)) is None:
        return InputError(squeeze(str(error)), file=file)
    place, line, column = source_location(op) or (file, None, None)
    message = f"'{op.name}' does not verify: {squeeze(str(error))}"
    return InputError(message, file=place, line=line, column=column)


def _pipeline_complaint(text: str) -> str:
    """A one-line message for a syntax error in a pipeline.

    text: the message of the parser, with a header, `pass-pipeline:LINE:COLUMN`, the pipeline, carets and the error.
    """
    _, location, pipeline, *rest = text.splitlines()
    offending = pipeline[int(location.rpartition(":")[2]) - 1 :]
    position = f"at {json.dumps(offending)}" if offending else f"at the end of {json.dumps(pipeline)}"
    return f"{rest[-1].strip()}, {position}"
