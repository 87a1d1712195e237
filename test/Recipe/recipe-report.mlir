// RUN: onnx-compile %s --resume=onnx --cpu=x86-64-v4 --report -o %t.so | FileCheck %s
// RUN: onnx-compile %s --resume=onnx --cpu=x86-64-v4 --report=json -o %t.so | FileCheck %s --check-prefix=JSON
// RUN: onnx-compile %s --resume=onnx --cpu=x86-64-v4 --emit-recipes=%t.recipes -o %t.so
// RUN: onnx-compile %s --resume=onnx --cpu=x86-64-v4 --recipes=%t.recipes --report=json -o %t.so | FileCheck %s --check-prefix=JSON
// RUN: sed 's/\(vectorize(.*\), 16)/\1, 8)/' %t.recipes > %t.edited
// RUN: onnx-compile %s --resume=onnx --cpu=x86-64-v4 --recipes=%t.edited --report -o %t.so | FileCheck %s --check-prefix=GIVEN
// RUN: onnx-compile %s --resume=onnx -O0 --report -o %t.so | FileCheck %s --check-prefix=O0

// The most expensive kernel comes first, with the recipe that was taken and how
// much longer others would take.
// CHECK:      recipes: 2 kernels, {{[0-9]+}} cycles of one thread predicted
// CHECK-NEXT: {{(9[0-9]|100)\.[0-9]}} % product: contraction, 8 x 3 vectors of 16 along [[N:.+]] (of {{[0-9]+}})
// CHECK-NEXT:   {{[0-9.]+}}x loops, {{.+}}
// CHECK-NEXT:   1.{{[0-9]+}}x contraction, {{[0-9]+ x [0-9]+}} vectors of 16
// CHECK:      % sine: loops, {{[0-9]+}} vectors of 16 along {{.+}} (of 1)

// A recipe file that changes nothing leaves the choices as they are.
// JSON:      "recipes": [
// JSON:        "kernel": "product",
// JSON-NEXT:   "candidates": {{[0-9]+}},
// JSON-NEXT:   "kind": "contraction",
// JSON-NEXT:   "choices": "8 x 3 vectors of 16 along {{.+}}",
// JSON-NEXT:   "cycles": {{[0-9.]+}},
// JSON-NEXT:   "others": [
// JSON-NEXT:     {
// JSON-NEXT:       "kind": "loops",
// JSON:        "kernel": "sine",
// JSON-NEXT:   "candidates": 1,
// JSON-NEXT:   "kind": "loops",

// A recipe that no planner has proposed has a cost as well.
// GIVEN:     % sine: given (of 1)
// GIVEN-NEXT:  {{[0-9.]+}}x loops

// O0:        % product: none

module attributes {onnx.ir_version = 10 : i64, onnx.opset = {ai.onnx = 21 : i64}} {
  func.func @main_graph(
      %x: tensor<128x768xf32> {onnx.dims = ["", ""], onnx.name = "x"},
      %w: tensor<768x512xf32> {onnx.dims = ["", ""], onnx.name = "w"},
      %z: tensor<1000xf32> {onnx.dims = [""], onnx.name = "z"})
      -> (tensor<128x512xf32> {onnx.dims = ["", ""], onnx.name = "y"},
          tensor<1000xf32> {onnx.dims = [""], onnx.name = "s"}) {
    %y = onnx.MatMul(%x, %w) : (tensor<128x768xf32>, tensor<768x512xf32>) -> tensor<128x512xf32> loc("product")
    %s = onnx.Sin(%z) : (tensor<1000xf32>) -> tensor<1000xf32> loc("sine")
    return %y, %s : tensor<128x512xf32>, tensor<1000xf32>
  }
}
