// RUN: python -c "import numpy as np; np.savez('%t.npz', x=np.zeros((3, 5, 1, 4))); np.savez('%t-7.npz', x=np.zeros((3, 7)))"
// RUN: tinyml-opt %s -p 'set-steps{data="%t.npz"}' | filecheck %s
// RUN: not tinyml-opt %s -p 'set-steps{data="%t-7.npz"}' 2>&1 | filecheck %s --check-prefix=FRAMES
// RUN: python -c "import numpy as np; [np.savez('%t-' + str(n) + '.npz', x=np.zeros((1, n * 4), 'f4')) for n in (1, 2, 32767, 32768)]; np.savez('%t-9.npz', x=np.zeros((3, 9)))"
// RUN: tinyml-opt %s -p 'set-steps{data="%t-2.npz"}' | filecheck %s --check-prefix=TWO
// RUN: tinyml-opt %s -p 'set-steps{data="%t-32767.npz"}' | filecheck %s --check-prefix=MOST
// RUN: not tinyml-opt %s -p 'set-steps{data="%t-1.npz"}' 2>&1 | filecheck %s --check-prefix=ONE
// RUN: not tinyml-opt %s -p 'set-steps{data="%t-32768.npz"}' 2>&1 | filecheck %s --check-prefix=MANY
// RUN: not tinyml-opt %s -p 'set-steps{data="%t-9.npz"}' 2>&1 | filecheck %s --check-prefix=REST
// RUN: sed 's/<input = <pushed = .4, 4, 2, 1.>>/</' %s | sed 's/#tdsl.interface<}/#tdsl.interface<>}/' | tinyml-opt -p 'set-steps{data="%t-9.npz"}' | filecheck %s --check-prefix=WHOLE

// CHECK-LABEL: func.func @step(%X: tensor<5x1x4xf32>)
// CHECK-SAME: pushed = [4, 4, 5, 1]
// CHECK: [[STEPS:%[a-z0-9]+]] = arith.constant 5 : index
// CHECK: scf.for %t = %{{.*}} to [[STEPS]] step
// CHECK: tdsl.index %X[%t] : tensor<5x1x4xf32> -> tensor<1x4xf32>
// At least two frames, at most 32767, and whole ones; a program that takes its input at once stays.
// TWO: pushed = [4, 4, 2, 1]
// MOST: pushed = [4, 4, 32767, 1]
// ONE: expected samples of 2 to 32767 consecutive frames of 4 values,  got 4
// MANY: expected samples of 2 to 32767 consecutive frames of 4 values,  got 131072
// REST: expected samples of 2 to 32767 consecutive frames of 4 values,  got 9
// WHOLE-LABEL: func.func @step(%X: tensor<2x1x4xf32>)
// FRAMES: expected samples of 2 to 32767 consecutive frames of 4 values,  got 7
builtin.module {
  func.func @step(%X: tensor<2x1x4xf32>) -> tensor<1x4xf32> attributes {tdsl.interface = #tdsl.interface<input = <pushed = [4, 4, 2, 1]>>} {
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %one = arith.constant 1 : index
    %S = tdsl.fill {value = 0.0 : f64} -> tensor<1x4xf32>
    %last = scf.for %t = %zero to %two step %one iter_args(%s = %S) -> (tensor<1x4xf32>) {
      %x = tdsl.index %X[%t] : tensor<2x1x4xf32> -> tensor<1x4xf32>
      %n = tdsl.add %x, %s : tensor<1x4xf32>, tensor<1x4xf32> -> tensor<1x4xf32>
      scf.yield %n : tensor<1x4xf32>
    }
    func.return %last : tensor<1x4xf32>
  }
}
