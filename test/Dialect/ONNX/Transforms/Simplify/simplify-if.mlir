// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s

// CHECK-LABEL: func @taken_branch
// CHECK-NEXT:    %[[R:.+]] = onnx.Relu(%arg0)
// CHECK-NEXT:    return %[[R]]
func.func @taken_branch(%x: tensor<2x3xf32>) -> none {
  %c = onnx.Constant dense<true> : tensor<i1>
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    %a = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  } else_branch {
    %b = onnx.Sigmoid(%x) : (tensor<2x3xf32>) -> none
    onnx.Yield %b : none
  }
  return %r : none
}

// -----

// CHECK-LABEL: func @unknown_branch
// CHECK:         onnx.If
func.func @unknown_branch(%x: tensor<2x3xf32>, %c: tensor<i1>) -> none {
  %r = onnx.If(%c) : (tensor<i1>) -> none then_branch {
    %a = onnx.Relu(%x) : (tensor<2x3xf32>) -> none
    onnx.Yield %a : none
  } else_branch {
    onnx.Yield %x : tensor<2x3xf32>
  }
  return %r : none
}

// -----

// The else branch of a false condition, with all its results.
// CHECK-LABEL: func @two_results
// CHECK-NEXT:    %[[A:.+]] = onnx.Neg(%arg0)
// CHECK-NEXT:    return %[[A]], %arg0
func.func @two_results(%x: tensor<2xf32>) -> (none, none) {
  %c = onnx.Constant dense<false> : tensor<1xi1>
  %0:2 = onnx.If(%c) : (tensor<1xi1>) -> (none, none) then_branch {
    onnx.Yield %x, %x : tensor<2xf32>, tensor<2xf32>
  } else_branch {
    %a = onnx.Neg(%x) : (tensor<2xf32>) -> none
    onnx.Yield %a, %x : none, tensor<2xf32>
  }
  return %0#0, %0#1 : none, none
}
