"""Options of the assignment of formats: schemes of functions and rules for scales, which only some number formats
support, and types that an option specifies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Attribute

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError, unknown
from tinyml.dialects.formats.lookup import format_spelled, is_type
from tinyml.dialects.formats.number_format import BY_SCORES, SCALING_RULES, NumberFormat, ScaleBy
from tinyml.dialects.functions import defined_functions


def check_scheme(prototype: NumberFormat, format: str, scheme: str | None) -> None:
    """Raise `InputError` for a scheme of functions that a format does not define.

    prototype: the format.
    format: its name, for the message.
    scheme: the scheme; None for the default.
    """
    if scheme is not None and scheme not in prototype.SCHEMES:
        known = f"one of {', '.join(prototype.SCHEMES)}" if prototype.SCHEMES else "it has none"
        raise InputError(f"format '{format}' has no scheme '{scheme}' for functions ({known})")


def scaling_rule(prototype: NumberFormat, format: str, name: str | None) -> ScaleBy | None:
    """The scaling rule with a given name; None if `name` is None. Raises `InputError` for a rule that is unknown or
    unsuitable for the format.

    prototype: the format.
    format: its name, for the message.
    name: the name of the rule; None for the format's own rule.
    """
    for known in SCALING_RULES:
        if name == known:
            if known == BY_SCORES and prototype.AS_PUBLISHED:
                raise InputError(f"format '{format}' computes as published, and has no scales by {known}")
            return known
    if name is not None:
        raise unknown("rule for scales", name, SCALING_RULES)
    return None


def record_given(ctx: Context, module: ModuleOp, options: Iterable[str]) -> None:
    """Record the types among options (`tdsl.GIVEN`) in the functions of a module, after those recorded before. Raises
    `InputError` for a malformed type.

    options: formats, as for `format_spelled`.
    """
    types = [format_spelled(ctx, text).type for text in options if is_type(text)]
    for function in defined_functions(module) if types else ():
        recorded = cast("ArrayAttr[Attribute] | None", function.attributes.get(tdsl.GIVEN))
        known = () if recorded is None else recorded.data
        function.attributes[tdsl.GIVEN] = ArrayAttr(dict.fromkeys([*known, *types]))
