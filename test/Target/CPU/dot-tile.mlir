// RUN: onnx-compile %s --resume=onnx --cpu=znver4 --emit=asm -o %t.vnni.s
// RUN: FileCheck %s --check-prefix=VNNI --input-file=%t.vnni.s
// RUN: FileCheck %s --check-prefix=SPILL --input-file=%t.vnni.s
// RUN: FileCheck %s --check-prefix=EPILOGUE --input-file=%t.vnni.s
// RUN: onnx-compile %s --resume=onnx --cpu=haswell --emit=asm -o %t.avx2.s
// RUN: FileCheck %s --check-prefix=AVX2 --input-file=%t.avx2.s
// RUN: onnx-compile %s --resume=onnx --cpu=arrowlake --emit=asm -o %t.avxvnni.s
// RUN: FileCheck %s --check-prefix=AVXVNNI --input-file=%t.avxvnni.s

// The machine code of a quantised layer: 8 x 48 sums of four products each, in
// one step of the reduction; scales and rounding before the only store, of bytes.
// VNNI-LABEL:    {{^}}kernel_MatMul{{.*}}:
// VNNI-COUNT-24: vpdpbusd {{.*}}%zmm
// VNNI-NOT:      vpdpbusd
// VNNI:          .size kernel_

// EPILOGUE-LABEL: {{^}}kernel_MatMul{{.*}}:
// EPILOGUE:       vcvtdq2ps
// EPILOGUE:       vrndscaleps
// EPILOGUE:       vpmovdb

// No vector goes to the stack.
// SPILL-LABEL: {{^}}kernel_MatMul{{.*}}:
// SPILL-NOT:   {{[yz]mm.*\(%rsp\)|\(%rsp\).*[yz]mm}}
// SPILL:       .size kernel_

// AVX2-LABEL:    {{^}}kernel_MatMul{{.*}}:
// AVX2-COUNT-16: vpmaddwd {{.*}}%ymm
// AVX2:          .size kernel_

// AVXVNNI-LABEL:    {{^}}kernel_MatMul{{.*}}:
// AVXVNNI-COUNT-12: {vex} vpdpbusd {{.*}}%ymm
// AVXVNNI-NOT:      vpdpbusd
// AVXVNNI:          .size kernel_
func.func @main_graph(%x: tensor<128x768xui8> {onnx.name = "x"}, %w: tensor<768x768xi8> {onnx.name = "w"}, %s: tensor<768xf32> {onnx.name = "s"}) -> (tensor<128x768xui8> {onnx.name = "y"}) {
  %one = onnx.Constant dense<1.0> : tensor<f32>
  %zero = onnx.Constant dense<0> : tensor<ui8>
  %0 = onnx.MatMulInteger(%x, %w) : (tensor<128x768xui8>, tensor<768x768xi8>) -> tensor<128x768xi32>
  %1 = onnx.Cast(%0) {to = 1 : i64} : (tensor<128x768xi32>) -> tensor<128x768xf32>
  %2 = onnx.Mul(%1, %s) : (tensor<128x768xf32>, tensor<768xf32>) -> tensor<128x768xf32>
  %3 = onnx.QuantizeLinear(%2, %one) y_zero_point(%zero) : (tensor<128x768xf32>, tensor<f32>, tensor<ui8>) -> tensor<128x768xui8>
  return %3 : tensor<128x768xui8>
}
