// Round trip of memories and streams, and of memories in hardware.

// RUN: tinyml-opt %s | tinyml-opt | filecheck %s

func.func @program(%i: index) {
  %w = rtl.memory dense<[1, 2, -3, 4]> : tensor<4xi8> : !rtl.memory<2, 16>
  %r = rtl.memory : !rtl.memory<3, 16>
  %v = rtl.load %w[%i] : !rtl.memory<2, 16> -> i8
  rtl.store %v, %r[%i] : i8, !rtl.memory<3, 16>
  %c = arith.cmpi eq, %i, %i : index
  rtl.store %v, %r[%i] if %c : i8, !rtl.memory<3, 16>
  %x = rtl.receive : i8
  rtl.send %x to 1 : i64 : i8
  func.return
}
hw.module @hardware(in %clock : !seq.clock, in %read : i1, in %address : i2, in %mask : i2, in %data : i16, out word : i16) {
  %rom = rtl.ram %clock, read %address if %read {depth = 3 : i64, content = dense<7> : tensor<3xi16>} : i2 -> i16
  %ram = rtl.ram %clock, read %address if %read write %data at %address if %mask {depth = 3 : i64} : i2 -> i16, i2, i2, i16
  %sum = comb.add %rom, %ram : i16
  hw.output %sum : i16
}

// CHECK: [[w:%.*]] = rtl.memory dense<[1, 2, -3, 4]> : tensor<4xi8> : !rtl.memory<2, 16>
// CHECK: [[r:%.*]] = rtl.memory : !rtl.memory<3, 16>
// CHECK: rtl.load [[w]][{{%.*}}] : !rtl.memory<2, 16> -> i8
// CHECK: rtl.store {{%.*}}, [[r]][{{%.*}}] : i8, !rtl.memory<3, 16>
// CHECK: rtl.store {{%.*}}, [[r]][{{%.*}}] if {{%.*}} : i8, !rtl.memory<3, 16>
// CHECK: rtl.receive : i8
// CHECK: rtl.send {{%.*}} to 1 : i64 : i8
// CHECK: rtl.ram %clock, read %address if %read {depth = 3 : i64, content = dense<7> : tensor<3xi16>} : i2 -> i16
// CHECK: rtl.ram %clock, read %address if %read write %data at %address if %mask {depth = 3 : i64} : i2 -> i16, i2, i2, i16
