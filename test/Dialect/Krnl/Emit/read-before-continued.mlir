// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" --krnl-lower-kernels --canonicalize --cse | FileCheck %s

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
    %e = krnl.temporary : tensor<4xf32>
    %p = krnl.compute [r, c] (%v = %a[r, c]) -> (%w = %b[r, c])
        : (tensor<4x40000xf32>) -> tensor<4x40000xf32> {
      %n = math.exp %v : f32
      linalg.yield %n : f32
    }
    %f = krnl.compute [r] () -> (%_ = %e[r]) : () -> tensor<4xf32> { linalg.yield %zero : f32 }
    %s = krnl.compute [r | c] (%v = %p[r, c]) -> (%w = %f[r])
        : (tensor<4x40000xf32>) -> tensor<4xf32> {
      %n = arith.addf %w, %v : f32
      linalg.yield %n : f32
    }
    %q = krnl.compute [r, c] (%v = %s[r]) -> (%w = %p[r, c])
        : (tensor<4xf32>) -> tensor<4x40000xf32> {
      %n = arith.divf %w, %v : f32
      linalg.yield %n : f32
    }
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
func.func @late(%x: tensor<8xf32>, %o: tensor<8xf32>, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = krnl.kernel "late" loops [i = 8] ins(%x : tensor<8xf32>) outs(%o, %u : tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>):
    %e = krnl.temporary : tensor<8xf32>
    %p = krnl.compute [i] (%v = %a[i]) -> (%w = %b[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %n = math.exp %v : f32
      linalg.yield %n : f32
    }
    %q = krnl.compute [i] () -> (%w = %p[i]) : () -> tensor<8xf32> {
      %n = arith.mulf %w, %w : f32
      linalg.yield %n : f32
    }
    %s = krnl.compute [i] (%v = %p[i]) -> (%w = %c[i]) : (tensor<8xf32>) -> tensor<8xf32> {
      %n = arith.negf %v : f32
      linalg.yield %n : f32
    }
    krnl.yield %q, %s : tensor<8xf32>, tensor<8xf32>
  } -> tensor<8xf32>, tensor<8xf32>
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}
