"""The pages docs/dialects/*.md, generated from the definitions of ops, types and attributes of each dialect."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayOfConstraint, SymbolNameConstraint
from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    AnyOf,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    MessageConstraint,
    OpDef,
    OptAttributeDef,
    OptOperandDef,
    OptPropertyDef,
    OptResultDef,
    ParamAttrConstraint,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
    VarOperandDef,
    VarResultDef,
)

from tinyml.dialects.context import own_dialects
from tinyml.dialects.num.base import FormatConstraint, SumConstraint
from tinyml.dialects.own_attributes import OwnAttribute
from tinyml.dialects.tdsl.interface import InputInterface, ProgramInterface, interface_fields
from tinyml.lowering.loops.lowerings import lowering_of_class
from tinyml.tools.universe import own_attributes

ATTRIBUTES = """# Attributes of our own

<!-- Written from the declarations by `pytest --update-docs tests/unit/tools/reports/test_dialect_reference.py`. -->

What passes note on operations, functions and their arguments, beside the properties of each op. `tinyml-opt` and
`tinyml compile` verify them when they read a module, `tinyml-opt` also after each pass: an unknown name that begins
with `rtl.`, `scratch.`, `tdsl.` or `tinyml.`, another place or another value is an error at the operation. A pass
declares an attribute as the constant by which it reads it, an `OwnAttribute` of `dialects/own_attributes.py`, in a
module of which `ATTRIBUTES` in `tools/universe.py` is the list. Attributes of other packages have prefixes of their
own.
"""

INTERFACE = """## The interface of a program

`tdsl.interface` of a function says what callers and users of the program have to know, and follows it from import to C.
Only the fields that are given are written; an error of a field is at its value.

```mlir
func.func @f(%X: tensor<4x1xf32>) -> index
  attributes {tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0], reused>, classes = ["a", "b"]>}
```

