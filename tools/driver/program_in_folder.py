"""The program in an output folder of `tinyml compile`, made again from its IR for whatever builds or explains it.

The C, the header, the hardware module and the weights are made again from the IR at L2, with the options in the report,
and a folder with others is refused. Hashes beside them would prove nothing: whoever writes a file can write its hash.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.lowering import pipelines
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import files_of_device
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.targets.c.print_c import loaded_content, print_c, sources_of_lines
from tinyml.targets.chip import WEIGHTS
from tinyml.targets.registry import HOST, board
from tinyml.tools.driver.backend import backend_of
from tinyml.tools.driver.output_folder import PROOFS, SAMPLES, found_report, is_as_written, read_report
from tinyml.tools.driver.stages import FORMATS_TO_BUFFERS, load_program, print_ir
from tinyml.transforms.ir.pipeline_names import BITS_TO_C, BUFFERS_TO_LOOPS, LOOPS_TO_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.targets.board import Board


@dataclass(frozen=True)
class ProgramInFolder:
    """A program in a folder written by `tinyml compile`, whose files are what its IR gives.

    formats, buffers, loops, program: its modules at L1, L2, L3 and L5, where ops have the names of their source
    operations from L2 on. hardware: its module for an FPGA, None for other boards. files: the contents of NAME.c and
    NAME.h, of NAME.v of hardware, and NAME.weights if any.
    """

    folder: Path
    report: dict[str, Any]
    board: Board
    formats: ModuleOp
    buffers: ModuleOp
    loops: ModuleOp
    program: ModuleOp
    hardware: ModuleOp | None
    files: Mapping[str, bytes]

    @cached_property
    def name(self) -> str:
        return interface_of(self.formats).name

    @cached_property
    def samples(self) -> NDArray[Any]:
        """The real inputs that its report was measured on."""
        from tinyml.runtime.model.program_data import load_program_data

        return load_program_data(self.formats, str(self.folder / SAMPLES)).x

    @property
    def proofs(self) -> Mapping[str, Any] | None:
        """What `tinyml prove` found about it; None if it was not asked, or if its file was changed."""
        if not is_as_written(self.folder, found_report(self.folder) or {}, PROOFS):
            return None
        return json.loads(read_bytes(self.folder / PROOFS, "proofs"))

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the C file."""
        return self.files[f"{self.name}.c"].decode().split("\n")

    @cached_property
    def sources(self) -> dict[int, tuple[str, ...]]:
        """The source operation and its step of each line of the C file."""
        return sources_of_lines(self.program, self.board.name)

    @contextmanager
    def to_build(self, device: str = HOST) -> Generator[Path]:
        """A temporary folder with nothing but the files for a device, which a compiler may be given.

        In the folder itself, any other file would be compiled with them, and a header found before the compiler's own.
        """
        files = files_of_device(device, self, self.files)
        with temporary_folder() as folder:
            for name, content in files.items():
                (folder / name).write_bytes(content)
            yield folder


def program_in(folder: Path) -> ProgramInFolder:
    """The program in a folder.

    Raises `InputError` for a folder that `tinyml compile` did not write, and for files that its IR does not give.
    """
    report = read_report(folder)
    chosen, ctx, options = board(report["target"]), context(), lowering_options(report)
    formats = load_program(folder / _FORMATS, ctx)
    buffers = load_program(folder / _BUFFERS, ctx)
    name_operations(buffers)
    loops = buffers.clone()
    pipelines.run(loops, ctx, pipelines.flatten(BUFFERS_TO_LOOPS, options), of_user=True)
    program = loops.clone()
    pipelines.run(program, ctx, pipelines.flatten(LOOPS_TO_BITS, options), of_user=True)
    backend = backend_of(chosen)
    hardware = None if backend is None else backend.module_of(program.clone(), ctx, options)
    pipelines.run(program, ctx, pipelines.flatten(BITS_TO_C, options), of_user=True)
    name = interface_of(formats).name
    files = {f"{name}.{suffix}": print_c(program, ctx, chosen.name, file).encode() for suffix, file in _C_FILES.items()}
    if backend is not None and hardware is not None:
        files[f"{name}.v"] = backend.text_of(hardware).encode()
    if (content := loaded_content(program)) or (folder / f"{name}{WEIGHTS}").exists():
        files[f"{name}{WEIGHTS}"] = content
    for file, content in files.items():
        if read_bytes(folder / file, _KINDS[Path(file).suffix]) != content:
            what = _KINDS[Path(file).suffix]
            message = f"is not the {what} that ir/2-buffers.mlir gives: compile the model again"
            raise InputError(message, file=str(folder / file))
    return ProgramInFolder(folder, report, chosen, formats, buffers, loops, program, hardware, files)


def require_chain(found: ProgramInFolder) -> None:
    """Raise `InputError` unless the buffers of a program, from which its C is made, are what its formats give.

    A statement about the program at L1 is one about the C only then. Lowering takes as long as it did in `compile`.
    """
    lowered = found.formats.clone()
    pipelines.run(
        lowered, context(), pipelines.flatten(FORMATS_TO_BUFFERS, lowering_options(found.report)), of_user=True
    )
    if print_ir(lowered) != read_bytes(found.folder / _BUFFERS, "program").decode("utf-8", "replace"):
        message = (
            f"is not what {_FORMATS} gives, so that nothing about the C follows from that: compile the model again"
        )
        raise InputError(message, file=str(found.folder / _BUFFERS))


_FORMATS, _BUFFERS = "ir/1-formats.mlir", "ir/2-buffers.mlir"
_C_FILES = {"c": "source", "h": "header"}
_KINDS = {".c": "C", ".h": "header", ".v": "hardware module", WEIGHTS: "weights"}


def lowering_options(report: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a report with which a program at L1 was lowered."""
    # The entry `functions` of a report holds errors of functions, not the scheme; that stands in the IR.
    names = {option.name for option in options_of(PipelineOptions)} - {"functions"}
    return {"flash": report.get("flash_within")} | {name: report[name] for name in names & report.keys()}
