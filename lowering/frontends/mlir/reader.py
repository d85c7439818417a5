"""The reader of a tensor module: functions, calls and the values of ops. The file of each dialect registers a handler
for each op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects.builtin import AnyFloat, StringAttr, SymbolRefAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tinyml.dialects.errors import InputError, did_you_mean
from tinyml.lowering.frontends.mlir.graph import GraphWriter, Shape, Tensor, error_at, op_name
from tinyml.lowering.frontends.mlir.text import array_of, attributes, checked_extents, extents, integers_of
from tinyml.lowering.frontends.onnx.graph import Declared, OnnxGraph

if TYPE_CHECKING:
    from xdsl.dialect_interfaces.op_asm import OpAsmDialectInterface
    from xdsl.dialects.builtin import ModuleOp

Handler: TypeAlias = "Callable[[Reader, Any], Tensor | Sequence[Tensor]]"
"""A function that imports an op and returns its results."""

HANDLERS: dict[str, Handler] = {}

_OF_CONSTANTS: set[str] = set()
"""The ops that are supported only on known operands and as parts of layers."""

HANDLER_MODULES = ("normalisations", "scalars", "loops", "linalg", "stablehlo", "tosa")
"""The files of op handlers and of layer rules."""

DEEPEST = 64
"""Maximum depth of nested calls."""


def handles(
    *ops: str | type[Operation], of_constants: Sequence[str | type[Operation]] = ()
) -> Callable[[Handler], Handler]:
    """A decorator that registers the handler of ops, by class or, for undeclared dialects, by name.

    of_constants: the subset of the ops that is supported only on known operands and as parts of layers.
    """

    def register(handler: Handler) -> Handler:
        HANDLERS.update({_name(op): handler for op in ops})
        _OF_CONSTANTS.update(map(_name, of_constants))
        return handler

    return register


def _name(op: str | type[Operation]) -> str:
    return op if isinstance(op, str) else op.name


def _load_handlers() -> None:
    # These modules import this one for its decorator.
    for name in HANDLER_MODULES:
        import_module(f"tinyml.lowering.frontends.mlir.{name}")


def supported_ops() -> Mapping[str, tuple[Sequence[str], Sequence[str]]]:
    """The supported ops of each dialect, in two lists: ops supported on computed tensors, and ops supported only on
    constants or as parts of a layer.
    """
    _load_handlers()
    ops: dict[str, tuple[list[str], list[str]]] = {}
    for name in sorted(HANDLERS):
        dialect, _, op = name.partition(".")
        ops.setdefault(dialect, ([], []))[name in _OF_CONSTANTS].append(op)
    return ops


class Reader:
    """A converter of a parsed module to a graph.

    blobs: the resources, such as large constants, that follow the module in the file.
    values: the values converted so far.
    carried: the carried tensors of the current loop at the start of an iteration.
    """

    def __init__(self, module: ModuleOp, blobs: OpAsmDialectInterface, file: str) -> None:
        self.module = module
        self.blobs = blobs
        self.file = file
        self.to = GraphWriter(file, module)
        self.values: dict[SSAValue, Tensor] = {}
        self.functions = {name.data: op for op in module.walk() if (name := self.symbol(op)) is not None}
        self._depth = 0
        _load_handlers()

    def error(self, message: str) -> InputError:
        return self.to.error(message)

    def symbol(self, op: Operation) -> StringAttr | None:
        name = attributes(op).get("sym_name")
        return name if op_name(op) in ("func.func", "util.func") and isinstance(name, StringAttr) else None

    def graph(self) -> OnnxGraph:
        """Convert the module's function `main`, or its only public function, to a graph."""
        function = self._entry()
        self.to.source = function
        block = self._body(function)
        arguments: list[Tensor] = []
        inputs: list[Declared] = []
        for argument in block.args:
            shape = self.shape(argument)
            if not isinstance(extents(argument.type)[1], AnyFloat):
                raise self.error(
                    f"its argument is {argument.type}, expected floats: export the model with inputs in f32"
                )
            hint = argument.name_hint
            # The parser drops a trailing number from names.
            name = (
                self.to.fresh(hint or "input") if hint in (None, *(argument.name for argument in arguments)) else hint
            )
            arguments.append(Tensor(name, shape, shape))
            self.to.shapes[name] = shape
            inputs.append(Declared(name, "float32", shape))
        outputs = [self.to.whole(output) for output in self.run(block, arguments)]
        if not outputs:
            raise self.error("returns no tensor")
        graph = self.to.graph(self.to.bodies[0], arguments, outputs)
        return replace(graph, inputs=inputs)

    def _entry(self) -> Operation:
        public = [name for name, op in self.functions.items() if self._is_public(op)]
        if not public or (len(public) > 1 and "main" not in public):
            names = ", ".join(public) or "none"
            raise InputError(f"expected a function main, or one public function, got {names}", file=self.file)
        return self.functions["main" if "main" in public else public[0]]

    @staticmethod
    def _is_public(function: Operation) -> bool:
        visibility = attributes(function).get("sym_visibility")
        return bool(function.regions and function.regions[0].blocks) and visibility != StringAttr("private")

    def _body(self, function: Operation) -> Block:
        if len(blocks := function.regions[0].blocks) != 1:
            raise error_at(function, f"expected one block, got {len(blocks)}: branches are not supported", self.file)
        return function.regions[0].block

    def run(self, block: Block, arguments: Sequence[Tensor]) -> Sequence[Tensor]:
        """Convert the ops of a block whose arguments are `arguments`; return the operands of its terminator."""
        self.values |= dict(zip(block.args, arguments, strict=True))
        around = self.to.source
        for op in block.ops:
            self.to.source = op
            if op is block.last_op:
                results = self.operands(op)
                self.to.source = around
                return results
            results = self.read(op)
            self.values |= dict(zip(op.results, results, strict=True))
        raise error_at(around, "expected a block that ends with an op", self.file)

    def read(self, op: Operation) -> Sequence[Tensor]:
        """Convert an op to nodes of the graph and return its results."""
        handler = HANDLERS.get(op_name(op))
        if handler is None:
            raise self.error("the op is not supported")
        if not any(name in op_name(op) for name in ("constant", "tosa.const")):
            for result in op.results:
                self.shape(result)
        try:
            results = handler(self, op)
            results = [results] if isinstance(results, Tensor) else results
            for result, computed in zip(op.results, results, strict=True):
                # A number in the body of an elementwise op represents a tensor of all elements.
                shape, _ = extents(result.type)
                if isinstance(result.type, TensorType) and computed.shape != shape:
                    raise self.error(f"its result has the shape {list(computed.shape)}, not {list(shape)}")
        except IndexError as error:
            raise self.error("has fewer operands, results or numbers in its attributes than it needs") from error
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise self.error(" ".join(str(argument) for argument in error.args)) from error
        return results

    def call(self, op: Operation) -> Sequence[Tensor]:
        """Convert a call by converting the body of the callee in its place. Return the results."""
        callee = self.attribute(op, "callee")
        name = callee.string_value() if isinstance(callee, SymbolRefAttr) else ""
        function = self.functions.get(name)
        if function is None or not function.regions[0].blocks:
            raise self.error(f"the module has no function @{name}{did_you_mean(name, self.functions)}")
        self._depth += 1
        if self._depth > DEEPEST:
            raise self.error(f"more than {DEEPEST} functions call one another")
        results = self.run(self._body(function), self.operands(op))
        self._depth -= 1
        return results

    # Operands and attributes of ops.

    def operand(self, op: Operation, position: int) -> Tensor:
        if position >= len(op.operands):
            raise self.error(f"expected {position + 1} operands, got {len(op.operands)}")
        return self.value(op.operands[position])

    def value(self, value: SSAValue) -> Tensor:
        if value not in self.values:
            raise self.error("an operand is not computed before")
        return self.values[value]

    def operands(self, op: Operation) -> Sequence[Tensor]:
        return [self.value(operand) for operand in op.operands]

    def shape(self, value: SSAValue) -> Shape:
        """The extents of a value. Raises `InputError` unless the element type is numeric and all extents are known."""
        try:
            return checked_extents(value.type)
        except ValueError as error:
            raise self.error(str(error)) from error

    def attribute(self, op: Operation, name: str) -> Attribute:
        value = attributes(op).get(name)
        if value is None:
            raise self.error(f"expected an attribute '{name}'")
        return value

    def constant(self, op: Operation, name: str) -> Tensor:
        return self.to.constant(array_of(self.attribute(op, name), self.blobs))

    def integers(self, op: Operation, name: str, default: Iterable[int] | None = None) -> tuple[int, ...]:
        """The integers of the attribute `name`, flattened to one list; `default` if the op has no such attribute."""
        if default is not None and name not in attributes(op):
            return tuple(default)
        return integers_of(self.attribute(op, name))


@handles("func.call", "util.call")
def _call(reader: Reader, op: Operation) -> Sequence[Tensor]:
    return reader.call(op)
