// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// CHECK-LABEL: func.func @transpose
// CHECK:         krnl.kernel "Transpose" loops [d0 = %{{[^],]+}}, d1 = 4]
// CHECK:           krnl.compute [d0, d1] (%{{.+}} = %{{.+}}[d1, d0])
func.func @transpose(%x: tensor<4x?xf32>) -> tensor<?x4xf32> {
  %y = "onnx.Transpose"(%x) {perm = array<i64: 1, 0>} : (tensor<4x?xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// One kernel, in which each operand writes its part.
// CHECK-LABEL: func.func @concat
// CHECK:         krnl.kernel "Concat" loops [d0 = 2, a0 = 3, a1 = 5]
// CHECK:           krnl.compute [d0, a0]
// CHECK:           krnl.compute [d0, a1] {{.+}} -> (%{{.+}} = %{{.+}}[d0, a1 + 3])
// CHECK-NOT:     krnl.kernel
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x5xf32>) -> tensor<2x8xf32> {
  %y = "onnx.Concat"(%a, %b) {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// Parts are kernels of their own: not all need be used where they are made.
// CHECK-LABEL: func.func @split
// CHECK:         krnl.kernel "Split" loops [d0 = 2, d1 = 3]
// CHECK:         krnl.kernel "Split" loops [d0 = 2, d1 = 5]
// CHECK:           krnl.compute [d0, d1] (%{{.+}} = %{{.+}}[d0, d1 + 3])
func.func @split(%x: tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x5xf32>) {
  %s = onnx.Constant {value = dense<[3, 5]> : tensor<2xi64>} : tensor<2xi64>
  %y:2 = "onnx.Split"(%x, %s) {axis = 1 : i64} : (tensor<2x8xf32>, tensor<2xi64>) -> (tensor<2x3xf32>, tensor<2x5xf32>)
  return %y#0, %y#1 : tensor<2x3xf32>, tensor<2x5xf32>
}

// Steps that only the run knows are mostly 1: then the elements lie side by side.
// CHECK-LABEL: func.func @run_time_steps
// CHECK:         %[[ONE:.+]] = arith.cmpi eq, %{{.+}}, %{{.+}} : index
// CHECK:         scf.if %[[ONE]]
// CHECK:           krnl.kernel "Slice"
// CHECK-NOT:         arith.muli
// CHECK:             tensor.extract
// CHECK:           scf.yield
// CHECK:         } else {
// CHECK:           krnl.kernel "Slice"
// CHECK:             arith.muli
// CHECK:             tensor.extract
func.func @run_time_steps(%x: tensor<8xf32>, %s: tensor<1xi64>, %t: tensor<1xi64>) -> tensor<?xf32> {
  %e = onnx.Constant {value = dense<8> : tensor<1xi64>} : tensor<1xi64>
  %a = onnx.Constant {value = dense<0> : tensor<1xi64>} : tensor<1xi64>
  %y = "onnx.Slice"(%x, %s, %e, %a, %t) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Backwards from the last element in steps of two.
// CHECK-LABEL: func.func @negative_steps
// CHECK:         krnl.kernel "Slice" loops [d0 = 4]
// CHECK-DAG:       %[[STEP:.+]] = arith.constant -2 : index
// CHECK-DAG:       %[[BY:.+]] = arith.muli %{{.+}}, %[[STEP]]
// CHECK:           %[[AT:.+]] = arith.addi %[[BY]], %c7
// CHECK:           tensor.extract %{{.+}}[%[[AT]]]
func.func @negative_steps(%x: tensor<8xf32>) -> tensor<4xf32> {
  %s = onnx.Constant {value = dense<7> : tensor<1xi64>} : tensor<1xi64>
  %e = onnx.Constant {value = dense<-9> : tensor<1xi64>} : tensor<1xi64>
  %a = onnx.Constant {value = dense<0> : tensor<1xi64>} : tensor<1xi64>
  %t = onnx.Constant {value = dense<-2> : tensor<1xi64>} : tensor<1xi64>
  %y = "onnx.Slice"(%x, %s, %e, %a, %t) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<8xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
