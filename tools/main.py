"""The command `tinyml`: compile a model, run it on a device, say where its costs lie, compare many, pack memory."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tinyml.dialects.errors import InputError
from tinyml.dialects.formats.lookup import USUAL_FORMAT
from tinyml.targets.registry import HOST, USUAL, boards

if TYPE_CHECKING:
    from tinyml.tools.driver.search_request import SearchRequest

OPTIMIZE = ("Os", "O2", "O3")
CHOICES = ("auto", "always", "never")


def main(args: Sequence[str] | None = None) -> int:
    """Run one command; the exit code. An error of the user is one line on standard error and exit code 1."""
    options: argparse.Namespace | None = None
    try:
        options = _parser().parse_args(args)
        command: Callable[[argparse.Namespace], int] = options.command
        return command(options)
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 1
    except Exception as error:
        from tinyml.tools.cli.user_errors import as_input_error

        if (known := as_input_error(error, getattr(options, "named_file", None))) is None:
            raise
        print(f"error: {known}", file=sys.stderr)
        return 1


class _Parser(argparse.ArgumentParser):
    """Tells a wrong command line as every other error of the user is told."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="tinyml", description="Compiles KB-sized models for microcontrollers.")
    targets = ", ".join(board.name for board in boards())
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    compile_ = commands.add_parser("compile", help="compile a model for a board")
    compile_.add_argument("model", type=Path, help="SeeDot program (.sd) or module of tensors (.mlir)")
    compile_.add_argument("--val", type=Path, required=True, help=".npz with x and y, to profile with")
    compile_.add_argument("--test", type=Path, help=".npz with x and y, to measure accuracy on (default: --val)")
    compile_.add_argument("--target", default=USUAL, help=targets)
    _add_format(compile_)
    _add_search(compile_)
    compile_.add_argument("--reuse-input", action="store_true", help="let the model overwrite the caller's array")
    compile_.add_argument("--pack-buffers", action="store_true", help="pack working memory of few bits in RAM")
    compile_.add_argument(
        "--round-sums",
        action="store_true",
        help="no accumulators in RAM for sums that loops carry (searches with --ram find out whether)",
    )
    compile_.add_argument("-o", "--out", type=Path, required=True, help="folder to write")
    compile_.set_defaults(command=_compile)

    run = commands.add_parser("run", help="run a compiled model on a device and compare it with the evaluator")
    run.add_argument("folder", type=Path, help="folder written by tinyml compile")
    run.add_argument("--data", type=Path, required=True, help=".npz with the inputs x")
    run.add_argument("--device", default=HOST, help=targets)
    run.add_argument("--limit", type=_count, help="run only so many samples")
    run.add_argument("--optimize", choices=OPTIMIZE, default="Os", help="the C compiler's level")
    run.add_argument("--json", action="store_true", help="print the result as JSON")
    run.set_defaults(command=_run)

    explain = commands.add_parser("explain", help="show where cycles, flash and RAM of a compiled model go")
    explain.add_argument("folder", type=Path, help="folder written by tinyml compile")
    explain.add_argument("--json", action="store_true", help="print the result as JSON")
    explain.set_defaults(command=_explain)

    bench = commands.add_parser("bench", help="compile and run many models, one table")
    bench.add_argument("folders", type=Path, nargs="+", help="folders with a program, val.npz and test.npz")
    bench.add_argument("--target", default=USUAL, help=targets)
    _add_format(bench)
    bench.add_argument(
        "--searches",
        metavar="FORMAT[:SCHEME],...",
        type=_names,
        help="compare the searches of the papers in these formats instead (other options count for nothing)",
    )
    bench.add_argument(
        "--formats",
        metavar="FORMAT[:BITS][+SEARCH],...",
        nargs="?",
        const=(),
        type=_names,
        help="compare number formats instead, uniform or with widths that a search finds (default: MinUn's and ours)",
    )
    bench.add_argument("--picture", type=Path, help=".svg or .png file: what the formats lose and cost on average")
    bench.add_argument("--json", type=Path, help="also write the reports to this file")
    bench.set_defaults(command=_bench)

    pack = commands.add_parser("pack", help="pack buffers, given as a CSV file, into the smallest arena")
    pack.add_argument("problem", type=Path, help="CSV file with a header: id,lower,upper,size and perhaps alignment")
    goal = pack.add_mutually_exclusive_group()
    goal.add_argument("--capacity", type=_count, metavar="N", help="stop at a packing of at most N bytes")
    goal.add_argument("--minimize", action="store_true", help="look for the lowest packing (the default)")
    pack.add_argument("--mode", default="auto", help="algorithm (default: auto); see docs/packing.md")
    pack.add_argument("--coarsen", type=_count, default=1, metavar="N", help="round sizes up to multiples of N bytes")
    pack.add_argument("--nodes", type=_count, metavar="N", help="limit of the search trees")
    pack.add_argument("--seconds", type=_seconds, metavar="S", help="limit of the search")
    pack.add_argument("--python", action="store_true", help="search in Python even if there is a C compiler")
    pack.add_argument("-o", "--out", type=Path, help="CSV file to write (default: standard output)")
    pack.add_argument("--picture", type=Path, help=".svg or .png file: the arena over time")
    pack.set_defaults(command=_pack)

    new_format = commands.add_parser("new-format", help="write a package with a number format of your own")
    new_format.add_argument("name", help="of the format, its dialect and its module")
    new_format.add_argument("folder", type=Path, help="folder to write")
    new_format.set_defaults(command=_new_format)

    demo = commands.add_parser("demo", help="compile the example models and check them on this computer")
    demo.add_argument("--examples", type=Path, default=Path("examples"), help="folder of the examples")
    demo.set_defaults(command=_demo)
    return parser


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format", default=USUAL_FORMAT, help="number format: a registered dialect's, such as a plug-in's, or f32"
    )
    parser.add_argument("--functions", help="scheme for exp, tanh and sigmoid, of a format that has several")
    parser.add_argument("--width", type=_count, help="bits of each number (default: the format's usual width)")
    parser.add_argument("--weights", metavar="FORMAT:BITS", help="another format for constants")
    parser.add_argument("--packed", choices=CHOICES, help="pack constants of few bits in flash (auto: where that pays)")
    parser.add_argument("--row-scales", action="store_true", help="scales per row of weights, where they help")
    parser.add_argument("--optimize", choices=OPTIMIZE, default="Os", help="the C compiler's level")


