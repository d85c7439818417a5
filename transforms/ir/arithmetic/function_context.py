"""The tables and declarations that the lowering of a function needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from tinyml.dialects import scratch
from tinyml.dialects.machine.runtime_functions import RUNTIME_FUNCTIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.dialects.lazy_numpy import np


class FunctionContext:
    """The emission context of a function: one copy of equal tables at its entry, declarations in the module."""

    def __init__(self, module: ModuleOp, function: func.FuncOp):
        self.module = module
        self.function = function
        self.tables: dict[tuple[str, bytes], SSAValue] = {}
        self.intervals: dict[SSAValue, tuple[int, int]] = {}
        self.declared = {op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)}

    def table(self, name: str, table: NDArray[np.signedinteger[Any]]) -> SSAValue:
        key = str(table.dtype), table.tobytes()
        if key not in self.tables:
            constant = scratch.ConstantOp.of(table, IntegerType(table.dtype.itemsize * 8))
            constant.result.name_hint = f"{name}_table"
            first = self.function.body.block.first_op
            assert first is not None
            Rewriter.insert_op(constant, InsertPoint.before(first))
            self.tables[key] = constant.result
        return self.tables[key]

    def declare(self, function: str) -> None:
        known = RUNTIME_FUNCTIONS[function]
        self.declare_kernel(function, known.arguments, [known.result])

    def declare_kernel(
        self,
        function: str,
        arguments: Sequence[Attribute],
        results: Sequence[Attribute],
        attributes: Mapping[str, Attribute] | None = None,
    ) -> None:
        if function not in self.declared:
            self.declared.add(function)
            declaration = func.FuncOp.external(function, arguments, results)
            declaration.attributes |= attributes or {}
            self.module.body.block.add_op(declaration)
