// RUN: python -c "import numpy as np; x = np.eye(4, 3); np.savez('%t.npz', x=x, y=x / 2); np.savez('%t-y.npz', x=x, y=[0, 1, 2, 0]); np.savez('%t-1.npz', x=x[:3], y=x[:3])"
// RUN: tinyml-opt %s --split-input-file -p 'answer-values{data="%t.npz"}' | filecheck %s --check-prefix=VALUES
// RUN: tinyml-opt %s --split-input-file -p 'answer-values{data="%t-y.npz"}' | filecheck %s --check-prefix=CLASS
// RUN: tinyml-opt %s --split-input-file -p 'answer-values' | filecheck %s --check-prefix=CLASS
// RUN: tinyml-opt %s --split-input-file -p 'answer-values{data="%t-1.npz"}' | filecheck %s --check-prefix=CLASS

// VALUES-LABEL: func.func @guessed(%X: tensor<1x3xf32>) -> tensor<1x3xf32>
// VALUES-NOT: tdsl.argmax
// CLASS: tdsl.argmax
// CLASS-NEXT: func.return %{{.*}}, %X : index, tensor<1x3xf32>
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

// -----

// Notes on results go with them, also where the class is the second one.
builtin.module {
  func.func @noted(%X: tensor<1x3xf32>) -> (tensor<1x3xf32> {other.first = 1 : i64}, index {other.second = 2 : i64}) {
    %label = tdsl.argmax %X : tensor<1x3xf32>
    func.return %X, %label : tensor<1x3xf32>, index
  }
}
// VALUES-LABEL: func.func @noted(%X: tensor<1x3xf32>) -> (tensor<1x3xf32> {other.first = 1 : i64}) {
// VALUES-NEXT: func.return %X : tensor<1x3xf32>

// -----

builtin.module {
  func.func @first(%X: tensor<1x3xf32>) -> (index {other.first = 1 : i64}, tensor<1x3xf32> {other.second = 2 : i64}) {
    %label = tdsl.argmax %X : tensor<1x3xf32>
    func.return %label, %X : index, tensor<1x3xf32>
  }
}
// VALUES-LABEL: func.func @first(%X: tensor<1x3xf32>) -> (tensor<1x3xf32> {other.second = 2 : i64}) {

// -----

// What else reads the class keeps it.
builtin.module {
  func.func @read(%X: tensor<1x3xf32>) -> (index, tensor<1x3xf32>, tensor<1x3xf32>) {
    %label = tdsl.argmax %X : tensor<1x3xf32>
    %W = tdsl.const dense<1.0> : tensor<3x1x3xf32> -> tensor<3x1x3xf32>
    %w = tdsl.index %W[%label] : tensor<3x1x3xf32> -> tensor<1x3xf32>
    func.return %label, %X, %w : index, tensor<1x3xf32>, tensor<1x3xf32>
  }
}
// VALUES-LABEL: func.func @read(
// VALUES-SAME: -> (tensor<1x3xf32>, tensor<1x3xf32>)
// VALUES: tdsl.argmax
// VALUES: func.return %X, %w

// -----

// Names of classes or clusters were not guessed.
builtin.module {
  func.func @named(%X: tensor<1x3xf32>) -> (index, tensor<1x3xf32>) attributes {tdsl.interface = #tdsl.interface<classes = ["a", "b", "c"]>} {
    %label = tdsl.argmax %X : tensor<1x3xf32>
    func.return %label, %X : index, tensor<1x3xf32>
  }
}
// VALUES-LABEL: func.func @named(
// VALUES-SAME: -> (index, tensor<1x3xf32>)

// -----

builtin.module {
  func.func @clusters(%X: tensor<1x3xf32>) -> (index, tensor<1x3xf32>) attributes {tdsl.interface = #tdsl.interface<clusters>} {
    %label = tdsl.argmax %X : tensor<1x3xf32>
    func.return %label, %X : index, tensor<1x3xf32>
  }
}
// VALUES-LABEL: func.func @clusters(
// VALUES-SAME: -> (index, tensor<1x3xf32>)
