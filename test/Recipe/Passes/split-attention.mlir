// RUN: onnx-opt %s --krnl-join-attention | FileCheck %s
// RUN: sed 's/%d = arith.subf %g, %h/%near = arith.addf %g, %h : f32 %d = arith.subf %near, %h/' %s | onnx-opt --krnl-join-attention | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/%max = krnl.compute \[r | j\] (%g = %masked/%max = krnl.compute [r | j] (%g = %x/' %s | onnx-opt --krnl-join-attention | FileCheck %s --check-prefix=OTHER
// RUN: sed -e 's/cores = 108/cores = 4/' -e 's/<4x/<512x/g' -e 's/= 4,/= 512,/g' -e 's/constant 1000/constant 0/' %s | onnx-opt --krnl-join-attention -o %t.mlir
// RUN: FileCheck %s --check-prefix=TURN < %t.mlir
// RUN: onnx-opt %t.mlir --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=RECIPE
// RUN: sed 's/1024/197/g' %s | onnx-opt --krnl-join-attention | FileCheck %s --check-prefix=ODD
//
// Of few rows of queries, the keys are in parts. What a payload computes with the number of a key it computes with that of
// the part and that inside of it.

// Many rows have enough blocks, which take the parts one after the other: an op has the largest maximum so far, and
// weighs the sums so far and those of the part. Parts of which all keys are hidden from the rows of a block are left out.
// TURN-LABEL: func @causal
// TURN:         krnl.kernel "scores+rows+sums" loops [m = 512, n0 = [[P:[0-9]+]], n1 = [[N:[0-9]+]], k = 64, {{.+}} = 64]
// TURN:           %[[MAX:.+]] = krnl.compute [n0, m | n1]
// TURN:           %[[TOTAL:.+]] = krnl.compute [n0, m | n1]
// TURN:           %[[SUMS:.+]] = krnl.compute [n0, m, n_2 | n1]
// TURN:           %[[RUNNING:.+]]:3 = krnl.compute [m, n_2 | n0] (%[[O:.+]] = %[[SUMS]][n0, m, n_2], %[[M:.+]] = %[[MAX]][n0, m], %[[L:.+]] = %[[TOTAL]][n0, m]) -> (%[[SUM:.+]] = %{{.+}}[m, n_2], %[[ALL:.+]] = %{{.+}}[m, n_2], %[[LARGEST:.+]] = %{{.+}}[m, n_2])
// TURN-NEXT:        %[[NEXT:.+]] = arith.maximumf %[[LARGEST]], %[[M]]
// TURN:             arith.subf %[[LARGEST]], %[[NEXT]]
// TURN:             arith.subf %[[M]], %[[NEXT]]
// TURN:             linalg.yield %{{.+}}, %{{.+}}, %[[NEXT]]
// TURN:           krnl.compute [m, n_2] (%{{.+}} = %[[RUNNING]]#0[m, n_2], %{{.+}} = %[[RUNNING]]#1[m, n_2])
// TURN:             arith.divf
// TURN-NOT:     krnl.kernel
//
// RECIPE:       kernel "scores+rows+sums"
// RECIPE:         order(m.o, n0,
// RECIPE:         14: order(n_2.w, m.g, n_2.t, m.f, m.h, n_2.f, n_2.c, n0),
// RECIPE:         fuse_outer(m.o),
// RECIPE:         compute_at(n0),
// RECIPE:         14: skip_masked(n0)

// The last of parts that do not divide the keys goes on past the last key: products read zeros there, whose scores are
// -infinity. The causal mask compares the number of the key, also past the last one.
// ODD-LABEL: func @causal
// ODD:         krnl.kernel "scores+rows+sums parts" loops [m = 4, n0 = 7, n1 = 32, k = 64, {{.+}} = 64]
// ODD:           %[[SCORES:.+]] = krnl.compute [n0, m, n1 | k] ({{.+}}[n0 * 32 + n1 in 0 to 197, k])
// ODD-NOT:       arith.minsi
// ODD:           arith.cmpi ule, %{{.+}}, %{{.+}} : index
// ODD-NOT:       arith.minsi
// ODD:           arith.cmpi ult, %{{.+}}, %c197 : index
// ODD:           krnl.compute [n0, m, {{.+}} | n1] ({{.+}}[n0 * 32 + n1 in 0 to 197,
// ODD:         krnl.kernel "scores+rows+sums" loops [m = 4, {{.+}} = 64, n0 = 7]

