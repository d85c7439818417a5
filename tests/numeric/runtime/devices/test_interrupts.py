"""A signal interrupts an endless emulation, although C code counts the executed blocks."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

from tinyml.runtime.devices.registry import Interface, runner_for

ENDLESS = Interface("endless", "int16_t", 2, None, 0, has_label=True)


def test_an_endless_emulation_can_be_interrupted(tmp_path: Path):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "endless.h").write_text(
        "#include <stdint.h>\n#define endless_INPUT_LENGTH 2\n#define endless_OUTPUT_LENGTH 0\n"
        "int16_t endless_predict(const int16_t *X);\n"
    )
    (tmp_path / "endless.c").write_text(
        '#include "endless.h"\nint16_t endless_predict(const int16_t *X) { for (;;) *(const volatile int16_t *)X; }\n'
    )
    runner = runner_for("cortex-m3")
    build = runner.build(tmp_path, ENDLESS, tmp_path / "build")
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            runner.run(build, ENDLESS, np.zeros((1, 2), np.int16))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
