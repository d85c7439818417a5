"""Compilation of a model: the ordered steps from the model file to a folder with code and report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp, StringAttr

from tinyml.dialects import tdsl
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.formats.lookup import USUAL_FORMAT, format_named
from tinyml.dialects.modules import is_installed
from tinyml.dialects.plugins import provider
from tinyml.dialects.rows import functions_of_options
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
from tinyml.targets.c.names import check_model_name, is_other_file
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
    Measured,
    Mismatch,
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
from tinyml.tools.driver.packages.packaging import Packaging, packaged_model
from tinyml.tools.driver.packages.packaging_table import packagings_for
from tinyml.tools.driver.packages.write_packages import write_packages
from tinyml.tools.driver.pass_effects import pass_effects
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
from tinyml.transforms.reals.roll_steps import RollStepsPass
from tinyml.transforms.schedules.table import AUTO
from tinyml.transforms.simplify import SimplifyPass

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.passes import ModulePass

    from tinyml.targets.board import Board
    from tinyml.tools.driver.compiled_program import Compiled

_, ANEW = QUANTIZATION


def check_options(compilation: Compilation) -> None:
    """Raise `InputError` for options and files with which no model can be compiled, before a model is read."""
    request, board, ctx = compilation.request, compilation.board, compilation.ctx
    if request.input == SERIAL and not board.arduino and board.name != HOST:
        raise InputError(f"the serial port of {board.name} is unknown: define the function of --input {CALLBACK}")
    if request.input == SERIAL and request.load_weights:
        raise InputError(f"--load-weights: the sketch for rows receives no weights: use --input {CALLBACK}")
    for check, _ in functions_of_options("compile.check", request):
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


def read_model(compilation: Compilation) -> None:
    """Import the program and set the requested interface; a program with state becomes a stream.

    Raises `InputError` for a program with state and an option that contradicts streaming, and for a model that cannot
    be imported.
    """
    compilation.progress.step("reading")
    compilation.program = read_program(compilation.request, compilation.ctx)
    if tdsl.read_input(compilation.program).pushed is not None:
        if compilation.request.input not in (MEMORY, PUSH) or compilation.request.stride is not None:
            option = "--input" if compilation.request.stride is None else "--stride"
            raise InputError(
                f"the model has a state and answers each frame that is pushed: omit {option}",
                file=str(compilation.request.model),
            )
        compilation.request = replace(compilation.request, input=PUSH)
        _check_stream(compilation.request)
        if compilation.request.val is not None:
            set_steps = imported("tinyml.transforms.formats.set_steps:SetStepsPass")
            pipelines.run(compilation.program, compilation.ctx, [set_steps(str(compilation.request.val))])
    compilation.kept = tdsl.has_formats(compilation.program)
    # The estimator's predictions are those of the imported program, before passes change its results.
    if compilation.request.input_unit is None:
        compilation.own = predictor_of(compilation.request.module or compilation.program)
        compilation.imported = None if compilation.own is None else compilation.program.clone()
    adapt_interface(compilation.program, compilation.request, compilation.ctx)


def read_program(request: Request, ctx: Context) -> ModuleOp:
    """The imported program of a request; it is on reals if its formats will be chosen again."""
    with reading(detector=request.false_alarms is not None):
        program = load_program(request.model, ctx) if request.module is None else request.module.clone()
    if request.quantization == ANEW and tdsl.has_formats(program):
        pipelines.run(program, ctx, [LiftToRealsPass(), RollStepsPass()])
    function = predict_function(program)
    if request.name is not None:
        function.sym_name = StringAttr(request.name)
    elif is_other_file(function.sym_name.data):
        # A file of the model would hide or replace the other one.
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


def check_formats(compilation: Compilation) -> None:
    """Raise `InputError` for options that a model with number formats does not support, and for a missing data set."""
    request, file = compilation.request, str(compilation.request.model)
    mixed = compilation.kept and tdsl.is_mixed(compilation.program)
    if compilation.kept and request.search is not None:
        raise InputError("the model keeps its number formats: --search needs --quantization anew", file=file)
    if compilation.kept and not mixed and request.weights_for is None and _asks_for_format(request):
        raise InputError(
            "the model keeps its number formats: --format, --width and --weights need --quantization anew", file=file
        )
    if compilation.kept and not mixed and request.weights_margin is not None:
        raise InputError("the model keeps its number formats: --weights-margin needs --quantization anew", file=file)
    if compilation.kept and (request.measure or request.measured is not None):
        raise InputError("the model keeps its number formats: --measure needs --quantization anew", file=file)
    if request.val is None and (not compilation.kept or (mixed and _asks_for_format(request))):
        raise InputError("choosing number formats needs data: add --val", file=file)


def _asks_for_format(request: Request) -> bool:
    return request.format not in (USUAL_FORMAT, AUTO_FORMAT) or any(
        (request.width, request.weights, request.functions, request.scale_by)
    )


def load_data(compilation: Compilation) -> None:
    """Load the data sets. The data for evaluation are those of `--test`, by default those of `--val`, and random inputs
    if neither option is given.
    """
    files = [file for file in (compilation.request.val, compilation.request.test) if file is not None]
    read = [load_program_data(compilation.program, str(file)) for file in files]
    compilation.val = None if compilation.request.val is None else read[0]
    compilation.data = read[-1] if read else random_data(compilation.program, MEASURED_SAMPLES)


def check_metric(compilation: Compilation) -> None:
    """Raise `InputError` for a metric that the program or the data do not support, before a search begins."""
    request = compilation.request
    if request.metric is None or not _has_figure(request.metric):
        return
    for file, data in ((request.val, compilation.val), (request.test, compilation.data)):
        if file is not None and data is not None and not compilation.kept:
            try:
                metric_measure(request.metric, compilation.program, data)
            except InputError as error:
                raise InputError(error.message, file=str(file)) from error


def _has_figure(metric: str) -> bool:
    """Whether a metric is computed from all outputs together."""
    return metric_named(metric).figure is not None


def compare_with_estimator(compilation: Compilation) -> None:
    """Raise `InputError` for a program whose predictions differ from the predictions of its source estimator."""
    if compilation.own is not None and compilation.imported is not None:
        given = compilation.data.x if compilation.data.precise is None else compilation.data.precise
        check_predictions(compilation.imported, compilation.own, given, str(compilation.request.model))


def compile_levels(compilation: Compilation) -> None:
    """Compile the program through all levels, with the requested number formats or the formats that `auto` chooses."""
    compilation.progress.step("compiling")
    with watched(compilation.progress) as compilation.account:
        if compilation.must_fit:
            require_room(compilation.program, compilation.ctx, compilation.request, compilation.board)
        chooses = compilation.request.is_auto and not compilation.kept
        if chooses:
            choose = imported(f"{CHOICE}:compile_choice")
            compilation.compiled, compilation.request, compilation.choice = choose(
                compilation.program, compilation.ctx, compilation.request, compilation.board
            )
        # The candidates of `auto` have no margins.
        if not chooses or compilation.request.weights_margin is not None:
            compilation.compiled, compilation.request = compile_asked(
                compilation.program,
                compilation.ctx,
                compilation.request,
                compilation.board,
                must_fit=compilation.must_fit,
            )


def keep_within_cells(compilation: Compilation) -> None:
    """Compile hardware again until its unrolled loops use at most the permitted share of the cells; no effect for
    processors.

    Raises `InputError` if the program must fit, but the hardware has more cells than the FPGA.
    """
    if (backend := backend_of(compilation.board)) is None:
        return
    compilation.progress.step(f"counting cells of {compilation.board.name}")
    options, chosen = compilation.request.pipeline_options(compilation.board), compilation.compiled

    def again(cells: int) -> Compiled:
        return compile_bits_again(chosen, replace(options, cells=cells))

    compilation.compiled, cells, compilation.hardware = backend.compile_within_cells(
        chosen, options.cells, compilation.board, again, route=compilation.request.route
    )
    compilation.request = replace(compilation.request, cells=cells)
    if compilation.must_fit:
        backend.require_cells(compilation.hardware, compilation.board, str(compilation.request.model))


def note_effects(compilation: Compilation) -> None:
    """Note what each pass did, if this is requested."""
    if compilation.shows_effects:
        compilation.effects = pass_effects(compilation)


def write_code(compilation: Compilation) -> None:
    """Write the C, the hardware module, the IR of every level and the measured samples."""
    compilation.progress.step("writing C")
    write_sources(compilation.folder, compilation.compiled, compilation.data)


def compare_with_reals(compilation: Compilation) -> None:
    """Compare the outputs of the program and of the program on reals for the data, and detect faults of the data.

    No effect without data.
    """
    request = compilation.request
    if request.val is None and request.test is None:
        return
    compilation.progress.step(f"evaluating {len(compilation.data)} samples")
    # Passes round the factors that they fold into constants, such as scales of features: the reference is the model
    # without them. A model that was trained for its formats is its own reference.
    reals = compilation.compiled.reals
    if not compilation.kept or tdsl.read_interface(compilation.program).quantised:
        reals = with_outputs(compilation.program, compilation.ctx, request.compile_options["outputs"])
    compilation.accuracies = accuracy(reals, compilation.compiled.formats, compilation.data)
    if request.metric is not None and _has_figure(request.metric):
        assert compilation.accuracies.outputs is not None
        figures = metric_figures(
            request.metric, reals, compilation.compiled.formats, compilation.accuracies.outputs, compilation.data
        )
        compilation.accuracies = replace(compilation.accuracies, metric=figures)
    if compilation.val is not None:
        test = None if request.test is None else compilation.data
        compilation.faults = data_faults(reals, compilation.val, test, chosen=not compilation.kept)


def compare_with_wide_sums(compilation: Compilation) -> None:
    """Compare a program that rounds partial sums with the same program without this rounding; no effect for other
    programs.
    """
    if compilation.compiled.unrounded is not None:
        compilation.rounding = rounding_loss(
            compilation.compiled.unrounded, compilation.compiled.formats, compilation.data
        )


def measure(compilation: Compilation) -> None:
    """Run the program on the device, if its tools are installed.

    Raises `InputError` for a program whose stack exceeds the free RAM.
    """
    name = compilation.board.name
    if not runners.is_available(name):
        why = chip_of(name).not_run or f"{name} is not installed"
        compilation.progress.step(f"not measured: {why}")
        return
    compilation.progress.step(f"measuring on {name}")
    try:
        compilation.measured, compilation.mismatch = _measured_on(compilation.board, compilation)
    except FullStackError as error:
        if not compilation.must_fit:
            raise
        needs = Needs(0, _ram_with_stack(compilation), 0, compilation.compiled.buffers)
        raise does_not_fit(
            compilation.program, compilation.ctx, compilation.request, compilation.board, needs
        ) from error


def _measured_on(board: Board, compilation: Compilation) -> tuple[Measured, Mismatch | None]:
    limits = {"flash": board.flash, "ram": board.ram}
    how: dict[str, Any] = {
        "optimize": f"-{compilation.request.optimize}",
        "evaluated": compilation.accuracies.outputs,
        **limits,
    }
    return run_on_device(
        compilation.folder, compilation.compiled.formats, compilation.samples, target=board.name, **how
    )


def _ram_with_stack(compilation: Compilation) -> int:
    """The RAM of a program whose stack overflows, measured on a larger board with the same core, or else estimated."""
    if (larger := compilation.board.larger) is None:
        return max(ram_of(compilation.compiled, compilation.board.name), (compilation.board.ram or 0) + 1)
    measured, _ = _measured_on(board_named(larger), compilation)
    return measured.ram_bytes


def find_faster(compilation: Compilation) -> None:
    """Find a program that takes less than a third of the time and differs by one option. No effect if the choice of
    formats is not installed.
    """
    if is_installed(CHOICE):
        compilation.faster = imported(_FASTER)(compilation)


_FASTER = "tinyml.tools.driver.choice.faster_programs:faster_program"


def write_packagings(compilation: Compilation) -> None:
    """Write the requested packages for other tools, unless the device's outputs differ."""
    if not compilation.packagings or compilation.mismatch is not None:
        return
    serial, expected = compilation.request.input == SERIAL, compilation.measured and compilation.measured.outputs
    formats = compilation.compiled.formats
    model = packaged_model(
        compilation.folder, formats, compilation.board, compilation.samples, serial=serial, expected=expected
    )
    write_packages(compilation.folder, model, compilation.packagings, zipped=compilation.request.zip)


