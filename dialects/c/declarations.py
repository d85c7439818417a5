"""Ops of the `c` dialect for declarations at file scope. A program consists of one `.c` file and one `.h` file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    FixedBitwidthType,
    FunctionType,
    IntegerAttr,
    StringAttr,
    SymbolNameConstraint,
    UnitAttr,
    i64,
)
from xdsl.dialects.utils import parse_func_op_like, print_func_op_like
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, NoTerminator, SymbolOpInterface, SymbolTable
from xdsl.utils.exceptions import VerifyException

from tinyml.dialects.c.expressions import COUNT, SymbolOp, ViewOp
from tinyml.dialects.c.types import FAR, FLASH, InstanceType, is_scalar, is_value
from tinyml.dialects.discardable_attributes import (
    NAME,
    UNIT,
    DiscardableAttribute,
    HolderKind,
    Value,
    instance,
    integer,
)
from tinyml.dialects.operations import DialectOp

__all__ = [
    "ArenaOp",
    "BufferOp",
    "ConstantOp",
    "FuncOp",
    "InstanceOp",
    "LoadedOp",
    "ProgramOp",
    "VerbatimOp",
]


def _check_element(type: Attribute) -> None:
    if not is_scalar(type):
        raise VerifyException(f"no element type of C: {type}")


@irdl_op_definition
class ProgramOp(DialectOp):
    """The files NAME.c and NAME.h of a program. `notes` are paragraphs of the comment at the top of NAME.c.

    Without a `c.instance`, the arena and the buffers are static arrays. With a `c.instance`, they are members of the
    structure that `c.instance` declares. Every function then receives a pointer to the structure as its first argument,
    and no function writes static memory.
    """

    name = "c.program"
    sym_name = prop_def(SymbolNameConstraint())
    notes = opt_prop_def(ArrayAttr[StringAttr])
    body = region_def("single_block")
    traits = traits_def(SymbolOpInterface(), SymbolTable(), NoTerminator(), IsolatedFromAbove())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name attr-dict-with-keyword $body"

    def __init__(self, name: str, notes: Sequence[str], body: Region):
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name)}
        if notes:
            properties["notes"] = ArrayAttr(map(StringAttr, notes))
        super().__init__(properties=properties, regions=[body])

    def verify_(self) -> None:
        ops = list(self.body.block.ops)
        instances = [op for op in ops if isinstance(op, InstanceOp)]
        if len(instances) > 1:
            raise VerifyException("a program has instances of one kind")
        instance = instances[0] if instances else None
        for op in ops:
            if isinstance(op, ArenaOp | BufferOp) and instance is not None:
                raise VerifyException(f"'{op.sym_name.data}' is static: instances would share it")
            if isinstance(op, FuncOp):
                _check_memory(op, instance)


def _check_memory(function: FuncOp, instance: InstanceOp | None) -> None:
    """Raise `VerifyException` unless the arguments and the memory accesses of a function match the instance of the
    program.

    With an instance, the first argument must be the instance, and no further argument may be one. A member of the
    instance must be accessed through an instance, and static memory without one.

    instance: the instance that the program declares. If it is None, no argument may be an instance.
    """
    own = [] if instance is None else [InstanceType(instance.sym_name.data)]
    inputs = function.function_type.inputs.data
    if [type for type in inputs if isinstance(type, InstanceType)] != own or [*inputs[: len(own)]] != own:
        wanted = f"takes {own[0]} first" if own else "expected no instance, because the program declares none"
        raise VerifyException(f"'{function.sym_name.data}' {wanted}, got ({', '.join(map(str, inputs))})")
    members = set[str]() if instance is None else instance.members
    for op in function.walk():
        if isinstance(op, ViewOp | SymbolOp):
            name = (op.arena if isinstance(op, ViewOp) else op.symbol).string_value()
            if (op.instance is not None) != (name in members):
                where = "of an instance" if name in members else "static"
                raise VerifyException(f"'{function.sym_name.data}': '{name}' is {where}")


@irdl_op_definition
class VerbatimOp(DialectOp):
    """The unchanged C text of a runtime header.

    * origin: the name of the header.
    * text: the C text.
    * provides: the names of the functions that the text declares.
    """

    name = "c.verbatim"
    origin = prop_def(StringAttr)
    provides = prop_def(ArrayAttr[StringAttr])
    text = prop_def(StringAttr)
    assembly_format = "$origin `provides` $provides attr-dict `text` $text"

    def __init__(self, origin: str, provides: Sequence[str], text: str):
        super().__init__(
            properties={
                "origin": StringAttr(origin),
                "provides": ArrayAttr(map(StringAttr, provides)),
                "text": StringAttr(text),
            }
        )


@irdl_op_definition
class ConstantOp(DialectOp):
    """A constant array `static const T name[N] = {...};` in flash, or a member of a `c.loaded`.

    The array is declared with one dimension. Its shape is printed only in a comment. `far` places the array beyond the
    constants that the target's normal (near) pointers must reach.
    """

    name = "c.constant"
    sym_name = prop_def(SymbolNameConstraint())
    value = prop_def(DenseIntOrFPElementsAttr)
    doc = opt_prop_def(StringAttr)
    far = opt_prop_def(UnitAttr)
    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name $value (`far` $far^)? attr-dict"

    def __init__(self, name: str, value: DenseIntOrFPElementsAttr, doc: str, *, far: bool = False):
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name), "value": value, "doc": StringAttr(doc)}
        super().__init__(properties={**properties, "far": UnitAttr()} if far else properties)

    @property
    def memory(self) -> str:
        """The memory kind, `flash` or `far`, of pointers to elements of the constant (see `!c.ptr`)."""
        return FLASH if self.far is None else FAR

    @property
    def element(self) -> Attribute:
        return self.value.get_element_type()

    @property
    def element_size(self) -> int:
        return cast(FixedBitwidthType, self.element).size

    def verify_(self) -> None:
        _check_element(self.element)


@irdl_op_definition
class LoadedOp(DialectOp):
    """`static struct { ... } NAME;` in RAM: constant arrays whose content the caller writes before the first call.

    The structure contains the arrays in the order in which the op lists them. They are listed in descending order of
    element size, so that the structure needs no padding.
    """

    name = "c.loaded"
    sym_name = prop_def(SymbolNameConstraint())
    body = region_def("single_block")
    traits = traits_def(SymbolOpInterface(), NoTerminator())
    assembly_format = "$sym_name attr-dict-with-keyword $body"

    def __init__(self, name: str, body: Region):
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[body])

    @property
    def arrays(self) -> list[ConstantOp]:
        return [op for op in self.body.block.ops if isinstance(op, ConstantOp)]

    @property
    def content(self) -> bytes:
        return b"".join(op.value.data.data for op in self.arrays)

    def verify_(self) -> None:
        ops = list(self.body.block.ops)
        if not ops or len(self.arrays) < len(ops):
            raise VerifyException("a structure that the caller writes consists of constant arrays")
        sizes = [op.element_size for op in self.arrays]
        if sizes != sorted(sizes, reverse=True):
            raise VerifyException("arrays of larger elements come first")


@irdl_op_definition
class ArenaOp(DialectOp):
    """`static T name[...];`: working memory of `size` bytes, declared as an array of the type T = `element`.

    * alignment: the alignment of the array in bytes.
    * memory: the macro that places the array in a memory of the board; absent for ordinary RAM.
    * memories: for a board with several memories, the part of the array that is in each memory, as in
      `scratch.arena`.
    """

    name = "c.arena"
    sym_name = prop_def(SymbolNameConstraint())
    size = prop_def(COUNT)
    alignment = prop_def(COUNT)
    element = prop_def(Attribute)
    memory = opt_prop_def(StringAttr)
    memories = opt_prop_def(DictionaryAttr)
    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name $size attr-dict `:` $element"

    def __init__(self, name: str, size: int, alignment: int, element: Attribute):
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "size": IntegerAttr(size, i64),
                "alignment": IntegerAttr(alignment, i64),
                "element": element,
            }
        )

    def verify_(self) -> None:
        _check_element(self.element)
        if self.size.value.data < 1:
            raise VerifyException(f"an array of C has at least one byte, got {self.size.value.data}")


@irdl_op_definition
class BufferOp(DialectOp):
    """`static T name[N];`: an array in RAM outside the arena. The compiler or the linker removes a buffer that no
    function of the linked program uses.

    `memory` is the macro that places the array in a memory of the board. Without `memory`, the array is in the
    compiler's default section for variables.
    """

    name = "c.buffer"
    sym_name = prop_def(SymbolNameConstraint())
    length = prop_def(COUNT)
    element = prop_def(Attribute)
    doc = opt_prop_def(StringAttr)
    memory = opt_prop_def(StringAttr)
    traits = traits_def(SymbolOpInterface())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$sym_name $length attr-dict `:` $element"

    def __init__(self, name: str, length: int, element: Attribute, doc: str):
        properties = {"sym_name": StringAttr(name), "length": IntegerAttr(length, i64)}
        super().__init__(properties={**properties, "element": element, "doc": StringAttr(doc)})

    def verify_(self) -> None:
        _check_element(self.element)


@irdl_op_definition
class InstanceOp(DialectOp):
    """`typedef struct { ... } NAME_ctx;` in the header: the working memory of one instance, which consists of an arena
    and buffers.

    The caller may declare any number of instances. Their memory need not be initialised.
    """

    name = "c.instance"
    sym_name = prop_def(SymbolNameConstraint())
    body = region_def("single_block")
    traits = traits_def(SymbolOpInterface(), SymbolTable(), NoTerminator())
    assembly_format = "$sym_name attr-dict-with-keyword $body"

    def __init__(self, name: str, body: Region):
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[body])

    @property
    def members(self) -> set[str]:
        return {op.sym_name.data for op in self.body.block.ops if isinstance(op, ArenaOp | BufferOp)}

    def verify_(self) -> None:
        ops = list(self.body.block.ops)
        if not ops:
            raise VerifyException("a structure of C has at least one member")
        if other := [op.name for op in ops if not isinstance(op, ArenaOp | BufferOp)]:
            raise VerifyException(f"an instance consists of an arena and buffers, got {other[0]}")


SUMS_IN_MEMORY = DiscardableAttribute(
    "tinyml.sums_in_memory",
    {HolderKind.FUNCTION: UNIT, "c.func": UNIT},
    "The function has sums of products that exceed a register; a C compiler may need special options for them.",
)

ELEMENTS = DiscardableAttribute(
    "tinyml.elements",
    dict.fromkeys(
        ("c.func", "c.prototype"),
        Value(
            "a dictionary of integers and strings",
            lambda counts, _: (
                isinstance(counts, DictionaryAttr)
                and all(isinstance(count, IntegerAttr | StringAttr) for count in counts.data.values())
            ),
        ),
    ),
    "The number of elements to which each pointer of a function points, by the name of the parameter, or by `result`: "
    "an integer, or the name of the parameter that counts them.",
)

RESULT = "result"
"""The name of a function's result in `ELEMENTS`."""


