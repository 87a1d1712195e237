// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// Elements at computed indices are read lane by lane; four operations on each
// make up for it.
// CHECK-LABEL: kernel "blend"
// CHECK:         vectorize(i.i, 16)
func.func @blend(%at: tensor<1024xf32>, %x: tensor<64xf32>, %o: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = krnl.kernel "blend" loops [i = 1024] ins(%at, %x : tensor<1024xf32>, tensor<64xf32>) outs(%o : tensor<1024xf32>) {
  ^bb0(%a: tensor<1024xf32>, %b: tensor<64xf32>, %c: tensor<1024xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %c[i]) : (tensor<1024xf32>) -> tensor<1024xf32> {
      %floor = math.floor %p : f32
      %part = arith.subf %p, %floor : f32
      %integer = arith.fptosi %floor : f32 to i32
      %place = arith.index_cast %integer : i32 to index
      %sample = tensor.extract %b[%place] : tensor<64xf32>
      %product = arith.mulf %sample, %part : f32
      %sum = arith.addf %product, %p : f32
      linalg.yield %sum : f32
    }
    krnl.yield %r : tensor<1024xf32>
  } -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// Nothing is computed with what is read: a few places side by side, one by one.
// CHECK-LABEL: kernel "take"
// CHECK-NOT:     vectorize
// CHECK:         unroll(i.i, 8)
func.func @take(%at: tensor<1024xi64>, %x: tensor<64xf32>, %o: tensor<1024xf32>) -> tensor<1024xf32> {
  %y = krnl.kernel "take" loops [i = 1024] ins(%at, %x : tensor<1024xi64>, tensor<64xf32>) outs(%o : tensor<1024xf32>) {
  ^bb0(%a: tensor<1024xi64>, %b: tensor<64xf32>, %c: tensor<1024xf32>):
    %r = krnl.compute [i] (%p = %a[i]) -> (%q = %c[i]) : (tensor<1024xi64>) -> tensor<1024xf32> {
      %place = arith.index_cast %p : i64 to index
      %sample = tensor.extract %b[%place] : tensor<64xf32>
      linalg.yield %sample : f32
    }
    krnl.yield %r : tensor<1024xf32>
  } -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// One row for all lanes: its elements are adjacent. The i64 that names it is
// no vector, so the lanes are those of f32.
// CHECK-LABEL: kernel "row"
// CHECK:         vectorize(j.i, 16)
func.func @row(%at: tensor<8xi64>, %x: tensor<64x1024xf32>, %o: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = krnl.kernel "row" loops [i = 8, j = 1024] ins(%at, %x : tensor<8xi64>, tensor<64x1024xf32>) outs(%o : tensor<8x1024xf32>) {
  ^bb0(%a: tensor<8xi64>, %b: tensor<64x1024xf32>, %c: tensor<8x1024xf32>):
    %r = krnl.compute [i, j] (%p = %a[i]) -> (%q = %c[i, j]) : (tensor<8xi64>) -> tensor<8x1024xf32> {
      %row = arith.index_cast %p : i64 to index
      %column = krnl.index j
      %sample = tensor.extract %b[%row, %column] : tensor<64x1024xf32>
      linalg.yield %sample : f32
    }
    krnl.yield %r : tensor<8x1024xf32>
  } -> tensor<8x1024xf32>
  return %y : tensor<8x1024xf32>
}
