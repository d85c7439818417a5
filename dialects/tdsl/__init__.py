"""The tensor DSL: what a model computes, on builtin tensors whose element type carries the number format.

The same ops stand on memrefs, with a destination, once tensors have become buffers (`transforms`/`lowering` say
where). Loops and sums are `scf.for` with tensors carried through; integers are `index` values of `arith`.
"""

from xdsl.ir import Dialect

from tinyml.dialects.tdsl.accumulation import AccumulateOp, FinishOp, MacOp, ZeroOp
from tinyml.dialects.tdsl.attributes import PERCENTILES, PROFILE, RANGE, Csr, Profile, Range
from tinyml.dialects.tdsl.base import Shape, TensorOp, format_of, shape_of
from tinyml.dialects.tdsl.contraction import ArgmaxOp, AtLeastOp, ContractionOp, MatmulOp, SignOp, SpmvOp, proof
from tinyml.dialects.tdsl.distance import SquaredDistanceOp
from tinyml.dialects.tdsl.elementwise import (
    AddOp,
    BinaryOp,
    CastOp,
    ExpOp,
    MulOp,
    NegOp,
    Relu6Op,
    ReluOp,
    SelectOp,
    SigmoidOp,
    SubOp,
    TanhOp,
    UnaryOp,
)
from tinyml.dialects.tdsl.map import MapOp, YieldOp
from tinyml.dialects.tdsl.movement import (
    ConstOp,
    FillOp,
    IndexOp,
    InsertSliceOp,
    ReshapeOp,
    ReverseOp,
    SliceOp,
    TransposeOp,
)
from tinyml.dialects.tdsl.neural import Conv2dOp, MaxpoolOp, MbconvOp, NormaliseL2Op

__all__ = [
    "PERCENTILES",
    "PROFILE",
    "RANGE",
    "AccumulateOp",
    "AddOp",
    "ArgmaxOp",
    "AtLeastOp",
    "BinaryOp",
    "CastOp",
    "ConstOp",
    "ContractionOp",
    "Conv2dOp",
    "Csr",
    "ExpOp",
    "FillOp",
    "FinishOp",
    "IndexOp",
    "InsertSliceOp",
    "MacOp",
    "MapOp",
    "MatmulOp",
    "MaxpoolOp",
    "MbconvOp",
    "MulOp",
    "NegOp",
    "NormaliseL2Op",
    "Profile",
    "Range",
    "Relu6Op",
    "ReluOp",
    "ReshapeOp",
    "ReverseOp",
    "SelectOp",
    "Shape",
    "SigmoidOp",
    "SignOp",
    "SliceOp",
    "SpmvOp",
    "SquaredDistanceOp",
    "SubOp",
    "TanhOp",
    "TensorOp",
    "TransposeOp",
    "UnaryOp",
    "YieldOp",
    "ZeroOp",
    "format_of",
    "proof",
    "shape_of",
]

TDSL = Dialect(
    "tdsl",
    [
        AccumulateOp,
        AddOp,
        ArgmaxOp,
        AtLeastOp,
        CastOp,
        ConstOp,
        Conv2dOp,
        ExpOp,
        FillOp,
        FinishOp,
        IndexOp,
        InsertSliceOp,
        MacOp,
        MapOp,
        MatmulOp,
        MaxpoolOp,
        MbconvOp,
        MulOp,
        NegOp,
        NormaliseL2Op,
        Relu6Op,
        ReluOp,
        ReshapeOp,
        ReverseOp,
        SelectOp,
        SigmoidOp,
        SignOp,
        SliceOp,
        SpmvOp,
        SquaredDistanceOp,
        SubOp,
        TanhOp,
        TransposeOp,
        YieldOp,
        ZeroOp,
    ],
    [Csr, Profile, Range],
)
