"""The levels of a program. Each level has lines, and each line belongs to a source operation."""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, NameLoc, StringAttr, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.printer import Printer

from tinyml.dialects import c, scratch, tdsl
from tinyml.dialects.context import context
from tinyml.dialects.errors import InputError
from tinyml.dialects.locations import SourceNames, source_location
from tinyml.lowering import pipelines
from tinyml.tools.driver.program_in_folder import ProgramInFolder, lowering_options
from tinyml.tools.driver.stages import load_program
from tinyml.tools.reports.pages.levels_page import LevelLine, ProgramLevel
from tinyml.transforms.ir.pipeline_names import FORMATS_TO_BUFFERS, LOOPS_TO_BITS

if TYPE_CHECKING:
    from tinyml.runtime.devices.attribution import Attribution

LONGEST_LINE = 160
"""Maximum characters of a line on the page."""

_LOCATION = re.compile(r' loc\((?:unknown|"((?:[^"\\]|\\.)*)"[^"]*)\)$')
_DENSE = re.compile(r'(dense(?:_resource)?<)("0x[0-9A-Fa-f]{16}|\[[^>]{32})[^>]*')


def levels_of(program: ProgramInFolder, measured: Attribution | None) -> list[ProgramLevel]:
    """The levels of a program from reals to C and, if there is a measurement, assembly."""
    ctx = context()
    files = {level: program.folder / "ir" / f"{level}.mlir" for level in ("0-reals", "1-formats")}
    formats = load_program(files["1-formats"], ctx)
    of_formats = _linked_to_buffers(formats, program)
    levels = [_level_above("L1 formats", files["1-formats"].read_text("utf-8"), of_formats)]
    if files["0-reals"].is_file():
        reals = load_program(files["0-reals"], ctx)
        of_reals = _linked_by_name(reals, [(op, _written_name(op), of_formats.get(op)) for op in formats.walk()])
        levels.insert(0, _level_above("L0 reals", files["0-reals"].read_text("utf-8"), of_reals))
    bits = program.loops.clone()
    pipelines.run(bits, ctx, pipelines.flatten(LOOPS_TO_BITS, lowering_options(program.report)))
    below = {"L2 buffers": program.buffers, "L3 loops": program.loops, "L4 bits": bits}
    levels += [_level_of(name, module) for name, module in below.items()]
    levels.append(_c_level(program.lines, program.sources, {} if measured is None else measured.time))
    if measured is not None and measured.instructions:
        levels.append(_assembly(program, measured))
    return levels


def _linked_to_buffers(formats: ModuleOp, program: ProgramInFolder) -> dict[Operation, str]:
    """The source operation of each op at L1, found by lowering a copy in which every value has a unique name.

    Raises `InputError` if the buffers in the folder were not lowered from this program.
    """
    own = [[result.name_hint for result in op.results] for op in formats.walk()]
    _tag_values(formats)
    tagged = formats.clone()
    pipelines.run(tagged, context(), pipelines.flatten(FORMATS_TO_BUFFERS, lowering_options(program.report)))
    lowered, kept = list(tagged.walk()), list(program.buffers.walk())
    if [op.name for op in lowered] != [op.name for op in kept]:
        raise InputError("does not match ir/1-formats.mlir: compile the model again", file=str(program.folder))
    names = SourceNames()
    sources = _linked_by_buffer(
        formats, [(op, _written_name(copy), _source_of(op, names)) for op, copy in zip(kept, lowered, strict=True)]
    )
    for op, hints in zip(formats.walk(), own, strict=True):
        for result, hint in zip(op.results, hints, strict=True):
            result.name_hint = hint
    return sources


def _assembly(program: ProgramInFolder, measured: Attribution) -> ProgramLevel:
    lines: list[LevelLine] = []
    for each in measured.instructions:
        names = program.sources.get(each.line, ())
        lines.append(LevelLine(f"{each.address:6x}  {each.text}", names[0] if names else None, each.time))
    return ProgramLevel("Assembly", lines)


def _level_of(name: str, module: ModuleOp) -> ProgramLevel:
    """A level below L1; the locations of its ops contain the names of their source operations."""
    clone = module.clone()
    names = SourceNames()
    sources = {op: _source_of(op, names) for op in clone.walk()}
    for op, source in sources.items():
        op.location = UnknownLoc() if source is None else NameLoc(StringAttr(source), UnknownLoc())
    stream = io.StringIO()
    Printer(stream, print_debuginfo=True).print_op(clone)
    texts = stream.getvalue().splitlines()
    found: list[str | None] = []
    opened: list[int] = []
    for number, text in enumerate(texts):
        match = _LOCATION.search(text)
        found.append(match[1].replace('\\"', '"') if match is not None and match[1] else None)
        # The location of an op with a region follows the end of the region.
        if text.lstrip().startswith("}") and opened and match is not None:
            found[opened.pop()] = found[number]
        if text.endswith("{"):
            opened.append(number)
    pairs = zip(texts, found, strict=True)
    return ProgramLevel(name, [LevelLine(_short(_LOCATION.sub("", text)), source) for text, source in pairs])


