"""`take-profiles`: replaces the profiles, and thereby the scales, of a model that was trained further by those of an
earlier program (L0).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.passes import ModulePass

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import error_at
from tinyml.dialects.tdsl.attributes import PROFILE
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.transforms.ir.forest_room import FOREST_ROOM, room_of, sizes_of
from tinyml.transforms.ir.sample_room import SAMPLE_ROOM, multiplies_samples
from tinyml.transforms.reals.leave_entry_room import entries_of
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
        samples = _samples(earlier), _samples(ours)
        if len(earlier) != len(ours) or not all(map(partial(_are_alike, samples), earlier, ours)):
            raise InputError(
                "--weights-for: the model has other operations or shapes than the program of this folder"
                + _of_zeros(ours),
                file=self.weights_for,
            )
        for old, new in zip(earlier, ours, strict=True):
            if isinstance(new, FuncOp) and isinstance(old, FuncOp):
                self._check_interface(old, new)
                stored = tdsl.read_interface(new).stored
                new.attributes |= old.attributes
                tdsl.update_interface(new, stored=stored)
                new.arg_attrs, new.sym_name = old.arg_attrs, old.sym_name
                if samples[0] is not None:
                    new.attributes[SAMPLE_ROOM] = IntegerAttr(samples[0], i64)
            if isinstance(old, tdsl.ForestOp):
                function = new.parent_op()
                assert isinstance(function, FuncOp)
                function.attributes[FOREST_ROOM] = room_of(sizes_of(old))
            if isinstance(old, tdsl.SpmvOp) and isinstance(new, tdsl.SpmvOp):
                entries = entries_of(old)
                new.room = None if entries is None else IntegerAttr(entries, i64)
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
        if changed == ["input.fills"]:
            raise InputError(
                "--weights-for: the model replaces missing features (SimpleImputer) by other values than the program "
                "of this folder, where they are code and no weights: compile the model anew, or train both models with "
                "SimpleImputer(strategy='constant') and equal values",
                file=self.weights_for,
            )
        if changed:
            raise InputError(
                f"--weights-for: the model has another interface than the program of this folder "
                f"({', '.join(changed)}): compile the model anew",
                file=self.weights_for,
            )


def _of_zeros(ops: Sequence[Operation]) -> str:
    for op in ops:
        if isinstance(op, tdsl.ConstOp) and len(shape := tdsl.shape_of(op.result)) > 1 and not op.raws.any():
            return f": all weights of a matrix of {' x '.join(map(str, shape))} are zero in the model, was it trained?"
    return ""


def _samples(ops: Sequence[Operation]) -> int | None:
    stored = [tdsl.read_interface(each).stored for each in ops if isinstance(each, FuncOp)]
    numbers = [each.number for each in stored if each is not None]
    return next((number for number in numbers if any(multiplies_samples(op, number) for op in ops)), None)


def _are_alike(samples: tuple[int | None, int | None], old: Operation, new: Operation) -> bool:
    """Whether two operations are equal except for weights. The nodes and leaves of a forest may differ, and so may the
    numbers of samples.

    samples: the numbers of samples of both models.
    """
    if old.name != new.name:
        return False
    if isinstance(old, tdsl.ForestOp) and isinstance(new, tdsl.ForestOp):
        return (old.out.type, old.input.type) == (new.out.type, new.input.type)
    if isinstance(old, tdsl.ConstOp) and all(isinstance(use.operation, tdsl.ForestOp) for use in old.result.uses):
        return True
    left, right = ([value.type for value in op.results] for op in (old, new))
    if len(left) != len(right) or not all(map(partial(_have_same_shape, samples), left, right)):
        return False
    others = ("value", "arg_attrs", "sym_name")
    kept = [{name: given for name, given in op.properties.items() if name not in others} for op in (old, new)]
    return kept[0] == kept[1]


def _have_same_shape(samples: tuple[int | None, int | None], old: Attribute, new: Attribute) -> bool:
    if old == new or not isinstance(old, TensorType) or not isinstance(new, TensorType):
        return old == new
    shapes = old.get_shape(), new.get_shape()
    if len(shapes[0]) != len(shapes[1]) or old.get_element_type() != new.get_element_type():
        return False
    extents = zip(*shapes, strict=True)
    return old.encoding == new.encoding and all(each[0] == each[1] or each == samples for each in extents)


def _check_range(old: Operation, new: Operation, margin: float) -> None:
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
