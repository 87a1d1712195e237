// A phase whose contract does not hold is an internal error that names the op.
// RUN: split-file %s %t
// RUN: not onnx-compile %t/tensors.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not onnx-compile %t/arena.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=ARENA
// RUN: not onnx-compile %t/order.mlir --resume=loops --emit=onnx -o - 2>&1 | FileCheck %s --check-prefix=ORDER

//--- tensors.mlir
// No module for a target, so that no pass of the phase sees the function.
// TENSORS: tensors.mlir:{{[0-9]+:[0-9]+}}: error: 'tensor.empty' is not allowed after the phase loops
func.func @main_graph() {
  %0 = tensor.empty() : tensor<4xf32>
  return
}

//--- arena.mlir
// The bytes of the arena are a product that nothing has checked.
// ARENA: arena.mlir:{{[0-9]+:[0-9]+}}: error: 'krnl.arena_reserve' is not allowed after the phase loops
func.func @main_graph(%n: index) {
  %c4 = arith.constant 4 : index
  %bytes = arith.muli %n, %c4 : index
  %arena = krnl.arena_reserve %bytes
  return
}

//--- order.mlir
// ORDER: error: --emit=onnx comes before --resume=loops
