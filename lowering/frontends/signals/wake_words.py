"""Wake-word programs: a front end, a stateful TensorFlow Lite model, and a threshold in one streaming program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, OpResult, Region, SSAValue

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.affine import affine_formula
from tinyml.dialects.functions import defined_functions
from tinyml.dialects.operations import index_constant
from tinyml.dialects.tdsl import format_of, shape_of
from tinyml.lowering.frontends.importers import FRONTENDS
from tinyml.lowering.frontends.signals.micro_frontend import MicroFrontend, score_format
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.transforms.programs.digest import digest_of

STEP = 10
"""The time between the starts of two frames, in milliseconds."""

MAX_WINDOW = 100
"""The maximum number of probabilities that are averaged."""

CLASSES = ("nothing", "wake word")
"""The labels of the classes of a wake word without a name."""


@dataclass(frozen=True)
class WakeWord:
    """A wake word, which is detected when the mean of the last `window` probabilities exceeds `cutoff`.

    file: the path of the model, a .tflite file.
    word: the name of the class.
    """

    file: Path
    cutoff: float
    window: int
    word: str = CLASSES[1]

    def __post_init__(self) -> None:
        if not 0 <= self.cutoff < 1:
            raise InputError(f"cutoff is a probability from 0 to less than 1, got {self.cutoff}")
        if not 1 < self.window <= MAX_WINDOW:
            raise InputError(f"window is a number of probabilities from 2 to {MAX_WINDOW}, got {self.window}")


USUAL_WINDOW = 5
"""The number of averaged probabilities in the files of microWakeWord."""


def is_manifest(content: Any) -> bool:
    return isinstance(content, dict) and isinstance(cast("dict[str, Any]", content).get("micro"), dict)


def read_manifest(content: Any, file: str) -> ModuleOp:
    """Import the wake word that a .json file of microWakeWord describes, with the default front end."""
    return wake_word(MicroFrontend(), described(content, file))


def described(content: Any, file: str) -> WakeWord:
    """The wake word that a .json file of microWakeWord describes. The model file lies in the same folder.

    Raises `InputError` for any other content, for a description without a model, a cutoff or a window size, and for
    another interval between features than `STEP` ms.
    """
    if not is_manifest(content):
        raise InputError("expected the description of a wake word of microWakeWord", file=file)
    micro: Any = content["micro"]
    fields = [content.get("model"), content.get("wake_word", CLASSES[1])]
    fields += [micro.get(name) for name in ("probability_cutoff", "sliding_window_size")]
    model, word, cutoff, window = fields
    texts, numbers = all(isinstance(text, str) for text in (model, word)), all(map(_is_number, (cutoff, window)))
    if not texts or not numbers or window % 1:
        raise InputError(
            "a wake word has `model` and `wake_word`, two texts, `micro.probability_cutoff`, a number, and "
            f"`micro.sliding_window_size`, an integer; got {', '.join(map(_spelled, fields))}",
            file=file,
        )
    if (step := micro.get("feature_step_size", STEP)) != STEP:
        raise InputError(f"expected features every {STEP} ms, got {step}", file=file)
    # The model may have an address on the web.
    return WakeWord(Path(file).parent / model.rpartition("/")[2], float(cutoff), int(window), word)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _spelled(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def wake_word(front_end: MicroFrontend, *words: WakeWord) -> ModuleOp:
    """The program that receives samples, and returns the class and the mean probability after each step of the
    model.

    A step computes as many frames as the model has rows of features. The class is 1 while the mean of the last
    `window` probabilities exceeds the cutoff. The first result is due after `window` steps.

    Several wake words use one front end. The class is then the number of the first word whose mean exceeds its
    cutoff, and there is one mean for each word.

    Raises `InputError` for a model that is not one step of a stream with one output, for rows that differ from the
    rows of the front end, and for words whose features or windows differ.
    """
    steps = [_read_step(front_end, word) for word in words]
    first, window = steps[0], words[0].window
    for number in range(1, len(steps)):
        _check_alike(steps[:number], words[0], steps[number], words[number])
    rows, (scale, zero) = first.rows, first.formula
    hop = rows * front_end.hop
    features_of_step = replace(front_end, rows=rows, scale=scale, zero=zero, samples=window * hop + front_end.frame)
    frame = features_of_step.step
    module = replace(features_of_step, samples=frame + (window - 1) * hop).module()
    [function] = defined_functions(module)
    block = function.body.block
    features = tdsl.ReshapeOp(_without_return(block), (window, *first.shape[1:]))
    block.add_op(features)
    loops = [_embedded(block, features.out, *model) for model in zip(steps, words, strict=True)]
    histories = [loop.results[-1] for loop in loops] if len(loops) == 1 else _merged(block, loops)
    _answer(block, histories, steps, words)
    function.sym_name = first.function.sym_name
    function.update_function_type()
    tdsl.update_interface(function, classes=(CLASSES[0], *(word.word for word in words)))
    tdsl.update_input(function, rate=front_end.rate, frames=None, pushed=tdsl.Pushes(frame, hop, window, 1))
    return module


def _without_return(block: Block) -> SSAValue:
    """Erase the return of a function with one result, and return the result."""
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    [result] = end.operands
    end.detach()
    end.erase()
    return result


def _embedded(block: Block, features: SSAValue, step: _Step, word: WakeWord) -> scf.ForOp:
    """Insert a copy of a model at the end of a block, and return its loop over steps, which carries the last
    probabilities as its last value.

    features: the rows of features of all steps, in the place of the argument of the model.
    """
    model = step.function.body.block
    copies: dict[SSAValue, SSAValue] = {model.args[0]: features}
    block.add_ops([op.clone(value_mapper=copies) for op in model.ops if op is not model.last_op])
    position = [*cast(scf.ForOp, step.score.owner).results].index(cast("OpResult[Attribute]", step.score))
    return _with_history(block, cast(scf.ForOp, copies[step.score].owner), position, word)


@dataclass(frozen=True)
class _Step:
    """One step of an imported wake-word model.

    function: the function of the model.
    score: the probability, which is a result of the function's loop.
    rows: the number of rows of features per step.
    shape: the shape of the features.
    formula: the scale and the zero point of the features.
    unit: the scale of probabilities.
    """

    function: func.FuncOp
    score: SSAValue
    rows: int
    shape: tuple[int, ...]
    formula: tuple[float, int]
    unit: float

    @cached_property
    def digest(self) -> str:
        """The digest of the function, which does not depend on the function's name."""
        unnamed = func.FuncOp("step", self.function.function_type, self.function.body.clone())
        return digest_of(ModuleOp([unnamed]))


