// RUN: tinyml-opt %s -p "fold-input-unit{input_unit=q15}" --split-input-file | filecheck %s
// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=adc10}" --split-input-file 2>&1 | filecheck %s --check-prefix=OTHER
// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=\"3.0518e-5:int16\"}" --split-input-file 2>&1 | filecheck %s --check-prefix=OTHER

// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=\"3.0517578125e-5+3:s16\"}" --split-input-file 2>&1 | filecheck %s --check-prefix=OTHER

// Frames are converted where they are read: of all raws only -32768 has another real, -1.
// CHECK: @frames(%x: tensor<1x4x!fixed.s<16, 15>>)
// CHECK-SAME: unit = "q15"
// CHECK: %frame = tdsl.slice %x
// CHECK-NEXT: %samples = tdsl.cast %frame
// CHECK-SAME: -> tensor<1x2x!fixed.q<16, 15>>
// CHECK-NEXT: tdsl.relu %samples
// OTHER: the input has a format of its own, !fixed.q<16, 15> (raw * 3.05176e-05), which is not the unit '{{.*}}': --quantization anew makes the unit the format
func.func @frames(%x: tensor<1x4x!fixed.q<16, 15>>) -> tensor<1x2x!fixed.q<16, 15>> {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %frame = tdsl.slice %x[%zero, %two] : tensor<1x4x!fixed.q<16, 15>> -> tensor<1x2x!fixed.q<16, 15>>
  %y = tdsl.relu %frame : tensor<1x2x!fixed.q<16, 15>> -> tensor<1x2x!fixed.q<16, 15>>
  func.return %y : tensor<1x2x!fixed.q<16, 15>>
}
