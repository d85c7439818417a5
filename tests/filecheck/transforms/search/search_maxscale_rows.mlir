// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-maxscale{data=%S/../Inputs/classes.npz metric=margin}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=MARGIN
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-maxscale{data=%S/../Inputs/classes.npz metric=accuracy}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=LABELS
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-maxscale{data=%S/../Inputs/classes.npz widths=8,10,16 ram=28 metric=margin}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=RAM
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-maxscale{data=%S/../Inputs/classes.npz widths=8 format=seedot}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=SEEDOT

// The scale with the least error of margins.
// MARGIN-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<16, 13>>) -> tensor<3x1x!fixed.q<16, 14>> attributes {
// MARGIN-NEXT: tdsl.search = [
// MARGIN-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<16, 13>, error = 2.740000e-05, why = "maxscale 14"},
// MARGIN-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<16, 14>, error = 1.950000e-05, why = "maxscale 14"},
// MARGIN-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<15, 14>, error = 1.640000e-05, why = "maxscale 14"},
// MARGIN-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<16, 15>, error = 8.280000e-06, why = "maxscale 14"},
// MARGIN-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 14>, error = 1.260000e-01, why = "maxscale 14"},
// MARGIN-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<16, 14>, error = 8.580000e-02, why = "maxscale 14"},
// MARGIN-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 14>, error = 4.160000e-02, why = "maxscale 14"}]} {
// MARGIN-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 14>>

// Of scales with the same accuracy the greatest is taken.
// LABELS-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<16, 13>>) -> tensor<3x1x!fixed.q<16, 15>> attributes {
// LABELS-NEXT: tdsl.search = [
// LABELS-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<16, 13>, error = 2.740000e-05, why = "maxscale 15"},
// LABELS-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<16, 14>, error = 1.950000e-05, why = "maxscale 15"},
// LABELS-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<16, 15>, error = 5.530000e-06, why = "maxscale 15"},
// LABELS-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<16, 15>, error = 1.300000e-05, why = "maxscale 15"},
// LABELS-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 15>, error = 4.070000e-01, why = "maxscale 15"},
// LABELS-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<16, 15>, error = 2.770000e-01, why = "maxscale 15"},
// LABELS-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 15>, error = 1.410000e-01, why = "maxscale 15"}]} {
// LABELS-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 15>>

// The width with the least loss within 28 bytes.
// RAM-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<8, 7>> attributes {
// RAM-NEXT: tdsl.ram = 28 : i64, tdsl.search = [
// RAM-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "maxscale 7"},
// RAM-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.830000e-03, why = "maxscale 7"},
// RAM-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 7>, error = 2.750000e-03, why = "maxscale 7"},
// RAM-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 4.380000e-03, why = "maxscale 7"},
// RAM-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<8, 7>, error = 4.180000e-01, why = "maxscale 7"},
// RAM-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 7>, error = 2.850000e-01, why = "maxscale 7"},
// RAM-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<8, 7>, error = 1.470000e-01, why = "maxscale 7"}]} {
// RAM-NEXT: func.return %s : tensor<3x1x!fixed.q<8, 7>>

// SeeDot's own arithmetic.
// SEEDOT-LABEL: func.func @classes(%X: tensor<2x1x!seedot.q<8, 5>>) -> tensor<3x1x!seedot.q<8, 5>> attributes {
// SEEDOT-NEXT: tdsl.search = [
// SEEDOT-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !seedot.q<8, 5>, error = 1.540000e-02, why = "maxscale 5"},
// SEEDOT-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !seedot.q<8, 6>, error = 8.330000e-03, why = "maxscale 5"},
// SEEDOT-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !seedot.q<8, 8>, error = 1.160000e-03, why = "maxscale 5"},
// SEEDOT-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !seedot.q<8, 7>, error = 2.730000e-03, why = "maxscale 5"},
// SEEDOT-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !seedot.q<8, 5>, error = 2.190000e-01, why = "maxscale 5"},
// SEEDOT-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !seedot.q<8, 5>, error = 1.580000e-01, why = "maxscale 5"},
// SEEDOT-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !seedot.q<8, 5>, error = 1.560000e-01, why = "maxscale 5"}]} {
// SEEDOT-NEXT: func.return %s : tensor<3x1x!seedot.q<8, 5>>
