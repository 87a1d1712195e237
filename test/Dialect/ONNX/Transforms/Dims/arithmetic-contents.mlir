// RUN: onnx-opt %s --onnx-infer-shapes --split-input-file | FileCheck %s

// Elements of narrow integers wrap around: such sums are not followed.
// CHECK-LABEL: func @wraps_around
// CHECK:         onnx.ConstantOfShape{{.*}}["v{{[0-9]+}}"]
func.func @wraps_around() -> none {
  %large = onnx.Constant dense<100> : tensor<1xi8>
  %0 = onnx.Add(%large, %large) : (tensor<1xi8>, tensor<1xi8>) -> none
  %1 = onnx.Cast(%0) {to = 7 : i64} : (none) -> none
  %2 = onnx.ConstantOfShape(%1) : (none) -> none
  return %2 : none
}

// -----

// The remainder has the sign of the divisor, with fmod that of the dividend.
// CHECK-LABEL: func @remainders
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<12xf32>
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<7xf32>
func.func @remainders() -> (none, none) {
  %x = onnx.Constant dense<-33> : tensor<1xi64>
  %y = onnx.Constant dense<5> : tensor<1xi64>
  %ten = onnx.Constant dense<10> : tensor<1xi64>
  %0 = onnx.Mod(%x, %y) : (tensor<1xi64>, tensor<1xi64>) -> none
  %1 = onnx.Add(%0, %ten) : (none, tensor<1xi64>) -> none
  %2 = onnx.ConstantOfShape(%1) : (none) -> none
  %3 = onnx.Mod(%x, %y) {fmod = 1 : i64} : (tensor<1xi64>, tensor<1xi64>) -> none
  %4 = onnx.Add(%3, %ten) : (none, tensor<1xi64>) -> none
  %5 = onnx.ConstantOfShape(%4) : (none) -> none
  return %2, %5 : none, none
}

// -----

// Sizes are not negative: division is that of ONNX and of expressions.
// CHECK-LABEL: func @four_operations
// CHECK:         onnx.ConstantOfShape{{.*}}["n floordiv 2", "n + m", "n * m", "max(n, m)", "min(n, m)"]
func.func @four_operations(%x: tensor<?xf32> {onnx.dims = ["n"]}, %y: tensor<?xf32> {onnx.dims = ["m"]})
    -> none {
  %two = onnx.Constant dense<2> : tensor<1xi64>
  %n = onnx.Shape(%x) : (tensor<?xf32>) -> none
  %m = onnx.Shape(%y) : (tensor<?xf32>) -> none
  %half = onnx.Div(%n, %two) : (none, tensor<1xi64>) -> none
  %sum = onnx.Add(%n, %m) : (none, none) -> none
  %product = onnx.Mul(%n, %m) : (none, none) -> none
  %larger = onnx.Max(%n, %m) : (none, none) -> none
  %smaller = onnx.Min(%n, %m) : (none, none) -> none
  %all = onnx.Concat(%half, %sum, %product, %larger, %smaller) {axis = 0 : i64}
      : (none, none, none, none, none) -> none
  %0 = onnx.ConstantOfShape(%all) : (none) -> none
  return %0 : none
}

// -----

// How exporters write Expand with -1 for "as it is": no size is -1.
// CHECK-LABEL: func @keeps_size
// CHECK:         onnx.Expand{{.*}}["n", "4"]
func.func @keeps_size(%x: tensor<?x1xf32> {onnx.dims = ["n", ""]}) -> none {
  %wanted = onnx.Constant dense<[-1, 4]> : tensor<2xi64>
  %minus = onnx.Constant dense<-1> : tensor<2xi64>
  %ones = onnx.Constant dense<1> : tensor<2xi64>
  %asks = onnx.Equal(%wanted, %minus) : (tensor<2xi64>, tensor<2xi64>) -> none
  %shape = onnx.Where(%asks, %ones, %wanted) : (none, tensor<2xi64>, tensor<2xi64>) -> none
  %0 = onnx.Expand(%x, %shape) : (tensor<?x1xf32>, none) -> none
  return %0 : none
}

// -----

