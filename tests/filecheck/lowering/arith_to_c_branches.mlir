// RUN: tinyml-opt %s -p lower-arith-to-c -t c | filecheck %s

// Branches with and without an alternative. Scores begin at the second of 16 bits of a view that begins at the second.
func.func @pair(%x: memref<2xi16>) -> (memref<2xi16>) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<8xi8>
  %all = scratch.view %arena[2 : i64] : memref<8xi8> to memref<3xi16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.load %x[%zero] : memref<2xi16>
  %b = memref.load %x[%one] : memref<2xi16>
  %more = arith.cmpi sgt, %a, %b : i16
  scf.if %more {
    memref.store %a, %all[%one] : memref<3xi16>
  } else {
    memref.store %b, %all[%zero] : memref<3xi16>
  }
  scf.if %more {
    memref.store %b, %all[%one] : memref<3xi16>
  }
  %y = scratch.slice %all[%one] : memref<3xi16> to memref<2xi16>
  func.return %y : memref<2xi16>
}
// CHECK: void pair_predict(const int16_t *x)
// CHECK: if (more) {
// CHECK-NEXT: all[1] = a;
// CHECK-NEXT: } else {
// CHECK-NEXT: all[0] = b;
// CHECK-NEXT: }
// CHECK-NEXT: if (more) {
// CHECK-NEXT: all[1] = b;
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: return pair_arena + 2;
