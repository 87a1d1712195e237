// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s

// Of many rows as much as half of the registers hold, in equal parts.
// CHECK-LABEL: kernel "sums"
// CHECK-NEXT:    block(c, 192) -> (c.o, c.i),
// CHECK-NEXT:    order(c.o, r, c.i),
// CHECK-NEXT:    fuse_outer(c.o),
// CHECK:         vectorize(c.i, 16),
// CHECK-NEXT:    unroll(c.i, 12)
func.func @sums(%x: tensor<200x384xf32>, %o: tensor<384xf32>) -> tensor<384xf32> {
  %y = krnl.kernel "sums" loops [r = 200, c = 384] ins(%x : tensor<200x384xf32>) outs(%o : tensor<384xf32>) {
  ^bb0(%a: tensor<200x384xf32>, %b: tensor<384xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [c] () -> (%_ = %b[c]) : () -> tensor<384xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [c | r] (%p = %a[r, c]) -> (%q = %f[c])
        : (tensor<200x384xf32>) -> tensor<384xf32> {
      %m = arith.addf %p, %q : f32
      linalg.yield %m : f32
    }
    krnl.yield %s : tensor<384xf32>
  } -> tensor<384xf32>
  return %y : tensor<384xf32>
}

// What is written at every step is in memory, and so may the sums be: of a whole row.
// CHECK-LABEL: kernel "running"
// CHECK-NEXT:    order(r, c),
// CHECK-NEXT:    vectorize(c, 16),
// CHECK-NEXT:    unroll(c, 4)
func.func @running(%x: tensor<200x1024xf32>, %o: tensor<200x1024xf32>) -> tensor<200x1024xf32> {
  %y = krnl.kernel "running" loops [r = 200, c = 1024] ins(%x : tensor<200x1024xf32>) outs(%o : tensor<200x1024xf32>) {
  ^bb0(%a: tensor<200x1024xf32>, %b: tensor<200x1024xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<1024xf32>
    %f = krnl.compute [c] () -> (%_ = %e[c]) : () -> tensor<1024xf32> { linalg.yield %zero : f32 }
    %s:2 = krnl.compute [c | r] (%p = %a[r, c]) -> (%q = %f[c], %t = %b[r, c])
        : (tensor<200x1024xf32>) -> (tensor<1024xf32>, tensor<200x1024xf32>) {
      %m = arith.addf %p, %q : f32
      linalg.yield %m, %m : f32, f32
    }
    krnl.yield %s#1 : tensor<200x1024xf32>
  } -> tensor<200x1024xf32>
  return %y : tensor<200x1024xf32>
}

// Of a longer one, equal parts.
// CHECK-LABEL: kernel "long_running"
// CHECK-NEXT:    block(c, 1504) -> (c.o, c.i),
// CHECK-NEXT:    order(c.o, r, c.i),
// CHECK-NEXT:    fuse_outer(c.o),
func.func @long_running(%x: tensor<200x3000xf32>, %o: tensor<200x3000xf32>) -> tensor<200x3000xf32> {
  %y = krnl.kernel "long_running" loops [r = 200, c = 3000] ins(%x : tensor<200x3000xf32>) outs(%o : tensor<200x3000xf32>) {
  ^bb0(%a: tensor<200x3000xf32>, %b: tensor<200x3000xf32>):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<3000xf32>
    %f = krnl.compute [c] () -> (%_ = %e[c]) : () -> tensor<3000xf32> { linalg.yield %zero : f32 }
    %s:2 = krnl.compute [c | r] (%p = %a[r, c]) -> (%q = %f[c], %t = %b[r, c])
        : (tensor<200x3000xf32>) -> (tensor<3000xf32>, tensor<200x3000xf32>) {
      %m = arith.addf %p, %q : f32
      linalg.yield %m, %m : f32, f32
    }
    krnl.yield %s#1 : tensor<200x3000xf32>
  } -> tensor<200x3000xf32>
  return %y : tensor<200x3000xf32>
}

// Three rows at computed indices: what they are is computed once for each row of results,
// in one loop of vectors.
// CHECK-LABEL: kernel "computed_rows"
// CHECK:         block(w, 16) -> (w.o, w.i)
// CHECK:         1: unroll(k, 3)
// CHECK:         vectorize(w.i, 16)
// CHECK-NOT:     unroll(w
func.func @computed_rows(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %last: index, %h: index, %w: index) -> tensor<?x?xf32> {
  %0 = krnl.kernel "computed_rows" loops [h = %h, w = %w, k = 3] ins(%x, %last : tensor<?x?xf32>, index) outs(%y : tensor<?x?xf32>) recipe [] {
  ^bb0(%a: tensor<?x?xf32>, %l: index, %b: tensor<?x?xf32>, %n: index, %m: index):
    %cst = arith.constant 0xFF800000 : f32
    %f = krnl.compute [h, w] () -> (%q = %b[h, w]) : () -> tensor<?x?xf32> {
      linalg.yield %cst : f32
    }
    %s = krnl.compute [h, w | k] () -> (%q = %f[h, w]) : () -> tensor<?x?xf32> {
      %i = krnl.index h
      %j = krnl.index w
      %o = krnl.index k
      %r = arith.addi %i, %o : index
      %c = arith.minsi %r, %l : index
      %p = tensor.extract %a[%c, %j] : tensor<?x?xf32>
      %t = arith.maximumf %q, %p : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