// Comparisons follow from differences: n + 1 > n in every run.
// CHECK-LABEL: func @comparisons
// CHECK:         onnx.ConstantOfShape{{.*}}["n"]
// CHECK:         onnx.ConstantOfShape{{.*}}["v{{[0-9]+}}"]
func.func @comparisons(%x: tensor<?xf32> {onnx.dims = ["n"]}, %y: tensor<?xf32> {onnx.dims = ["m"]})
    -> (none, none) {
  %one = onnx.Constant dense<1> : tensor<1xi64>
  %n = onnx.Shape(%x) : (tensor<?xf32>) -> none
  %m = onnx.Shape(%y) : (tensor<?xf32>) -> none
  %more = onnx.Add(%n, %one) : (none, tensor<1xi64>) -> none
  %greater = onnx.Greater(%more, %n) : (none, none) -> none
  %0 = onnx.Where(%greater, %n, %m) : (none, none, none) -> none
  %1 = onnx.ConstantOfShape(%0) : (none) -> none
  %unknown = onnx.Greater(%n, %m) : (none, none) -> none
  %2 = onnx.Where(%unknown, %n, %m) : (none, none, none) -> none
  %3 = onnx.ConstantOfShape(%2) : (none) -> none
  return %1, %3 : none, none
}

// -----

// CHECK-LABEL: func @reductions
// CHECK:         onnx.ConstantOfShape{{.*}}["n * 12", "n + 7"]
func.func @reductions(%x: tensor<?x3x4xf32> {onnx.dims = ["n", "", ""]}) -> none {
  %shape = onnx.Shape(%x) : (tensor<?x3x4xf32>) -> none
  %product = onnx.ReduceProd(%shape) : (none) -> none
  %sum = onnx.ReduceSum(%shape) : (none) -> none
  %both = onnx.Concat(%product, %sum) {axis = 0 : i64} : (none, none) -> none
  %0 = onnx.ConstantOfShape(%both) : (none) -> none
  return %0 : none
}

// -----

// A division by zero and one of the smallest number by -1 have no value.
// CHECK-LABEL: func @no_quotient
// CHECK:         onnx.ConstantOfShape{{.*}}["v{{[0-9]+}}", "v{{[0-9]+}}"]
func.func @no_quotient() -> none {
  %x = onnx.Constant dense<[4, -9223372036854775808]> : tensor<2xi64>
  %y = onnx.Constant dense<[0, -1]> : tensor<2xi64>
  %q = onnx.Div(%x, %y) : (tensor<2xi64>, tensor<2xi64>) -> none
  %0 = onnx.ConstantOfShape(%q) : (none) -> none
  return %0 : none
}

// -----

// One operand of And and Or may decide alone, whatever a remainder of sizes is:
// the function of Attention asks so how many queries share keys.
// CHECK-LABEL: func @decided_by_one_operand
// CHECK:         onnx.ConstantOfShape{{.*}} -> tensor<7x9xf32>
// CHECK:         onnx.ConstantOfShape{{.*}}["v{{[0-9]+}}"]{{.*}} -> tensor<?xf32>
func.func @decided_by_one_operand(%x: tensor<?xf32> {onnx.dims = ["n"]}) -> (none, none) {
  %false = onnx.Constant dense<false> : tensor<1xi1>
  %true = onnx.Constant dense<true> : tensor<1xi1>
  %zero = onnx.Constant dense<0> : tensor<1xi64>
  %seven = onnx.Constant dense<7> : tensor<1xi64>
  %nine = onnx.Constant dense<9> : tensor<1xi64>
  %n = onnx.Shape(%x) : (tensor<?xf32>) -> tensor<1xi64>
  %rest = onnx.Mod(%n, %n) : (tensor<1xi64>, tensor<1xi64>) -> none
  %open = onnx.Equal(%rest, %zero) : (none, tensor<1xi64>) -> none
  %no = onnx.And(%false, %open) : (tensor<1xi1>, none) -> none
  %yes = onnx.Or(%open, %true) : (none, tensor<1xi1>) -> none
  %a = onnx.Where(%no, %nine, %seven) : (none, tensor<1xi64>, tensor<1xi64>) -> none
  %b = onnx.Where(%yes, %nine, %seven) : (none, tensor<1xi64>, tensor<1xi64>) -> none
  %shape = onnx.Concat(%a, %b) {axis = 0 : i64} : (none, none) -> none
  %0 = onnx.ConstantOfShape(%shape) : (none) -> none
  %maybe = onnx.And(%true, %open) : (tensor<1xi1>, none) -> none
  %c = onnx.Where(%maybe, %nine, %seven) : (none, tensor<1xi64>, tensor<1xi64>) -> none
  %1 = onnx.ConstantOfShape(%c) : (none) -> none
  return %0, %1 : none, none
}
