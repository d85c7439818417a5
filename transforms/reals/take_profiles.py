"""`take-profiles`: replaces the profiles, and thereby the scales, of a model that was trained further by those of an
earlier program (L0).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.dialects.tdsl.attributes import PROFILE
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.transforms.ir.forest_room import FOREST_ROOM, room_of, sizes_of
from tinyml.transforms.reals.leave_room import power_above

REALS = "ir/0-reals.mlir"


@dataclass(frozen=True)
class TakeProfilesPass(ModulePass):
    """Replace the profile of every operation and argument by the corresponding profile of the program in an output
    folder.

    The function also receives the name and the attributes of the earlier program's function. If it contains a forest,
    `tinyml.forest_room` states the sizes of the earlier forest.

    weights_for: the output folder.
    weights_margin: as for `leave-room`, which runs afterwards.

    Raises `InputError` for a model with another structure or interface, such as other labels of classes, for a constant
    without a profile, and for a weight beyond the power of two that bounds the weights of the earlier program.
    """

    name = "take-profiles"
    weights_for: str
    weights_margin: float = 1.0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        file = Path(self.weights_for) / REALS
        earlier = [*Parser(ctx, read_bytes(file, "program").decode(), str(file)).parse_module().walk()]
        ours = [*op.walk()]
        if [*map(_shape, earlier)] != [*map(_shape, ours)]:
            raise InputError(
                "--weights-for: the model has other operations or shapes than the program of this folder",
                file=self.weights_for,
            )
        for old, new in zip(earlier, ours, strict=True):
            if isinstance(new, FuncOp) and isinstance(old, FuncOp):
                self._check_interface(old, new)
                new.attributes |= old.attributes
                new.arg_attrs, new.sym_name = old.arg_attrs, old.sym_name
            if isinstance(old, tdsl.ForestOp):
                function = new.parent_op()
                assert isinstance(function, FuncOp)
                function.attributes[FOREST_ROOM] = room_of(sizes_of(old))
            if PROFILE in old.attributes:
                if isinstance(new, tdsl.ConstOp):
                    _check_range(old, new, self.weights_margin)
                new.attributes[PROFILE] = old.attributes[PROFILE]

    def _check_interface(self, old: FuncOp, new: FuncOp) -> None:
        """Raise `InputError` if the interfaces of two functions differ. Three fields may differ, because they depend on
        the data or the weights: the fraction of zeros in the input, the features that the program reads, and the
        number of parts that the model stores.
        """
        was, now = tdsl.read_interface(old), tdsl.read_interface(new)
        names = [field.name for field in fields(was) if field.name not in ("input", "stored")]
        changed = [name for name in names if getattr(was, name) != getattr(now, name)]
        names = [field.name for field in fields(was.input) if field.name not in ("zeros", "read")]
        changed += [f"input.{name}" for name in names if getattr(was.input, name) != getattr(now.input, name)]
        if changed:
            raise InputError(
                f"--weights-for: the model has another interface than the program of this folder "
                f"({', '.join(changed)}): compile the model anew",
                file=self.weights_for,
            )


def _shape(op: Operation) -> object:
    """A key that is equal for corresponding ops of two programs with the same structure: the name, the result types,
    and the properties except weights, argument attributes and function names.

    The key of a forest consists of its name and types only, and the key of its votes of the name only, because another
    forest may have other nodes and leaves.
    """
    if isinstance(op, tdsl.ForestOp):
        return op.name, op.out.type, op.input.type
    if isinstance(op, tdsl.ConstOp) and all(map(tdsl.is_forest, (use.operation for use in op.result.uses))):
        return op.name
    types = [value.type for value in op.results]
    kept = {name: value for name, value in op.properties.items() if name not in ("value", "arg_attrs", "sym_name")}
    return op.name, types, kept


def _check_range(old: Operation, new: Operation, margin: float) -> None:
    """Raise `InputError` if a new weight exceeds the range of the old weights. The range ends at the least power of two
    that is not below the greatest old weight times `margin`. Also raise it if the old or the new weights have no
    profile.
    """
    was, now = (next(tdsl.result_profiles(op.results[0]), None) for op in (old, new))
    if was is None or now is None:
        raise error_at(new, "the constant has no profile: run the profile pass first")
    greatest = now.magnitude
    bound = power_above(margin * was.magnitude)
    if greatest > bound:
        raise error_at(
            new,
            f"--weights-for: weights of up to {greatest:g}, but the program has room for {bound:g}: compile the model "
            "anew",
        )
