"""The levels of the IR, and the check that a pass is applied to IR of its level.

An MLIR pass has an anchor and dependent dialects. A pass of tinyml has a level instead. The folder of the pass
determines the level, unless the pass names a level in the class attribute `takes`. A pass without a level, such as a
pass of a plug-in or of xDSL, accepts any IR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, MemRefType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from tinyml.dialects import num
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.accumulator import accumulator_of
from tinyml.dialects.formats.number_format import number_format
from tinyml.dialects.locations import error_at
from tinyml.dialects.operations import ClockedMemory, ClockedOp
from tinyml.dialects.tdsl.interface import read_interface


@dataclass(frozen=True)
class Level:
    """The kind of IR that the passes of one folder accept.

    description: the name of the level in error messages.
    refused: the type of values that belong to another level.
    without: dialects that must have been lowered earlier.
    inputs: if the passes require whole programs, the type of the arguments of every function, except the time of a
        step.
    graph: whether values may be used before their definition, as in circuits.
    complaint: returns the error message for any other violation by an operation, or None.
    """

    description: str
    refused: type[Attribute] | None = None
    without: tuple[str, ...] = ()
    inputs: type[Attribute] | None = None
    graph: bool = False
    complaint: Callable[[Operation], str | None] = lambda _: None


_CONTROL = ("func.func", "func.return", "scf.for", "scf.if", "scf.while", "scf.condition", "scf.yield")
_INTEGERS_AND_FLOATS = IntegerType | IndexType | AnyFloat
_NESTS = num.ContractOp | num.NestOp | num.ReduceOp | num.RowLoopOp | num.NextOp


def _hardware_complaint(op: Operation) -> str | None:
    """The error message for an op that hardware cannot execute. None for any other op.

    Contractions are not executable, since they must have been distributed to processing elements before.
    """
    return f"'{op.name}' is of another level" if isinstance(op, _NESTS) else _memories_complaint(op)


def _circuit_complaint(op: Operation) -> str | None:
    known = op.name.partition(".")[0] in ("hw", "comb", "seq", "rtl")
    return None if known else f"'{op.name}' is of another level"


def _memories_complaint(op: Operation) -> str | None:
    if isinstance(op, func.FuncOp) and op.is_declaration:
        return f"the function '{op.sym_name.data}' has no body"
    if op.name not in _CONTROL and not op.name.startswith("arith.") and not isinstance(op, ClockedOp | _NESTS):
        return f"'{op.name}' is of another level"
    arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
    for value in (*op.operands, *op.results, *arguments):
        if isinstance(value.type, ClockedMemory):
            if not isinstance(op, ClockedOp | num.RowLoopOp | func.FuncOp):
                return f"'{op.name}' has a memory as operand, expected only loads and stores of memories"
        elif not isinstance(value.type, IntegerType | IndexType):
            return f"'{op.name}' has the type {value.type}"
    if isinstance(op, scf.ForOp) and (step := const_evaluate_operand(op.step)) is not None and step < 1:
        return f"'scf.for' has a step of {step}"
    if any(len(region.blocks) > 1 for region in op.regions):
        return f"'{op.name}' has a region of several blocks"
    return None


def _bits_complaint(op: Operation) -> str | None:
    """The error message for arithmetic in a number format. None for any other op.

    Contractions and their parts are allowed, because hardware distributes them to processing elements later.
    """
    if op.name.startswith("num.") and not isinstance(op, _NESTS) and op.name != num.LANE_FUNCTION:
        return f"'{op.name}' is of another level"
    types: list[Attribute] = [value.type for value in (*op.operands, *op.results)]
    for type in types:
        element = cast("MemRefType[Attribute]", type).element_type if isinstance(type, MemRefType) else type
        if not isinstance(element, _INTEGERS_AND_FLOATS) and (number_format(element) or accumulator_of(element)):
            return f"'{op.name}' has the type {type!s}"
    return None


def _c_complaint(op: Operation) -> str | None:
    if not isinstance(op.parent_op(), ModuleOp) or (op.name == "c.program" and op.prev_op is None):
        return None
    return f"'{op.name}' is of another level" if op.name != "c.program" else "it has several programs"


_TENSORS = "a program on tensors"
REALS = FORMATS = SEARCH = Level(_TENSORS, refused=MemRefType, without=("rtl", "c"))
"""Programs on tensors (L0, L1)."""
BUFFERS = Level("a program on memrefs", refused=TensorType, without=("rtl", "c"))
"""Programs on buffers (L2)."""
LOOPS = Level("loops on memrefs", refused=TensorType, without=("rtl", "c"))
"""Loops over scalars in number formats (L3)."""
PROGRAM_LOOPS = Level(
    "a program of loops on memrefs", refused=TensorType, without=("tdsl", "rtl", "c"), inputs=MemRefType
)
BITS = Level(
    "integers, floats and memrefs", refused=TensorType, without=("tdsl", "rtl", "c"), complaint=_bits_complaint
)
"""Arithmetic on integers and floats (L4)."""
NESTS = Level("loops on memrefs or memories", refused=TensorType, without=("c",))
HARDWARE = Level("integers, memories and streams", complaint=_hardware_complaint)
CIRCUITS = Level("modules of hardware", graph=True, complaint=_circuit_complaint)
MEMORIES = Level("integers, memories and streams", complaint=_memories_complaint)
C_PROGRAMS = Level("one program in C", complaint=_c_complaint)
"""Programs in C (L5)."""

_ROOMS = {
    "reals": REALS,
    "formats": FORMATS,
    "search": SEARCH,
    "buffers": BUFFERS,
    "loops": LOOPS,
    "bits": BITS,
    "rtl": MEMORIES,
}
_TRANSFORMS = "tinyml.transforms."


def level_of(step: ModulePass) -> Level | None:
    """The level of a pass: its attribute `takes` or, without this attribute, the level of its folder. None if the pass
    accepts any IR.
    """
    taken = getattr(step, "takes", None)
    if taken is None and (module := type(step).__module__).startswith(_TRANSFORMS):
        return _ROOMS.get(module.removeprefix(_TRANSFORMS).partition(".")[0])
    return taken


class LevelError(InputError):
    """Raised if a program is not at the level of the pass that is applied to it."""


def check_level(step: ModulePass, module: ModuleOp) -> None:
    """Raise `LevelError` at the first op that does not belong to the level of a pass.

    A pass with a level also requires functions of a single block, no nested functions, and no values that are used
    before their definition.
    """
    level = level_of(step)
    if level is None:
        return
    for op in module.ops:
        complaint = _complaint(op, level)
        if complaint is None and isinstance(op, func.FuncOp):
            complaint = _signature_complaint(op, level)
        if complaint is not None:
            raise error_at(op, f"'{step.name}' takes {level.description}: {complaint}", LevelError)
        for inner, complaint in _complaints(op.regions, level):
            raise error_at(inner, f"'{step.name}' takes {level.description}: {complaint}", LevelError)


def _complaint(op: Operation, level: Level) -> str | None:
    if op.name.partition(".")[0] in level.without:
        return f"'{op.name}' is of another level"
    if level.refused is not None:
        for value in (*op.operands, *op.results):
            if isinstance(value.type, level.refused):
                return f"'{op.name}' has the type {value.type}"
    return level.complaint(op)


def _signature_complaint(function: func.FuncOp, level: Level) -> str | None:
    if function.is_declaration:
        return None
    if len(function.body.blocks) != 1:
        return f"the function '{function.sym_name.data}' has {len(function.body.blocks)} blocks, expected one"
    # The time of a step function is an index at every level.
    timed = () if read_interface(function).calls is None else (IndexType,)
    for argument in function.function_type.inputs:
        if level.inputs is not None and not isinstance(argument, (level.inputs, *timed)):
            return f"the function '{function.sym_name.data}' has an argument of type {argument}"
    return None


def _complaints(regions: Sequence[Region], level: Level) -> Iterator[tuple[Operation, str]]:
    known: set[SSAValue] = set()

    def visit(block: Block) -> Iterator[tuple[Operation, str]]:
        mine: list[SSAValue] = list(block.args)
        known.update(mine)
        for op in block.ops:
            if (complaint := _complaint(op, level)) is not None:
                yield op, complaint
            if not level.graph and any(operand not in known for operand in op.operands):
                yield op, f"'{op.name}' uses a value before its definition"
            if isinstance(op, func.FuncOp):
                yield op, f"the function '{op.sym_name.data}' lies in another one"
            for region in op.regions:
                for inner in region.blocks:
                    yield from visit(inner)
            mine += op.results
            known.update(op.results)
        known.difference_update(mine)

    for region in regions:
        for block in region.blocks:
            yield from visit(block)


class EndVerification:
    """The verification of a module after the last pass of a pipeline.

    The module must have been verified before the pipeline. Between the passes only the level is checked, where it
    changes. The verification takes a few percent of a compilation. To find the pass that causes an error, use
    `verification.py`.

    suspect: the pass that is running, or that ran before a failed check; None before the first pass.
    """

    def __init__(self) -> None:
        self.level: Level | None = None
        self.suspect: ModulePass | None = None

    def between(self, before: ModulePass | None, module: ModuleOp, after: ModulePass | None) -> None:
        """Verify a module after the last pass. Before a pass whose level differs from the level that was checked last,
        raise `InputError` unless the module has the level of this pass.

        before, after: the previous and the next pass; None at the start and at the end of the pipeline.
        """
        self.suspect = before
        if after is None:
            module.verify()
        if after is not None and (level := level_of(after)) is not None and level is not self.level:
            check_level(after, module)
            self.level = level
        self.suspect = after
