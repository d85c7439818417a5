"""Scalar operations shared by all number formats (L3): what one element goes through inside a loop.

Each op means exactly the method of the same name of the result's `NumberFormat` (or `Accumulator`); lowering to bits
asks that method to write itself down.
"""

from xdsl.ir import Dialect

from tinyml.dialects.num.base import accumulator_type, format_of, sums_products
from tinyml.dialects.num.proofs import BOUND, bound_of, proof, verify_bound, verify_room
from tinyml.dialects.num.scalars import (
    AddOp,
    AtLeastOp,
    BinaryOp,
    ClampOp,
    ConstantOp,
    ConvertOp,
    ExpOp,
    FunctionOp,
    GreaterOp,
    MulOp,
    NegOp,
    SigmoidOp,
    SubOp,
    TanhOp,
    UnaryOp,
)
from tinyml.dialects.num.sums import (
    AlignOp,
    DotOp,
    FinishOp,
    JoinOp,
    MacOp,
    PackedDotOp,
    ShiftOp,
    SparseDotOp,
    StartOp,
    StridedDotOp,
    ZeroOp,
)
from tinyml.dialects.num.vectors import AxpyOp, DistanceOp, DotRowsOp, run_length

__all__ = [
    "BOUND",
    "AddOp",
    "AlignOp",
    "AtLeastOp",
    "AxpyOp",
    "BinaryOp",
    "ClampOp",
    "ConstantOp",
    "ConvertOp",
    "DistanceOp",
    "DotOp",
    "DotRowsOp",
    "ExpOp",
    "FinishOp",
    "FunctionOp",
    "GreaterOp",
    "JoinOp",
    "MacOp",
    "MulOp",
    "NegOp",
    "PackedDotOp",
    "ShiftOp",
    "SigmoidOp",
    "SparseDotOp",
    "StartOp",
    "StridedDotOp",
    "SubOp",
    "TanhOp",
    "UnaryOp",
    "ZeroOp",
    "accumulator_type",
    "bound_of",
    "format_of",
    "proof",
    "run_length",
    "sums_products",
    "verify_bound",
    "verify_room",
]

NUM = Dialect(
    "num",
    [
        AddOp,
        AlignOp,
        AtLeastOp,
        AxpyOp,
        ClampOp,
        ConstantOp,
        ConvertOp,
        DistanceOp,
        DotOp,
        DotRowsOp,
        ExpOp,
        FinishOp,
        GreaterOp,
        JoinOp,
        MacOp,
        MulOp,
        NegOp,
        PackedDotOp,
        ShiftOp,
        SigmoidOp,
        SparseDotOp,
        StartOp,
        StridedDotOp,
        SubOp,
        TanhOp,
        ZeroOp,
    ],
)
