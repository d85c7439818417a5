"""The boards with an ESP32, ESP32-S2 or ESP32-S3."""

from dataclasses import replace

from tinyml.targets.board import Board

_ESP32 = Board(
    "esp32",
    "lx6",
    flash=1310720,
    ram=327680,
    costs="",
    title="ESP32 (DevKitC and others)",
    core="Xtensa LX6",
    clock=240_000_000,
    source="arduino-esp32, boards.txt (the default partitions of 4 MiB of flash; RAM; clock)",
    waits="external flash (SPI), behind a cache of 32 KiB",
    arduino=("esp32:esp32:esp32",),
    platformio="espressif32:esp32dev",
)

BOARDS = (
    _ESP32,
    replace(
        _ESP32,
        name="esp32-s2",
        part="lx7",
        title="ESP32-S2",
        aliases=("esp32s2",),
        core="Xtensa LX7",
        waits="external flash (SPI), behind a cache of 8 or 16 KiB",
        arduino=("esp32:esp32:esp32s2",),
        platformio="espressif32:esp32-s2-saola-1",
    ),
    replace(
        _ESP32,
        name="esp32-s3",
        part="lx7",
        title="ESP32-S3, Seeed Studio XIAO ESP32S3",
        aliases=("esp32s3", "xiao-esp32s3"),
        core="Xtensa LX7",
        waits="external flash (SPI), behind caches of 16 and 32 KiB",
        arduino=("esp32:esp32:esp32s3", "esp32:esp32:XIAO_ESP32S3"),
        platformio="espressif32:esp32-s3-devkitc-1",
    ),
)
