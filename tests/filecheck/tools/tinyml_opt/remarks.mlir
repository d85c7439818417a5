// What passes say on request: where they did something, why they did not, and how often. Nothing is said unasked.

// RUN: tinyml-opt %s -p 'canonicalize,fuse-loops' --remarks-filter=. 2>&1 | filecheck %s --check-prefix=ALL
// RUN: tinyml-opt %s -p 'canonicalize,fuse-loops' --remarks-filter-missed=loops 2>&1 | filecheck %s --check-prefix=MISSED
// RUN: tinyml-opt %s -p 'canonicalize,fuse-loops' --remarks-filter-passed=fuse 2>&1 | filecheck %s --check-prefix=PASSED
// RUN: tinyml-opt %s -p 'canonicalize,fuse-loops' --remarks-filter=vector 2>&1 | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'canonicalize,fuse-loops' 2>&1 | filecheck %s --check-prefix=NONE
// RUN: tinyml-opt %s -p 'canonicalize,fuse-loops' --mlir-pass-statistics 2>&1 | filecheck %s --check-prefix=STATISTICS
// RUN: not tinyml-opt %s --remarks-filter-missed='(' 2>&1 | filecheck %s --check-prefix=PATTERN

func.func @three(%A: memref<4x!fixed.q<8, 4>>, %B: memref<4x!fixed.q<8, 4>>, %C: memref<4x!fixed.q<8, 4>>) {
  num.nest %i to 4 {
    %a = memref.load %A[%i] : memref<4x!fixed.q<8, 4>>
    %b = num.neg %a : !fixed.q<8, 4> -> !fixed.q<8, 4>
    memref.store %b, %B[%i] : memref<4x!fixed.q<8, 4>>
  }
  num.nest %i to 4 {
    %b = memref.load %B[%i] : memref<4x!fixed.q<8, 4>>
    %c = num.neg %b : !fixed.q<8, 4> -> !fixed.q<8, 4>
    memref.store %c, %C[%i] : memref<4x!fixed.q<8, 4>>
  }
  num.nest %i to 3 {
    %c = memref.load %C[%i] : memref<4x!fixed.q<8, 4>>
    %a = num.neg %c : !fixed.q<8, 4> -> !fixed.q<8, 4>
    memref.store %a, %A[%i] : memref<4x!fixed.q<8, 4>>
  }
  func.return
}
// ALL: remarks.mlir:22:3: remark: [missed] fuse-loops: num.nest: is not fused with the nest before it: it has 3 iterations, the other 4
// ALL-NEXT: remarks.mlir:17:3: remark: [passed] fuse-loops: num.nest: is fused with the nest before it, of which it loads 1 stored elements
// MISSED: [missed] fuse-loops
// MISSED-NOT: [passed]
// PASSED-NOT: [missed]
// PASSED: [passed] fuse-loops
// NONE-NOT: {{remark:|statistics}}
// STATISTICS: ===---{{-+}}---===
// STATISTICS-NEXT: {{^}}                         ... Pass statistics report ...
// STATISTICS-NEXT: ===---{{-+}}---===
// STATISTICS-NEXT: {{^}}fuse-loops
// STATISTICS-NEXT: {{^}}  (S) 1 num-forwarded - Number of loads that became the stored value
// STATISTICS-NEXT: {{^}}  (S) 1 num-fused - Number of nests fused with the one before
// PATTERN: error: --remarks-filter-missed: expected a regular expression, got '(': missing ), unterminated subpattern at position 0
