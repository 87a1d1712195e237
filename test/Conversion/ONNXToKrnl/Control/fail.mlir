// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file | FileCheck %s

// CHECK-LABEL: func @fail_if
// CHECK:         %[[E:.+]] = tensor.extract %arg0
// CHECK:         %[[F:.+]] = arith.cmpi ne, %[[E]]
// CHECK:         %[[H:.+]] = arith.xori %[[F]], %true
// CHECK:         krnl.check %[[H]], "too few"
func.func @fail_if(%c: tensor<i1>) {
  onnx.Fail "too few" if %c : tensor<i1>
  return
}

// -----

// Values of the right types represent those that nothing reads.
// CHECK-LABEL: func @fail_always
// CHECK:         krnl.check %false{{.*}}, "too few"
// CHECK-DAG:     %[[T:.+]] = tensor.empty(%c0{{.*}}) : tensor<?x4xf32>
// CHECK-DAG:     %[[S:.+]] = krnl.call @onnxc_call_sequence_construct()
// CHECK:         return %[[T]], %[[S]]
func.func @fail_always() -> (tensor<?x4xf32>, !onnx.seq<tensor<*xf32>>) {
  %0:2 = onnx.Fail "too few" -> tensor<?x4xf32>, !onnx.seq<tensor<*xf32>>
  return %0#0, %0#1 : tensor<?x4xf32>, !onnx.seq<tensor<*xf32>>
}
