"""A target that is the host computer, with programs compiled by clang."""

from dataclasses import replace

from tinyml.extend.chips import HOST, Board, Package, SumComposer, compose_in_c

CHIP = replace(
    HOST,
    name="clang",
    boards=(Board("clang", "clang", unit="cycles"),),
    makers=(SumComposer(compose_in_c), *HOST.makers),
    compiler="clang-19",
    packages=(Package("clang-19", command="clang-19"), Package("libc6-dev", header="stdio.h")),
)
