"""Checks of the options of passes and targets in a pipeline, before any pass runs, with readable messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, parse_pipeline

from tinyml.dialects.errors import InputError, did_you_mean, did_you_mean_option
from tinyml.tools.cli.values import MAX_INTEGER

_WORDS = {
    int: "an integer",
    float: "a number with a decimal point",
    bool: "true or false",
    str: "a word, or a text in quotes",
}


def check_pipeline(pipeline: str, passes: Mapping[str, Callable[[], type[ModulePass]]]) -> None:
    """Raise `InputError` for an unknown pass or a bad option in a pipeline in xDSL's spelling."""
    for spec in parse_pipeline(pipeline):
        if spec.name not in passes:
            raise InputError(f"unknown pass '{spec.name}'{did_you_mean(spec.name, passes)}")
        check_options("pass", spec, passes[spec.name]())


def check_options(kind: str, spec: ArgSpec, spec_type: type[ArgSpecConvertible]) -> None:
    """Raise `InputError` if `spec_type`, a pass or a target (see `kind`), does not accept the options of `spec`."""
    what = f"{kind} '{spec.name}'"
    known = {field.name: field for field in fields(spec_type) if field.name != "name" and field.init}
    for option, values in spec.parameters.items():
        if option.replace("-", "_") not in known:
            others = did_you_mean_option(option, known) or (
                f" (one of {', '.join(known)})" if known else ": it has none"
            )
            raise InputError(f"{what}: unknown option '{option}'{others}")
        if any(isinstance(value, int) and abs(value) > MAX_INTEGER for value in values):
            raise InputError(f"{what}, option {option}: integers go up to {MAX_INTEGER}")
    given = spec.normalize_parameter_names().parameters
    if missing := [name for name, field in known.items() if _is_required(field, spec_type) and name not in given]:
        raise InputError(f"{what}: the option '{missing[0]}' is missing")
    complaint = _complaint(spec, spec_type)
    if complaint is None:
        return
    # xDSL does not name the rejected option: it is the option whose removal ends the complaint, or at least changes it.
    without = {option: _complaint(_without(spec, option), spec_type) for option in spec.parameters}
    blamed = sorted((text is not None, option) for option, text in without.items() if text != complaint)
    if not blamed:
        raise InputError(f"{what}: {complaint}")
    option = blamed[0][1]
    spelled = str(ArgSpec("", {option: spec.parameters[option]}))[1:-1]
    if complaint.startswith("Incompatible types"):
        complaint = f"expected {_words(get_type_hints(spec_type)[option.replace('-', '_')])}"
    raise InputError(f"{what}, option {spelled}: {complaint}")


def _is_required(field: Field[Any], spec_type: type[ArgSpecConvertible]) -> bool:
    has_default = field.default is not MISSING or field.default_factory is not MISSING
    return not has_default and NoneType not in get_args(get_type_hints(spec_type)[field.name])


def _words(type: Any) -> str:
    origin, parts = get_origin(type), [part for part in get_args(type) if part not in (NoneType, Ellipsis)]
    if origin is tuple:
        return f"a list, each {_words(parts[0])}, as in 1,2" if parts else "a list"
    if origin is Literal:
        return f"one of {', '.join(map(str, parts))}"
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_words, parts)))
    return _WORDS.get(type, str(type))


def _without(spec: ArgSpec, option: str) -> ArgSpec:
    return ArgSpec(spec.name, {name: values for name, values in spec.parameters.items() if name != option})


def _complaint(spec: ArgSpec, spec_type: type[ArgSpecConvertible]) -> str | None:
    try:
        spec_type.from_spec(spec)
    except ValueError as error:
        return " ".join(str(error).split())
    return None
