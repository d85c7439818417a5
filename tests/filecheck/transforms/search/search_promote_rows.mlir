// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-promote{data=%S/../Inputs/classes.npz ram=28 widths=8,16}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=PAIR
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-promote{data=%S/../Inputs/classes.npz metric=error widths=8,10,16 ram=30}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=ERROR
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-promote{data=%S/../Inputs/classes.npz metric=margin widths=8,12,16 ram=30}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=MARGIN
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-promote{data=%S/../Inputs/classes.npz metric=error widths=8,16 ram=22 soft=1.3 target=host}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=SOFT
// RUN: not tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-promote{data=%S/../Inputs/classes.npz soft=0}" 2>&1 | filecheck %s --check-prefix=SOFTEST

// Of two widths the greater one goes to the tensors in the order of promotability that fit 28 bytes of RAM.
// PAIR-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<16, 13>> attributes {
// PAIR-NEXT: tdsl.ram = 28 : i64, tdsl.search = [
// PAIR-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "kept: promotability 0.00751, beyond the limit by itself"},
// PAIR-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.620000e-03, why = "kept: promotability 0.00135, beyond the limit by itself"},
// PAIR-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<13, 12>, error = 5.600000e-05, why = "promoted: promotability 0.00586"},
// PAIR-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 3.200000e-03, why = "kept: promotability 0.000546, beyond the limit by itself"},
// PAIR-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 12>, error = 1.470000e-02, why = "promoted: promotability 0.0143"},
// PAIR-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 4>, error = 1.350000e-02, why = "kept: promotability 0.0172, beyond the limit by itself"},
// PAIR-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 13>, error = 8.770000e-03, why = "promoted: promotability 0.0146"}]} {
// PAIR-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 13>>

// Further widths fill the room that the pair leaves.
// ERROR-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<10, 7>> attributes {
// ERROR-NEXT: tdsl.ram = 30 : i64, tdsl.search = [
// ERROR-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "kept: promotability 0.00751, beyond the limit by itself"},
// ERROR-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.730000e-03, why = "promoted: promotability 0.00135; made wider in free memory"},
// ERROR-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 6>, error = 2.750000e-03, why = "promoted: promotability 0.00586; made wider in free memory"},
// ERROR-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 3.290000e-03, why = "promoted: promotability 0.000546; made wider in free memory"},
// ERROR-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<10, 6>, error = 1.450000e-02, why = "kept: promotability 0.0143, beyond the limit by itself; made wider in free memory"},
// ERROR-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 4>, error = 1.440000e-02, why = "kept: promotability 0.0172, beyond the limit by itself"},
// ERROR-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<10, 7>, error = 8.450000e-03, why = "kept: promotability 0.0146, beyond the limit by itself; made wider in free memory"}]} {
// ERROR-NEXT: func.return %s : tensor<3x1x!fixed.q<10, 7>>

// By margins tensors take finer scales, and single ones get the last bytes.
// MARGIN-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<12, 8>> attributes {
// MARGIN-NEXT: tdsl.ram = 30 : i64, tdsl.search = [
// MARGIN-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "kept: promotability 0.00751, beyond the limit by itself"},
// MARGIN-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 5>, error = 5.830000e-03, why = "promoted: promotability 0.00135; made wider in free memory; at this scale the program loses less"},
// MARGIN-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 8>, error = 1.100000e-03, why = "promoted: promotability 0.00586; made wider in free memory"},
// MARGIN-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 6>, error = 7.270000e-03, why = "promoted: promotability 0.000546; made wider in free memory; at this scale the program loses less"},
// MARGIN-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<12, 8>, error = 1.510000e-02, why = "kept: promotability 0.0143, beyond the limit by itself; made wider in free memory"},
// MARGIN-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 6>, error = 9.330000e-02, why = "kept: promotability 0.0172, beyond the limit by itself; at this scale the program loses less"},
// MARGIN-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<12, 8>, error = 4.440000e-02, why = "kept: promotability 0.0146, beyond the limit by itself; made wider in free memory; at this scale the program loses less"}]} {
// MARGIN-NEXT: func.return %s : tensor<3x1x!fixed.q<12, 8>>

// Promotions may overshoot by 0.3, their results may not.
// SOFT-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<16, 13>>) -> tensor<3x1x!fixed.q<16, 13>> attributes {
// SOFT-NEXT: tdsl.ram = 22 : i64, tdsl.search = [
// SOFT-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<16, 13>, error = 2.740000e-05, why = "promoted: promotability 0.00751"},
// SOFT-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<16, 14>, error = 1.950000e-05, why = "promoted: promotability 0.00135"},
// SOFT-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<13, 12>, error = 5.600000e-05, why = "promoted: promotability 0.00586"},
// SOFT-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<16, 15>, error = 2.190000e-05, why = "promoted: promotability 0.000546"},
// SOFT-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 12>, error = 7.640000e-05, why = "promoted: promotability 0.0143"},
// SOFT-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<16, 12>, error = 7.350000e-05, why = "promoted: promotability 0.0172"},
// SOFT-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 13>, error = 5.370000e-05, why = "promoted: promotability 0.0146"}]} {
// SOFT-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 13>>

// SOFTEST: pass 'search-promote': soft must be positive, got 0
