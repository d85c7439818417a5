"""The packing options that the pass `pack-scratch` and the command `tinyml pack` have in common."""

from __future__ import annotations

from dataclasses import dataclass

from tinyml.dialects.errors import InputError
from tinyml.dialects.options import option
from tinyml.transforms.buffers.packing.modes import PACKERS


@dataclass(frozen=True, kw_only=True)
class PackingOptions:
    """Options that `pack-scratch` and `tinyml pack` have in common."""

    packer: str = option(f"packing algorithm: {', '.join(PACKERS.names())}", default="auto", metavar="NAME")
    coarsen: int = option("round sizes up to multiples of N bytes while the algorithm works", default=1, metavar="N")
    nodes: int | None = option("largest number of nodes in the search trees", default=None, metavar="N")

    def check(self) -> None:
        """Raise `InputError` for an unknown packer or a number out of range."""
        PACKERS.get(self.packer)
        if self.coarsen < 1:
            raise InputError(f"coarsen must be positive, got {self.coarsen}")
        if self.nodes is not None and self.nodes < 0:
            raise InputError(f"nodes must not be negative, got {self.nodes}")
