module attributes {onnx.opset = {ai.onnx = 20 : i64}} {
  func.func @main_graph(%x: tensor<2xf32> {onnx.name = "x"}) -> (tensor<2xf32> {onnx.name = "y"}) {
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
  }
}
