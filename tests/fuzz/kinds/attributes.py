"""Test IR whose tinyml attributes are in wrong places or have wrong types or values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

from programs.paths import FILECHECK
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    f32,
    i1,
    i8,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import VerifyException

from fuzz.kinds.files import tour
from fuzz.kinds.ir import LONGEST, SPLIT, passes, pipeline_of, printed
from fuzz.verdicts import OPT, REFUSED, TINYML, call
from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.discardable_attributes import HolderKind, Value
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.guarded_parser import GuardedParser
from tinyml.tools.universe import discardable_attributes

_RUN = re.compile(r"^// RUN: .*?-p (?:'([^']+)'|([\w-]+))", re.M)


@cache
def programs() -> list[tuple[str, Sequence[str]]]:
    """The modules of the FileCheck suite that contain a function and fewer than `LONGEST` characters, each with the
    pipelines that its file runs.
    """
    found: list[tuple[str, Sequence[str]]] = []
    for path in sorted(FILECHECK.rglob("*.mlir")):
        text = path.read_text(errors="replace")
        pipelines = [run for runs in _RUN.findall(text) for run in runs if run and "%" not in run]
        found += [(part, pipelines) for part in text.split(SPLIT) if len(part) < LONGEST and "func.func" in part]
    return found


VALUES: tuple[Attribute, ...] = (
    UnitAttr(),
    *(StringAttr(text) for text in ("x", "", "int16", "uno", "auto", "2xint8g4")),
    *(IntegerAttr(number, i64) for number in (-1, 0, 1, 3, 5, 7, 8, 9, 4096, 2**31, 2**62)),
    *(IntegerAttr(1, type) for type in (i1, i8)),
    *(FloatAttr(number, 64) for number in (0.0, 0.5, -1.0, 1e300, float("nan"), float("inf"))),
    *(
        DenseArrayBase.from_list(i64, list(numbers))
        for numbers in ((), (0,), (0, 2, 1), (0, 2, 3, 1), (4, 2, 3, 1), (-1, 5))
    ),
    *(DenseArrayBase.from_list(f32, list(numbers)) for numbers in ((), (1.0,), (0.0, 2.0), (float("nan"),))),
    ArrayAttr([]),
    ArrayAttr([UnitAttr()]),
    ArrayAttr([StringAttr("a"), StringAttr("b")]),
    ArrayAttr([IntegerAttr(1, i64), StringAttr("b")]),
    ArrayAttr([ArrayAttr([StringAttr("a"), IntegerAttr(3, i64)])]),
    ArrayAttr([DenseArrayBase.from_list(i64, [3, 3])]),
    DictionaryAttr({}),
    DictionaryAttr({"count": IntegerAttr(3, i64), "what": StringAttr("a"), "smaller": StringAttr("b")}),
    DictionaryAttr({name: FloatAttr(1.0, 64) for name in ("time", "flash", "ram")}),
    ArrayAttr([DictionaryAttr({name: StringAttr("y.0") for name in ("first", "last", "by")})]),
    tdsl.Range(-1.0, 1.0),
    tdsl.Profile(-1.0, 1.0, [-1.0, -1.0, 0.0, 1.0, 1.0]),
    FixedType(8, 4),
    i8,
)
"""Values of all kinds that some attribute takes, most of them wrong for most attributes."""

INPUT_FIELDS: Mapping[str, Sequence[object]] = {
    "range": [(-1.0, 1.0), (0.0, 0.0), (-1e30, 1e30)],
    "zeros": [0.5, 1.0],
    "names": [("a",), ("a", "b", "c", "d")],
    "scales": [(1.0,), (0.5, -2.0), (1e-30, 1e30)],
    "offsets": [(0.0,), (3.0, -1e30)],
    "points": [(0.0,), (8.0, -3.0)],
    "unit": ["int8", "2xg16384", "int16", "x"],
    "format": [FixedType(8, 4), FixedType(16, 20)],
    "order": [(0, 2, 3, 1), (0, 2, 1), (0, 3, 1, 2)],
    "parts": [(("a", 1), ("b", 2)), (("a", 2**40),)],
    "packed": [1, 4, 8, 32],
    "received": [1, 3, 4, 2**40],
    "reused": [True],
    "pushed": [tdsl.Pushes(3, 1, 4, 1), tdsl.Pushes(4, 4, 1, 1), tdsl.Pushes(1, 1, 2**40, 2)],
    "rate": [8000, 1e300],
}
PROGRAM_FIELDS: Mapping[str, Sequence[object]] = {
    "classes": [("a", "b"), (0, 1, 2), ("a", "b", "c", "d")],
    "clusters": [True],
    "stored": [tdsl.StoredExamples(3, "stored examples", "train with fewer")],
    "instances": [True],
    "calls": [1, 4, 2**40],
}
"""Values of the fields of interfaces, most of which fit some program."""


def attributes(number: int, random: Random, folder: Path) -> str:
    """Change attributes of a module, run its pipeline, random passes or the compiler on the module, and return the
    verdict; `REFUSED` if the module cannot be parsed.
    """
    text, pipelines = random.choice(programs())
    try:
        module = GuardedParser(context(), text).parse_module()
    except Exception:
        return REFUSED
    for _ in range(random.randint(1, 3)):
        change(module, random)
    file = folder / "input.mlir"
    file.write_text(printed(module) or text)
    if random.random() < 0.1:
        out = folder / "out"
        return call(TINYML, "compile", file, "--val", tour() / "val.npz", "--target", "host", "-o", out)
    if pipelines and random.random() < 0.7:
        return call(OPT, file, "-p", random.choice(pipelines))
    return call(OPT, file, "-p", ",".join(map(pipeline_of, random.sample(passes(), random.randint(1, 2)))))


def change(module: ModuleOp, random: Random) -> None:
    """Set, replace or remove an attribute of the module, of an operation, or of a function's argument or result.

    If the module has one function, its interface attribute may be changed instead.
    """
    ops = [*module.walk()]
    functions = [op for op in ops if isinstance(op, FuncOp)]
    if len(functions) == 1 and functions[0].body.blocks and random.random() < 0.3:
        with suppress(VerifyException):
            tdsl.update_input(module, **_some_fields(INPUT_FIELDS, random))
            tdsl.update_interface(module, **_some_fields(PROGRAM_FIELDS, random))
        return
    if functions and random.random() < 0.6:
        function = random.choice(functions)
        if random.random() < 0.9:
            place, count = HolderKind.ARGUMENT, len(function.function_type.inputs)
            function.arg_attrs = _changed(function.arg_attrs, count, place, random)
        else:
            place, count = HolderKind.RESULT, len(function.function_type.outputs)
            function.res_attrs = _changed(function.res_attrs, count, place, random)
        return
    op = random.choice([module, *functions, random.choice(ops)])
    place = HolderKind.MODULE if op is module else HolderKind.FUNCTION if op in functions else HolderKind.OPERATION
    op.attributes = _with_another(op.attributes, place, op, random)


def _some_fields(known: Mapping[str, Sequence[object]], random: Random) -> dict[str, object]:
    """Random values for at most three fields of an interface; values for scales, offsets or points are always
    accompanied by scales and offsets.
    """
    names = {*random.sample([*known], random.randint(0, 3))}
    if names & {"scales", "offsets", "points"}:
        names |= {"scales", "offsets"}
    return {name: random.choice(known[name]) for name in sorted(names)}


def _changed(
    given: ArrayAttr[DictionaryAttr] | None, count: int, place: HolderKind, random: Random
) -> ArrayAttr[DictionaryAttr] | None:
    groups: list[dict[str, Attribute]] = [{} for _ in range(count)]
    if given is not None:
        groups = [dict(group.data) for group in given]
    if groups:
        number = random.randrange(len(groups))
        groups[number] = _with_another(groups[number], place, None, random)
    return ArrayAttr(map(DictionaryAttr, groups)) if groups else given


def _with_another(
    attributes: dict[str, Attribute], place: HolderKind, holder: Operation | None, random: Random
) -> dict[str, Attribute]:
    """A copy of `attributes` in which one attribute is added, removed, renamed or replaced. Most added attributes are
    allowed at this place.

    place: the kind of object that has the attributes.
    holder: the operation that has them; None for other objects.
    """
    declared, changed = discardable_attributes(), dict(attributes)
    present = [name for name in attributes if name in declared]
    if present and random.random() < 0.3:
        name = random.choice(present)
        value = changed.pop(name)
        if random.random() < 0.3:
            changed[random.choice([name[:-1], f"{name}s", "tdsl.nothing"])] = value
        return changed
    here = [name for name, one in declared.items() if one.value_at(place, holder) is not None]
    name = random.choice(here if here and random.random() < 0.9 else [*declared])
    value = declared[name].value_at(place, holder)
    fitting = [one for one in VALUES if value is not None and _accepts(value, one)]
    changed[str(name)] = random.choice(fitting if fitting and random.random() < 0.75 else VALUES)
    return changed


def _accepts(value: Value, attribute: Attribute) -> bool:
    try:
        return value.accepts(attribute, None)
    except Exception:
        return False
