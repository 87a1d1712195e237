#model = loc("m.onnx")
module {
  func.func @main_graph(%x: tensor<4xf32> {onnx.name = "x"}) -> (tensor<1x?xi64> {onnx.name = "y"}) {
    %0 = onnx.NonZero(%x) : (tensor<4xf32>) -> tensor<1x?xi64> loc(fused["where"("NonZero"(#model)), "flat"("Reshape"(#model)), "scale"("Mul"(#model)), "shift"("Add"(#model))])
    return %0 : tensor<1x?xi64>
  }
}
