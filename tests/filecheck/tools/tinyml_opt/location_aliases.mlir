// Aliases of locations are defined at the end, where MLIR prints them, and may refer to others there. An op keeps its
// location; one that is unknown is the place in this text.

// RUN: tinyml-opt %s --print-debuginfo | filecheck %s
// RUN: tinyml-opt %s --print-debuginfo | tinyml-opt --print-debuginfo | filecheck %s
// RUN: not tinyml-opt %S/Inputs/undefined_alias.mlir 2>&1 | filecheck %s --check-prefix=UNDEFINED
// RUN: not tinyml-opt %S/Inputs/location_of_an_error.mlir 2>&1 | filecheck %s --check-prefix=ERROR

#first = loc("net.py":1:2)
func.func @f(%a: !number loc(#first), %b: f32 loc(#loc1)) -> f32 {
  %sum = arith.addf %a, %b : f32 loc(#loc2)
  %difference = arith.subf %sum, %b : f32 loc(#loc3)
  %product = arith.mulf %difference, %sum {note = #note} : f32 loc(#loc4)
  %quotient = arith.divf %product, %sum : f32 loc(unknown)
  func.return %quotient : f32 loc(#loc5)
} loc(#loc)

#note = "a note"
!number = f32
#loc = loc("net.py":0:0)
#loc3 = loc(callsite(#loc1 at #loc))
#loc1 = loc("net.py":3:4)
#loc2 = loc(fused<"why">[#loc1, #first])
#loc4 = loc("product"(#loc1))
#loc5 = loc("net.py":7:1 to :9)

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func @f(%a: f32 loc("net.py":1:2), %b: f32 loc("net.py":3:4)) -> f32 {
// CHECK-NEXT:     %sum = arith.addf %a, %b : f32 loc(fused<"why">["net.py":3:4, "net.py":1:2])
// CHECK-NEXT:     %difference = arith.subf %sum, %b : f32 loc(callsite("net.py":3:4 at "net.py":0:0))
// CHECK-NEXT:     %product = arith.mulf %difference, %sum {note = "a note"} : f32 loc("product"("net.py":3:4))
// CHECK-NEXT:     %quotient = arith.divf %product, %sum : f32 loc("{{.*}}":{{[0-9]+}}:{{[0-9]+}})
// CHECK-NEXT:     func.return %quotient : f32 loc("net.py":7:1)
// CHECK-NEXT:   } loc("net.py":0:0)

// UNDEFINED: undefined_alias.mlir:2:{{[0-9]+}}: undefined symbol alias '#itself'

// ERROR: net.py:12:34: 'arith.addi' does not verify
