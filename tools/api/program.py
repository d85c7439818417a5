"""Compiled programs, which `tinyml.compile` returns and `tinyml.open` loads from a folder, and their measurements."""

from __future__ import annotations

import inspect
import shutil
import warnings
from collections.abc import Sequence
from contextvars import copy_context
from dataclasses import replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.extensions import imported
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.options import options_of
from tinyml.dialects.tdsl.interface import read_interface
from tinyml.runtime.evaluator.evaluator import Outputs, in_reals
from tinyml.runtime.readers.protected_files import note_input, protect_inputs
from tinyml.tools.api.arguments import checked_values, in_python, python_terms, text
from tinyml.tools.api.loading import class_labels, feature_names
from tinyml.tools.api.runs import Explanation, Measurements, evaluated, explained, figure, listened, measured
from tinyml.tools.cli.atomic_output import atomic_folder
from tinyml.tools.driver.beyond_range import beyond_range
from tinyml.tools.driver.output_folder import PICTURES, drop_files, kept_files, read_fields, removable_files
from tinyml.tools.driver.packages.write_packages import repack
from tinyml.tools.driver.run_request import RunRequest
from tinyml.tools.driver.stages import load_program
from tinyml.tools.reports.facts.figures import spell_format
from tinyml.tools.reports.report_views import Report, notebook_table
from tinyml.transforms.formats.evaluation.metrics import r_squared

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from xdsl.dialects.builtin import ModuleOp

    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.heard import Heard

_NO_FILES: Sequence[Path] = ()

_DETECTION = "tinyml.tools.driver.detection"
_HEARD_IN = "tinyml.tools.driver.listen:heard_in"
_EXPLAIN = "tinyml.tools.driver.explain_model"


class CompileWarning(UserWarning):
    """A warning about an avoidable loss of accuracy, time or memory, or about a fault of the data, with advice.

    `compile` issues one for each entry of `Report.warnings`. The methods of a `Program` issue one if many of their
    inputs lie outside the range of the program's formats.
    """


