"""Computed integers and truth values: indices of GATHER, masks and numbers. A program computes them as reals.

The graph that this module returns has float tensors in their place. CAST is a copy. Logical operators and selections
are products, sums and maxima of zeros and ones. Operators whose result on integers differs from the result on reals,
such as DIV, are rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tinyml.dialects.errors import InputError
from tinyml.dialects.lazy_numpy import np
from tinyml.lowering.frontends.layers.integers import WIDE, masks_scores
from tinyml.lowering.frontends.tflite.advice import advice
from tinyml.lowering.frontends.tflite.model import Operator, Tensor, TfliteGraph
from tinyml.lowering.frontends.tflite.operator_table import MOVES

NARROW = ("int8", "uint8", "int16")
"""Types that are integers only where a CAST converts them. Elsewhere, tensors of these types are raws."""

MOVED = {"CONCATENATION": range(1 << 10), "GATHER": (0, 1), "PACK": range(1 << 10), "PADV2": (0, 2), "SPLIT": (1,)}
"""The inputs with elements, by the operator that moves them; the first input of all other operators."""

COMPUTING = {
    "ADD": (0, 1),
    "MAXIMUM": (0, 1),
    "MINIMUM": (0, 1),
    "MUL": (0, 1),
    "SUB": (0, 1),
    "ABS": (0,),
    "NEG": (0,),
}
"""The operators on integers of `WIDE` types whose results are those on reals, with the inputs that are numbers."""

NONE = {"activation": "NONE"}


def in_reals(graph: TfliteGraph) -> TfliteGraph:
    """Replace computed integers by reals with the same values. A graph without computed integers is unchanged.

    Raises `InputError` for an operator whose results on reals would differ from its results on integers.
    """
    narrow = NARROW if any(op.kind == "CAST" for op in graph.operators) else ()
    computed = (*graph.inputs, *(tensor for op in graph.operators for tensor in op.outputs))
    plain = {
        tensor
        for tensor in computed
        if tensor.quantization is None and tensor.data is None and tensor.dtype in ("bool", *WIDE, *narrow)
    }
    return _Rewriter(graph, plain).graph_in_reals() if plain else graph


@dataclass
class _Rewriter:
    """A rewriter of a graph.

    plain: the computed tensors of integers and truth values.
    reals: the float tensors that replace these tensors and their constants.
    """

    graph: TfliteGraph
    plain: set[Tensor]
    reals: dict[Tensor, Tensor] = field(default_factory=dict[Tensor, Tensor])

    def graph_in_reals(self) -> TfliteGraph:
        operators = [new for op in self.graph.operators for new in self.rewritten(op)]
        inputs, outputs = (
            [self.real(tensor) if tensor in self.plain else tensor for tensor in tensors]
            for tensors in (self.graph.inputs, self.graph.outputs)
        )
        return replace(self.graph, inputs=inputs, outputs=outputs, operators=operators)

    def real(self, tensor: Tensor) -> Tensor:
        """The float tensor that replaces a tensor of integers or truth values, which may be constant. A float tensor is
        returned unchanged.
        """
        if tensor.dtype == "float32":
            return tensor
        if tensor not in self.reals:
            data = None if tensor.data is None else tensor.data.astype(np.float32)
            self.reals[tensor] = replace(tensor, dtype="float32", data=data)
        return self.reals[tensor]

    def rewritten(self, op: Operator) -> Sequence[Operator]:
        integers = [tensor for tensor in (*op.inputs, *op.outputs) if tensor in self.plain]
        if not integers:
            return [op]
        if op.kind == "CAST":
            return [self.cast(op)]
        if op.kind == "EMBEDDING_LOOKUP" and len(op.inputs) == 2:
            op = replace(op, kind="GATHER", inputs=[*reversed(op.inputs)], options={"axis": 0, "batch_dims": 0})
        if op.kind in _LOGICAL and all(tensor is not None and tensor.dtype == "bool" for tensor in op.inputs):
            return _LOGICAL[op.kind](replace(op, inputs=self.all_real(op.inputs), outputs=self.all_real(op.outputs)))
        if op.kind in ("SELECT", "SELECT_V2") and len(op.inputs) == 3 and len(op.outputs) == 1:
            return self.selection(op)
        numbers: Sequence[int] | None = MOVED.get(op.kind, (0,)) if op.kind in MOVES else None
        if numbers is None and all(tensor.dtype in WIDE for tensor in integers):
            numbers = COMPUTING.get(op.kind)
        if numbers is None or any(
            tensor in self.plain and position not in numbers for position, tensor in enumerate(op.inputs)
        ):
            raise self.refusal(op, integers[0])
        return [self.on_reals(op, numbers)]

    def on_reals(self, op: Operator, numbers: Sequence[int]) -> Operator:
        """Convert the outputs and the inputs at the positions `numbers` to reals. Constants are converted if the result
        consists of integers. Constant indices remain integers.
        """
        integers = any(tensor in self.plain for tensor in op.outputs)
        inputs = list[Tensor | None]()
        for position, tensor in enumerate(op.inputs):
            constant = integers and position in numbers and (op.kind, position) != ("GATHER", 1)
            is_number = tensor is not None and (tensor in self.plain or constant)
            inputs.append(self.real(tensor) if tensor is not None and is_number else tensor)
        outputs = [self.real(tensor) if tensor in self.plain else tensor for tensor in op.outputs]
        return replace(op, inputs=inputs, outputs=outputs)

    def all_real(self, tensors: Sequence[Tensor | None]) -> list[Tensor]:
        return [self.real(tensor) for tensor in tensors if tensor is not None]

    def cast(self, op: Operator) -> Operator:
        """The copy that replaces a CAST.

        Raises `InputError` for a CAST of integers to other elements than floats and integers of 32 or 64 bits, and for
        a CAST of floats to integers, unless the integers are used only as indices. A copy does not remove the fractions
        of floats, but the conversion to an index does.
        """
        source, target = op.inputs[0], op.outputs[0]
        if source is None or (source not in self.plain and source.dtype != "float32"):
            raise self.refusal(op, source or target)
        if target.dtype != "float32" and target.dtype != source.dtype:
            indices = source.dtype == "float32" and target.dtype in WIDE and self.are_indices(target)
            if not indices and (source.dtype == "float32" or target.dtype not in WIDE):
                raise self.refusal(op, target)
        return replace(op, kind="RESHAPE", inputs=[self.real(source)], outputs=[self.real(target)], options={})

    def are_indices(self, tensor: Tensor) -> bool:
        """Whether integers are used as indices only, possibly after operators that move them."""
        users = [(op, at) for op in self.graph.operators for at, operand in enumerate(op.inputs) if operand is tensor]
        return bool(users) and tensor not in self.graph.outputs and all(self.reads_indices(*user) for user in users)

    def reads_indices(self, op: Operator, position: int) -> bool:
        if (op.kind, position) in (("GATHER", 1), ("EMBEDDING_LOOKUP", 0)):
            return True
        moves = op.kind in MOVES and position in MOVED.get(op.kind, (0,))
        return moves and all(map(self.are_indices, op.outputs))

    def selection(self, op: Operator) -> Sequence[Operator]:
        """The sum of both branches of a selection, each multiplied by 0 or 1."""
        condition, *branches = op.inputs
        [output] = op.outputs
        values = [branch for branch in branches if branch is not None]
        if (
            condition not in self.plain
            or len(values) < 2
            or any(tensor not in self.plain and tensor.dtype not in ("float32", *WIDE) for tensor in (*values, output))
        ):
            raise self.refusal(op, condition or output)
        if op.kind == "SELECT" and condition.shape != output.shape:
            raise InputError(f"{op}: a condition of shape {condition.shape} for whole rows is not supported")
        if any(value.data is not None and masks_scores(value.data) for value in values):
            raise InputError(f"{op}: a mask of scores that is not constant is not supported")
        mask, result = self.real(condition), self.real(output)
        other = replace(mask, name=f"{mask.name}_opposite")
        terms = [replace(result, name=f"{result.name}_{side}") for side in ("true", "false")]
        operators = [_opposite(op, mask, other)]
        for value, factor, term in zip(values, (mask, other), terms, strict=True):
            shape = np.broadcast_shapes(value.shape, factor.shape)
            term = replace(term, shape=shape)
            operators.append(replace(op, kind="MUL", inputs=[self.real(value), factor], outputs=[term], options=NONE))
        products = [operator.outputs[0] for operator in operators[1:]]
        return [*operators, replace(op, kind="ADD", inputs=products, outputs=[result], options=NONE)]

    def refusal(self, op: Operator, tensor: Tensor) -> InputError:
        return InputError(f"{op} on {tensor} of type {tensor.dtype} is not supported: {advice(op.kind)}")


def _opposite(op: Operator, mask: Tensor, output: Tensor) -> Operator:
    one = replace(mask, name="one", shape=(), data=np.array(1, np.float32))
    return replace(op, kind="SUB", inputs=[one, mask], outputs=[output], options=NONE)


_LOGICAL: dict[str, Callable[[Operator], Sequence[Operator]]] = {
    "LOGICAL_AND": lambda op: [replace(op, kind="MUL", options=NONE)],
    "LOGICAL_NOT": lambda op: [_opposite(op, op.inputs[0] or op.outputs[0], op.outputs[0])],
    "LOGICAL_OR": lambda op: [replace(op, kind="MAXIMUM", options=NONE)],
}
"""The operators on zeros and ones in place of operators on truth values."""
