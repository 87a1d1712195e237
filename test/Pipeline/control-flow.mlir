// The host program's loops and branches, from tensors to numbers: carried
// buffers change hands each turn, also in dynamic sizes, and go back to the pool.
// RUN: onnx-compile %s --resume=krnl -o %t.so
// RUN: %python -c "import numpy as n; n.save(r'%t.x.npy', n.array([1, 2, 3], 'f')); [n.save(r'%t.' + str(i) + '.npy', n.array(i)) for i in (0, 1, 5)]"
// RUN: onnx-run %t.so --input=x=@%t.x.npy --input=n=@%t.0.npy | FileCheck %s --check-prefix=NONE
// RUN: onnx-run %t.so --input=x=@%t.x.npy --input=n=@%t.1.npy | FileCheck %s --check-prefix=ONE
// RUN: onnx-run %t.so --input=x=@%t.x.npy --input=n=@%t.5.npy | FileCheck %s --check-prefix=FIVE

// Doubled n times; kept if n is below 2, else doubled until 100 is exceeded.
// NONE: [1, 2, 3]
// ONE: [2, 4, 6]
// FIVE: [128, 256, 384]
module { module @target {
  func.func @main_graph(%x: tensor<?xf32> {onnx.name = "x"}, %n: tensor<i64> {onnx.name = "n"})
      -> (tensor<?xf32> {onnx.name = "y"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %limit = arith.constant 100.0 : f32
    %size = tensor.dim %x, %c0 : tensor<?xf32>
    %count = tensor.extract %n[] : tensor<i64>
    %iterations = arith.index_cast %count : i64 to index
    %doubled = scf.for %i = %c0 to %iterations step %c1 iter_args(%a = %x) -> tensor<?xf32> {
      %e = tensor.empty(%size) : tensor<?xf32>
      %i_size = tensor.dim %a, %c0 : tensor<?xf32>
      %b = krnl.kernel "double" loops [i = %i_size] ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
      ^bb0(%in: tensor<?xf32>, %out: tensor<?xf32>, %i_extent: index):
        %r = krnl.compute [i] (%v = %in[i]) -> (%o = %out[i]) : (tensor<?xf32>) -> tensor<?xf32> {
          %w = arith.addf %v, %v : f32
          linalg.yield %w : f32
        }
        krnl.yield %r : tensor<?xf32>
      } -> tensor<?xf32>
      scf.yield %b : tensor<?xf32>
    }
    %few = arith.cmpi slt, %iterations, %c2 : index
    %y = scf.if %few -> tensor<?xf32> {
      scf.yield %doubled : tensor<?xf32>
    } else {
      %grown = scf.while (%a = %doubled) : (tensor<?xf32>) -> tensor<?xf32> {
        %first = tensor.extract %a[%c0] : tensor<?xf32>
        %less = arith.cmpf olt, %first, %limit : f32
        scf.condition(%less) %a : tensor<?xf32>
      } do {
      ^bb0(%a: tensor<?xf32>):
        %e = tensor.empty(%size) : tensor<?xf32>
        %i_size = tensor.dim %a, %c0 : tensor<?xf32>
        %b = krnl.kernel "double" loops [i = %i_size] ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
        ^bb0(%in: tensor<?xf32>, %out: tensor<?xf32>, %i_extent_1: index):
          %r = krnl.compute [i] (%v = %in[i]) -> (%o = %out[i]) : (tensor<?xf32>) -> tensor<?xf32> {
            %w = arith.addf %v, %v : f32
            linalg.yield %w : f32
          }
          krnl.yield %r : tensor<?xf32>
        } -> tensor<?xf32>
        scf.yield %b : tensor<?xf32>
      }
      scf.yield %grown : tensor<?xf32>
    }
    return %y : tensor<?xf32>
  }
} }
