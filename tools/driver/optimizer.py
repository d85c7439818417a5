"""The driver of `tinyml-opt`: xDSL's driver, with MLIR's spelling of pipelines, and errors that name pass and
option.
"""

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import IO, ClassVar, NoReturn, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import DiagnosticException, ParseError, VerifyException
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from tinyml.dialects.attribute_verification import verify_discardable_attributes
from tinyml.dialects.context import registry
from tinyml.dialects.errors import InputError
from tinyml.dialects.options import options_of
from tinyml.dialects.remarks import RemarkKind, heard_by
from tinyml.lowering.frontends.importers import FRONTENDS, MLIR
from tinyml.runtime.readers.regular_files import read_bytes
from tinyml.tools.cli.arguments import add_common_options, add_options, apply_common_options, check_file
from tinyml.tools.cli.atomic_output import atomic_file
from tinyml.tools.cli.common_options import EFFECTS_HELP, ReadOptions
from tinyml.tools.cli.guard import Blame
from tinyml.tools.cli.ir_printer import IRTarget
from tinyml.tools.cli.parse_mlir import parse_mlir
from tinyml.tools.cli.user_errors import as_input_error, invalid
from tinyml.tools.driver.expected_errors import ExpectedError, check_errors, expected_errors
from tinyml.tools.driver.pass_options import check_options, check_pipeline
from tinyml.tools.driver.pass_watch import PassWatch, SinglePasses
from tinyml.tools.universe import discardable_attributes
from tinyml.transforms.ir.levels import check_level

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
    """xDSL's driver with overridden hooks.

    Differences from xdsl-opt: `--pass-pipeline` and MLIR's spelling of pipelines; `-` for the standard streams; input
    in the languages of all frontends; output files that are written completely or not at all; errors with file, line,
    column and pass.
    """

    version_format: ClassVar[str] = "tinyml-opt on xdsl {xdsl_version}"

    line_offset: int = 0
    """Number of lines before the piece of the input file being read, with --split-input-file."""

    outputs: ExitStack
    """The context of the output file, which replaces an earlier file if no error occurs."""

    watched: PassWatch

    _read: tuple[list[tuple[IO[bytes], int]], str] | None = None
    """The pieces of the input, if they have been read."""

    def __init__(self, args: Sequence[str], blame: Blame):
        """Create the driver.

        blame: records the input file, and the pass that is running or whose result is being verified.
        """
        self.blame = blame
        super().__init__("Reads a module or a model, runs passes on it and prints the result.", args)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser):
        super().register_all_arguments(arg_parser)
        arg_parser.add_argument(
            "--pass-pipeline",
            metavar="PIPELINE",
            help="the same as -p, as MLIR spells it: builtin.module(a,b{x=1 y=2}); both options accept both spellings",
        )
        arg_parser.add_argument(
            "--mlir-print-ir-after-all",
            "--print-ir-after-all",
            dest="print_ir_after_all",
            action="store_true",
            help="print the IR after each pass, those of named pipelines as well, to standard error",
        )
        arg_parser.add_argument(
            "--mlir-print-ir-after-change",
            "--print-ir-after-change",
            dest="print_ir_after_change",
            action="store_true",
            help="print the IR after each pass that changed it, to standard error",
        )
        arg_parser.add_argument(
            "--pass-effects",
            dest="effects",
            action="store_true",
            help=EFFECTS_HELP,
        )
        arg_parser.add_argument(
            "--mlir-timing",
            dest="timing",
            action="store_true",
            help="print the seconds of each pass, those of named pipelines as well, to standard error",
        )
        arg_parser.add_argument(
            "--mlir-pass-statistics",
            dest="statistics",
            action="store_true",
            help="print what passes counted, those of named pipelines as well, to standard error",
        )
        for kind, words in (
            ("", ""),
            ("-passed", " of what they did"),
            ("-missed", " of what they did not do, and why"),
        ):
            arg_parser.add_argument(
                f"--remarks-filter{kind}",
                metavar="REGEX",
                help=f"print the remarks{words} of passes whose names match, to standard error",
            )
        arg_parser.add_argument(
            "--verify-each",
            metavar="true|false",
            choices=("true", "false"),
            default="true",
            help="verify the module after each pass (default true); false is --disable-verify",
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
        # From 0.75 on, xDSL's method loads the universes of all packages, without a check.
        def parse_text(stream: IO[bytes]) -> ModuleOp:
            return parse_mlir(
                self.ctx,
                stream.read(),
                self.get_input_name(),
                line_offset=self.line_offset,
                implicit_module=not self.args.no_implicit_module,
                keeps_declared=True,
            )

        def parse_with(suffix: str, stream: IO[bytes]) -> ModuleOp:
            try:
                return FRONTENDS.get(suffix)(stream.read(), self.get_input_name())
            except InputError as error:
                if error.line is None or not self.line_offset:
                    raise
                line = error.line + self.line_offset
                raise InputError(error.message, file=error.file, line=line, column=error.column) from error

        self.available_frontends[MLIR] = parse_text
        for suffix in FRONTENDS.names():
            self.available_frontends[suffix] = partial(parse_with, suffix)

    def setup_pipeline(self):
        apply_common_options(self.args)
        mlir: str | None = self.args.pass_pipeline
        if mlir is not None:
            if self.args.passes:
                raise InputError("give either -p or --pass-pipeline, not both")
            self.args.passes = mlir
        self.args.passes = to_xdsl_pipeline(self.args.passes)
        check_pipeline(self.args.passes, self.available_passes)
        self.args.disable_verify |= self.args.verify_each == "false"
        target = parse_spec(self.args.target)
        factory = self.available_targets[target.name]
        if not inspect.signature(factory).parameters:
            check_options("target", target, cast(Callable[[], type[Target]], factory)())
        super().setup_pipeline()
        verify_and_report = self.pipeline.callback
        assert verify_and_report is not None
        printing = IRTarget(
            print_generic_format=self.args.print_op_generic,
            print_properties_as_attributes=self.args.print_no_properties,
            print_debuginfo=self.args.print_debuginfo,
        )
        self.watched = watched = PassWatch(
            printing,
            dumps=self.args.print_ir_after_all,
            changes=self.args.print_ir_after_change,
            effects=self.args.effects,
            times=self.args.timing,
            statistics=self.args.statistics,
            remarks=self._remarks(),
        )

        def callback(before: ModulePass | None, module: ModuleOp, after: ModulePass | None):
            watched.between(before, module)
            verify_and_report(before, module, after)
            self.blame.running = after.name if after is not None else None
            if after is not None:
                check_level(after, module)
            verify_discardable_attributes(module, discardable_attributes)
            watched.start(module, after)

        passes = self.pipeline.passes
        self.pipeline = (
            SinglePasses(passes, callback, watch=watched) if watched.is_on else PassPipeline(passes, callback)
        )

    def _remarks(self) -> Mapping[RemarkKind, re.Pattern[str]]:
        """For each requested kind of remarks, a regular expression that matches the names of the passes whose remarks
        are printed. Raises `InputError` for an invalid regular expression.
        """
        found: dict[RemarkKind, re.Pattern[str]] = {}
        for kind in RemarkKind:
            option = f"remarks_filter_{kind.value}"
            for name in (option, "remarks_filter"):
                if (given := getattr(self.args, name)) is not None:
                    try:
                        found.setdefault(kind, re.compile(given))
                    except re.error as error:
                        flag = f"--{name.replace('_', '-')}"
                        raise InputError(f"{flag}: expected a regular expression, got '{given}': {error}") from error
        return found

    def get_input_stream(self) -> tuple[IO[bytes], str]:
        if self.args.input_file == "-":
            self.args.input_file = None
        if self.args.input_file is None:
            return super().get_input_stream()
        path = Path(self.args.input_file)
        return BytesIO(read_bytes(path, "program")), path.suffix.removeprefix(".")

    def prepare_input(self) -> tuple[list[tuple[IO[bytes], int]], str]:
        if self._read is not None:
            return self._read
        try:
            return super().prepare_input()
        except ValueError as error:
            known = ", ".join(f".{name}" for name in self.available_frontends)
            raise InputError(
                f"unknown file extension (known: {known}); choose the language with -f",
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
            if self.args.verify_diagnostics and self._run_expecting_errors():
                return
            super().run()

    def _run_expecting_errors(self) -> bool:
        """Compare the errors of each piece of the input with the expected errors, and return True. If the file expects
        no errors, do nothing and return False.

        For a file without expectations, `--verify-diagnostics` has xDSL's meaning: print an error.
        """
        chunks, extension = self.prepare_input()
        texts = [(chunk.read(), offset) for chunk, offset in chunks]
        file = self.get_input_name()
        expected = [expected_errors(text.decode("utf-8", "replace"), file, offset) for text, offset in texts]
        if not any(expected):
            # Standard input can be read only once.
            self._read = [(BytesIO(text), offset) for text, offset in texts], extension
            return False
        self.args.verify_diagnostics = self.args.parsing_diagnostics = False
        output = self.prepare_output()
        for number, ((text, offset), errors) in enumerate(zip(texts, expected, strict=True)):
            output.write("// -----\n" if number else "")
            output.write(self._output_expecting(text, extension, offset, errors))
        return True

    def _output_expecting(self, text: bytes, extension: str, offset: int, errors: Sequence[ExpectedError]) -> str:
        """The output for a piece of the input; empty if the piece causes an expected error.

        extension: the suffix that determines the frontend.
        offset: the number of lines of the file before the piece.
        """
        output, error, file = "", None, self.get_input_name()
        try:
            module = self.parse_chunk(BytesIO(text), extension, offset)
            assert module is not None
            self.apply_passes(module)
            output = self.output_resulting_program(module)
        except Exception as raised:
            if isinstance(raised, ParseError):
                raised.span = replace(raised.span, line_offset=offset)
            if (error := as_input_error(raised, file)) is None:
                raise
        check_errors(errors, error, file)
        return output

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
        """Apply passes in order. Raises an `InputError` that names the pass and, if known, the operation. With
        `--verify-diagnostics`, raises a `DiagnosticException` or a `VerifyException` instead.
        """
        try:
            with heard_by(self.watched) if self.watched.is_on else nullcontext():
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
    """Convert a pipeline to xDSL's spelling: `builtin.module(a, b{x=1 y=2})` becomes `a,b{x=1 y=2}`.

    A pipeline in xDSL's spelling is returned unchanged, except that spaces and line breaks are removed wherever MLIR
    allows them; one space remains between two options of a pass. Values that xDSL accepts only in quotes, such as file
    names, are quoted, and every spelling of a real number becomes a spelling that xDSL accepts. Raises `InputError` for
    a pipeline nested below the module, because an xDSL pass always runs on the whole module, for unbalanced brackets,
    and for a missing comma.
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
        raise InputError(f"pass pipeline {_shorten(text)}: unbalanced braces")
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


def _shorten(text: str, limit: int = 60) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= limit else line[: limit - 3] + "...")
