// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-annotate-costs | FileCheck %s
//
// What a kernel and the packing of its operands cost, in terms of the operands of
// the launch: dynamic extents come after the inputs.

// Both inputs are before m, which both the cycles and the operations grow with.
// Of the operands, the second one is packed by a launch of its own.
// CHECK-LABEL: func @packed
// CHECK:         krnl.kernel "mm"
// CHECK-SAME:      attributes {krnl.cycles = {{\[}}[{{[^,]+}}, 2]],
// CHECK-SAME:      krnl.pack_costs = {"1" = {krnl.tile_cycles = {{[1-9][0-9]+}} : i64, krnl.work = {bytes = 16384 : i64, operations = {}}}},
// CHECK-SAME:      krnl.tile_cycles = {{[1-9][0-9]+}} : i64,
// CHECK-SAME:      krnl.work = {bytes = {{.+}}, operations = {f32 = {{\[}}[4096, 0]]}, sizes = {{\[}}[2]
func.func @packed(%x: tensor<?x32xf32>, %w: tensor<32x64xf32>, %o: tensor<?x64xf32>, %m: index) -> tensor<?x64xf32> {
  %y = krnl.kernel "mm" loops [m = %m, n = 64, k = 32] ins(%x, %w : tensor<?x32xf32>, tensor<32x64xf32>) outs(%o : tensor<?x64xf32>) recipe [block(n, 16) -> (n.o, n.r), pack(1, [n.o, k, n.r]), order(n.o, m, k, n.r), vectorize(n.r, 16)] {
  ^bb0(%a: tensor<?x32xf32>, %b: tensor<32x64xf32>, %c: tensor<?x64xf32>, %rows: index):
    %r = krnl.compute [m, n | k] (%p = %a[m, k], %q = %b[k, n]) -> (%s = %c[m, n]) : (tensor<?x32xf32>, tensor<32x64xf32>) -> tensor<?x64xf32> {
      %t = arith.mulf %p, %q : f32
      %u = arith.addf %s, %t : f32
      linalg.yield %u : f32
    }
    krnl.yield %r : tensor<?x64xf32>
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Only devices have a least time.
// CHECK-NOT: krnl.roofline_cycles
