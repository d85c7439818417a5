"""The folders of packages below the output folder, and their archives."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tinyml.tools.cli.atomic_file import write_file

if TYPE_CHECKING:
    from tinyml.tools.driver.packages.packaged_model import PackagedModel
    from tinyml.tools.driver.packages.packaging import Packaging

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of all files in archives, so that equal contents make equal archives: the first that the format knows."""


def write_packages(folder: Path, model: PackagedModel, packagings: Sequence[Packaging], *, zipped: bool) -> None:
    """Write the folder of each packaging, and its archive `NAME.zip` if it has one and that is asked for."""
    for packaging in packagings:
        contents = {Path(path): text.encode() for path, text in packaging.files(model).items()}
        for path, content in contents.items():
            file = folder / packaging.name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            write_file(file, content)
        if zipped and packaging.archive is not None:
            name = packaging.archive(model)
            packed = {path: content for path, content in contents.items() if path.parts[0] == name}
            write_file(folder / packaging.name / f"{name}.zip", _archive(packed))


def _archive(contents: dict[Path, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(path.as_posix(), _LONG_AGO)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()
