// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// Tables and a pass over the data for each dimension: rows first, which are read
// as they lie in memory. Tables say which samples there are: a pass clamps none.
// CHECK-LABEL: func.func @linear
// CHECK: krnl.kernel "ResizeTables" loops [d0 = 16, k = 2]
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 3, d2 = 16, d3 = 8, k = 2]
// CHECK-NOT: arith.minsi
// CHECK: krnl.kernel "ResizeTables" loops [d0 = 12, k = 2]
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 3, d2 = 16, d3 = 12, k = 2]
func.func @linear(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x16x12xf32> {
  %s = onnx.Constant dense<[1.0, 1.0, 2.0, 1.5]> : tensor<4xf32>
  %y = onnx.Resize(%x) scales(%s) {mode = "linear"} : (tensor<1x3x8x8xf32>, tensor<4xf32>) -> tensor<1x3x16x12xf32>
  return %y : tensor<1x3x16x12xf32>
}

// -----

// The nearest elements are taken in one pass.
// CHECK-LABEL: func.func @nearest
// CHECK-COUNT-2: krnl.kernel "ResizeTables"
// CHECK: krnl.kernel "Resize" loops [d0 = 3, d1 = 12, d2 = 12]
// CHECK: tensor.extract
// CHECK-NOT: krnl.kernel
// CHECK: return
func.func @nearest(%x: tensor<3x8x8xi64>) -> tensor<3x12x12xi64> {
  %s = onnx.Constant dense<[12, 12]> : tensor<2xi64>
  %y = onnx.Resize(%x) sizes(%s) {axes = array<i64: 1, -1>} : (tensor<3x8x8xi64>, tensor<2xi64>) -> tensor<3x12x12xi64>
  return %y : tensor<3x12x12xi64>
}

// -----

// Each element stands in a row of two and in three columns: the repetitions are
// dimensions that the operand does not have.
// CHECK-LABEL: func.func @repeated
// CHECK-NOT: ResizeTables
// CHECK: krnl.kernel "Resize" loops [d0 = %{{[^],]+}}, r0 = 2, d1 = 8, r1 = 3]
// CHECK: krnl.compute [d0, r0, d1, r1] (%{{.+}} = %{{.+}}[d0, d1]) -> (%{{.+}} = %{{.+}}[d0, r0, d1, r1])
func.func @repeated(%x: tensor<?x8xf32>) -> tensor<?x24xf32> {
  %s = onnx.Constant dense<[2.0, 3.0]> : tensor<2xf32>
  %y = onnx.Resize(%x) scales(%s) {mode = "nearest"} : (tensor<?x8xf32>, tensor<2xf32>) -> tensor<?x24xf32>
  return %y : tensor<?x24xf32>
}

// -----

// The place before the next whole sample is nearer to that one.
// CHECK-LABEL: func.func @not_repeated
// CHECK: ResizeTables
func.func @not_repeated(%x: tensor<8xf32>) -> tensor<24xf32> {
  %s = onnx.Constant dense<3.0> : tensor<1xf32>
  %y = onnx.Resize(%x) scales(%s) {mode = "nearest", coordinate_transformation_mode = "asymmetric"} : (tensor<8xf32>, tensor<1xf32>) -> tensor<24xf32>
  return %y : tensor<24xf32>
}

// -----

// Half the size with antialiasing: four samples instead of two, whose weights
// are brought to a sum of 1. Integers are summed in f32, rounded and saturated.
// CHECK-LABEL: func.func @antialias
// CHECK: krnl.kernel "ResizeTables" loops [d0 = 4, k = 4]
// CHECK: arith.divf
// CHECK: krnl.kernel "Resize" loops [d0 = 1, d1 = 4, k = 4]
// CHECK: math.roundeven
// CHECK: arith.constant 2.550000e+02 : f32
func.func @antialias(%x: tensor<1x8xui8>) -> tensor<1x4xui8> {
  %s = onnx.Constant dense<[1.0, 0.5]> : tensor<2xf32>
  %y = onnx.Resize(%x) scales(%s) {mode = "linear", antialias = 1 : i64} : (tensor<1x8xui8>, tensor<2xf32>) -> tensor<1x4xui8>
  return %y : tensor<1x4xui8>
}

// -----

// The smaller of two ratios that only the run knows gives both sizes.
// CHECK-LABEL: func.func @not_larger
// CHECK: %[[SCALE:.+]] = arith.minimumf
// CHECK-COUNT-2: arith.mulf %[[SCALE]]
func.func @not_larger(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = onnx.Resize(%x) sizes(%s) {keep_aspect_ratio_policy = "not_larger"} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @scale_of_the_run
// CHECK: krnl.check %{{.+}}, "Resize: a scale is not positive"
func.func @scale_of_the_run(%x: tensor<4xf32>, %s: tensor<1xf32>) -> tensor<?xf32> {
  %y = onnx.Resize(%x) scales(%s) {mode = "linear"} : (tensor<4xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Scales of the run are mostly 1 for batches and channels: then there are passes along
// rows and columns alone, where channels that come last belong to the columns.
// CHECK-LABEL: func.func @dynamic_scales
// CHECK:         %[[UNIT:.+]] = arith.cmpf oeq, %{{.+}}, %{{.+}} : f64
// CHECK:         scf.if
// CHECK:           tensor.reshape %arg0(%{{.+}}) : (tensor<2x8x8x3xf32>, tensor<3xindex>) -> tensor<?x?x?xf32>
// CHECK-COUNT-2:   krnl.kernel "Resize" loops [d0 = %{{[^],]+}}, d1 = %{{[^],]+}}, d2 = %{{[^],]+}}, k = 2]
// CHECK:           tensor.reshape
// CHECK-NEXT:      scf.yield
// CHECK:         } else {
// CHECK-COUNT-4:   krnl.kernel "Resize" loops [d0 = %{{[^],]+}}, d1 =
// CHECK:           scf.yield
func.func @dynamic_scales(%x: tensor<2x8x8x3xf32>, %scales: tensor<4xf32>) -> tensor<?x?x?x?xf32> {
  %y = onnx.Resize(%x) scales(%scales) {mode = "linear"} : (tensor<2x8x8x3xf32>, tensor<4xf32>) -> tensor<?x?x?x?xf32>
  return %y : tensor<?x?x?x?xf32>
}

// -----

// Outside of the region of interest stands one value.
// CHECK-LABEL: func.func @crop
// CHECK: krnl.kernel "ResizeTables"
// CHECK-SAME: tensor<8xi8>
// CHECK: krnl.kernel "Resize"
// CHECK: arith.constant 7.000000e+00 : f32
func.func @crop(%x: tensor<4xf32>, %roi: tensor<2xf32>) -> tensor<8xf32> {
  %s = onnx.Constant dense<8> : tensor<1xi64>
  %y = onnx.Resize(%x) roi(%roi) sizes(%s) {mode = "cubic", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 7.0 : f32} : (tensor<4xf32>, tensor<2xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

func.func @unknown_mode(%x: tensor<4xf32>) -> tensor<8xf32> {
  %s = onnx.Constant dense<8> : tensor<1xi64>
  // expected-error @+2 {{operator Resize is not supported}}
  // expected-note @+1 {{unknown mode}}
  %y = onnx.Resize(%x) sizes(%s) {mode = "quintic"} : (tensor<4xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}
