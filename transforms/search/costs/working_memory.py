"""How many bytes of RAM a program at L1 works in, as the passes that follow will place its tensors."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.scratch import ArenaOp, memref_type, size_in_bytes
from tinyml.dialects.tdsl.base import shaped
from tinyml.transforms.formats.evaluation.candidates import Candidates, Formats, round_less
from tinyml.transforms.search.costs.pipelines_below import TO_BUFFERS, Lowering


class WorkingMemory:
    """Of the candidates of one program: the arena and the input, in bytes; the stack comes on top.

    pack_buffers: is `pack-buffers` run?
    """

    def __init__(self, candidates: Candidates, pack_buffers: bool = False):
        self.candidates = candidates
        self.pack_buffers = pack_buffers
        self._steps = [Lowering((name,), pack_buffers=pack_buffers) for name in TO_BUFFERS]
        self._known: dict[object, int] = {}

    def of(self, formats: Formats) -> int:
        """Raises `InputError` where the formats make no program."""
        if formats not in self._known:
            self._known[formats] = self._of(formats)
        return self._known[formats]

    def _of(self, formats: Formats) -> int:
        module, _ = self.candidates.in_formats(formats)
        refine, place = self._steps
        rounded = self._key(round_less(module.clone()))
        if rounded not in self._known:
            refine.apply(module)
            refined = self._key(module)
            if refined not in self._known:
                place.apply(module)
                self._known[refined] = _working_memory(module)
            self._known[rounded] = self._known[refined]
        return self._known[rounded]

    def _key(self, module: ModuleOp) -> object:
        """Where the same ops make tensors that occupy as many bytes, these lie in memory alike."""
        values: dict[SSAValue, int] = {}
        found: list[object] = []
        for op in module.walk():
            if not isinstance(op, tdsl.ConstOp):
                made = [*op.results, *(argument for region in op.regions for argument in region.block.args)]
                read = [values.setdefault(value, len(values)) for value in op.operands]
                written = [(values.setdefault(value, len(values)), self._bits(value)) for value in made]
                found.append((op.name, *read, *written))
        return tuple(found)

    def _bits(self, value: SSAValue) -> int:
        """Of an element of a tensor in memory, which may be packed."""
        if not isinstance(value.type, TensorType):
            return 0
        accumulator = accumulator_of(shaped(value).get_element_type())
        if accumulator is not None:
            return accumulator.bits
        return tdsl.format_of(value).bits if self.pack_buffers else 8 * tdsl.format_of(value).dtype.itemsize


def working_memory(module: ModuleOp) -> int:
    """Of a program as `assign-format` leaves it, which is lowered and packed here."""
    Lowering(TO_BUFFERS).apply(module)
    return _working_memory(module)


def _working_memory(module: ModuleOp) -> int:
    """Of a packed program."""
    from tinyml.runtime.evaluator.evaluator import predict_function

    arena = sum(op.size for op in module.walk() if isinstance(op, ArenaOp))
    arguments = predict_function(module).body.block.args
    return arena + sum(size_in_bytes(memref_type(argument)) for argument in arguments)
