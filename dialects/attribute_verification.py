"""Verifies that discardable attributes of tinyml match their declarations in `discardable_attributes.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from tinyml.dialects.discardable_attributes import OWN, Holder, HolderKind, declared_attributes
from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.dialects.locations import error_at

FORMER = (
    *("tdsl.classes", "tdsl.clusters", "tdsl.feature_names", "tdsl.feature_scales", "tdsl.feature_zeros"),
    *("tdsl.input_format", "tdsl.input_unit", "tdsl.instances", "tdsl.order", "tdsl.packed", "tdsl.parts"),
    *("tdsl.pushed", "tdsl.range", "tdsl.rate", "tdsl.received", "tdsl.reused", "tdsl.state", "tdsl.stored"),
    *("tdsl.zeros", "scratch.gap", "scratch.height", "scratch.lower_bound", "scratch.optimal", "tinyml.copied"),
)
"""Names of attributes in files of older versions, which `#tdsl.interface` and properties of ops have replaced."""


def verify_discardable_attributes(module: ModuleOp, complete: Callable[[], object]) -> None:
    """Raise `InputError` for an attribute in `module` that belongs to tinyml and is unknown, misplaced, or has an
    invalid value.

    complete: imports the modules that declare attributes. It is called if a name is not declared yet.
    """
    declared = declared_attributes()
    for op in module.walk():
        for place, where, holder, attributes in _groups(op):
            for name, attribute in attributes.items():
                if name.partition(".")[0] in OWN and name not in declared:
                    complete()
                if (complaint := _complaint(name, attribute, place, holder)) is not None:
                    raise error_at(op, f"{complaint}{where}")


def _groups(op: Operation) -> Iterator[tuple[HolderKind, str, Holder | None, Mapping[str, Attribute]]]:
    """Yield the attributes of an operation; for a function, also those of its arguments and results.

    Each item is a tuple: the kind of place, a description of the place for messages, the object that has the attributes
    (None for a result, and for an argument of a declaration), and the attributes by name.

    Raises `InputError` for a function without a function type, and for arguments or results whose attributes are not
    dictionaries.
    """
    if not isinstance(op, FuncOp):
        yield HolderKind.MODULE if isinstance(op, ModuleOp) else HolderKind.OPERATION, "", op, op.attributes
        return
    # xDSL verifies attributes before properties, and its verifier fails on a function without a type.
    if not isinstance(op.properties.get("function_type"), FunctionType):
        raise error_at(op, "the property 'function_type' is missing or no type of a function")
    for lists in ("arg_attrs", "res_attrs"):
        given: Attribute | None = op.properties.get(lists)
        if given is not None and not isa(given, ArrayAttr[DictionaryAttr]):
            raise error_at(op, f"the property '{lists}' must be an array of dictionaries, got {given}")
    symbol: Attribute | None = op.properties.get("sym_name")
    name = symbol.data if isinstance(symbol, StringAttr) else "?"
    yield (
        HolderKind.DECLARATION if op.is_declaration else HolderKind.FUNCTION,
        f" (function '{name}')",
        op,
        op.attributes,
    )
    arguments: Sequence[SSAValue] = () if op.is_declaration else op.args
    for place, given in ((HolderKind.ARGUMENT, op.arg_attrs), (HolderKind.RESULT, op.res_attrs)):
        for number, attributes in enumerate(() if given is None else given.data):
            holder = arguments[number] if place is HolderKind.ARGUMENT and number < len(arguments) else None
            yield place, f" ({place.name.lower()} {number} of function '{name}')", holder, attributes.data


def _complaint(name: str, attribute: Attribute, place: HolderKind, holder: Holder | None) -> str | None:
    known = declared_attributes()
    if (declared := known.get(name)) is None:
        if name.partition(".")[0] not in OWN:
            return None
        if name in FORMER:
            return f"an older version wrote the attribute '{name}': write the file again with `tinyml compile`"
        return f"unknown attribute '{name}'{did_you_mean(name, known)}"
    if (value := declared.value_at(place, holder)) is None:
        here = f"'{holder.name}'" if place is HolderKind.OPERATION and isinstance(holder, Operation) else place.value
        return f"the attribute '{name}' is on {here}, expected on {declared.places.replace('`', chr(39))}"
    try:
        reason = "" if value.accepts(attribute, holder) else None
    except (VerifyException, InputError) as error:
        reason = f": {error.message if isinstance(error, InputError) else error}"
    if reason == "":
        return None
    return f"the attribute '{name}' is {_short(attribute)}, expected {value.words}{reason or ''}"


def _short(attribute: Attribute) -> str:
    text = str(attribute)
    return text if len(text) <= 80 else f"{text[:80]}..."
