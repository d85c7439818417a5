"""The file level of a C program: constants, the arena, runtime headers, the interface and comments."""

from __future__ import annotations

import re
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    f32,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import c, num, scratch, tdsl
from tinyml.dialects.c.types import ALIAS, CONST, RAM
from tinyml.dialects.errors import InputError
from tinyml.dialects.layouts.coded_rows import ROWS, CodedRows
from tinyml.dialects.layouts.coded_tiles import TILE, CodedTile
from tinyml.dialects.layouts.packed_bits import packed_bytes
from tinyml.dialects.scratch import FORMAT, element_bytes, memref_type
from tinyml.lowering.bits.format_notes import Affine, affine_format, describe_format
from tinyml.lowering.c.conversions import input_conversion, output_conversion
from tinyml.lowering.c.row_declaration import row_declaration
from tinyml.runtime.model.headers import definition_of, texts_of
from tinyml.targets.c.names import Names
from tinyml.targets.kernel import Kernel
from tinyml.targets.registry import coded_kernel, kernel_of, target_of

ARENA = "arena"
ELEMENTS: dict[Attribute, str] = {i8: "int8_t", i16: "int16_t", i32: "int32_t", i64: "int64_t", f32: "float"}
"""Element types of arrays, and their names in C."""

SHIFTS = (
    "Right shifts of negative numbers are taken to be arithmetic, and conversions to a narrower integer to keep the "
    "low bits, as every compiler in use does. No other operation depends on the compiler: nothing overflows."
)
FLOATS = (
    "Compile with -ffp-contract=off and without -ffast-math: then floats have the same bits on every device with IEEE "
    "single precision."
)