def _add_search(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("search for the format of each tensor (docs/search-*.md)")
    group.add_argument(
        "--search", metavar="NAME", help="maxscale (SeeDot), demote (Shiftry), promote (MinUn), pareto or uniform"
    )
    for name, how in _SEARCH_OPTIONS.items():
        group.add_argument(f"--{name}", **how)
    group.add_argument("--resume", action="store_true", default=None, help="begin with what stands in the journal")


def _search(options: argparse.Namespace) -> SearchRequest | None:
    given = {name: getattr(options, name) for name in (*_SEARCH_OPTIONS, "resume")}
    given = {name: value for name, value in given.items() if value is not None}
    if options.search is None:
        if given:
            raise InputError(f"--{next(iter(given))} is an option of --search")
        return None
    if options.width is not None:
        raise InputError("--search chooses the width of each tensor: give --widths in place of --width")
    if options.weights is not None:
        raise InputError("--search chooses the format of each tensor, constants among them: leave out --weights")
    _check_limits(options, given)
    from tinyml.tools.driver.search_request import SearchRequest

    return SearchRequest(options.search, given)


def _check_limits(options: argparse.Namespace, given: Mapping[str, Any]) -> None:
    """Raises `InputError` for limits beside options that are not the default, with which searches measure programs."""
    limit = next((name for name in ("ram", "flash", "cycles") if name in given), None)
    for name, usual in {"packed": CHOICES[0], "optimize": OPTIMIZE[0]}.items():
        value = getattr(options, name)
        if limit is not None and value not in (None, usual):
            raise InputError(
                f"searches keep --{limit} only with --{name} {usual}: leave out --{name} {value} or the limits"
            )


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive integer, got '{text}'")
    return int(text)


def _seconds(text: str) -> float:
    if not (value := _real(text)) >= 0:
        raise argparse.ArgumentTypeError(f"expected a number of seconds, got '{text}'")
    return value


def _loss(text: str) -> float:
    if not 0 <= (value := _real(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"expected a number from 0 up, got '{text}'")
    return value


def _real(text: str) -> float:
    """NaN for what is no number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def _counts(text: str) -> list[int]:
    return [_count(one) for one in text.split(",")]


def _names(text: str) -> list[str]:
    return text.split(",")


_SEARCH_OPTIONS: dict[str, dict[str, Any]] = {
    "ram": {"metavar": "BYTES", "type": _count, "help": "most RAM: arena, input and stack"},
    "flash": {"metavar": "BYTES", "type": _count, "help": "most flash"},
    "cycles": {"metavar": "N", "type": _count, "help": "most cycles or instructions of an inference"},
    "loss": {"metavar": "POINTS", "type": _loss, "help": "how much accuracy may be lost"},
    "metric": {"help": "what candidates are compared by: disagreement, accuracy, error or margin"},
    "widths": {"metavar": "N,N", "type": _counts, "help": "to choose from"},
    "formats": {
        "metavar": "FORMAT,...",
        "type": _names,
        "help": "that single tensors may have instead (promote, pareto)",
    },
    "effort": {"metavar": "N", "type": _count, "help": "about how many candidates are evaluated"},
    "jobs": {"metavar": "N", "type": _count, "help": "processes to evaluate in (default: as many as processors)"},
    "backend": {"help": "where to evaluate: loky (this computer), dask or ray"},
    "cluster": {"metavar": "ADDRESS", "help": "of the Dask or Ray cluster"},
    "journal": {"metavar": "FILE", "help": "write what is found to this file"},
}


def _compile(options: argparse.Namespace) -> int:
    from tinyml.tools.commands.compile import Request, compile_model
    from tinyml.tools.reports.memory_picture import can_draw
    from tinyml.tools.reports.table import print_function_errors, print_reports, print_search

    options.named_file = str(options.model)
    report = compile_model(
        Request(
            options.model,
            options.val,
            options.test,
            options.target,
            options.format,
            options.width,
            f"-{options.optimize}",
            options.out,
            options.functions,
            options.row_scales,
            _search(options),
            options.reuse_input,
            weights=options.weights,
            packed=options.packed,
            pack_buffers=options.pack_buffers,
            round_sums=options.round_sums,
        )
    )
    print_reports([report])
    if report["search"] is not None:
        print_search(report["search"])
    print_function_errors(report)
    if report["flash_bytes"] is None:
        print(f"The tools to measure on {report['target']} are not installed: sizes and cycles are unknown.")
    if not can_draw():
        print("matplotlib is not installed, so there are no pictures: pip install 'tinyml[plots]'")
    print(f"Wrote {options.out}")
    return 0


def _run(options: argparse.Namespace) -> int:
    from tinyml.tools.commands.run import RunRequest, run_model
    from tinyml.tools.reports.table import time_unit

    result = run_model(RunRequest(options.folder, options.data, options.device, options.limit, f"-{options.optimize}"))
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        unit = time_unit(result)
        cost = result[f"{unit}_per_inference"]
        verdict = result["mismatch"] or "all raw outputs equal the evaluator's"
        counted = "" if cost is None else f", {cost:,.0f} {unit} per inference"
        print(f"{result['samples']} samples on {result['device']}{counted}: {verdict}")
    return 0 if result["mismatch"] is None else 1


def _explain(options: argparse.Namespace) -> int:
    from tinyml.tools.commands.explain import explain
    from tinyml.tools.reports.explain_table import print_explanation

    found = explain(options.folder)
    if options.json:
        print(json.dumps(found, indent=2))
    else:
        print_explanation(found)
    return 0


def _bench(options: argparse.Namespace) -> int:
    from tinyml.tools.commands.bench import bench

    if options.searches is not None:
        from tinyml.tools.commands.bench_searches import bench_searches

        bench_searches(options.folders, options.searches, options.json)
        return 0
    if options.formats is not None:
        from tinyml.tools.commands.bench_formats import bench_formats

        bench_formats(options.folders, options.formats, options.target, options.json, options.picture)
        return 0
    bench(
        options.folders,
        target=options.target,
        format=options.format,
        width=options.width,
        functions=options.functions,
        optimize=f"-{options.optimize}",
        row_scales=options.row_scales,
        weights=options.weights,
        json_file=options.json,
    )
    return 0


def _pack(options: argparse.Namespace) -> int:
    from tinyml.tools.commands.pack import PackRequest, pack_file

    return pack_file(
        PackRequest(
            options.problem,
            options.mode,
            options.capacity,
            options.coarsen,
            options.nodes,
            options.seconds,
            not options.python,
            options.out,
            options.picture,
        )
    )


def _new_format(options: argparse.Namespace) -> int:
    from tinyml.tools.commands.new_format import new_format

    for file in new_format(options.name, options.folder):
        print(f"Wrote {file}")
    print(f"Install it with: pip install -e {options.folder}")
    return 0


def _demo(options: argparse.Namespace) -> int:
    from tinyml.tools.commands.demo import demo

    demo(options.examples)
    return 0


if __name__ == "__main__":
    sys.exit(main())
