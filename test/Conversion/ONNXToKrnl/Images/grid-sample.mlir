// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// The grid names the last dimension first; each place has two nearest elements in each
// dimension, and what lies outside is zero.
// CHECK-LABEL: func.func @linear
// CHECK: krnl.kernel "GridSample" loops [d0 = 1, d1 = 2, d2 = 5, d3 = 6]
// CHECK: tensor.extract %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}, %c1{{.*}}] : tensor<1x5x6x2xf32>
// CHECK: tensor.extract %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}, %c0{{.*}}] : tensor<1x5x6x2xf32>
// CHECK-COUNT-4: tensor.extract {{.+}} : tensor<1x2x8x8xf32>
// CHECK-NOT: tensor.extract
// CHECK: krnl.yield
func.func @linear(%x: tensor<1x2x8x8xf32>, %grid: tensor<1x5x6x2xf32>) -> tensor<1x2x5x6xf32> {
  %y = onnx.GridSample(%x, %grid) : (tensor<1x2x8x8xf32>, tensor<1x5x6x2xf32>) -> tensor<1x2x5x6xf32>
  return %y : tensor<1x2x5x6xf32>
}

// -----

// Elements are passed on as they are; no arithmetic on them.
// CHECK-LABEL: func.func @nearest
// CHECK: krnl.kernel "GridSample"
// CHECK-COUNT-1: tensor.extract {{.+}} : tensor<1x2x8xi64>
// CHECK-NOT: tensor.extract
// CHECK: arith.select
// CHECK-NEXT: linalg.yield
func.func @nearest(%x: tensor<1x2x8xi64>, %grid: tensor<1x5x1xf32>) -> tensor<1x2x5xi64> {
  %y = onnx.GridSample(%x, %grid) {mode = "nearest"} : (tensor<1x2x8xi64>, tensor<1x5x1xf32>) -> tensor<1x2x5xi64>
  return %y : tensor<1x2x5xi64>
}

// -----

// CHECK-LABEL: func.func @cubic_volume
// CHECK: krnl.kernel "GridSample"
// CHECK-COUNT-64: tensor.extract {{.+}} : tensor<1x1x?x?x?xf16>
// CHECK-NOT: tensor.extract
// CHECK: krnl.yield
func.func @cubic_volume(%x: tensor<1x1x?x?x?xf16>, %grid: tensor<1x?x?x?x3xf32>) -> tensor<1x1x?x?x?xf16> {
  %y = onnx.GridSample(%x, %grid) {mode = "cubic", padding_mode = "reflection"} : (tensor<1x1x?x?x?xf16>, tensor<1x?x?x?x3xf32>) -> tensor<1x1x?x?x?xf16>
  return %y : tensor<1x1x?x?x?xf16>
}

// -----

// Dynamic sizes are checked.
// CHECK-LABEL: func.func @unknown_sizes
// CHECK-DAG: krnl.check %{{.+}}, "GridSample: the grid has another batch size"
// CHECK-DAG: krnl.check %{{.+}}, "GridSample: the grid needs a coordinate for each spatial dimension"
// CHECK-DAG: krnl.check %{{.+}}, "GridSample: nothing to sample from"
func.func @unknown_sizes(%x: tensor<?x?x?xf32>, %grid: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %y = onnx.GridSample(%x, %grid) : (tensor<?x?x?xf32>, tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// CHECK-LABEL: func.func @affine_grid
// CHECK: krnl.kernel "AffineGrid" loops [d0 = 2, d1 = 4, d2 = 5, d3 = 2]
func.func @affine_grid(%theta: tensor<2x2x3xf32>) -> tensor<2x4x5x2xf32> {
  %size = onnx.Constant dense<[2, 3, 4, 5]> : tensor<4xi64>
  %y = onnx.AffineGrid(%theta, %size) : (tensor<2x2x3xf32>, tensor<4xi64>) -> tensor<2x4x5x2xf32>
  return %y : tensor<2x4x5x2xf32>
}

// -----

func.func @strings(%x: tensor<1x2x8x!onnx.string>, %grid: tensor<1x5x1xf32>) -> tensor<1x2x5x!onnx.string> {
  // expected-error @+2 {{operator GridSample is not supported}}
  // expected-note @+1 {{interpolation of strings}}
  %y = onnx.GridSample(%x, %grid) : (tensor<1x2x8x!onnx.string>, tensor<1x5x1xf32>) -> tensor<1x2x5x!onnx.string>
  return %y : tensor<1x2x5x!onnx.string>
}
