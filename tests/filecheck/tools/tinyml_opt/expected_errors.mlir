// RUN: tinyml-opt %s --split-input-file --verify-diagnostics -p check-packing | filecheck %s
// RUN: not tinyml-opt %S/Inputs/expected_errors.mlir --split-input-file --verify-diagnostics 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not tinyml-opt %S/Inputs/unexpected_error.mlir --verify-diagnostics 2>&1 | filecheck %s --check-prefix=UNEXPECTED

// Errors are expected as mlir-opt expects them: on a line, or on one beside it, with a text or a regular expression.
func.func @f(%x: tensor<2x!fixed.q<99, 3>>) { // expected-error {{width must be from 2 to 32}}
  func.return
}

// -----

// expected-error-re@+1 {{Operation {{tdsl\.r.*}} is not registered, did you mean 'tdsl.relu'?}}
tdsl.rleu

// -----

// expected-error@below {{'fixed.qq' is not registered, did you mean 'fixed.q'?}}
func.func @g(%x: tensor<2x!fixed.qq<9, 3>>) {
  func.return
}

// -----

func.func @fine() {
  func.return
}
// CHECK-NOT: func.func @{{[fg]}}(%
// CHECK-LABEL: func.func @fine

// MISSING: error: {{.*}}expected_errors.mlir:9: expected error 'anything' was not produced
// UNEXPECTED: error: {{.*}}unexpected_error.mlir:4:18: unexpected error: fixed.q width must be from 2 to 32, got 77
