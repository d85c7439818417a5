"""An estimate of how much each group of channels affects the results of a network."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.locations import error_at
from tinyml.runtime.readers.arrays import ArrayHeader, read_npz
from tinyml.transforms.reals.channels.channel_groups import FIXED_GROUP, ChannelGroups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Reals = NDArray[np.float64]


@dataclass(frozen=True)
class Importance:
    """The importance of the channels of filters.

    filters: for each filter, the group and the importance of each channel.
    shares: whether to divide each number by the sum of the numbers of all channels of the filter that were not removed,
        including the channel itself.
    """

    filters: Sequence[tuple[NDArray[np.int64], Reals]]
    shares: bool

    def without(self, removed: Collection[int]) -> dict[int, float]:
        """The importance of each removable group that remains after the groups `removed` are removed. It is a sum over
        the group's channels in all filters. With `shares`, the remaining channels of each filter have a total
        importance of 1.
        """
        worth: dict[int, float] = {}
        for groups, numbers in self.filters:
            left = ~np.isin(groups, list(removed))
            total = float(numbers[left].sum()) if self.shares else 1.0
            for group, number in zip(groups[left], numbers[left], strict=True):
                if group != FIXED_GROUP:
                    worth[int(group)] = worth.get(int(group), 0.0) + float(number) / (total or 1.0)
        return worth


def importance(grouping: ChannelGroups, file: str | None = None) -> Importance:
    """The importance of the channels of all convolutions and dense layers.

    By default, the importance of a channel is the L1 norm of its weights (Li et al. 2017), divided by the L1 norm of
    all channels of the filter that were not removed, including this one. The division has two reasons. The norms of
    layers with more weights are greater. Each of the last few channels of a layer matters more than one of many
    channels.

    Alternatively, an .npz file defines the importance. For each filter with removable channels it contains an array
    that is named after the filter's weights and has a number for each channel of the result. Raises `InputError` for a
    file without one of these arrays, with other shapes, or with numbers that are not finite.

    file: the path of the .npz file; None for the default.
    """
    filters: list[tuple[NDArray[np.int64], Reals]] = []
    for op in grouping.filters:
        groups = grouping.groups(op.out)
        if (groups != FIXED_GROUP).any():
            numbers = _norms(grouping, op) if file is None else _read(op, len(groups), weights_name(grouping, op), file)
            filters.append((groups, numbers))
    return Importance(filters, shares=file is None)


def weights_name(grouping: ChannelGroups, op: tdsl.ContractionOp) -> str | None:
    return op.operands[grouping.filters[op]].name_hint


def _norms(grouping: ChannelGroups, op: tdsl.ContractionOp) -> Reals:
    weights = cast(tdsl.ConstOp, op.operands[grouping.filters[op]].owner).raws.astype(np.float64)
    axis = grouping.row_axis(op)
    return np.abs(weights).sum(tuple(each for each in range(weights.ndim) if each != axis))


def _read(op: tdsl.ContractionOp, count: int, name: str | None, file: str) -> Reals:
    if name is None:
        raise error_at(op, f"the weights of '{op.name}' have no name, so {file} cannot contain their importance")

    def accept(header: ArrayHeader) -> None:
        if header.shape != (count,) or header.dtype.kind not in "fiu":
            got = f"shape {header.shape} of {header.dtype}"
            raise InputError(
                f"expected `{name}` to contain {count} numbers, one for each channel, got {got}", file=file
            )

    values = read_npz(file, "importance", name, accept)
    if values is None:
        raise InputError(f"has no array `{name}`, the importance of {count} channels", file=file)
    values = values.astype(np.float64)
    if not np.isfinite(values).all():
        raise InputError(f"`{name}` contains NaN or infinity", file=file)
    return values
