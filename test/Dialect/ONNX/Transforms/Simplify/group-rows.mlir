// RUN: onnx-opt %s --onnx-simplify="annotate=false for-compilation" --split-input-file | FileCheck %s
// RUN: onnx-opt %s --onnx-simplify=annotate=false --split-input-file | FileCheck %s --check-prefix=MODEL

// A model that is written back keeps what it repeats.
// MODEL-LABEL: func @heads
// MODEL:         onnx.Expand

// Four heads of queries share one of keys: they are rows of one product, whatever is
// done to each matrix of keys.
// CHECK-LABEL: func @heads
// CHECK-NOT:     onnx.Expand
// CHECK:         %[[KEYS:.+]] = onnx.Transpose(%arg1) {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x2x?x16xf32>) -> tensor<1x2x16x?xf32>
// CHECK:         %[[SCALED:.+]] = onnx.Mul(%[[KEYS]], %{{.+}}) : {{.*}} -> tensor<1x2x16x?xf32>
// CHECK:         %[[ROWS:.+]] = onnx.Reshape(%arg0, %{{.+}}) : {{.*}} -> tensor<1x2x12x16xf32>
// CHECK:         %[[Y:.+]] = onnx.MatMul(%[[ROWS]], %[[SCALED]]) : {{.*}} -> tensor<1x2x12x?xf32>
// CHECK:         onnx.Reshape(%[[Y]], %{{.+}}) : {{.*}} -> tensor<1x8x3x?xf32>
func.func @heads(%q: tensor<1x8x3x16xf32>, %k: tensor<1x2x?x16xf32>) -> tensor<1x8x3x?xf32> {
  %apart = onnx.Constant dense<[1, 2, 1, -1, 16]> : tensor<5xi64>
  %again = onnx.Constant dense<[1, 1, 4, 1, 1]> : tensor<5xi64>
  %merged = onnx.Constant dense<[1, 8, -1, 16]> : tensor<4xi64>
  %c = onnx.Constant dense<0.5> : tensor<1xf32>
  %0 = onnx.Reshape(%k, %apart) : (tensor<1x2x?x16xf32>, tensor<5xi64>) -> tensor<1x2x1x?x16xf32>
  %1 = onnx.Expand(%0, %again) : (tensor<1x2x1x?x16xf32>, tensor<5xi64>) -> tensor<1x2x4x?x16xf32>
  %2 = onnx.Reshape(%1, %merged) : (tensor<1x2x4x?x16xf32>, tensor<4xi64>) -> tensor<1x8x?x16xf32>
  %3 = onnx.Transpose(%2) {perm = array<i64: 0, 1, 3, 2>} : (tensor<1x8x?x16xf32>) -> tensor<1x8x16x?xf32>
  %4 = onnx.Mul(%3, %c) : (tensor<1x8x16x?xf32>, tensor<1xf32>) -> tensor<1x8x16x?xf32>
  %y = onnx.MatMul(%q, %4) : (tensor<1x8x3x16xf32>, tensor<1x8x16x?xf32>) -> tensor<1x8x3x?xf32>
  return %y : tensor<1x8x3x?xf32>
}

// -----

// Two dynamic sizes may have changed places in the view.
// CHECK-LABEL: func @unknown
// CHECK:         onnx.Expand
// CHECK:         onnx.MatMul({{.*}}) : (tensor<?x8x3x16xf32>, tensor<?x8x16x?xf32>)
func.func @unknown(%q: tensor<?x8x3x16xf32>, %k: tensor<?x2x1x16x?xf32>, %s: tensor<4xi64>) -> tensor<?x8x3x?xf32> {
  %again = onnx.Constant dense<[1, 1, 4, 1, 1]> : tensor<5xi64>
  %1 = onnx.Expand(%k, %again) : (tensor<?x2x1x16x?xf32>, tensor<5xi64>) -> tensor<?x2x4x16x?xf32>
  %2 = onnx.Reshape(%1, %s) : (tensor<?x2x4x16x?xf32>, tensor<4xi64>) -> tensor<?x8x16x?xf32>
  %y = onnx.MatMul(%q, %2) : (tensor<?x8x3x16xf32>, tensor<?x8x16x?xf32>) -> tensor<?x8x3x?xf32>
  return %y : tensor<?x8x3x?xf32>
}

