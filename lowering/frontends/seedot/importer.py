"""Import of a SeeDot program and its parameters as a function of `tdsl` ops on f32 tensors (L0)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType, f32
from xdsl.ir import Block, OpResult, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.f32 import F32_FORMAT
from tinyml.dialects.tdsl import shape_of
from tinyml.lowering.frontends.layers.model_builder import ModelBuilder
from tinyml.lowering.frontends.seedot.ast import (
    Binary,
    Call,
    Conditional,
    Conv2d,
    Declaration,
    Expression,
    Index,
    Init,
    Integer,
    Let,
    Location,
    LoopExpression,
    Maxpool,
    Mbconv,
    Name,
    Negate,
    Real,
    Reshape,
    Reverse,
    Splice,
    Sum,
    Transpose,
    assigned_names,
)
from tinyml.lowering.frontends.seedot.builder import IndexRange, NestedBuilder, SeedotBuilder, is_integer
from tinyml.lowering.frontends.seedot.parameters import check_real, check_shape, load_parameter, spell_shape
from tinyml.lowering.frontends.seedot.syntax import parse_seedot


@dataclass
class ScopedVariable:
    value: SSAValue
    location: Location
    """The location at which the name was introduced."""
    constant: bool = False
    """True for the input and for parameters, which are immutable."""
    mutable: bool = False
    """True for a loop variable, which a `let` rebinds."""
    carried: bool = False
    """True for a variable that an enclosing loop carries, whose shape is therefore fixed."""


class Scope(dict[str, ScopedVariable]):
    """The visible names. Since no name shadows another name, leaving a scope only deletes names."""

    def find(self, name: str, location: Location) -> ScopedVariable:
        if (variable := self.get(name)) is None:
            raise location.error(f"unknown name '{name}'")
        return variable

    def can_change(self, name: str) -> bool:
        """Whether a name is a visible tensor that the program can reassign."""
        known = self.get(name)
        return known is not None and not known.constant and not isinstance(known.value.type, IndexType)

    def check_new(self, name: str, location: Location) -> None:
        if (known := self.get(name)) is not None:
            raise location.error(f"'{name}' is already defined in line {known.location.line}")

    def define(self, name: str, value: SSAValue, location: Location, constant: bool = False) -> None:
        self.check_new(name, location)
        self[name] = ScopedVariable(value, location, constant)


def hint(value: SSAValue, name: str) -> None:
    """Set the name hint of a value to a name of the program. xDSL appends numbers to equal names."""
    if name.strip("_0123456789"):
        value.name_hint = name.replace("'", "_prime")


INPUT = "X"
"""The declared name of the function's argument, which has no parameter file."""


def import_seedot(text: str, file: str, parameters: Path | None = None) -> ModuleOp:
    """Import a program as a module with one function. The function is named after the file or, for `input.sd`,
    after its folder.

    The function accepts X. For a program that ends in argmax or sgn, it returns the label and the scores; otherwise
    it returns the program's value. Raises `InputError` with file, line and column for errors in the program or its
    parameters.

    text: the source of the program.
    parameters: the folder of the `.npy` files, by default the folder of the program.
    """
    try:
        program = parse_seedot(text)
        return _SeeDotImporter(file, Path(file).parent if parameters is None else parameters).module(program)
    except InputError as error:
        raise InputError(error.message, file=file, line=error.line, column=error.column) from error


def emit_seedot(text: str, to: ModelBuilder, names: Mapping[str, SSAValue]) -> SSAValue:
    """Append the ops of a program to a function under construction, and return the program's value.

    text: a program without declarations.
    names: the values of the names that the program uses: its input and its parameters.
    """
    importer = _SeeDotImporter(to.file, Path())
    importer.to = NestedBuilder(to)
    for name, value in names.items():
        importer.scope.define(name, value, Location(1, 1), constant=True)
    return importer.tensor(parse_seedot(text))


def read_seedot(content: bytes, file: str) -> ModuleOp:
    return import_seedot(content.decode(), file)


