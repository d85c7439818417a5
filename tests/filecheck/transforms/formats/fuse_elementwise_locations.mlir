// RUN: tinyml-opt %s -p fuse-elementwise --print-debuginfo | filecheck %s

// A map belongs to all layers that it joins, and each of its steps to its own.
func.func @chain(%a: tensor<1x4x!fixed.q<16, 10>>) -> tensor<1x4x!fixed.q<16, 15>> {
  %b = tdsl.relu %a : tensor<1x4x!fixed.q<16, 10>> -> tensor<1x4x!fixed.q<16, 10>> loc("act1"("net.onnx":0:0))
  %c = tdsl.neg %b : tensor<1x4x!fixed.q<16, 10>> -> tensor<1x4x!fixed.q<16, 10>> loc("act1"("net.onnx":0:0))
  %g = tdsl.sigmoid %c : tensor<1x4x!fixed.q<16, 10>> -> tensor<1x4x!fixed.q<16, 15>> loc("act2"("net.onnx":0:0))
  func.return %g : tensor<1x4x!fixed.q<16, 15>>
}
// CHECK: num.clamp {{.*}} loc("act1"("net.onnx":0:0))
// CHECK-NEXT: num.neg {{.*}} loc("act1"("net.onnx":0:0))
// CHECK-NEXT: num.sigmoid {{.*}} loc("act2"("net.onnx":0:0))
// CHECK: } loc(fused["act1"("net.onnx":0:0), "act2"("net.onnx":0:0)])
