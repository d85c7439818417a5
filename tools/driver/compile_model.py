"""Compilation of a model: the ordered steps from the model file to a folder with code and report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import StringAttr

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named
from tinyml.dialects.modules import is_installed
from tinyml.dialects.own_rows import of_options
from tinyml.dialects.plugins import provider
from tinyml.lowering import pipelines
from tinyml.lowering.added_steps import check_parts
from tinyml.lowering.frontends.importers import reading
from tinyml.lowering.frontends.model_predictions import predictor_of
from tinyml.lowering.frontends.sklearn.predictions import check_predictions
from tinyml.lowering.options import AUTO_FORMAT
from tinyml.runtime.devices import registry as runners
from tinyml.runtime.devices.device import FullStackError
from tinyml.runtime.evaluator.evaluator import predict_function
from tinyml.runtime.evaluator.threads import one_thread
from tinyml.runtime.model.program_data import load_program_data, random_data
from tinyml.runtime.readers.arrays import check_npz
from tinyml.targets.c.header_names import is_header
from tinyml.targets.c.names import check_model_name
from tinyml.targets.chip import CALLBACK, MEMORY, PUSH, SERIAL
from tinyml.targets.registry import HOST, chip_of
from tinyml.targets.registry import board as board_named
from tinyml.tools.cli.atomic_output import atomic_folder
from tinyml.tools.cli.progress import Progress
from tinyml.tools.driver.backend import backend_of
from tinyml.tools.driver.compilation import Compilation
from tinyml.tools.driver.compile_program import CHOICE, compile_asked, does_not_fit, remedies, require_room
from tinyml.tools.driver.data_faults import data_faults
from tinyml.tools.driver.limits import Needs, ram_of
from tinyml.tools.driver.measure import (
    MismatchError,
    accuracy,
    check_equal,
    metric_figures,
    metric_measure,
    rounding_loss,
    run_on_device,
)
from tinyml.tools.driver.output_folder import (
    MEASURED_SAMPLES,
    kept_files,
    removable_files,
    seal_folder,
    write_errors,
    write_inside,
    write_sources,
)
from tinyml.tools.driver.packages.packaging import packaged_model
from tinyml.tools.driver.packages.packaging_table import packagings_for
from tinyml.tools.driver.packages.write_packages import write_packages
from tinyml.tools.driver.request import QUANTIZATION, Request, watched
from tinyml.tools.driver.stages import compile_bits_again, load_program, with_outputs
from tinyml.tools.reports.report import require_fit, write_report
from tinyml.transforms.formats.assign_format import weights_beside
from tinyml.transforms.formats.assignment.format_options import check_scheme, scaling_rule
from tinyml.transforms.formats.evaluation.metrics import metric_named
from tinyml.transforms.formats.lift_to_reals import LiftToRealsPass
from tinyml.transforms.formats.name_classes import NameClassesPass
from tinyml.transforms.formats.order_input import OrderInputPass
from tinyml.transforms.programs.kept_facts import kept_in
from tinyml.transforms.reals.answer_values import AnswerValuesPass
from tinyml.transforms.reals.decide_class import DecideClassPass
from tinyml.transforms.schedules.table import AUTO
from tinyml.transforms.simplify import SimplifyPass

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from tinyml.targets.board import Board
    from tinyml.tools.driver.compiled_program import Compiled
    from tinyml.tools.driver.measure import Measured, Mismatch
    from tinyml.tools.driver.packages.packaging import Packaging

_, ANEW = QUANTIZATION


def check_options(made: Compilation) -> None:
    """Raise `InputError` for options and files with which no model can be compiled, before a model is read."""
    request, board, ctx = made.request, made.board, made.ctx
    if request.input == SERIAL and not board.arduino and board.name != HOST:
        raise InputError(f"the serial port of {board.name} is unknown: define the function of --input {CALLBACK}")
    if request.input == SERIAL and request.load_weights:
        raise InputError(f"--load-weights: the sketch for rows receives no weights: use --input {CALLBACK}")
    for check, _ in of_options("compile.check", request):
        check(request, board)
    _check_stream(request)
    options = request.pipeline_options(board)
    check_parts(vars(options))
    if request.search is not None:
        request.search.search_pass(options).check(ctx)
    else:
        prototype = format_named(ctx, options.format, options.width)
        check_scheme(prototype, options.format, options.functions)
        scaling_rule(prototype, options.format, options.scale_by)
    if options.weights is not None:
        weights_beside(ctx, options.weights, options.format)
    if request.input_unit is not None:
        imported("tinyml.dialects.tdsl.sensor_units:InputUnit").parse(request.input_unit, None)
    if request.name is not None:
        check_model_name(request.name)
    for file in (request.val, request.test):
        if file is not None:
            check_npz(file, "data")
    if request.route:
        if (backend := backend_of(board)) is None:
            raise InputError(f"--route is for programmable logic, which {board.name} is not")
        backend.check_route(board)


def _check_stream(request: Request) -> None:
    if request.input == PUSH and (request.plan != AUTO or request.reuse_input):
        option = "--reuse-input" if request.reuse_input else "--plan"
        raise InputError(f"--input {PUSH} runs row by row and stores one frame in the arena: omit {option}")


def read_model(made: Compilation) -> None:
    """Import the program and set the requested interface; a program with state becomes a stream.

    Raises `InputError` for a program with state and an option that contradicts streaming, and for a model that cannot
    be imported.
    """
    made.progress.step("reading")
    made.program = read_program(made.request, made.ctx)
    if tdsl.read_input(made.program).pushed is not None:
        if made.request.input not in (MEMORY, PUSH) or made.request.stride is not None:
            option = "--input" if made.request.stride is None else "--stride"
            raise InputError(
                f"the model has a state and answers each frame that is pushed: omit {option}",
                file=str(made.request.model),
            )
        made.request = replace(made.request, input=PUSH)
        _check_stream(made.request)
        if made.request.val is not None:
            set_steps = imported("tinyml.transforms.formats.set_steps:SetStepsPass")
            pipelines.run(made.program, made.ctx, [set_steps(str(made.request.val))])
    made.kept = tdsl.has_formats(made.program)
    # The estimator's predictions are those of the imported program, before passes change its results.
    if made.request.input_unit is None:
        made.own = predictor_of(made.request.module or made.program)
        made.imported = None if made.own is None else made.program.clone()
    adapt_interface(made.program, made.request, made.ctx)


def read_program(request: Request, ctx: Context) -> ModuleOp:
    """The imported program of a request; it is on reals if its formats will be chosen again."""
    with reading(detector=request.false_alarms is not None):
        program = load_program(request.model, ctx) if request.module is None else request.module.clone()
    if request.quantization == ANEW and tdsl.has_formats(program):
        pipelines.run(program, ctx, [LiftToRealsPass()])
    function = predict_function(program)
    if request.name is not None:
        function.sym_name = StringAttr(request.name)
    elif is_header(function.sym_name.data):
        # The header of the model would hide the other one.
        function.sym_name = StringAttr(f"m_{function.sym_name.data}")
    return program


def adapt_interface(program: ModuleOp, request: Request, ctx: Context) -> None:
    """Set the requested class names, outputs, threshold, axes and unit of an imported program.

    Raises `InputError` if `--false-alarms` is requested without validation data, and for requests that the program does
    not support.
    """
    val = None if request.val is None else str(request.val)
    passes: list[ModulePass] = [AnswerValuesPass(None if request.classes is not None else val)]
    if request.false_alarms is None and predictor_of(request.module or program) is None:
        # The estimator determines whether it is a classifier.
        passes.append(DecideClassPass(val, request.classes))
    passes.append(NameClassesPass(request.classes, request.outputs))
    if request.false_alarms is not None:
        if val is None:
            raise InputError("--false-alarms needs samples: add --val")
        detector = imported("tinyml.transforms.reals.reconstruction_error:ReconstructionErrorPass")
        set_threshold = imported("tinyml.transforms.formats.set_threshold:SetThresholdPass")
        passes += [detector(request.false_alarms), set_threshold(val, request.false_alarms)]
    passes.append(OrderInputPass(request.input_order, request.input))
    if request.input_unit is not None:
        fold_unit = imported("tinyml.transforms.reals.fold_input_unit:FoldInputUnitPass")
        passes += [SimplifyPass(), fold_unit(request.input_unit)]
    pipelines.run(program, ctx, passes)


def check_formats(made: Compilation) -> None:
    """Raise `InputError` for options that a model with number formats does not support, and for a missing data set."""
    request, file = made.request, str(made.request.model)
    mixed = made.kept and tdsl.is_mixed(made.program)
    if made.kept and request.search is not None:
        raise InputError("the model keeps its number formats: --search needs --quantization anew", file=file)
    if made.kept and not mixed and request.weights_for is None and _asks_for_format(request):
        raise InputError(
            "the model keeps its number formats: --format, --width and --weights need --quantization anew", file=file
        )
    if made.kept and not mixed and request.weights_margin is not None:
        raise InputError("the model keeps its number formats: --weights-margin needs --quantization anew", file=file)
    if request.val is None and (not made.kept or (mixed and _asks_for_format(request))):
        raise InputError("choosing number formats needs data: add --val", file=file)


def _asks_for_format(request: Request) -> bool:
    return request.format not in (USUAL_FORMAT, AUTO_FORMAT) or any(
        (request.width, request.weights, request.functions, request.scale_by)
    )


def load_data(made: Compilation) -> None:
    """Load the data sets. The data for evaluation are those of `--test`, by default those of `--val`, and random inputs
    if neither option is given.
    """
    files = [file for file in (made.request.val, made.request.test) if file is not None]
    read = [load_program_data(made.program, str(file)) for file in files]
    made.val = None if made.request.val is None else read[0]
    made.data = read[-1] if read else random_data(made.program, MEASURED_SAMPLES)


def check_metric(made: Compilation) -> None:
    """Raise `InputError` for a metric that the program or the data do not support, before a search begins."""
    request = made.request
    if request.metric is None or not _has_figure(request.metric):
        return
    for file, data in ((request.val, made.val), (request.test, made.data)):
        if file is not None and data is not None and not made.kept:
            try:
                metric_measure(request.metric, made.program, data)
            except InputError as error:
                raise InputError(error.message, file=str(file)) from error


def _has_figure(metric: str) -> bool:
    """Whether a metric is computed from all outputs together."""
    return metric_named(metric).figure is not None


def compare_with_estimator(made: Compilation) -> None:
    """Raise `InputError` for a program whose predictions differ from the predictions of its source estimator."""
    if made.own is not None and made.imported is not None:
        given = made.data.x if made.data.precise is None else made.data.precise
        check_predictions(made.imported, made.own, given, str(made.request.model))


def compile_levels(made: Compilation) -> None:
    """Compile the program through all levels, with the requested number formats or the formats that `auto` chooses."""
    made.progress.step("compiling")
    with watched(made.progress) as made.account:
        if made.must_fit:
            require_room(made.program, made.ctx, made.request, made.board)
        chooses = made.request.is_auto and not made.kept
        if chooses:
            choose = imported(f"{CHOICE}:compile_choice")
            made.compiled, made.request, made.choice = choose(made.program, made.ctx, made.request, made.board)
        # The candidates of `auto` have no margins.
        if not chooses or made.request.weights_margin is not None:
            made.compiled, made.request = compile_asked(
                made.program, made.ctx, made.request, made.board, must_fit=made.must_fit
            )


def keep_within_cells(made: Compilation) -> None:
    """Compile hardware again until its unrolled loops use at most the permitted share of the cells; no effect for
    processors.

    Raises `InputError` if the program must fit, but the hardware has more cells than the FPGA.
    """
    if (backend := backend_of(made.board)) is None:
        return
    made.progress.step(f"counting cells of {made.board.name}")
    options, chosen = made.request.pipeline_options(made.board), made.compiled

    def again(cells: int) -> Compiled:
        return compile_bits_again(chosen, replace(options, cells=cells))

    made.compiled, cells, made.hardware = backend.compile_within_cells(
        chosen, options.cells, made.board, again, route=made.request.route
    )
    made.request = replace(made.request, cells=cells)
    if made.must_fit:
        backend.require_cells(made.hardware, made.board, str(made.request.model))


def write_code(made: Compilation) -> None:
    """Write the C, the hardware module, the IR of every level and the measured samples."""
    made.progress.step("writing C")
    write_sources(made.folder, made.compiled, made.data)


def compare_with_reals(made: Compilation) -> None:
    """Compare the outputs of the program and of the program on reals for the data, and detect faults of the data.

    No effect without data.
    """
    request = made.request
    if request.val is None and request.test is None:
        return
    made.progress.step(f"evaluating {len(made.data)} samples")
    # Passes round the factors that they fold into constants, such as scales of features: the reference is the model
    # without them. A model that was trained for its formats is its own reference.
    reals = made.compiled.reals
    if not made.kept or tdsl.read_interface(made.program).quantised:
        reals = with_outputs(made.program, made.ctx, request.compile_options["outputs"])
    made.accuracies = accuracy(reals, made.compiled.formats, made.data)
    if request.metric is not None and _has_figure(request.metric):
        assert made.accuracies.outputs is not None
        figures = metric_figures(request.metric, reals, made.compiled.formats, made.accuracies.outputs, made.data)
        made.accuracies = replace(made.accuracies, metric=figures)
    if made.val is not None:
        test = None if request.test is None else made.data
        made.faults = data_faults(reals, made.val, test, chosen=not made.kept)


def compare_with_wide_sums(made: Compilation) -> None:
    """Compare a program that rounds partial sums with the same program without this rounding; no effect for other
    programs.
    """
    if made.compiled.unrounded is not None:
        made.rounding = rounding_loss(made.compiled.unrounded, made.compiled.formats, made.data)


def measure(made: Compilation) -> None:
    """Run the program on the device, if its tools are installed.

    Raises `InputError` for a program whose stack exceeds the free RAM.
    """
    name = made.board.name
    if not runners.is_available(name):
        why = chip_of(name).not_run or f"{name} is not installed"
        made.progress.step(f"not measured: {why}")
        return
    made.progress.step(f"measuring on {name}")
    try:
        made.measured, made.mismatch = _measured_on(made.board, made)
    except FullStackError as error:
        if not made.must_fit:
            raise
        needs = Needs(0, _ram_with_stack(made), 0, made.compiled.buffers)
        raise does_not_fit(made.program, made.ctx, made.request, made.board, needs) from error


def _measured_on(board: Board, made: Compilation) -> tuple[Measured, Mismatch | None]:
    limits = {"flash": board.flash, "ram": board.ram}
    how: dict[str, Any] = {"optimize": f"-{made.request.optimize}", "evaluated": made.accuracies.outputs, **limits}
    return run_on_device(made.folder, made.compiled.formats, made.samples, target=board.name, **how)


def _ram_with_stack(made: Compilation) -> int:
    """The RAM of a program whose stack overflows, measured on a larger board with the same core, or else estimated."""
    if (larger := made.board.larger) is None:
        return max(ram_of(made.compiled, made.board.name), (made.board.ram or 0) + 1)
    measured, _ = _measured_on(board_named(larger), made)
    return measured.ram_bytes


def write_packagings(made: Compilation) -> None:
    """Write the requested packages for other tools, unless the device's outputs differ."""
    if not made.packagings or made.mismatch is not None:
        return
    serial, expected = made.request.input == SERIAL, made.measured and made.measured.outputs
    formats = made.compiled.formats
    model = packaged_model(made.folder, formats, made.board, made.samples, serial=serial, expected=expected)
    write_packages(made.folder, model, made.packagings, zipped=made.request.zip)