def elements_attribute(counts: Mapping[str, int | str]) -> DictionaryAttr:
    """The value of `ELEMENTS`, from the numbers of elements or the names of the parameters that count them."""
    spelled = {name: StringAttr(n) if isinstance(n, str) else IntegerAttr(n, i64) for name, n in counts.items()}
    return DictionaryAttr(spelled)


DESCRIBED = DiscardableAttribute(
    "tinyml.described",
    {"c.program": instance(DictionaryAttr, "a dictionary")},
    "The meaning of the program's arrays and answers for its callers, as NAME.json contains it in the field `model`.",
)

FILES = DiscardableAttribute(
    "tinyml.files",
    {"c.program": Value("a dictionary of strings", lambda files, _: _are_texts(files))},
    "The files beside NAME.c: their content, by what follows NAME in their names.",
)


def _are_texts(files: Attribute) -> bool:
    return isinstance(files, DictionaryAttr) and all(NAME.accepts(file, None) for file in files.data.values())


def files_of(program: ProgramOp) -> dict[str, bytes]:
    """The contents of the files that a program needs besides NAME.c and NAME.h.

    A key is the part of a file name that follows NAME. The value is the content of this file.
    """
    files = cast(DictionaryAttr, program.attributes.get(FILES, DictionaryAttr({}))).data.items()
    return {
        name: file.data if isinstance(file, BytesAttr) else cast(StringAttr, file).data.encode() for name, file in files
    }


