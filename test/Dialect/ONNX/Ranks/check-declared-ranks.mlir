// RUN: onnx-opt %s --onnx-check-declared-ranks | FileCheck %s
// RUN: onnx-opt %s --onnx-check-declared-ranks --onnx-simplify | FileCheck %s --check-prefix=AFTER

// Nobody knows how many axes there are.
// CHECK-LABEL: func @claimed
// CHECK:         %[[U:.+]] = onnx.Unsqueeze(%arg0, %arg1) {{.*}} -> tensor<*xf32>
// CHECK-NEXT:    %[[Y:.+]] = onnx.Identity(%[[U]]) {{.*}} -> tensor<?x?xf32>
// CHECK-NEXT:    return %[[Y]]
// AFTER-LABEL: func @claimed
// AFTER:         onnx.Identity
func.func @claimed(%x: tensor<?xf32>, %axes: tensor<?xi64>) -> tensor<?x?xf32> {
  %y = onnx.Unsqueeze(%x, %axes) : (tensor<?xf32>, tensor<?xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// What inference knows needs no check, right or wrong.
// AFTER-LABEL: func @inferred
// AFTER-NOT:     onnx.Identity
// AFTER:         -> tensor<?x1xf32>
func.func @inferred(%x: tensor<?xf32>) -> tensor<?x?x?xf32> {
  %axes = onnx.Constant dense<1> : tensor<1xi64>
  %y = onnx.Unsqueeze(%x, %axes) : (tensor<?xf32>, tensor<1xi64>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// The output that a model declares is that of one sample: with two of them there
// is a dimension more, after what is elementwise, too.
// CHECK-LABEL: func @output_of_one_sample(%{{.+}}: tensor<?x1xf32>) -> tensor<*xf32>
// CHECK-NEXT:    %[[S:.+]] = onnx.Squeeze(%{{.+}} -> tensor<*xf32>
// CHECK-NEXT:    onnx.Sigmoid(%[[S]]) : (tensor<*xf32>) -> tensor<*xf32>
func.func @output_of_one_sample(%x: tensor<?x1xf32>) -> tensor<f32> {
  %s = onnx.Squeeze(%x) : (tensor<?x1xf32>) -> tensor<f32>
  %y = onnx.Sigmoid(%s) : (tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}
