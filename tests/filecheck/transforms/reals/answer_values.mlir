// RUN: python -c "import numpy as np; x = np.eye(4, 3); np.savez('%t.npz', x=x, y=x / 2); np.savez('%t-y.npz', x=x, y=[0, 1, 2, 0]); np.savez('%t-1.npz', x=x[:3], y=x[:3])"
// RUN: tinyml-opt %s --split-input-file -p 'answer-values{data="%t.npz"}' | filecheck %s --check-prefix=VALUES
// RUN: tinyml-opt %s --split-input-file -p 'answer-values{data="%t-y.npz"}' | filecheck %s --check-prefix=CLASS
// RUN: tinyml-opt %s --split-input-file -p 'answer-values' | filecheck %s --check-prefix=CLASS
// RUN: not tinyml-opt %s --split-input-file -p 'answer-values{data="%t-1.npz"}' 2>&1 | filecheck %s --check-prefix=ONES

// VALUES-LABEL: func.func @guessed(%X: tensor<1x3xf32>) -> tensor<1x3xf32>
// VALUES-NOT: tdsl.argmax
// CLASS: tdsl.argmax
// CLASS-NEXT: func.return %{{.*}}, %X : index, tensor<1x3xf32>
// ONES: expected `y` to hold 3 classes, got rows with a one: y.argmax(axis=1) gives the classes of rows with a one
builtin.module {
  func.func @guessed(%X: tensor<1x3xf32>) -> (index, tensor<1x3xf32>) {
    %label = tdsl.argmax %X : tensor<1x3xf32>
    func.return %label, %X : index, tensor<1x3xf32>
  }
}

// -----

// Nothing else is returned that could be the answer.
builtin.module {
  func.func @label(%X: tensor<1x3xf32>) -> index {
    %label = tdsl.argmax %X : tensor<1x3xf32>
    func.return %label : index
  }
}
// VALUES-LABEL: func.func @label(%X: tensor<1x3xf32>) -> index
// VALUES: func.return %label : index
