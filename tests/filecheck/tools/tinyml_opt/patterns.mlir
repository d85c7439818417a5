// A pattern in the file of the tutorial, which stands beside the function that it rewrites.

// RUN: tinyml-opt %S/../../../../docs/tutorial/relu_of_relu.mlir -p apply-pdl | filecheck %s

// CHECK:      func.func @f
// CHECK-NEXT:   %0 = tdsl.relu
// CHECK-NEXT:   func.return %0
