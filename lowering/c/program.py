"""The file scope of a C program: constants, the arena, runtime headers, the interface and comments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    MemRefType,
    NoneAttr,
    StringAttr,
    UnitAttr,
    f32,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import c, num, scratch, tdsl
from tinyml.dialects.c.declarations import RESULT, SUMS_IN_MEMORY
from tinyml.dialects.c.types import ALIAS, CONST, RAM
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.number_format import NumberFormat
from tinyml.dialects.functions import CONTRACT, DATA
from tinyml.dialects.layouts.packed_bits import packed_bytes
from tinyml.dialects.scratch import FORMAT, element_bytes, memref_type
from tinyml.lowering.c.format_notes import (
    Affine,
    affine_format,
    describe_format,
    guarded_raws,
    outermost_raws,
    spelled_format,
)
from tinyml.lowering.c.header_texts import (
    affine_macros,
    class_names,
    feature_conversion,
    push_macros,
    row_declaration,
    threshold_macro,
)
from tinyml.lowering.c.signatures import (
    INSTANCE,
    LOADED,
    PART_AT,
    PUBLIC,
    STEP,
    WEIGHTS,
    WEIGHTS_BYTES,
    Signatures,
    loaded_weights,
    output_suffixes,
    part_suffixes,
)
from tinyml.runtime.model.headers import definition_of, texts_of
from tinyml.targets.c.names import Names
from tinyml.targets.kernel import Kernel
from tinyml.targets.nests import content_of
from tinyml.targets.registry import chip_of, coded_kernel, kernel_of, target_of

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
    """A collector of the declarations that a function needs. `finish` assembles them to the complete C program."""

    def __init__(self, ctx: Context, function: func.FuncOp):
        self.ctx = ctx
        self.function = function
        self.name = function.sym_name.data
        if not re.fullmatch(r"[A-Za-z_]\w*", self.name, re.ASCII):
            raise InputError(f"'{self.name}' cannot be part of the names of C functions")
        inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
        kinds = [isinstance(type, IndexType) for type in outputs]
        views = [op for op in function.walk() if isinstance(op, scratch.ViewOp)]
        self.interface = tdsl.read_interface(function)
        self.given = next((view for view in views if view.input is not None), None)
        """The buffer of the arena to which the caller writes the input; None if the caller passes an array."""
        # The index argument is the time of a step, which the functions of a streaming program count.
        inputs = tuple(type for type in inputs if not isinstance(type, IndexType))
        inputs += () if self.given is None else (self.given.result.type,)
        if len(inputs) != 1 or not kinds or any(kinds[1:]):
            raise InputError(f"'{self.name}' must map one memref to an index, memrefs or both")
        if self.pushes is not None and (self.given is None or len(function.args) != 1):
            raise InputError("'pushed' of the input: it is in the arena, and the time of a step the only argument")
        self.input = _array(inputs[0])
        self.row_function = f"{self.name}_row"
        """The name of the user's function that supplies the rows of the input, if the input arrives row by row."""
        suffixes = (*PUBLIC, WEIGHTS, LOADED, WEIGHTS_BYTES)
        suffixes += tuple(suffix for number in range(max(len(outputs), 1)) for suffix in output_suffixes(number))
        module = function.parent_op()
        instance = c.InstanceType(f"{self.name}_{INSTANCE}") if self.interface.instances else None
        self.signatures = Signatures(self.name, instance)
        suffixes += () if instance is None else (INSTANCE,)
        parts = self.interface.input.input_parts
        suffixes += tuple(suffix for part in parts for suffix in part_suffixes(part.name))
        public = (f"{self.name}_{suffix}" for suffix in suffixes)
        # The names of constants follow the program's name in C.
        self.names = Names((self.name, self.row_function, ARENA, *public, *suffixes))
        self.target = target_of(function)
        self.kernels = num.declared_kernels(module)
        self.headers: dict[str, c.VerbatimOp] = {}
        self.constants: dict[tuple[Attribute, Attribute | None], c.ConstantOp] = {}
        self.loaded: dict[tuple[Attribute, Attribute | None], c.ConstantOp] = {}
        """Constants in RAM that the caller writes."""
        self.arena: c.ArenaOp | None = None
        self.label: SSAValue | None = None
        self.outputs: list[SSAValue] = []
        used = [view for view in views if view.result.uses or view is self.given]
        self.looks_up_input = _looks_up(function, function.args[0] if self.given is None else self.given.result)
        """True if raws of the input are used as indices into a table, such as a table of a function."""
        self.viewed = {_array(view.result.type).element_type for view in used}

    def use_function(self, name: str) -> None:
        """Include the header texts that define a runtime function."""
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
        if name not in self.kernels:
            return None
        attribute, declaration = self.kernels[name]
        if isinstance(attribute, num.CodeKernelAttr):
            kernel = coded_kernel(attribute, content_of(declaration), self.target)
        else:
            kernel = kernel_of(attribute, self.target)
        if kernel.symbol != name:
            raise InputError(f"the function of {attribute} is '{kernel.symbol}', not '{name}'")
        return kernel

    def constant(self, op: scratch.ConstantOp) -> c.ConstantOp:
        """Declare a constant array, and return its declaration. Equal arrays have one declaration, except arrays whose
        content is not a part of the program (`DATA`). Raises `InputError` for a sparse matrix that is not lowered to
        its parts.
        """
        type = _array(op.result.type)
        if not isinstance(type.memory_space, scratch.Flash | NoneAttr):
            raise InputError(f"a sparse constant '{op.result.name_hint}' must have been lowered to its parts")
        known, key = self.loaded if op.loaded else self.constants, (op.value, op.far)
        if DATA in op.attributes:
            # Arrays of other weights differ even if these are equal.
            key = StringAttr(f"{DATA} {len(known)}"), op.far
        if key not in known:
            doc = self.describe(type, op.attributes.get(FORMAT))
            name = self.names.fresh(op.result.name_hint or "table")
            known[key] = c.ConstantOp(name, op.value, doc, far=op.far is not None)
            known[key].attributes |= {name: op.attributes[name] for name in CONTRACT if name in op.attributes}
        return known[key]

    def declare_arena(self, op: scratch.ArenaOp) -> None:
        if not self.viewed:
            return
        if self.arena is not None:
            raise InputError("there is more than one arena")
        # The largest element type whose size divides the arena's; the printer aligns it for larger ones. The size of a
        # shared arena may be a multiple of no type of this program.
        types = [*self.viewed, *([i8] if op.shared is not None else [])]
        whole = [type for type in types if op.size % element_bytes(MemRefType(type, [1])) == 0]
        element = max(whole, key=lambda type: (element_bytes(MemRefType(type, [1])), str(type)))
        self.arena = c.ArenaOp(ARENA, op.size, op.alignment.value.data, element)
        self.arena.memories = op.memories

    def view(self, op: scratch.ViewOp, instance: SSAValue | None) -> c.ViewOp:
        """Emit the address of a buffer in the arena of `instance` or, without an instance, in the only arena; return
        the op.
        """
        type = memref_type(op.result)
        aliased = len(self.viewed) > 1 or cast(scratch.ArenaOp, op.arena.owner).shared is not None
        pointer = c.PointerType(type.element_type, ALIAS if aliased else RAM)
        doc = self.describe(type, op.attributes.get(FORMAT))
        return c.ViewOp(ARENA, op.offset.value.data, prod(type.get_shape()), doc, pointer, instance)

    def interpret_results(self, op: func.ReturnOp) -> SSAValue | None:
        """Record which values a program returns as label, scores and further outputs. Return the label, or None
        if the program returns no label.
        """
        for value in op.arguments:
            if isinstance(value.type, IndexType):
                self.label = value
            else:
                self.outputs.append(value)
        return self.label

    def describe(self, type: MemRefType[Attribute], format: Attribute | None, otherwise: str = "") -> str:
        """The text of a comment on an array: its shape, element type and number format.

        otherwise: text appended to the description of an integer format without a formula, as in `describe_format`.
        """
        shape = "x".join(map(str, type.get_shape())) or "scalar"
        text = describe_format(self.ctx, format.data, otherwise) if isinstance(format, StringAttr) else None
        return f"{shape} {ELEMENTS[type.element_type]}" + (f", {text}" if text else "")

    def finish(self, predict: Block, others: Sequence[Operation]) -> c.ProgramOp:
        """The C program with all declarations that have been collected. Raises `InputError` for a program with
        instances whose weights the caller loads.

        predict: the body of the function NAME_predict.
        others: further functions.
        """
        input = self.interface.input
        # Callers of a program with an integer input unit do not need the format.
        setter = f", whose raws {self._setter} makes of real numbers" if self._setter else ""
        shared = input.unit is None and not self.own_formats
        input_doc = self.describe(self.input, self._input_note if shared else None, setter)
        if self.own_formats:
            input_doc += f", raws of {len(self.own_formats)} inputs in formats of their own"
        if (guarded := self.guarded) is not None:
            input_doc += f", raws from {guarded[0]} to {guarded[1]} and no others"
        if input.packed is not None:
            input_doc += f", numbers packed into {input.packed} bits each"
        if input.unit is not None:
            input_doc += f", integers of a sensor ({input.unit})"
        elif input.scales is not None:
            input_doc += ", features in units of their own"
        layout = "" if input.order is None else tdsl.named_axes(input.order)
        if layout:
            input_doc += f", {layout}"
        outputs = [] if self.label is None else [i16]
        functions: list[Operation] = []
        if self.pushes is not None:
            argument = "the input up to an answer"
            doc = "Takes the frame in the arena at time t, or gives the answer after the last one."
        elif self.row_length is not None:
            argument = self.function.args[0].name_hint or "X"
            doc = f"Runs the model on what {self.row_function} gives: {argument}: {input_doc}."
        elif self.given is None:
            argument = predict.args[-1].name_hint
            doc = f"Runs the model on {argument}: {input_doc}."
        else:
            argument = self.given.result.name_hint or "X"
            functions.append(self._input(self.given, f"{argument}: {input_doc}"))
            doc = f"Runs the model on what {self.name}_input() points to."
        if outputs:
            doc += " Returns the label: the index of the class."
        name, local = ("predict", False) if self.pushes is None else (STEP, True)
        arguments = self.signatures.arguments_of(predict)
        counts = {
            value.name_hint or "": prod(self.input.get_shape())
            for value in arguments
            if isinstance(value.type, c.PointerType)
        }
        main = self.signatures.function(name, outputs, doc, predict, local=local, elements=counts)
        if SUMS_IN_MEMORY in self.function.attributes:
            main.attributes[SUMS_IN_MEMORY] = UnitAttr()
        functions.append(main)
        functions += [self._output(number, value) for number, value in enumerate(self.outputs)]
        functions += others
        lengths = [prod(_array(value.type).get_shape()) for value in self.outputs]
        length = prod(self.input.get_shape()) if self.pushes is None else self.pushes.length
        defines: list[Operation] = [
            c.DefineOp(f"{self.name}_INPUT_LENGTH", length, f"elements of {argument}"),
            c.DefineOp(f"{self.name}_OUTPUT_LENGTH", lengths[0] if lengths else 0, "elements of the scores"),
        ]
        defines += [] if self.pushes is None else push_macros(self.name, self.pushes)
        if (labels := self.labels) is not None:
            defines.append(c.DefineOp(f"{self.name}_CLASSES", len(labels), "classes"))
        for part, format in self.own_formats or [(part, None) for part in input.input_parts]:
            count = "the element" if part.length == 1 else f"the first of {part.length} elements"
            text = f"index of {count} of {part.name}"
            text += "" if format is None else f", {describe_format(self.ctx, str(format.type))}"
            defines.append(c.DefineOp(f"{self.name}_{PART_AT}_{part.name}", part.start, text))
        for number, length in enumerate(lengths[1:], 1):
            defines.append(c.DefineOp(f"{self.name}_OUTPUT_{number}_LENGTH", length, f"elements of output {number}"))
        memory: list[Operation] = [] if self.arena is None else [self.arena]
        if self.loaded:
            if self.signatures.instance is not None:
                raise InputError("--load-weights: instances do not share what the caller writes: leave out --instances")
            loaded, function = loaded_weights(self.signatures, self.loaded.values())
            memory.append(loaded)
            functions.insert(0, function)
            text = f"bytes of the model's numbers, in {self.name}.weights"
            defines.append(c.DefineOp(f"{self.name}_{WEIGHTS_BYTES}", len(loaded.content), text))
        if (instance := self.signatures.instance) is not None:
            memory += [op for op in functions if isinstance(op, c.BufferOp)]
            functions = [op for op in functions if not isinstance(op, c.BufferOp)]
            memory = [c.InstanceOp(instance.structure.data, Region(Block(memory)))]
        texts = self._header_texts()
        if (length := self.row_length) is not None:
            macro, element = f"{self.name}_ROW_LENGTH", self.input.element_type
            defines.insert(1, c.DefineOp(macro, length, "elements of a row of the input"))
            axes = layout.partition(" x ")[2]
            texts.append(row_declaration(self.row_function, element, length, macro, axes))
        notes = [SHIFTS, FLOATS] if self._has_floats() else [SHIFTS]
        # The header declares in this order.
        parts = [*defines, *self.headers.values(), *self.constants.values(), *memory, *functions, *texts]
        return c.ProgramOp(self.name, notes, Region(Block(parts)))

    @property
    def pushes(self) -> tdsl.Pushes | None:
        return self.interface.input.pushed

    @property
    def row_length(self) -> int | None:
        """The number of elements in a row of an input that arrives row by row, counted in elements of the caller's
        array; None for any other input.
        """
        elements, bits = self.interface.input.received, self.interface.input.packed
        return elements if elements is None or bits is None else packed_bytes(elements, bits)

    def _header_texts(self) -> list[Operation]:
        texts: list[Operation] = []
        chip = chip_of(self.target)
        unit = self.interface.input.unit
        if unit is not None:
            unit_macros = imported("tinyml.lowering.c.unit_macros:unit_macros")
            texts += unit_macros(self.name, unit, prod(self.input.get_shape()))
        features = self.features if self.encoding is None else None
        if features is not None:
            texts += feature_conversion(self.name, features, chip)
        elif self.has_one_unit and (format := self.affine_input) is not None:
            texts += affine_macros(f"{self.name}_INPUT", format)
        for part, own in self.own_formats:
            if (format := self.affine(str(own.type))) is not None:
                texts += affine_macros(f"{self.name}_INPUT", format, part.name)
        for number in range(len(self.outputs)):
            text = self.output_text(number)
            if text is not None and (format := self.affine(text)) is not None:
                texts += affine_macros(f"{self.name}_OUTPUT{f'_{number}' if number else ''}", format)
        if self.interface.threshold is not None:
            texts.append(threshold_macro(self.name, self.interface.threshold))
        labels = self.labels
        if labels is not None:
            texts += class_names(self.name, labels, chip)
        if chip.flash_attribute is not None and (labels is not None or features is not None):
            texts.insert(0, c.InlineOp(chip.flash_attribute, chip.prelude))
        return texts

    @property
    def labels(self) -> Sequence[str | int] | None:
        """The labels of the classes; None if the program computes no class or the classes have no labels."""
        return None if self.label is None else self.interface.classes

    @property
    def features(self) -> tdsl.FeatureMap | None:
        """The scale and zero of each input feature; None if all features have one scale."""
        return self.interface.input.features(prod(self.input.get_shape()))

    @property
    def encoding(self) -> tdsl.FeatureEncoding | None:
        """The integers with which the device converts features with separate scales to raws.

        Returns None if all features have one scale, or if the conversion uses floats.
        """
        features, format = self.features, self.input_format
        return None if features is None or format is None else tdsl.feature_encoding(features, format)

    @cached_property
    def input_format(self) -> NumberFormat | None:
        return None if self.input_text is None else spelled_format(self.ctx, self.input_text)

    @cached_property
    def own_formats(self) -> Sequence[tuple[tdsl.InputPart, NumberFormat]]:
        """The parts of the input with their number formats; empty if all parts have one format."""
        shared = self.input_format
        return [] if shared is None else self.interface.input.own_formats(shared)

    @property
    def guarded(self) -> tuple[int, int] | None:
        """The least and the greatest raw of an input whose raws are used as table indices. None for any other input,
        and if every value of the storage type is a raw.
        """
        format = self.input_format
        if format is None or self.is_packed:
            return None
        return outermost_raws(format) if self.looks_up_input else guarded_raws(format)

    @property
    def is_packed(self) -> bool:
        return self.interface.input.packed is not None

    @property
    def _setter(self) -> str:
        """The call syntax of the C function that accepts real inputs, such as `NAME_set()`; empty if the program has no
        such function.
        """
        if self.input_format is None or self.is_packed:
            return ""
        if self.pushes is not None:
            return f"{self.name}_push_floats()"
        return "" if self.row_length is not None else f"{self.name}_set()"

    def output_format(self, number: int) -> NumberFormat | None:
        text = self.output_text(number)
        return None if text is None else spelled_format(self.ctx, text)

    def output_text(self, number: int) -> str | None:
        """The text of the format's type of output `number`; None if it is unknown."""
        return _text_of(_format_note(self.function.res_attrs, number + (self.label is not None)))

    def output_type(self, number: int) -> MemRefType[Attribute]:
        return _array(self.outputs[number].type)

    @property
    def input_text(self) -> str | None:
        """The text of the type of the input's format; None if it is unknown."""
        return _text_of(self._input_note)

    @property
    def has_one_unit(self) -> bool:
        """Whether all elements of the input are unpacked raws of one format, without scales or a unit of their own."""
        unit = self.interface.input.unit
        return self.features is None and unit is None and not self.is_packed and not self.own_formats

    @property
    def affine_input(self) -> Affine | None:
        return None if self.input_text is None else self.affine(self.input_text)

    def affine(self, format: str) -> Affine | None:
        return affine_format(self.ctx, format)

    def _has_floats(self) -> bool:
        return any(value.type == f32 for op in self.function.walk() for value in op.results)

    @property
    def _input_note(self) -> Attribute | None:
        view = self.given
        return _format_note(self.function.arg_attrs, 0) if view is None else view.attributes.get(FORMAT)

    def _input(self, buffer: scratch.ViewOp, described: str) -> c.FuncOp:
        type = _array(buffer.result.type)
        pointer = c.PointerType(type.element_type)
        length = prod(type.get_shape())
        body = self.signatures.body({})
        doc, instance = self.describe(type, None), self.signatures.instance_of(body)
        view = c.ViewOp(ARENA, buffer.offset.value.data, length, doc, pointer, instance)
        view.result.name_hint = buffer.result.name_hint or "X"
        body.add_ops([view, c.ReturnOp(view.result)])
        text = f"Where to write {described}. It lies in the arena: write all of it before each {self.name}_predict."
        return self.signatures.function("input", [pointer], text, body, elements={RESULT: length})

    def _output(self, number: int, value: SSAValue) -> c.FuncOp:
        type = _array(value.type)
        what, suffix = (f"Output {number}", f"output_{number}") if number else ("The scores", "scores")
        getter = f"{self.name}_{suffix}_score" if number else f"{self.name}_score"
        format = _format_note(self.function.res_attrs, number + (self.label is not None))
        doc = self.describe(type, format, f", whose real numbers {getter}() returns")
        body = self.signatures.body({})
        view = self.output_view(value, suffix, self.signatures.instance_of(body))
        body.add_ops([view, c.ReturnOp(view.result)])
        text = f"{what} of the last {self.name}_predict: {doc}. They lie in the arena and change with the next call."
        count = {RESULT: prod(type.get_shape())}
        return self.signatures.function(suffix, [view.result.type], text, body, elements=count)

    def output_view(self, value: SSAValue, name: str, instance: SSAValue | None) -> c.ViewOp:
        """Emit the address of an output in the arena, and return the op.

        name: the name of the view if the value has no name hint.
        instance: the instance that contains the arena; None for a program without instances.
        """
        type = _array(value.type)
        pointer = c.PointerType(type.element_type, CONST)
        doc = self.describe(type, None)
        view = c.ViewOp(ARENA, _arena_offset(value), prod(type.get_shape()), doc, pointer, instance)
        view.result.name_hint = value.name_hint or name
        return view


