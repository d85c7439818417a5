// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-demote{data=%S/../Inputs/classes.npz loss=0.1 metric=margin widths=6,10}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=SIX
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-demote{data=%S/../Inputs/classes.npz ram=29}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=RAM
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-demote{data=%S/../Inputs/classes.npz format=shiftry flash=30 target=host}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=SHIFTRY
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-demote{data=%S/../Inputs/classes.npz widths=8,8}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=SAME
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-demote{data=%S/../Inputs/classes.npz format=f32 widths=32}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=SINGLE
// RUN: tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-demote{data=%S/../Inputs/classes.npz widths=4,6 metric=margin loss=0.3}" | sed -E -f %S/../Inputs/rows.sed | filecheck %s --check-prefix=FINE
// RUN: not tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-demote{data=%S/../Inputs/classes.npz widths=8}" 2>&1 | filecheck %s --check-prefix=ONE
// RUN: not tinyml-opt %S/../Inputs/classes.mlir -p "profile{data=%S/../Inputs/classes.npz},search-demote{data=%S/../Inputs/classes.npz loss=-1}" 2>&1 | filecheck %s --check-prefix=NEGATIVE

// By margins a demoted tensor takes the scale at which it loses least.
// SIX-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<10, 7>>) -> tensor<3x1x!fixed.q<10, 7>> attributes {
// SIX-NEXT: tdsl.search = [
// SIX-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<10, 7>, error = 1.970000e-03, why = "kept: 1.63 mean error of margins with it alone demoted"},
// SIX-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<10, 8>, error = 7.030000e-04, why = "kept: 0.202 mean error of margins with it alone demoted"},
// SIX-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<6, 6>, error = 2.750000e-03, why = "demoted: 0.0603 mean error of margins with it alone demoted"},
// SIX-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<10, 9>, error = 9.070000e-04, why = "kept: 0.113 mean error of margins with it alone demoted"},
// SIX-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<10, 6>, error = 5.150000e-03, why = "kept: 0.162 mean error of margins with it alone demoted at a scale 2^3 times finer"},
// SIX-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<10, 6>, error = 3.840000e-03, why = "kept: 0.212 mean error of margins with it alone demoted at a scale 2^3 times finer"},
// SIX-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<10, 7>, error = 2.750000e-03, why = "kept: 0.157 mean error of margins with it alone demoted at a scale 2^2 times finer"}]} {
// SIX-NEXT: func.return %s : tensor<3x1x!fixed.q<10, 7>>

// Tensors that lose as little are demoted in the order of the program.
// RAM-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<16, 13>> attributes {
// RAM-NEXT: tdsl.ram = 29 : i64, tdsl.search = [
// RAM-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "demoted: 0 % differ with it alone demoted"},
// RAM-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.730000e-03, why = "demoted: 0 % differ with it alone demoted"},
// RAM-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 8>, error = 1.160000e-03, why = "demoted: 0 % differ with it alone demoted"},
// RAM-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<16, 15>, error = 1.120000e-05, why = "kept: 0 % differ with it alone demoted"},
// RAM-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<16, 12>, error = 1.480000e-02, why = "kept: 0 % differ with it alone demoted"},
// RAM-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<16, 12>, error = 1.080000e-02, why = "kept: 0 % differ with it alone demoted"},
// RAM-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<16, 13>, error = 6.920000e-03, why = "kept: 0 % differ with it alone demoted"}]} {
// RAM-NEXT: func.return %s : tensor<3x1x!fixed.q<16, 13>>

// The bytes of constants alone decide.
// SHIFTRY-LABEL: func.func @classes(%X: tensor<2x1x!shiftry.q<8, 5>>) -> tensor<3x1x!shiftry.q<16, 13>> attributes {
// SHIFTRY-NEXT: tdsl.search = [
// SHIFTRY-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !shiftry.q<8, 5>, error = 1.540000e-02, why = "demoted: 0 % differ with it alone demoted"},
// SHIFTRY-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !shiftry.q<8, 6>, error = 8.330000e-03, why = "demoted: 0 % differ with it alone demoted"},
// SHIFTRY-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !shiftry.q<16, 16>, error = 1.670000e-06, why = "kept: 0 % differ with it alone demoted"},
// SHIFTRY-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !shiftry.q<16, 15>, error = 1.710000e-05, why = "kept: 0 % differ with it alone demoted"},
// SHIFTRY-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !shiftry.q<16, 11>, error = 2.890000e-02, why = "kept: 0 % differ with it alone demoted"},
// SHIFTRY-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !shiftry.q<16, 11>, error = 2.060000e-02, why = "kept: 0 % differ with it alone demoted"},
// SHIFTRY-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !shiftry.q<16, 13>, error = 1.340000e-02, why = "kept: 0 % differ with it alone demoted"}]} {
// SHIFTRY-NEXT: func.return %s : tensor<3x1x!shiftry.q<16, 13>>