// -----

// A shape that is computed may make any size of 1.
// CHECK-LABEL: func @computed
// CHECK:         onnx.Expand
// CHECK:         onnx.MatMul({{.*}}) : (tensor<1x8x3x16xf32>, tensor<1x8x16x?xf32>)
func.func @computed(%q: tensor<1x8x3x16xf32>, %k: tensor<1x2x1x16x?xf32>, %s: tensor<5xi64>) -> tensor<1x8x3x?xf32> {
  %merged = onnx.Constant dense<[1, 8, 16, -1]> : tensor<4xi64>
  %1 = onnx.Expand(%k, %s) : (tensor<1x2x1x16x?xf32>, tensor<5xi64>) -> tensor<1x2x4x16x?xf32>
  %2 = onnx.Reshape(%1, %merged) : (tensor<1x2x4x16x?xf32>, tensor<4xi64>) -> tensor<1x8x16x?xf32>
  %y = onnx.MatMul(%q, %2) : (tensor<1x8x3x16xf32>, tensor<1x8x16x?xf32>) -> tensor<1x8x3x?xf32>
  return %y : tensor<1x8x3x?xf32>
}

// -----

// All sizes but those of the heads are dynamic. A view copies the batch, and has the rest of the elements as the keys:
// as they were. The views of the rows copy all but the rows.
// CHECK-LABEL: func @dynamic
// CHECK-NOT:     onnx.Expand
// CHECK-DAG:     %[[FEWER:.+]] = onnx.Constant dense<[0, 2, -1, 0]> : tensor<4xi64>
// CHECK-DAG:     %[[MORE:.+]] = onnx.Constant dense<[0, 8, -1, 0]> : tensor<4xi64>
// CHECK:         %[[KEYS:.+]] = onnx.Transpose(%arg1) {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x2x?x16xf32>) -> tensor<?x2x16x?xf32>
// CHECK:         %[[ROWS:.+]] = onnx.Reshape(%arg0, %[[FEWER]]) : {{.*}} -> tensor<?x2x?x?xf32>
// CHECK:         %[[Y:.+]] = onnx.MatMul(%[[ROWS]], %[[KEYS]]) : {{.*}} -> tensor<?x2x?x?xf32>
// CHECK:         onnx.Reshape(%[[Y]], %[[MORE]]) : {{.*}} -> tensor<?x8x?x?xf32>
func.func @dynamic(%q: tensor<?x8x?x?xf32>, %k: tensor<?x2x?x16xf32>) -> tensor<?x8x?x?xf32> {
  %axis = onnx.Constant dense<2> : tensor<1xi64>
  %again = onnx.Constant dense<[1, 1, 4, 1, 1]> : tensor<5xi64>
  %merged = onnx.Constant dense<[0, 8, -1, 16]> : tensor<4xi64>
  %0 = onnx.Unsqueeze(%k, %axis) : (tensor<?x2x?x16xf32>, tensor<1xi64>) -> tensor<?x2x1x?x16xf32>
  %1 = onnx.Expand(%0, %again) : (tensor<?x2x1x?x16xf32>, tensor<5xi64>) -> tensor<?x2x4x?x16xf32>
  %2 = onnx.Reshape(%1, %merged) : (tensor<?x2x4x?x16xf32>, tensor<4xi64>) -> tensor<?x8x?x16xf32>
  %3 = onnx.Transpose(%2) {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x8x?x16xf32>) -> tensor<?x8x16x?xf32>
  %y = onnx.MatMul(%q, %3) : (tensor<?x8x?x?xf32>, tensor<?x8x16x?xf32>) -> tensor<?x8x?x?xf32>
  return %y : tensor<?x8x?x?xf32>
}
