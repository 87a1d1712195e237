// RUN: onnx-compile %s --resume=onnx --report -o %t.so | FileCheck %s
// RUN: onnx-compile %s --resume=onnx --report=json -o %t.so | FileCheck %s --check-prefix=JSON
// RUN: onnx-compile %s --resume=onnx --report -O0 -o %t.so | FileCheck %s --check-prefix=O0

// The report names what has no vector code, with the reason and how much of the
// work it is; what has is not named.
// CHECK:      scalar: {{.+}} % of the estimated work
// CHECK-NOT:  vectors
// CHECK-DAG:    % selection: call of topk
// CHECK-DAG:    % sums: computes in order
// CHECK-DAG:    % quotients: divsi of each lane by itself
// CHECK-DAG:    % places: index depends on data
// CHECK-NOT:  vectors
// CHECK:      recipes:

// JSON:      "scalar_kernels": [
// JSON:        "node": "{{selection|sums|quotients|places}}",
// JSON-NEXT:   "kernel": "{{.*}}",
// JSON-NEXT:   "reason": "{{.+}}",
// JSON-NEXT:   "share": 0.{{[0-9]+}}

// O0:        % vectors: kernel without a recipe

module attributes {onnx.ir_version = 10 : i64, onnx.opset = {ai.onnx = 21 : i64}} {
  func.func @main_graph(
      %x: tensor<64x1000xf32> {onnx.dims = ["", ""], onnx.name = "x"},
      %i: tensor<64x1000xi64> {onnx.dims = ["", ""], onnx.name = "i"})
      -> (tensor<64x5xf32> {onnx.dims = ["", ""], onnx.name = "a"},
          tensor<64x5xi64> {onnx.dims = ["", ""], onnx.name = "b"},
          tensor<64x1000xf32> {onnx.dims = ["", ""], onnx.name = "c"},
          tensor<64x1000xi64> {onnx.dims = ["", ""], onnx.name = "d"},
          tensor<64x1000xf32> {onnx.dims = ["", ""], onnx.name = "e"},
          tensor<64x1000xf32> {onnx.dims = ["", ""], onnx.name = "f"}) {
    %five = onnx.Constant dense<5> : tensor<1xi64>
    %one = onnx.Constant dense<1> : tensor<i64>
    %a, %b = onnx.TopK(%x, %five) : (tensor<64x1000xf32>, tensor<1xi64>) -> (tensor<64x5xf32>, tensor<64x5xi64>) loc("selection")
    %c = onnx.CumSum(%x, %one) : (tensor<64x1000xf32>, tensor<i64>) -> tensor<64x1000xf32> loc("sums")
    %d = onnx.Div(%i, %i) : (tensor<64x1000xi64>, tensor<64x1000xi64>) -> tensor<64x1000xi64> loc("quotients")
    %e = onnx.GatherElements(%x, %i) {axis = 1 : i64} : (tensor<64x1000xf32>, tensor<64x1000xi64>) -> tensor<64x1000xf32> loc("places")
    %f = onnx.Sin(%x) : (tensor<64x1000xf32>) -> tensor<64x1000xf32> loc("vectors")
    return %a, %b, %c, %d, %e, %f : tensor<64x5xf32>, tensor<64x5xi64>, tensor<64x1000xf32>, tensor<64x1000xi64>, tensor<64x1000xf32>, tensor<64x1000xf32>
  }
}
