"""`tile-segment`: a segment of a network becomes one loop nest over slices of its images.

By rows or pixels, inner images live in rings: every value is computed once, when the first of its readers needs it, and
kept until the last has passed it. The result of the segment may then overwrite its input as far as that has been read
(`pack-scratch`). By channels, each is handed on from op to op, until its part of the sums is added up. By patches, ops
compute the parts of their results that a tile of the last one's needs.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.targets.registry import HOST, tile_families
from tinyml.transforms.formats.channels.choice import SUM_BITS
from tinyml.transforms.formats.channels.nest import ChannelLoop
from tinyml.transforms.formats.patching.nest import Patches
from tinyml.transforms.formats.plans.blocks import By
from tinyml.transforms.formats.plans.network import Network, network_of
from tinyml.transforms.formats.streaming.nest import stream
from tinyml.transforms.formats.streaming.stages import NotStreamed
from tinyml.transforms.formats.tiling.strips import small_room

WAYS = (*(by.value for by in By), "channels", "patches")


@dataclass(frozen=True)
class TileSegmentPass(ModulePass):
    """Tiles and fuses consecutive ops of every function.

    first, last: the first and the last op of the segment, by the names that `tinyml plan` gives them. by: `rows`,
    `pixels`, `blocks` or `channels`, what the loops compute at a time, or `patches`; by blocks, pools of separate
    windows take the pixels of a convolution block by block, and everything else runs by pixels. sums: bits of the sums
    that a loop over channels adds up, 32, 16 or 8, to which they are rounded in between where they need more. patches:
    their number along each axis. target: as for printing C; its kernels say how many pixels of a row are computed at
    once. Raises `InputError` for other names and widths of sums, and for segments that do not
    run slice by slice, with the reason.
    """

    name = "tile-segment"
    first: str
    last: str
    by: str = "rows"
    sums: int = 32
    patches: int = 2
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.by not in WAYS:
            raise InputError(f"segments run by {', '.join(WAYS[:-1])} or {WAYS[-1]}, got '{self.by}'")
        if self.sums not in SUM_BITS.values():
            raise InputError(f"sums have {', '.join(map(str, SUM_BITS.values()))} bits, got {self.sums}")
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
                self._tile(network, first, last)
            except NotStreamed as reason:
                raise InputError(f"'{self.first}' to '{self.last}' do not run by {self.by}: {reason}") from None

    def _tile(self, network: Network, first: int, last: int) -> None:
        if self.by == "channels":
            ChannelLoop(network, first, last, self.sums).rewrite()
        elif self.by == "patches":
            Patches(network, first, last, self.patches).rewrite()
        else:
            families = tile_families(self.target)
            convolutions = [op for [op, *_] in network.ops[first : last + 1] if isinstance(op, tdsl.Conv2dOp)]
            room = small_room(convolutions, families)
            stream(network, first, last, By(self.by), families, room)
