// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Integers of 32 bits are summed in f64, rounded, and kept within their range.
// CHECK-LABEL: func.func @integers
// CHECK:         krnl.kernel "GridSample"
// CHECK:           arith.sitofp {{.*}} : i32 to f64
// CHECK:           math.roundeven {{.*}} : f64
// CHECK:           arith.fptosi
func.func @integers(%x: tensor<1x1x8xi32>, %grid: tensor<1x5x1xf32>) -> tensor<1x1x5xi32> {
  %y = onnx.GridSample(%x, %grid) : (tensor<1x1x8xi32>, tensor<1x5x1xf32>) -> tensor<1x1x5xi32>
  return %y : tensor<1x1x5xi32>
}

// Beyond the border there are zeros: samples are read at the border and not taken.
// CHECK-LABEL: func.func @zeros
// CHECK:         krnl.kernel "GridSample"
// CHECK-COUNT-2:   tensor.extract {{.+}} : tensor<1x1x8xf32>
// CHECK-NOT:     tensor.extract
// CHECK:         return
func.func @zeros(%x: tensor<1x1x8xf32>, %grid: tensor<1x5x1xf32>) -> tensor<1x1x5xf32> {
  %y = onnx.GridSample(%x, %grid) {padding_mode = "zeros"} : (tensor<1x1x8xf32>, tensor<1x5x1xf32>) -> tensor<1x1x5xf32>
  return %y : tensor<1x1x5xf32>
}

// Mirrored positions are integers again, whatever the rounding was.
// CHECK-LABEL: func.func @mirrored
// CHECK:         krnl.kernel "GridSample"
// CHECK:           math.floor
// CHECK:           math.roundeven
// CHECK:           arith.fptosi
func.func @mirrored(%x: tensor<1x1x8xf32>, %grid: tensor<1x5x1xf32>) -> tensor<1x1x5xf32> {
  %y = onnx.GridSample(%x, %grid) {padding_mode = "reflection"} : (tensor<1x1x8xf32>, tensor<1x5x1xf32>) -> tensor<1x1x5xf32>
  return %y : tensor<1x1x5xf32>
}
