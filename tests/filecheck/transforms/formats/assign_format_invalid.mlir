// RUN: tinyml-opt %s -p assign-format --split-input-file --verify-diagnostics | filecheck %s

func.func @no_profile(%X: tensor<2x1xf32>) -> tensor<2x1xf32> {
  func.return %X : tensor<2x1xf32>
}
// CHECK: %X has no profile: run the profile pass first

// -----

func.func @formats_already(%X: tensor<2x1x!fixed.q<16, 12>>) -> tensor<2x1x!fixed.q<16, 12>> {
  func.return %X : tensor<2x1x!fixed.q<16, 12>>
}
// CHECK: assign-format expects a program of f32 tensors, found tensor<2x1x!fixed.q<16, 12>>

// -----

func.func @no_cast_between(%x: tensor<2xf32>, %y: tensor<2xbf16>) -> tensor<2xf32> {
  %z = tdsl.add %x, %y : tensor<2xf32>, tensor<2xbf16> -> tensor<2xf32>
  func.return %z : tensor<2xf32>
}
// CHECK: 'tdsl.add' computes with f32 and another format: 'tdsl.cast' goes between them

// -----

// The op computes on integers of its own.
func.func @own_integers(%x: tensor<1x480xf32> {tdsl.profile = #tdsl.profile<-1.0, 1.0, [0.0, 0.0, 0.0, 0.0, 0.0]>}) -> tensor<1x512xf32> {
  %y = tdsl.taper %x {tdsl.profile = [#tdsl.profile<-0.5, 0.5, [0.0, 0.0, 0.0, 0.0, 0.0]>]} : tensor<1x480xf32> -> tensor<1x512xf32>
  func.return %y : tensor<1x512xf32>
}
// CHECK: 'tdsl.taper' computes on integers of 16 bits in units of 3.0517578125e-05, got !fixed.q<16, 16>: its formats cannot be chosen