// Both widths may be one.
// SAME-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<8, 5>>) -> tensor<3x1x!fixed.q<8, 5>> attributes {
// SAME-NEXT: tdsl.search = [
// SAME-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<8, 5>, error = 8.910000e-03, why = "kept: 0 % differ with it alone demoted"},
// SAME-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<8, 6>, error = 5.730000e-03, why = "kept: 0 % differ with it alone demoted"},
// SAME-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<8, 4>, error = 2.230000e-02, why = "kept: 0 % differ with it alone demoted"},
// SAME-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<8, 7>, error = 3.110000e-03, why = "kept: 0 % differ with it alone demoted"},
// SAME-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<8, 4>, error = 2.200000e-02, why = "kept: 0 % differ with it alone demoted"},
// SAME-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<8, 4>, error = 2.220000e-02, why = "kept: 0 % differ with it alone demoted"},
// SAME-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<8, 5>, error = 1.380000e-02, why = "kept: 0 % differ with it alone demoted"}]} {
// SAME-NEXT: func.return %s : tensor<3x1x!fixed.q<8, 5>>

// A format of one width has it given once.
// SINGLE-LABEL: func.func @classes(%X: tensor<2x1xf32>) -> tensor<3x1xf32> attributes {
// SINGLE-NEXT: tdsl.search = [
// SINGLE-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = f32, error = 0.000000e+00, why = "kept: 0 % differ with it alone demoted"},
// SINGLE-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = f32, error = 0.000000e+00, why = "kept: 0 % differ with it alone demoted"},
// SINGLE-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = f32, error = 0.000000e+00, why = "kept: 0 % differ with it alone demoted"},
// SINGLE-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = f32, error = 0.000000e+00, why = "kept: 0 % differ with it alone demoted"},
// SINGLE-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = f32, error = 3.250000e-08, why = "kept: 0 % differ with it alone demoted"},
// SINGLE-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = f32, error = 3.270000e-08, why = "kept: 0 % differ with it alone demoted"},
// SINGLE-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = f32, error = 2.240000e-08, why = "kept: 0 % differ with it alone demoted"}]} {
// SINGLE-NEXT: func.return %s : tensor<3x1xf32>

// The input takes the scale at which the wide program loses least.
// FINE-LABEL: func.func @classes(%X: tensor<2x1x!fixed.q<6, 2>>) -> tensor<3x1x!fixed.q<6, 3>> attributes {
// FINE-NEXT: tdsl.search = [
// FINE-NEXT: {name = "X", range = #tdsl.range<-3.27, 1.77>, format = !fixed.q<6, 2>, error = 6.580000e-02, why = "kept: 4.4 mean error of margins with it alone demoted"},
// FINE-NEXT: {name = "W1", range = #tdsl.range<-1.37, 1.91>, format = !fixed.q<6, 4>, error = 3.080000e-02, why = "kept: 3.18 mean error of margins with it alone demoted"},
// FINE-NEXT: {name = "B1", range = #tdsl.range<-0.17, 0.31>, format = !fixed.q<6, 2>, error = 6.100000e-02, why = "kept: 1.65 mean error of margins with it alone demoted"},
// FINE-NEXT: {name = "W2", range = #tdsl.range<-0.633, 0.837>, format = !fixed.q<6, 5>, error = 1.020000e-02, why = "kept: 2.51 mean error of margins with it alone demoted"},
// FINE-NEXT: {name = "h", range = #tdsl.range<-4.2303, 3.338>, format = !fixed.q<6, 2>, error = 1.170000e-01, why = "kept: 1.65 mean error of margins with it alone demoted at a scale 2^1 times finer"},
// FINE-NEXT: {name = "a", range = #tdsl.range<-4.1873, 3.648>, format = !fixed.q<6, 2>, error = 8.180000e-02, why = "kept: 1.68 mean error of margins with it alone demoted at a scale 2^1 times finer"},
// FINE-NEXT: {name = "s", range = #tdsl.range<-1.70573, 3.06191>, format = !fixed.q<6, 3>, error = 4.910000e-02, why = "kept: 1.65 mean error of margins with it alone demoted at a scale 2^2 times finer"}]} {
// FINE-NEXT: func.return %s : tensor<3x1x!fixed.q<6, 3>>

// ONE: pass 'search-demote': expected the width of demoted tensors and that of others, got [8]

// NEGATIVE: pass 'search-demote': loss must not be negative, got -1
