// RUN: onnx-opt %s --convert-krnl-to-llvm --split-input-file --verify-diagnostics

func.func private @k(%x: memref<4xf32>, %begin: index, %end: index) attributes {krnl.kernel} {
  return
}
func.func @main_graph(%x: memref<8xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error @below {{passes 'memref<8xf32>' as argument 0 of 'k', which takes 'memref<4xf32>'}}
  krnl.launch @k outs(%x : memref<8xf32>) tiles(%c1)
  return
}

// -----

// expected-error @below {{expected outputs in buffers, but got 1 results}}
func.func @main_graph(%x: memref<8xf32>) -> memref<8xf32> {
  return %x : memref<8xf32>
}

// -----

// expected-error @below {{expected input 1 to be a buffer, but got 'index'}}
func.func @main_graph(%x: memref<8xf32>, %n: index) {
  %y = krnl.alloc (%n) : memref<?xf32>
  return
}
