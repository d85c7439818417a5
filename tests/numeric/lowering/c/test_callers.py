"""Classifiers in several formats in one translation unit, called with real numbers; their C functions also return the
names of classes.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from programs import all_kernels, labelled_programs
from programs.devices import need_tools
from programs.kernel_models import composed
from programs.labelled_programs import OPTIONS, Answers
from programs.shared_folders import made_once, shared_root

from tinyml.runtime.devices.host import HostRunner
from tinyml.runtime.devices.registry import Runner
from tinyml.runtime.devices.toolchain import call_tool
from tinyml.runtime.model.headers import header_texts, texts_of
from tinyml.targets.registry import HOST, board, chip_of

AVR, ARM, RISCV = "atmega1284p", "cortex-m4", "riscv"


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the printed programs of each target."""
    return shared_root(tmp_path_factory) / "labelled_programs"


def printed(programs: Path, target: str) -> Path:
    return made_once(programs / target, lambda folder: labelled_programs.write_programs(target, folder))


@pytest.mark.long(seconds=5)
@pytest.mark.parametrize("device", [HostRunner(sanitize=True), AVR, ARM], ids=["host", AVR, ARM])
def test_answers_and_names_are_those_of_the_evaluator(device: Runner | str, programs: Path, tmp_path: Path) -> None:
    """Programs in four formats return the evaluator's results and class names for real inputs, converted either all at
    once or one at a time.
    """
    folder = printed(programs, ARM if device == ARM else AVR)
    found = labelled_programs.run_programs(folder, device, tmp_path)
    for name in OPTIONS:
        assert_same_answers(found[name], labelled_programs.expected(name, folder))


def assert_same_answers(found: Answers, expected: Answers) -> None:
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.scores, expected.scores)
    assert found.names == expected.names


MAIN = """\
#include <stdio.h>
#include "figure.c"

int main(void)
{{
    static const int32_t words[][{columns}] = {{
{rows}
    }};
    for (size_t row = 0; row < sizeof words / sizeof *words; row++) {{
        figure_predict(words[row]);
        for (int16_t i = 0; i < {length}; i++)
            printf("%ld ", (long)out[i]);
    }}
    return 0;
}}
"""


@pytest.mark.long
@pytest.mark.parametrize("language", ["c", "c++"])
def test_programs_in_one_unit_compute_the_same_in_any_order(language: str, programs: Path, tmp_path: Path) -> None:
    folder, words = printed(programs, HOST), labelled_programs.words_for()
    rows = "\n".join("        {" + ", ".join(f"INT32_C({word})" for word in row) + "}," for row in words.tolist())
    for order in (list(OPTIONS), list(OPTIONS)[::-1]):
        (tmp_path / "figure.h").write_text("#include <stdint.h>\n")
        (tmp_path / "figure.c").write_text(labelled_programs.around(folder, order))
        (tmp_path / "main.c").write_text(
            MAIN.format(columns=words.shape[1], rows=rows, length=labelled_programs.LENGTH)
        )
        program = tmp_path / "program"
        flags = ["-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-x", language]
        call_tool(chip_of(HOST), "cc", [*flags, tmp_path / "main.c", "-o", program, "-lm"])
        said = subprocess.run([program], capture_output=True, check=True).stdout
        results = np.array(said.split(), np.int32).reshape(len(words), -1)
        for name, answers in labelled_programs.answers(results).items():
            assert_same_answers(answers, labelled_programs.expected(name, folder))


STANDARDS = {
    "c": [["-std=c99", "-pedantic"], ["-std=c11"], ["-std=gnu99", "-O0"]],
    "c++": [["-std=gnu++11"], ["-std=c++17"], ["-std=gnu++23"]],
}
"""Languages, and flags under which they are compiled."""


def compiled_quietly(target: str, source: Path, language: str, flags: Sequence[str]) -> None:
    """Compile a file and assert that there is no warning; skip language standards that the compiler does not
    support.
    """
    chip = chip_of(target)
    own = ["-ffreestanding"] if target == RISCV else []
    common = ["-Os", "-flto", "-Wall", "-Wextra", "-Werror", *chip.flags, *board(target).flags, *own]
    command = [chip.command("cc"), *common, *flags, "-x", language, "-c", source, "-o", source.with_suffix(".o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if f"unrecognized command line option '{flags[0]}'" not in re.sub("[‘’]", "'", done.stderr):
        assert done.returncode == 0, f"{flags}: {done.stderr}"


@pytest.mark.long
@pytest.mark.parametrize("language", STANDARDS)
@pytest.mark.parametrize("target", [HOST, AVR, ARM, RISCV])
def test_printed_c_compiles_without_a_warning(target: str, language: str, programs: Path, tmp_path: Path) -> None:
    """Four programs in one translation unit compile without a warning, also with link-time optimisation."""
    need_tools(target)
    folder = printed(programs, target)
    source = tmp_path / "all.c"
    source.write_text("".join(f'#include "{folder / name}.c"\n' for name in OPTIONS))
    for flags in STANDARDS[language]:
        compiled_quietly(target, source, language, flags)


@pytest.mark.long
@pytest.mark.parametrize("target", [HOST, AVR, ARM, RISCV])
def test_the_whole_runtime_compiles_as_c_and_cpp(target: str, tmp_path: Path) -> None:
    """A translation unit that contains the text of all headers and of kernels of all kinds for a target compiles
    without warnings as C and as C++.
    """
    need_tools(target)
    kernels = [kernel for _, kernel in all_kernels.kernels(target)] + composed(target)
    kernel_texts = dict(text for kernel in kernels for text in texts_of(kernel, target))
    texts = {**header_texts(chip_of(target)), **kernel_texts}
    # Some headers refuse other chips.
    compiled = [text for text in texts.values() if target != AVR or "#error" not in text]
    source = tmp_path / "runtime.c"
    source.write_text(re.sub(r'^#include "\w+\.h"$', "", "\n".join(compiled), flags=re.MULTILINE))
    for language, flags in ((language, one) for language, all in STANDARDS.items() for one in all):
        compiled_quietly(target, source, language, [*flags, "-Wno-unused-function"])
