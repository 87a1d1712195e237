// RUN: onnx-opt %s --verify-roundtrip | FileCheck %s --check-prefix=TEXT
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

// Results at computed indices, and traces of a reduction.

// The rows that the updates go to may be equal, so i runs in order; along j no
// two lanes meet. One row for all lanes: a plain vector load and store.
// TEXT-LABEL: func @add_rows
// TEXT:         krnl.scatter_load 0 at[%{{.+}}, %{{.+}}] : f32
// TEXT:         krnl.scatter_store %{{.+}} at[%{{.+}}, %{{.+}}] : f32
// CHECK-LABEL: func private @kernel_scatter_0
// CHECK-SAME:    %[[U:[^:]+]]: memref<5x64xf32>, %[[I:[^:]+]]: memref<5xi64>, %[[OUT:[^:]+]]: memref<9x64xf32>
// CHECK:         scf.for %{{.+}} = %c0 to %c4
// CHECK:           scf.for %[[N:.+]] = %c0 to %c5
// CHECK:             %[[INDEX:.+]] = memref.load %[[I]][%[[N]]]
// CHECK:             %[[PLACE:.+]] = arith.index_cast %[[INDEX]]
// CHECK:             %[[OLD:.+]] = vector.load %[[OUT]][%[[PLACE]], %{{.+}}]
// CHECK:             %[[SUM:.+]] = arith.addf %[[OLD]], %{{.+}}
// CHECK:             vector.store %[[SUM]], %[[OUT]][%[[PLACE]], %{{.+}}]
func.func @add_rows(%u: tensor<5x64xf32>, %i: tensor<5xi64>, %x: tensor<9x64xf32>) -> tensor<9x64xf32> {
  %y = krnl.kernel "scatter" loops [i = 5, j = 64] ins(%u, %i : tensor<5x64xf32>, tensor<5xi64>) outs(%x : tensor<9x64xf32>)
    recipe [block(j, 16) -> (j.o, j.i), order(j.o, i, j.i), fuse_outer(j.o), vectorize(j.i, 16)] {
  ^bb0(%a: tensor<5x64xf32>, %b: tensor<5xi64>, %o: tensor<9x64xf32>):
    %r = krnl.compute [j | i] (%p = %a[i, j], %q = %b[i]) -> (%unused = %o[0, j])
        : (tensor<5x64xf32>, tensor<5xi64>) -> tensor<9x64xf32> {
      %zero = arith.constant 0 : index
      %place = arith.index_cast %q : i64 to index
      %old = krnl.scatter_load 0 at [%place, %zero] : f32
      %new = arith.addf %old, %p : f32
      %v = krnl.scatter_store %new at [%place, %zero] : f32
      linalg.yield %v : f32
    }
    krnl.yield %r : tensor<9x64xf32>
  } -> tensor<9x64xf32>
  return %y : tensor<9x64xf32>
}

// The running sum stays in a register along j, and each of its values is stored.
// CHECK-LABEL: func private @kernel_running_0
// CHECK-SAME:    %[[X:[^:]+]]: memref<8x100xf32>, %[[Y:[^:]+]]: memref<8x100xf32>
// CHECK:         %{{.+}} = scf.for %[[J:.+]] = %c0 to %c100 step %c1 iter_args(%[[RUNNING:.+]] = %{{.+}}) -> (f32)
// CHECK:           %[[ELEMENT:.+]] = memref.load %[[X]][%{{.+}}, %[[J]]]
// CHECK:           %[[NEXT:.+]] = arith.addf %[[RUNNING]], %[[ELEMENT]]
// CHECK:           memref.store %[[NEXT]], %[[Y]][%{{.+}}, %[[J]]]
// CHECK:           scf.yield %[[NEXT]]
func.func @running_sum(%x: tensor<8x100xf32>) -> tensor<8x100xf32> {
  %e = tensor.empty() : tensor<8x100xf32>
  %y = krnl.kernel "running" loops [i = 8, j = 100] ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>)
    recipe [fuse_outer(i), parallel(i)] {
  ^bb0(%a: tensor<8x100xf32>, %o: tensor<8x100xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<8xf32>
    %f = krnl.compute [i] () -> (%q = %t[i]) : () -> tensor<8xf32> {
      linalg.yield %zero : f32
    }
    %r:2 = krnl.compute [i | j] (%p = %a[i, j]) -> (%sum = %f[i], %unused = %o[i, j])
        : (tensor<8x100xf32>) -> (tensor<8xf32>, tensor<8x100xf32>) {
      %next = arith.addf %sum, %p : f32
      linalg.yield %next, %next : f32, f32
    }
    krnl.yield %r#1 : tensor<8x100xf32>
  } -> tensor<8x100xf32>
  return %y : tensor<8x100xf32>
}

// Without a recipe the sum of a column, even of the only one, is in memory: it
// is read and written for each row.
// CHECK-LABEL: func private @kernel_down_0
// CHECK-SAME:    %[[X:[^:]+]]: memref<100x1xf32>, %[[Y:[^:]+]]: memref<100x1xf32>
// CHECK:         %[[SUMS:.+]] = memref.alloca
// CHECK:         memref.store %{{.+}}, %[[SUMS]][%c0]
// CHECK:         scf.for %[[I:.+]] = %c0 to %c100
// CHECK:           %[[SUM:.+]] = memref.load %[[SUMS]][%c0]
// CHECK:           %[[NEXT:.+]] = arith.addf %[[SUM]], %{{.+}}
// CHECK-DAG:       memref.store %[[NEXT]], %[[SUMS]][%c0]
// CHECK-DAG:       memref.store %[[NEXT]], %[[Y]][%[[I]], %c0]
func.func @running_sum_without_recipe(%x: tensor<100x1xf32>) -> tensor<100x1xf32> {
  %e = tensor.empty() : tensor<100x1xf32>
  %y = krnl.kernel "down" loops [i = 100, j = 1] ins(%x : tensor<100x1xf32>) outs(%e : tensor<100x1xf32>) {
  ^bb0(%a: tensor<100x1xf32>, %o: tensor<100x1xf32>):
    %zero = arith.constant 0.0 : f32
    %t = krnl.temporary : tensor<1xf32>
    %f = krnl.compute [j] () -> (%q = %t[j]) : () -> tensor<1xf32> {
      linalg.yield %zero : f32
    }
    %r:2 = krnl.compute [j | i] (%p = %a[i, j]) -> (%sum = %f[j], %unused = %o[i, j])
        : (tensor<100x1xf32>) -> (tensor<1xf32>, tensor<100x1xf32>) {
      %next = arith.addf %sum, %p : f32
      linalg.yield %next, %next : f32, f32
    }
    krnl.yield %r#1 : tensor<100x1xf32>
  } -> tensor<100x1xf32>
  return %y : tensor<100x1xf32>
}