_INDEX_CASTS = (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp, arith.AddiOp, arith.SubiOp)
"""Ops that convert a raw to an index into a table, by adding constants and changing the width."""


def _looks_up(function: func.FuncOp, input: SSAValue) -> bool:
    """Whether a raw of the input `input`, with or without an added offset, indexes a load from a constant array."""
    raws = set[SSAValue]()
    for op in function.walk():
        if isinstance(op, memref.LoadOp) and scratch.root(op.memref) is input:
            raws.add(op.res)
        elif not raws.isdisjoint(op.operands):
            if isinstance(op, _INDEX_CASTS):
                raws.update(op.results)
            elif isinstance(op, memref.LoadOp) and scratch.constant_root(op.memref) is not None:
                return True
    return False


def _array(type: Attribute) -> MemRefType[Attribute]:
    if isinstance(type, MemRefType):
        array = cast("MemRefType[Attribute]", type)
        if array.element_type in ELEMENTS and prod(array.get_shape()) > 0:
            return array
    raise InputError(f"no array of generated C: {type}")


def _text_of(format: Attribute | None) -> str | None:
    return format.data if isinstance(format, StringAttr) else None


def _format_note(attributes: ArrayAttr[DictionaryAttr] | None, position: int) -> Attribute | None:
    return None if attributes is None else attributes.data[position].data.get(FORMAT)


def _arena_offset(value: SSAValue) -> int:
    op = value.owner
    if isinstance(op, scratch.ViewOp):
        return op.offset.value.data
    if isinstance(op, scratch.SliceOp) and (elements := const_evaluate_operand(op.offset)) is not None:
        return _arena_offset(op.source) + elements * element_bytes(memref_type(op.source))
    raise InputError("the scores must be a view of the arena, or a slice of one at a constant offset")
