// RUN: python -c "import numpy as np; np.savez('%t.npz', x=np.array([[0.1, 0.1005, 0.2, 0.201, 0.201, 0.3, 0.4]], 'f4').T)"
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=8 data=%t.npz}' --split-input-file | filecheck %s
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=8}' --split-input-file | filecheck %s --check-prefix=UNKNOWN
// RUN: tinyml-opt %s -p 'profile{data=%t.npz},assign-format{width=16 data=%t.npz}' --split-input-file | filecheck %s --check-prefix=SIXTEEN

// The thresholds of forests become numbers of the input's format, here multiples of 1/256. Without data, they are
// rounded down where they are compared.

// x <= 0.3: the format rounds readings of 0.3 to 77/256, and so is the threshold.
func.func @at_most(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.30000001192092896> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @at_most(%x: tensor<1x1x!fixed.q<8, 8>>
// CHECK: thresholds = dense<0.30078125> : tensor<1xf64>
// UNKNOWN-LABEL: func.func @at_most
// UNKNOWN: thresholds = dense<0.30000001192092896> : tensor<1xf64>

// -----

// x < 0.2, by the next smaller number in double precision: readings of 0.2 become 51/256, so the cut is 50/256.
func.func @below(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.2000000029802322> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @below(%x: tensor<1x1x!fixed.q<8, 8>>
// CHECK: thresholds = dense<0.1953125> : tensor<1xf64>

// -----

// Between 0.2 and 0.201, which share the raw 51: two of these three readings belong above.
func.func @most(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.2005> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @most(%x: tensor<1x1x!fixed.q<8, 8>>
// CHECK: thresholds = dense<0.1953125> : tensor<1xf64>

// -----

// x <= 0.1: as many readings of raw 26 on each side, so the input's own rounding decides,
func.func @equals(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.10000000149011612> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @equals(%x: tensor<1x1x!fixed.q<8, 8>>
// CHECK: thresholds = dense<0.1015625> : tensor<1xf64>

// -----

// and the rounding down of a threshold that no reading equals.
func.func @between(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.10025> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @between(%x: tensor<1x1x!fixed.q<8, 8>>
// CHECK: thresholds = dense<0.09765625> : tensor<1xf64>

// -----

// Twice the range of the data is covered: 0.9 is below the greatest number of 8 bits,
func.func @reached(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<0.9> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @reached(%x: tensor<1x1x!fixed.q<8, 7>>

// -----

// but four times the range is not: the comparison has one result, unless 4,096 numbers remain in this range.
func.func @beyond(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<1.9> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @beyond(%x: tensor<1x1x!fixed.q<8, 8>>
// CHECK: thresholds = dense<0.49609375> : tensor<1xf64>
// SIXTEEN-LABEL: func.func @beyond(%x: tensor<1x1x!fixed.q<16, 14>>

// -----

// Of eight times the range, 16 bits resolve too little.
func.func @too_far(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %votes = tdsl.const dense<[[0.0], [1.0]]> : tensor<2x1xf32> -> tensor<2x1xf32>
  %sums = tdsl.forest %x, %votes {features = dense<0> : tensor<1xi32>, thresholds = dense<3.9> : tensor<1xf64>, children = dense<[[-1, -2]]> : tensor<1x2xi32>, roots = dense<0> : tensor<1xi32>} : tensor<1x1xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
  func.return %sums : tensor<1x1xf32>
}
// CHECK-LABEL: func.func @too_far(%x: tensor<1x1x!fixed.q<8, 8>>
// SIXTEEN-LABEL: func.func @too_far(%x: tensor<1x1x!fixed.q<16, 16>>
