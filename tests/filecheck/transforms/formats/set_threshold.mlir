// RUN: python -c "import numpy as np; x = np.arange(20.0)[:, None]; np.savez('%t.npz', x=x); np.savez('%t-y.npz', x=x, y=np.where(x[:, 0] < 10, -1, 1)); np.savez('%t-0.npz', x=x, y=x[:, 0] % 2)"
// RUN: tinyml-opt %s -p 'set-threshold{data="%t.npz" false_alarms=0.1}' | filecheck %s
// RUN: tinyml-opt %s -p 'set-threshold{data="%t-y.npz" false_alarms=0.1}' | filecheck %s --check-prefix=USUAL
// RUN: tinyml-opt %s -p 'set-threshold{data="%t.npz"}' | filecheck %s --check-prefix=NONE
// RUN: not tinyml-opt %s -p 'set-threshold{data="%t.npz" false_alarms=1.0}' 2>&1 | filecheck %s --check-prefix=SHARE
// RUN: not tinyml-opt %s -p 'set-threshold{data="%t-0.npz" false_alarms=0.1}' 2>&1 | filecheck %s --check-prefix=LABELS

// Halfway between the tenth that lies below and the others: of all samples, or of the usual ones.
// CHECK: threshold = 1.5
// USUAL: threshold = 10.5
// NONE-NOT: threshold
// SHARE: --false-alarms is a share from 0 to less than 1, got 1
// LABELS: expected `y` to hold 1, and -1 for anomalies, got 0 in sample 0
builtin.module {
  func.func @score(%X: tensor<1x1xf32>) -> tensor<1x1xf32> {
    func.return %X : tensor<1x1xf32>
  }
}