A field is declared once, in `dialects/tdsl/interface.py`: its type, its values and its meaning. Passes read it by
`read_interface` and `read_input`, and change it by `update_interface` and `update_input`.
"""

PAGES: dict[str, tuple[str, str, Sequence[str]]] = {
    "tdsl": (
        "tdsl: operations on tensors",
        "Levels L0 and L1, and L2 on memrefs, where `into` names the result. The element type is `f32` or a number "
        "format; ops say what they compute in either. `lower-tdsl-to-loops` calls the function that each op names "
        "under *Lowering*.",
        ["tdsl"],
    ),
    "scratch": (
        "scratch: memory",
        "From level L2 on: one arena for all working memory, constants in flash, and views into both. "
        "`lower-tdsl-to-scratch` makes these ops; `lower-arith-to-c` turns them into declarations and pointers.",
        ["scratch"],
    ),
    "num": (
        "num: scalars of a number format",
        "Level L3: what one iteration of a loop computes. An accumulator holds an exact sum until `num.finish` rounds "
        "it. `lower-num-to-exact` asks the format of each op for its integer arithmetic, and calls the C function "
        "of a `num.call`.",
        ["num"],
    ),
    "exact": (
        "exact: integers in proven intervals",
        "Between L3 and L4: what a format's operation computes, on integers without limits. Each result states the "
        "interval in which it is proven to lie, and has the register that holds it. `lower-num-to-exact` records these "
        "ops, `lower-exact-to-arith` emits each on registers, by the method of `Machine` of its name, and `tinyml "
        "prove` proves that registers and evaluator compute what an op documents "
        "([the arithmetic of a format, printed](../arithmetic.md#the-arithmetic-of-a-format-printed)).",
        ["exact"],
    ),
    "c": (
        "c: the C that is printed",
        "Level L5: C99 with explicit memory. The printer of a target (`targets/c/`) writes one line or expression "
        "for each op.",
        ["c"],
    ),
    "rtl": (
        "rtl: hardware",
        "Level L5 of a module in Verilog ([hardware](../fpga.md)), in place of C: registers, logic and memories.",
        ["rtl"],
    ),
    "stablehlo": (
        "stablehlo, chlo: modules of JAX",
        "[A module of JAX](../mlir.md) in MLIR's generic form, before `lower-stablehlo-to-tdsl`: the ops of StableHLO "
        "that are read, with its rules for shapes.",
        ["stablehlo", "chlo"],
    ),
    "formats": (
        "Number formats",
        "Types of the elements of tensors and memrefs, and of accumulators. [Arithmetic](../arithmetic.md) gives the "
        "result of every operation, format by format; [adding a format](../adding-a-format.md) makes one.\n\n"
        "Number representation is a swappable dialect in this sense: the dialects of this page are dialects of "
        "types. One of them has ops as well, for the steps of a sum that no register holds; they appear only "
        "between `num` and `arith`. Ops of `tdsl` and `num` are free of formats, the type of an element says which "
        "one it has, and a program may mix them. Replacing one representation by another replaces types: from L1 on "
        "the same ops stand on the type of any of these dialects, or of a package's. The format's arithmetic enters "
        "once, on the way from `num` to `arith`: `lower-num-to-exact` asks the type of each scalar op for its integer "
        "program, and below L3 no format is left.\n\n"
        "Elements that share a power of two are *groups*: those of a type, such as integers in blocks, and the rows "
        "that `left_shifts` of `tdsl.matmul_sum` raise, are one thing for bounds, the evaluator, proofs and loops. "
        "Three kinds of scales are no groups. `row_shifts` are decided on reals, before there are formats, and divide "
        "the complete sum of a row, so that kernels compute several rows at once; as groups, whose sums join one by "
        "one, a perceptron of 64, 32 and 10 units takes a third more instructions on a Cortex-M4. The scales of a "
        "list of affine integers are reals: TensorFlow Lite multiplies the complete sum of a row by each and rounds "
        "(`num.level`), where a group joins exactly. A zero point belongs to a whole tensor, and becomes part of the "
        "constants from which sums start.",
        [],
    ),
}
"""Pages by name: title, introduction and dialects; an empty list selects the dialects of no other page."""

NOTE = """\
Made from the definitions by `pytest --update-docs tests/unit/tools/reports/test_dialect_reference.py`: do not edit.
"""

MANY = (VarOperandDef, VarResultDef)
OPTIONAL = (OptOperandDef, OptResultDef)


def dialect_page(page: str, tests: Iterable[str]) -> str:
    """The text of a page. tests: IR files for examples; the first with an op supplies its example."""
    title, introduction, _ = PAGES[page]
    lines = [line for text in tests for line in text.splitlines()]
    parts = [f"# {title}", NOTE.rstrip(), introduction]
    for name in dialects_of(page):
        parts += _dialect(own_dialects()[name](), lines)
    return "\n\n".join(parts) + "\n"


def attributes_page() -> str:
    """The text of the page about this project's discardable attributes."""
    rows = ["| name | on | value | meaning |", "|---|---|---|---|"]
    for name, one in sorted(own_attributes().items()):
        rows.append(f"| `{name}` | {one.places} | {_values(one)} | {one.meaning} |")
    parts = [ATTRIBUTES, "\n".join(rows) + "\n", INTERFACE]
    for kind, title in ((InputInterface, "field of `input`"), (ProgramInterface, "field")):
        fields = [f"| `{name}` | {value.words} | {meaning} |" for name, value, meaning in interface_fields(kind)]
        parts.append("\n".join([f"| {title} | value | meaning |", "|---|---|---|", *fields]) + "\n")
    return "\n".join(parts)


def _values(declared: OwnAttribute) -> str:
    """The kinds of values of an attribute in all its places, as text."""
    return ", or ".join(dict.fromkeys(value.words.replace("|", "\\|") for value in declared.values.values()))


def dialects_of(page: str) -> Sequence[str]:
    """The dialects on a page."""
    elsewhere = {name for _, _, named in PAGES.values() for name in named}
    return PAGES[page][2] or sorted(own_dialects().keys() - elsewhere)


def _dialect(dialect: Dialect, lines: Sequence[str]) -> Iterator[str]:
    for attribute in sorted(dialect.attributes, key=lambda kind: kind.name):
        yield f"## {_spelled(attribute)}"
        yield _docstring(attribute)
    for op in sorted(dialect.operations, key=lambda kind: kind.name):
        assert issubclass(op, IRDLOperation)
        yield f"## {op.name}"
        yield from _op(op, op.get_irdl_definition(), lines)


