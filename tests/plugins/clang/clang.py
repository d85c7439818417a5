"""The host computer again, with programs that clang compiles."""

from dataclasses import replace

from tinyml.targets.board import Board
from tinyml.targets.c.composer.compose import compose
from tinyml.targets.host.chip import CHIP as HOST
from tinyml.targets.makers import SumComposer
from tinyml.targets.package import Package

CHIP = replace(
    HOST,
    name="clang",
    boards=(Board("clang", "clang", unit="cycles"),),
    makers=(SumComposer(compose), *HOST.makers),
    compiler="clang-19",
    packages=(Package("clang-19", command="clang-19"), Package("libc6-dev", header="stdio.h")),
)
