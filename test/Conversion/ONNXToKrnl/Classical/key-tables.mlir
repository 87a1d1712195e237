// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Keys close together are positions, less the least key; others get the last value.
// CHECK-LABEL: func @close_together(
// CHECK:         %[[TABLE:.+]] = krnl.constant dense<[70, 80, -1, 90, -1{{.*}}]> : tensor<{{5|6}}xi64>
// CHECK:         krnl.kernel "encode"
// CHECK:           %[[OFFSET:.+]] = arith.subi %{{.+}}, %c-3_i64
// CHECK:           arith.cmpi ult, %[[OFFSET]], %c4_i64
// CHECK-NOT:       arith.muli
func.func @close_together(%x: tensor<?xi64>) -> tensor<?xi64> {
  %y = onnx.ml.LabelEncoder(%x) {keys_int64s = array<i64: -3, -2, 0>, values_int64s = array<i64: 70, 80, 90>} : (tensor<?xi64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// Keys far apart are hashed twice: the first product chooses the multiplier of the
// second, which no two keys share a slot by. The key of the slot is compared.
// CHECK-LABEL: func @far_apart(
// CHECK:         krnl.kernel "encode"
// CHECK:           %[[FIRST:.+]] = arith.muli %[[KEY:[^,]+]], %{{.+}} : i64
// CHECK:           arith.shrui %[[FIRST]]
// CHECK:           %[[MULTIPLIER:.+]] = tensor.extract
// CHECK:           %[[SECOND:.+]] = arith.muli %[[KEY]], %[[MULTIPLIER]] : i64
// CHECK:           arith.shrui %[[SECOND]]
// CHECK:           %[[OWNER:.+]] = tensor.extract
// CHECK:           arith.cmpi eq, %[[KEY]], %[[OWNER]]
func.func @far_apart(%x: tensor<?xi64>) -> tensor<?xi64> {
  %y = onnx.ml.LabelEncoder(%x) {keys_int64s = array<i64: 1, 100000, 10000000000>, values_int64s = array<i64: 7, 8, 9>} : (tensor<?xi64>) -> tensor<?xi64>
  return %y : tensor<?xi64>
}

// The table that a call searches starts with its multiplier and the numbers of bits; a
// vocabulary of one key has two buckets and two slots.
// CHECK-LABEL: func @searched_by_a_call(
// CHECK:         krnl.constant dense<[{{-?[0-9]+}}, 1, 1, {{.+}}, 4, 4, 0, 0]> : tensor<9xi64>
// CHECK:         krnl.call @onnxc_call_dict_vectorizer
func.func @searched_by_a_call(%x: !onnx.map<i64, tensor<f32>>) -> tensor<1x1xf32> {
  %y = onnx.ml.DictVectorizer(%x) {int64_vocabulary = array<i64: 4>} : (!onnx.map<i64, tensor<f32>>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
