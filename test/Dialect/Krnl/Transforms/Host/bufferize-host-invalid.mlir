// RUN: onnx-opt %s --krnl-bufferize-host --split-input-file --verify-diagnostics

func.func @bufferized_already(%x: memref<4xf32>) -> memref<4xf32> {
  // expected-error @+1 {{'func.return' op expects tensors, scalars and objects, but has a 'memref<4xf32>'}}
  return %x : memref<4xf32>
}

// -----

func.func @vector(%x: vector<4xf32>) -> vector<4xf32> {
  // expected-error @+1 {{'func.return' op expects tensors, scalars and objects, but has a 'vector<4xf32>'}}
  return %x : vector<4xf32>
}

// -----

func.func @branch(%c: i1, %x: memref<4xf32>) {
  // expected-error @+1 {{'scf.if' op expects tensors, scalars and objects, but has a 'memref<4xf32>'}}
  %r = scf.if %c -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    scf.yield %x : memref<4xf32>
  }
  return
}

// -----

func.func @rank(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tensor.cast' op expects tensors, scalars and objects, but has a 'tensor<*xf32>'}}
  %0 = tensor.cast %x : tensor<4xf32> to tensor<*xf32>
  %1 = tensor.cast %0 : tensor<*xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op has branches between blocks; expected one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}
