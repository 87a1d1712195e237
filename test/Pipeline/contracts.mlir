// A phase whose contract does not hold is an internal error that names the op.
// RUN: split-file %s %t
// RUN: not onnx-compile %t/tensors.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not onnx-compile %t/arena.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=ARENA
// RUN: not onnx-compile %t/blocks.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not onnx-compile %t/rank.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not onnx-compile %t/none.mlir --resume=onnx --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not onnx-compile %t/empty.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not onnx-compile %t/dims.mlir --resume=krnl --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: not onnx-compile %t/name.mlir --resume=onnx --emit=llvm -o - 2>&1 | FileCheck %s --check-prefix=NAME
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

//--- blocks.mlir
// BLOCKS: blocks.mlir:{{[0-9]+:[0-9]+}}: error: 'func.func' is not allowed after the phase krnl
func.func @main_graph(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  return %x : tensor<4xf32>
^bb2:
  return %x : tensor<4xf32>
}

//--- rank.mlir
// RANK: rank.mlir:{{[0-9]+:[0-9]+}}: error: 'func.func' is not allowed after the phase krnl
func.func @main_graph(%x: tensor<*xf32>) -> tensor<*xf32> {
  return %x : tensor<*xf32>
}

//--- none.mlir
// NONE: none.mlir:{{[0-9]+:[0-9]+}}: error: 'func.func' op has an argument without a type
func.func @main_graph(%x: none) -> tensor<2x2xf32> {
  %a = onnx.Transpose(%x) {perm = array<i64: 1, 0>} : (none) -> tensor<2x2xf32>
  return %a : tensor<2x2xf32>
}

//--- empty.mlir
// EMPTY: empty.mlir:{{[0-9]+:[0-9]+}}: error: 'builtin.module' op has no function: expected the host program
// EMPTY: is not IR of the phase krnl, as --resume says
module {
}

//--- dims.mlir
// DIMS: dims.mlir:{{[0-9]+:[0-9]+}}: error: 'func.func' op expects onnx.dims to be a list of strings, but it is [4, 5]
// DIMS: is not IR of the phase krnl, as --resume says
func.func @main_graph(%x: tensor<?x?xf32> {onnx.dims = [4, 5]}) -> tensor<?x?xf32> {
  return %x : tensor<?x?xf32>
}

//--- name.mlir
// NAME: name.mlir:{{[0-9]+:[0-9]+}}: error: 'func.func' op expects onnx.name to be a string, but it is 5
// NAME: is not IR of the phase onnx, as --resume says
func.func @main_graph(%x: tensor<?xf32>) -> (tensor<?xf32> {onnx.name = 5}) {
  return %x : tensor<?xf32>
}

//--- order.mlir
// ORDER: error: --emit=onnx comes before --resume=loops
