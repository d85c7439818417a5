"""The board `feather-m3`, a Cortex-M3 with 96 KiB of flash: a board whose chip tinyml describes."""

from dataclasses import replace

from tinyml.extend.chips import board, chip_of

FEATHER = replace(
    board("bluepill"),
    name="feather-m3",
    title="Feather M3",
    aliases=(),
    flash=98304,
    ram=20480,
    clock=48_000_000,
    source="data sheet of the Feather M3, table 2",
    waits="",
    platformio="",
)

CHIP = replace(chip_of("bluepill"), name="feather", boards=(FEATHER,))
