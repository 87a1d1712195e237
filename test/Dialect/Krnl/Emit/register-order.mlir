// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s
// RUN: sed 's/, order(c, k)//' %s | onnx-opt --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s --check-prefix=MEMORY

// Results are in registers while loops inside of theirs run; with the reduced loop
// outside they go to memory in each of its iterations.
// CHECK-LABEL: func private @kernel_columns_0(
// CHECK-COUNT-2: vector.load %arg1
// CHECK:         scf.for %{{.+}} = %c0 to %c100 step %c1 iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %{{.+}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-2:   vector.load %arg0
// CHECK-NOT:       vector.store
// CHECK:           scf.yield
// CHECK-COUNT-2: vector.store %{{.+}}, %arg1
// MEMORY-LABEL: func private @kernel_columns_0(
// MEMORY-NOT:     iter_args
// MEMORY:         scf.for %{{.+}} = %c0 to %c100 step %c1 {
// MEMORY-COUNT-2:   vector.store %{{.+}}, %arg1
func.func @columns(%x: tensor<100x32xf32>, %o: tensor<32xf32>) -> tensor<32xf32> {
  %y = krnl.kernel "columns" loops [c = 32, k = 100] ins(%x : tensor<100x32xf32>) outs(%o : tensor<32xf32>)
      recipe [order(k, c), vectorize(c, 16), unroll(c, 2), order(c, k)] {
  ^bb0(%a: tensor<100x32xf32>, %b: tensor<32xf32>):
    %r = krnl.compute [c | k] (%p = %a[k, c]) -> (%q = %b[c]) : (tensor<100x32xf32>) -> tensor<32xf32> {
      %s = arith.addf %q, %p : f32
      linalg.yield %s : f32
    }
    krnl.yield %r : tensor<32xf32>
  } -> tensor<32xf32>
  return %y : tensor<32xf32>
}
