"""The `rtl` dialect: memories with clocked ports and streams of elements, which the dialects `hw`, `comb` and `seq` do
not provide.

Before the lowering to hardware, `load`, `store`, `receive` and `send` are ops in `scf` loops. After the lowering, `ram`
is an op in an `hw.module`.
"""

from xdsl.ir import Dialect

from tinyml.dialects.collect import dialect_of
from tinyml.dialects.rtl.ops import (
    LoadOp,
    MemoryOp,
    MemoryType,
    PortOp,
    RamOp,
    ReceiveOp,
    SendOp,
    StoreOp,
    latency,
)

__all__ = ["RTL", "LoadOp", "MemoryOp", "MemoryType", "PortOp", "RamOp", "ReceiveOp", "SendOp", "StoreOp", "latency"]

RTL: Dialect = dialect_of("rtl", globals())
