// RUN: onnx-opt %s --convert-onnx-to-krnl --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @grey
// CHECK: krnl.call @onnxc_call_image_decode(%{{.+}}) params [2] : (tensor<?xi8>) -> tensor<?x?x1xi8>
func.func @grey(%bytes: tensor<?xui8>) -> tensor<?x?x1xui8> {
  %y = onnx.ImageDecoder(%bytes) {pixel_format = "Grayscale"} : (tensor<?xui8>) -> tensor<?x?x1xui8>
  return %y : tensor<?x?x1xui8>
}

// -----

func.func @unknown_format(%bytes: tensor<?xui8>) -> tensor<?x?x?xui8> {
  // expected-error @+2 {{operator ImageDecoder is not supported}}
  // expected-note @+1 {{unknown pixel_format}}
  %y = onnx.ImageDecoder(%bytes) {pixel_format = "CMYK"} : (tensor<?xui8>) -> tensor<?x?x?xui8>
  return %y : tensor<?x?x?xui8>
}
