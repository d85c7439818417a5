// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error ram=16 target=host}" | filecheck %s --check-prefix=WIDE
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error ram=10 target=host}" | filecheck %s --check-prefix=TEN
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error ram=3}" 2>&1 | filecheck %s --check-prefix=SMALL
// RUN: not tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error widths=16,8}" 2>&1 | filecheck %s --check-prefix=WIDTHS
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error flash=30 target=host}" | filecheck %s --check-prefix=FLASH
// RUN: tinyml-opt %S/../Inputs/hidden.mlir -p "profile{data=%S/../Inputs/linear.npz},search-by-accuracy{data=%S/../Inputs/linear.npz metric=error flash=20 target=host}" | filecheck %s --check-prefix=LEAST
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-by-accuracy{data=%S/../Inputs/classes.npz ram=30 metric=margin}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=LOSSES
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-by-accuracy{data=%S/../Inputs/classes.npz ram=28}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=TIES
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-by-accuracy{data=%S/../Inputs/classes.npz widths=4,6 metric=margin ram=25}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=INPUT

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

// Finer scales of demoted tensors belong to their measurements.
// LOSSES-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<8, 7>> attributes {
// LOSSES-NEXT: tdsl.ram = 30 : i64, tdsl.search = [
// LOSSES-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "demoted: 0.318 mean error of margins with it alone demoted"},
// LOSSES-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.830000e-03, why = "demoted: 0.145 mean error of margins with it alone demoted"},
// LOSSES-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 7>, error = 3.690000e-03, why = "demoted: 0.0218 mean error of margins with it alone demoted"},
// LOSSES-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 4.380000e-03, why = "demoted: 0.0259 mean error of margins with it alone demoted"},
// LOSSES-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<8, 6>, error = 1.410000e-01, why = "demoted: 0.0594 mean error of margins with it alone demoted at a scale 2^2 times finer"},
// LOSSES-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 7>, error = 2.610000e-01, why = "demoted: 0.0543 mean error of margins with it alone demoted at a scale 2^3 times finer"},
// LOSSES-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<8, 7>, error = 1.330000e-01, why = "demoted: 0.0593 mean error of margins with it alone demoted at a scale 2^2 times finer"}]} {
// LOSSES-NEXT: func.return %s : tensor<3x1x!fixed.q<8, 7>>

// Where all lose nothing, the order is that of the program.
// TIES-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<16, 13>> attributes {
// TIES-NEXT: tdsl.ram = 28 : i64, tdsl.search = [
// TIES-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "demoted: 0 % differ with it alone demoted"},
// TIES-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.730000e-03, why = "demoted: 0 % differ with it alone demoted"},
// TIES-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 4>, error = 2.230000e-02, why = "demoted: 0 % differ with it alone demoted"},
// TIES-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 2.840000e-03, why = "demoted: 0 % differ with it alone demoted"},
// TIES-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<8, 4>, error = 2.200000e-02, why = "demoted: 0 % differ with it alone demoted"},
// TIES-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 4>, error = 2.220000e-02, why = "demoted: 0 % differ with it alone demoted"},
// TIES-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 13>, error = 1.240000e-02, why = "kept: 0 % differ with it alone demoted"}]} {
// TIES-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 13>>

// The input takes the scale at which the wide program loses least.
// INPUT-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<6, 2>>) -> tensor<3x1x!fixed.q<6, 3>> attributes {
// INPUT-NEXT: tdsl.ram = 25 : i64, tdsl.search = [
// INPUT-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<6, 2>, error = 6.580000e-02, why = "kept: 4.4 mean error of margins with it alone demoted"},
// INPUT-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<6, 4>, error = 3.080000e-02, why = "kept: 3.18 mean error of margins with it alone demoted"},
// INPUT-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<6, 2>, error = 6.100000e-02, why = "kept: 1.65 mean error of margins with it alone demoted"},
// INPUT-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<6, 5>, error = 1.020000e-02, why = "kept: 2.51 mean error of margins with it alone demoted"},
// INPUT-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<6, 2>, error = 1.170000e-01, why = "kept: 1.65 mean error of margins with it alone demoted at a scale 2^1 times finer"},
// INPUT-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<6, 2>, error = 8.180000e-02, why = "kept: 1.68 mean error of margins with it alone demoted at a scale 2^1 times finer"},
// INPUT-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<6, 3>, error = 4.910000e-02, why = "kept: 1.65 mean error of margins with it alone demoted at a scale 2^2 times finer"}]} {
// INPUT-NEXT: func.return %s : tensor<3x1x!fixed.q<6, 3>>
