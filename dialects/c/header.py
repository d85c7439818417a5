"""Ops of the `c` dialect for what only the header NAME.h declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    Signedness,
    StringAttr,
    SymbolNameConstraint,
    f32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.c.types import AddressType, InstanceType, TextType, is_scalar, is_value
from tinyml.dialects.operations import DialectOp

__all__ = ["DefineOp", "InlineOp", "PrototypeOp", "TableOp"]

_UI32 = IntegerType(32, Signedness.UNSIGNED)


@irdl_op_definition
class DefineOp(DialectOp):
    """A macro that the header defines: `#define NAME_INPUT_LENGTH 784`.

    The value is an integer (i64), an address (ui32), a float (f32) or a string.
    """

    name = "c.define"
    sym_name = prop_def(SymbolNameConstraint())
    value = prop_def(Attribute)
    doc = opt_prop_def(StringAttr)
    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name $value attr-dict"

    def __init__(self, name: str, value: int | float | str | Attribute, doc: str = ""):
        match value:
            case int():
                held: Attribute = IntegerAttr(value, i64)
            case float():
                held = FloatAttr(value, f32)
            case str():
                held = StringAttr(value)
            case _:
                held = value
        properties = {"sym_name": StringAttr(name), "value": held}
        super().__init__(properties={**properties, "doc": StringAttr(doc)} if doc else properties)

    @classmethod
    def address(cls, name: str, value: int, doc: str) -> DefineOp:
        """A macro whose value is an address of at most 32 bits."""
        return cls(name, IntegerAttr(value, _UI32), doc)

    def verify_(self) -> None:
        value: Attribute = self.value
        match value:
            case IntegerAttr(type=type) if type in (i64, _UI32):
                return
            case FloatAttr(type=type) if type == f32:
                return
            case StringAttr():
                return
            case _:
                raise VerifyException(f"the value of a macro is an i64, a ui32, an f32 or a string, got {value}")


@irdl_op_definition
class InlineOp(DialectOp):
    """C text that is printed unchanged in the header, and that declares no function, macro or type of the program.

    Such text is, for example, the attribute of arrays in program memory, which all programs define equally.
    """

    name = "c.inline"
    sym_name = prop_def(SymbolNameConstraint())
    text = prop_def(StringAttr)
    traits = traits_def(SymbolOpInterface())
    assembly_format = "$sym_name attr-dict `text` $text"

    def __init__(self, name: str, text: str):
        super().__init__(properties={"sym_name": StringAttr(name), "text": StringAttr(text)})


CALLER, BLOB, SOURCE = PLACES = ("caller", "blob", "source")
"""The places of the definitions of functions and tables without a text: the program of the caller, NAME_blob.c, and a
`c.verbatim` of NAME.c.
"""


@irdl_op_definition
class PrototypeOp(DialectOp):
    """The declaration of a function that is not a `c.func`.

    * parameters: the names of the parameters.
    * text: the C text of the body, between the braces, of a function that the header defines as `static inline`.
    * defined: for a function without a text, the place of its definition: `caller`, `blob` or `source`.
    """

    name = "c.prototype"
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    parameters = prop_def(ArrayAttr[StringAttr])
    doc = opt_prop_def(StringAttr)
    text = opt_prop_def(StringAttr)
    defined = opt_prop_def(StringAttr)
    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name $parameters $function_type attr-dict (`text` $text^)?"

    def __init__(
        self,
        name: str,
        parameters: Mapping[str, Attribute],
        outputs: Sequence[Attribute],
        doc: str = "",
        *,
        text: str | None = None,
        defined: str | None = None,
    ):
        properties: dict[str, Attribute] = {
            "sym_name": StringAttr(name),
            "function_type": FunctionType.from_lists([*parameters.values()], outputs),
            "parameters": ArrayAttr(map(StringAttr, parameters)),
        }
        properties |= {"doc": StringAttr(doc)} if doc else {}
        properties |= {} if text is None else {"text": StringAttr(text)}
        properties |= {} if defined is None else {"defined": StringAttr(defined)}
        super().__init__(properties=properties)

    def verify_(self) -> None:
        inputs, outputs = self.function_type.inputs.data, self.function_type.outputs.data
        if len(inputs) != len(self.parameters.data):
            raise VerifyException(f"{len(inputs)} parameters have {len(self.parameters.data)} names")
        if len(outputs) > 1:
            raise VerifyException("a function of C returns one value or none")
        for type in (*inputs, *outputs):
            if not is_value(type) and not isinstance(type, AddressType | InstanceType | TextType):
                raise VerifyException(f"no type of C: {type}")
        if (self.text is None) == (self.defined is None):
            raise VerifyException("a function of a header has either a text or the place of its definition")
        if self.defined is not None and self.defined.data not in PLACES:
            raise VerifyException(f"unknown place '{self.defined.data}' (one of {', '.join(PLACES)})")


@irdl_op_definition
class TableOp(DialectOp):
    """A constant array of `length` elements that the header declares.

    * value: the elements of an array that the header defines as `static const`.
    * defined: for an array without a value, the place of its definition, as in `c.prototype`.
    """

    name = "c.table"
    sym_name = prop_def(SymbolNameConstraint())
    length = prop_def(IntegerAttr.constr(i64))
    element = prop_def(Attribute)
    doc = opt_prop_def(StringAttr)
    value = opt_prop_def(DenseIntOrFPElementsAttr)
    defined = opt_prop_def(StringAttr)
    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name $length attr-dict `:` $element"

    def __init__(
        self,
        name: str,
        length: int,
        element: Attribute,
        doc: str = "",
        *,
        value: DenseIntOrFPElementsAttr | None = None,
        defined: str | None = None,
    ):
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name), "length": IntegerAttr(length, i64)}
        properties |= {"element": element} | ({"doc": StringAttr(doc)} if doc else {})
        properties |= {} if value is None else {"value": value}
        properties |= {} if defined is None else {"defined": StringAttr(defined)}
        super().__init__(properties=properties)

    @property
    def numbers(self) -> Sequence[float]:
        """The elements; empty for an array without a value."""
        return [] if self.value is None else cast("Sequence[float]", self.value.get_values())

    def verify_(self) -> None:
        if not is_scalar(self.element):
            raise VerifyException(f"no element type of C: {self.element}")
        if (self.value is None) == (self.defined is None):
            raise VerifyException("a table of a header has either a value or the place of its definition")
        if self.value is not None and len(self.value.get_values()) != self.length.value.data:
            raise VerifyException(f"a table of {self.length.value.data} elements has {len(self.value.get_values())}")
