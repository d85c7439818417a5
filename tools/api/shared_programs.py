"""`tinyml.compile` of a list: several programs for one board, which share RAM and equal constants."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Sequence
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.targets.c.names import model_name
from tinyml.tools.api.arguments import python_terms
from tinyml.tools.api.program import Program
from tinyml.tools.api.wake_words import wake_words
from tinyml.tools.cli.atomic_output import atomic_folder
from tinyml.tools.driver.compile_model import compile_model
from tinyml.tools.driver.output_folder import kept_files, removable_files, seal_folder
from tinyml.tools.driver.packages.write_packages import package_joined
from tinyml.tools.driver.shared_programs import SharedPrograms, join_programs
from tinyml.tools.reports.report_views import Report
from tinyml.tools.reports.tables import print_program

if TYPE_CHECKING:
    from tinyml.tools.driver.request import Request


class JoinedPrograms:
    """Programs that share an arena, and the folder with their C code.

    programs: the programs. Each computes the same results as it does alone.
    needs: the bytes of memory that the programs need together, and the arena that each needs alone. `print` of this
        object shows both.
    """

    def __init__(self, programs: Sequence[Program], folder: Path, needs: SharedPrograms) -> None:
        self.programs, self.folder, self.needs = programs, folder, needs

    @property
    def name(self) -> str:
        """The name of the C file and of the header that includes the headers of all programs."""
        return self.needs.name

    @property
    def c(self) -> str:
        """The C source of all programs, `NAME.c`. A device needs this file and the headers in the folder."""
        return (self.folder / f"{self.name}.c").read_text("utf-8")

    def save(self, folder: str | Path, *, packages: Sequence[str] | None = None, zip: bool = False) -> Path:
        """Write the folder that `tinyml compile --with` writes, completely or not at all, and return its path.

        packages: folders for other tools, as for `Program.save`; each has a subfolder for each program. What the tools
            have built in it stays.
        zip: true to also write the Arduino libraries as .zip files.

        Raises `InputError` for a folder that is neither empty nor an unmodified output of tinyml, and for a packaging
        that does not support the programs.
        """
        with python_terms({}), atomic_folder(Path(folder), removable_files([]), kept_files) as new:
            shutil.copytree(self.folder, new, dirs_exist_ok=True)
            sources = [program.folder for program in self.programs]
            package_joined(new, sources, self.needs.files, packages, zipped=zip)
            seal_folder(new, self.needs.as_json())
        return Path(folder)

    def __repr__(self) -> str:
        return "\n".join(self.needs.lines())


def joined_programs(programs: Sequence[Program], name: str | None) -> JoinedPrograms:
    """Join programs and return the result.

    name: the name of the C file; by default the names of the programs, joined by underscores.

    Raises `InputError` as `join_programs` does.
    """
    home = Path(tempfile.mkdtemp(prefix="tinyml-"))
    folders = [program.folder for program in programs]
    try:
        with python_terms({}):
            needs = copy_context().run(join_programs, folders, home / "programs", name)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise
    joined = JoinedPrograms(programs, home / "programs", needs)
    weakref.finalize(joined, shutil.rmtree, home, ignore_errors=True)
    return joined


def compile_with(request: Request, others: Sequence[Path]) -> None:
    """Compile a model, join it with other programs in the folder of the request, and print the bytes that they need.

    others: folders that `tinyml compile` wrote, or model files that need no data and are compiled for the same board.

    If all files are wake words of microWakeWord, they become one program with one front end. Raises `InputError` as
    `join_programs` and `compile_model` do.
    """
    if all(file.suffix == ".json" for file in (request.model, *others)):
        model = wake_words([request.model, *others], name=request.name)
        print_program(Report.of(compile_model(replace(request, module=model.module, name=model_name(model.name)))))
        return
    with temporary_folder() as temporary:
        folders = [temporary / "0"]
        compile_model(replace(request, out=folders[0], packages=()))
        for number, other in enumerate(others, 1):
            folders.append(other if other.is_dir() else temporary / str(number))
            if not other.is_dir():
                alone = type(request)(model=other, out=folders[-1], target=request.target, packages=())
                compile_model(replace(alone, optimize=request.optimize))
        inputs = [*request.inputs, *others]
        options: dict[str, Any] = {"packages": request.packages, "zipped": request.zip}
        print(*join_programs(folders, request.out, None, inputs, **options).lines(), sep="\n")
