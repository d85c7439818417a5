"""Passes on the IR of all FileCheck tests, and on this IR after changes of its structure or text."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast

from programs.paths import FILECHECK
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, ModuleOp, TensorType, f32, i8, i16, i32
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.printer import Printer

from fuzz.kinds.files import tour
from fuzz.verdicts import OPT, call
from tinyml.dialects.context import context
from tinyml.dialects.guarded_parser import GuardedParser
from tinyml.dialects.options import options_of
from tinyml.tools.universe import TINYML

SPLIT = "// -----"
LONGEST = 20_000
"""Characters of an IR that is tried."""


@cache
def sources() -> list[str]:
    """The modules of the `.mlir` files of the FileCheck suite that have fewer than `LONGEST` characters."""
    texts = [path.read_text(errors="replace") for path in sorted(FILECHECK.rglob("*.mlir"))]
    return [part for text in texts for part in text.split(SPLIT) if len(part) < LONGEST]


@cache
def passes() -> list[str]:
    return sorted(TINYML.all_passes)


def pipeline_of(name: str) -> str:
    """A pass with values for its required options, in pipeline syntax. The value is 1 for a number, and otherwise the
    path of a data set.
    """
    required = [option for option in options_of(TINYML.all_passes[name]()) if option.required]
    values = " ".join(f"{option.name}={_value(option.type)}" for option in required)
    return f"{name}{{{values}}}" if values else name


def _value(type: Any) -> str:
    return "1" if type in (int, float) else f'"{tour() / "val.npz"}"'


def every_pass(number: int, random: Random, folder: Path) -> str:
    """Run a pass on a module of the tests, and return the verdict. Consecutive numbers enumerate all pairs of pass and
    module.
    """
    texts, names = sources(), passes()
    # Files in turn, so that a short run meets all of them.
    text = texts[number % len(texts)]
    name = names[(number // len(texts) + number) % len(names)]
    return _opt(text, pipeline_of(name), folder)


def _opt(text: str, pipeline: str, folder: Path) -> str:
    file = folder / "input.mlir"
    file.write_text(text)
    return call(OPT, file, "-p", pipeline)


def changed(number: int, random: Random, folder: Path) -> str:
    """Change a module of the tests, run one to three passes on it, and return the verdict."""
    text = random.choice(sources())
    for _ in range(random.randint(1, 3)):
        text = (changed_structure(text, random) if random.random() < 0.75 else None) or changed_text(text, random)
    names = random.sample(passes(), random.randint(1, 3))
    return _opt(text, ",".join(map(pipeline_of, names)), folder)


def changed_text(text: str, random: Random) -> str:
    """The text with up to 20 characters removed, or replaced by a repetition, a special character or an integer."""
    start = random.randrange(len(text) + 1)
    end = min(len(text), start + random.choice([1, 1, 2, 5, 20]))
    piece = random.choice(
        ["", text[start:end] * 2, random.choice('"<>(){}[],:%#!@-'), str(random.randint(-(2**70), 2**70))]
    )
    return text[:start] + piece + text[end:]


def changed_structure(text: str, random: Random) -> str | None:
    """The IR after one change that usually leaves it parseable.

    None if the text is not a module or contains no ops, or if the changed module cannot be printed.
    """
    try:
        module = GuardedParser(context(), text).parse_module()
    except Exception:
        return None
    ops = [op for op in module.walk() if op is not module]
    if not ops:
        return None
    # A change need not make sense; the result is what matters.
    with suppress(Exception):
        random.choice(CHANGES)(random.choice(ops), ops, random)
    return printed(module)


def printed(module: ModuleOp) -> str | None:
    """The module in MLIR's generic form, which does not require a valid module; None if it cannot be printed."""
    text = io.StringIO()
    try:
        Printer(text, print_generic_format=True).print_op(module)
    except Exception:
        return None
    return text.getvalue()


SCALARS: tuple[Attribute, ...] = (f32, i8, i16, i32)


def _values(ops: Sequence[Operation]) -> list[SSAValue]:
    arguments = [argument for op in ops for region in op.regions for block in region.blocks for argument in block.args]
    return [*arguments, *(result for op in ops for result in op.results)]


def _types(ops: Sequence[Operation]) -> list[Attribute]:
    return [value.type for value in _values(ops)]


def _exchange_operand(op: Operation, ops: Sequence[Operation], random: Random) -> None:
    index = random.randrange(len(op.operands))
    same = [value for value in _values(ops) if value.type == op.operands[index].type]
    op.operands[index] = random.choice(same if same and random.random() < 0.7 else _values(ops))


