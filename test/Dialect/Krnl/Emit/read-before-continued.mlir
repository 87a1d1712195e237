// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

#id = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>

// Who reads the elements before somebody continues them is not in the way: there
// is one tensor of them, the result.
// CHECK-LABEL: func private @kernel_scale_0(
// CHECK-SAME:    %arg0: memref<4x40000xf32>, %[[Y:.+]]: memref<4x40000xf32>, %{{.+}}: index, %{{.+}}: index)
// CHECK-NOT:     memref.alloca
// CHECK:         math.exp
// CHECK-NEXT:    memref.store %{{.+}}, %[[Y]]
// CHECK-NOT:     memref.store
// CHECK:         memref.load %[[Y]]
// CHECK-NEXT:    arith.addf
func.func @scale(%x: tensor<4x40000xf32>, %o: tensor<4x40000xf32>) -> tensor<4x40000xf32> {
  %y = krnl.kernel "scale" loops [r = 4, c = 40000] ins(%x : tensor<4x40000xf32>)
      outs(%o : tensor<4x40000xf32>) recipe [fuse_outer(r)] {
  ^bb0(%a: tensor<4x40000xf32>, %b: tensor<4x40000xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4xf32>
    %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<4x40000xf32>) outs(%b : tensor<4x40000xf32>) attrs = {krnl.axes = ["r", "c"]} {
    ^bb0(%v: f32, %w: f32):
      %n = math.exp %v : f32
      linalg.yield %n : f32
    } -> tensor<4x40000xf32>
    %f = linalg.fill {krnl.axes = ["r"]} ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%p : tensor<4x40000xf32>) outs(%f : tensor<4xf32>) attrs = {krnl.axes = ["r", "c"]} {
    ^bb0(%v: f32, %w: f32):
      %n = arith.addf %w, %v : f32
      linalg.yield %n : f32
    } -> tensor<4xf32>
    %q = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<4xf32>) outs(%p : tensor<4x40000xf32>) attrs = {krnl.axes = ["r", "c"]} {
    ^bb0(%v: f32, %w: f32):
      %n = arith.divf %w, %v : f32
      linalg.yield %n : f32
    } -> tensor<4x40000xf32>
    krnl.yield %q : tensor<4x40000xf32>
  } -> tensor<4x40000xf32>
  return %y : tensor<4x40000xf32>
}

// Who reads them afterwards needs them as they were.
// CHECK-LABEL: func private @kernel_late_0(
// CHECK:         %[[OLD:.+]] = memref.alloca() {{.*}} : memref<8xf32>
// CHECK:         math.exp
// CHECK-DAG:     memref.store %{{.+}}, %[[OLD]]
// CHECK-DAG:     memref.store %{{.+}}, %arg1
// CHECK:         arith.mulf
// CHECK:         memref.load %[[OLD]]
// CHECK:         arith.negf
#one = affine_map<(d) -> (d)>
func.func @late(%x: tensor<8xf32>, %o: tensor<8xf32>, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = krnl.kernel "late" loops [i = 8] ins(%x : tensor<8xf32>) outs(%o, %u : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>):
    %e = tensor.empty() : tensor<8xf32>
    %p = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%v: f32, %w: f32):
      %n = math.exp %v : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    %q = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
        outs(%p : tensor<8xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%w: f32):
      %n = arith.mulf %w, %w : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    %s = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%p : tensor<8xf32>) outs(%c : tensor<8xf32>) attrs = {krnl.axes = ["i"]} {
    ^bb0(%v: f32, %w: f32):
      %n = arith.negf %v : f32
      linalg.yield %n : f32
    } -> tensor<8xf32>
    krnl.yield %q, %s : tensor<8xf32>, tensor<8xf32>
  } -> tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
