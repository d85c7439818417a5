// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error ram=16 target=host}" | filecheck %s --check-prefix=WIDE
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error ram=10 target=host}" | filecheck %s --check-prefix=TEN
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error ram=3}" 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error widths=16,8}" 2>&1 | filecheck %s --check-prefix=WIDTHS
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error flash=30 target=host}" | filecheck %s --check-prefix=FLASH
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error flash=20 target=host}" | filecheck %s --check-prefix=LEAST

// SMALL: pass 'search-by-accuracy': no program works in 3 bytes of RAM, even with all tensors demoted: the least that was found takes {{[0-9]+}} bytes of RAM
// WIDTHS: pass 'search-by-accuracy': expected the width of demoted tensors and that of others, got [16, 8]

// Wide the program needs 16 bytes.
// WIDE-NOT: why = "demoted

// What loses least is narrow: the result and the six numbers in the middle.
// TEN: {name = "X", {{.*}} format = !fixed.q<16, 13>, {{.*}} {name = "t1", {{.*}} format = !fixed.q<8, 4>, {{.*}} why = "demoted: 0.0142 mean error with it alone demoted"}, {name = "t3", {{.*}} format = !fixed.q<8, 4>,

// One of both matrices is narrow in 30 bytes.
// FLASH: {name = "W1", {{.*}} format = !fixed.q<16, {{.*}} {name = "W2", {{.*}} format = !fixed.q<8,

// In 20 bytes nothing is promoted.
// LEAST: {name = "X", {{.*}} format = !fixed.q<8, {{.*}} {name = "W1", {{.*}} format = !fixed.q<8, {{.*}} {name = "t3", {{.*}} format = !fixed.q<8,
