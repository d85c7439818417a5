// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-weights{data=%S/../Inputs/classes.npz weight_bits=5}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=FIVE
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-weights{data=%S/../Inputs/classes.npz weight_bits=8}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=EIGHT

// Five bits on average.
// FIVE-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<16, 13>>) -> tensor<3x1x!fixed.q<16, 13>> attributes {
// FIVE-NEXT: tdsl.search = [
// FIVE-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<16, 13>, error = 2.740000e-05, why = "all but weights have this format"},
// FIVE-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<6, 4>, error = 2.370000e-02, why = "6.00 bits an element, within 5 on average"},
// FIVE-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<6, 6>, error = 5.370000e-03, why = "6.00 bits an element, within 5 on average"},
// FIVE-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<4, 3>, error = 3.820000e-02, why = "4.00 bits an element, within 5 on average"},
// FIVE-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 12>, error = 2.880000e-02, why = "all but weights have this format"},
// FIVE-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<16, 12>, error = 2.050000e-02, why = "all but weights have this format"},
// FIVE-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 13>, error = 3.190000e-02, why = "all but weights have this format"}]} {
// FIVE-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 13>>

// A constant that hardly counts takes more, the largest less.
// EIGHT-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<16, 13>>) -> tensor<3x1x!fixed.q<16, 13>> attributes {
// EIGHT-NEXT: tdsl.search = [
// EIGHT-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<16, 13>, error = 2.740000e-05, why = "all but weights have this format"},
// EIGHT-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 6.040000e-03, why = "8.00 bits an element, within 8 on average"},
// EIGHT-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<13, 12>, error = 9.830000e-05, why = "13.00 bits an element, within 8 on average"},
// EIGHT-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<6, 5>, error = 1.030000e-02, why = "6.00 bits an element, within 8 on average"},
// EIGHT-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 12>, error = 7.550000e-03, why = "all but weights have this format"},
// EIGHT-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<16, 12>, error = 4.980000e-03, why = "all but weights have this format"},
// EIGHT-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 13>, error = 5.840000e-03, why = "all but weights have this format"}]} {
// EIGHT-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 13>>
