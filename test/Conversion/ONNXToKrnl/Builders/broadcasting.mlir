// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// A size of 1 is read at 0 all along the other operand's dimension.
// CHECK-LABEL: func @repeats_size_one
// CHECK:         krnl.kernel "Add" loops [d0 = 4, d1 = 8]
// CHECK:         krnl.compute [d0, d1] {{.*}}[d0, 0]
// CHECK:           arith.addf
func.func @repeats_size_one(%a: tensor<4x8xf32>, %b: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %y = onnx.Add(%a, %b) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Whether a size is 1 or that of the result shows at run time: the cold branch
// expands the operand.
// CHECK-LABEL: func @sizes_known_at_run_time
// CHECK:         krnl.check
// CHECK:         scf.if
// CHECK:           krnl.kernel "expand"
// CHECK:         krnl.kernel "Mul"
func.func @sizes_known_at_run_time(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %y = onnx.Mul(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
