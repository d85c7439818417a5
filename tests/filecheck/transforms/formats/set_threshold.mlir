// RUN: python -c "import numpy as np; x = np.arange(20.0)[:, None]; np.savez('%t.npz', x=x); np.savez('%t-y.npz', x=x, y=np.where(x[:, 0] < 10, -1, 1)); np.savez('%t-0.npz', x=x, y=x[:, 0] % 2)"
// RUN: tinyml-opt %s -p 'set-threshold{data="%t.npz" false_alarms=0.1}' | filecheck %s
// RUN: tinyml-opt %s -p 'set-threshold{data="%t-y.npz" false_alarms=0.1}' | filecheck %s --check-prefix=USUAL
// RUN: tinyml-opt %s -p 'set-threshold{data="%t.npz"}' | filecheck %s --check-prefix=NONE
// RUN: not tinyml-opt %s -p 'set-threshold{data="%t.npz" false_alarms=1.0}' 2>&1 | filecheck %s --check-prefix=SHARE
// RUN: not tinyml-opt %s -p 'set-threshold{data="%t-0.npz" false_alarms=0.1}' 2>&1 | filecheck %s --check-prefix=LABELS
// RUN: python -c "import numpy as np; np.savez('%t-100.npz', x=np.arange(100.0)[:, None]); np.savez('%t-9.npz', x=np.arange(9.0, 19.0)[:, None]); np.savez('%t-same.npz', x=np.full((9, 1), 3.0)); np.savez('%t-tie.npz', x=np.array([[1.0], [2.0], [1.0], [1.0]])); np.savez('%t-none.npz', x=np.zeros((3, 1)), y=-np.ones(3))"
// RUN: tinyml-opt %s -p 'set-threshold{data="%t-100.npz" false_alarms=0.29}' | filecheck %s --check-prefix=WHOLE
// RUN: tinyml-opt %s -p 'set-threshold{data="%t-100.npz" false_alarms=0.2899}' | filecheck %s --check-prefix=LESS
// RUN: tinyml-opt %s -p 'set-threshold{data="%t-9.npz" false_alarms=0.0}' | filecheck %s --check-prefix=ZERO
// RUN: tinyml-opt %s -p 'set-threshold{data="%t-same.npz" false_alarms=0.0}' | filecheck %s --check-prefix=SAME
// RUN: tinyml-opt %s -p 'set-threshold{data="%t-tie.npz" false_alarms=0.25}' | filecheck %s --check-prefix=TIE
// RUN: not tinyml-opt %s -p 'set-threshold{data="%t.npz" false_alarms=-0.01}' 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not tinyml-opt %s -p 'set-threshold{data="%t-none.npz" false_alarms=0.1}' 2>&1 | filecheck %s --check-prefix=ANOMALIES
// RUN: sed 's/1x1x/1x2x/g' %s | not tinyml-opt -p 'set-threshold{data="%t.npz" false_alarms=0.1}' 2>&1 | filecheck %s --check-prefix=SCORES

// Halfway between the tenth that lies below and the others: of all samples, or of the usual ones.
// CHECK: threshold = 1.5
// USUAL: threshold = 10.5
// NONE-NOT: threshold
// 0.29 of 100 samples are 29, although the product of the floats is less; a share below that gives 28.
// WHOLE: threshold = 28.5
// LESS: threshold = 27.5
// Where none may lie below, as far below the least as the next one is above it.
// ZERO: threshold = 8.5
// Equal samples have no next one, and none of those that tie lies below.
// SAME: threshold = 3.0
// TIE: threshold = 1.0
// NEGATIVE: --false-alarms is a share from 0 to less than 1, got -0.01
// ANOMALIES: `y` contains only anomalies
// SCORES: a detector gives one score
// SHARE: --false-alarms is a share from 0 to less than 1, got 1
// LABELS: expected `y` to contain 1, and -1 for anomalies, got 0 in sample 0
builtin.module {
  func.func @score(%X: tensor<1x1xf32>) -> tensor<1x1xf32> {
    func.return %X : tensor<1x1xf32>
  }
}
