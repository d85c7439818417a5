// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error format=posit widths=6}" | filecheck %s --check-prefix=SIX
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error format=posit widths=6,8}" | filecheck %s --check-prefix=EIGHT
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error}" | filecheck %s --check-prefix=USUAL
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz widths=99}" 2>&1 | filecheck %s --check-prefix=WIDTH
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error widths=8,16 flash=18 target=host}" | filecheck %s --check-prefix=NARROW
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error widths=8,16 ram=16 flash=36 target=host}" | filecheck %s --check-prefix=USUAL
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error widths=8,16 ram=15 target=host}" | filecheck %s --check-prefix=NARROW
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error widths=8,16 flash=17 target=host}" 2>&1 | filecheck %s --check-prefix=FLASH
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error flash=17 target=host}" 2>&1 | filecheck %s --check-prefix=ONE
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error widths=3 scale-by=scores}" | filecheck %s --check-prefix=LOSS
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error widths=3 scale-by=greatest}" | filecheck %s --check-prefix=GREATEST

// SIX: {name = "X", {{.*}} format = !posit.p<6, 0
// EIGHT: {name = "X", {{.*}} format = !posit.p<8, 0
// USUAL: {name = "X", {{.*}} format = !fixed.q<16, 13>
// WIDTH: fixed point has widths from 2 to 32, got 99

// Eighteen weights and sixteen bytes of RAM in 16 bits; the width within both limits that loses least.
// NARROW: {name = "X", {{.*}} format = !fixed.q<8, 5>
// ONE: no program works in 17 bytes of flash at the tried width 16 (--widths sets others): the least that was found
// FLASH: no program works in 17 bytes of flash at the tried widths 8, 16 (--widths sets others): the least that was found takes 18 bytes of flash

// Scales by the scores are changed where the whole program loses less, those by the greatest values are not.
// LOSS: {name = "t3", {{.*}} format = !fixed.q<3, 0>, {{.*}} why = "all tensors have this format; at this scale the program loses less"}
// GREATEST: {name = "t3", {{.*}} format = !fixed.q<3, -1>, {{.*}} why = "all tensors have this format"}
