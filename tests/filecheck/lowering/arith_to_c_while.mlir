// RUN: tinyml-opt %s -p lower-arith-to-c -t c | filecheck %s

// A condition that is one expression stands at the head of its loop; others need statements of their own. The values
// that a loop carries are assigned at the end of its body. A loop without an effect is removed.
func.func @walk(%x: memref<4xi16>) -> (memref<2xi16>) {
  %arena = scratch.arena {alignment = 2 : i64} : memref<4xi8>
  %all = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i16
  %first = memref.load %x[%zero] : memref<4xi16>
  %end = scf.while (%a = %first) : (i16) -> i16 {
    %more = arith.cmpi sge, %a, %none : i16
    scf.condition(%more) %a : i16
  } do {
  ^bb0(%node: i16):
    %at = arith.index_cast %node : i16 to index
    %next = memref.load %x[%at] : memref<4xi16>
    scf.yield %next : i16
  }
  memref.store %end, %all[%zero] : memref<2xi16>
  %last = scf.while (%a = %first) : (i16) -> i16 {
    %at = arith.index_cast %a : i16 to index
    %there = memref.load %x[%at] : memref<4xi16>
    %twice = arith.addi %there, %there : i16
    %less = arith.cmpi slt, %twice, %a : i16
    %more = arith.cmpi sge, %twice, %none : i16
    %both = arith.andi %less, %more : i1
    scf.condition(%both) %a : i16
  } do {
  ^bb0(%place: i16):
    %at = arith.index_cast %place : i16 to index
    %next = memref.load %x[%at] : memref<4xi16>
    scf.yield %next : i16
  }
  memref.store %last, %all[%one] : memref<2xi16>
  %unused = scf.while (%a = %first) : (i16) -> i16 {
    %more = arith.cmpi sge, %a, %none : i16
    scf.condition(%more) %a : i16
  } do {
  ^bb0(%dead: i16):
    scf.yield %dead : i16
  }
  func.return %all : memref<2xi16>
}
// CHECK: void walk_predict(const int16_t *x)
// CHECK: int16_t node = first;
// CHECK-NEXT: while (node >= 0) {
// CHECK-NEXT: node = x[node];
// CHECK-NEXT: }
// CHECK-NEXT: all[0] = node;
// CHECK-NEXT: int16_t place = first;
// CHECK-NEXT: for (;;) {
// CHECK-NEXT: const int16_t there = x[place];
// CHECK-NEXT: const int16_t twice = (int16_t)(there + there);
// CHECK-NEXT: if (!((twice < place) & (twice >= 0)))
// CHECK-NEXT: break;
// CHECK-NEXT: place = x[place];
// CHECK-NEXT: }
// CHECK-NEXT: all[1] = place;
// CHECK-NEXT: }
// CHECK-NOT: dead
