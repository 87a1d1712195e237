// RUN: onnx-opt %s --convert-onnx-to-krnl --select-target="triple=x86_64-linux-gnu cpu=znver4" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s
// RUN: onnx-opt %s --convert-onnx-to-krnl --select-target="triple=x86_64-linux-gnu cpu=x86-64-v3" --krnl-write-recipes=emit-recipes=- -o /dev/null | FileCheck %s --check-prefix=PAIRS

// Weights, scales and zero points of blocks are stored panel by panel, each with
// those loops that it has. Both halves of a byte are taken at once. Unpacking needs
// registers: 8x48, the tile of other products, would not fit.
// CHECK-LABEL: kernel "MatMulNBits"
// CHECK-NEXT:    block(n, 32) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 8) -> (m.o, m.r),
// CHECK-NEXT:    order(n.o, m.o, block, byte, part, m.r, n.r),
// CHECK-NEXT:    fuse_outer(n.o, m.o),
// CHECK-NEXT:    parallel(n.o, m.o),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=16),
// CHECK-NEXT:    pack(1, [n.o, block, byte, n.r]),
// CHECK-NEXT:    pack(2, [n.o, block, n.r]),
// CHECK-NEXT:    pack(3, [n.o, block, n.r]),
// CHECK-NEXT:    1: unroll(part, 2),
// CHECK-NEXT:    prefetch(2, distance=1, line=64)
// CHECK-NEXT:  ]
func.func @rows(%a: tensor<128x2048xf32>) -> tensor<128x1024xf32> {
  %w = onnx.Constant dense<255> : tensor<1024x64x16xui8>
  %s = onnx.Constant dense<1.0> : tensor<65536xf32>
  %z = onnx.Constant dense<33> : tensor<32768xui8>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) zero_points(%z) {K = 2048 : i64, N = 1024 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<128x2048xf32>, tensor<1024x64x16xui8>, tensor<65536xf32>, tensor<32768xui8>) -> tensor<128x1024xf32>
  return %y : tensor<128x1024xf32>
}

// One row: the panels are streams.
// CHECK-LABEL: kernel "MatMulNBits#2"
// CHECK-NEXT:    block(n, 64) -> (n.p, n.r),
// CHECK-NEXT:    order(n.p, block, byte, part, n.r),
// CHECK-NEXT:    fuse_outer(n.p),
// CHECK-NEXT:    parallel(n.p),
// CHECK-NEXT:    vectorize(n.r, 16),
// CHECK-NEXT:    unroll(n.r, 4),
// CHECK-NEXT:    pack(1, [n.p, block, byte, n.r]),
// CHECK-NEXT:    pack(2, [n.p, block, n.r]),
// CHECK-NEXT:    1: unroll(part, 2),
// CHECK-NEXT:    order(n.r, block, byte, part)
// CHECK-NEXT:  ]
func.func @row(%a: tensor<2048xf32>) -> tensor<1024xf32> {
  %w = onnx.Constant dense<254> : tensor<1024x64x16xui8>
  %s = onnx.Constant dense<2.0> : tensor<65536xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 2048 : i64, N = 1024 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<2048xf32>, tensor<1024x64x16xui8>, tensor<65536xf32>) -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}

