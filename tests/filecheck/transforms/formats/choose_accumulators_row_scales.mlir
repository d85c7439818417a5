// RUN: tinyml-opt %s -p choose-accumulators | filecheck %s
// RUN: sed 's/matmul %w, %x : tensor<2x2x!rows>, tensor<2x2x!all>/matmul %x, %w : tensor<2x2x!all>, tensor<2x2x!rows>/' %s | not tinyml-opt -p choose-accumulators 2>&1 | filecheck %s --check-prefix=RIGHT
// RUN: sed 's/matmul %w, %x/add %w, %x/' %s | not tinyml-opt -p lower-tdsl-to-scratch,lower-tdsl-to-loops,lower-num-to-exact 2>&1 | filecheck %s --check-prefix=ADDED

// Rows of the left factor have scales of their own. The right factor and an addend have not.
!rows = !zeroskew.q<8, [0.5, 0.25], 0>
!all = !zeroskew.q<8, 0.5, 0>
func.func @product(%x: tensor<2x2x!all>) -> tensor<2x2x!all> {
  %w = tdsl.const dense<[[2, 4], [1, -1]]> : tensor<2x2xi8> -> tensor<2x2x!rows>
  %y = tdsl.matmul %w, %x : tensor<2x2x!rows>, tensor<2x2x!all> -> tensor<2x2x!all>
  func.return %y : tensor<2x2x!all>
}
// CHECK: tdsl.matmul %w, %x {acc = !zeroskew.acc<32, [0.25, 0.125]>
// RIGHT: !zeroskew.q<8, [0.5, 0.25], 0> has a scale for each row, as only the left factor of a product and its start may have
// ADDED: !zeroskew.q<8, [0.5, 0.25], 0> has a scale for each row, as only the left factor of a product and its start may have