def make_report(made: Compilation) -> None:
    """Create the report."""
    if made.choice is None:
        made.report = write_report(made, None, ())
        return
    report = imported("tinyml.tools.driver.choice.choice_report")
    chosen, lines = report.choice_report(made.choice, made.request), report.choice_lines(made.choice, made.board.unit)
    made.report = write_report(made, chosen, lines)


def require_limits(made: Compilation) -> None:
    """Raise `InputError` for a program that needs more memory than the request allows or the board has."""
    if not made.must_fit:
        return
    flash, limit = made.report.flash_bytes or 0, made.request.flash
    if made.choice is not None and limit is not None and flash > limit:
        raise InputError(f"the program needs {flash:,} bytes of flash, --flash allows {limit:,}")

    def helps(flash: int, ram: int) -> Sequence[str]:
        needs = Needs(flash, ram, made.report.constants_bytes, made.compiled.buffers)
        return remedies(made.program, made.ctx, made.request, made.board, needs)

    require_fit(made.report, made.board, helps)


def write_pages(made: Compilation) -> None:
    """Write the report page, its figures and the samples that it shows as misclassified, if pages are requested."""
    if not made.pages:
        return
    wrong = write_errors(made.folder, made.compiled, made.data, made.accuracies)
    if is_installed(_PAGES):
        write_inside(made.folder, imported(_PAGES)(made, wrong))


