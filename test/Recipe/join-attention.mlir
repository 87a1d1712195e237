// RUN: onnx-opt %s --convert-onnx-to-krnl --krnl-fuse=collapse=false --krnl-join-attention -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: onnx-opt %t.mlir --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=RECIPE
//
// The three kernels of an attention become one for a device, where that takes less time. Its warps have parts
// of the keys, and then of the columns of values; the scores that values are multiplied by are shared.
//
// RECIPE:      kernel "MatMul+Softmax+MatMul"
// RECIPE:        fuse_outer(b0, m.o),
// RECIPE-NEXT:   parallel(b0, m.o),
// RECIPE-NEXT:   map(m.g, thread),
// RECIPE-NEXT:   map(n.t, thread),
// RECIPE-NEXT:   map(n.w, thread),
// RECIPE-NEXT:   map(n_2.w, thread, as=n.w),
// RECIPE-NEXT:   map(n_2.t, thread, as=n.t),
// RECIPE:        shared({{[0-9]+}}),
// RECIPE-NEXT:   1: cache(0, at=k.o, in=shared),
// RECIPE-NEXT:   1: cache(1, at=k.o, in=shared),
// RECIPE-NEXT:   1: pipeline(k.o, {{[23]}}),
// RECIPE-NEXT:   {{[0-9]+}}: cache(2, at=n.x, in=shared),
// RECIPE-NEXT:   {{[0-9]+}}: pipeline(n.x, {{[23]}})

module attributes {krnl.target = #krnl.target<tile_threads = 1024, shared_bytes = 101376, core_shared_bytes = 167936, cores = 108>} {

// CHECK-LABEL: func @attention
// CHECK:         krnl.kernel "MatMul+Softmax+MatMul"
// CHECK-NOT:     krnl.kernel
func.func @attention(%q: tensor<12x128x64xf32>, %k: tensor<12x64x128xf32>, %v: tensor<12x128x64xf32>) -> tensor<12x128x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x128x64xf32>, tensor<12x64x128xf32>) -> tensor<12x128x128xf32>
  %p = onnx.Softmax(%s) : (tensor<12x128x128xf32>) -> tensor<12x128x128xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<12x128x128xf32>, tensor<12x128x64xf32>) -> tensor<12x128x64xf32>
  return %y : tensor<12x128x64xf32>
}

// One block of 16 rows would use one of all cores.
// CHECK-LABEL: func @few_rows
// CHECK:         krnl.kernel "MatMul"
// CHECK:         krnl.kernel "Softmax"
// CHECK:         krnl.kernel "MatMul"
func.func @few_rows(%q: tensor<1x4x64xf32>, %k: tensor<1x64x1024xf32>, %v: tensor<1x1024x64xf32>) -> tensor<1x4x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<1x4x64xf32>, tensor<1x64x1024xf32>) -> tensor<1x4x1024xf32>
  %p = onnx.Softmax(%s) : (tensor<1x4x1024xf32>) -> tensor<1x4x1024xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<1x4x1024xf32>, tensor<1x1024x64xf32>) -> tensor<1x4x64xf32>
  return %y : tensor<1x4x64xf32>
}

// 16 rows of so many keys do not fit the memory of a block.
// CHECK-LABEL: func @long_rows
// CHECK:         krnl.kernel "MatMul"
// CHECK:         krnl.kernel "Softmax"
// CHECK:         krnl.kernel "MatMul"
func.func @long_rows(%q: tensor<12x128x64xf32>, %k: tensor<12x64x4096xf32>, %v: tensor<12x4096x64xf32>) -> tensor<12x128x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x128x64xf32>, tensor<12x64x4096xf32>) -> tensor<12x128x4096xf32>
  %p = onnx.Softmax(%s) : (tensor<12x128x4096xf32>) -> tensor<12x128x4096xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<12x128x4096xf32>, tensor<12x4096x64xf32>) -> tensor<12x128x64xf32>
  return %y : tensor<12x128x64xf32>
}

// The sizes of scores are known.
// CHECK-LABEL: func @dynamic
// CHECK:         krnl.kernel "MatMul"
// CHECK:         krnl.kernel "Softmax"
// CHECK:         krnl.kernel "MatMul"
func.func @dynamic(%q: tensor<12x128x64xf32>, %k: tensor<12x64x?xf32>, %v: tensor<12x?x64xf32>) -> tensor<12x128x64xf32> {
  %s = onnx.MatMul(%q, %k) : (tensor<12x128x64xf32>, tensor<12x64x?xf32>) -> tensor<12x128x?xf32>
  %p = onnx.Softmax(%s) : (tensor<12x128x?xf32>) -> tensor<12x128x?xf32>
  %y = onnx.MatMul(%p, %v) : (tensor<12x128x?xf32>, tensor<12x?x64xf32>) -> tensor<12x128x64xf32>
  return %y : tensor<12x128x64xf32>
}
}
