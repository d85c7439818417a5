"""A faster version of xDSL's IR printer for modules that contain long texts."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.printer import Printer
from xdsl.targets.mlir import MLIRTarget

_SPELLED = [chr(byte) if 0x20 <= byte <= 0x7E else f"\\{byte:02X}" for byte in range(256)]
"""The spelling of a byte in a string literal of MLIR."""
_SPELLED[ord('"')], _SPELLED[ord("\\")] = "\\22", "\\\\"


class IRPrinter(Printer):
    """A faster version of xDSL's printer, which also prints all attributes of comparisons.

    String literals are printed byte by byte, since the C headers in a module have tens of thousands of bytes. The text
    of each type is cached, since thousands of values share one type. xDSL's custom form of a comparison omits
    attributes, such as the clock cycle. A comparison with attributes is therefore printed in the generic form.
    """

    def __init__(
        self,
        stream: IO[str],
        *,
        print_generic_format: bool = False,
        print_properties_as_attributes: bool = False,
        print_debuginfo: bool = False,
    ) -> None:
        super().__init__(
            stream,
            print_generic_format=print_generic_format,
            print_properties_as_attributes=print_properties_as_attributes,
            print_debuginfo=print_debuginfo,
        )
        self._output = stream
        # By identity: hashing a type takes as long as printing it.
        self._types: dict[int, tuple[Attribute, str]] = {}

    def print_string(self, text: str, *, indent: int | None = None) -> None:
        if "\n" in text:
            return super().print_string(text, indent=indent)
        self._current_column += len(text)
        self._output.write(text)

    def print_attribute(self, attribute: Attribute) -> None:
        if not isinstance(attribute, TypeAttribute):
            return super().print_attribute(attribute)
        if (known := self._types.get(id(attribute))) is None:
            spelled = io.StringIO()
            Printer(spelled).print_attribute(attribute)
            known = self._types[id(attribute)] = attribute, spelled.getvalue()
        self.print_string(known[1])

    def print_bytes_literal(self, bytestring: bytes) -> None:
        spelled = "".join([_SPELLED[byte] for byte in bytestring])
        self.print_string(f'"{spelled}"')

    def print_op(self, op: Operation) -> None:
        generic = self.print_generic_format
        self.print_generic_format = generic or (isinstance(op, arith.CmpiOp | arith.CmpfOp) and bool(op.attributes))
        super().print_op(op)
        self.print_generic_format = generic


@dataclass(frozen=True)
class IRTarget(MLIRTarget):
    """A target that prints a module with `IRPrinter`, or with xDSL's printer if highlighting is requested."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        if self.syntax_highlight:
            return super().emit(ctx, module, output)
        printer = IRPrinter(
            output,
            print_generic_format=self.print_generic_format,
            print_properties_as_attributes=self.print_properties_as_attributes,
            print_debuginfo=self.print_debuginfo,
        )
        printer.print_op(module)
        printer.print_metadata(ctx.loaded_dialects)
        output.write("\n\n")
