"""A parser of MLIR's generic text for dialects that tinyml does not define, and of the constants in such texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    Builtin,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    UnregisteredAttr,
    VectorType,
)
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.located_parser import LocatedParser
from tinyml.dialects.stablehlo import STABLEHLO
from tinyml.dialects.stablehlo.chlo import CHLO
from tinyml.lowering.frontends.mlir.graph import Array, Shape, error_at

ELEMENTS = {"f32": "float32", "f64": "float64", "i1": "bool", "i32": "int32", "i64": "int64", "index": "int64"}
"""numpy's names of the element types of values. An integer of any width may be a constant."""


def parse_generic(text: str, file: str) -> tuple[ModuleOp, OpAsmDialectInterface]:
    """Parse a module in MLIR's generic form. Return the module, and the resources to which its constants refer.

    Ops of StableHLO and CHLO are registered ops; ops of other dialects are unregistered. Raises `InputError` for an op
    that does not verify and for text that is nested too deeply, and the errors of the parser.
    """
    ctx = Context(allow_unregistered=True)
    # The dialect that xDSL shares keeps the constants of all files, and renames those whose names it knows.
    blobs = OpAsmDialectInterface()
    ctx.load_dialect(Dialect("builtin", [*Builtin.operations], [*Builtin.attributes], [blobs]))
    for dialect in (STABLEHLO, CHLO):
        ctx.load_dialect(dialect)
    parser = LocatedParser(ctx, text, file)
    try:
        module = parser.parse_module()
        _verify(module, file)
        return module, blobs
    except (VerifyException, ValueError, OverflowError) as error:
        line, column = parser.line_and_column()
        raise InputError(squeeze(str(error)), file=file, line=line, column=column) from error
    except RecursionError as error:
        raise InputError("the text is nested too deeply", file=file) from error


def _verify(module: ModuleOp, file: str) -> None:
    for op in module.walk():
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException as error:
            raise error_at(op, squeeze(str(error)), file) from error


def attributes(op: Operation) -> Mapping[str, Attribute]:
    return {**op.properties, **op.attributes}


def extents(type: Attribute) -> tuple[Shape, Attribute]:
    """Return the extents and the element type of a type; a scalar has no extents. Raises `ValueError` for unknown
    extents.
    """
    if isinstance(type, UnregisteredAttr) and type.attr_name.data == "tosa.shape":
        return (int(type.value.data),), IndexType()
    if not isinstance(type, TensorType | VectorType):
        return (), type
    type = cast("TensorType[Attribute] | VectorType[Attribute]", type)
    shape = tuple(type.get_shape())
    if DYNAMIC_INDEX in shape:
        raise ValueError(f"{type} has an open extent: export the model for one sample, with a batch of 1")
    return shape, type.get_element_type()


def checked_extents(type: Attribute) -> Shape:
    """The extents of a type with elements that a program can compute. Raises `ValueError` for any other type."""
    shape, element = extents(type)
    if 0 in shape and isinstance(type, TensorType):
        raise ValueError(f"{type} has an extent of 0, expected at least one element")
    if str(element) in ELEMENTS:
        return shape
    if isinstance(element, IntegerType):
        raise ValueError(
            f"{type} is of quantised numbers, which are read from .tflite and .onnx files; export the model in floats"
        )
    raise ValueError(f"{type} has elements of {element}, expected f32: export the model in single precision")


def array_of(attribute: Attribute, blobs: OpAsmDialectInterface) -> Array:
    """The elements of a constant attribute. A scalar has no axes. Raises `ValueError` for any other attribute."""
    match attribute:
        case IntegerAttr() | FloatAttr():
            _, element = extents(attribute.type)
            return np.array(attribute.value.data, _dtype(element))
        case DenseIntOrFPElementsAttr():
            shape, element = extents(attribute.type)
            stored = np.dtype("bool" if str(element) == "i1" else _dtype(element)).newbyteorder("<")
            return np.frombuffer(attribute.data.data, stored).astype(stored.newbyteorder("=")).reshape(shape)
        case DenseResourceAttr():
            shape, element = extents(attribute.type)
            text = blobs.lookup(name := attribute.resource_handle.data)
            if not text:
                raise ValueError(f"the resource '{name}' is not in the file: it was printed without its constants")
            # The first four bytes are the alignment.
            content = bytes.fromhex(text.removeprefix("0x"))[4:]
            stored = _dtype(element).newbyteorder("<")
            if len(content) != prod(shape) * stored.itemsize:
                raise ValueError(f"the resource '{name}' has {len(content)} bytes, which do not fit {attribute.type}")
            return np.frombuffer(content, stored).astype(stored.newbyteorder("=")).reshape(shape)
        case _:
            raise ValueError(f"{squeeze(str(attribute))} is not a constant of numbers")


def _dtype(element: Attribute) -> np.dtype[Any]:
    if str(element) in ELEMENTS:
        return np.dtype(ELEMENTS[str(element)])
    if str(element) in ("i8", "i16"):
        return np.dtype(f"int{str(element)[1:]}")
    raise ValueError(f"constants of {element} are not supported, expected f32: export the model in single precision")


def integers_of(attribute: Attribute) -> tuple[int, ...]:
    """The integers of an array, a dense constant or a list. Raises `ValueError` for other attributes."""
    match attribute:
        case DenseArrayBase() | DenseIntOrFPElementsAttr():
            values = cast("Sequence[int]", cast(Any, attribute).get_values())
            return tuple(int(value) for value in values)
        case IntegerAttr():
            return (attribute.value.data,)
        case ArrayAttr():
            return tuple(number for item in attribute.data for number in integers_of(item))
        case _:
            raise ValueError(f"expected integers, got {squeeze(str(attribute))}")
