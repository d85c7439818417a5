"""How many bytes of RAM a program at L1 works in, as the passes that follow will place its tensors."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.passes import PassPipeline
from xdsl.universe import Universe

from tinyml.dialects import tdsl
from tinyml.dialects.number_format import accumulator_of
from tinyml.dialects.scratch import ArenaOp, memref_type, size_in_bytes
from tinyml.dialects.tdsl.base import shaped
from tinyml.transforms.candidates import Candidates, Formats, round_less
from tinyml.transforms.contexts import context

LOWERING = ("refine-formats", "formats-to-buffers")
"""From formats to packed memory: pipelines by name, since they lead to levels below."""


class WorkingMemory:
    """Of the candidates of one program: the arena and the input, in bytes; the stack comes on top.

    pack_buffers: is `pack-buffers` run?
    """

    def __init__(self, candidates: Candidates, pack_buffers: bool = False):
        self.candidates = candidates
        self.pack_buffers = pack_buffers
        self._known: dict[object, int] = {}

    def of(self, formats: Formats) -> int:
        """Raises `InputError` where the formats make no program."""
        if formats not in self._known:
            self._known[formats] = self._of(formats)
        return self._known[formats]

    def _of(self, formats: Formats) -> int:
        from tinyml.runtime.evaluator import predict_function

        unrounded, _ = self.candidates.in_formats(formats)
        module = round_less(unrounded.clone())
        # Where the same ops make tensors that occupy as many bytes, these lie in memory alike.
        bits = partial(_bits, packed=self.pack_buffers)
        arguments = map(bits, predict_function(module).body.block.args)
        ops = ((op.name, *map(bits, op.results)) for op in module.walk() if not isinstance(op, tdsl.ConstOp))
        key = (*arguments, *ops)
        if key not in self._known:
            self._known[key] = working_memory(unrounded, self.pack_buffers)
        return self._known[key]


def working_memory(module: ModuleOp, pack_buffers: bool = False) -> int:
    """Of a program as `assign-format` leaves it, which is lowered and packed here."""
    from tinyml.runtime.evaluator import predict_function

    available = Universe.get_multiverse().all_passes
    first, second = LOWERING
    refine, place = cast(Any, available[first]()), cast(Any, available[second]())
    # Pipelines that run as passes verify after each step, which would take most of the time.
    steps = [*refine(pack_buffers=pack_buffers).steps(), *place(pack_buffers=pack_buffers).steps()]
    PassPipeline.parse_spec(available, ",".join(unchecked(steps))).apply(context(), module)
    arena = sum(op.size for op in module.walk() if isinstance(op, ArenaOp))
    arguments = predict_function(module).body.block.args
    return arena + sum(size_in_bytes(memref_type(argument)) for argument in arguments)


def unchecked(steps: Iterable[str]) -> list[str]:
    """Passes without the proof of what they did, which is for the program that is chosen."""
    return [step for step in steps if step != "check-packing"]


def _bits(value: SSAValue, packed: bool) -> int:
    """Of an element of a tensor in memory, which may be packed."""
    if not isinstance(value.type, TensorType):
        return 0
    accumulator = accumulator_of(shaped(value).get_element_type())
    if accumulator is not None:
        return accumulator.bits
    return tdsl.format_of(value).bits if packed else 8 * tdsl.format_of(value).dtype.itemsize
