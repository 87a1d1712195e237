// RUN: onnx-compile %s --resume=onnx --triple=x86_64-linux-gnu --cpu=znver4 --emit=asm -o - | FileCheck %s
// RUN: onnx-compile %s --resume=onnx --triple=x86_64-linux-gnu --cpu=haswell --emit=asm -o - | FileCheck %s

// The rows of squares that are transposed, and of all that is left beside squares,
// have one index, not an address each that grows in memory from block to block.
// CHECK-LABEL: {{^}}kernel_Transpose{{.*}}:
// CHECK-NOT:     add{{[lq]?}}{{[[:space:]].*}}, {{[-0-9]*}}(%rsp)
// CHECK:       .size kernel_Transpose
func.func @main_graph(%x: tensor<?x?x?xf32> {onnx.name = "x"}) -> (tensor<?x?x?xf32> {onnx.name = "y"}) {
  %y = onnx.Transpose(%x) {perm = array<i64: 0, 2, 1>} : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
