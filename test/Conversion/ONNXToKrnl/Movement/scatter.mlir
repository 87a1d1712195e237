// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// The kernel starts from the data; updates along the axis follow one another,
// those beside it do not meet.
// CHECK-LABEL: func @elements
// CHECK-SAME:    %[[DATA:.+]]: tensor<5x7xf32>, %[[INDICES:.+]]: tensor<3x7xi64>, %[[UPDATES:.+]]: tensor<3x7xf32>
// CHECK:         krnl.kernel "ScatterElements" loops [d0 = 3, d1 = 7] ins(%[[UPDATES]], %[[INDICES]] {{.*}} outs(%[[DATA]] :
// CHECK:         krnl.compute [d1 | d0] {{.+}} -> (%{{.+}} = %{{.+}}[0, d1])
// CHECK:           %[[PLACE:.+]] = krnl.wrap_index
// CHECK-NOT:       krnl.scatter_load
// CHECK:           krnl.scatter_store %{{.+}} at[%[[PLACE]], %{{.+}}] : f32
func.func @elements(%data: tensor<5x7xf32>, %indices: tensor<3x7xi64>, %updates: tensor<3x7xf32>) -> tensor<5x7xf32> {
  %y = onnx.ScatterElements(%data, %indices, %updates) {axis = 0 : i64} : (tensor<5x7xf32>, tensor<3x7xi64>, tensor<3x7xf32>) -> tensor<5x7xf32>
  return %y : tensor<5x7xf32>
}

// Sums in half precision are rounded one by one.
// CHECK-LABEL: func @sum
// CHECK:         %[[OLD:.+]] = krnl.scatter_load 0
// CHECK:         arith.extf %[[OLD]] : f16 to f32
// CHECK:         arith.addf
// CHECK:         arith.truncf
// CHECK:         krnl.scatter_store
func.func @sum(%data: tensor<5xf16>, %indices: tensor<3xi64>, %updates: tensor<3xf16>) -> tensor<5xf16> {
  %y = onnx.ScatterElements(%data, %indices, %updates) {reduction = "add"} : (tensor<5xf16>, tensor<3xi64>, tensor<3xf16>) -> tensor<5xf16>
  return %y : tensor<5xf16>
}

