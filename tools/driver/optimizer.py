"""The driver behind `tinyml-opt`: xDSL's, with MLIR's spelling of pipelines, and errors that name pass and option."""

import argparse
import difflib
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, ClassVar, NoReturn, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.arg_spec import ArgSpec, ArgSpecConvertible, parse_pipeline, parse_spec
from xdsl.utils.exceptions import DiagnosticException, VerifyException
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from tinyml.dialects.context import registry
from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.dialects.own_attributes import verify_own_attributes
from tinyml.lowering.frontends.importers import MLIR, Importer, importers
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.cli.arguments import (
    LARGEST,
    ReadOptions,
    add_common_options,
    add_options,
    apply_common_options,
    check_file,
)
from tinyml.tools.cli.atomic_output import atomic_file
from tinyml.tools.cli.guard import Blame
from tinyml.tools.cli.ir_printer import IRTarget
from tinyml.tools.cli.located_parser import parse_mlir
from tinyml.tools.cli.user_errors import invalid
from tinyml.tools.universe import own_attributes

_ANCHOR = re.compile(r"(?:builtin\.module|any)\s*\((?P<body>.*)\)", re.DOTALL)

_PIECE = re.compile(
    r"""
      (?P<literal> "(?:\\.|[^"\\])*" | \[[^\]]*\] )  # a string, or the text passed on by `mlir-opt[...]`
    | (?P<space> \s+ )
    | (?P<sign> [{}=,()] )
    | (?P<word> [^\s{}=,()"\[]+ | . )
    """,
    re.VERBOSE | re.DOTALL,
)

_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_-]+|[-+][0-9]+")

_REAL = re.compile(r"(?P<whole>[-+]?[0-9]*)(\.(?P<part>[0-9]*))?(?P<power>[eE][-+]?[0-9]+)?")


class TinymlOptMain(xDSLOptMain):
    """xDSL's driver with some hooks overridden.

    Differences from xdsl-opt: `--pass-pipeline` and MLIR's spelling of pipelines; `-` for the standard streams; input
    in the languages of all frontends; output files that are written completely or not at all; errors with file, line,
    column and pass.
    """

    version_format: ClassVar[str] = "tinyml-opt on xdsl {xdsl_version}"

    line_offset: int = 0
    """Number of lines before the piece of the input file being read, with --split-input-file."""

    outputs: ExitStack
    """The context of the output file, which replaces an earlier one if no error occurs."""

    def __init__(self, args: Sequence[str], blame: Blame):
        """blame: records the input file, and the pass that is running or whose result is being verified."""
        self.blame = blame
        super().__init__("Reads a module or a model, runs passes on it and prints the result.", args)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser):
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument(
            "--pass-pipeline",
            metavar="PIPELINE",
            help="the same as -p, as MLIR spells it: builtin.module(a,b{x=1 y=2}); both options accept both spellings",
        )
        add_options(arg_parser, options_of(ReadOptions))
        add_common_options(arg_parser)
        arg_parser.error = _usage_error

    def register_all_dialects(self):
        for name, dialect in registry().all_dialects.items():
            self.ctx.register_dialect(name, dialect)

    def register_all_passes(self):
        self.available_passes = registry().all_passes

    def register_all_targets(self):
        self.available_targets = {**registry().all_targets, MLIR: lambda: IRTarget}

    def register_all_frontends(self):
        super().register_all_frontends()

        def parse_text(stream: IO[bytes]) -> ModuleOp:
            name, implicit = self.get_input_name(), not self.args.no_implicit_module
            return parse_mlir(self.ctx, stream.read(), name, line_offset=self.line_offset, implicit_module=implicit)

        def parse_with(load: Callable[[], Importer], stream: IO[bytes]) -> ModuleOp:
            try:
                return load()(stream.read(), self.get_input_name())
            except InputError as error:
                if error.line is None or not self.line_offset:
                    raise
                line = error.line + self.line_offset
                raise InputError(error.message, file=error.file, line=line, column=error.column) from error

        self.available_frontends[MLIR] = parse_text
        for suffix, load in importers().items():
            self.available_frontends[suffix] = partial(parse_with, load)

    def setup_pipeline(self):
        apply_common_options(self.args)
        mlir: str | None = self.args.pass_pipeline
        if mlir is not None:
            if self.args.passes:
                raise InputError("give either -p or --pass-pipeline, not both")
            self.args.passes = mlir
        self.args.passes = to_xdsl_pipeline(self.args.passes)
        check_pipeline(self.args.passes, self.available_passes)
        target = parse_spec(self.args.target)
        factory = self.available_targets[target.name]
        if not inspect.signature(factory).parameters:
            check_options("target", target, cast(Callable[[], type[Target]], factory)())
        super().setup_pipeline()
        # Imports the dialects, which --help does without.
        from tinyml.transforms.ir.levels import check_level

        verify_and_report = self.pipeline.callback
        assert verify_and_report is not None

        def callback(before: ModulePass | None, module: ModuleOp, after: ModulePass | None):
            verify_and_report(before, module, after)
            self.blame.running = after.name if after is not None else None
            if after is not None:
                check_level(after, module)
            verify_own_attributes(module, own_attributes)

        self.pipeline = PassPipeline(self.pipeline.passes, callback)

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        if self.args.input_file == "-":
            self.args.input_file = None
        if self.args.input_file is None:
            return super().get_input_stream()
        path = Path(self.args.input_file)
        return BytesIO(read_bytes(path, "program")), path.suffix.removeprefix(".")

    def prepare_input(self) -> tuple[list[tuple[IO[bytes], int]], str]:
        try:
            return super().prepare_input()
        except ValueError as error:
            known = ", ".join(f".{name}" for name in self.available_frontends)
            raise InputError(
                f"the file's extension says nothing about its language (known: {known}); choose one with -f",
                file=self.get_input_name(),
            ) from error

    def prepare_output(self) -> IO[str]:
        if self.args.output_file in (None, "-"):
            return sys.stdout
        check_file(Path(self.args.output_file), (".mlir",))
        return self.outputs.enter_context(atomic_file(self.args.output_file))

    def run(self):
        self.blame.file = self.get_input_name()
        with ExitStack() as self.outputs:
            super().run()

    def parse_chunk(self, chunk: IO[bytes], file_extension: str, start_offset: int = 0) -> ModuleOp | None:
        self.line_offset = start_offset
        self.blame.running = None
        try:
            try:
                return super().parse_chunk(chunk, file_extension, start_offset)
            except UnicodeDecodeError as error:
                line = error.object[: error.start].count(b"\n") + 1 + start_offset
                raise InputError("the text is not UTF-8", file=self.get_input_name(), line=line) from error
        except InputError as error:
            if not self.args.parsing_diagnostics:
                raise
            print(error)
            return None

    def apply_passes(self, prog: ModuleOp):
        """Apply passes in order; an error names the pass and, if known, the operation."""
        try:
            super().apply_passes(prog)
        except VerifyException as error:
            if self.args.verify_diagnostics:
                raise
            raise invalid(prog, error, self.get_input_name()) from error
        except InputError as error:
            if self.args.verify_diagnostics:
                raise DiagnosticException(str(error)) from error
            raise


