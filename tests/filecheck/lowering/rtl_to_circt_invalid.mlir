// A memory that CIRCT has no form for is said in one line.

// RUN: tinyml-opt %s -p lower-rtl-to-circt --verify-diagnostics | filecheck %s

hw.module @counts(in %clock : !seq.clock, in %read : i1, in %address : i1, in %data : i8, out word : i8) {
  %ram = rtl.ram %clock, read %address if %read write %data at %address if %read {depth = 2 : i64, content = dense<[1, 2]> : tensor<2xi8>} : i1 -> i8, i1, i1, i8
  hw.output %ram : i8
}
// CHECK: 'rtl.ram' has content and is written, which 'seq.firmem' has no form for
