"""Finding a number format by the name that a person gives it: a dialect's (`fixed`), or a builtin type's (`f32`)."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.number_format import NumberFormat, number_format

USUAL_FORMAT = "fixed"
"""The one that is taken where nobody asks for another."""

ALIASES = {"affine": "zeroskew"}
"""What people call formats whose dialects have other names: MLIR has a dialect `affine` already."""


def format_named(ctx: Context, name: str, width: int | None) -> NumberFormat:
    """The format of a registered dialect, plug-ins included, or of a builtin type, at a width.

    Raises `InputError` where the name stands for no number format or the format has no such width.
    """
    if (dialect := ctx.get_optional_dialect(ALIASES.get(name, name))) is not None:
        for attribute in dialect.attributes:
            if issubclass(attribute, NumberFormat):
                return attribute.of_width(width)
    try:
        found = number_format(Parser(ctx, name).parse_type())
    except ParseError:
        found = None
    if found is None:
        raise InputError(f"unknown number format '{name}'")
    return found.of_width(width)


def format_spelled(ctx: Context, text: str) -> NumberFormat:
    """The format of a name with its width, `fixed:8`, or of a name at its usual one; raises as `format_named`."""
    name, colon, bits = text.partition(":")
    if colon and not (bits.isdecimal() and bits.isascii()):
        raise InputError(f"expected FORMAT:BITS, got '{text}'")
    return format_named(ctx, name, int(bits) if colon else None)
