"""`share-arena`: places the buffers of several packed functions in one arena (L2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from tinyml.dialects.discardable_attributes import DiscardableAttribute, HolderKind, Value
from tinyml.dialects.errors import InputError
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.rewriting import Rewriter, inherit_location
from tinyml.dialects.scratch import AllocOp, ArenaOp, MoveOp, ViewOp, bytes_of
from tinyml.transforms.buffers.liveness.live_ranges import program_points
from tinyml.transforms.buffers.overlap.recorded_problem import recorded_problem
from tinyml.transforms.buffers.packing import Effort, Rectangle, pack
from tinyml.transforms.buffers.packing.packing_options import PackingOptions

_NUMBERS = ("bytes", "alignment", "lower_bound")
_FIELDS: Mapping[str, type[Attribute]] = {**dict.fromkeys(_NUMBERS, IntegerAttr), "proof": StringAttr}


def _is_shared(given: Attribute) -> bool:
    if not isinstance(given, DictionaryAttr):
        return False
    fields = {"checked": ArrayAttr, **_FIELDS}
    known = all(name in fields and isinstance(value, fields[name]) for name, value in given.data.items())
    return known and _FIELDS.keys() <= given.data.keys()


SHARED = DiscardableAttribute(
    "scratch.shared",
    {HolderKind.MODULE: Value(f"a dictionary of {', '.join(_NUMBERS)} and proof", lambda given, _: _is_shared(given))},
    "The arena that all functions share: its bytes, its alignment, a lower bound on its bytes, what proved the bound, "
    "and the judges that proved it again.",
)


@dataclass(frozen=True)
class SharedArena:
    """The arena that several functions share, with its size in bytes and its alignment.

    lower_bound, proof: as in `scratch.arena`.
    checked: the names of the independent checks that agreed with the lower bound.
    """

    bytes: int
    alignment: int
    lower_bound: int
    proof: str
    checked: tuple[str, ...] = ()

    @staticmethod
    def of(module: ModuleOp) -> SharedArena:
        """The shared arena that a module records. Raises `InputError` for a module without such a record."""
        if not isinstance(fields := module.attributes.get(SHARED), DictionaryAttr):
            raise InputError("the functions share no arena: run share-arena first")
        size, alignment, bound = (cast("IntegerAttr", fields.data[name]).value.data for name in _NUMBERS)
        judges = cast("ArrayAttr[StringAttr]", fields.data.get("checked", ArrayAttr([])))
        proof = cast("StringAttr", fields.data["proof"]).data
        return SharedArena(size, alignment, bound, proof, tuple(judge.data for judge in judges))

    def record(self, module: ModuleOp) -> None:
        """Record the size, the bound and the proof of the arena as an attribute of a module."""
        fields: dict[str, Attribute] = {name: IntegerAttr(getattr(self, name), i64) for name in _NUMBERS}
        fields["proof"] = StringAttr(self.proof)
        if self.checked:
            fields["checked"] = ArrayAttr([StringAttr(judge) for judge in self.checked])
        module.attributes[SHARED] = DictionaryAttr(fields)


@dataclass(frozen=True)
class SharedProblem:
    """The packing problem of functions that share an arena and run one after another.

    places: for each rectangle, the views that occupy its bytes.
    """

    places: list[list[ViewOp]]
    rectangles: list[Rectangle]


def shared_problem(functions: Sequence[func.FuncOp]) -> SharedProblem:
    """The packing problem of packed functions that share an arena. On its axis of time the functions follow one
    another.

    A buffer with state is live from the first point of all functions to the last one. All other buffers of a
    function are dead while another function runs. Raises `InputError` for a view without a live range.
    """
    lengths = [len(program_points(function)) + 2 for function in functions]
    places: list[list[ViewOp]] = []
    rectangles: list[Rectangle] = []
    start = 0
    for function, length in zip(functions, lengths, strict=True):
        base = len(rectangles)
        groups, shapes = recorded_problem(function)
        for members, shape in zip(groups, shapes, strict=True):
            first, last = shape.first + start, shape.last + start
            if any(view.state is not None for view in members):
                first, last = -1, sum(lengths)
            overlaps = tuple(each._replace(operand=each.operand + base) for each in shape.overlaps)
            name = f"@{function.sym_name.data} {shape.name}"
            rectangles.append(replace(shape, name=name, first=first, last=last, overlaps=overlaps))
        places += groups
        start += length
    return SharedProblem(places, rectangles)


@dataclass(frozen=True, kw_only=True)
class ShareArenaPass(PackingOptions, ModulePass):
    """Place the buffers of all functions of a module in one arena.

    The functions run one after another. No other function writes to the bytes of a buffer with state. The other buffers
    of a function, its input and outputs included, share bytes with the buffers of other functions. Results overlap
    operands as in `pack-scratch`.

    The module records the bytes of the arena, a lower bound on the bytes of every packing, and the method that proved
    the bound. The `scratch.arena` of a function ends with the last buffer of the function. Raises `InputError` for a
    module with fewer than two functions, and for a function that is not packed or moves buffers.
    """

    name = "share-arena"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.check()
        functions = [*defined_functions(op)]
        if len(functions) < 2:
            raise InputError(f"an arena is shared by two functions or more, the module has {len(functions)}")
        for function in functions:
            _check(function)
        problem = shared_problem(functions)
        placement = pack(problem.rectangles, self.packer, Effort(self.nodes), self.coarsen)
        for members, offset in zip(problem.places, placement.offsets, strict=True):
            for view in members:
                view.properties["offset"] = IntegerAttr(offset, i64)
        for function in functions:
            fit_arena(function)
        alignment = lcm(*(shape.alignment for shape in problem.rectangles))
        SharedArena(placement.height, alignment, placement.lower_bound, placement.proof.value).record(op)


def _check(function: func.FuncOp) -> None:
    name = function.sym_name.data
    if any(isinstance(op, AllocOp) for op in function.walk()):
        raise InputError(f"the buffers of @{name} have no offsets: run pack-scratch first")
    if any(isinstance(op, MoveOp) for op in function.walk()):
        raise InputError(f"@{name} moves buffers, which functions that share an arena do not")


def fit_arena(function: func.FuncOp, size: int | None = None, alignment: int = 1) -> None:
    """Replace the arena of a function, if it has one, by an arena of another size. The new arena records no lower bound
    of its packing.

    size: the size in bytes; None for the highest end of a buffer.
    alignment: a number of bytes that divides the arena's address, in addition to the alignment of the old arena.
    """
    for arena in [op for op in function.walk() if isinstance(op, ArenaOp)]:
        views = [use.operation for use in arena.result.uses]
        ends = [view.offset.value.data + bytes_of(view.result) for view in views if isinstance(view, ViewOp)]
        new = ArenaOp(max(ends, default=0) if size is None else size, lcm(arena.alignment.value.data, alignment))
        new.result.name_hint = arena.result.name_hint
        inherit_location(arena.location, new)
        Rewriter.replace_op(arena, new)
