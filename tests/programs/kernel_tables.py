"""The kernels, tile families and coders of a board."""

from __future__ import annotations

from collections.abc import Sequence

from tinyml.targets.kernel import Kernel
from tinyml.targets.kernel_table import ListedKernels, RowCoder
from tinyml.targets.nests import SumQuery
from tinyml.targets.registry import board, chip_of, offers, table_entries
from tinyml.targets.tiles import BYTES, TileCoder, TileFamily


def kernels_of(target: str) -> Sequence[Kernel]:
    """The kernels in the list of a board's chip that the board can run, the fastest first."""
    listed = [kernel for row in table_entries(target, ListedKernels) for kernel in row.kernels]
    return [kernel for kernel in listed if kernel.needs in ("", *board(target).features)]


def chosen_kernels(target: str) -> Sequence[Kernel]:
    """The listed kernels of a board that programs may call.

    The board's chip may extend another chip. Kernels of that chip are omitted if a kernel of the board's own chip
    computes the same sum, in any layout of sparse rows and with weights packed into at most as many bits.
    """
    listed, base = kernels_of(target), chip_of(target).extends
    boards = () if base is None else base.boards
    former = {kernel.symbol for one in boards for kernel in kernels_of(one.name)}
    own = [kernel for kernel in listed if kernel.symbol not in former]
    return [kernel for kernel in listed if kernel in own or not any(_replaces(one, kernel) for one in own)]


def _replaces(one: Kernel, other: Kernel) -> bool:
    same = (one.op, one.vector, one.sum, one.codings, one.rows)
    if same != (other.op, other.vector, other.sum, other.codings, other.rows) or one.flash not in (None, other.flash):
        return False
    packed = one.weights % 8 > 0 and other.weights % 8 > 0
    return one.weights == other.weights or (packed and one.weights > other.weights)


def kernels_for(target: str, wanted: Kernel) -> Sequence[Kernel]:
    """The kernels of a board that compute the sum of `wanted`, in the order in which the compiler prefers them;
    composed ones are last.
    """
    widths, sums = (wanted.weights, wanted.vector), (wanted.sum,)
    nest = SumQuery(wanted.op, *widths, sums, wanted.codings, wanted.flash)
    return [offer.kernel for offer in offers(target, nest)]


def tile_families(target: str, *, large: bool = False) -> Sequence[TileFamily]:
    """The tile families of a board for several windows: those whose kernels need more flash if `large`, otherwise those
    that need less.
    """
    return [
        family for family in table_entries(target, TileFamily) if family.large == large and not _has_one_window(family)
    ]


def window_families(target: str) -> Sequence[TileFamily]:
    """The tile families of a board for single windows, some with elements, weights or results of two bytes."""
    return [family for family in table_entries(target, TileFamily) if _has_one_window(family)]


def _has_one_window(family: TileFamily) -> bool:
    return family.widths != BYTES or family.admits is not None


def tile_coders(target: str) -> Sequence[TileCoder]:
    """The coders that turn the weights of tiles into code on a board."""
    return table_entries(target, TileCoder)


def row_coder(target: str) -> RowCoder | None:
    """The coder that turns rows of constant matrices into code on a board; None if there is none."""
    return next(iter(table_entries(target, RowCoder)), None)
