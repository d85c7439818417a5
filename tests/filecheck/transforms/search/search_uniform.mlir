// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error format=posit widths=6}" | filecheck %s --check-prefix=SIX
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error format=posit widths=6,8}" | filecheck %s --check-prefix=EIGHT
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz metric=error}" | filecheck %s --check-prefix=USUAL
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-uniform{data=%S/../Inputs/linear.npz widths=99}" 2>&1 | filecheck %s --check-prefix=WIDTH

// SIX: {name = "X", {{.*}} format = !posit.p<6, 0
// EIGHT: {name = "X", {{.*}} format = !posit.p<8, 0
// USUAL: {name = "X", {{.*}} format = !fixed.q<16, 13>
// WIDTH: fixed point has widths from 2 to 32, got 99