def _read_step(front_end: MicroFrontend, word: WakeWord) -> _Step:
    if word.file.suffix != ".tflite":
        raise InputError("the model of a wake word is a .tflite file", file=str(word.file))
    model = FRONTENDS.get("tflite")(read_bytes(word.file, "model"), str(word.file))
    [following] = defined_functions(model)
    [argument, *others], file = following.body.block.args, str(word.file)
    pushed, last = tdsl.read_input(following).pushed, following.body.block.last_op
    assert isinstance(last, func.ReturnOp)
    formula, shape = affine_formula(format_of(argument)), shape_of(argument)
    if pushed is None or others or formula is None or format_of(argument).dtype.itemsize != 1:
        raise InputError("a wake word is a quantised model that keeps states from one inference to the next", file=file)
    [score, *more] = last.operands
    if more or not isinstance(score.owner, scf.ForOp) or shape_of(score) != (1, 1):
        raise InputError("a wake word has one output, a probability", file=file)
    rows, rest = divmod(pushed.frame, front_end.channels)
    if rest or shape[-1] != front_end.channels:
        raise InputError(f"the model takes rows of {shape[-1]} features, not of {front_end.channels}", file=file)
    unit = affine_formula(format_of(score))
    assert unit is not None
    return _Step(following, score, rows, shape, formula, unit[0])


def _check_alike(before: Sequence[_Step], word: WakeWord, step: _Step, other: WakeWord) -> None:
    first = before[0]
    if step.digest in [earlier.digest for earlier in before]:
        raise InputError("is the model of another wake word, too: expected a model for each word", file=str(other.file))
    for what, expected, actual in (
        ("number of rows in a step", first.rows, step.rows),
        ("scale and zero point of features", first.formula, step.formula),
        ("window", word.window, other.window),
        ("scale of probabilities", first.unit, step.unit),
    ):
        if expected != actual:
            have = f"{word.file.name} has {expected}, this one {actual}"
            raise InputError(f"wake words with one front end have the same {what}, {have}", file=str(other.file))


