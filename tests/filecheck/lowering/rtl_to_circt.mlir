// Memories of hardware become operations of CIRCT, whose generic form has no operation of ours and is read again.

// RUN: tinyml-opt %s -p lower-rtl-to-circt --print-op-generic --print-debuginfo --print-no-properties | tinyml-opt | filecheck %s

hw.module @memories(in %clock : !seq.clock, in %read : i1, in %address : i3, in %mask : i2, in %when : i1, in %data : i16, in %lane : i8, out word : i16) {
  %rom = rtl.ram %clock, read %address if %read {depth = 5 : i64, content = dense<[1, -2, 3, 4]> : tensor<4xi16>} : i3 -> i16
  %lanes = rtl.ram %clock, read %address if %read write %data at %address if %mask {depth = 6 : i64} : i3 -> i16, i3, i2, i16
  %whole = rtl.ram %clock, read %address if %read write %data at %address if %when {depth = 4 : i64} : i3 -> i16, i3, i1, i16
  %one = rtl.ram %clock, read %when if %read write %data at %read if %when {depth = 1 : i64} : i1 -> i16, i1, i1, i16
  %known = rtl.ram %clock, read %when if %read {depth = 1 : i64, content = dense<7> : tensor<1xi16>} : i1 -> i16
  %few = rtl.ram %clock, read %mask if %read {depth = 5 : i64, content = dense<9> : tensor<5xi16>} : i2 -> i16
  %pair = rtl.ram %clock, read %when if %read {depth = 2 : i64, content = dense<[7, 8]> : tensor<2xi16>} : i1 -> i16
  %sum = comb.add %rom, %lanes, %whole, %one, %known, %few, %pair : i16
  hw.output %sum : i16
}
// CHECK-LABEL: hw.module @memories

// Words that have no element are 0, and the array begins with the last word.
// CHECK: [[table:%.*]] = "hw.aggregate_constant"() <{fields = [0 : i16, 4 : i16, 3 : i16, -2 : i16, 1 : i16]}> : () -> !hw.array<5xi16>
// CHECK-NEXT: [[word:%.*]] = hw.array_get [[table]][%address] : !hw.array<5xi16>, i3
// CHECK-NEXT: [[kept:%.*]] = comb.mux %read, [[word]], %rom : i16
// CHECK-NEXT: %rom = seq.compreg [[kept]], %clock {name = "rom"} : i16

// CHECK-NEXT: [[memory:%.*]] = "seq.firmem"() <{readLatency = 0 : i32, writeLatency = 1 : i32, ruw = 0 : i32, wuw = 0 : i32, name = "lanes"}> : () -> !seq.firmem<6 x 16, mask 2>
// CHECK-NEXT: "seq.firmem.write_port"([[memory]], %address, %clock, %data, %mask) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1>}> : (!seq.firmem<6 x 16, mask 2>, i3, !seq.clock, i16, i2) -> ()
// CHECK-NEXT: [[word:%.*]] = "seq.firmem.read_port"([[memory]], %address, %clock) : (!seq.firmem<6 x 16, mask 2>, i3, !seq.clock) -> i16
// CHECK-NEXT: [[kept:%.*]] = comb.mux %read, [[word]], %lanes : i16
// CHECK-NEXT: %lanes = seq.compreg [[kept]], %clock {name = "lanes"} : i16

// An address has the bits that the depth needs.
// CHECK: [[memory:%.*]] = "seq.firmem"() {{.*}} -> !seq.firmem<4 x 16>
// CHECK-NEXT: [[short:%.*]] = comb.extract %address from 0 :  (i3) -> i2
// CHECK-NEXT: "seq.firmem.write_port"([[memory]], [[short]], %clock, %when, %data) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>}>

// CHECK: "seq.firmem"() {{.*}} -> !seq.firmem<2 x 16>
// CHECK: [[seven:%.*]] = hw.constant 7 : i16
// CHECK-NEXT: comb.mux %read, [[seven]], %known : i16
// CHECK: [[zero:%.*]] = hw.constant false
// CHECK-NEXT: [[long:%.*]] = comb.concat [[zero]], %mask : i1, i2
// CHECK-NEXT: hw.array_get {{%.*}}[[[long]]] : !hw.array<5xi16>, i3
// CHECK: hw.array_get {{%.*}}[%when] : !hw.array<2xi16>, i1
// CHECK-NOT: rtl.