def make_report(compilation: Compilation) -> None:
    """Create the report."""
    if compilation.choice is None:
        compilation.report = write_report(compilation, None, ())
        return
    report = imported("tinyml.tools.driver.choice.choice_report")
    chosen, lines = (
        report.choice_report(compilation.choice, compilation.request),
        report.choice_lines(compilation.choice, compilation.board.unit),
    )
    compilation.report = write_report(compilation, chosen, lines)


def require_limits(compilation: Compilation) -> None:
    """Raise `InputError` for a program that needs more memory than the request allows or the board has."""
    if not compilation.must_fit:
        return
    flash, limit = compilation.report.flash_bytes or 0, compilation.request.flash
    if compilation.choice is not None and limit is not None and flash > limit:
        raise InputError(f"the program needs {flash:,} bytes of flash, --flash allows {limit:,}")

    def helps(flash: int, ram: int) -> Sequence[str]:
        needs = Needs(flash, ram, compilation.report.constants_bytes, compilation.compiled.buffers)
        return remedies(compilation.program, compilation.ctx, compilation.request, compilation.board, needs)

    require_fit(compilation.report, compilation.board, helps)


def write_pages(compilation: Compilation) -> None:
    """Write the report page, its figures and the samples that it shows as misclassified, if pages are requested."""
    if not compilation.pages:
        return
    wrong = write_errors(compilation.folder, compilation.compiled, compilation.data, compilation.accuracies)
    if is_installed(_PAGES):
        write_inside(compilation.folder, imported(_PAGES)(compilation, wrong))