// Exponentials are of distances to the largest of the same numbers: not of ones that depend on it, and where a mask hides
// scores, not to the largest one before that.
// OTHER-LABEL: func @causal
// OTHER-NOT:     parts"
// OTHER:         return

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 101376, core_shared_bytes = 167936, cores = 108>} {

// CHECK-LABEL: func @causal
// CHECK:         %[[PARTS:.+]]:3 = krnl.kernel "scores+rows+sums parts" loops [m = 4, n0 = [[P:[0-9]+]], n1 = [[N:[0-9]+]], k = 64, {{.+}} = 64]
// CHECK:           krnl.compute [n0, m, n1]
// CHECK:             %[[PART:.+]] = krnl.index n0
// CHECK-NEXT:        %[[SIZE:.+]] = arith.constant [[N]] : index
// CHECK-NEXT:        %[[FIRST:.+]] = arith.muli %[[PART]], %[[SIZE]] : index
// CHECK-NEXT:        %[[INSIDE:.+]] = krnl.index n1
// CHECK-NEXT:        %[[KEY:.+]] = arith.addi %[[FIRST]], %[[INSIDE]] : index
// CHECK:             arith.cmpi ule, %[[KEY]], %{{.+}} : index
// The quotient is that of the totals; a sum of values is not a result of its own.
// CHECK-NOT:         arith.divf
// CHECK:         krnl.kernel "scores+rows+sums" loops [m = 4, {{.+}} = 64, n0 = [[P]]] ins(%[[PARTS]]#0, %[[PARTS]]#1, %[[PARTS]]#2 :
// CHECK:           arith.divf
// What follows the sums of values is done once.
// CHECK:           arith.maximumf
// CHECK:         return
func.func @causal(%q: tensor<4x64xf32>, %k: tensor<1024x64xf32>, %v: tensor<1024x64xf32>) -> tensor<4x64xf32> {
  %s = tensor.empty() : tensor<4x1024xf32>
  %o = tensor.empty() : tensor<4x64xf32>
  %0 = krnl.kernel "scores" loops [m = 4, n = 1024, k = 64] ins(%q, %k : tensor<4x64xf32>, tensor<1024x64xf32>) outs(%s : tensor<4x1024xf32>) {
  ^bb0(%x: tensor<4x64xf32>, %w: tensor<1024x64xf32>, %c: tensor<4x1024xf32>):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [m, n] () -> (%_ = %c[m, n]) : () -> tensor<4x1024xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [m, n | k] (%g = %x[m, k], %h = %w[n, k]) -> (%i = %f[m, n])
        : (tensor<4x64xf32>, tensor<1024x64xf32>) -> tensor<4x1024xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    krnl.yield %p : tensor<4x1024xf32>
  } -> tensor<4x1024xf32>
  %1 = krnl.kernel "rows" loops [r = 4, j = 1024] ins(%0 : tensor<4x1024xf32>) outs(%s : tensor<4x1024xf32>) {
  ^bb0(%x: tensor<4x1024xf32>, %c: tensor<4x1024xf32>):
    %lowest = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %before = arith.constant 1000 : index
    %a = krnl.temporary : tensor<4x1024xf32>
    %t = krnl.temporary : tensor<4xf32>
    %u = krnl.temporary : tensor<4xf32>
    %e = krnl.temporary : tensor<4x1024xf32>
    %masked = krnl.compute [r, j] (%g = %x[r, j]) -> (%_ = %a[r, j]) : (tensor<4x1024xf32>) -> tensor<4x1024xf32> {
      %key = krnl.index j
      %query = krnl.index r
      %last = arith.addi %query, %before : index
      %seen = arith.cmpi ule, %key, %last : index
      %y = arith.select %seen, %g, %lowest : f32
      linalg.yield %y : f32
    }
    %f = krnl.compute [r] () -> (%_ = %t[r]) : () -> tensor<4xf32> { linalg.yield %lowest : f32 }
    %max = krnl.compute [r | j] (%g = %masked[r, j]) -> (%h = %f[r]) : (tensor<4x1024xf32>) -> tensor<4xf32> {
      %i = arith.maximumf %h, %g : f32
      linalg.yield %i : f32
    }
    %exp = krnl.compute [r, j] (%g = %masked[r, j], %h = %max[r]) -> (%_ = %e[r, j]) : (tensor<4x1024xf32>, tensor<4xf32>) -> tensor<4x1024xf32> {
      %d = arith.subf %g, %h : f32
      %l = math.exp %d : f32
      linalg.yield %l : f32
    }
    %z = krnl.compute [r] () -> (%_ = %u[r]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %total = krnl.compute [r | j] (%g = %exp[r, j]) -> (%h = %z[r]) : (tensor<4x1024xf32>) -> tensor<4xf32> {
      %i = arith.addf %h, %g : f32
      linalg.yield %i : f32
    }
    %y = krnl.compute [r, j] (%g = %exp[r, j], %h = %total[r]) -> (%_ = %c[r, j]) : (tensor<4x1024xf32>, tensor<4xf32>) -> tensor<4x1024xf32> {
      %l = arith.divf %g, %h : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<4x1024xf32>
  } -> tensor<4x1024xf32>
  %2 = krnl.kernel "sums" loops [m = 4, n = 64, k = 1024] ins(%1, %v : tensor<4x1024xf32>, tensor<1024x64xf32>) outs(%o : tensor<4x64xf32>) {
  ^bb0(%x: tensor<4x1024xf32>, %w: tensor<1024x64xf32>, %c: tensor<4x64xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<4x64xf32>
    %f = krnl.compute [m, n] () -> (%_ = %t[m, n]) : () -> tensor<4x64xf32> { linalg.yield %zero : f32 }
    %p = krnl.compute [m, n | k] (%g = %x[m, k], %h = %w[k, n]) -> (%i = %f[m, n])
        : (tensor<4x1024xf32>, tensor<1024x64xf32>) -> tensor<4x64xf32> {
      %j = arith.mulf %g, %h : f32
      %l = arith.addf %i, %j : f32
      linalg.yield %l : f32
    }
    %y = krnl.compute [m, n] (%g = %p[m, n]) -> (%_ = %c[m, n]) : (tensor<4x64xf32>) -> tensor<4x64xf32> {
      %l = arith.maximumf %g, %zero : f32
      linalg.yield %l : f32
    }
    krnl.yield %y : tensor<4x64xf32>
  } -> tensor<4x64xf32>
  return %2 : tensor<4x64xf32>
}

}
