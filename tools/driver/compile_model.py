"""Compilation of a model: reading it, the pipelines, the output folder, the measurement and the report."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named, format_spelled
from tinyml.targets.chip import CALLBACK, PUSH, SERIAL
from tinyml.targets.registry import HOST
from tinyml.targets.registry import board as board_named
from tinyml.tools.cli.atomic_output import atomic_folder, write_file
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.output_folder import (
    MEASURED_SAMPLES,
    removable_files,
    seal_folder,
    write_errors,
    write_sources,
)
from tinyml.tools.driver.request import AUTO_FORMAT, QUANTIZATION, Request, watched
from tinyml.transforms.schedules.table import AUTO

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.lowering.frontends.sklearn.own_answers import OwnAnswers
    from tinyml.runtime.model.data import Data
    from tinyml.targets.board import Board
    from tinyml.tools.driver.measure import Measured, Mismatch
    from tinyml.tools.driver.packages.packaging import Packaging
    from tinyml.tools.driver.stages import Compiled

_, ANEW = QUANTIZATION

COMPARED_SAMPLES = 1000
"""Maximum samples on which the program on reals is compared with the estimator that it was imported from."""

EQUAL_SCORES = 1e-4
"""Two scores that differ by less than this share of the greatest one may change order by rounding."""

EQUAL_VALUES = 1e-3
"""Tolerance for the values of a regressor, as a share of the greatest one."""


def compile_model(request: Request) -> dict[str, Any]:
    """Compile and measure a model, write its folder and return the report.

    Raises `InputError` for bad input and for a model that does not fit the board; no folder is written then. Where the
    board does not compute what the evaluator does, the folder is written before `MismatchError` is raised.
    """
    from tinyml.tools.driver.measure import MismatchError
    from tinyml.tools.driver.packages.packaging_table import packagings_for

    mismatch: MismatchError | None = None
    report: dict[str, Any] = {}
    chosen = board_named(request.target)
    packagings = packagings_for(chosen, request.packages, zipped=request.zip, loaded=request.load_weights)
    with atomic_folder(request.out, removable_files(request.inputs)) as folder:
        try:
            report, _ = build_folder(request, chosen, folder, must_fit=True, packagings=packagings, pages=True)
        except MismatchError as error:
            mismatch = error
    if mismatch is not None:
        raise MismatchError(mismatch.message, file=str(request.out)) from mismatch
    return report


def measure_model(request: Request, chosen: Board) -> dict[str, Any]:
    """The report of a model on a board, measured on a board with more memory if it does not fit.

    Raises `InputError` if the tools of the target are not installed, and `MismatchError` if the board does not compute
    what the evaluator does.
    """
    from tinyml.tools.driver.measure import MismatchError

    try:
        report, measured = _build(request, chosen)
    except MismatchError:
        raise
    except InputError:
        # A program that fails to link for a board, or runs out of its memory, may still run on a larger one.
        if chosen.larger is None:
            raise
        report, measured = {"fits": False}, None
    if chosen.larger is not None and not report["fits"]:
        report, measured = _build(request, board_named(chosen.larger))
        report |= {"target": chosen.name, "fits": False, "flash_limit": chosen.flash, "ram_limit": chosen.ram}
    if measured is None:
        raise InputError(f"the tools of the target '{chosen.name}' are not installed")
    return report


def _build(request: Request, board: Board) -> tuple[dict[str, Any], Measured | None]:
    with tempfile.TemporaryDirectory(prefix="tinyml-") as out:
        return build_folder(request, board, Path(out), must_fit=False)


def build_folder(
    request: Request,
    board: Board,
    folder: Path,
    *,
    must_fit: bool,
    packagings: Sequence[Packaging] = (),
    pages: bool = False,
) -> tuple[dict[str, Any], Measured | None]:
    """Compile and measure a model into an existing empty folder.

    must_fit: raise `InputError` for a model that does not fit the board. If its RAM has no room for the arena and the
    input, these take less memory (`compile_within_ram`), unless a search has counted it. packagings: of the model,
    which are written into the folder, too. pages: write the page of the report and its pictures.

    If the tools of the device are not installed, the model is compiled all the same and the second result is None.
    Raises `MismatchError`, once the folder is complete, if the board does not compute what the evaluator does.
    """
    from tinyml.dialects import tdsl
    from tinyml.dialects.context import context
    from tinyml.dialects.tdsl.model_attributes import classes_of
    from tinyml.lowering.frontends.sklearn.own_answers import own_answers
    from tinyml.runtime.devices.device import FullStackError
    from tinyml.runtime.devices.registry import is_available
    from tinyml.tools.driver.compile_program import compile_asked, compile_choice, does_not_fit, remedies
    from tinyml.tools.driver.limits import check_route, compile_within_cells, require_cells
    from tinyml.tools.driver.measure import NO_ACCURACY, accuracy, check_equal, rounding_loss
    from tinyml.tools.driver.output_pages import facts_at_hand, pages_of
    from tinyml.tools.driver.packages.packaging import packaged_model
    from tinyml.tools.driver.packages.write_packages import write_packages
    from tinyml.tools.driver.stages import compile_bits_again, with_outputs
    from tinyml.tools.reports.facts.answers import confusion
    from tinyml.tools.reports.input_report import sensor_report
    from tinyml.tools.reports.report import Compilation, require_fit, write_report
    from tinyml.transforms.search.engine.workers import one_thread

    start, requested, choice = time.perf_counter(), request, None
    ctx = context()
    _check_options(request, board, ctx)
    if request.route:
        check_route(board)
    # Arrays are small here: more threads of the numeric libraries would wait longer than they compute.
    with Progress(str(request.model), 5 if board.fabric is None else 6) as progress, one_thread():
        progress.step("reading")
        program = read_program(request, ctx)
        kept = tdsl.has_formats(program)
        # An estimator answers as the program that was imported does, before passes change its results.
        own = None if request.input_unit is not None else own_answers(request.module or program)
        imported = None if own is None else program.clone()
        adapt_interface(program, request, ctx)
        data = _load_data(request, program, kept)
        if own is not None and imported is not None:
            check_own_answers(imported, own, data.x, str(request.model))
        progress.step("compiling")
        with watched(progress) as account:
            if request.is_auto and not kept:
                compiled, request, choice = compile_choice(program, ctx, request, board)
            else:
                compiled, request = compile_asked(program, ctx, request, board, must_fit=must_fit)
        hardware = None
        if board.fabric is not None:
            progress.step(f"counting cells of {board.name}")
            options, chosen = request.pipeline_options(board), compiled

            def again(cells: int) -> Compiled:
                return compile_bits_again(chosen, ctx, replace(options, cells=cells))

            compiled, cells, hardware = compile_within_cells(compiled, options.cells, board, again, route=request.route)
            request = replace(request, cells=cells)
            if must_fit:
                require_cells(hardware, board, str(request.model))
        progress.step("writing C")
        write_sources(folder, compiled, data)
        accuracies = NO_ACCURACY
        if request.val is not None or request.test is not None:
            progress.step(f"evaluating {len(data)} samples")
            # Passes round what they fold into constants, such as scales of features: the reference is the model without
            # them.
            reals = compiled.reals if kept else with_outputs(program, ctx, request.compile_options["outputs"])
            accuracies = accuracy(reals, compiled.formats, data)
        rounding = rounding_loss(compiled.unrounded, compiled.formats, data) if compiled.unrounded else None
        measured = mismatch = None
        if is_available(board.name):
            progress.step(f"measuring on {board.name}")
            try:
                measured, mismatch = _measure(folder, compiled, board, data, request.optimize)
            except FullStackError as error:
                if not must_fit:
                    raise
                ram = _ram_with_stack(folder, compiled, board, data, request.optimize)
                raise does_not_fit(program, ctx, request, board, 0, ram) from error
        else:
            progress.step(f"not measured: {board.name} is not installed")
        if packagings and mismatch is None:
            samples, expected = data.x[:MEASURED_SAMPLES], measured and measured.outputs
            serial = request.input == SERIAL
            model = packaged_model(folder, compiled.formats, board, samples, serial=serial, expected=expected)
            write_packages(folder, model, packagings, zipped=request.zip)
    confused = None
    if data.y is not None and accuracies.answers is not None:
        confused = confusion(data.y, *accuracies.answers, classes_of(compiled.formats))
    report = write_report(
        Compilation(
            requested=requested,
            request=request,
            board=board,
            compiled=compiled,
            choice=choice,
            accuracies=accuracies,
            rounding=rounding,
            measured=measured,
            mismatch=mismatch,
            confusion=confused,
            hardware=hardware,
            sensor=sensor_report(compiled.reals, compiled.formats, data),
            account=account,
            seconds=time.perf_counter() - start,
        )
    )
    if must_fit and choice is not None and request.flash is not None and (report["flash_bytes"] or 0) > request.flash:
        raise InputError(f"the program takes {report['flash_bytes']} bytes of flash, --flash allows {request.flash}")
    if must_fit and report["fits"] is False:
        ram = report["ram_bytes"]
        needed = report["flash_bytes"] or 0, ram["total"] or ram["arena"] + ram["input"]
        require_fit(report, board, remedies(program, ctx, request, board, *needed))
    if pages:
        wrong = write_errors(folder, compiled, data, accuracies)
        for name, text in pages_of(facts_at_hand(report, board, compiled, wrong)).items():
            (folder / name).parent.mkdir(exist_ok=True)
            write_file(folder / name, text)
    seal_folder(folder, report)
    check_equal(report["mismatch"], board.name, request.model)
    return report, measured


def _check_options(request: Request, board: Board, ctx: Context) -> None:
    """Raise `InputError` for options and files with which no model can be compiled, before one is read."""
    from tinyml.dialects.tdsl.sensor_units import InputUnit
    from tinyml.runtime.readers.arrays import check_npz
    from tinyml.transforms.formats.assignment.retype import check_scheme

    if request.input == SERIAL and not board.arduino and board.name != HOST:
        raise InputError(f"no serial line of {board.name} is known: define the function of --input {CALLBACK} yourself")
    if request.input == SERIAL and request.load_weights:
        raise InputError(f"--load-weights: the sketch for rows receives no weights: use --input {CALLBACK}")
    if request.input == PUSH and (request.plan != AUTO or request.reuse_input):
        option = "--reuse-input" if request.reuse_input else "--plan"
        raise InputError(f"--input {PUSH} runs row by row, and keeps one frame in the arena: leave out {option}")
    options = request.pipeline_options(board)
    if request.search is not None:
        request.search.search_pass(options).check(ctx)
    else:
        check_scheme(format_named(ctx, options.format, options.width), options.format, options.functions)
    if options.weights is not None:
        format_spelled(ctx, options.weights)
    if request.input_unit is not None:
        InputUnit.parse(request.input_unit, None)
    for file in (request.val, request.test):
        if file is not None:
            check_npz(file, "data")


def check_own_answers(program: ModuleOp, own: OwnAnswers, x: NDArray[Any], file: str) -> None:
    """Raise `InputError` for a program on reals whose answers for samples (samples, features) differ from its
    estimator's own.

    Rounding may change a few: near ties between classes do not count, nor does one sample in a hundred. Programs that
    look for nearest neighbours are not compared, since the order of equally near ones is undefined.
    """
    from tinyml.dialects import tdsl
    from tinyml.dialects.lazy_numpy import np
    from tinyml.runtime.evaluator.evaluator import evaluate_reals

    x = x[:: -(-len(x) // COMPARED_SAMPLES)]
    if any(isinstance(op, tdsl.TopKMaskOp) for op in program.walk()) or (expected := own(x)) is None:
        return
    outputs = evaluate_reals(program, x)
    scores = None if outputs.scores is None else np.asarray(outputs.scores).reshape(len(x), -1)
    if outputs.labels is not None:
        different = np.asarray(outputs.labels).ravel() != expected
        if scores is not None:
            ordered = np.sort(np.abs(scores) if scores.shape[1] == 1 else scores, 1)
            margins = ordered[:, -1] - (ordered[:, -2] if scores.shape[1] > 1 else 0.0)
            different &= margins > EQUAL_SCORES * np.abs(scores).max()
    else:
        assert scores is not None
        different = (np.abs(scores - expected) > EQUAL_VALUES * np.abs(expected).max()).any(1)
    if (count := int(different.sum())) > max(1, len(x) // 100):
        raise InputError(
            f"as imported, the estimator answers otherwise than its own predict for {count} of {len(x)} samples: "
            "its numbers do not fit single precision (does a scaler help?), or its import is wrong",
            file=file,
        )


def read_program(request: Request, ctx: Context) -> ModuleOp:
    """The program of a request as it is imported, on reals if its formats are to be chosen anew."""
    from tinyml.dialects import tdsl
    from tinyml.lowering import pipelines
    from tinyml.tools.driver.stages import load_program
    from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass

    program = load_program(request.model, ctx) if request.module is None else request.module.clone()
    if request.quantization == ANEW and tdsl.has_formats(program):
        pipelines.run(program, ctx, [LiftToRealsPass()])
    return program


def adapt_interface(program: ModuleOp, request: Request, ctx: Context) -> None:
    """Give an imported program the class names, outputs, axes and unit of the input that a request asks for."""
    from tinyml.lowering import pipelines
    from tinyml.transforms.formats.name_classes import NameClassesPass
    from tinyml.transforms.formats.order_input import OrderInputPass
    from tinyml.transforms.reals.fold_input_unit import FoldInputUnitPass
    from tinyml.transforms.simplify import SimplifyPass

    pipelines.run(program, ctx, [NameClassesPass(request.classes, request.outputs)])
    pipelines.run(program, ctx, [OrderInputPass(request.input_order, request.input)])
    if request.input_unit is not None:
        pipelines.run(program, ctx, [SimplifyPass(), FoldInputUnitPass(request.input_unit)])


def _load_data(request: Request, program: ModuleOp, kept: bool) -> Data:
    """The data on which a program is evaluated, and of which a few samples are measured."""
    from tinyml.dialects import tdsl
    from tinyml.runtime.model.program_data import load_program_data, random_data

    if kept and request.search is not None:
        raise InputError(
            "the model keeps its number formats: --search needs --quantization anew", file=str(request.model)
        )
    if kept and not tdsl.is_mixed(program) and _asks_for_format(request):
        raise InputError(
            "the model keeps its number formats: --format, --width and --weights need --quantization anew",
            file=str(request.model),
        )
    if request.val is None and (not kept or (tdsl.is_mixed(program) and _asks_for_format(request))):
        raise InputError("number formats are chosen on data: give --val", file=str(request.model))
    files = [load_program_data(program, str(file)) for file in (request.val, request.test) if file is not None]
    return files[-1] if files else random_data(program, MEASURED_SAMPLES)


def _asks_for_format(request: Request) -> bool:
    """True for an option that says in which format to compute."""
    return request.format not in (USUAL_FORMAT, AUTO_FORMAT) or any((request.width, request.weights, request.functions))


def _measure(
    folder: Path, compiled: Compiled, board: Board, data: Data, optimize: str
) -> tuple[Measured, Mismatch | None]:
    from tinyml.tools.driver.measure import run_on_device

    inputs = data.x[:MEASURED_SAMPLES]
    limits = {"flash": board.flash, "ram": board.ram}
    return run_on_device(folder, compiled.formats, inputs, target=board.name, optimize=f"-{optimize}", **limits)


def _ram_with_stack(folder: Path, compiled: Compiled, board: Board, data: Data, optimize: str) -> int:
    """The RAM of a program whose stack overflows: as on a larger board with the same core, or else as estimated."""
    from tinyml.tools.driver.limits import ram_of

    if board.larger is None:
        return max(ram_of(compiled, board.name), (board.ram or 0) + 1)
    measured, _ = _measure(folder, compiled, board_named(board.larger), data, optimize)
    return measured.static_bytes + measured.stack_bytes
