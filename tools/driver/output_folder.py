"""The output folder of `tinyml compile`: its files, and the report, which lists the hash of every file."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError, squeeze
from tinyml.dialects.lazy_numpy import np
from tinyml.dialects.package_metadata import DISTRIBUTION
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import in_file_order, stored_samples
from tinyml.runtime.readers.protected_files import note_input, release_input
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.targets.c.interface_data import SUFFIX
from tinyml.targets.c.print_c import binary_files, print_c
from tinyml.tools.cli.atomic_output import is_inside, write_file
from tinyml.tools.driver.build_products import products_among
from tinyml.tools.reports.facts.answers import wrong_samples
from tinyml.tools.reports.report_fields import check_report
from tinyml.tools.reports.report_views import Report

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.runtime.model.data import Data
    from tinyml.tools.driver.compiled_program import Compiled
    from tinyml.tools.driver.measure import Accuracy

REPORT = "report.json"

_WRITER, FILES = "tinyml", "files"
"""The report fields with the version of tinyml that wrote it, and with the SHA-256 of every file by name."""

MEASURED_SAMPLES = 5
"""Number of inputs that are run on the device for the report."""

SAMPLES = "samples.npz"
"""The file of these inputs."""

ERRORS = "errors.npz"
"""The file of misclassified samples, and of samples whose class differs from that of the float model."""

REPORT_PAGE = "report.html"

PROOFS = "proofs.json"
"""The file of the findings of `tinyml prove` about the program, as its `--json` prints them."""

PICTURES = "pictures"
"""The folder of the figures, one SVG file per name."""


def write_sources(folder: Path, compiled: Compiled, data: Data) -> None:
    """Write NAME.c, NAME.h, NAME.json, NAME.v for hardware, the program's further files, the IR of every level and the
    measured samples.
    """
    name = interface_of(compiled.formats).name
    files = {f"{name}.c": compiled.source, f"{name}.h": compiled.header}
    files[f"{name}{SUFFIX}"] = print_c(compiled.program, context(), compiled.options.target, "interface")
    files |= {} if compiled.verilog is None else {f"{name}.v": compiled.verilog}
    files |= {f"ir/{stage.file}": stage.text for stage in compiled.stages}
    write_inside(folder, files)
    write_inside(folder, binary_files(compiled.program))
    _write_arrays(folder, SAMPLES, {"x": stored_samples(compiled.formats, data.x[:MEASURED_SAMPLES])})


def write_errors(folder: Path, compiled: Compiled, data: Data, accuracies: Accuracy) -> dict[str, NDArray[Any]]:
    """Write some samples that the program misclassifies or classifies differently from the model on reals, and return
    the written arrays (`reports.facts.answers`). If there are no such samples, write nothing and return an empty
    dictionary.
    """
    if accuracies.answers is None:
        return {}
    if not len(which := wrong_samples(data.y, *accuracies.answers)):
        return {}
    reals, formats = (answers[which] for answers in accuracies.answers)
    shown = np.stack([*data.x[which], np.fmin.reduce(data.x), np.fmax.reduce(data.x)])
    *x, least, greatest = in_file_order(compiled.formats, shown).reshape(len(shown), *(data.shape or (-1,)))
    arrays = {"sample": which, "x": np.stack(x), "least": least, "greatest": greatest}
    arrays |= {"float": reals, "compiled": formats}
    arrays |= {} if data.y is None else {"y": data.y[which]}
    _write_arrays(folder, ERRORS, arrays)
    return arrays


def _write_arrays(folder: Path, name: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    write_inside(folder, {name: content.getvalue()})


def write_inside(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files of an output folder, by their relative names. Every write to an output folder uses this function.

    Raises `InputError`, before any file is written, for a name that leads out of the folder, and if a file cannot be
    written.
    """
    for name in files:
        if not is_inside(name):
            raise InputError(f"{squeeze(name)!r} is not a file inside the folder", file=str(folder))
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, content)


def read_report(folder: Path) -> dict[str, Any]:
    """Read the report in a folder written by `tinyml compile`; all files of the folder count as inputs of the command.

    Raises `InputError` for any other folder, for a report of another version of tinyml, and for a report with fields of
    wrong types.
    """
    report = readable_report(folder)
    if report is None or not {"target", "optimize"} <= report.keys():
        raise InputError("expected a folder written by tinyml compile", file=str(folder))
    for name in _files(folder):
        note_input(folder / name)
    check_report(report, str(folder / REPORT))
    return report


def seal_folder(folder: Path, report: Mapping[str, Any]) -> None:
    """Write the report to a folder that contains only output; the report includes the list of files.

    The list includes the report itself with the hash of its other fields. Raises `InputError` if the report cannot be
    written.
    """
    own = {_WRITER: version(DISTRIBUTION), **report}
    files = {name: _digest(folder / name) for name in sorted(_files(folder)) if name != REPORT}
    text = json.dumps({**own, FILES: {**files, REPORT: _own_digest(own)}}, indent=2)
    write_inside(folder, {REPORT: text + "\n"})


