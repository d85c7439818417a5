"""The public names and signatures of a C program. In a program with instances, the first parameter of each function is
an instance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FunctionType, i8
from xdsl.ir import Attribute, Block, Region, SSAValue

from tinyml.dialects import c
from tinyml.dialects.c.declarations import ELEMENTS, RESULT, elements_attribute
from tinyml.dialects.c.types import RAM

INSTANCE = "ctx"
"""The name of the instance argument, and the suffix of its type's name."""

STEP, PLACE = "step", "place"
"""The suffixes of the function of a time step, and of the array with the position in the input."""

PUBLIC = (
    *(
        "predict",
        "scores",
        "score",
        "is_anomaly",
        "THRESHOLD",
        "input",
        "X",
        "set",
        "run",
        "predict_floats",
        "read",
        "class_name",
    ),
    *("push", "push_floats", "ready", "reset", STEP, PLACE),
    *("feature_scales", "feature_zeros", "feature_points", "feature_number"),
    *("INPUT_LENGTH", "INPUT_SCALE", "INPUT_ZERO", "INPUT_UNIT", "ROW_LENGTH", "CLASSES"),
    *("FRAME", "HOP", "STEPS", "STRIDE"),
    *("H", "DECLARATIONS", "DEFINED"),
)
"""The suffixes of the names of functions, arrays and macros of programs.

The names of outputs and of the inputs of a model follow from `output_suffixes` and `part_suffixes`.
"""

PART_AT, PART_SCALE, PART_ZERO, PART_SET = "INPUT_AT", "INPUT_SCALE", "INPUT_ZERO", "set"
"""The suffixes before the name of one of several inputs. No other suffix begins with one of them and an underscore, so
that an input may have any name."""


def part_suffixes(part: str) -> Sequence[str]:
    return [f"{suffix}_{part}" for suffix in (PART_AT, PART_SCALE, PART_ZERO, PART_SET)]


def output_suffixes(number: int) -> Sequence[str]:
    """The suffixes of the names of the macros and functions of output `number`; output 0 is the scores."""
    macros = [f"OUTPUT{f'_{number}' if number else ''}_{kind}" for kind in ("LENGTH", "SCALE", "ZERO")]
    return [*macros, *([f"output_{number}", f"output_{number}_score"] if number else [])]


@dataclass(frozen=True)
class Signatures:
    """A builder of C functions and their bodies.

    name: the name of the program.
    instance: the type of instances; None for a program with static memory.
    """

    name: str
    instance: c.InstanceType | None

    def body(self, arguments: Mapping[str, Attribute]) -> Block:
        """An empty body. Its arguments are the instance, in a program with instances, and the given `arguments`.

        arguments: for each name, the type of the argument.
        """
        own = {} if self.instance is None else {INSTANCE: self.instance}
        body = Block(arg_types=[*own.values(), *arguments.values()])
        for argument, name in zip(body.args, (*own, *arguments), strict=True):
            argument.name_hint = name
        return body

    def instance_of(self, body: Block) -> SSAValue | None:
        return None if self.instance is None else body.args[0]

    def instances_of(self, body: Block) -> list[SSAValue]:
        return [] if self.instance is None else [body.args[0]]

    def arguments_of(self, body: Block) -> Sequence[SSAValue]:
        return body.args if self.instance is None else body.args[1:]

    def function(
        self,
        suffix: str,
        outputs: Sequence[Attribute],
        doc: str,
        body: Block,
        *,
        local: bool = False,
        elements: Mapping[str, int | str] | None = None,
    ) -> c.FuncOp:
        """A C function with the name NAME_suffix and the body `body`.

        outputs: the types of its results; empty for a function without a result.
        doc: the comment on the function.
        local: whether the function is `static`.
        elements: the number of elements to which each pointer points, as in `ELEMENTS`.
        """
        type = FunctionType.from_lists([argument.type for argument in body.args], outputs)
        function = c.FuncOp(f"{self.name}_{suffix}", type, doc, Region(body), local=local)
        if elements:
            function.attributes[ELEMENTS] = elements_attribute(elements)
        return function


WEIGHTS, LOADED, WEIGHTS_BYTES = "weights", "weights_in_ram", "WEIGHTS_BYTES"
"""The suffixes of the function that returns the address of the weights, of their structure, and of its size macro."""


def loaded_weights(signatures: Signatures, arrays: Iterable[c.ConstantOp]) -> tuple[c.LoadedOp, c.FuncOp]:
    """Return two ops: a C structure, and the function `NAME_weights`, which returns the address of this structure. The
    structure contains the weights that the caller loads to RAM, beginning with the widest elements.
    """
    ordered = sorted(arrays, key=lambda op: -op.element_size)
    loaded = c.LoadedOp(LOADED, Region(Block(ordered)))
    body = signatures.body({})
    address = c.SymbolOp(LOADED, i8, RAM)
    body.add_ops([address, c.ReturnOp(address.result)])
    text = (
        f"Where to write the {len(loaded.content)} bytes of {signatures.name}.weights, once before the first "
        f"{signatures.name}_predict."
    )
    count = {RESULT: len(loaded.content)}
    return loaded, signatures.function(WEIGHTS, [c.PointerType(i8)], text, body, elements=count)
