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
from tinyml.dialects.discardable_attributes import DiscardableAttribute
from tinyml.dialects.num.base import FormatConstraint, SumConstraint
from tinyml.dialects.tdsl.interface import InputInterface, ProgramInterface, interface_fields
from tinyml.lowering.loops.lowerings import lowering_of_class
from tinyml.tools.reports.docstring_lists import with_lists
from tinyml.tools.universe import discardable_attributes

ATTRIBUTES = """# Attributes of tinyml

<!-- Written from the declarations by `pytest --update-docs tests/unit/tools/reports/test_dialect_reference.py`. -->

Passes record these attributes on operations, functions and their arguments, in addition to the properties of each op.
`tinyml-opt` and `tinyml compile` verify the attributes when they parse a module, and `tinyml-opt` also verifies them
after each pass. The verification reports an error at the operation if the name of an unknown attribute begins with
`rtl.`, `scratch.`, `tdsl.` or `tinyml.`, if an attribute is on an op that must not have it, or if its value is invalid.
Each attribute is declared by a constant of the class `DiscardableAttribute` (`dialects/discardable_attributes.py`),
through which passes access the attribute. The section `attributes` of `dialects/rows.txt` names the modules that
declare attributes. Attributes of other packages have different prefixes.
"""

INTERFACE = """## The interface of a program

The attribute `tdsl.interface` of a function contains the information that callers and users of the program need.
It is present at all levels from import to C. Only its fields with a value are printed. An error in a field is reported
at the value of the field.

```mlir
func.func @f(%X: tensor<4x1xf32>) -> index
  attributes {tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0], reused>, classes = ["a", "b"]>}
```

Each field is declared once, in `dialects/tdsl/interface.py`, with its type, its values and its meaning. Passes read
the fields by `read_interface` and `read_input`, and change them by `update_interface` and `update_input`.
"""

PAGES: dict[str, tuple[str, str, Sequence[str]]] = {
    "tdsl": (
        "tdsl: operations on tensors",
        "The dialect `tdsl` is used at levels L0 and L1. At level L2, its ops operate on memrefs, and `into` names "
        "the result. The element type is `f32` or a number format. Each op of `tdsl` documents its result for "
        "both kinds of element types. `lower-tdsl-to-loops` calls the function that each op names under *Lowering*.",
        ["tdsl"],
    ),
    "scratch": (
        "scratch: memory",
        "The dialect `scratch` is used from level L2 on. Its ops represent constants in flash, the arena, which "
        "contains all working memory, and views into the arena and the constants. `lower-tdsl-to-scratch` creates the "
        "ops, and `lower-arith-to-c` converts them to declarations and pointers.",
        ["scratch"],
    ),
    "num": (
        "num: scalars of a number format",
        "The dialect `num` is used at level L3 for loops on scalars. An accumulator contains an exact sum until "
        "`num.finish` rounds it. `lower-num-to-exact` replaces each op of `num` by the integer arithmetic of its "
        "format, and a `num.call` by a call of its C function.",
        ["num"],
    ),
    "exact": (
        "exact: integers in proven intervals",
        "The dialect `exact` is used between levels L3 and L4. Its ops describe the operations of a format on "
        "unlimited integers. Each op states a proven interval for its result. The type of the result is that of the "
        "register that contains it. `lower-num-to-exact` emits the ops of `exact`. `lower-exact-to-arith` lowers each "
        "of them to operations on registers by the method of `Machine` with the same name. `tinyml prove` proves that "
        "these operations and the evaluator compute the documented result of each op "
        "([the arithmetic of a format, printed](../arithmetic.md#the-arithmetic-of-a-format-printed)).",
        ["exact"],
    ),
    "c": (
        "c: the printed C",
        "The dialect `c` is used at level L5. It represents C99 with explicit memory. The printer of C (`targets/c/`) "
        "writes one line or expression for each op of `c`.",
        ["c"],
    ),
    "rtl": (
        "rtl: hardware",
        "The dialect `rtl` is used instead of `c` at level L5 if the output is a Verilog module "
        "([hardware](../fpga.md)). It represents registers, logic and memories.",
        ["rtl"],
    ),
    "stablehlo": (
        "stablehlo, chlo: modules of JAX",
        "The dialects `stablehlo` and `chlo` represent [a module of JAX](../mlir.md) in MLIR's generic form, before "
        "`lower-stablehlo-to-tdsl`. They define the ops of StableHLO and CHLO that tinyml imports, with StableHLO's "
        "rules for shapes.",
        ["stablehlo", "chlo"],
    ),
    "formats": (
        "Number formats",
        "A number format is an element type of tensors and memrefs, or the type of an accumulator. "
        "The page [Arithmetic](../arithmetic.md) defines the result of every operation for each format. The page "
        "[Adding a format](../adding-a-format.md) builds a new format.\n\n"
        "The dialects on this page define only types, so that one number format can be replaced with another without "
        "changing the ops. As an exception, the dialect of one format also has ops, for the steps of a sum in a "
        "quire, which is often wider than a register. These ops appear only between `num` and `arith`. The ops of "
        "`tdsl` and `num` are independent of formats. The type of an element determines its format, and a program may "
        "mix formats. From level L1 on, the same ops accept the types of any of these dialects and of separate "
        "packages, so that a change of format only replaces types. The arithmetic of the format is inserted once, "
        "between `num` and `arith`: `lower-num-to-exact` requests the integer program of each scalar op from the type "
        "of the op. Below level L3, the program has no formats.\n\n"
        "Elements that share a power of two form a *group*. Bounds, the evaluator, proofs and loops treat two kinds of "
        "groups in the same way: the groups of a type, such as integers in blocks, and the rows that `left_shifts` of "
        "`tdsl.matmul_sum` multiplies by powers of two. Three kinds of scales are not groups:\n\n"
        "* `row_shifts` are chosen on real numbers before formats are assigned. They divide the complete sum of a row, "
        "so that kernels can compute several rows at once. If a perceptron of 64, 32 and 10 units uses groups instead "
        "of `row_shifts`, it takes a third more instructions on a Cortex-M4, because the sums of groups are added one "
        "by one.\n"
        "* The scales of zero-skew integers with one scale for each row are real numbers. TensorFlow Lite multiplies "
        "the complete sum of a row by its scale and rounds (`num.level`), while the sum of a group is added exactly.\n"
        "* A zero point belongs to a whole tensor and is folded into the constants from which sums start.",
        [],
    ),
}
"""Pages by name: title, introduction and dialects; an empty list selects the dialects of no other page."""