def read_fields(folder: Path) -> Report:
    """The fields of the report in a folder; raises `InputError` as `read_report` does."""
    return Report.of(read_report(folder))


def add_to_folder(folder: Path, texts: Mapping[str, str]) -> None:
    """Write or replace files in an output folder, and list them in its report.

    Other files keep their listed hashes, so that changes to them are still detected. Raises `InputError` if a file
    cannot be written, and also, before any file is written, if a file to replace was modified.

    texts: the texts of the files, by their names in the folder.
    """
    report = readable_report(folder) or {}
    require_as_written(folder, texts)
    for name in texts:
        release_input(folder / name)
    write_inside(folder, texts)
    if (listed := _listed(report)) is not None:
        digests = {**listed, **{name: _digest(folder / name) for name in texts}}
        release_input(folder / REPORT)
        write_inside(folder, {REPORT: json.dumps({**report, FILES: digests}, indent=2) + "\n"})


def require_as_written(folder: Path, names: Iterable[str]) -> None:
    """Raise `InputError` if one of the named files in an output folder, which a command replaces, is modified."""
    report = readable_report(folder) or {}
    for name in names:
        path = folder / name
        if (path.is_symlink() or path.exists()) and not is_as_written(folder, report, name):
            raise InputError("was changed or was not written by tinyml: move it to another folder", file=str(path))


def _listed(report: Mapping[str, Any]) -> dict[str, Any] | None:
    listed = report.get(FILES)
    return cast("dict[str, Any]", listed) if isinstance(listed, dict) else None


def listed_files(report: Mapping[str, Any]) -> Sequence[str]:
    """The files of an output folder that its report lists, except the report."""
    return sorted((_listed(report) or {}).keys() - {REPORT})


def is_as_written(folder: Path, report: Mapping[str, Any], name: str) -> bool:
    """Whether a file in an output folder has the hash that the report lists."""
    listed = _listed(report)
    return listed is not None and _digest(folder / name) == listed.get(name, "")


def removable_files(inputs: Sequence[Path]) -> Callable[[Path], Sequence[str]]:
    """The function that checks an output folder before a command with these input files replaces it.

    The check returns the files of the folder, the report last, without those that build tools wrote (`kept_files`). It
    raises `InputError`, with the reason, if the folder is neither empty nor an unmodified output of tinyml, or contains
    an input.
    """

    def check(folder: Path) -> Sequence[str]:
        for file in inputs:
            if file.resolve().is_relative_to(folder.resolve()):
                raise InputError(f"contains the input {file}: choose another folder", file=str(folder))
        if not any(folder.iterdir()):
            return ()
        report = readable_report(folder)
        if report is None or _WRITER not in report or (listed := _listed(report)) is None:
            raise InputError("already exists and was not written by tinyml", file=str(folder))
        kept = {*_products(folder, report)}
        del report[FILES]
        found: list[str] = []
        for name in _files(folder):
            if name in kept:
                continue
            if name not in listed:
                raise InputError(f"contains {name}, not written by tinyml: choose another folder", file=str(folder))
            digest = _own_digest(report) if name == REPORT else _digest(folder / name)
            if digest != listed[name]:
                raise InputError(f"contains {name}, which was changed: choose another folder", file=str(folder))
            found.append(name)
        return sorted(found, key=REPORT.__eq__)

    return check


def kept_files(folder: Path) -> Sequence[str]:
    """The files of an output folder that build tools wrote. They are moved to the output that replaces the folder.

    Files with the name of one of ours are not among them.
    """
    report = readable_report(folder)
    return () if report is None else _products(folder, report)


def drop_files(folder: Path, files: Iterable[str]) -> None:
    """Remove files, links and empty folders, relative to a folder, and folders that are empty then."""
    for file in files:
        path = folder / file
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()
        for parent in Path(file).parents[:-1]:
            if not any((folder / parent).iterdir()):
                (folder / parent).rmdir()


def _products(folder: Path, report: Mapping[str, Any]) -> Sequence[str]:
    listed = _listed(report) or {}
    name = report.get("name")
    others = [Path(file).as_posix() for file in _files(folder) if file not in listed]
    programs = report.get("programs")
    names = cast("list[str]", programs) if isinstance(programs, list) else ()
    return products_among(others, name if isinstance(name, str) else None, names)


def readable_report(folder: Path) -> dict[str, Any] | None:
    """The report in a folder, which lists the folder's files; None for a folder without a readable report."""
    try:
        report = json.loads(read_bytes(folder / REPORT, "report"))
    except (InputError, ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", report) if isinstance(report, dict) else None


def _files(folder: Path) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(parent, name))]
        for name in (*files, *links):
            yield os.path.relpath(os.path.join(parent, name), folder)
        if not folders and not files:
            yield os.path.relpath(parent, folder)


def _digest(file: Path) -> str | None:
    """The SHA-256 of a regular file; None for a link and any other kind of file. Raises `InputError` for a file that
    cannot be read.
    """
    if not file.is_file() or file.is_symlink():
        return None
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(file)) from error


def _own_digest(report: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(report, sort_keys=True).encode()).hexdigest()