class Program:
    """A compiled model and its folder, which contains the same files as the output folder of `tinyml compile`.

    folder: the folder with the C files, the IR of every level and the report.
    inputs: the user's files that the compilation read, which `save` does not overwrite.
    """

    def __init__(self, folder: Path, inputs: Sequence[Path] = _NO_FILES) -> None:
        self.folder = folder
        self._inputs = inputs

    @cached_property
    def report(self) -> Report:
        """The report: formats, accuracy, sizes, times. `print` shows the text that `tinyml compile` prints.

        The lines and warnings of the report name Python arguments instead of command-line options. Raises `InputError`
        for a report of another version of tinyml.
        """
        report = read_fields(self.folder)
        warnings = [{key: in_python(text) for key, text in warning.items()} for warning in report.warnings]
        return replace(report, lines=[*map(in_python, report.lines)], warnings=warnings)

    @property
    def name(self) -> str:
        """The name of the model. The names of all C functions begin with it."""
        return self.report.name

    @property
    def c(self) -> str:
        """The C source, `NAME.c`. A device needs only this file and the header `h`."""
        return (self.folder / f"{self.name}.c").read_text("utf-8")

    @property
    def h(self) -> str:
        """The C header, `NAME.h`, which declares the functions."""
        return (self.folder / f"{self.name}.h").read_text("utf-8")

    @property
    def pictures(self) -> dict[str, str]:
        """The figures of the report as SVG, by name: `memory`, `time`, `formats`, `loops` and others."""
        return {file.stem: file.read_text("utf-8") for file in sorted((self.folder / PICTURES).glob("*.svg"))}

    @cached_property
    def classes(self) -> list[str | int] | None:
        """The labels of the classes in order; None for a model without labels, which has class indices."""
        return class_labels(self._formats)

    @cached_property
    def feature_names(self) -> list[str] | None:
        """The names of the features in order, if the model or the data frame passed to `compile` has them; otherwise
        None.
        """
        return feature_names(self._formats)

    @property
    def threshold(self) -> float | None:
        """The score below which a detector reports an anomaly; None for any other model."""
        return read_interface(self._formats).threshold

    def predict(self, X: object, *, raw: bool = False) -> NDArray[Any]:
        """Predict the class or the values of each input (samples, ...), with the bits that the device computes.

        X: real numbers of any numeric type, in an array, a data frame with the columns of the training data, or lists.
            For a program with an input unit, integers are sensor readings, and floats are the reals that the readings
            represent.
        raw: true if X contains raws of the program's input, the integers that the C function reads.

        The evaluator runs all samples at once. A classifier returns the class labels (samples,), or class indices if
        the model has no labels. A detector returns 1 for normal samples and -1 for anomalies, (samples,). Any other
        model returns its values, (samples,) or (samples, values). Issues a `CompileWarning` if more than 1 % of the
        numbers lie far outside the range of the input format, for example because a scaler was forgotten; a detector
        issues none. Raises `InputError` for inputs that do not match the model.
        """
        outputs = self._evaluate(X, raw)
        if self.threshold is not None:
            return np.where(imported(f"{_DETECTION}:anomalies")(self._formats, outputs, self.threshold), -1, 1)
        if outputs.labels is None:
            return self._scores(outputs)
        return outputs.labels if self.classes is None else np.asarray(self.classes)[outputs.labels]

    def scores(self, X: object, *, raw: bool = False) -> NDArray[np.float64]:
        """The scores that determine `predict`, as real numbers: (samples,) for a single score, otherwise (samples,
        scores).

        X, raw: as for `predict`.

        Raises `InputError` for inputs that do not match the model, and for a model that returns only a class.
        """
        return self._scores(self._evaluate(X, raw))

    def raw_scores(self, X: object, *, raw: bool = False) -> NDArray[Any]:
        """The scores that the C function returns, (samples, scores): integers, or floats for a program in floats.

        X, raw: as for `predict`.

        Raises `InputError` as `scores` does.
        """
        outputs = self._evaluate(X, raw)
        if outputs.scores is None:
            raise self._no_scores()
        return outputs.scores

    def score_samples(self, X: object, *, raw: bool = False) -> NDArray[np.float64]:
        """The scores of a detector (samples,), greater for more normal samples.

        X, raw: as for `predict`.

        Raises `InputError` for inputs that do not match the model, and for a model that is not a detector.
        """
        self._require_detector()
        return self.scores(X, raw=raw)

    def decision_function(self, X: object, *, raw: bool = False) -> NDArray[np.float64]:
        """The scores of a detector (samples,) minus the threshold, which is rounded to the format of the scores.

        The difference is negative for samples that `predict` reports as anomalies.

        X, raw: as for `predict`.

        Raises `InputError` as `score_samples` does.
        """
        rounded = imported(f"{_DETECTION}:rounded_threshold")
        return self.scores(X, raw=raw) - rounded(self._formats, self._require_detector())

    def score(self, X: object, y: object, *, metric: str | None = None, raw: bool = False) -> float:
        """The accuracy of `predict` on the classes y, or on 1 and -1 for a detector; R² for a regressor.

        If a program returns a score for each class, but no class, the greatest score determines the class. R² is 1 -
        sum((y - predicted)²) / sum((y - mean of y)²), averaged over several values. For constant y, R² is 1 if all
        predictions are exact and otherwise 0, as in scikit-learn.

        metric: another metric, such as `"f1"`, or `"f1:CLASS"` for one class (docs/searches.md).
        X, raw: as for `predict`.
        y: as for `compile`: class labels in any type that represents them, class indices if the labels are texts, or
            values.

        Raises `InputError` as `predict` does, for y that contains neither classes of the model nor values, and for a
        metric that does not apply to the model or y.
        """
        if y is None:
            raise InputError("expected an array, got None", file="y")
        outputs, data = self._evaluate_with(X, y, raw)
        if metric is not None:
            return figure(self._formats, text("metric", metric), outputs, data)
        if data.y is not None:
            return float((outputs.classes == data.y).mean())
        targets = data.targets
        assert targets is not None
        if self.threshold is not None:
            return float(
                (
                    imported(f"{_DETECTION}:anomalies")(self._formats, outputs, self.threshold) == (targets[:, 0] < 0)
                ).mean()
            )
        return r_squared(self._scores(outputs).reshape(targets.shape), targets)

    def measure(
        self,
        X: object = None,
        *,
        board: str | None = None,
        limit: int | None = None,
        optimize: str | None = None,
        raw: bool = False,
    ) -> Measurements:
        """Build the program, run it on the simulated board and compare every raw output with the evaluator's output.

        X, raw: as for `predict`, by default the samples measured for the report.
        limit: the maximum number of samples, counted from the first.
        board: by default the board of the compilation.
        optimize: the optimisation level of the C compiler.

        Raises `InputError` if programs of the board cannot run on this computer, for example without the board's
        compiler or simulator, its subclass `MismatchError` if an output differs, and `TypeError` for an argument of the
        wrong type.
        """
        options = checked_values("measure", {"limit": limit, "optimize": optimize}, options_of(RunRequest))
        options["optimize"] = options.get("optimize") or self.report.optimize.removeprefix("-")
        device = self.report.target if board is None else text("board", board)
        return measured(self.folder, self._formats, X, device, raw=raw, **options)

    def listen(
        self, samples: object, *, rate: float | None = None, board: str | None = None, raw: bool = False
    ) -> Heard:
        """Run a streaming program over a recording, without a reset.

        samples, raw: a recording (samples,), scaled as the training data, of the types that `predict` accepts.
        rate: samples per second, by default the rate of the program's front end.
        board: a simulated board; by default the program runs on this computer.

        Raises `InputError` for a program that does not stream or was compiled for another rate, for a recording that is
        not one row of numbers (of integers if `raw` is true), is too short or contains NaN or infinity, and if the
        board's tools are missing.
        """
        return listened(self.folder, self._formats, samples, rate, board, raw=raw)

    def explain(self) -> Explanation:
        """Break down time, flash and RAM by operation. `str` of the result is what `tinyml open --text` prints.

        Raises `InputError` if the board's tools are missing, and for a board without a profiler.
        """
        return explained(self.folder)

    def save(
        self,
        folder: str | Path,
        *,
        packages: Sequence[str] | None = None,
        zip: bool = False,
        force: bool = False,
    ) -> Path:
        """Write the folder that `tinyml compile -o` writes, completely or not at all, and return its path.

        packages: folders for other tools, such as ["arduino", "cmake"]: the values of `--package`, with the same
            default.
        zip: true to also write the Arduino library as a .zip file.
        force: true to follow links that lead out of their folder.

        An earlier output is replaced if it is unmodified; what CMake, Arduino, PlatformIO and other tools have built in
        it stays. Raises `InputError` for any other folder that is not empty,
        for a folder that contains an input, and if the folder cannot be written.
        """

        def write() -> None:
            protect_inputs(force)
            for file in self._inputs:
                note_input(file)
            with atomic_folder(Path(folder), removable_files(self._inputs), kept_files) as new:
                # Links of build tools may lead to nothing, or to folders.
                shutil.copytree(self.folder, new, symlinks=True, dirs_exist_ok=True)
                drop_files(new, kept_files(self.folder))
                repack(self.folder, new, packages, zipped=zip)

        with python_terms({}):
            copy_context().run(write)
        return Path(folder)

    def __repr__(self) -> str:
        return f"<tinyml.Program {self.name!r} for {self.report.target}: {spell_format(self.report)}>"

    def _repr_html_(self) -> str:
        pictures = (
            f"<details><summary>{escape(name)}</summary>{svg[svg.index('<svg') :]}</details>"
            for name, svg in self.pictures.items()
        )
        return notebook_table(self.report) + "".join(pictures)

    @cached_property
    def _formats(self) -> ModuleOp:
        return load_program(self.folder / "ir" / "1-formats.mlir", context())

    def _require_detector(self) -> float:
        if self.threshold is None:
            raise InputError(
                f"the model '{self.name}' detects no anomalies: false_alarms=0.01 makes a detector of one score"
            )
        return self.threshold

    def _evaluate(self, X: object, raw: bool) -> Outputs:
        return self._evaluate_with(X, None, raw)[0]

    def _evaluate_with(self, X: object, y: object, raw: bool) -> tuple[Outputs, Data]:
        """Run the program on X. Return its outputs, and the data that consist of X and the classes or values y, as
        `compile` interprets them.

        raw: as for `predict`.

        Raises `InputError` if X is None, and for data that do not match the model.
        """
        return evaluated(self._formats, X, y, raw, self._heed_range)

    def _heed_range(self, data: Data) -> None:
        """Issue a `CompileWarning` if many inputs lie far outside the range of the input format. For a detector, none
        is issued, since such inputs are expected.
        """
        found = None if self.threshold is not None else beyond_range(self._formats, data.x)
        if found is not None and found.notable:
            cure = "scale X like X_val, compile the scaler with the model, or pass raw=True for raws"
            warnings.warn(f"X: {found}: {cure}", CompileWarning, stacklevel=_caller())

    def _scores(self, outputs: Outputs) -> NDArray[np.float64]:
        if outputs.scores is None:
            raise self._no_scores()
        scores = in_reals(self._formats, outputs).scores
        assert scores is not None
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _no_scores(self) -> InputError:
        return InputError(f"the model '{self.name}' returns a class and no scores")


def open(folder: str | Path) -> Program:
    """Open a folder that `tinyml compile` or `Program.save` wrote; raises `InputError` for any other folder."""
    program = Program(Path(folder))
    with python_terms({}):
        _ = program.report
    return program


def _caller() -> int:
    """The stack level, for a warning, of the first caller outside this folder."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and Path(frame.f_code.co_filename).parent == Path(__file__).parent:
        level, frame = level + 1, frame.f_back
    return level