def _with_history(block: Block, steps: scf.ForOp, position: int, word: WakeWord) -> scf.ForOp:
    """Extend the loop over steps to `window` iterations. Its new last carried value is the row of the last `window`
    probabilities.

    position: the position of the probability in the loop's results.
    """
    probability = steps.results[position].type
    assert isinstance(probability, TensorType)
    element: Attribute = cast("TensorType[Attribute]", probability).element_type
    window = word.window
    count = index_constant(window)
    history = tdsl.FillOp(0.0, TensorType(element, (1, window)))
    for op in (count, history):
        block.insert_op_before(op, steps)
    body = steps.body.block
    before = body.insert_arg(history.out.type, len(body.args))
    before.name_hint = "probabilities"
    end = cast(scf.YieldOp, body.last_op)
    kept, zero, at = tdsl.MoveUpOp(before, 1, 1), index_constant(0), index_constant(window - 1)
    after = tdsl.InsertSliceOp(end.operands[position], kept.out, [zero.result, at.result])
    for op in (kept, zero, at, after):
        body.insert_op_before(op, end)
    body.insert_op_before(scf.YieldOp(*end.operands, after.out), end)
    end.detach()
    end.erase()
    region = steps.detach_region(steps.body)
    longer = scf.ForOp(steps.lb, count.result, steps.step, [*steps.iter_args, history.out], region)
    longer.attributes |= steps.attributes
    block.insert_op_before(longer, steps)
    for old, new in zip(steps.results, longer.results, strict=False):
        old.replace_all_uses_with(new)
    steps.detach()
    steps.erase()
    return longer


def _merged(block: Block, loops: Sequence[scf.ForOp]) -> list[SSAValue]:
    """Merge loops into one loop that executes their bodies one after another. Return the results that correspond to
    the last result of each original loop.
    """
    first, last = loops[0], loops[-1]
    initial = [value for loop in loops for value in loop.iter_args]
    body = Block(arg_types=[IndexType(), *(value.type for value in initial)])
    yielded: list[SSAValue] = []
    ends: list[int] = []
    for loop in loops:
        own = loop.body.block
        arguments = [body.args[0], *body.args[1 + len(yielded) : 1 + len(yielded) + len(loop.iter_args)]]
        copies: dict[SSAValue, SSAValue] = dict(zip(own.args, arguments, strict=True))
        for old, new in zip(own.args, arguments, strict=True):
            new.name_hint = new.name_hint or old.name_hint
        end = cast(scf.YieldOp, own.last_op)
        body.add_ops([op.clone(value_mapper=copies) for op in own.ops if op is not end])
        yielded += [copies.get(value, value) for value in end.operands]
        ends.append(len(yielded) - 1)
    body.add_op(scf.YieldOp(*yielded))
    merged = scf.ForOp(first.lb, first.ub, first.step, initial, Region(body))
    merged.attributes |= first.attributes
    block.insert_op_after(merged, last)
    for loop in loops:
        loop.detach()
        loop.erase()
    return [merged.results[end] for end in ends]


def _answer(block: Block, histories: Sequence[SSAValue], steps: Sequence[_Step], words: Sequence[WakeWord]) -> None:
    """Append the means of the last probabilities, the class, and an op that returns the class and the means.

    The class is n if the mean of the nth wake word is the first that exceeds its cutoff, and 0 if none does. Raises
    `InputError` if no mean can exceed a cutoff.
    """
    window = words[0].window
    means: list[tdsl.MeanOp] = []
    exceeding: list[tdsl.AtLeastOp] = []
    for history, step, word in zip(histories, steps, words, strict=True):
        mean = tdsl.MeanOp(history, [1], score_format(step.unit / window))
        sums = [total for total in range(255 * window + 1) if float(total * step.unit / window) > word.cutoff]
        if not sums:
            raise InputError(f"no probability exceeds the cutoff {word.cutoff}", file=str(word.file))
        means.append(mean)
        exceeding.append(tdsl.AtLeastOp(mean.out, (sums[0] - 0.5) * step.unit / window))
        block.add_ops([means[-1], exceeding[-1]])
    numbers = [index_constant(number) for number in (*range(len(words), 0, -1), 0)]
    block.add_ops(numbers)
    label: SSAValue = numbers[-1].result
    for number, exceeds in zip(numbers, reversed(exceeding), strict=False):
        chosen = arith.SelectOp(exceeds.result, number.result, label)
        label = chosen.results[0]
        block.add_op(chosen)
    label.name_hint = "label"
    assert label.type == IndexType()
    scores = means[0].out if len(means) == 1 else _side_by_side(block, [mean.out for mean in means])
    block.add_op(func.ReturnOp(label, scores))


def _side_by_side(block: Block, values: Sequence[SSAValue]) -> SSAValue:
    element: Attribute = cast("TensorType[Attribute]", values[0].type).element_type
    row = tdsl.FillOp(0.0, TensorType(element, (1, len(values))))
    zero = index_constant(0)
    block.add_ops([row, zero])
    out: SSAValue = row.out
    for number, value in enumerate(values):
        at = index_constant(number)
        inserted = tdsl.InsertSliceOp(value, out, [zero.result, at.result])
        block.add_ops([at, inserted])
        out = inserted.out
    return out
