"""Packages of a program that was compiled before."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from tinyml.dialects.errors import InputError
from tinyml.targets.chip import SERIAL
from tinyml.tools.driver.output_folder import FILES, SAMPLES, found_report, seal_folder
from tinyml.tools.driver.packages.packaging_table import packaging_names, packagings_for


def repack(source: Path, folder: Path, names: Sequence[str] | None, *, zipped: bool) -> None:
    """Replace the packages in the copy of an output folder. names: the wanted ones, by default the usual ones.

    Raises `InputError` as `packagings_for` does.
    """
    from tinyml.dialects.context import context
    from tinyml.runtime.model.program_data import load_program_data
    from tinyml.targets.registry import board
    from tinyml.tools.driver.packages.packaged_model import packaged_model
    from tinyml.tools.driver.packages.write_packages import write_packages
    from tinyml.tools.driver.stages import load_program

    if (report := found_report(source)) is None:
        raise InputError("expected a folder written by tinyml compile", file=str(source))
    target = board(report["target"])
    packagings = packagings_for(target, names, zipped=zipped, loaded=report["load_weights"])
    for name in packaging_names():
        shutil.rmtree(folder / name, ignore_errors=True)
    if packagings:
        formats = load_program(source / "ir" / "1-formats.mlir", context())
        samples = load_program_data(formats, str(source / SAMPLES)).x
        model = packaged_model(folder, formats, target, samples, serial=report["input"] == SERIAL)
        write_packages(folder, model, packagings, zipped=zipped)
    seal_folder(folder, {name: value for name, value in report.items() if name != FILES})
