"""The component for ESP-IDF has the files of its build system, and its application is right on this computer.

`make folders FROM=DIR` also checks the manifest with the virtual environment DIR/idf (`pip install
idf-component-manager`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from programs.devices import need_tools
from programs.other_tools import from_folder, passed
from programs.printed import WARNING_FLAGS
from programs.sensor_models import NAME, sensor_model

from tinyml.dialects.errors import InputError
from tinyml.targets.registry import board, chip_of
from tinyml.tools.driver.packages.idf import idf_target
from tinyml.tools.driver.packages.packaging_table import packagings_for

IDF_TARGETS = {"esp32", "esp32s2", "esp32s3", "esp32c2", "esp32c3", "esp32c5", "esp32c6", "esp32h2", "esp32p4"}
"""The values of `idf.py set-target` in ESP-IDF 5."""


@pytest.mark.parametrize("target", ["esp32", "esp32-s2", "esp32-s3", "esp32-c3", "esp32-c6", "esp32-h2", "esp32-p4"])
def test_the_target_is_a_chip_of_idf(target: str):
    assert idf_target(board(target)) == target.replace("-", "")
    assert idf_target(board(target)) in IDF_TARGETS


@pytest.mark.parametrize("target", ["uno", "esp8266", "cortex-m4", "ecp5-25k"])
def test_other_boards(target: str):
    with pytest.raises(InputError, match="has no chip of Espressif that ESP-IDF supports"):
        packagings_for(board(target), ["idf"], zipped=False)


@pytest.mark.long(seconds=4)
def test_the_application_is_right(tmp_path: Path):
    """A caller of `app_main` runs the application on this computer; the chip's compiler compiles the component."""
    out = sensor_model(tmp_path, "esp32-c3", packages=("idf",), width=16).out
    component = out / "idf" / NAME
    (tmp_path / "caller.c").write_text("void app_main(void);\nint main(void)\n{\n    app_main();\n    return 0;\n}\n")
    files = [component / "test_apps/main/main.c", component / f"{NAME}.c", tmp_path / "caller.c"]
    flags = [*WARNING_FLAGS, "-Wno-missing-prototypes", "-I", component / "include"]
    passed(["gcc", *flags, *files, "-o", tmp_path / "app", "-lm"])
    assert passed([tmp_path / "app"]).strip() == f"{NAME}: 5 of 5 samples as on the desk"
    manifest = yaml.safe_load((component / "idf_component.yml").read_text())
    assert manifest["dependencies"] == {"idf": ">=5.0"}
    need_tools("esp32-c3")
    chip, own = chip_of("esp32-c3"), [*board("esp32-c3").flags, *chip_of("esp32-c3").flags]
    source = [component / f"{NAME}.c", "-o", tmp_path / "model.o"]
    passed([chip.command("cc"), *own, "-O2", "-ffp-contract=off", "-I", component / "include", "-c", *source])


@pytest.mark.long(seconds=4)
def test_the_component_manager_accepts_the_component(tmp_path: Path):
    program = from_folder("idf", "bin/compote")
    component = sensor_model(tmp_path, "esp32-c3", packages=("idf",)).out / "idf" / NAME
    passed([program, "manifest", "lint"], folder=component)
    passed([program, "component", "pack", "--name", NAME, "--dest-dir", tmp_path / "dist"], folder=component)
    packed = tmp_path / f"dist/{NAME}_1.0.0"
    assert {path.name for path in packed.iterdir()} >= {"CMakeLists.txt", "idf_component.yml", f"{NAME}.c", "include"}
    assert (tmp_path / f"dist/{NAME}_1.0.0.tgz").is_file()
