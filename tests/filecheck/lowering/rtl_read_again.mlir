// What is printed between two passes is read again, and leads to the same Verilog.

// RUN: tinyml-opt %s -p 'bits-to-hardware{cells=20}' -t verilog > %t.v
// RUN: tinyml-opt %s -p 'bits-to-lanes{cells=20}' > %t.mlir
// RUN: tinyml-opt %t.mlir -p simplify,licm,free-ports,flatten-loops,simplify,schedule-cycles | tinyml-opt -p lower-rtl-to-hw -t verilog | diff %t.v -
// RUN: filecheck %s < %t.mlir

// CHECK-LABEL: func.func @model() -> index attributes {tdsl.interface = #tdsl.interface<classes = ["no", "yes"]>}
func.func @model(%x: memref<10x1xi8>) -> (index, memref<2xi16>) attributes {tdsl.interface = #tdsl.interface<input = <range = [-1.0, 1.0]>, classes = ["no", "yes"]>} {
  %w = scratch.constant dense<[[1, -2, 3, -4, 5, -6, 7, -8, 9, -10], [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]]> : tensor<2x10xi8> -> memref<2x10xi8, #scratch.flash>
  %arena = scratch.arena {alignment = 64 : i64} : memref<4xi8>
  %y = scratch.view %arena[0 : i64] : memref<4xi8> to memref<2xi16>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %ten = arith.constant 10 : index
  %start = arith.constant 0 : i16
  scf.for %i = %zero to %two step %one {
    %sum = scf.for %k = %zero to %ten step %one iter_args(%s = %start) -> (i16) {
      %a = memref.load %w[%i, %k] : memref<2x10xi8, #scratch.flash>
      %b = memref.load %x[%k, %zero] : memref<10x1xi8>
      %c = arith.extsi %a : i8 to i16
      %d = arith.extsi %b : i8 to i16
      %p = arith.muli %c, %d : i16
      %t = arith.addi %s, %p : i16
      scf.yield %t : i16
    }
    memref.store %sum, %y[%i] : memref<2xi16>
  }
  %first = memref.load %y[%zero] : memref<2xi16>
  %second = memref.load %y[%one] : memref<2xi16>
  %greater = arith.cmpi sgt, %second, %first : i16
  %label = arith.select %greater, %one, %zero : index
  func.return %label, %y : index, memref<2xi16>
}
