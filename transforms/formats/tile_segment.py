"""`tile-segment`: a segment of a network becomes one loop nest, in which inner images live in rings of rows or pixels.

Every value is computed once, when the first of its readers needs it, and kept until the last has passed it. The result
of the segment may then overwrite its input as far as that has been read (`pack-scratch`).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.transforms.formats.plans.blocks import By
from tinyml.transforms.formats.plans.network import network_of
from tinyml.transforms.formats.streaming.nest import stream
from tinyml.transforms.formats.streaming.stages import NotStreamed


@dataclass(frozen=True)
class TileSegmentPass(ModulePass):
    """Tiles and fuses consecutive ops of every function.

    first, last: the first and the last op of the segment, by the names that `tinyml plan` gives them. by: `rows`,
    `pixels` or `blocks`, what the loops compute at a time; by blocks, pools of separate windows take the pixels of a
    convolution block by block, and everything else runs by pixels. Raises `InputError` for other names, and for
    segments that do not run slice by slice, with the reason.
    """

    name = "tile-segment"
    first: str
    last: str
    by: str = "rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known = [by.value for by in By]
        if self.by not in known:
            raise InputError(f"segments run by {', '.join(known[:-1])} or {known[-1]}, got '{self.by}'")
        for function in defined_functions(op):
            network = network_of(function)
            order = [node.result for node in network.graph.nodes]
            for name in (self.first, self.last):
                if name not in order:
                    raise InputError(f"there is no op '{name}' in the plan of @{function.sym_name.data}")
            first, last = order.index(self.first), order.index(self.last)
            if first > last:
                raise InputError(f"'{self.first}' comes after '{self.last}'")
            try:
                stream(network, first, last, By(self.by))
            except NotStreamed as reason:
                raise InputError(f"'{self.first}' to '{self.last}' do not run by {self.by}: {reason}") from None
