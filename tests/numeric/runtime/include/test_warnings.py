"""Every header compiles separately and without a warning, with the compiler of every chip that uses it."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs.devices import SMALL
from programs.printed import WARNINGS

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.toolchain import MODEL_FLAGS, call_tool
from tinyml.runtime.model.headers import include_folders
from tinyml.targets.registry import HOST, board, chip_of

NOT_FOR_AVR = ("cores.h",)
"""Those that only C for 32-bit chips includes."""


@pytest.mark.long
@pytest.mark.parametrize("target", [HOST, *SMALL])
def test_headers_compile_without_a_warning(target: str, tmp_path: Path):
    chip, part = chip_of(target), board(target)
    headers = [file for folder in include_folders(chip) for file in sorted(folder.glob("tinyml/*.h"))]
    assert headers
    flags = [*MODEL_FLAGS[:3], *WARNINGS, "-Wno-unused-function", "-Os", "-c", *chip.flags, *part.flags]
    for header in headers:
        source = tmp_path / f"{header.stem}.c"
        source.write_text(f'#include "{header}"\n')
        command = chip, "cc", [*flags, source, "-o", tmp_path / "strict.o"]
        if chip.name == "avr" and header.name in NOT_FOR_AVR:
            with pytest.raises(InputError, match="compile the model for target avr"):
                call_tool(*command)
        else:
            call_tool(*command)
