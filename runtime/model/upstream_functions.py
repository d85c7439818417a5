"""The C functions that a program in upstream dialects calls, and the headers of the runtime that define them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import MemRefType, ModuleOp, f32, i8, i16
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS
from tinyml.dialects.operations import integer_width
from tinyml.runtime.model.headers import definition_of
from tinyml.targets.registry import HOST


def upstream_functions(module: ModuleOp, name: str) -> str:
    """The text of `NAME_runtime.c`: a function NAME_tm_FUNCTION for each runtime function, with the signature that the
    module declares.

    Integers narrower than 32 bits are passed as `int32_t`, because `lower-scratch-to-memref` declares the functions
    with this type.
    """
    symbols = sorted(_called(module, f"{name}_"))
    texts = dict(text for symbol in symbols for text in definition_of(symbol, HOST))
    lines = [f"/* Functions of the runtime that {name}.mlir calls. */", "#include <stdint.h>", *texts.values()]
    for symbol in symbols:
        function = RUNTIME_FUNCTIONS[symbol]
        parameters = ", ".join(f"{_argument(type)}x{i}" for i, type in enumerate(function.arguments))
        arguments = ", ".join(f"{_converted(type)}x{i}" for i, type in enumerate(function.arguments))
        head = f"{_value(function.result)} {name}_{symbol}({parameters})"
        lines += [f"{head};", f"{head}", "{", f"    return {symbol}({arguments});", "}"]
    return "\n".join([*lines, ""])


def _called(module: ModuleOp, prefix: str) -> Iterator[str]:
    for op in module.ops:
        if isinstance(op, FuncOp) and op.is_declaration:
            symbol = op.sym_name.data.removeprefix(prefix)
            if symbol in RUNTIME_FUNCTIONS:
                yield symbol


def _value(type: Attribute) -> str:
    return "float" if type == f32 else f"int{max(32, integer_width(type))}_t"


def _argument(type: Attribute) -> str:
    if isinstance(type, MemRefType):
        element = cast("MemRefType[Attribute]", type).element_type
        return "const float *" if element == f32 else f"const int{integer_width(element)}_t *"
    return f"{_value(type)} "


def _converted(type: Attribute) -> str:
    """The C cast of an argument to the C type of a parameter, if this type is narrower than the type in the module;
    otherwise "".
    """
    return f"(int{integer_width(type)}_t)" if type in (i8, i16) else ""