class ProgramBuilder:
    """Collects the declarations that a function needs; `finish` assembles the program."""

    def __init__(self, ctx: Context, function: func.FuncOp):
        self.ctx = ctx
        self.function = function
        self.name = function.sym_name.data
        if not re.fullmatch(r"[A-Za-z_]\w*", self.name, re.ASCII):
            raise InputError(f"'{self.name}' cannot be part of the names of C functions")
        inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
        kinds = [isinstance(type, IndexType) for type in outputs]
        views = [op for op in function.walk() if isinstance(op, scratch.ViewOp)]
        self.given = next((view for view in views if view.input is not None), None)
        """The buffer of the arena that the caller fills; None if the caller passes an array."""
        inputs += () if self.given is None else (self.given.result.type,)
        if len(inputs) != 1 or not kinds or any(kinds[1:]):
            raise InputError(f"'{self.name}' must map one memref to an index, memrefs or both")
        self.input = _array(inputs[0])
        self.row_function = f"{self.name}_row"
        """The user's function that supplies the rows of the input, if they arrive one by one."""
        outs = (f"output_{number}" for number in range(1, len(outputs)))
        public = (f"{self.name}_{suffix}" for suffix in ("predict", "scores", "input", "raw", "real", *outs))
        self.names = Names((self.name, self.row_function, ARENA, *public))
        self.target = target_of(function)
        self.kernels = num.declared_kernels(function.parent_op())
        self.headers: dict[str, c.VerbatimOp] = {}
        self.constants: dict[Attribute, c.ConstantOp] = {}
        self.arena: c.ArenaOp | None = None
        self.label: SSAValue | None = None
        self.outputs: list[SSAValue] = []
        used = [view for view in views if view.result.uses or view is self.given]
        self.viewed = {_array(view.result.type).element_type for view in used}

    def use_function(self, name: str) -> None:
        """Include the texts that define a runtime function."""
        kernel = self._kernel(name)
        texts = definition_of(name, self.target) if kernel is None else texts_of(kernel, self.target)
        *needed, (origin, text) = texts
        for header, needed_text in needed:
            self.headers.setdefault(header, c.VerbatimOp(header, [], needed_text))
        known = self.headers.get(origin)
        names = sorted({name, *(symbol.data for symbol in known.provides)} if known else {name})
        self.headers[origin] = c.VerbatimOp(origin, names, text)
        self.names.take(name)

    def _kernel(self, name: str) -> Kernel | None:
        """The kernel that a declared function implements; None for other functions."""
        if name not in self.kernels:
            return None
        attribute, declaration = self.kernels[name]
        if isinstance(attribute, num.CodeKernelAttr):
            kernel = coded_kernel(attribute, _content(declaration), self.target)
        else:
            kernel = kernel_of(attribute, self.target)
        if kernel.symbol != name:
            raise InputError(f"the function of {attribute} is '{kernel.symbol}', not '{name}'")
        return kernel

    def constant(self, op: scratch.ConstantOp) -> str:
        """The name of a constant array; equal arrays share one."""
        type = _array(op.result.type)
        if not isinstance(type.memory_space, scratch.Flash):
            raise InputError(f"a sparse constant '{op.result.name_hint}' must have been lowered to its parts")
        if op.value not in self.constants:
            doc = self.describe(type, op.attributes.get(FORMAT))
            self.constants[op.value] = c.ConstantOp(self.names.fresh(op.result.name_hint or "table"), op.value, doc)
        return self.constants[op.value].sym_name.data

    def declare_arena(self, op: scratch.ArenaOp) -> None:
        if not self.viewed:
            return
        if self.arena is not None:
            raise InputError("there is more than one arena")
        # The largest element type whose size divides the arena's; the printer aligns it for larger ones.
        whole = [type for type in self.viewed if op.size % element_bytes(MemRefType(type, [1])) == 0]
        element = max(whole, key=lambda type: (element_bytes(MemRefType(type, [1])), str(type)))
        self.arena = c.ArenaOp(ARENA, op.size, op.alignment.value.data, element)

    def view(self, op: scratch.ViewOp) -> c.ViewOp:
        type = memref_type(op.result)
        pointer = c.PointerType(type.element_type, ALIAS if len(self.viewed) > 1 else RAM)
        doc = self.describe(type, op.attributes.get(FORMAT))
        return c.ViewOp(ARENA, op.offset.value.data, prod(type.get_shape()), doc, pointer)

    def interpret_results(self, op: func.ReturnOp) -> SSAValue | None:
        """Record the label, the scores and further outputs; returns the label, if there is one."""
        for value in op.arguments:
            if isinstance(value.type, IndexType):
                self.label = value
            else:
                self.outputs.append(value)
        return self.label

    def describe(self, type: MemRefType[Attribute], format: Attribute | None) -> str:
        """Shape, element type and number format of an array, for comments."""
        shape = "x".join(map(str, type.get_shape())) or "scalar"
        text = describe_format(self.ctx, format.data) if isinstance(format, StringAttr) else None
        return f"{shape} {ELEMENTS[type.element_type]}" + (f", {text}" if text else "")

    def finish(self, predict: Block) -> c.ProgramOp:
        """The complete program. predict: the body of the function NAME_predict."""
        input_doc = self.describe(self.input, self._of_input(FORMAT))
        if isinstance(packed := self._of_input(tdsl.PACKED), IntegerAttr):
            input_doc += f", numbers packed into {packed.value.data} bits each"
        axes = tdsl.order_axes(self._of_input(tdsl.ORDER))
        layout = "" if axes is None else tdsl.named_axes(axes)
        if layout:
            input_doc += f", {layout}"
        outputs = [] if self.label is None else [i16]
        functions: list[Operation] = []
        if self.row_length is not None:
            argument = self.function.args[0].name_hint or "X"
            doc = f"Runs the model on what {self.row_function} gives: {argument}: {input_doc}."
        elif self.given is None:
            argument = predict.args[0].name_hint
            doc = f"Runs the model on {argument}: {input_doc}."
        else:
            argument = self.given.result.name_hint or "X"
            functions.append(self._input(self.given, f"{argument}: {input_doc}"))
            doc = f"Runs the model on what {self.name}_input() points to."
        if outputs:
            doc += " Returns the label: the index of the class."
        type = FunctionType.from_lists([argument.type for argument in predict.args], outputs)
        functions.append(c.FuncOp(f"{self.name}_predict", type, doc, Region(predict)))
        functions += [self._output(number, value) for number, value in enumerate(self.outputs)]
        lengths = [prod(_array(value.type).get_shape()) for value in self.outputs]
        defines: list[Operation] = [
            c.DefineOp(f"{self.name}_INPUT_LENGTH", prod(self.input.get_shape()), f"elements of {argument}"),
            c.DefineOp(f"{self.name}_OUTPUT_LENGTH", lengths[0] if lengths else 0, "elements of the scores"),
        ]
        for number, length in enumerate(lengths[1:], 1):
            defines.append(c.DefineOp(f"{self.name}_OUTPUT_{number}_LENGTH", length, f"elements of output {number}"))
        arena = [] if self.arena is None else [self.arena]
        defines += self._conversions()
        if (length := self.row_length) is not None:
            macro, element = f"{self.name}_ROW_LENGTH", ELEMENTS[self.input.element_type]
            defines.insert(1, c.DefineOp(macro, length, "elements of a row of the input"))
            defines.append(row_declaration(self.row_function, element, macro, layout.partition(" x ")[2]))
        notes = [SHIFTS, FLOATS] if self._has_floats() else [SHIFTS]
        parts = [*defines, *self.headers.values(), *self.constants.values(), *arena, *functions]
        return c.ProgramOp(self.name, notes, Region(Block(parts)))

    @property
    def row_length(self) -> int | None:
        """The length of a row of the caller's array, if the input arrives row by row; else None."""
        length = self._of_input(tdsl.RECEIVED)
        if not isinstance(length, IntegerAttr):
            return None
        packed, elements = self._of_input(tdsl.PACKED), length.value.data
        return packed_bytes(elements, packed.value.data) if isinstance(packed, IntegerAttr) else elements

    def _conversions(self) -> list[Operation]:
        """Functions of the header that convert the input and the outputs if a shift does not suffice."""
        functions: list[Operation] = []
        format = self._affine(self._of_input(FORMAT))
        if format is not None and self._of_input(tdsl.PACKED) is None:
            functions.append(input_conversion(self.name, ELEMENTS[self.input.element_type], format))
        for number, value in enumerate(self.outputs):
            format = self._affine(_attribute(self.function.res_attrs, number + (self.label is not None)))
            if format is not None:
                name, what = (f"_output_{number}", f"output {number}") if number else ("", "the scores")
                element = ELEMENTS[_array(value.type).element_type]
                functions.append(output_conversion(f"{self.name}{name}_real", what, element, format))
        return functions

    def _affine(self, format: Attribute | None) -> Affine | None:
        """The format if it is affine but not fixed point; None otherwise."""
        affine = affine_format(self.ctx, format.data) if isinstance(format, StringAttr) else None
        return None if affine is None or affine.is_binary else affine

    def _has_floats(self) -> bool:
        return any(value.type == f32 for op in self.function.walk() for value in op.results)

    def _of_input(self, name: str) -> Attribute | None:
        """An attribute of the input argument."""
        if self.given is not None:
            return self.given.attributes.get(name)
        return _attribute(self.function.arg_attrs, 0, name)

    def _input(self, given: scratch.ViewOp, described: str) -> c.FuncOp:
        """The function that returns the address to which the caller writes the input."""
        type = _array(given.result.type)
        pointer = c.PointerType(type.element_type)
        length = prod(type.get_shape())
        view = c.ViewOp(ARENA, given.offset.value.data, length, self.describe(type, None), pointer)
        view.result.name_hint = given.result.name_hint or "X"
        text = f"Where to write {described}. It lies in the arena: write all of it before each {self.name}_predict."
        body = Region(Block([view, c.ReturnOp(view.result)]))
        return c.FuncOp(f"{self.name}_input", FunctionType.from_lists([], [pointer]), text, body)

    def _output(self, number: int, value: SSAValue) -> c.FuncOp:
        """The function that returns an output: the scores, or another one by its index."""
        type = _array(value.type)
        position = number + (self.label is not None)
        doc = self.describe(type, _attribute(self.function.res_attrs, position))
        pointer = c.PointerType(type.element_type, CONST)
        offset = _arena_offset(value)
        view = c.ViewOp(ARENA, offset, prod(type.get_shape()), self.describe(type, None), pointer)
        what, suffix = (f"Output {number}", f"output_{number}") if number else ("The scores", "scores")
        view.result.name_hint = value.name_hint or suffix
        body = Region(Block([view, c.ReturnOp(view.result)]))
        text = f"{what} of the last {self.name}_predict: {doc}. They lie in the arena and change with the next call."
        return c.FuncOp(f"{self.name}_{suffix}", FunctionType.from_lists([], [pointer]), text, body)


