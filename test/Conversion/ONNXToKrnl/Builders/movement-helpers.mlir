// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Steps that are not constants are mostly 1: then the elements are contiguous.
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
