"""The Cortex-M boards: bare cores, and boards with parts that have one."""

from __future__ import annotations

from dataclasses import replace

from tinyml.targets.board import Board, Timing

_CORTEX_M4_TIMING = Timing(
    "ARM DDI 0439, Cortex-M4 Technical Reference Manual, 3.3 and 7.2.3",
    load=2,
    several=1,
    stall=1,
    # Published as 1 to 3, by the target's width and alignment; this is the mean.
    refill=2,
    cycles={
        # Published as 2 to 12, by the operands; this is the mean.
        "sdiv": 7,
        "udiv": 7,
        # The branch itself is a refill.
        "tbb": 2,
        "tbh": 2,
        "vdiv": 14,
        "vsqrt": 14,
        **dict.fromkeys(("vmla", "vmls", "vnmla", "vnmls", "vfma", "vfms", "vfnma", "vfnms"), 3),
        "vmov core": 2,
    },
    mean=1.3,
)

_CORTEX_M3_TIMING = Timing(
    "ARM DDI 0337, Cortex-M3 Technical Reference Manual, 3.3",
    load=2,
    several=1,
    stall=1,
    # Published as 1 to 3, by the target's width and alignment; this is the mean.
    refill=2,
    cycles={
        "mla": 2,
        "mls": 2,
        # Published as 3 to 5 and 4 to 7, by the operands.
        **dict.fromkeys(("smull", "umull"), 4),
        **dict.fromkeys(("smlal", "umlal"), 6),
        # Published as 2 to 12, by the operands; this is the mean.
        "sdiv": 7,
        "udiv": 7,
        # The branch itself is a refill.
        "tbb": 2,
        "tbh": 2,
    },
    mean=1.3,
)

_CORTEX_M0PLUS_TIMING = Timing(
    "ARM DDI 0484, Cortex-M0+ Technical Reference Manual, 3.3",
    load=2,
    several=1,
    stall=0,
    # The pipeline has two stages.
    refill=1,
    # For a core with the single-cycle multiplier; the branch itself is a refill.
    cycles={"bl": 2},
    mean=1.4,
    store=2,
    pipelined=False,
)


_M0, _M3, _M4F = "Cortex-M0+", "Cortex-M3", "Cortex-M4F"

# BBC micro:bit (nRF51822).
_CORTEX_M0 = Board(
    "cortex-m0",
    "cortex-m0",
    262144,
    16384,
    flags=("-mcpu=cortex-m0plus",),
    costs="cortex-m0",
    features=("armv6-m",),
    title="Cortex-M0 with the memories of an nRF51822",
    core="Cortex-M0",
)

# Nucleo-F103RB (STM32F103RB).
_CORTEX_M3 = Board(
    "cortex-m3",
    "cortex-m3",
    131072,
    20480,
    flags=("-mcpu=cortex-m3",),
    title="Cortex-M3 with the memories of an STM32F103RB",
    core=_M3,
)

# Arduino Nano 33 BLE (nRF52840).
_CORTEX_M4 = Board(
    "cortex-m4",
    "cortex-m4",
    1048576,
    262144,
    flags=("-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"),
    costs="cortex-m4",
    features=("dsp",),
    larger="cortex-m4-xip",
    timing=_CORTEX_M4_TIMING,
    title="Cortex-M4 with the memories of an nRF52840",
    core=_M4F,
)

BOARDS = (
    _CORTEX_M0,
    _CORTEX_M3,
    _CORTEX_M4,
    # A bare part with the same RAM that executes from 8 MiB of external flash.
    replace(
        _CORTEX_M4,
        name="cortex-m4-xip",
        flash=8388608,
        larger=None,
        timing=None,
        title="Cortex-M4 with 8 MiB of external flash",
    ),
    replace(
        _CORTEX_M0,
        name="mkr1000",
        flash=253952,
        ram=32768,
        timing=_CORTEX_M0PLUS_TIMING,
        title="Arduino MKR1000, MKR Zero, Nano 33 IoT (SAMD21G18)",
        aliases=("mkrzero", "nano33iot"),
        core=_M0,
        clock=48_000_000,
        source="ArduinoCore-samd, flash_with_bootloader.ld; SAMD21 data sheet",
        waits="flash, of one wait state behind a cache of 8 lines",
        arduino=("arduino:samd:mkr1000", "arduino:samd:mkrzero", "arduino:samd:nano_33_iot"),
        platformio="atmelsam:mkr1000USB",
    ),
    replace(
        _CORTEX_M0,
        name="pico",
        flash=2097152,
        ram=270336,
        timing=_CORTEX_M0PLUS_TIMING,
        title="Raspberry Pi Pico (RP2040)",
        core=_M0,
        clock=125_000_000,
        source="Pico SDK, memmap_default.ld and its default clock; RP2040 data sheet",
        waits="external flash (QSPI), behind a cache of 16 KiB",
        arduino=("arduino:mbed_rp2040:pico", "rp2040:rp2040:rpipico"),
        platformio="raspberrypi:pico",
    ),
    replace(
        _CORTEX_M3,
        name="due",
        flash=524288,
        ram=98304,
        timing=_CORTEX_M3_TIMING,
        title="Arduino Due (SAM3X8E)",
        clock=84_000_000,
        source="ArduinoCore-sam, boards.txt; SAM3X data sheet",
        waits="flash, of 4 wait states behind a buffer of 128 bits",
        arduino=("arduino:sam:arduino_due_x",),
        platformio="atmelsam:due",
    ),
    replace(
        _CORTEX_M4,
        name="nano33ble",
        flash=983040,
        title="Arduino Nano 33 BLE, Sense (nRF52840)",
        aliases=("nano33blesense",),
        clock=64_000_000,
        source="ArduinoCore-mbed, boards.txt; nRF52840 product specification",
        waits="flash, behind a cache of instructions",
        arduino=("arduino:mbed_nano:nano33ble",),
        platformio="nordicnrf52:nano33ble",
    ),
    replace(
        _CORTEX_M4,
        name="nucleo-l4r5zi",
        flash=2097152,
        ram=655360,
        larger=None,
        title="Nucleo-L4R5ZI (STM32L4R5ZI)",
        clock=120_000_000,
        source="STM32L4R5 data sheet",
        waits="flash, of 5 wait states behind caches of 1 KiB and 256 bytes",
        arduino=("STMicroelectronics:stm32:Nucleo_144:pnum=NUCLEO_L4R5ZI",),
    ),
    replace(
        _CORTEX_M4,
        name="microbit",
        flash=524288,
        ram=131072,
        title="BBC micro:bit V2 (nRF52833)",
        aliases=("microbit-v2",),
        clock=64_000_000,
        source="nRF52833 product specification; without Bluetooth's SoftDevice",
        waits="flash, behind a cache of instructions",
        arduino=("sandeepmistry:nRF5:BBCmicrobitV2",),
    ),
)