def _change_type(op: Operation, ops: Sequence[Operation], random: Random) -> None:
    value = random.choice(_values(ops))
    type = changed_type(value.type, _types(ops), random)
    if isinstance(value, OpResult | BlockArgument):
        value._type = type  # pyright: ignore[reportPrivateUsage]


def changed_type(type: Attribute, others: Sequence[Attribute], random: Random) -> Attribute:
    """A type of `others` or of `SCALARS`, or the tensor type `type` with another extent or element type."""
    if not isinstance(type, TensorType) or random.random() < 0.3:
        return random.choice([*others, *SCALARS])
    tensor = cast(TensorType[Attribute], type)
    shape, element = list(tensor.get_shape()), tensor.element_type
    if shape and random.random() < 0.6:
        shape[random.randrange(len(shape))] = random.choice([0, 1, 2, 3, 7, 1000, 1 << 40])
    else:
        element = random.choice([*SCALARS, *(other for other in others if not isinstance(other, TensorType))])
    return TensorType(element, shape, tensor.encoding)


def _change_attribute(op: Operation, ops: Sequence[Operation], random: Random) -> None:
    where = random.choice([group for group in (op.attributes, op.properties) if group])
    name = random.choice([*where])
    value = where[name]
    if isinstance(value, IntegerAttr):
        integer = cast(IntegerAttr[Any], value)
        number = random.choice([-1, 0, 1, integer.value.data + 1, -integer.value.data, 1 << 31, 1 << 63])
        where[name] = IntegerAttr(number, integer.type)
    elif isinstance(value, FloatAttr):
        real = random.choice([0.0, -1.0, 1e30, -1e-30, float("inf"), float("nan")])
        where[name] = FloatAttr(real, cast(FloatAttr[Any], value).type)
    elif random.random() < 0.3:
        del where[name]
    else:
        donors = [attribute for donor in ops for attribute in (*donor.attributes.values(), *donor.properties.values())]
        where[name] = random.choice(donors)


def _delete(op: Operation, ops: Sequence[Operation], random: Random) -> None:
    for result in op.results:
        same = [value for value in _values(ops) if value.type == result.type and value is not result]
        result.replace_all_uses_with(random.choice(same))
    op.detach()


def _double(op: Operation, ops: Sequence[Operation], random: Random) -> None:
    block = op.parent_block()
    assert block is not None
    block.insert_op_after(op.clone(), op)


def _move(op: Operation, ops: Sequence[Operation], random: Random) -> None:
    target = random.choice(ops)
    block = target.parent_block()
    assert block is not None
    op.detach()
    block.insert_op_before(op, target)


CHANGES = (_exchange_operand, _exchange_operand, _change_type, _change_type, _change_attribute, _delete, _double, _move)


def options(number: int, random: Random, folder: Path) -> str:
    """Run a pass or pipeline on a module of the tests, with random options that have random values, and return the
    verdict.
    """
    name = random.choice(passes())
    known = options_of(TINYML.all_passes[name]())
    values: dict[str, str] = {option.name: _value(option.type) for option in known if option.required}
    for option in random.sample(known, min(len(known), random.randint(0, 2))):
        values[option.name] = random.choice(VALUES if random.random() < 0.5 else LIKELY.get(option.type, WORDS))
    if random.random() < 0.1:
        values[random.choice(["nothing", "format", ""])] = random.choice(VALUES)
    text = " ".join(f"{option}={value}" for option, value in values.items())
    return _opt(random.choice(sources()), f"{name}{{{text}}}" if text else name, folder)


LIKELY: dict[Any, tuple[str, ...]] = {bool: ("true", "false"), int: ("0", "1", "8", "-1"), float: ("0.5", "0", "-1.5")}
WORDS = ("uno", "host", "cortex-m4", "fixed", "posit", "seedot", "always", "8,16", "0", "1")
VALUES = (
    *("", "0", "-1", "1", "2.5", "1e999", "nan", "true", "false", "9" * 4400),
    *("fixed", "posit", "posit:8", "fixed:0", "seedot", "shiftry", "zeroskew"),
    *("uno", "host", "cortex-m4", "nowhere", "best-fit", "exact", "margin", "always", "never"),
    *('"a b"', '""', "-p", "{", "}", "a,b,,c", "1,2,3", "/dev/null", "/", "é", "\\"),
)
"""Values of options, most of them wrong for most options."""
