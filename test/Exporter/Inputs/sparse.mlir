module attributes {onnx.opset = {ai.onnx = 20 : i64}} {
  func.func @main_graph(%x: tensor<3xf32> {onnx.name = "x"}) -> (tensor<3xf32> {onnx.name = "y"}) {
  %c = onnx.Constant {sparse_value = sparse<[[0], [2]], [1.0, 2.0]> : tensor<3xf32>} : tensor<3xf32>
  %y = onnx.Add(%x, %c) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
  }
}