def _usage_error(message: str) -> NoReturn:
    raise InputError(f"{message} (see tinyml-opt --help)")


def to_xdsl_pipeline(text: str) -> str:
    """A pipeline in xDSL's spelling: `builtin.module(a, b{x=1 y=2})` becomes `a,b{x=1 y=2}`.

    xDSL's own spelling is returned unchanged, except that spaces and line breaks are allowed wherever MLIR allows them;
    one space is kept between two options of a pass. Values that xDSL accepts only in quotes, such as file names, are
    quoted, and every spelling of a real number becomes one that xDSL reads. Raises InputError for a pipeline nested
    below the module, because an xDSL pass always runs on the whole module, and for unbalanced brackets.
    """
    body = text.strip()
    if (anchored := _ANCHOR.fullmatch(body)) is not None:
        body = anchored["body"]
    pieces: list[str] = []
    depth = 0
    gap = False
    for match in _PIECE.finditer(body):
        piece = match.group()
        if match.lastgroup == "space":
            gap = True
            continue
        if match.lastgroup == "sign":
            if piece in "()":
                raise InputError(
                    f"pass pipeline {_shorten(text)}: only builtin.module(...) may enclose passes, "
                    "nested pipelines are not supported"
                )
            depth += {"{": 1, "}": -1}.get(piece, 0)
        elif gap and pieces and pieces[-1] not in "{=,":
            if depth == 0:
                raise InputError(f"pass pipeline {_shorten(text)}: a comma is missing before '{piece}'")
            pieces.append(" ")
        gap = False
        if match.lastgroup == "word" and depth > 0 and pieces[-1] in "=,":
            piece = _value(piece)
        pieces.append(piece)
    if depth != 0:
        raise InputError(f"pass pipeline {_shorten(text)}: the braces do not balance")
    return "".join(pieces)


def _value(word: str) -> str:
    number = _REAL.fullmatch(word)
    if number is not None and (number["part"] is not None or number["power"]) and re.search("[0-9]", word):
        whole = number["whole"] if number["whole"].strip("+-") else number["whole"] + "0"
        return f"{whole}.{number['part'] or 0}{number['power'] or ''}"
    if _PLAIN_VALUE.fullmatch(word):
        return word
    escaped = word.replace("\\", "\\\\")
    return f'"{escaped}"'


def check_pipeline(pipeline: str, passes: Mapping[str, Callable[[], type[ModulePass]]]) -> None:
    """Raise InputError for an unknown pass or a bad option in a pipeline in xDSL's spelling."""
    for spec in parse_pipeline(pipeline):
        if spec.name not in passes:
            near = difflib.get_close_matches(spec.name, passes, n=1)
            raise InputError(f"unknown pass '{spec.name}'" + (f", did you mean '{near[0]}'?" if near else ""))
        check_options("pass", spec, passes[spec.name]())


def check_options(kind: str, spec: ArgSpec, made: type[ArgSpecConvertible]) -> None:
    """Raise InputError if `made`, a pass or a target (as `kind` says), does not accept the options of `spec`."""
    for option, values in spec.parameters.items():
        if any(isinstance(value, int) and abs(value) > LARGEST for value in values):
            raise InputError(f"{kind} '{spec.name}', option {option}: integers go up to {LARGEST}")
    complaint = _complaint(spec, made)
    if complaint is None:
        return
    # xDSL does not name the rejected option: it is the one whose removal ends the complaint, or at least changes it.
    without = {option: _complaint(_without(spec, option), made) for option in spec.parameters}
    blamed = sorted((text is not None, option) for option, text in without.items() if text != complaint)
    if blamed:
        option = blamed[0][1]
        given = str(ArgSpec("", {option: spec.parameters[option]}))[1:-1]
        raise InputError(f"{kind} '{spec.name}', option {given}: {complaint}")
    raise InputError(f"{kind} '{spec.name}': {complaint}")


def _without(spec: ArgSpec, option: str) -> ArgSpec:
    return ArgSpec(spec.name, {name: values for name, values in spec.parameters.items() if name != option})


def _complaint(spec: ArgSpec, made: type[ArgSpecConvertible]) -> str | None:
    try:
        made.from_spec(spec)
    except ValueError as error:
        return " ".join(str(error).split())
    return None


def _shorten(text: str, limit: int = 60) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 3] + "...")
