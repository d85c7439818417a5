"""Messages of boards."""

from __future__ import annotations

from typing import Any

import pytest

from tinyml.targets.registry import board

UNO = board("uno")


@pytest.mark.parametrize(
    ("flash", "ram", "options", "said"),
    [
        (100, 2101, {}, "needs 2,101 bytes of RAM, the board has 2,048"),
        (32257, 2048, {}, "needs 32,257 bytes of flash, the board has 32,256"),
        (
            40000,
            2049,
            {},
            "needs 2,049 bytes of RAM, the board has 2,048 and needs 40,000 bytes of flash",
        ),
        (0, 2049, {"without_stack": True}, "needs more than 2,049 bytes of RAM, the board has 2,048"),
        (100, 1101, {"ram_limit": 1100}, "needs 1,101 bytes of RAM, --ram allows 1,100"),
        (1101, 100, {"flash_limit": 1100}, "needs 1,101 bytes of flash, --flash allows 1,100"),
        # The limit of the user exceeds the memory of the board.
        (100, 2101, {"ram_limit": 2101}, "needs 2,101 bytes of RAM, the board has 2,048"),
        (32256, 2048, {}, "needs 2,048 bytes of RAM and 32,256 of flash, almost all of the board's"),
    ],
)
def test_a_shortage_names_the_exceeded_memories(flash: int, ram: int, options: dict[str, Any], said: str):
    assert UNO.shortage(flash, ram, **options).startswith(said)
