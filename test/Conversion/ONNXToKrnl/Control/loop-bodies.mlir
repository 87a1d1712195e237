// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Where M is a constant, the rows have memory for all from the beginning.
// CHECK-LABEL: func.func @rows_known
// CHECK: %[[NONE:.*]] = tensor.empty() : tensor<3x2xf32>
// CHECK: %[[L:.*]]:3 = scf.while (%{{.*}}, %{{.*}}, %{{.*}} = %[[NONE]])
// CHECK: krnl.append_row %arg0 to %{{.*}}[%{{.*}}] of %c3{{.*}} : tensor<2xf32> to tensor<3x2xf32>
// CHECK-NOT: krnl.first_rows
// CHECK: return %[[L]]#2 : tensor<3x2xf32>
func.func @rows_known(%x: tensor<2xf32>) -> tensor<3x2xf32> {
  %m = onnx.Constant dense<3> : tensor<i64>
  %go = onnx.Constant dense<true> : tensor<i1>
  %r = onnx.Loop M(%m) cond(%go) : (tensor<i64>, tensor<i1>) -> tensor<3x2xf32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>):
    onnx.Yield %c, %x : tensor<i1>, tensor<2xf32>
  }
  return %r : tensor<3x2xf32>
}
