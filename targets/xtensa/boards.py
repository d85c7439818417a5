"""The boards with an ESP8266, whose core is an Xtensa LX106."""

from tinyml.targets.board import Board

BOARDS = (
    Board(
        "esp8266",
        "lx106",
        flash=1044464,
        ram=81920,
        costs="",
        title="ESP8266 (NodeMCU, Wemos D1 mini)",
        aliases=("nodemcu", "wemos-d1-mini", "d1-mini"),
        core="Xtensa LX106",
        clock=80_000_000,
        source="PlatformIO, platform-espressif8266, nodemcuv2.json; ESP8266 Arduino core, boards.txt (a sketch)",
        waits="external flash (SPI), behind a cache of 32 KiB",
        arduino=("esp8266:esp8266:nodemcuv2", "esp8266:esp8266:d1_mini"),
        platformio="espressif8266:nodemcuv2",
    ),
)
