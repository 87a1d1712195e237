// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

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

// The smaller of two dynamic ratios gives both sizes.
// CHECK-LABEL: func.func @not_larger
// CHECK: %[[SCALE:.+]] = arith.minimumf
// CHECK-COUNT-2: arith.mulf %[[SCALE]]
func.func @not_larger(%x: tensor<?x?xf32>, %s: tensor<2xi64>) -> tensor<?x?xf32> {
  %y = onnx.Resize(%x) sizes(%s) {keep_aspect_ratio_policy = "not_larger"} : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @scale_of_the_run
// CHECK: krnl.check %{{.+}}, "Resize: a scale is not above 0 and below 2^30"
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
// CHECK:           tensor.reshape %arg0(%{{.+}}) : (tensor<2x8x8x3xf32>, tensor<3xindex>) -> tensor<?x8x?xf32>
// CHECK:           scf.if
// CHECK:             krnl.kernel "Resize" {{.+}} k1 = 2, k2 = 2]
// CHECK:             tensor.reshape
// CHECK-NEXT:        scf.yield
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
