"""`tile-segment`: fuses a segment of a network into one loop nest over slices of its images (L1).

* By rows or pixels, intermediate images are stored in ring buffers. Every value is computed once, when its first reader
  needs it, and is stored until its last reader has used it. The result of the segment may then overwrite the part of
  the segment's input that has been read (`pack-scratch`).
* By channels, each channel passes from op to op until its contribution is added to the sums.
* By patches, each op computes the part of its result that one tile of the last result needs.
* By channels in patches, some ops compute their part channel by channel.
* By strips, each strip of columns is streamed by rows; by row strips, each strip of rows is streamed by columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.plans.network import Network, network_of
from tinyml.transforms.schedules.protocol import TilingOptions
from tinyml.transforms.schedules.segments import Kernels, NotTiled, Tiling
from tinyml.transforms.schedules.table import schedules
from tinyml.transforms.schedules.tiling.window_tiles import small_memory


@dataclass(frozen=True)
class TileSegmentPass(ModulePass):
    """Tile and fuse consecutive ops of every function into one loop nest.

    first, last: the first and the last op of the segment, by their names in `tinyml plan`.
    by: the unit that the loops compute at a time: `rows`, `pixels`, `blocks`, `channels`, `patches`,
        `channels-in-patches`, `strips` (of columns), `row-strips`, or a tiling of another package. By `blocks`, pools
        of disjoint windows compute a convolution's pixels block by block, and all other ops run by pixels.
    sums: the width in bits of the sums that a loop over channels accumulates: 32, 16 or 8; partial sums that need more
        bits are rounded.
    channels: the number of channels per iteration of a loop over channels, a divisor of the total number.
    patches: the number of patches along each axis, or of strips.
    target: as for printing C; its kernels determine how many pixels of a row are computed at once.

    Raises `InputError` for unknown names, for a `first` that comes after `last`, for invalid widths of sums, and, with
    the reason, for segments that cannot run slice by slice.
    """

    name = "tile-segment"
    first: str
    last: str
    by: str = "rows"
    sums: int = 32
    patches: int = 2
    channels: int = 1
    target: str = HOST

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        tiling = self._tiling()
        for function in defined_functions(op):
            network = network_of(function)
            order = [node.result for node in network.graph.nodes]
            for name in (self.first, self.last):
                if name not in order:
                    raise InputError(f"the op '{name}' is not in the plan of @{function.sym_name.data}")
            first, last = order.index(self.first), order.index(self.last)
            if first > last:
                raise InputError(f"'{self.first}' comes after '{self.last}'")
            try:
                self._tile(tiling, network, first, last)
            except NotTiled as reason:
                raise InputError(f"'{self.first}' to '{self.last}' do not run by {self.by}: {reason}") from None

    def _tiling(self) -> Tiling:
        options = TilingOptions(self.sums, self.patches, self.channels)
        offered = {by: tiling for one in schedules() for by, tiling in one.tilings(options).items()}
        if (tiling := offered.get(self.by)) is None:
            *others, last = offered
            raise InputError(f"segments run by {', '.join(others)} or {last}, got '{self.by}'")
        return tiling

    def _tile(self, tiling: Tiling, network: Network, first: int, last: int) -> None:
        memory = small_memory(network.convolutions(slice(first, last + 1)), self.target)
        tiling.rewrite(network, first, last)(Kernels(self.target, memory))