def _content(declaration: func.FuncOp) -> CodedRows | CodedTile:
    """The constants that a declared function contains."""
    if (rows := declaration.attributes.get(ROWS)) is not None:
        return CodedRows.of(rows)
    if (tile := declaration.attributes.get(TILE)) is not None:
        return CodedTile.of(tile)
    raise InputError(f"the declaration of '{declaration.sym_name.data}' has no {ROWS} and no {TILE}")


def _array(type: Attribute) -> MemRefType[Attribute]:
    if isinstance(type, MemRefType):
        array = cast("MemRefType[Attribute]", type)
        if array.element_type in ELEMENTS and prod(array.get_shape()) > 0:
            return array
    raise InputError(f"no array of generated C: {type}")


def _attribute(attributes: ArrayAttr[DictionaryAttr] | None, position: int, name: str = FORMAT) -> Attribute | None:
    return None if attributes is None else attributes.data[position].data.get(name)


def _arena_offset(value: SSAValue) -> int:
    """The byte offset of a returned value in the arena."""
    op = value.owner
    if isinstance(op, scratch.ViewOp):
        return op.offset.value.data
    if isinstance(op, scratch.SliceOp) and (elements := const_evaluate_operand(op.offset)) is not None:
        return _arena_offset(op.source) + elements * element_bytes(memref_type(op.source))
    raise InputError("the scores must be a view of the arena, or a slice of one at a constant offset")
