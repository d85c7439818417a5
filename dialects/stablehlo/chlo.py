"""The ops of CHLO that the importer supports: functions that StableHLO does not contain."""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import (
    irdl_op_definition,
)

from tinyml.dialects.stablehlo.elementwise import UnaryOp


@irdl_op_definition
class ErfOp(UnaryOp):
    """The error function."""

    name = "chlo.erf"


@irdl_op_definition
class ErfcOp(UnaryOp):
    """1 - erf(x)."""

    name = "chlo.erfc"


@irdl_op_definition
class SquareOp(UnaryOp):
    """x * x."""

    name = "chlo.square"


CHLO = Dialect("chlo", [ErfcOp, ErfOp, SquareOp], [])
