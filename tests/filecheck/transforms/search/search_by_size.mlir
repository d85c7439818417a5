// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error ram=16 target=host}" | filecheck %s --check-prefix=WIDE
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error ram=10 target=host}" | filecheck %s --check-prefix=TEN
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error ram=3}" 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error widths=16,8}" 2>&1 | filecheck %s --check-prefix=WIDTHS
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-size{data=%S/../Inputs/linear.npz metric=error flash=30 target=host}" | filecheck %s --check-prefix=FLASH
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-by-size{data=%S/../Inputs/classes.npz ram=28}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=SIZES

// SMALL: pass 'search-by-size': no program works in 3 bytes of RAM, even with all tensors demoted: the least that was found takes {{[0-9]+}} bytes of RAM
// WIDTHS: pass 'search-by-size': expected the width of demoted tensors and that of others, got [16, 8]

// Wide the program needs 16 bytes.
// WIDE-NOT: why = "demoted

// The smallest first: the result, the input and the weights of the last product, then six numbers in the middle. This
// loses less than the largest first, which would narrow the weights of the first product.
// TEN: {name = "X", {{.*}} why = "demoted: size 2"}, {name = "W1", {{.*}} format = !fixed.q<16, 14>, {{.*}} why = "kept: size 12"}, {name = "W2", {{.*}} why = "demoted: size 6"}, {name = "t1", {{.*}} format = !fixed.q<8, 4>, {{.*}} {name = "t3", {{.*}} why = "demoted: size 1"}]

// Eighteen weights in 30 bytes: the largest first, W1 alone.
// FLASH: {name = "X", {{.*}} format = !fixed.q<16, 13>, {{.*}} {name = "W1", {{.*}} format = !fixed.q<8, {{.*}} {name = "W2", {{.*}} format = !fixed.q<16,

// Tensors of one size are demoted in the order of the program.
// SIZES-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<16, 13>> attributes {
// SIZES-NEXT: tdsl.ram = 28 : i64, tdsl.search = [
// SIZES-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "demoted: size 2"},
// SIZES-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<16, 14>, error = 3.090000e-05, why = "kept: size 6"},
// SIZES-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 4>, error = 1.320000e-02, why = "demoted: size 3"},
// SIZES-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<16, 15>, error = 1.280000e-05, why = "kept: size 9"},
// SIZES-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<8, 4>, error = 2.120000e-02, why = "demoted: size 3"},
// SIZES-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 4>, error = 1.660000e-02, why = "demoted: size 3"},
// SIZES-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 13>, error = 1.090000e-02, why = "kept: size 3"}]} {
// SIZES-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 13>>
