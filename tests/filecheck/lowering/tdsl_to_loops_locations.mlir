// RUN: tinyml-opt %s -p lower-tdsl-to-loops --print-debuginfo | filecheck %s
// RUN: tinyml-opt %s -p lower-tdsl-to-loops,expand-nests,lower-num-to-exact,lower-exact-to-arith,lower-arith-to-c --print-debuginfo | filecheck %s --check-prefix=C

// What an op becomes carries its name, and a step of a map that of the map too; a second op of a name is numbered.
func.func @names(%X: memref<3x1x!fixed.q<8, 4>>) -> memref<3x1x!fixed.q<8, 4>> {
  %arena = scratch.arena {alignment = 1 : i64} : memref<6xi8>
  %a = scratch.view %arena[0 : i64] : memref<6xi8> to memref<3x1x!fixed.q<8, 4>>
  %0 = scratch.view %arena[3 : i64] : memref<6xi8> to memref<3x1x!fixed.q<8, 4>>
  tdsl.neg %X : memref<3x1x!fixed.q<8, 4>> into %a : memref<3x1x!fixed.q<8, 4>>
  tdsl.neg %a : memref<3x1x!fixed.q<8, 4>> into %0 : memref<3x1x!fixed.q<8, 4>>
  tdsl.neg %a : memref<3x1x!fixed.q<8, 4>> into %0 : memref<3x1x!fixed.q<8, 4>>
  tdsl.map %X, %0 : memref<3x1x!fixed.q<8, 4>>, memref<3x1x!fixed.q<8, 4>> into %a : memref<3x1x!fixed.q<8, 4>> {
  ^bb0(%x: !fixed.q<8, 4>, %y: !fixed.q<8, 4>):
    %s = num.add %x, %y : !fixed.q<8, 4>, !fixed.q<8, 4> -> !fixed.q<8, 4>
    tdsl.yield %s : !fixed.q<8, 4>
  }
  func.return %a : memref<3x1x!fixed.q<8, 4>>
}
// CHECK: num.neg {{.*}} loc(fused<"a = neg(X)">["
// CHECK-NEXT: memref.store {{.*}} loc(fused<"a = neg(X)">["
// CHECK: } loc(fused<"a = neg(X)">["
// CHECK: num.neg {{.*}} loc(fused<"neg(a)">["
// CHECK: num.neg {{.*}} loc(fused<"neg(a) #2">["
// CHECK: num.add {{.*}} loc(fused<"s = add(x, y)">[fused<"a = map(X, _)">["
// CHECK-NEXT: memref.store {{.*}} loc(fused<"a = map(X, _)">["

// C: c.unary "-" {{.*}} loc(fused<"a = neg(X)">["
// C: c.store {{.*}} loc(fused<"a = neg(X)">["
// C: c.binary {{.*}} loc(fused<"s = add(x, y)">[fused<"a = map(X, _)">["
// C: c.store {{.*}} loc(fused<"a = map(X, _)">["
