"""Export of models to the file formats of other tools."""

from __future__ import annotations

from pathlib import Path

from tinyml.dialects.context import context
from tinyml.lowering.exporters import EXPORTERS
from tinyml.tools.cli.atomic_output import write_file
from tinyml.tools.driver.stages import load_program


def export_model(model: Path, to: str, out: Path) -> None:
    """Write a model in the format of another tool.

    to: the name of an exporter.
    """
    write_file(out, EXPORTERS.get(to)(load_program(model, context())))
