// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-promote{data=%S/../Inputs/classes.npz metric=margin ram=30 widths=8,16 formats=posit}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=FORMATS
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-promote{data=%S/../Inputs/classes.npz format=posit widths=8,10,16 ram=100 metric=error target=host}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=VARIANTS

// Of two widths no third one fills the last bytes.
// FORMATS-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<16, 13>> attributes {
// FORMATS-NEXT: tdsl.ram = 30 : i64, tdsl.search = [
// FORMATS-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "kept: promotability 0.00751, beyond the limit by itself"},
// FORMATS-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.730000e-03, why = "kept: promotability 0.00135, beyond the limit by itself"},
// FORMATS-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 8>, error = 1.160000e-03, why = "kept: promotability 0.00586, beyond the limit by itself"},
// FORMATS-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !posit.p<8, 0, -6, 1, 1>, error = 4.190000e-03, why = "kept: promotability 0.000546, beyond the limit by itself; in this format the program loses less"},
// FORMATS-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 12>, error = 1.480000e-02, why = "promoted: promotability 0.0143"},
// FORMATS-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 6>, error = 9.310000e-02, why = "kept: promotability 0.0172, beyond the limit by itself; at this scale the program loses less"},
// FORMATS-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 13>, error = 4.530000e-02, why = "promoted: promotability 0.0146"}]} {
// FORMATS-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 13>>

// Each width is represented by its best variant among those that fit.
// VARIANTS-LABEL: func.func @classes(%X: tensor<2x1x!posit.p<16, 0, -14, 1, -1>>) -> tensor<3x1x!posit.p<16, 0, -14, 1, -1>> attributes {
// VARIANTS-NEXT: tdsl.ram = 100 : i64, tdsl.search = [
// VARIANTS-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !posit.p<16, 0, -14, 1, -1>, error = 2.930000e-05, why = "promoted: promotability 0.00311"},
// VARIANTS-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !posit.p<16, 0, -14, 1>, error = 1.590000e-05, why = "promoted: promotability 0.000468"},
// VARIANTS-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !posit.p<16, 0, -14, 1, 2>, error = 1.670000e-06, why = "promoted: promotability 2.54e-05"},
// VARIANTS-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !posit.p<16, 0, -14, 1, 1>, error = 1.040000e-05, why = "promoted: promotability 0.0002"},
// VARIANTS-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !posit.p<16, 0, -14, 1, -2>, error = 7.660000e-05, why = "promoted: promotability 0.00798"},
// VARIANTS-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !posit.p<16, 0, -14, 1, -2>, error = 7.020000e-05, why = "promoted: promotability 0.00854"},
// VARIANTS-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !posit.p<16, 0, -14, 1, -1>, error = 5.490000e-05, why = "promoted: promotability 0.00553"}]} {
// VARIANTS-NEXT: func.return %s : tensor<3x1x!posit.p<16, 0, -14, 1, -1>>
