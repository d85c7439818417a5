// RUN: not tinyml-opt %s -p "fold-input-unit{input_unit=q15}" 2>&1 | filecheck %s

// Posits have no step that a message could name.
func.func @posits(%x: tensor<1x4x!posit.p<8, 2>>) -> tensor<1x4x!posit.p<8, 2>> {
  %y = tdsl.relu %x : tensor<1x4x!posit.p<8, 2>> -> tensor<1x4x!posit.p<8, 2>>
  func.return %y : tensor<1x4x!posit.p<8, 2>>
}
// CHECK: the input has a format of its own, !posit.p<8, 2>, which is not the unit 'q15': --quantization anew makes the unit the format