_PAGES = "tinyml.tools.driver.output_pages:pages_at_hand"
"""The extension that generates the report page and its figures."""


def seal(made: Compilation) -> None:
    """Write the report, with the list of all files, as the last file of the folder."""
    seal_folder(made.folder, made.report.as_json())


def require_equal(made: Compilation) -> None:
    """Raise `MismatchError`, with the plug-ins that define ops, if the outputs of board and evaluator differ."""
    plugins = {f"{op.name} is of {plugin}" for op in made.program.walk() if (plugin := provider(type(op).__module__))}
    mismatch = made.report.mismatch and "; ".join((made.report.mismatch, *sorted(plugins)))
    check_equal(mismatch, made.board.name, made.request.model)


STEPS: Sequence[Callable[[Compilation], None]] = (
    check_options,
    read_model,
    check_formats,
    load_data,
    check_metric,
    compare_with_estimator,
    compile_levels,
    keep_within_cells,
    write_code,
    compare_with_reals,
    compare_with_wide_sums,
    measure,
    write_packagings,
    make_report,
    require_limits,
    write_pages,
    seal,
    require_equal,
)
"""The steps of a compilation, in the order in which they run."""


def _keeping(folder: Path | None) -> AbstractContextManager[None]:
    """A context in which computed facts are stored in a folder, so that later compilations reuse them. If the folder is
    None, nothing is stored.
    """
    if folder is None:
        return nullcontext()
    return kept_in(folder)


