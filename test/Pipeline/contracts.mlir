// A phase whose contract does not hold is an internal error that names the op.
// RUN: split-file %s %t
// RUN: not onnx-compile %t/tensors.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not onnx-compile %t/order.mlir --resume=loops --emit=onnx -o - 2>&1 | FileCheck %s --check-prefix=ORDER

//--- tensors.mlir
// No module for a target, so that no pass of the phase sees the function.
// TENSORS: tensors.mlir:{{[0-9]+:[0-9]+}}: error: 'tensor.empty' is not allowed after the phase loops
func.func @main_graph() {
  %0 = tensor.empty() : tensor<4xf32>
  return
}

//--- order.mlir
// ORDER: error: --emit=onnx comes before --resume=loops