// Dynamic sizes are checked; updates may be smaller than the data beside the
// axis, too.
// CHECK-LABEL: func @unknown_sizes
// CHECK:         krnl.check %{{.+}}, "ScatterElements: indices and updates differ in shape"
// CHECK:         krnl.check %{{.+}}, "ScatterElements: updates are larger than the data"
// CHECK:         krnl.check %{{.+}}, "ScatterElements: the data has no element along the axis"
func.func @unknown_sizes(%data: tensor<?x?xf32>, %indices: tensor<?x?xi64>, %updates: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = onnx.ScatterElements(%data, %indices, %updates) {axis = 1 : i64} : (tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Places of two numbers become rows of a matrix, slices its columns.
// CHECK-LABEL: func @slices
// CHECK:         krnl.kernel "ScatterND" loops [d0 = 6, d1 = 8]
// CHECK-COUNT-2:   krnl.wrap_index
// CHECK:           krnl.scatter_store
func.func @slices(%data: tensor<4x5x8xf32>, %indices: tensor<2x3x2xi64>, %updates: tensor<2x3x8xf32>) -> tensor<4x5x8xf32> {
  %y = onnx.ScatterND(%data, %indices, %updates) : (tensor<4x5x8xf32>, tensor<2x3x2xi64>, tensor<2x3x8xf32>) -> tensor<4x5x8xf32>
  return %y : tensor<4x5x8xf32>
}

// Updates of constant indices that have no place twice do not meet either: -1 is place 4.
// CHECK-LABEL: func @distinct_elements
// CHECK:         krnl.compute [d0, d1] {{.+}} -> (%{{.+}} = %{{.+}}[d0 ..., d1])
// CHECK:           %[[PLACE:.+]] = krnl.wrap_index
// CHECK:           %[[UPDATE:.+]] = krnl.index d0
// CHECK:           %[[STEPS:.+]] = arith.subi %[[PLACE]], %[[UPDATE]]
// CHECK:           krnl.scatter_store %{{.+}} at[%[[STEPS]], %{{.+}}] : f32
func.func @distinct_elements(%data: tensor<5x2xf32>, %updates: tensor<2x2xf32>) -> tensor<5x2xf32> {
  %indices = onnx.Constant dense<[[-1, 4], [3, 3]]> : tensor<2x2xi64>
  %y = onnx.ScatterElements(%data, %indices, %updates) {axis = 0 : i64} : (tensor<5x2xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<5x2xf32>
  return %y : tensor<5x2xf32>
}

// CHECK-LABEL: func @same_elements
// CHECK:         krnl.compute [d1 | d0]
func.func @same_elements(%data: tensor<5x2xf32>, %updates: tensor<2x2xf32>) -> tensor<5x2xf32> {
  %indices = onnx.Constant dense<[[-1, 3], [4, 4]]> : tensor<2x2xi64>
  %y = onnx.ScatterElements(%data, %indices, %updates) {axis = 0 : i64} : (tensor<5x2xf32>, tensor<2x2xi64>, tensor<2x2xf32>) -> tensor<5x2xf32>
  return %y : tensor<5x2xf32>
}

// CHECK-LABEL: func @distinct_tuples
// CHECK:         krnl.compute [d0, d1] {{.+}} -> (%{{.+}} = %{{.+}}[d0 ..., d1])
func.func @distinct_tuples(%data: tensor<4x5xf32>, %updates: tensor<3xf32>) -> tensor<4x5xf32> {
  %indices = onnx.Constant dense<[[0, 4], [1, -5], [-4, 0]]> : tensor<3x2xi64>
  %y = onnx.ScatterND(%data, %indices, %updates) : (tensor<4x5xf32>, tensor<3x2xi64>, tensor<3xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// Tuple [-4, 4] is [0, 4], and 5 is no place at all.
// CHECK-LABEL: func @same_tuples
// CHECK:         krnl.compute [d1 | d0]
// CHECK:         krnl.compute [d1 | d0]
func.func @same_tuples(%data: tensor<4x5xf32>, %updates: tensor<2xf32>) -> tensor<4x5xf32> {
  %twice = onnx.Constant dense<[[0, 4], [-4, 4]]> : tensor<2x2xi64>
  %outside = onnx.Constant dense<[[0, 4], [0, 5]]> : tensor<2x2xi64>
  %y = onnx.ScatterND(%data, %twice, %updates) : (tensor<4x5xf32>, tensor<2x2xi64>, tensor<2xf32>) -> tensor<4x5xf32>
  %z = onnx.ScatterND(%y, %outside, %updates) : (tensor<4x5xf32>, tensor<2x2xi64>, tensor<2xf32>) -> tensor<4x5xf32>
  return %z : tensor<4x5xf32>
}

// CHECK-LABEL: func @unpool
// CHECK:         krnl.kernel "Zeros"
// CHECK:         krnl.kernel "MaxUnpool" loops [d0 = 4]
func.func @unpool(%x: tensor<1x1x2x2xf32>, %indices: tensor<1x1x2x2xi64>) -> tensor<1x1x4x4xf32> {
  %y = onnx.MaxUnpool(%x, %indices) {kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi64>) -> tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}

// Complex numbers have sums and products.
// CHECK-LABEL: func @complex_product
// CHECK:         krnl.scatter_load 0
// CHECK:         complex.mul
// CHECK:         krnl.scatter_store
func.func @complex_product(%data: tensor<5xcomplex<f32>>, %indices: tensor<3xi64>, %updates: tensor<3xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  %y = onnx.ScatterElements(%data, %indices, %updates) {reduction = "mul"} : (tensor<5xcomplex<f32>>, tensor<3xi64>, tensor<3xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return %y : tensor<5xcomplex<f32>>
}
