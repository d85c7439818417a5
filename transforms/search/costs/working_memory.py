"""The bytes of arena and input of a program at L1, after the passes that allocate its tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import MemRefType, ModuleOp, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.scratch import ArenaOp, memref_type, size_in_bytes
from tinyml.dialects.tdsl.base import shaped
from tinyml.transforms.formats.evaluation.candidates import Candidates, Formats, leave_out_roundings
from tinyml.transforms.search.costs.lowered_programs import LoweringPasses
from tinyml.transforms.search.costs.pipelines_below import TO_BUFFERS

CACHED_PROGRAMS = 64
"""The greatest number of partly lowered programs that are kept for their estimates."""


class WorkingMemory:
    """The arena and the input of one program's candidates, in bytes, excluding the stack.

    options: of the pipelines to packed memory, such as `target`. A program is lowered only as far as it differs from
    earlier ones; `lowered` continues from there.
    """

    def __init__(self, candidates: Candidates, **options: Any):
        self.candidates = candidates
        self.pack_buffers = options.get("pack_buffers", False)
        self._steps = [LoweringPasses((name,), **options) for name in TO_BUFFERS]
        self._known: dict[object, int] = {}
        self._begun: dict[Formats, _Lowering] = {}

    def of(self, formats: Formats) -> int:
        """The bytes of a candidate's arena and input; raises `InputError` if the formats make no program."""
        if formats not in self._known:
            begun = self._begin(formats)
            self._known[formats] = self._packed(begun)
            self._begun[formats] = begun
            if len(self._begun) > CACHED_PROGRAMS:
                del self._begun[next(iter(self._begun))]
        return self._known[formats]

    def lowered(self, formats: Formats) -> ModuleOp:
        """The program of a candidate with packed memory, which the caller may change.

        Raises `InputError` if the formats make no program.
        """
        begun = self._begun.pop(formats, None) or self._begin(formats)
        while begun.steps:
            begun.run_next()
        self._known.setdefault(formats, arena_and_input(begun.module))
        return begun.module

    def _begin(self, formats: Formats) -> _Lowering:
        return _Lowering(self.candidates.in_formats(formats)[0], list(self._steps))

    def _packed(self, begun: _Lowering) -> int:
        rounded = self._key(leave_out_roundings(begun.module.clone()))
        if rounded not in self._known:
            begun.run_next()
            refined = self._key(begun.module)
            if refined not in self._known:
                begun.run_next()
                self._known[refined] = arena_and_input(begun.module)
            self._known[rounded] = self._known[refined]
        return self._known[rounded]

    def _key(self, module: ModuleOp) -> object:
        """A key that is equal for programs of equal memory layout: of the same ops and element widths."""
        values: dict[SSAValue, int] = {}
        ops: list[object] = []
        for op in module.walk():
            if not isinstance(op, tdsl.ConstOp):
                made = [*op.results, *(argument for region in op.regions for argument in region.block.args)]
                read = [values.setdefault(value, len(values)) for value in op.operands]
                written = [(values.setdefault(value, len(values)), self._element_bits(value)) for value in made]
                ops.append((op.name, *read, *written))
        return tuple(ops)

    def _element_bits(self, value: SSAValue) -> int:
        """The width of a tensor's element in memory, perhaps packed; 0 for values that are not tensors."""
        if not isinstance(value.type, TensorType):
            return 0
        accumulator = accumulator_of(shaped(value).get_element_type())
        if accumulator is not None:
            return accumulator.bits
        return tdsl.format_of(value).bits if self.pack_buffers else 8 * tdsl.format_of(value).dtype.itemsize


@dataclass
class _Lowering:
    """A program that is being lowered to packed memory, and the remaining steps."""

    module: ModuleOp
    steps: list[LoweringPasses]

    def run_next(self) -> None:
        self.steps.pop(0).apply(self.module)


def working_memory(module: ModuleOp) -> int:
    """The bytes of arena and input of a program from `assign-format`; lowers and packs it in place."""
    LoweringPasses(TO_BUFFERS).apply(module)
    return arena_and_input(module)


def arena_and_input(module: ModuleOp) -> int:
    """The bytes of arena and input of a packed program; an input that arrives row by row takes none."""
    arena = sum(op.size for op in module.walk() if isinstance(op, ArenaOp))
    [function] = defined_functions(module)
    arguments = () if tdsl.read_input(function).received is not None else function.body.block.args
    arrays = [argument for argument in arguments if isinstance(argument.type, MemRefType)]
    return arena + sum(size_in_bytes(memref_type(array)) for array in arrays)