NOTE = """\
Generated by `pytest --update-docs tests/unit/tools/reports/test_dialect_reference.py`; do not edit.
"""

VARIADIC_DEFS = (VarOperandDef, VarResultDef)
OPTIONAL = (OptOperandDef, OptResultDef)


def dialect_page(page: str, tests: Iterable[str]) -> str:
    """The text of a page.

    page: the name of the page, a key of `PAGES`.
    tests: texts of IR files for examples; the first text that contains an op supplies the example of the op.
    """
    title, introduction, _ = PAGES[page]
    lines = [line for text in tests for line in text.splitlines()]
    parts = [f"# {title}", NOTE.rstrip(), introduction]
    for name in dialects_of(page):
        parts += _dialect(own_dialects()[name](), lines)
    return "\n\n".join(parts) + "\n"


def attributes_page() -> str:
    """The text of the page about tinyml's discardable attributes."""
    rows = ["| name | on | value | meaning |", "|---|---|---|---|"]
    for name, one in sorted(discardable_attributes().items()):
        rows.append(f"| `{name}` | {one.places} | {_values(one)} | {one.meaning} |")
    parts = [ATTRIBUTES, "\n".join(rows) + "\n", INTERFACE]
    for kind, title in ((InputInterface, "field of `input`"), (ProgramInterface, "field")):
        fields = [f"| `{name}` | {value.words} | {meaning} |" for name, value, meaning in interface_fields(kind)]
        parts.append("\n".join([f"| {title} | value | meaning |", "|---|---|---|", *fields]) + "\n")
    return "\n".join(parts)


def _values(declared: DiscardableAttribute) -> str:
    return ", or ".join(dict.fromkeys(value.words.replace("|", "\\|") for value in declared.values.values()))


def dialects_of(page: str) -> Sequence[str]:
    """The names of the dialects that a page (a key of `PAGES`) describes."""
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
            count = (
                ", optional"
                if isinstance(member, OPTIONAL)
                else ", any number"
                if isinstance(member, VARIADIC_DEFS)
                else ""
            )
            yield f"| `{name}` | {kind}{count} | {words_of(member.constr)} |"
    for name, _ in definition.regions:
        yield f"| `{name}` | region | |"
    for name, attribute in {**definition.properties, **definition.attributes}.items():
        if not name.endswith("SegmentSizes"):
            count = ", optional" if isinstance(attribute, OptPropertyDef | OptAttributeDef) else ""
            yield f"| `{name}` | attribute{count} | {words_of(attribute.constr)} |"


def words_of(constraint: Any) -> str:
    """Describe a constraint in words. A name in parentheses that occurs twice stands for equal types."""
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
    """The docstring of a class. If it refers to the module, the docstring of the module follows."""
    text = inspect.cleandoc(kind.__doc__ or "")
    if "see the module" in text:
        module = inspect.cleandoc(inspect.getmodule(kind).__doc__ or "")
        text = text.replace("; see the module", "") + "\n\n" + module
    return with_lists(text)


def example_of(name: str, lines: Sequence[str]) -> str | None:
    """The first op with a given name in lines of IR, up to the line that closes its regions; None if there is none."""
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
