"""Look-up of a number format by its name: the name of a dialect (`fixed`) or of a builtin type (`f32`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float32Type, IntegerType, bf16, f32
from xdsl.ir import Attribute
from xdsl.utils.exceptions import ParseError, VerifyException

from tinyml.dialects.context import own_dialects
from tinyml.dialects.errors import InputError, squeeze, unknown
from tinyml.dialects.extensions import missing_part, needs
from tinyml.dialects.formats.number_format import NumberFormat, number_format
from tinyml.dialects.guarded_parser import GuardedParser
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.plugins import expected, others_left_out, provider, wrong_result

USUAL_FORMAT = "fixed"
"""The name of the default format."""

ALIASES = {"affine": "zeroskew"}
"""Common names of formats whose dialects have other names: MLIR already has a dialect `affine`."""


def format_named(ctx: Context, name: str, width: int | None) -> NumberFormat:
    """The number format with the given name and width: that of a registered dialect, a plug-in or a builtin type, or a
    type such as `!fixed.q<8, 7>`, whose parameters it keeps.

    width: in bits; None for the default width, or for that of the type.

    Raises `InputError` if no number format has this name, if its extension is not installed, or if the format does not
    have this width.
    """
    if is_type(name):
        format = _type_spelled(ctx, name)
        if width not in (None, format.bits):
            raise InputError(f"elements of {name} have {format.bits} bits, got width {width}: leave out the width")
        return format
    if (dialect := ctx.get_optional_dialect(ALIASES.get(name, name))) is not None:
        for attribute in dialect.attributes:
            if issubclass(attribute, NumberFormat):
                return received(attribute.of_width(width), attribute)
    if (format := _type_or_none(ctx, name)) is None:
        if (part := missing_part(f"tinyml.dialects.formats.{ALIASES.get(name, name)}.type")) is not None:
            raise InputError(f"the number format '{name}' {needs(part)}")
        raise unknown("number format", name, [*formats(), *ALIASES])
    return format.of_width(width)


def is_type(text: str) -> bool:
    """Whether an option specifies a type, such as `!fixed.q<8, 7>`, and not a family of formats, among whose types each
    tensor gets one. Builtin types, such as `f32`, are families of one type.
    """
    return text.startswith("!")


_PROBES = (0.0, 0.5, -0.5, 1.0, -1.0, 1 / 3, 100.0)
"""Reals that a format of a package rounds when it is received."""


def received(format: object, maker: type | Callable[..., object]) -> NumberFormat:
    """A format that `maker` returned.

    Raises the error of `wrong_result` unless it is a number format; for a format of a package, also unless its
    parameters verify, its storage is a builtin type with a size, its family is a name and that of its accumulators, and
    its raws of a few numbers are those to which they are rounded again.
    """
    known = expected(format, NumberFormat, maker)
    if provider(type(known).__module__) is not None and (fault := _fault(known)) is not None:
        raise wrong_result(type(known), fault)
    return known


@cache
def _fault(format: NumberFormat) -> str | None:
    if not isinstance(storage := format.storage, IntegerType | Float32Type | BFloat16Type):
        return f"storage: expected a builtin type of integers or floats, got {storage}"
    if not isinstance(family := cast(object, format.FAMILY), str):
        return f"FAMILY: expected a name, got {family!r}"
    try:
        if isinstance(format, Attribute):
            format.verify()
        format.verify_raws(np.asarray(format.encode(np.array(_PROBES))))
    except VerifyException as error:
        return squeeze(str(error))
    try:
        sums = format.accumulator(format, format, None).FAMILY
    except InputError:
        return None
    return None if sums == family else f"FAMILY: '{family}', but sums of its products are of the family '{sums}'"


def formats() -> dict[str, type[NumberFormat]]:
    """The classes of number formats by name, including those of plug-ins.

    The name is that of the format's dialect or of a builtin type. The function loads all dialects except xDSL's.
    """
    found: dict[str, type[NumberFormat]] = {}
    for name, factory in own_dialects().items():
        with others_left_out():
            attributes = [one for one in factory().attributes if issubclass(one, NumberFormat)]
            if attributes:
                found[name] = attributes[0]
    builtin = {str(element): number_format(element) for element in (f32, bf16)}
    return found | {name: type(format) for name, format in builtin.items() if format is not None}


def _type_or_none(ctx: Context, text: str) -> NumberFormat | None:
    try:
        return _parsed(ctx, text)
    except (ParseError, VerifyException):
        return None


def format_spelled(ctx: Context, text: str) -> NumberFormat:
    """The number format that `text` specifies by a name, by a name and a width, such as `fixed:8`, or by an IR type.

    A type, such as `!fixed.q<8, 7, even>`, also specifies how numbers are rounded. Raises `InputError` as
    `format_named` does, and if `text` is malformed.
    """
    if is_type(text):
        return _type_spelled(ctx, text)
    name, colon, bits = text.partition(":")
    if colon and not (bits.isdecimal() and bits.isascii()):
        raise InputError(f"expected FORMAT:BITS, got '{text}'")
    return format_named(ctx, name, int(bits) if colon else None)


def _type_spelled(ctx: Context, text: str) -> NumberFormat:
    try:
        format = _parsed(ctx, text)
    except (ParseError, VerifyException) as error:
        raise InputError(f"no number format is written '{text}': {squeeze(str(error))}") from error
    if format is None:
        raise InputError(f"'{text}' is no type of numbers")
    return format


def _parsed(ctx: Context, text: str) -> NumberFormat | None:
    parser = GuardedParser(ctx, text)
    type = parser.parse_type()
    if parser.pos < len(text):
        parser.raise_error("Expected the end of the type")
    return number_format(type)


SYNTHESISED = "synthesised"
"""The name, in place of a constants' format, of lists of numbers that are synthesised for a model's constants."""


def synthesised_bits(weights: str | None) -> int | None:
    """The number BITS if `weights` is `synthesised:BITS`; None if `weights` is None or the name of a format. Raises
    `InputError` if BITS is missing or not a positive integer.
    """
    name, _, bits = (weights or "").partition(":")
    if name != SYNTHESISED:
        return None
    if not (bits.isdecimal() and bits.isascii() and int(bits)):
        raise InputError(f"expected {SYNTHESISED}:BITS, got '{weights}'")
    return int(bits)


def listing_format(main: NumberFormat, bits: int) -> NumberFormat:
    """A format of `bits` bits whose type lists its numbers (such as a codebook), and whose elements can be multiplied
    with elements of `main`.

    Raises `InputError` if there is no such format of this width.
    """
    for format in formats().values():
        if format.FAMILY == main.FAMILY and format.of_integers(2, 0, [0, 1]) is not None:
            return format.of_width(bits)
    raise InputError(f"no format with a list of numbers has products with {main.type}")
