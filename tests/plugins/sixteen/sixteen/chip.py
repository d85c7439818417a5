"""A machine whose `int` has 16 bits, without kernels in assembly, helper functions or predefined macros.

It is an ATmega1284P under another name. Constants are in RAM. A program aborts if a sum, a product or a shift overflows
its type, so that an overflow is detected even if the resulting bits are right.
"""

from pathlib import Path

from tinyml.extend.chips import FORESTS_IN_C, Board, Chip, Package, SumComposer, compose_in_c

CHIP = Chip(
    "sixteen",
    folder=Path(__file__).parent,
    runner="sixteen.runner:SixteenRunner",
    boards=(Board("sixteen", "atmega1284p", flash=130048, ram=16384, unit="cycles"),),
    makers=(SumComposer(compose_in_c), *FORESTS_IN_C),
    prefix="avr-",
    flags=(
        "-mmcu=atmega1284p",
        "-U__AVR__",
        "-fsanitize=signed-integer-overflow,shift",
        "-fsanitize-undefined-trap-on-error",
    ),
    packages=(Package("gcc-avr", command="avr-gcc"), Package("libsimavr-dev", header="simavr/sim_avr.h")),
    alignment=1,
    object_bytes=32767,
)
