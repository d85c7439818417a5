
func.func @words(%X: tensor<1x136xf32>) -> (index, tensor<1x8xf32>) {
  %rows = tdsl.reshape %X : tensor<1x136xf32> -> tensor<17x1x8xf32>
  %W = tdsl.const dense<[[-0.81, 0.96, -2.21, -0.77, 1.7, -0.96, -0.9, -0.22], [-0.28, 1.68, -0.47, -0.15, 0.34, 1.88, 1.2, 1.01], [-0.62, -0.73, -1.15, 0.73, -0.64, -0.21, 0.3, 1.9], [1.71, 0.21, 1.03, -1.78, 0.5, -0.99, -0.7, -1.23], [0.72, 1.62, 1.18, -1.34, -0.67, 0.23, 0.13, 0.1], [-0.23, -0.88, 1.15, -0.88, 1.16, 0.34, 0.1, 1.0], [1.58, 0.75, -0.73, -0.03, -0.11, -0.57, 0.05, -0.2], [0.87, -0.98, -1.37, 0.25, 0.38, 1.22, -0.44, 1.24]]> : tensor<8x8xf32> -> tensor<8x8xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %frames = arith.constant 17 : index
  %H = tdsl.fill {value = 0.0 : f64} -> tensor<1x8xf32>
  %last = scf.for %i = %zero to %frames step %one iter_args(%h = %H) -> (tensor<1x8xf32>) {
    %x = tdsl.index %rows[%i] : tensor<17x1x8xf32> -> tensor<1x8xf32>
    %p = tdsl.matmul %x, %W : tensor<1x8xf32>, tensor<8x8xf32> -> tensor<1x8xf32>
    %s = tdsl.add %p, %h : tensor<1x8xf32>, tensor<1x8xf32> -> tensor<1x8xf32>
    %next = tdsl.tanh %s : tensor<1x8xf32> -> tensor<1x8xf32>
    scf.yield %next : tensor<1x8xf32>
  }
  %label = tdsl.argmax %last : tensor<1x8xf32>
  func.return %label, %last : index, tensor<1x8xf32>
}
