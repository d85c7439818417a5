"""The `c` dialect (level L5): the declarations, statements and expressions of one C source file.

The ops describe standard C. The printer of a target adds compiler-specific syntax, such as qualifiers of program
memory.
"""

from xdsl.ir import Dialect

from tinyml.dialects.c.declarations import (
    ArenaOp,
    BufferOp,
    ConstantOp,
    DefineOp,
    FuncOp,
    InlineOp,
    InstanceOp,
    LoadedOp,
    ProgramOp,
    VerbatimOp,
)
from tinyml.dialects.c.expressions import (
    AddressOp,
    BinaryOp,
    CallOp,
    CastOp,
    CompareOp,
    ConditionalOp,
    ExpressionOp,
    LiteralOp,
    LoadOp,
    MultiplyWideOp,
    NextOp,
    ReadOp,
    SymbolOp,
    UnaryOp,
    ViewOp,
    integer_of,
)
from tinyml.dialects.c.statements import (
    ArrayOp,
    AssignOp,
    ConditionOp,
    ForOp,
    IfOp,
    InvokeOp,
    PragmaOp,
    ReturnOp,
    StoreOp,
    VariableOp,
    WhileOp,
)
from tinyml.dialects.c.types import InstanceType, PointerType, VariableType
from tinyml.dialects.collect import dialect_of

__all__ = [
    "AddressOp",
    "ArenaOp",
    "ArrayOp",
    "AssignOp",
    "BinaryOp",
    "BufferOp",
    "C",
    "CallOp",
    "CastOp",
    "CompareOp",
    "ConditionOp",
    "ConditionalOp",
    "ConstantOp",
    "DefineOp",
    "ExpressionOp",
    "ForOp",
    "FuncOp",
    "IfOp",
    "InlineOp",
    "InstanceOp",
    "InstanceType",
    "InvokeOp",
    "LiteralOp",
    "LoadOp",
    "LoadedOp",
    "MultiplyWideOp",
    "NextOp",
    "PointerType",
    "PragmaOp",
    "ProgramOp",
    "ReadOp",
    "ReturnOp",
    "StoreOp",
    "SymbolOp",
    "UnaryOp",
    "VariableOp",
    "VariableType",
    "VerbatimOp",
    "ViewOp",
    "WhileOp",
    "integer_of",
]

C: Dialect = dialect_of("c", globals())