_PAGES = "tinyml.tools.driver.output_pages:pages_at_hand"
"""The extension that generates the report page and its figures."""


def seal(compilation: Compilation) -> None:
    """Write the report, with the list of all files, as the last file of the folder."""
    seal_folder(compilation.folder, compilation.report.as_json())


def require_equal(compilation: Compilation) -> None:
    """Raise `MismatchError`, with the plug-ins that define ops, if the outputs of board and evaluator differ."""
    plugins = {
        f"{op.name} is of {plugin}" for op in compilation.program.walk() if (plugin := provider(type(op).__module__))
    }
    mismatch = compilation.report.mismatch and "; ".join((compilation.report.mismatch, *sorted(plugins)))
    check_equal(mismatch, compilation.board.name, compilation.request.model)


STEPS: Sequence[Callable[[Compilation], None]] = (
    check_options,
    read_model,
    check_formats,
    load_data,
    check_metric,
    compare_with_estimator,
    compile_levels,
    keep_within_cells,
    note_effects,
    write_code,
    compare_with_reals,
    compare_with_wide_sums,
    measure,
    find_faster,
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
    shows_effects: bool = False,
) -> Compilation:
    """Compile and measure a model into an existing empty folder, through all `STEPS`.

    must_fit: raise `InputError` for a model that does not fit the board. If arena and input exceed the board's RAM,
        they are reduced (`compile_within_ram`), unless a search has already limited them.
    packagings: the packages that are also written to the folder.
    pages: write the report page and its figures.
    shows_effects: note what each pass did.

    If the tools of the device are not installed, the model is compiled without measurements. Raises `MismatchError`,
    once the folder is complete, if the outputs of board and evaluator differ.
    """
    # Arrays are small: synchronising further threads of the numeric libraries would take longer than the computation.
    steps = 5 if board.fabric is None else 6
    with _keeping(request.cache), Progress(str(request.model), steps) as progress, one_thread():
        compilation = Compilation(
            requested=request,
            board=board,
            folder=folder,
            must_fit=must_fit,
            packagings=packagings,
            pages=pages,
            progress=progress,
            shows_effects=shows_effects,
        )
        for step in STEPS:
            step(compilation)
    return compilation


