"""`tile-windows`: turns convolutions into loops over the pixels of their results, with a matrix product for each pixel
(L1).

The window of each pixel is gathered from the image, including padding. Neither a padded image nor a matrix of all
windows is stored. Only one window is stored, and none if the elements of the window are contiguous in the image. The
filter is then a matrix, and all optimisations of matrix products apply. Elementwise ops after a convolution run in the
same loops, pixel by pixel.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.functions import defined_functions
from tinyml.targets.registry import HOST
from tinyml.transforms.schedules.tiling.tiled_windows import tile_convolution


@dataclass(frozen=True)
class TileWindowsPass(ModulePass):
    """Replace every `tdsl.conv2d` of a single image by a loop over pixels.

    The loop includes the padding before the convolution and the elementwise ops after it. An image one pixel wide
    becomes a row of the same number of pixels if only tiles along a row have kernels. Convolutions in place (`turns`)
    are unchanged. An elementwise op moves into the loop if it is the only reader of the previous result, and if its
    other operands are tensors of the same shape, numbers per channel or single numbers.

    target: as for printing C; its kernels determine how many pixels are computed at once.
    ram: a limit in bytes, by default the limit of a search (`tdsl.ram`). With a limit, as many pixels are computed at
        once as fit in the memory that `plan-execution` leaves free.
    flash: with a limit, `spend-flash` may choose kernels that process several rows at once. Windows for such kernels
        are gathered, which needs more memory even if no such kernel is chosen.

    Raises `InputError` for an unknown target.
    """

    name = "tile-windows"
    target: str = HOST
    ram: int | None = None
    flash: int | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            convolutions = [inner for inner in function.walk() if isinstance(inner, tdsl.Conv2dOp)]
            if not convolutions:
                continue
            limited = self.ram is not None or tdsl.RAM in function.attributes
            for convolution in convolutions:
                tile_convolution(convolution, self.target, limited=limited, large=self.flash is not None)
