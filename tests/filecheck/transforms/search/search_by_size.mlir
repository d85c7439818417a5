// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error ram=16 target=host}" | filecheck %s --check-prefix=WIDE
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error ram=10 target=host}" | filecheck %s --check-prefix=TEN
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error ram=3}" 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error widths=16,8}" 2>&1 | filecheck %s --check-prefix=WIDTHS
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error flash=30 target=host}" | filecheck %s --check-prefix=FLASH

// SMALL: pass 'search-by-size': no program works in 3 bytes of RAM, even with all tensors demoted: the least that was found takes {{[0-9]+}} bytes of RAM
// WIDTHS: pass 'search-by-size': expected the width of demoted tensors and that of others, got [16, 8]

// Wide the program needs 16 bytes.
// WIDE-NOT: why = "demoted

// The smallest first: the result, the input and the weights of the last product, then six numbers in the middle. This
// loses less than the largest first, which would narrow the weights of the first product.
// TEN: {name = "X", {{.*}} why = "demoted: size 2"}, {name = "W1", {{.*}} format = !fixed.q<16, 14>, {{.*}} why = "kept: size 12"}, {name = "W2", {{.*}} why = "demoted: size 6"}, {name = "t1", {{.*}} format = !fixed.q<8, 4>, {{.*}} {name = "t3", {{.*}} why = "demoted: size 1"}]

// Eighteen weights in 30 bytes: the largest first, W1 alone.
// FLASH: {name = "X", {{.*}} format = !fixed.q<16, 13>, {{.*}} {name = "W1", {{.*}} format = !fixed.q<8, {{.*}} {name = "W2", {{.*}} format = !fixed.q<16,