def compile_model(request: Request, show_effect: Callable[[str], None] | None = None) -> dict[str, Any]:
    """Compile and measure a model, write the folder and return the report.

    show_effect: receives a line for each pass (`pass_effects`) after the compilation; None to omit these lines.

    Raises `InputError` for bad input and for a model that does not fit the board; no folder is written then. If the
    outputs of board and evaluator differ, the folder is written before `MismatchError` is raised.
    """
    mismatch: MismatchError | None = None
    report: dict[str, Any] = {}
    for changed, _ in functions_of_options("compile.request", request):
        request = changed(request)
    chosen = board_named(request.target)
    for changed, value in functions_of_options("compile.board", request):
        chosen = changed(chosen, value)
    kept = {"loaded": request.load_weights, "bound": request.weights_at is not None}
    packagings = packagings_for(chosen, request.packages, zipped=request.zip, **kept)
    with atomic_folder(request.out, removable_files(request.inputs), kept_files) as folder:
        try:
            compilation = build_folder(
                request,
                chosen,
                folder,
                must_fit=True,
                packagings=packagings,
                pages=True,
                shows_effects=show_effect is not None,
            )
            report = compilation.report.as_json()
            for line in compilation.effects:
                assert show_effect is not None
                show_effect(line)
        except MismatchError as error:
            mismatch = error
    if mismatch is not None:
        raise MismatchError(mismatch.message, file=str(request.out)) from mismatch
    return report
