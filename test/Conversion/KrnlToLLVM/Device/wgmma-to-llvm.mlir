// RUN: onnx-opt %s --convert-krnl-to-llvm | FileCheck %s
//
// Products of matrices in shared memory by the operations of the NVVM dialect.

module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024, instructions = {wgmma_f16_x16 = "nvvm.wgmma.mma_async"}>} {

// The address in units of 16 bytes, then 16, 1024 and lines of 128 bytes: 1 << 62 | 64 << 32 | 1 << 16.
// CHECK-LABEL: llvm.func {{.*}}@half
// CHECK:         %[[SHARED:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr to !llvm.ptr<3>
// CHECK:         %[[ADDRESS:.+]] = llvm.ptrtoint %[[SHARED]] : !llvm.ptr<3> to i64
// CHECK:         %[[UNITS:.+]] = llvm.mlir.constant(4 : i64)
// CHECK:         %[[SHIFTED:.+]] = llvm.lshr %[[ADDRESS]], %[[UNITS]]
// CHECK:         %[[BITS:.+]] = llvm.mlir.constant(16383 : i64)
// CHECK:         %[[PART:.+]] = llvm.and %[[SHIFTED]], %[[BITS]]
// CHECK:         %[[FORM:.+]] = llvm.mlir.constant(4611686293305360384 : i64)
// CHECK:         %[[DESCRIPTOR:.+]] = llvm.or %[[PART]], %[[FORM]]
// CHECK:         %[[DONE:.+]] = nvvm.wgmma.mma_async %[[DESCRIPTOR]], %[[DESCRIPTOR]], %{{.+}}, <m = 64, n = 8, k = 16>, D[<f32>, <one>], A[<f16>, <one>, <row>], B[<f16>, <one>, <row>]
// CHECK:         llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3"
func.func private @half(%t: memref<4096xf16>, %s: memref<4xf32>, %i: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xf32>, vector<4xf32>
  %a = krnl.matrix_descriptor %t[%i], swizzle = 128, leading = 16, stride = 1024 : memref<4096xf16>
  %0 = krnl.wgmma %sum, %a, %a of f16 {rhsTransposed} : vector<4xf32>
  %1 = krnl.wgmma_wait %0 : vector<4xf32>
  vector.store %1, %s[%c0] : memref<4xf32>, vector<4xf32>
  return
}

// Rows that lie along memory are a column of the matrix; other lines have other numbers.
// CHECK-LABEL: llvm.func {{.*}}@brain
// CHECK-DAG:     llvm.mlir.constant(-9223371899415756800 : i64)
// CHECK-DAG:     llvm.mlir.constant(-4611685949707845632 : i64)
// CHECK:         nvvm.wgmma.mma_async %{{.+}}, <m = 64, n = 16, k = 16>, D[<f32>, <one>], A[<bf16>, <one>, <col>], B[<bf16>, <one>, <col>]
func.func private @brain(%t: memref<4096xbf16>, %s: memref<8xf32>, %i: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<8xf32>, vector<8xf32>
  %a = krnl.matrix_descriptor %t[%i], swizzle = 64, leading = 16, stride = 512 : memref<4096xbf16>
  %b = krnl.matrix_descriptor %t[%i], swizzle = 32, leading = 16, stride = 256 : memref<4096xbf16>
  %0 = krnl.wgmma %sum, %a, %b of bf16 {lhsTransposed} : vector<8xf32>
  %1 = krnl.wgmma_wait %0 : vector<8xf32>
  vector.store %1, %s[%c0] : memref<8xf32>, vector<8xf32>
  return
}

// Sums stay in flight where groups do.
// CHECK-LABEL: llvm.func {{.*}}@flight
// CHECK:         %[[SUM:.+]] = nvvm.wgmma.mma_async
// CHECK:         nvvm.wgmma.wait.group.sync.aligned 1
// CHECK:         llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
func.func private @flight(%t: memref<4096xf16>, %s: memref<4xf32>, %i: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xf32>, vector<4xf32>
  %a = krnl.matrix_descriptor %t[%i], swizzle = 128, leading = 16, stride = 1024 : memref<4096xf16>
  %0 = krnl.wgmma %sum, %a, %a of f16 {rhsTransposed} : vector<4xf32>
  krnl.wgmma_wait in_flight=1
  %1 = krnl.wgmma_wait %0 : vector<4xf32>
  vector.store %1, %s[%c0] : memref<4xf32>, vector<4xf32>
  return
}

// Bytes of both kinds have sums of i32, in registers of integers.
// CHECK-LABEL: llvm.func {{.*}}@bytes
// CHECK:         nvvm.wgmma.mma_async %{{.+}}, <m = 64, n = 8, k = 32>, D[<s32>, <one>], A[<u8>, <one>, <row>], B[<s8>, <one>, <col>]
// CHECK:         llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=r,=r,=r,=r,0,1,2,3"
func.func private @bytes(%t: memref<4096xi8>, %s: memref<4xi32>, %i: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xi32>, vector<4xi32>
  %a = krnl.matrix_descriptor %t[%i], swizzle = 128, leading = 16, stride = 1024 : memref<4096xi8>
  %0 = krnl.wgmma %sum, %a, %a of i8 {rhsSigned} : vector<4xi32>
  %1 = krnl.wgmma_wait %0 : vector<4xi32>
  vector.store %1, %s[%c0] : memref<4xi32>, vector<4xi32>
  return
}

// CHECK-LABEL: llvm.func {{.*}}@rounded
// CHECK:         nvvm.wgmma.mma_async %{{.+}}, <m = 64, n = 8, k = 8>, D[<f32>, <one>], A[<tf32>, <one>, <row>], B[<tf32>, <one>, <col>]
func.func private @rounded(%t: memref<4096xf32>, %s: memref<4xf32>, %i: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xf32>, vector<4xf32>
  %a = krnl.matrix_descriptor %t[%i], swizzle = 128, leading = 16, stride = 1024 : memref<4096xf32>
  %0 = krnl.wgmma %sum, %a, %a of f32 : vector<4xf32>
  %1 = krnl.wgmma_wait %0 : vector<4xf32>
  vector.store %1, %s[%c0] : memref<4xf32>, vector<4xf32>
  return
}

// Rows in registers are words of two elements; the operation of the NVVM dialect has no operands for them.
// CHECK-LABEL: llvm.func {{.*}}@rows
// CHECK:         %[[WORDS:.+]] = llvm.bitcast %{{.+}} : vector<8xbf16> to vector<4xi32>
// CHECK:         llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, p, 1, 1, 1; }", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l"
// CHECK:         llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;"
func.func private @rows(%t: memref<4096xbf16>, %r: memref<8xbf16>, %s: memref<4xf32>, %i: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xf32>, vector<4xf32>
  %rows = vector.load %r[%c0] : memref<8xbf16>, vector<8xbf16>
  %b = krnl.matrix_descriptor %t[%i], swizzle = 128, leading = 16, stride = 1024 : memref<4096xbf16>
  %0 = krnl.wgmma_rows %sum, %rows, %b {rhsTransposed} : vector<4xf32>, vector<8xbf16>
  %1 = krnl.wgmma_wait %0 : vector<4xf32>
  vector.store %1, %s[%c0] : memref<4xf32>, vector<4xf32>
  return
}
}
