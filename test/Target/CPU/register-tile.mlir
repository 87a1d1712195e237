// RUN: onnx-compile %s --resume=onnx --cpu=znver4 --emit=asm -o %t.avx512.s
// RUN: FileCheck %s --check-prefix=AVX512 --input-file=%t.avx512.s
// RUN: FileCheck %s --check-prefix=EPILOGUE --input-file=%t.avx512.s
// RUN: onnx-compile %s --resume=onnx --cpu=haswell --emit=asm -o %t.avx2.s
// RUN: FileCheck %s --check-prefix=AVX2 --input-file=%t.avx2.s
// RUN: FileCheck %s --check-prefix=EPILOGUE --input-file=%t.avx2.s

// The machine code of a register tile: 8 x 48 makes 24 multiply-adds on 512-bit
// registers, 4 x 24 makes 12 on 256-bit ones; no tails, as the tiles divide the
// sizes.
// AVX512-LABEL:    {{^}}kernel_{{.*}}:
// AVX512-COUNT-24: vfmadd231ps {{.*}}%zmm
// AVX512-NOT:      vfmadd
// AVX512:          .size kernel_

// AVX2-LABEL:    {{^}}kernel_{{.*}}:
// AVX2-COUNT-12: vfmadd231ps {{.*}}%ymm
// AVX2-NOT:      vfmadd
// AVX2:          .size kernel_

// Bias and maximum are applied in registers: no vector is spilled or reloaded, of
// 32 nor of 16.
// EPILOGUE-LABEL: {{^}}kernel_{{.*}}:
// EPILOGUE-NOT:   {{[yz]mm.*\(%rsp\)|\(%rsp\).*[yz]mm}}
// EPILOGUE:       vmaxps
// EPILOGUE-NOT:   {{[yz]mm.*\(%rsp\)|\(%rsp\).*[yz]mm}}
// EPILOGUE:       .size kernel_
func.func @main_graph(%x: tensor<128x768xf32> {onnx.name = "x"}, %w: tensor<768x768xf32> {onnx.name = "w"}, %b: tensor<768xf32> {onnx.name = "b"}) -> (tensor<128x768xf32> {onnx.name = "y"}) {
  %0 = onnx.Gemm(%x, %w) C(%b) : (tensor<128x768xf32>, tensor<768x768xf32>, tensor<768xf32>) -> tensor<128x768xf32>
  %1 = onnx.Relu(%0) : (tensor<128x768xf32>) -> tensor<128x768xf32>
  return %1 : tensor<128x768xf32>
}