def _op(op: type[Operation], definition: OpDef, lines: Sequence[str]) -> Iterator[str]:
    yield _docstring(op)
    if definition.assembly_format:
        yield f"Syntax: ``{op.name} {definition.assembly_format}``"
    if rows := [*_rows(definition)]:
        yield "\n".join(["| name | | type |", "|---|---|---|", *rows])
    if traits := [name for trait in op.traits.traits if not (name := type(trait).__name__).startswith("_")]:
        yield f"Traits: {', '.join(f'`{name}`' for name in sorted(traits))}."
    if lowering := lowering_of_class(op):
        file = lowering.__module__.removeprefix("tinyml.").replace(".", "/")
        yield f"Lowering: `{lowering.__name__}` in `{file}.py`."
    if example := example_of(op.name, lines):
        yield f"```mlir\n{example}\n```"


def _rows(definition: OpDef) -> Iterator[str]:
    for kind, members in (("operand", definition.operands), ("result", definition.results)):
        for name, member in members:
            count = ", optional" if isinstance(member, OPTIONAL) else ", any number" if isinstance(member, MANY) else ""
            yield f"| `{name}` | {kind}{count} | {words_of(member.constr)} |"
    for name, _ in definition.regions:
        yield f"| `{name}` | region | |"
    for name, attribute in {**definition.properties, **definition.attributes}.items():
        if not name.endswith("SegmentSizes"):
            count = ", optional" if isinstance(attribute, OptPropertyDef | OptAttributeDef) else ""
            yield f"| `{name}` | attribute{count} | {words_of(attribute.constr)} |"


def words_of(constraint: Any) -> str:
    """A constraint as text; types with the same name in parentheses are equal."""
    return next((words(constraint) for kind, words in WORDS.items() if isinstance(constraint, kind)), "any")


def _of_parameters(constraint: Any) -> str:
    inner = [words_of(part) for part in constraint.param_constrs if not isinstance(part, AnyAttr)]
    return " of ".join([f"`{_spelled(constraint.base_attr)}`", *inner])


WORDS: dict[type, Callable[[Any], str]] = {
    RangeLengthConstraint: lambda range: words_of(range.constraint),
    RangeOf: lambda range: words_of(range.constr),
    MessageConstraint: lambda said: said.message.removeprefix("expected "),
    VarConstraint: lambda variable: f"{words_of(variable.constraint)} (*{variable.name.lower()}*)",
    AnyOf: lambda choice: " or ".join(map(words_of, choice.attr_constrs)),
    EqAttrConstraint: lambda equal: f"`{equal.attr}`",
    BaseAttr: lambda base: f"`{_spelled(base.attr)}`",
    ParamAttrConstraint: _of_parameters,
    ArrayOfConstraint: lambda array: f"array of {words_of(array.elem_range_constraint)}",
    FormatConstraint: lambda format: format.what + (" of one family" if format.one_family else ""),
    SumConstraint: lambda sum: "an accumulator of integers" if sum.integer else "an accumulator",
    SymbolNameConstraint: lambda _: "the name of a symbol",
}


BUILTIN = {"integer_type": "integer", "symbol_ref": "@symbol"}


def _spelled(kind: type[Attribute]) -> str:
    name = BUILTIN.get(kind.name, kind.name).removeprefix("builtin.")
    return f"{'!' if issubclass(kind, TypeAttribute) else '#'}{name}" if "." in name else name


def _docstring(kind: type) -> str:
    """The docstring of a class or, if it refers to its module, of the module."""
    text = inspect.cleandoc(kind.__doc__ or "")
    if "see the module" in text:
        module = inspect.cleandoc(inspect.getmodule(kind).__doc__ or "")
        text = text.replace("; see the module", "") + "\n\n" + module
    return text


def example_of(name: str, lines: Sequence[str]) -> str | None:
    """The first op of a name in lines of IR, up to the line that closes its regions; None if there is none."""
    found = re.compile(rf"^(?!\s*//)(?:.*= *)?\s*\"?{re.escape(name)}(?![\w.])")
    for start, line in enumerate(lines):
        if not found.search(line):
            continue
        taken: list[str] = []
        depth = 0
        for more in lines[start:]:
            if more.lstrip().startswith("//"):
                continue
            taken.append(more)
            depth += more.count("{") - more.count("}")
            if depth <= 0:
                return inspect.cleandoc("\n".join(["", *taken]))
    return None
