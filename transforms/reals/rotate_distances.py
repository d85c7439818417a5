"""`rotate-distances`: rotates and scales the space of distances to suit formats with one scale per tensor (L0).

All coordinates of W x and of the prototypes b in |W x - b|^2 have one scale. The greatest coordinate determines the
scale. The distance does not change if both vectors are rotated, |Q W x - Q b|^2. It grows by s^2 if both vectors are
scaled by s. The rotation Q minimises the greatest coordinate (`level_rotation`). The factor s scales this coordinate to
the end of its range. W and the prototypes absorb Q and s, and the factor of the distance absorbs 1 / s^2. The device
needs no additional computation.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.transforms.reals.analysis.rotated_distances import rotate_distances


@dataclass(frozen=True)
class RotateDistancesPass(ModulePass):
    """Rotate and scale the constants of squared distances at L0.

    The pass applies to distances between prototypes and a product of a constant matrix and a vector. The prototypes
    must be a constant, or indexed out of a constant by a loop. Neither the matrix nor the prototypes may have other
    uses. Other distances are unchanged. The rewrite is useful only for formats whose differences are exact, which
    excludes floats.

    data: .npz file with inputs `x` on which the distances are measured.

    Raises `InputError` for data that do not match the program.
    """

    name = "rotate-distances"
    data: str

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if any(isinstance(inner, tdsl.SubOp) for inner in op.walk()):
            rotate_distances(op, self.data)
