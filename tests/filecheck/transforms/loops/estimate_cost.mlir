// RUN: tinyml-opt %s -p "formats-to-buffers,buffers-to-loops{target=uno},estimate-cost{target=uno}" | filecheck %s
// RUN: not tinyml-opt %s -p "formats-to-buffers,buffers-to-loops,estimate-cost{target=toaster}" 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not tinyml-opt %s -p "formats-to-buffers,buffers-to-loops,estimate-cost{target=host}" 2>&1 | filecheck %s --check-prefix=HOST

// CHECK: builtin.module attributes {tinyml.target = "uno", tinyml.cost = {time = {{[0-9.e+]+}} : f64, flash = {{[0-9.e+]+}} : f64, ram = {{[0-9.e+]+}} : f64}} {
// UNKNOWN: unknown target 'toaster'
// HOST: pass 'estimate-cost': no costs are known of the target 'host'
func.func @f(%X: tensor<4x1x!fixed.q<8, 7>>) -> tensor<4x1x!fixed.q<8, 7>> {
  %t = tdsl.tanh %X : tensor<4x1x!fixed.q<8, 7>> -> tensor<4x1x!fixed.q<8, 7>>
  func.return %t : tensor<4x1x!fixed.q<8, 7>>
}
