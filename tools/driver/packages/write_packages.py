"""The folders that packagings write to an output folder, and their archives."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.runtime.model.program_data import load_program_data
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.chip import SERIAL
from tinyml.targets.registry import board
from tinyml.tools.driver.output_folder import FILES, SAMPLES, read_report, readable_report, seal_folder, write_inside
from tinyml.tools.driver.packages.packaging import PackagedModel, Packaging, packaged_model
from tinyml.tools.driver.packages.packaging_table import packaging_names, packagings_for
from tinyml.tools.driver.stages import load_program

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time stamp of files in archives: the earliest of the format, so that equal contents create equal archives."""


def write_packages(
    folder: Path, model: PackagedModel, packagings: Sequence[Packaging], *, zipped: bool, within: str = ""
) -> None:
    """Write the folder of each packaging and, if requested, the archive `NAME.zip` of each packaging that has archives.

    zipped: true to write archives.
    within: a subfolder of the folder of each packaging; an empty text for none.

    Raises `InputError` if the folder of a packaging already exists.
    """
    for packaging in packagings:
        to = folder / packaging.name / within
        if to.exists():
            raise InputError(
                f"--package {packaging.name}: the folder has a {packaging.name} of its own", file=str(folder)
            )
        contents = {Path(path): text.encode() for path, text in packaging.files(model).items()}
        write_inside(to, {str(path): content for path, content in contents.items()})
        if zipped and packaging.archive is not None:
            name = packaging.archive(model)
            packed = {path: content for path, content in contents.items() if path.parts[0] == name}
            write_inside(to, {f"{name}.zip": _archive(packed)})


def package_joined(
    folder: Path,
    sources: Sequence[Path],
    files: Mapping[str, Mapping[str, str]],
    names: Sequence[str] | None,
    *,
    zipped: bool,
) -> None:
    """Write the packages of programs that share an arena, each to a subfolder with the name of the program.

    folder: the output folder of the programs, which has no report yet.
    sources: the output folder of each program alone.
    files: by program, the contents of NAME.c, NAME.h and NAME.json for a folder of its own.
    names: the requested packagings; None for the default packagings.

    Raises `InputError` as `packagings_for` does.
    """
    for source in sources:
        report = read_report(source)
        target = board(report["target"])
        packagings = packagings_for(target, names, zipped=zipped)
        if not packagings:
            continue
        formats = load_program(source / "ir" / "1-formats.mlir", context())
        samples = load_program_data(formats, str(source / SAMPLES)).x
        with temporary_folder() as alone:
            write_inside(alone, files[report["name"]])
            model = packaged_model(alone, formats, target, samples, serial=False)
            write_packages(folder, model, packagings, zipped=zipped, within=model.name)


def _archive(contents: dict[Path, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(path.as_posix(), _LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def repack(source: Path, folder: Path, names: Sequence[str] | None, *, zipped: bool) -> None:
    """Replace the packages in a copy of an output folder, and update the list of files in the report of the copy.

    names: the requested packagings; None for the default packagings.
    source: the output folder that was copied.
    zipped: true to write archives.

    Raises `InputError` for a source that `tinyml compile` did not write, and as `packagings_for` does.
    """
    if (report := readable_report(source)) is None:
        raise InputError("expected a folder written by tinyml compile", file=str(source))
    target = board(report["target"])
    packagings = packagings_for(
        target, names, zipped=zipped, loaded=report["load_weights"], bound=report["weights_at"] is not None
    )
    for name in packaging_names():
        shutil.rmtree(folder / name, ignore_errors=True)
    if packagings:
        formats = load_program(source / "ir" / "1-formats.mlir", context())
        samples = load_program_data(formats, str(source / SAMPLES)).x
        model = packaged_model(folder, formats, target, samples, serial=report["input"] == SERIAL)
        write_packages(folder, model, packagings, zipped=zipped)
    seal_folder(folder, {name: value for name, value in report.items() if name != FILES})
