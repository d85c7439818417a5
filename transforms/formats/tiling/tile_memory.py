"""The memory that computing several pixels of a convolution at once may take (L1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseArrayBase, i64

from tinyml.dialects import tdsl
from tinyml.dialects.own_attributes import OwnAttribute, counts
from tinyml.targets.tiles import INPUT_TILE_BYTES, TileFamily
from tinyml.transforms.formats.tiling.window_kernels import kernels


@dataclass(frozen=True)
class TileMemory:
    """The memory that computing several pixels at once may take.

    input_tile: bytes of an input tile. spare: bytes of the arena in excess of the window and the pixel of one-by-one
    computation; None for no limit.
    """

    input_tile: int
    spare: int | None = None


AMPLE = TileMemory(INPUT_TILE_BYTES)
"""The memory in ordinary execution without a limit on RAM."""

_STREAMED_SHARE = 3
"""The divisor of the memory for input tiles in streamed segments, where these and the stack share a third of it."""

_CALLS = 320
"""Bytes of stack in addition to those of kernels."""


def small_memory(convolutions: Iterable[tdsl.Conv2dOp], families: Sequence[TileFamily]) -> TileMemory:
    """The memory for input tiles in streamed segments, minus the stack of the kernel with the largest frame."""
    least = min((family.input_tile_bytes for family in families), default=0) // _STREAMED_SHARE
    return TileMemory(max(least - _CALLS - stack_of(convolutions, families), 0))


def stack_of(convolutions: Iterable[tdsl.Conv2dOp], families: Sequence[TileFamily]) -> int:
    """The largest stack frame, in bytes, of the kernels for two pixels."""
    return max((kernel.stack for op in convolutions for kernel in kernels(op, families, 2)), default=0)


MEMORY = OwnAttribute(
    "tinyml.room",
    {"tdsl.conv2d": counts("the bytes for an input tile, and the spare ones if they are limited", [1, 2], 0)},
    "The memory for the input tiles of an operation (`TileMemory`), set by `plan-execution`.",
)


def memory_attribute(memory: TileMemory) -> DenseArrayBase:
    """A `TileMemory` as an attribute."""
    return DenseArrayBase.from_list(i64, [memory.input_tile, *([] if memory.spare is None else [memory.spare])])


def memory_of(op: tdsl.Conv2dOp) -> TileMemory | None:
    """The `TileMemory` that `plan-execution` has set for an op; None if it has set none."""
    memory = op.attributes.get(MEMORY)
    return TileMemory(*(int(value) for value in memory.get_values())) if isinstance(memory, DenseArrayBase) else None
