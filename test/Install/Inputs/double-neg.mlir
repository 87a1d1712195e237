func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = onnx.Neg(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.Neg(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
