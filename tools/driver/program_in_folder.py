"""The program in an output folder of `tinyml compile`, regenerated from its IR for tools that build or explain it.

The C, the header, the hardware module and the weights are regenerated from the IR at L2, with the options in the
report. A folder with different files is rejected. Hashes in the folder would prove nothing, since anyone who can write
a file can also write its hash.
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
from tinyml.lowering.loops.operation_names import name_operations
from tinyml.lowering.options import PipelineOptions
from tinyml.runtime.devices.registry import files_of_device
from tinyml.runtime.model.model_interface import interface_of
from tinyml.runtime.model.program_data import load_program_data
from tinyml.runtime.model.temporary_folder import temporary_folder
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.targets.c.print_c import binary_files, print_c, sources_of_lines
from tinyml.targets.chip import WEIGHTS
from tinyml.targets.registry import HOST, board
from tinyml.tools.driver.backend import backend_of
from tinyml.tools.driver.output_folder import PROOFS, SAMPLES, is_as_written, read_report, readable_report
from tinyml.tools.driver.stages import FORMATS_TO_BUFFERS, VerifiedPrograms, load_program, lowered, print_ir
from tinyml.transforms.ir.pipeline_names import BITS_TO_C, BUFFERS_TO_LOOPS, LOOPS_TO_BITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyml.targets.board import Board


@dataclass(frozen=True)
class ProgramInFolder:
    """A program in a folder written by `tinyml compile`; the program's IR generates the files.

    formats, buffers, loops, program: the modules at L1, L2, L3 and L5; from L2 on, ops have the names of their source
        operations.
    hardware: the module for an FPGA; None for other boards.
    files: the contents of NAME.c, NAME.h and NAME.json, of NAME.v for hardware, and of NAME.weights if any.
    report: the content of report.json.
    board: the board of the compilation.
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
        """The few inputs with which the compilation measured the program: reals, shape (samples, elements)."""
        return load_program_data(self.formats, str(self.folder / SAMPLES)).x

    @property
    def proofs(self) -> Mapping[str, Any] | None:
        """The findings of `tinyml prove` for the program; None if there are none, or if their file was modified."""
        if not is_as_written(self.folder, readable_report(self.folder) or {}, PROOFS):
            return None
        return json.loads(read_bytes(self.folder / PROOFS, "proofs"))

    @cached_property
    def lines(self) -> list[str]:
        return self.files[f"{self.name}.c"].decode().split("\n")

    @cached_property
    def sources(self) -> dict[int, tuple[str, ...]]:
        """The source operation of each line of the C file, with the step of the operation, by line number."""
        return sources_of_lines(self.program, self.board.name)

    @contextmanager
    def to_build(self, device: str = HOST) -> Generator[Path]:
        """A context that yields a temporary folder with only the files for a device, as input for a compiler.

        In the output folder itself, the compiler would also compile other files, and would find headers there before
        the program's headers.
        """
        files = files_of_device(device, self, self.files)
        with temporary_folder() as folder:
            for name, content in files.items():
                (folder / name).write_bytes(content)
            yield folder


def program_in(folder: Path) -> ProgramInFolder:
    """Regenerate the program in a folder.

    Raises `InputError` for a folder that `tinyml compile` did not write, and for files that differ from the files that
    the folder's IR generates.
    """
    report = read_report(folder)
    chosen, ctx, options = board(report["target"]), context(), lowering_options(report)
    formats = load_program(folder / _FORMATS, ctx)
    buffers = load_program(folder / _BUFFERS, ctx)
    name_operations(buffers)
    looped = lowered(VerifiedPrograms(ctx, of_user=True).of(buffers), BUFFERS_TO_LOOPS, options)
    bits = lowered(looped, LOOPS_TO_BITS, options)
    backend = backend_of(chosen)
    hardware = None if backend is None else backend.module_of(bits.copy(), ctx, options)
    loops, program = looped.module, lowered(bits, BITS_TO_C, options).module
    name = interface_of(formats).name
    files = {f"{name}.{suffix}": print_c(program, ctx, chosen.name, file).encode() for suffix, file in _C_FILES.items()}
    if backend is not None and hardware is not None:
        files[f"{name}.v"] = backend.text_of(hardware).encode()
    files |= binary_files(program)
    if (folder / (weights := f"{name}{WEIGHTS}")).exists():
        files.setdefault(weights, b"")
    for file, content in files.items():
        if read_bytes(folder / file, _KINDS[Path(file).suffix]) != content:
            what = _KINDS[Path(file).suffix]
            message = f"is not the {what} of ir/2-buffers.mlir: compile the model again"
            raise InputError(message, file=str(folder / file))
    return ProgramInFolder(folder, report, chosen, formats, buffers, loops, program, hardware, files)


def require_chain(program: ProgramInFolder) -> None:
    """Raise `InputError` unless lowering a program from L1 yields the buffers in the folder, from which its C is
    generated.

    Only then do statements about the program at L1 apply to the C. The lowering takes as long as in `compile`.
    """
    formats = VerifiedPrograms(context(), of_user=True).of(program.formats)
    buffers = lowered(formats, FORMATS_TO_BUFFERS, lowering_options(program.report))
    if print_ir(buffers.module) != read_bytes(program.folder / _BUFFERS, "program").decode("utf-8", "replace"):
        message = f"does not match {_FORMATS}, so it does not describe the C: compile the model again"
        raise InputError(message, file=str(program.folder / _BUFFERS))


_FORMATS, _BUFFERS = "ir/1-formats.mlir", "ir/2-buffers.mlir"
_C_FILES = {"c": "source", "h": "header", "json": "interface"}
_KINDS = {".c": "C", ".h": "header", ".json": "interface", ".v": "hardware module", WEIGHTS: "weights", ".blob": "blob"}


def lowering_options(report: Mapping[str, Any]) -> dict[str, Any]:
    """The options in a report that determined the lowering from L1."""
    # The entry `functions` of a report contains errors of functions, not the scheme, which the IR contains.
    names = {option.name for option in options_of(PipelineOptions)} - {"functions", "weights_for", "memory"}
    given = {"flash": report.get("flash_within"), "memory": stated_memory(report)}
    return given | {name: report[name] for name in names & report.keys()}


def stated_memory(report: Mapping[str, Any]) -> str | None:
    """The value of `--memory` in a report, whose entry `memory` contains the memory map; None without the option."""
    memory_map: dict[str, Any] = report.get("memory") or {}
    return memory_map.get("stated")
