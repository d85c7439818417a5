"""The module for Zephyr is built by Zephyr's CMake for a native board and an emulated Cortex-M3, and its sample is run.

`make folders FROM=DIR` runs these tests with the sources in DIR/zephyr, those of zephyrproject-rtos/cmsis in DIR/cmsis
at the revision that DIR/zephyr/west.yml names, and a Python with west, pyelftools, pyyaml, pykwalify and packaging in
DIR/python.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from programs.devices import need_tools
from programs.other_tools import from_folder, passed
from programs.printed import WARNING_FLAGS
from programs.sensor_models import NAME, sensor_model

from tinyml.dialects.errors import InputError
from tinyml.targets.registry import board
from tinyml.tools.driver.packages.packaging_table import packagings_for

RIGHT = f"{NAME}: 5 of 5 samples as on the desk"


def zephyr_build(out: Path, target: str, build: Path, toolchain: dict[str, str], modules: list[Path]) -> None:
    """Configure and build the sample in an output folder for a board of Zephyr."""
    base, python = from_folder("zephyr", "VERSION").parent, from_folder("python", "bin/python3").parent
    module = out / "zephyr" / NAME
    known = ";".join(map(str, [module, *modules]))
    environment = {"ZEPHYR_BASE": str(base), **toolchain}
    configure = ["cmake", "-G", "Ninja", "-S", module / "sample", "-B", build, f"-DBOARD={target}"]
    for command in ([*configure, f"-DZEPHYR_MODULES={known}"], ["ninja", "-C", build]):
        passed(command, path=python, environment=environment)


def console(command: list[str | Path]) -> str:
    """What a program that does not end prints up to the line of the sample."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as running:
        assert running.stdout is not None
        said = ""
        for line in running.stdout:
            said += line
            if "samples as on the desk" in line:
                break
        running.kill()
    return said


@pytest.mark.long(seconds=90)
@pytest.mark.parametrize("instances", [False, True])
def test_the_sample_runs_on_the_native_board(instances: bool, tmp_path: Path):
    out = sensor_model(tmp_path, "cortex-m4", packages=("zephyr",), width=16, instances=instances).out
    zephyr_build(out, "native_posix_64", tmp_path / "build", {"ZEPHYR_TOOLCHAIN_VARIANT": "host"}, [])
    assert RIGHT in console([tmp_path / "build/zephyr/zephyr.exe"])


@pytest.mark.long(seconds=90)
def test_the_sample_runs_on_an_emulated_processor(tmp_path: Path):
    need_tools("cortex-m3")
    cmsis = from_folder("cmsis", "CMSIS").parent
    out = sensor_model(tmp_path, "cortex-m3", packages=("zephyr",)).out
    toolchain = {"ZEPHYR_TOOLCHAIN_VARIANT": "gnuarmemb", "GNUARMEMB_TOOLCHAIN_PATH": "/usr"}
    zephyr_build(out, "qemu_cortex_m3", tmp_path / "build", toolchain, [cmsis])
    machine = ["qemu-system-arm", "-cpu", "cortex-m3", "-machine", "lm3s6965evb", "-nographic", "-vga", "none"]
    assert RIGHT in console([*machine, "-kernel", tmp_path / "build/zephyr/zephyr.elf"])


@pytest.mark.long
def test_the_sample_is_a_program_without_warnings(tmp_path: Path):
    """The sample needs nothing of Zephyr, so that this computer runs it, too."""
    out = sensor_model(tmp_path, "cortex-m4", packages=("zephyr",), width=16).out
    module = out / "zephyr" / NAME
    files = [module / "sample/src/main.c", module / f"src/{NAME}.c"]
    program = tmp_path / "sample"
    passed(["gcc", *WARNING_FLAGS, "-I", module / "include", *files, "-o", program, "-lm"])
    assert passed([program]).strip() == RIGHT
    regex = _yaml(module / "sample/sample.yaml")["tests"][f"tinyml.{NAME}"]["harness_config"]["regex"]
    assert regex == [RIGHT]
    build = _yaml(module / "zephyr/module.yml")["build"]
    assert (module / build["kconfig"]).is_file()
    assert (module / build["cmake"] / "CMakeLists.txt").is_file()


def _yaml(file: Path) -> dict[str, Any]:
    return yaml.safe_load(file.read_text())


def test_boards_without_zephyr():
    with pytest.raises(InputError, match="uno does not run Zephyr"):
        packagings_for(board("uno"), ["zephyr"], zipped=False)