@irdl_op_definition
class FuncOp(DialectOp):
    """A C function. The header declares the function unless it is `local` to the program."""

    name = "c.func"
    sym_name = prop_def(SymbolNameConstraint())
    function_type = prop_def(FunctionType)
    doc = opt_prop_def(StringAttr)
    local = opt_prop_def(UnitAttr)
    body = region_def("single_block")
    traits = traits_def(SymbolOpInterface(), IsolatedFromAbove())

    def __init__(self, name: str, type: FunctionType, doc: str | None, body: Region, *, local: bool = False):
        properties: dict[str, Attribute] = {"sym_name": StringAttr(name), "function_type": type}
        if local:
            properties["local"] = UnitAttr()
        if doc:
            properties["doc"] = StringAttr(doc)
        super().__init__(properties=properties, regions=[body])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        name, inputs, outputs, body, extra, _, _ = parse_func_op_like(
            parser, reserved_attr_names=("sym_name", "function_type")
        )
        attributes = dict(extra.data) if extra is not None else {}
        doc = attributes.pop("doc", None)
        type = FunctionType.from_lists(inputs, outputs)
        local = attributes.pop("local", None) is not None
        op = cls(name, type, doc.data if isinstance(doc, StringAttr) else None, body, local=local)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        extra = dict(self.attributes)
        if self.doc is not None:
            extra["doc"] = self.doc
        if self.local is not None:
            extra["local"] = self.local
        print_func_op_like(printer, self.sym_name, self.function_type, self.body, extra, reserved_attr_names=())

    def verify_(self) -> None:
        if not self.body.blocks:
            raise VerifyException("a function has a body")
        if len(self.function_type.outputs) > 1:
            raise VerifyException("a function of C returns one value or none")
        if tuple(arg.type for arg in self.body.block.args) != tuple(self.function_type.inputs):
            raise VerifyException("the arguments of the body do not have the types of the function")
        values = [type for type in self.function_type.inputs if not isinstance(type, InstanceType)]
        for type in (*values, *self.function_type.outputs):
            if not is_value(type):
                raise VerifyException(f"no type of C: {type}")


_LOOPS = "scf.for", "num.entries", "num.nest", "num.reduce"
"""The names of the loop ops in programs on bits."""

PIPELINE = DiscardableAttribute("hls.pipeline", dict.fromkeys(_LOOPS, UNIT), "A loop whose iterations overlap.")

UNROLL = DiscardableAttribute(
    "hls.unroll", dict.fromkeys(_LOOPS, integer(1)), "The number of iterations of a loop that run at once."
)

PARTITION = DiscardableAttribute(
    "hls.partition",
    {HolderKind.ARGUMENT: integer(1), HolderKind.OPERATION: integer(1)},
    "The number of memories across which an array, the arena or an argument is distributed, element by element.",
)
