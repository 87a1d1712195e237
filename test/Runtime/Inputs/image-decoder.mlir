func.func @main_graph(%bytes: tensor<?xui8> {onnx.name = "bytes"}) -> (tensor<?x?x?xui8> {onnx.name = "image"}) {
  %y = onnx.ImageDecoder(%bytes) : (tensor<?xui8>) -> tensor<?x?x?xui8>
  return %y : tensor<?x?x?xui8>
}
