"""Of the installed versions of MLIR and LLVM, all tools are taken from the newest. Versions are compared as numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tinyml.dialects.errors import InputError
from tinyml.runtime.devices.llvm import tools

NAMES = ("mlir-opt", "mlir-translate", "clang")


def install(folder: Path, versions: dict[str, str]) -> None:
    for name, version in versions.items():
        tool = folder / name
        tool.write_text(f"#!/bin/sh\necho 'Debian {name} version {version}'\n")
        tool.chmod(0o755)


@pytest.mark.parametrize(
    ("installed", "suffix"),
    [
        ({f"{name}-{number}": f"{number}.1.0" for name in NAMES for number in (9, 19, 100)}, "-100"),
        ({f"{name}-{number}": f"{number}.1.0" for name in NAMES for number in (9, 19)}, "-19"),
        # A distribution's clang without a version in its name may be older than its MLIR.
        ({"mlir-opt": "22.1.8", "mlir-translate": "22.1.8", "clang": "14.0.6"}, None),
        ({"mlir-opt": "22.1.8", "mlir-translate": "22.1.8", "clang": "22.1.8"}, ""),
        ({name: "14.0.6" for name in NAMES} | {f"{name}-19": "19.1.7" for name in NAMES}, "-19"),
        ({f"{name}-18": "18.1.3" for name in NAMES}, None),
        # No clang of the newer version.
        ({f"{name}-19": "19.1.7" for name in NAMES} | {f"{name}-22": "22.1.8" for name in NAMES[:2]}, "-19"),
        ({}, None),
    ],
)
def test_the_newest_of_one_version(
    installed: dict[str, str], suffix: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    install(tmp_path, installed)
    monkeypatch.setenv("PATH", str(tmp_path))
    if suffix is None:
        with pytest.raises(InputError, match="are not installed; on Debian or Ubuntu: apt install mlir-19-tools"):
            tools()
    else:
        assert tools() == [str(tmp_path / f"{name}{suffix}") for name in NAMES]