class _SeeDotImporter:
    def __init__(self, file: str, parameters: Path):
        self.parameters = parameters
        self.to = SeedotBuilder(file)
        self.entry = self.to.block
        self.scope = Scope()
        self.range: tuple[float, float] | None = None

    def module(self, program: Expression) -> ModuleOp:
        value = self.any(program)
        if not self.entry.args:
            raise InputError(f"the program does not declare its input, let {INPUT} = (..) in [.., ..] in")
        results = [value]
        if isinstance(value, OpResult) and isinstance(value.op, tdsl.ArgmaxOp | tdsl.SignOp):
            results.append(value.op.input)
        module = self.to.module(results)
        tdsl.update_input(module, range=self.range)
        self.to.drop_replaced_parameters()
        return module

    def any(self, node: Expression) -> SSAValue:
        """Emit an expression and return its value. Chains of `let` are processed without recursion."""
        bound: list[str] = []
        while isinstance(node, Let):
            if self.bind(node):
                bound.append(node.name)
            node = node.body
        value = self.closed(node)
        for name in bound:
            del self.scope[name]
        return value

    def tensor(self, node: Expression) -> SSAValue:
        value = self.any(node)
        if is_integer(value):
            raise node.location.error("expected a tensor, got an integer (reals have a point, 2.0)")
        return value

    def integer(self, node: Expression) -> SSAValue:
        value = self.any(node)
        if not is_integer(value):
            raise node.location.error("expected an integer, got a tensor")
        return value

    def closed(self, node: Expression) -> SSAValue:
        location, to = node.location, self.to
        match node:
            case Integer(value=value):
                return to.integer(location, value)
            case Real(value=value):
                return to.real(location, value)
            case Name(name=name):
                return self.scope.find(name, location).value
            case Init(shape=shape, value=value):
                check_shape(shape, location)
                return to.fill(location, value, shape)
            case Negate(operand=operand):
                return to.negate(location, self.any(operand))
            case Binary():
                return self.binary(node)
            case Call(function=name, arguments=(operand,)):
                return to.function(location, name, self.tensor(operand))
            case Call(function=name):
                raise location.error(f"unknown function '{name}'")
            case Transpose(operand=operand):
                return to.transpose(location, self.tensor(operand))
            case Reshape(operand=operand, shape=shape, order=order):
                return to.rearranged(location, self.tensor(operand), shape, order)
            case Index(operand=operand, index=index):
                return to.element(location, self.tensor(operand), self.integer(index))
            case Splice(operand=operand, offsets=offsets, sizes=sizes):
                return to.splice(location, self.tensor(operand), [self.integer(offset) for offset in offsets], sizes)
            case Reverse(operand=operand, axis=axis):
                value = self.tensor(operand)
                return to.at(location).op(tdsl.ReverseOp, value, axis)
            case Maxpool(operand=operand, kernel=kernel, padding=padding, strides=strides):
                check_shape(kernel, location)
                value = self.tensor(operand)
                return to.at(location).op(tdsl.MaxPoolOp, value, kernel, padding, strides)
            case Conv2d(image=image, filter=filter):
                operands = self.tensor(image), self.tensor(filter)
                return to.convolve(location, *operands, node.strides, node.padding, node.dilations, node.groups)
            case Mbconv(image=image, stages=stages, strides=strides, padding=padding):
                operands = [[self.tensor(number) for number in stage] for stage in stages]
                return to.bottleneck(location, self.tensor(image), operands, strides, padding)
            case Sum() | LoopExpression():
                return self.iterate(node)
            case Conditional():
                return self.conditional(node)
            case Declaration():
                raise location.error("a declaration stands right behind 'let NAME ='")
            case _:
                raise AssertionError(node)

    def binary(self, node: Binary) -> SSAValue:
        """Emit a binary expression and return its value. Long sums, which are nested on the left, are processed
        without recursion.
        """
        chain: list[Binary] = []
        first: Expression = node
        while isinstance(first, Binary):
            chain.append(first)
            first = first.lhs
        value = self.any(first)
        for link in reversed(chain):
            value = self.to.binary(link.location, link.operator, value, self.any(link.rhs))
        return value

    def conditional(self, node: Conditional) -> SSAValue:
        condition = self.any(node.condition)
        for branch in (node.if_true, node.if_false):
            for name, location in assigned_names(branch).items():
                if name in self.scope:
                    raise location.error(f"a branch of '? :' cannot change '{name}': both branches are computed")
        branches = self.any(node.if_true), self.any(node.if_false)
        return self.to.conditional(node.location, condition, node.threshold, *branches)

    def bind(self, node: Let) -> bool:
        """Evaluate the value of a `let`, but not its body. Return whether the `let` introduced a name."""
        if isinstance(node.value, Declaration):
            if node.sizes:
                raise node.value.location.error("a declaration needs a name of its own")
            self.scope.check_new(node.name, node.location)
            value = self.declare(node.name, node.value)
            self.scope.define(node.name, value, node.location, constant=True)
            return True
        value = self.any(node.value)
        if node.sizes or ((known := self.scope.get(node.name)) is not None and known.mutable):
            self.assign(node, value)
            return False
        self.scope.check_new(node.name, node.location)
        if value.name_hint is None:
            hint(value, node.name)
        self.scope.define(node.name, value, node.location)
        return True

    def assign(self, node: Let, value: SSAValue) -> None:
        variable = self.scope.find(node.name, node.location)
        if variable.constant:
            raise node.location.error(f"'{node.name}' is declared as input or parameter and cannot be changed")
        if is_integer(value) or is_integer(variable.value):
            raise node.location.error(f"only tensors can be changed, and only to tensors: '{node.name}'")
        if node.sizes:
            offsets = [self.integer(offset) for offset in node.offsets]
            value = self.to.insert(node.location, value, variable.value, offsets, node.sizes)
        before, after = shape_of(variable.value), shape_of(value)
        if variable.carried and before != after:
            raise node.location.error(
                f"'{node.name}' has shape {spell_shape(before)} and cannot become {spell_shape(after)} in a loop"
            )
        if value.name_hint is None:
            hint(value, node.name)
        variable.value = value

    def declare(self, name: str, node: Declaration) -> SSAValue:
        check_shape(node.shape, node.location)
        path = self.parameters / f"{name}.npy"
        if name != INPUT:
            constant = self.to.at(node.location).emit(tdsl.ConstOp, load_parameter(path, name, node), F32_FORMAT)
            hint(constant.result, name)
            self.to.parameters[constant.result] = constant
            return constant.result
        if path.exists():
            raise node.location.error(f"{INPUT} is the program's input: there must not be a file {path}")
        if self.entry.args:
            raise node.location.error(f"the input {INPUT} is declared twice")
        if node.range is not None:
            low, high = (check_real(bound, node.location) for bound in node.range)
            if low > high:
                raise node.location.error(f"the range [{low}, {high}] is empty")
            self.range = low, high
        return self.to.at(node.location).argument(TensorType(f32, node.shape), name)

    def iterate(self, node: Sum | LoopExpression) -> SSAValue:
        """Emit a sum or a loop as `scf.for`. Outer variables that the body rebinds become iter_args. Raises
        `InputError` for an empty range.
        """
        location, to = node.location, self.to
        if node.start >= node.end:
            raise location.error(f"the range [{node.start}:{node.end}] is empty")
        if isinstance(node, LoopExpression):
            self.make_mutable(node.variable)
        self.scope.check_new(node.index, location)
        carried = {name: self.scope[name] for name in assigned_names(node.body) if self.scope.can_change(name)}
        before = {name: (variable.value, variable.carried) for name, variable in carried.items()}
        initial = [value for value, _ in before.values()]
        start, end, step = (to.integer(location, bound) for bound in (node.start, node.end, 1))
        outer, to.block = to.block, Block(arg_types=[IndexType(), *(value.type for value in initial)])
        body = to.block
        index = body.args[0]
        hint(index, node.index)
        to.ranges[index] = IndexRange(node.start, node.end - 1, frozenset((index,)))
        self.scope.define(node.index, index, location)
        for (name, variable), inside in zip(carried.items(), body.args[1:], strict=True):
            hint(inside, name)
            variable.value, variable.carried = inside, True
        value = self.tensor(node.body)
        del self.scope[node.index]
        final = [variable.value for variable in carried.values()]
        if isinstance(node, Sum) or value not in final:
            extra = body.insert_arg(value.type, len(body.args))
            if isinstance(node, Sum):
                value = to.at(location).op(tdsl.AddOp, extra, value)
            final.append(value)
            to.block = outer
            initial.append(to.fill(location, 0.0, shape_of(value)))
        body.add_op(scf.YieldOp(*final))
        to.block = outer
        results = to.at(location).emit(scf.ForOp, start, end, step, initial, body).results
        for (name, variable), result in zip(carried.items(), results, strict=False):
            variable.value, variable.carried = result, before[name][1]
            if result is not results[final.index(value)]:
                hint(result, name)
        return results[final.index(value)]

    def make_mutable(self, node: Expression) -> None:
        if not isinstance(node, Name):
            raise node.location.error("a loop needs the name of the variable that it changes")
        variable = self.scope.find(node.name, node.location)
        if not self.scope.can_change(node.name):
            raise node.location.error(f"a loop cannot change '{node.name}', only a tensor that the program computes")
        variable.mutable = True
