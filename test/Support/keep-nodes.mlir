// RUN: onnx-opt %s --onnx-simplify --remarks-filter=onnx-simplify -o /dev/null 2>&1 | FileCheck %s

// Each rewrite is a remark at the nodes that it takes away: it names the pattern,
// what it was applied to and what is in its place.
// CHECK-DAG: loc("dead"("Sigmoid"("m.onnx"))): [Passed] Unused {{.*}} From=Sigmoid, Into=nothing
// CHECK-DAG: loc("same"("Identity"("m.onnx"))): [Passed] Identity_Remove {{.*}} From=Identity, Into="Relu "relu""
// CHECK-DAG: loc(fused["norm"("BatchNormalization"("m.onnx")), "conv"("Conv"("m.onnx"))]): [Passed] foldIntoConv {{.*}} From=BatchNormalization, Into=Conv
// CHECK-DAG: loc("again"("Relu"("m.onnx"))): [Passed] ShareEqual {{.*}} From=Relu, Into="Relu "relu""
// A pattern that changes an operation in its place.
// CHECK-DAG: loc("soft"("Softmax"("m.onnx"))): [Passed] MakeAxisPositive<SoftmaxOp> {{.*}} From=Softmax, Into=Softmax
func.func @main_graph(%x: tensor<1x2x8x8xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<1x2x8x8xf32> {
  %w1 = onnx.Constant dense<1.5> : tensor<2x2x1x1xf32>
  %s = onnx.Constant dense<2.0> : tensor<2xf32>
  %c = onnx.Conv(%x, %w1) : (tensor<1x2x8x8xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x8x8xf32> loc(#conv)
  %n = onnx.BatchNormalization(%c, %s, %s, %s, %s) : (tensor<1x2x8x8xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x8x8xf32> loc(#norm)
  %r = onnx.Relu(%n) : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> loc(#relu)
  %q = onnx.Relu(%n) : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> loc(#again)
  %i = onnx.Identity(%r) : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> loc(#same)
  %d = onnx.Sigmoid(%i) : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> loc(#dead)
  %a = onnx.Add(%i, %q) : (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32>
  %y = onnx.Softmax(%a) {axis = -1} : (tensor<1x2x8x8xf32>) -> tensor<1x2x8x8xf32> loc(#soft)
  return %y : tensor<1x2x8x8xf32>
}
#conv = loc("conv"("Conv"("m.onnx")))
#norm = loc("norm"("BatchNormalization"("m.onnx")))
#relu = loc("relu"("Relu"("m.onnx")))
#again = loc("again"("Relu"("m.onnx")))
#same = loc("same"("Identity"("m.onnx")))
#dead = loc("dead"("Sigmoid"("m.onnx")))
#soft = loc("soft"("Softmax"("m.onnx")))