// Sums of bytes, which are scaled block by block: what runs over the blocks runs
// together, and totals take as many registers as the sums of a block.
// CHECK-LABEL: kernel "MatMulNBits#3"
// CHECK-NEXT:    block(n, 16) -> (n.o, n.r),
// CHECK-NEXT:    block(m, 12) -> (m.o, m.r),
// CHECK-NEXT:    block(byte, 4) -> (byte.o, byte.q),
// CHECK-NEXT:    order(n.o, m.o, block, byte.o, part, byte.q, m.r, n.r),
// CHECK-NEXT:    fuse_outer(n.o, m.o),
// CHECK-NEXT:    parallel(n.o, m.o),
// CHECK-NEXT:    compute_at(block),
// CHECK-NEXT:    register_tile(m.r, n.r, lanes=16),
// CHECK-NEXT:    pack(2, [n.o, block, byte.o, n.r, byte.q]),
// CHECK-NEXT:    pack(4, [n.o, block, n.r]),
// CHECK-NEXT:    2: dot(byte.q),
// CHECK-NEXT:    2: unroll(part, 2),
// CHECK-NEXT:    2: unroll(byte.o, 4),
// CHECK-NEXT:    prefetch(2, distance=1, line=64),
// CHECK-NEXT:    prefetch(4, distance=1, line=64)
// CHECK-NEXT:  ]
// Where pairs of bytes are multiplied, the sums of numbers of 4 bits fit 16 bits.
// PAIRS-LABEL: kernel "MatMulNBits#3"
// PAIRS:         2: dot(byte.q, sums=i16),
func.func @bytes(%a: tensor<128x2048xf32>) -> tensor<128x1024xf32> {
  %w = onnx.Constant dense<253> : tensor<1024x64x16xui8>
  %s = onnx.Constant dense<3.0> : tensor<65536xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 2048 : i64, N = 1024 : i64, accuracy_level = 4 : i64, bits = 4 : i64, block_size = 32 : i64} : (tensor<128x2048xf32>, tensor<1024x64x16xui8>, tensor<65536xf32>) -> tensor<128x1024xf32>
  return %y : tensor<128x1024xf32>
}

// Longer blocks are not unrolled as a whole: each byte has two parts.
// CHECK-LABEL: kernel "MatMulNBits#4"
// CHECK:         register_tile(m.r, n.r, lanes=16),
// CHECK:         2: dot(byte.q),
// CHECK-NEXT:    2: unroll(part, 2),
// CHECK-NEXT:    2: unroll(byte.o, 4),
func.func @long_blocks(%a: tensor<128x2048xf32>) -> tensor<128x1024xf32> {
  %w = onnx.Constant dense<255> : tensor<1024x32x32xui8>
  %s = onnx.Constant dense<1.0> : tensor<32768xf32>
  %y = onnx.microsoft.MatMulNBits(%a, %w, %s) {K = 2048 : i64, N = 1024 : i64, accuracy_level = 4 : i64, bits = 4 : i64, block_size = 64 : i64} : (tensor<128x2048xf32>, tensor<1024x32x32xui8>, tensor<32768xf32>) -> tensor<128x1024xf32>
  return %y : tensor<128x1024xf32>
}

// Panels of columns pass by all rows, which are more than the second cache holds: how often these are read counts the
// panels of the columns, not each column.
// CHECK-LABEL: kernel "MatMul"
// CHECK:         order(b0, n.o, m.o, k, m.r, n.r),
// CHECK:         pack(1, [n.o, k, n.r]
func.func @open_columns(%x: tensor<?x1024x?xf32>) -> tensor<?x256x?xf32> {
  %w = onnx.Constant dense<1.0> : tensor<256x1024xf32>
  %y = onnx.MatMul(%w, %x) : (tensor<256x1024xf32>, tensor<?x1024x?xf32>) -> tensor<?x256x?xf32>
  return %y : tensor<?x256x?xf32>
}

// Lines of columns in place are in other pages from step to step, where no processor foresees them: rows of many tiles
// have the columns packed. For few rows, or with columns that the first cache keeps, that would take longer.
// CHECK-LABEL: kernel "MatMul#2"
// CHECK:         pack(1, [n.o, k, n.r], lanes=16)
// CHECK-LABEL: kernel "MatMul#3"
// CHECK-NOT:     pack
// CHECK-LABEL: kernel "MatMul#4"
// CHECK-NOT:     pack
func.func @pages(%x: tensor<256x512xf32>, %few: tensor<12x512xf32>, %w: tensor<512x784xf32>, %short: tensor<256x8xf32>, %small: tensor<8x784xf32>)
    -> (tensor<256x784xf32>, tensor<12x784xf32>, tensor<256x784xf32>) {
  %y = onnx.MatMul(%x, %w) : (tensor<256x512xf32>, tensor<512x784xf32>) -> tensor<256x784xf32>
  %z = onnx.MatMul(%few, %w) : (tensor<12x512xf32>, tensor<512x784xf32>) -> tensor<12x784xf32>
  %v = onnx.MatMul(%short, %small) : (tensor<256x8xf32>, tensor<8x784xf32>) -> tensor<256x784xf32>
  return %y, %z, %v : tensor<256x784xf32>, tensor<12x784xf32>, tensor<256x784xf32>
}
