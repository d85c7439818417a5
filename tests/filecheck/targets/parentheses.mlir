// Differences associate to the left: a difference on the right keeps its parentheses.

// RUN: tinyml-opt %s -t 'c{target=host}' | filecheck %s

c.program @right attributes {notes = ["A note."]} {
  c.func @right_predict(%X: !c.ptr<i32, const>) -> i32 attributes {doc = "Runs the model on X."} {
    %zero = c.literal 0 : index
    %one = c.literal 1 : index
    %two = c.literal 2 : index
    %a = c.load %X[%zero] : !c.ptr<i32, const>
    %b = c.load %X[%one] : !c.ptr<i32, const>
    %c = c.load %X[%two] : !c.ptr<i32, const>
    %inner = c.binary %b "-" %c : i32
    %outer = c.binary %a "-" %inner : i32
    c.return %outer : i32
  }
}

// CHECK: return X[0] - (X[1] - X[2]);
