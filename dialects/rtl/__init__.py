"""The `rtl` dialect: memories with clocked ports and streams of elements, which the dialects `hw`, `comb` and `seq` do
not provide.

Before the lowering to hardware, `load`, `store`, `receive` and `send` are ops in `scf` loops. After the lowering, `ram`
is an op in an `hw.module`.
"""

from xdsl.ir import Dialect

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.rtl.ops import (
    AccessOp,
    LoadOp,
    MemoryOp,
    MemoryType,
    PortOp,
    RamOp,
    ReceiveOp,
    SendOp,
    StoreOp,
    circuit,
    latency,
)

__all__ = [
    "RTL",
    "AccessOp",
    "LoadOp",
    "MemoryOp",
    "MemoryType",
    "PortOp",
    "RamOp",
    "ReceiveOp",
    "SendOp",
    "StoreOp",
    "circuit",
    "latency",
]

RTL: Dialect = dialect_of("rtl", globals())
