// RUN: tinyml-opt %s -p forget-target | filecheck %s

// No kernel of the Uno is selected any more.
builtin.module attributes {tinyml.target = "uno"} {
  func.func @f(%x: memref<2xi8>) {
    func.return
  }
}
// CHECK: builtin.module {
// CHECK-NEXT: func.func @f
