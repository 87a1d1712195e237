// RUN: onnx-opt %s --split-input-file --onnx-specialize-ranks | FileCheck %s

// Elementwise: one dimension does for every rank.
// CHECK-LABEL: func @chain_is_flat
// CHECK:         %[[SHAPE:.+]] = onnx.Shape(%arg0)
// CHECK:         %[[FLAT:.+]] = onnx.Reshape(%arg0, %{{.+}}) {{.*}} -> tensor<?xf32>
// CHECK:         %[[E:.+]] = onnx.Exp(%[[FLAT]])
// CHECK-NEXT:    %[[N:.+]] = onnx.Neg(%[[E]])
// CHECK-NEXT:    %[[Y:.+]] = onnx.Reshape(%[[N]], %[[SHAPE]]) {allowzero = 1 : i64{{.*}} -> tensor<*xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @chain_is_flat(%x: tensor<*xf32> {onnx.name = "x"}) -> tensor<*xf32> {
  %0 = onnx.Exp(%x) : (tensor<*xf32>) -> tensor<*xf32>
  %1 = onnx.Neg(%0) : (tensor<*xf32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// -----

// Two ranks would make 81 variants: eight dimensions do for all of them.
// CHECK-LABEL: func @broadcast_is_padded
// CHECK-NOT:     onnx.If
// CHECK:         onnx.Add(%{{.+}}, %{{.+}}) {{.*}} -> tensor<?x?x?x?x?x?x?x?xf32>
// CHECK:         onnx.Reshape({{.*}} -> tensor<*xf32>
func.func @broadcast_is_padded(%x: tensor<*xf32> {onnx.name = "x"}, %y: tensor<*xf32> {onnx.name = "y"}) -> tensor<*xf32> {
  %0 = onnx.Add(%x, %y) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

// Models may not reshape these; what needs no rank is flat all the same.
// CHECK-LABEL: func @small_floats
// CHECK:         onnx.Reshape(%arg0, %{{.+}}) {{.*}} -> tensor<?xf6E2M3FN>
// CHECK:         onnx.Cast
func.func @small_floats(%x: tensor<*xf6E2M3FN>) -> tensor<*xf32> {
  %y = onnx.Cast(%x) {to = 1 : i64} : (tensor<*xf6E2M3FN>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// -----

// A scale broadcasts to the data: it takes the rank of that, without variants.
// CHECK-LABEL: @scale_of_unknown_rank
// CHECK-NOT: onnx.If
// CHECK: %[[SCALE:.*]] = onnx.Reshape(%{{.*}}, %{{.*}}) {allowzero = 1 : i64{{.*}}} : (tensor<*xf32>, tensor<2xi64>) -> tensor<?x?xf32>
// CHECK: onnx.RMSNormalization(%{{.*}}, %[[SCALE]])
func.func @scale_of_unknown_rank(%x: tensor<3x8xf32>, %s: tensor<*xf32>) -> tensor<3x8xf32> {
  %y = onnx.RMSNormalization(%x, %s) : (tensor<3x8xf32>, tensor<*xf32>) -> tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}

// -----

// The condition of the next iteration is one bool, whatever its rank.
// CHECK-LABEL: func @next_condition
// CHECK:         %[[GO:.+]] = onnx.If(%{{.+}}) {{.*}} -> tensor<*xi1>
// CHECK:         %[[SCALAR:.+]] = onnx.Reshape(%[[GO]], %{{.+}}) {{.*}} -> tensor<i1>
// CHECK-NEXT:    onnx.Yield %[[SCALAR]],
func.func @next_condition(%n: tensor<i64>, %x: tensor<1xi1>, %s: tensor<f32>) -> tensor<f32> {
  %true = onnx.Constant dense<true> : tensor<i1>
  %r = onnx.Loop M(%n) cond(%true) v_initial(%s) : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32> body {
  ^bb0(%i: tensor<i64>, %c: tensor<i1>, %state: tensor<f32>):
    %go = onnx.If(%c) : (tensor<i1>) -> tensor<*xi1> then_branch {
      onnx.Yield %c : tensor<i1>
    } else_branch {
      onnx.Yield %x : tensor<1xi1>
    }
    %next = onnx.Add(%state, %state) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    onnx.Yield %go, %next : tensor<*xi1>, tensor<f32>
  }
  return %r : tensor<f32>
}