def build_folder(
    request: Request,
    board: Board,
    folder: Path,
    *,
    must_fit: bool,
    packagings: Sequence[Packaging] = (),
    pages: bool = False,
) -> Compilation:
    """Compile and measure a model into an existing empty folder, through all `STEPS`.

    must_fit: raise `InputError` for a model that does not fit the board. If arena and input exceed the board's RAM,
        they are reduced (`compile_within_ram`), unless a search has already limited them.
    packagings: the packages that are also written to the folder.
    pages: write the report page and its figures.

    If the tools of the device are not installed, the model is compiled without measurements. Raises `MismatchError`,
    once the folder is complete, if the outputs of board and evaluator differ.
    """
    # Arrays are small: synchronising further threads of the numeric libraries would take longer than the computation.
    steps = 5 if board.fabric is None else 6
    with _keeping(request.cache), Progress(str(request.model), steps) as progress, one_thread():
        made = Compilation(
            requested=request,
            board=board,
            folder=folder,
            must_fit=must_fit,
            packagings=packagings,
            pages=pages,
            progress=progress,
        )
        for step in STEPS:
            step(made)
    return made


def compile_model(request: Request) -> dict[str, Any]:
    """Compile and measure a model, write the folder and return the report.

    Raises `InputError` for bad input and for a model that does not fit the board; no folder is written then. If the
    outputs of board and evaluator differ, the folder is written before `MismatchError` is raised.
    """
    mismatch: MismatchError | None = None
    report: dict[str, Any] = {}
    for changed, _ in of_options("compile.request", request):
        request = changed(request)
    chosen = board_named(request.target)
    for changed, value in of_options("compile.board", request):
        chosen = changed(chosen, value)
    kept = {"loaded": request.load_weights, "bound": request.weights_at is not None}
    packagings = packagings_for(chosen, request.packages, zipped=request.zip, **kept)
    with atomic_folder(request.out, removable_files(request.inputs), kept_files) as folder:
        try:
            made = build_folder(request, chosen, folder, must_fit=True, packagings=packagings, pages=True)
            report = made.report.as_json()
        except MismatchError as error:
            mismatch = error
    if mismatch is not None:
        raise MismatchError(mismatch.message, file=str(request.out)) from mismatch
    return report
