// REQUIRES: uno
// RUN: tinyml-opt %s -p "measure-cost{target=uno}" | filecheck %s

// Some ten cycles for each table entry and 52 to read each float, hundreds of bytes of code, and less than twenty of RAM: buffers and the stack.
// CHECK: builtin.module attributes {tinyml.cost = {time = 2.{{[0-9]+}}e+02 : f64, flash = {{[0-9.]+}}e+02 : f64, ram = 1.{{[0-9]+}}e+01 : f64}} {
// CHECK: tdsl.tanh %X
func.func @f(%X: tensor<4x1x!fixed.q<8, 7>>) -> tensor<4x1x!fixed.q<8, 7>> {
  %t = tdsl.tanh %X : tensor<4x1x!fixed.q<8, 7>> -> tensor<4x1x!fixed.q<8, 7>>
  func.return %t : tensor<4x1x!fixed.q<8, 7>>
}
