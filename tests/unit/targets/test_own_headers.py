"""A chip may replace headers of the runtime, and headers of two chips may have the same name."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from programs.plugins import installed
from programs.printed import parse

from tinyml.dialects.errors import InputError
from tinyml.lowering.arith_to_c import LowerArithToCPass
from tinyml.runtime.model.headers import definition_of, header_texts
from tinyml.targets import registry
from tinyml.targets.board import Board
from tinyml.targets.c.print_c import print_c
from tinyml.targets.chip import Chip
from tinyml.targets.host.chip import CHIP as HOST

PROGRAM = """
func.func private @tm_multiply_i16(i16, i16, i8) -> i16
func.func @net(%X: memref<1x1xi16>) -> memref<1x1xi16> {
  %zero = arith.constant 0 : index
  %right = arith.constant 9 : i8
  %arena = scratch.arena {alignment = 2 : i64} : memref<2xi8>
  %y = scratch.view %arena[0 : i64] : memref<2xi8> to memref<1x1xi16>
  %a = memref.load %X[%zero, %zero] : memref<1x1xi16>
  %b = func.call @tm_multiply_i16(%a, %a, %right) : (i16, i16, i8) -> i16
  memref.store %b, %y[%zero, %zero] : memref<1x1xi16>
  func.return %y : memref<1x1xi16>
}
"""
OURS = "tinyml/multiply.h"
OWN = (
    "static inline int16_t tm_multiply_i16(int16_t a, int16_t b, uint8_t right)\n{\n    return mine(a, b, right);\n}\n"
)

CHIP: Chip = HOST

Register = Callable[..., EntryPoint]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Register:
    """A function that registers a chip with headers, given by their names and texts."""

    def register(headers: dict[str, str], replaces: tuple[str, ...] = ()) -> EntryPoint:
        for name, text in headers.items():
            file = tmp_path / "include" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        chip = dataclasses.replace(HOST, name="own", folder=tmp_path, boards=(Board("own", "o"),), replaces=replaces)
        monkeypatch.setattr(f"{__name__}.CHIP", chip)
        return EntryPoint("own", f"{__name__}:CHIP", registry.GROUP)

    return register


def printed(target: str) -> str:
    ctx, module = parse(PROGRAM)
    LowerArithToCPass().apply(ctx, module)
    return print_c(module, ctx, target)


def test_a_replacement_stands_in_the_programs_of_its_chip_alone(own: Register) -> None:
    with installed(own({OURS: OWN}, (OURS,))):
        assert "mine(a, b, right)" in printed("own")
        assert printed("own").count("int16_t tm_multiply_i16(") == 1
        assert "mine" not in printed("host")


@pytest.mark.parametrize(
    ("headers", "replaces", "message"),
    [
        ({OURS: OWN}, (), f"chip 'own': the runtime has a header {OURS}, too; .*, or name it in Chip.replaces"),
        ({OURS: ""}, (OURS,), f"chip 'own': its header {OURS} does not define tm_multiply_i16$"),
        ({}, (OURS,), f"chip 'own' replaces {OURS}, but its folder .* has no such header"),
        ({}, ("tinyml/none.h",), "chip 'own' replaces tinyml/none.h, but the runtime has no such header"),
    ],
)
def test_headers_that_would_silently_replace_others(
    own: Register, headers: dict[str, str], replaces: tuple[str, ...], message: str
) -> None:
    with installed(own(headers, replaces)), pytest.raises(InputError, match=message):
        header_texts(registry.chip_of("own"))


def test_a_header_may_have_the_name_of_another_chips(own: Register) -> None:
    """A chip of a package may define a header with the name of another chip's header. A program contains only headers
    of the runtime and of its own chip.
    """
    ours, theirs = {"tinyml/enter.h": "static int tm_own(void) { return 1; }\n"}, "tinyml/distance_cortex_m.h"
    with installed(own(ours)):
        assert definition_of("tm_own", "own") == [*ours.items()]
        assert theirs not in header_texts(registry.chip_of("own"))
        assert theirs in header_texts(registry.chip_of("cortex-m4"))
        with pytest.raises(InputError, match="defines the function 'tm_own' for the target 'uno'"):
            definition_of("tm_own", "uno")


def test_a_replacement_defines_all_that_ours_does(own: Register) -> None:
    """A chip's replacement for a runtime header is rejected if it is empty; the error lists the missing definitions."""
    for name in ("tinyml/f32.h", "tinyml/from_float.h", "tinyml/limit.h", "tinyml/posit.h", "tinyml/requantize.h"):
        with installed(own({name: ""}, (name,))), pytest.raises(InputError, match=r"does not define tm_\w+, tm_\w+"):
            header_texts(registry.chip_of("own"))
