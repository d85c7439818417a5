// RUN: not tinyml-opt %s -p choose-accumulators 2>&1 | filecheck %s

// One more than what 254 * 256 leaves of 32 bits.
func.func @above(%X: tensor<2x1x!zeroskew.q<8, 0.5, 0>>) -> tensor<1x1x!zeroskew.q<8, 0.5, 0>> {
  %W = tdsl.const dense<[[127, 127]]> : tensor<1x2xi8> -> tensor<1x2x!zeroskew.q<8, 0.5, 0>>
  %a = tdsl.const dense<[[2147418624]]> : tensor<1x1xi32> -> tensor<1x1x!zeroskew.q<32, 0.25, 0>>
  %y = tdsl.matmul_sum %W, %X from %a : tensor<1x1x!zeroskew.q<32, 0.25, 0>> : tensor<1x2x!zeroskew.q<8, 0.5, 0>>, tensor<2x1x!zeroskew.q<8, 0.5, 0>> -> tensor<1x1x!zeroskew.q<8, 0.5, 0>>
  func.return %y : tensor<1x1x!zeroskew.q<8, 0.5, 0>>
}
// CHECK: a sum of products that starts from a number up to 2147418624 can leave 32 bits
