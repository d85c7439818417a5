"""The parser of user modules, which also verifies attributes of tinyml."""

import re

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.attribute_verification import verify_discardable_attributes
from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.extensions import imported
from tinyml.dialects.located_parser import LocatedParser
from tinyml.dialects.modules import is_installed
from tinyml.tools.universe import discardable_attributes

_IS_FOREIGN = "tinyml.lowering.frontends.mlir.foreign:is_foreign"
_DECODE_MEMREFS = "tinyml.targets.mlir_opt:decode_memrefs"
_READ_TENSORS = "tinyml.lowering.frontends.mlir.importer:read_tensors"

_ENCODED = re.compile(r"memref<[^{}\n]*, *\{(element|space) = ")
"""A memref as the target `mlir-opt` prints it."""


def parse_mlir(
    ctx: Context,
    content: bytes,
    file: str,
    *,
    line_offset: int = 0,
    implicit_module: bool = True,
    keeps_declared: bool = False,
) -> ModuleOp:
    """Parse MLIR text. If the text is a tensor module of another compiler, import the module.

    line_offset: the number of lines of the file before the text, which may be a piece of a split file.
    implicit_module: true to accept operations without an enclosing module.
    keeps_declared: if true, a module that contains only dialects that tinyml declares is parsed and not imported.

    Raises `InputError` or `ParseError` for malformed text and for attributes of tinyml that differ from their
    declarations, and `UnicodeDecodeError` for content that is not UTF-8.
    """
    text = content.decode("utf-8")
    try:
        if is_installed(_IS_FOREIGN) and imported(_IS_FOREIGN)(text, undeclared=keeps_declared):
            return imported(_READ_TENSORS)(text, file)
    except InputError as error:
        # A location may refer to another file.
        line = error.line + line_offset if error.line is not None and error.file in (None, file) else error.line
        raise InputError(error.message, file=error.file or file, line=line, column=error.column) from error
    parser = LocatedParser(ctx, content, file)
    parser.line_offset = line_offset
    try:
        module = parser.parse_module(implicit_module)
        if _ENCODED.search(text) and is_installed(_DECODE_MEMREFS):
            imported(_DECODE_MEMREFS)(module)
        verify_discardable_attributes(module, discardable_attributes)
        return module
    except (VerifyException, ValueError, OverflowError) as error:
        line, column = parser.line_and_column()
        message = squeeze(" ".join(str(part) for part in error.args))
        raise InputError(message, file=file, line=line, column=column) from error
    except RecursionError as error:
        raise InputError("the text is nested too deeply", file=file) from error