def _source_of(op: Operation, sources: SourceNames) -> str | None:
    """The name of the source operation of an op; for a constant, its own name. None for an op without a source
    operation.
    """
    match op:
        case tdsl.ConstOp() | scratch.ConstantOp() if (hint := op.results[0].name_hint) is not None:
            return f"constant {hint}"
        case c.ConstantOp():
            return f"constant {op.sym_name.data}"
        case _:
            names = sources.of(op)
            return names[0] if names else None


def _level_above(name: str, text: str, sources: Mapping[Operation, str]) -> ProgramLevel:
    """The lines of the program at a level above L2, each with its source operation.

    text: the content of its file.
    sources: the source operations of ops parsed from it.
    """
    by_line: dict[int, str] = {}
    for op, source in sources.items():
        if (location := source_location(op)) is not None:
            by_line.setdefault(location[1], source)
    lines = text.splitlines()
    return ProgramLevel(name, [LevelLine(_short(line), by_line.get(i + 1)) for i, line in enumerate(lines)])


def _tag_values(module: ModuleOp) -> None:
    """Set a unique name for every value of a program at L1, which also identifies its buffer at L2."""
    for number, value in enumerate(_values(module)):
        value.name_hint = f"v{number}"


_Lower = Sequence[tuple[Operation, "str | None", "str | None"]]
"""The ops of a level, each with the name of the value that it writes and its source."""


def _linked_by_buffer(formats: ModuleOp, buffers: _Lower) -> dict[Operation, str]:
    """The source operations of ops at L1 with uniquely named values, from the ops of L2.

    An op is matched with the op of its kind that writes the buffer of the same name. Values that share a buffer have
    one name. Their ops are matched in order, if both levels have equally many ops of a kind and no named op is out of
    order.
    """
    uppers: defaultdict[str, list[Operation]] = defaultdict(list)
    lowers: defaultdict[str, list[tuple[str | None, str]]] = defaultdict(list)
    for op in formats.walk():
        if not op.name.startswith("arith."):
            uppers[_kind(op)].append(op)
    for op, name, source in buffers:
        if source is not None:
            lowers[_kind(op)].append((name, source))
    found: dict[Operation, str] = {}
    for kind, ops in uppers.items():
        there = lowers[kind]
        unique = _unique([name for name, _ in there])
        exact = [unique.get(_written_name(op)) for op in ops]
        in_order = len(ops) == len(there) and all(at in (None, i) for i, at in enumerate(exact))
        for i, (op, at) in enumerate(zip(ops, exact, strict=True)):
            if in_order or at is not None:
                found[op] = there[i if at is None else at][1]
    return found


def _linked_by_name(reals: ModuleOp, formats: _Lower) -> dict[Operation, str]:
    """The source operations of ops at L0, from the ops at L1 whose values have the same names.

    An op is matched with the only op of the same name and kind, or else with the only op of the same name. An op
    without a match is omitted.
    """
    by_name = _unique([name for _, name, _ in formats])
    by_kind = _unique([None if name is None else f"{_kind(op)} {name}" for op, name, _ in formats])
    found: dict[Operation, str] = {}
    for op in reals.walk():
        name = _written_name(op)
        at = by_kind.get(f"{_kind(op)} {name}", by_name.get(name))
        if name is not None and at is not None and (source := formats[at][2]) is not None:
            found[op] = source
    return found


def _unique(names: Sequence[str | None]) -> dict[str | None, int]:
    counts = Counter(names)
    return {name: i for i, name in enumerate(names) if name is not None and counts[name] == 1}


def _written_name(op: Operation) -> str | None:
    """The name of the value that an op of L1 or L2 computes or writes; None for an op that does neither, and for a
    value without a name.
    """
    match op:
        case tdsl.TensorOp():
            value: SSAValue = op.out
        case _ if op.results:
            value = op.results[0]
        case _:
            return None
    while value.name_hint is None and isinstance(slice := value.owner, scratch.SliceOp):
        value = slice.source
    return value.name_hint


def _c_level(lines: Iterable[str], sources: Mapping[int, tuple[str, ...]], time: Mapping[int, float]) -> ProgramLevel:
    """The level of the C file; the first line has number 1.

    time: the time of each line, including the functions that it calls.
    """
    found: list[LevelLine] = []
    for number, text in enumerate(lines, 1):
        source = sources[number][0] if number in sources else None
        found.append(LevelLine(_short(text), source, time.get(number)))
    return ProgramLevel("L5 C", found)


def _kind(op: Operation) -> str:
    return "constant" if isinstance(op, tdsl.ConstOp | scratch.ConstantOp) else op.name


def _values(module: ModuleOp) -> Iterable[SSAValue]:
    for op in module.walk():
        yield from op.results


def _short(text: str) -> str:
    text = _DENSE.sub(r"\1\2…", text).replace(" loc(unknown)", "")
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"
