"""Programs in fixed point and in posits of few bits, for each rule that determines the scales of activations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tinyml.dialects import tdsl
from tinyml.dialects.context import context
from tinyml.dialects.formats.fixed.type import FixedType
from tinyml.dialects.formats.number_format import BY_GREATEST, BY_SCORES, NumberFormat, Product, ScaleBy
from tinyml.dialects.formats.posit.quire import QuireType, quire_for
from tinyml.dialects.formats.posit.type import EXPONENTS, PositType
from tinyml.lowering import pipelines
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.evaluator.evaluator import encode_inputs, evaluate, evaluate_reals
from tinyml.runtime.model.program_data import load_program_data
from tinyml.tools.driver.stages import find_model, load_program, passes_to_formats
from tinyml.transforms.formats.assign_format import AssignFormatPass
from tinyml.transforms.formats.assignment.tensor_classes import FormatChoice
from tinyml.transforms.formats.choose_accumulators import ChooseAccumulatorsPass
from tinyml.transforms.formats.constants.refine_constants import refine_constants
from tinyml.transforms.formats.evaluation.candidates import CandidateEvaluator, EvaluationTask
from tinyml.transforms.reals.profile import ProfilePass
from tinyml.transforms.search.search_uniform import SearchUniformPass

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from tinyml.runtime.model.data import Data
    from tinyml.transforms.formats.evaluation.candidates import Formats

Values = dict[str, Any]


def scalings(model: Path, width: int) -> Values:
    """For each kind of program, the points that it loses against floating point on the test data, and the number of
    changed answers.

    `lost`: the answers that are right only in floating point. `won`: those that are right only in the program.
    `tensors`: for each es, the number of tensors, except constants, in posits of the given width with this es.
    `one_es`: the es of the best program whose posits, except those of constants, all have the same es.

    The program of each format is prepared by the passes that `tinyml compile` runs for this format.
    """
    fixed, test = _profiled(model, "fixed", width)
    posit, _ = _profiled(model, "posit", width)
    found: Values = {}
    right = _right(evaluate_reals(posit.module, test.x).classes, test)
    found["float"] = round(100 * float(right.mean()), 4)
    rules: dict[str, tuple[_Profiled, type[NumberFormat], ScaleBy]] = {
        "fixed": (fixed, FixedType, BY_GREATEST),
        "fixed_scores": (fixed, FixedType, BY_SCORES),
        "posit_greatest": (posit, PositType, BY_GREATEST),
        "posit": (posit, PositType, BY_SCORES),
    }
    for kind, (program, format, rule) in rules.items():
        evaluator, prototype = program.by(rule), format.of_width(width)
        formats = _formats(evaluator, FormatChoice(prototype))
        found[kind] = _answers(evaluator, formats, test, right)
        if kind == "posit":
            found["tensors"] = _of_each_es(evaluator, formats, width, constant=False)
    # Constants have any es.
    one = posit.by(BY_SCORES)
    offered = [_formats(one, FormatChoice(PositType(width, es, 0, 1))) for es in EXPONENTS]
    outcomes = [one.outcome(EvaluationTask(formats, "accuracy", np.inf)) for formats in offered]
    wrong = [outcome.wrong for outcome in outcomes]
    found["one_es"] = wrong.index(min(wrong))
    found["one"] = _answers(one, offered[found["one_es"]], test, right)
    return found


def es_of_constants(model: Path, width: int) -> Values:
    """For each es, the number of constants in posits of the given width with this es (`constants`).

    The rule of scales does not affect constants.
    """
    profiled, _ = _profiled(model, "posit", width)
    evaluator = profiled.by(BY_GREATEST)
    formats = _formats(evaluator, FormatChoice(PositType.of_width(width)))
    return {"constants": _of_each_es(evaluator, formats, width, constant=True)}


def unrewritten(model: Path, width: int) -> Values:
    """The figures of `scalings` for fixed point and posits by either rule of scales, if no pass but `profile`,
    `assign-format` and `choose-accumulators` runs.
    """
    found: Values = {}
    ctx = context()
    program, val, test = find_model(model)
    reals = load_program(program, ctx)
    data = load_program_data(reals, str(test))
    right = _right(evaluate_reals(reals, data.x).classes, data)
    for format in ("fixed", "posit"):
        for rule in (BY_GREATEST, BY_SCORES):
            module = reals.clone()
            assigned = AssignFormatPass(format, width, scale_by=rule, data=str(val))
            pipelines.run(module, ctx, [ProfilePass(str(val)), assigned, ChooseAccumulatorsPass()])
            classes = evaluate(module, encode_inputs(module, data.x)).classes
            found[f"{format}_{rule}"] = _changes(right, _right(classes, data))
    return found


def scalings_by_loss(model: Path, width: int) -> Values:
    """For fixed point and for posits, the figures of `scalings` for the program of `--search uniform --metric margin`.
    The search starts from the scales, and es of posits, that `--scale-by scores` chooses, and changes those with which
    the whole program loses less on the validation data.
    """
    found: Values = {}
    for format in ("fixed", "posit"):
        profiled, test = _profiled(model, format, width)
        right = _right(evaluate_reals(profiled.module, test.x).classes, test)
        program = profiled.by_loss(format, width)
        found[format] = _changes(right, _right(evaluate(program, encode_inputs(program, test.x)).classes, test))
    return found


def standard_posits(model: Path, width: int, es: int) -> Values:
    """The figures of `scalings` for a program with only posits without windows, whose sums are computed in a quire."""
    profiled, test = _profiled(model, "posit", width)
    evaluator = profiled.by(None)
    formats = _formats(evaluator, FormatChoice(PositType(width, es), is_made=True))
    right = _right(evaluate_reals(profiled.module, test.x).classes, test)
    return _answers(evaluator, formats, test, right)


def quire_widths(model: Path) -> Values:
    """For standard posits of three kinds, the least and the greatest width in bits of the quires of a program's sums of
    products.

    `pN_ES`: the widths that `choose-accumulators` determines. `pN_ES_one`: the widths if no factor except constants
    exceeds 1.
    """
    found: Values = {}
    for n, es in ((8, 2), (16, 1), (16, 2)):
        evaluator = _profiled(model, "posit", n)[0].by(None)
        choice = FormatChoice(PositType(n, es), is_made=True)
        program = evaluator.candidates.program(_formats(evaluator, choice))
        sums = [op for op in program.walk() if isinstance(op, tdsl.ContractionOp)]
        small = (
            quire_for([_at_most_1(product) for product in op.products], op.initial and tdsl.factor_of(op.initial))
            for op in sums
        )
        for name, quires in (("", (op.properties["acc"] for op in sums)), ("_one", small)):
            widths = [quire.width.data for quire in quires if isinstance(quire, QuireType)]
            found[f"p{n}_{es}{name}"] = {"least": min(widths), "greatest": max(widths)}
    return found


def _at_most_1(product: Product) -> Product:
    lhs, rhs = (
        factor if factor.raws is not None else replace(factor, interval=(-1.0, 1.0))
        for factor in (product.lhs, product.rhs)
    )
    return replace(product, lhs=lhs, rhs=rhs)


def rounded_inputs(model: Path, width: int) -> Values:
    """For fixed point and for posits, the least loss on the test data over all scales of the input, and for posits over
    all es, if only the input is rounded and everything else is computed in floating point.

    No program whose input has such a format and whose other numbers are exact loses less.
    """
    profiled, test = _profiled(model, "posit", width)
    right = _right(evaluate_reals(profiled.module, test.x).classes, test)
    low, high = float(profiled.val.x.min()), float(profiled.val.x.max())
    found: Values = {}
    inputs = test.x.astype("f8")
    for name, format in (("fixed", FixedType), ("posit", PositType)):
        prototype = format.of_width(width)
        offered = dict.fromkeys([prototype.for_range(low, high), *prototype.scalings(low, high)])
        rounded = (one.decode(one.encode_clipped(inputs)) for one in offered)
        answers = [_right(evaluate_reals(profiled.module, x.reshape(test.x.shape)).classes, test) for x in rounded]
        found[name] = max((_changes(right, here) for here in answers), key=lambda changes: changes["change"])
        found[f"{name}_offered"] = len(offered)
    return found


class _Profiled(NamedTuple):
    """A profiled program before its formats are assigned, and the data on which the formats are chosen.

    file: the file of the data.
    later: the passes after the assignment of formats.
    """

    module: ModuleOp
    val: Data
    file: str
    later: Sequence[ModulePass]

    def by(self, rule: ScaleBy | None) -> CandidateEvaluator:
        """A `CandidateEvaluator` of the program, with the given rule of scales; None selects the default rule of the
        format.
        """
        return CandidateEvaluator(self.module, self.val, None, rule)

    def by_loss(self, format: str, width: int) -> ModuleOp:
        """The program in the formats of one width that a search by the expected loss chooses."""
        search = SearchUniformPass(self.file, format, scale_by=BY_SCORES, metric="margin", widths=(width,))
        program = self.module.clone()
        pipelines.run(program, context(), [search, *self.later])
        return program


def _profiled(model: Path, format: str, width: int) -> tuple[_Profiled, Data]:
    """The program after the passes that precede the assignment of a format, with its validation data, and its test
    data.
    """
    ctx = context()
    program, val, test = find_model(model if model.is_dir() else model.parent)
    module = load_program(program, ctx)
    steps = passes_to_formats(PipelineOptions(data=str(val), format=format, width=width), None)
    assigned = next(i for i, step in enumerate(steps) if isinstance(step, AssignFormatPass))
    pipelines.run(module, ctx, steps[:assigned])
    profiled = _Profiled(module, load_program_data(module, str(val)), str(val), steps[assigned + 1 :])
    return profiled, load_program_data(module, str(test))


def _formats(evaluator: CandidateEvaluator, choice: FormatChoice) -> Formats:
    assignment = evaluator.candidates.assignment
    return tuple(assignment.formats([choice] * len(assignment.classes)))


def _right(classes: Any, test: Data) -> Any:
    return classes == test.y


def _answers(evaluator: CandidateEvaluator, formats: Formats, test: Data, right: Any) -> Values:
    program = evaluator.candidates.program(formats, refine_constants(evaluator, formats))
    return _changes(right, _right(evaluate(program, encode_inputs(program, test.x)).classes, test))


def _changes(right: Any, here: Any) -> Values:
    """The change of accuracy in points, and the number of answers that are right in only one of two programs."""
    lost, won = int((right & ~here).sum()), int((here & ~right).sum())
    return {"change": round(100 * (won - lost) / len(here), 4), "lost": lost, "won": won}


def _of_each_es(evaluator: CandidateEvaluator, formats: Sequence[NumberFormat], width: int, *, constant: bool) -> str:
    classes = evaluator.candidates.assignment.classes
    posits = [
        format.es.data
        for tensors, format in zip(classes, formats, strict=True)
        if isinstance(format, PositType) and format.bits == width and tensors.is_constant == constant
    ]
    return ", ".join(str(posits.count(es)) for es in EXPONENTS)
