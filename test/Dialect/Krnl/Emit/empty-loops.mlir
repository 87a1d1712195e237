// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse --split-input-file | FileCheck %s

// Rows that have nothing in them are not walked: there is no tile where the
// columns, which all results have, are none.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[^:]+]]: tensor<?x?xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : index
// CHECK:         %[[ROWS:.+]] = tensor.dim %[[X]], %[[ZERO]]
// CHECK:         %[[COLUMNS:.+]] = tensor.dim %[[X]], %[[ONE]]
// CHECK:         %[[EMPTY:.+]] = arith.cmpi eq, %[[COLUMNS]], %[[ZERO]]
// CHECK:         %[[TILES:.+]] = arith.select %[[EMPTY]], %[[ZERO]], %[[ROWS]]
// CHECK:         krnl.launch @kernel_rows_0 {{.*}} tiles(%[[TILES]])
func.func @rows(%x: tensor<?x?xf32>, %o: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = krnl.kernel "rows" loops [r = %rows, c = %columns] ins(%x, %n : tensor<?x?xf32>, index) outs(%o : tensor<?x?xf32>)
      recipe [fuse_outer(r), parallel(r)] {
  ^bb0(%a: tensor<?x?xf32>, %m: index, %b: tensor<?x?xf32>, %r: index, %c: index):
    %zero = arith.constant 0.0 : f32
    %e = krnl.temporary : tensor<?xf32>
    %f = krnl.compute [r] () -> (%q = %e[r]) : () -> tensor<?xf32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [r | c] (%p = %a[r, c]) -> (%q = %f[r]) : (tensor<?x?xf32>) -> tensor<?xf32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    %z = krnl.compute [r, c] (%p = %a[r, c], %q = %s[r]) -> (%w = %b[r, c])
        : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32> {
      %t = arith.subf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %z : tensor<?x?xf32>
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// -----

// Inside of a kernel, too: the sum of no elements, however many rows there are.
// CHECK-LABEL: func private @kernel_sum_0(
// CHECK-SAME:    %{{.+}}: memref<?x?xf32>, %[[ROWS:[^:]+]]: index, %[[COLUMNS:[^:]+]]: index,
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[NONE:.+]] = arith.cmpi eq, %[[COLUMNS]], %[[ZERO]]
// CHECK-DAG:     %[[WALKED:.+]] = arith.select %[[NONE]], %[[ZERO]], %[[ROWS]]
// CHECK:         scf.for {{.*}} = %[[ZERO]] to %[[WALKED]]
func.func @sum(%x: tensor<?x?xf32>, %o: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = krnl.kernel "sum" loops [r = %rows, c = %columns] ins(%x : tensor<?x?xf32>) outs(%o : tensor<f32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<f32>, %r: index, %c: index):
    %zero = arith.constant 0.0 : f32
    %f = krnl.compute [] () -> (%q = %b) : () -> tensor<f32> {
      linalg.yield %zero : f32
    }
    %s = krnl.compute [| r, c] (%p = %a[r, c]) -> (%q = %f) : (tensor<?x?xf32>) -> tensor<f32> {
      %t = arith.addf %p, %q : f32
      linalg.yield %t : f32
    }
    krnl.yield %s : tensor<f32>
  } -> tensor<f32>
  return %y : tensor<f32>
}
