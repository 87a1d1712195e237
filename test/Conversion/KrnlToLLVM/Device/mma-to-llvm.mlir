// RUN: onnx-opt %s --convert-krnl-to-llvm | FileCheck %s
//
// Products of matrices by the instructions of PTX, with registers of four bytes.

module attributes {krnl.target = #krnl.target<triple = "nvptx64-nvidia-cuda", tile_threads = 1024, instructions = {mma_f16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.f32.f32", mma_bf16_x16 = "llvm.nvvm.mma.m16n8k16.row.col.bf16", mma_f32_x8 = "llvm.nvvm.mma.m16n8k8.row.col.tf32", mma_i8_x32 = "llvm.nvvm.mma.m16n8k32.row.col"}>} {

// Pairs of halves. Rows are in memory that the block shares.
// CHECK-LABEL: llvm.func {{.*}}@half
// CHECK:         %[[ROW:.+]] = llvm.addrspacecast %{{.+}} : !llvm.ptr to !llvm.ptr<3>
// CHECK:         %[[A:.+]] = llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"(%[[ROW]]) : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK:         llvm.call_intrinsic "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16"(%{{.+}}) : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32)>
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"({{.+}}) : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
func.func private @half(%t: memref<576xf16>, %s: memref<4xf32>, %i: index) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xf32>, vector<4xf32>
  %a = krnl.load_matrix %t[%i] : memref<576xf16> -> vector<8xf16>
  %b = krnl.load_matrix %t[%i] transposed : memref<576xf16> -> vector<4xf16>
  %r = krnl.mma %sum, %a, %b : vector<4xf32>, vector<8xf16>, vector<4xf16>
  vector.store %r, %s[%c0] : memref<4xf32>, vector<4xf32>
  return
}

// CHECK-LABEL: llvm.func {{.*}}@brain
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.bf16"({{.+}}) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
func.func private @brain(%x: memref<8xbf16>, %w: memref<4xbf16>, %s: memref<4xf32>) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xf32>, vector<4xf32>
  %a = vector.load %x[%c0] : memref<8xbf16>, vector<8xbf16>
  %b = vector.load %w[%c0] : memref<4xbf16>, vector<4xbf16>
  %r = krnl.mma %sum, %a, %b : vector<4xf32>, vector<8xbf16>, vector<4xbf16>
  vector.store %r, %s[%c0] : memref<4xf32>, vector<4xf32>
  return
}

// Floats are rounded first.
// CHECK-LABEL: llvm.func {{.*}}@single
// CHECK-COUNT-6: llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%{{.+}}) : (f32) -> i32
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"({{.+}}) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) ->
func.func private @single(%x: memref<4xf32>, %w: memref<2xf32>, %s: memref<4xf32>) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xf32>, vector<4xf32>
  %a = vector.load %x[%c0] : memref<4xf32>, vector<4xf32>
  %b = vector.load %w[%c0] : memref<2xf32>, vector<2xf32>
  %r = krnl.mma %sum, %a, %b : vector<4xf32>, vector<4xf32>, vector<2xf32>
  vector.store %r, %s[%c0] : memref<4xf32>, vector<4xf32>
  return
}

// The signedness of bytes is in the name.
// CHECK-LABEL: llvm.func {{.*}}@bytes
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.u8.s8"({{.+}}) : (i32, i32, i32, i32, i32, i32, i32, i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8.u8"
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8"
// CHECK:         llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.u8"
func.func private @bytes(%x: memref<16xi8>, %w: memref<8xi8>, %s: memref<4xi32>) attributes {krnl.kernel} {
  %c0 = arith.constant 0 : index
  %sum = vector.load %s[%c0] : memref<4xi32>, vector<4xi32>
  %a = vector.load %x[%c0] : memref<16xi8>, vector<16xi8>
  %b = vector.load %w[%c0] : memref<8xi8>, vector<8xi8>
  %0 = krnl.mma %sum, %a, %b {rhsSigned} : vector<4xi32>, vector<16xi8>, vector<8xi8>
  %1 = krnl.mma %0, %a, %b {lhsSigned} : vector<4xi32>, vector<16xi8>, vector<8xi8>
  %2 = krnl.mma %1, %a, %b {lhsSigned, rhsSigned} : vector<4xi32>, vector<16xi8>, vector<8xi8>
  %3 = krnl.mma %2, %a, %b : vector<4xi32>, vector<16xi8>, vector<8xi8>
  vector.store %3, %s[%c0] : memref<4xi32>, vector<4xi32>
  return
}
}
