"""The parser of modules that users write, with the attributes of our own verified."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.extensions import imported
from tinyml.dialects.located_parser import LocatedParser
from tinyml.dialects.modules import is_installed
from tinyml.dialects.own_attributes import verify_own_attributes
from tinyml.tools.universe import own_attributes

_IS_FOREIGN = "tinyml.lowering.frontends.mlir.foreign:is_foreign"
_READ_TENSORS = "tinyml.lowering.frontends.mlir.importer:read_tensors"


def parse_mlir(
    ctx: Context,
    content: bytes,
    file: str,
    *,
    line_offset: int = 0,
    implicit_module: bool = True,
    keeps_declared: bool = False,
) -> ModuleOp:
    """Parse the module in MLIR text; one on tensors of another tool is imported.

    line_offset: lines of the file before the text, a piece of a split file. implicit_module: accept operations without
    a module around them. keeps_declared: import no module whose dialects are declared here. Raises `InputError` or
    `ParseError` for malformed text and for attributes of our own that differ from their declarations, and
    `UnicodeDecodeError`.
    """
    text = content.decode("utf-8")
    try:
        if is_installed(_IS_FOREIGN) and imported(_IS_FOREIGN)(text, undeclared=keeps_declared):
            return imported(_READ_TENSORS)(text, file)
    except InputError as error:
        # An op may say that it is in another file.
        line = error.line + line_offset if error.line is not None and error.file in (None, file) else error.line
        raise InputError(error.message, file=error.file or file, line=line, column=error.column) from error
    parser = LocatedParser(ctx, content, file)
    parser.line_offset = line_offset
    try:
        module = parser.parse_module(implicit_module)
        verify_own_attributes(module, own_attributes)
        return module
    except (VerifyException, ValueError, OverflowError) as error:
        line, column = parser.line_and_column()
        message = squeeze(" ".join(str(part) for part in error.args))
        raise InputError(message, file=file, line=line, column=column) from error
    except RecursionError as error:
        raise InputError("the text is nested too deeply", file=file) from error
