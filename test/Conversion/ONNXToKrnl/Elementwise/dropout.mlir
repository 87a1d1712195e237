// RUN: onnx-opt %s --convert-onnx-to-krnl | FileCheck %s

// Nothing is dropped in inference: the mask is all ones, the data stay.
// CHECK-LABEL: func @inference
// CHECK-SAME:    (%[[X:.+]]: tensor<4xf32>)
// CHECK:         %[[MASK:.+]] = krnl.kernel "Dropout"
// CHECK:           arith.constant 1 : i8
// CHECK:         return %[[X]], %[[MASK]]
func.func @inference(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  %y, %mask = onnx.Dropout(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>)
  return %y, %mask : tensor<4xf32>, tensor<4xi1>
}

// Whether it is training shows at run time: the ratio is 0 if not.
// CHECK-LABEL: func @perhaps_training
// CHECK:         krnl.kernel "Dropout"
// CHECK:           %[[MODE:.+]] = arith.cmpi ne
// CHECK:           %[[RATIO:.+]] = arith.select %[[MODE]]
// CHECK:           %[[KEEP:.+]] = arith.cmpf ole, %[[RATIO]]
// CHECK:           arith.select %[[KEEP]]
func.func @perhaps_training(%x: tensor<4xf32>, %ratio: tensor<f32>, %training: tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>) {
  %y, %mask = onnx.Dropout(%x) ratio(%ratio) training_mode(%training) : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xi1>)
  return %y, %mask : tensor<4xf32>, tensor<4xi1>
}
