// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefix=V2
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v3" | FileCheck %s --check-prefix=V3
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v4" | FileCheck %s --check-prefix=V4
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=znver4 features=-avx512f" | FileCheck %s --check-prefix=V3
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=sandybridge" | FileCheck %s --check-prefix=AVX
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=icelake-server" | FileCheck %s --check-prefix=VNNI
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=arrowlake-s" | FileCheck %s --check-prefix=INT8
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=generic" | FileCheck %s --check-prefix=LEAST
// RUN: onnx-opt %s --select-target="triple=aarch64-linux-gnu" | FileCheck %s --check-prefix=NEON
// RUN: onnx-opt %s --select-target="triple=aarch64-linux-gnu cpu=neoverse-n2" | FileCheck %s --check-prefix=I8MM
// RUN: onnx-opt %s --select-target="triple=riscv64-linux-gnu features=+v" | FileCheck %s --check-prefix=V
// RUN: onnx-opt %s --select-target="triple=riscv64-linux-gnu" | FileCheck %s --check-prefix=SCALAR
// RUN: onnx-opt %s --select-target="triple=thumbv7em-none-eabi" | FileCheck %s --check-prefix=THUMB
// RUN: onnx-opt %s --select-target="triple=thumbv8.1m.main-none-eabi cpu=cortex-m55" | FileCheck %s --check-prefix=MVE
// RUN: onnx-opt %s --select-target="triple=thumbv8.1m.main-none-eabi cpu=cortex-m85" | FileCheck %s --check-prefix=MVE
// RUN: onnx-opt %s --select-target="triple=thumbv8m.main-none-eabi cpu=cortex-m33" | FileCheck %s --check-prefix=ROUNDS
// RUN: onnx-opt %s --select-target="triple=riscv32-unknown-elf" | FileCheck %s --check-prefix=NARROW
// RUN: onnx-opt %s --select-target="nest triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefix=NEST
// RUN: onnx-opt %s --select-target="nest triple=x86_64-linux-gnu cpu=x86-64-v3,x86-64-v2" | FileCheck %s --check-prefix=LEVELS
// RUN: onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=x86-64-v3,x86-64-v2" | FileCheck %s --check-prefix=V3
// RUN: onnx-opt %s --select-target="nest device=cuda triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefix=CUDA
// RUN: onnx-opt %s --select-target="nest device=cuda:sm_90a,cpu triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefix=BOTH
// RUN: onnx-opt %s --select-target="nest device=cuda:simulator" | FileCheck %s --check-prefix=SIMULATED
// RUN: onnx-opt %s --select-target="nest device=cuda:simulator:sm_90a" | FileCheck %s --check-prefix=SIMULATED-HOPPER
// RUN: onnx-opt %s --select-target="nest device=cuda:sm_90a,sm_80,cpu triple=x86_64-linux-gnu cpu=x86-64-v2" | FileCheck %s --check-prefix=DEVICES
// RUN: not onnx-opt %s --select-target="nest device=cuda:sm_80,sm_80" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not onnx-opt %s --select-target="nest device=cuda:sm_90a,sm_75" 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not onnx-opt %s --select-target="device=cuda:sm_1" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not onnx-opt %s --select-target="triple=nvptx64-nvidia-cuda" 2>&1 | FileCheck %s --check-prefix=TRIPLE-OF-DEVICE
// RUN: onnx-opt %s --select-target | onnx-opt | FileCheck %s --check-prefix=HOST
// RUN: not onnx-opt %s --select-target="triple=x86_64-linux-gnu cpu=nope" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not onnx-opt %s --select-target=triple=nope 2>&1 | FileCheck %s --check-prefix=TRIPLE
// RUN: not onnx-opt %s --select-target="triple=x86_64-linux-gnu features=+foo" 2>&1 | FileCheck %s --check-prefix=FEATURE --implicit-check-not=recognized
// RUN: not onnx-opt %s --select-target="triple=thumbv7em-none-eabi cpu=cortex-a53" 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not onnx-opt %s --select-target="triple=thumbv7em-none-eabi cpu=cortex-r52" 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: not onnx-opt %s --select-target="triple=thumbv7em-none-eabi cpu=cortex-m0" 2>&1 | FileCheck %s --check-prefix=PROFILE
// RUN: onnx-opt %s --select-target="triple=thumbv7em-none-eabi cpu=cortex-m4" | FileCheck %s --check-prefix=THUMB-FAMILY
// RUN: onnx-opt %s --select-target="triple=thumbv7em-none-eabi cpu=cortex-m7" | FileCheck %s --check-prefix=THUMB-FAMILY
// RUN: onnx-opt %s --select-target="triple=thumbv6m-none-eabi cpu=cortex-m0plus" | FileCheck %s --check-prefix=THUMB-FAMILY
// RUN: onnx-opt %s --select-target="triple=thumbv8m.main-none-eabi cpu=cortex-m55" | FileCheck %s --check-prefix=THUMB-FAMILY
// FEATURE: error: unknown feature '+foo' for x86_64-unknown-linux-gnu
// PROFILE: error: the processor 'cortex-{{.*}}' does not execute all instructions of thumbv7em-unknown-none-eabi: use another triple or processor
// THUMB-FAMILY: #krnl.target<family = "thumb

// The features of a processor decide which row of the table is about it.
// V2:  #krnl.target<family = "x86_64_v2", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64-v2", fma_per_cycle = 1, l2 = 262144, instructions = {byte_pairs_x4 = "llvm.x86.ssse3.pmadd.ub.sw.128", pairs_x4 = "llvm.x86.sse2.pmadd.wd", round_even = "", shuffle_x16 = "llvm.x86.ssse3.pshuf.b.128"}>
// V3:  #krnl.target<family = "x86_64_v3",
// V3-SAME: vector_bytes = 32, instructions = {byte_pairs_x4 = {{.*}}, byte_pairs_x8 = "llvm.x86.avx2.pmadd.ub.sw", fma_f32 = "", fma_f64 = "", pairs_x4 = {{.*}}, pairs_x8 = {{[^,]*}}, round_even = "", shuffle_x16 = {{[^,]*}}, shuffle_x32 = "llvm.x86.avx2.pshuf.b"}>
// V4:  #krnl.target<family = "x86_64_v4",
// V4-SAME: vector_bytes = 64, vector_registers = 32, free_masks = true, fma_per_cycle = 1, loads_per_cycle = 1, operations_beside_gather = 2, l2 = 1048576,
// V4-NOT:  dot_us
// V4-SAME: pairs_x16 = "llvm.x86.avx512.pmaddw.d.512"
// V4-SAME: scale_f32_x16 = "llvm.x86.avx512.mask.scalef.ps.512"
// V4-SAME: shuffle_x64 = "llvm.x86.avx512.pshuf.b.512"
// V4-NOT:  table_x64
// Vectors of floats are as wide as with AVX2.
// AVX: #krnl.target<family = "x86_64_avx",
// AVX-SAME: vector_bytes = 32, fma_per_cycle = 1, l2 = 262144, instructions = {byte_pairs_x4 = {{[^,]*}}, pairs_x4 = {{[^,]*}}, round_even = "", shuffle_x16 = {{[^,]*}}}>
// VNNI: dot_us_x16 = "llvm.x86.avx512.vpdpbusd.512", dot_us_x4 = "llvm.x86.avx512.vpdpbusd.128", dot_us_x8 = "llvm.x86.avx512.vpdpbusd.256"
// VNNI-SAME: table_x64 = "llvm.x86.avx512.vpermi2var.qi.512"
// INT8: dot_ss_x4 = "llvm.x86.avx2.vpdpbssd.128", dot_ss_x8 = "llvm.x86.avx2.vpdpbssd.256", dot_us_x4 = {{.*}}, dot_us_x8 = {{.*}}, dot_uu_x4 = "llvm.x86.avx2.vpdpbuud.128"
// LEAST: family = "x86_64", triple = "x86_64-unknown-linux-gnu", cpu = "x86-64", fma_per_cycle = 1, l2 = 262144, instructions = {pairs_x4 = {{[^,]*}}}>
// NEON: family = "aarch64", triple = "aarch64-unknown-linux-gnu", cpu = "generic", vector_registers = 32, instructions = {fma_f32 = "", fma_f64 = "", maximum = "", round_even = ""}>
// I8MM: dot_ss_x4 = "llvm.aarch64.neon.sdot.v4i32.v16i8", dot_us_x4 = "llvm.aarch64.neon.usdot.v4i32.v16i8", dot_uu_x4 = "llvm.aarch64.neon.udot.v4i32.v16i8"
// V: family = "riscv64_v",
// V-SAME: vector_registers = 32, free_masks = true, instructions = {fma_f32 = "", fma_f64 = ""}>
// A processor without a row has the defaults; Linux expects the extensions.
// SCALAR: #krnl.target<family = "riscv64", triple = "riscv64-unknown-linux-gnu", cpu = "generic", features = "+m,+a,+f,+d,+c", instructions = {fma_f32 = "", fma_f64 = ""}>
// Without an operating system machines may have 32 bits.
// THUMB: #krnl.target<family = "thumb", triple = "thumbv7em-unknown-none-eabi", cpu = "generic", features = "+vfp4d16sp", vector_bytes = 1, vector_registers = 32, scalar_copies = 8, index_bits = 32, stack_bytes = 1024,
// THUMB-SAME: thread_registers = 14, address_registers = 4, instructions = {even_bytes_s_x1 = "llvm.arm.sxtb16", even_bytes_u_x1 = "llvm.arm.uxtb16", fma_f32 = "", pairs_sum_x1 = "llvm.arm.smlad"}>
// MVE: #krnl.target<family = "thumb_mve", triple = "thumbv8.1m.main-unknown-none-eabi",
// MVE-SAME: vector_registers = 8, scalar_copies = 8, free_masks = true,
// MVE-SAME: bytes_sum_x16 = "llvm.arm.mve.vmldava"
// MVE-SAME: round_even = ""
// ROUNDS: #krnl.target<family = "thumb",
// ROUNDS-NOT: bytes_sum
// ROUNDS-SAME: round_even = ""
// NARROW: #krnl.target<family = "riscv32", triple = "riscv32-unknown-unknown-elf", cpu = "generic", vector_bytes = 1, vector_registers = 21,
// NARROW-SAME: thread_registers = 27, address_registers = 6>
// NEST: module {
// NEST-NEXT: module @x86_64_v2 attributes {krnl.target =
// NEST-NEXT: func.func @main(%{{.+}}: tensor<4xi8> {onnx.type = tensor<4xi8>})
// One module for each level, the one with more features after the other; the
// graph is made to suit the last.
// LEVELS: module {
// LEVELS-NEXT: module @x86_64_v2 attributes {krnl.target = {{.+}} cpu = "x86-64-v2"
// LEVELS-NEXT: func.func @main(%{{.+}}: tensor<4xi8> {onnx.type = tensor<4xi8>})
// LEVELS: module @x86_64_v3 attributes {krnl.target = {{.+}} cpu = "x86-64-v3"
// LEVELS-NEXT: func.func @main(%{{.+}}: tensor<4xi8> {onnx.type = tensor<4xi8>})
// The kernels are the device's, the host program the processor's.
// Without a name of a GPU there is code for all of them and for sm_90a alone.
// CUDA:      module @sm_80 attributes {krnl.host_target = #krnl.target<family = "x86_64_v2", {{.+}}>, krnl.target = #krnl.target<family = "cuda", triple = "nvptx64-nvidia-cuda", cpu = "sm_80", {{.*}}tile_threads = 1024,
// CUDA-NEXT: func.func @main
// CUDA:      module @sm_90a attributes {krnl.host_target = {{.+}} cpu = "x86-64-v2",{{.+}} cpu = "sm_90a"
// CUDA-NOT:  module @
// BOTH:      module @x86_64_v2 attributes {krnl.target = {{.+}} cpu = "x86-64-v2"
// BOTH:      module @cuda attributes {krnl.host_target = {{.+}} cpu = "x86-64-v2",{{.+}} cpu = "sm_90a"
// The last one that runs is taken, so the one with fewer instructions is first.
// DEVICES:   module @x86_64_v2
// DEVICES:   module @sm_80 attributes {krnl.host_target = {{.+}} cpu = "x86-64-v2",{{.+}} cpu = "sm_80"
// DEVICES:   module @sm_90a attributes {krnl.host_target = {{.+}} cpu = "x86-64-v2",{{.+}} cpu = "sm_90a"
// TWICE: error: 'cuda:sm_80,sm_80' names the device 'sm_80' twice
// OLD: error: 'cuda:sm_90a,sm_75' names 'sm_75', but kernels need sm_80 or later
// SIMULATED: krnl.simulated,
// SIMULATED-SAME: cpu = "sm_80"
// SIMULATED-HOPPER: krnl.simulated,
// SIMULATED-HOPPER-SAME: cpu = "sm_90a"
// SIMULATED-HOPPER-SAME: cluster_bytes_per_cycle = 1.300000e+01
// SIMULATED-HOPPER-SAME: instructions = {copy_tensor = "nvvm.cp.async.bulk.tensor", exp2_f32_x16 = "llvm.nvvm.ex2.approx", fma_f32 = "", fma_f64 = "", int_to_float = "", load_cluster = "nvvm.mapa.shared.cluster"
// SIMULATED-HOPPER-SAME: wgmma_bf16_x16 = "nvvm.wgmma.mma_async", wgmma_f16_x16 = "nvvm.wgmma.mma_async"
// DEVICE: error: unknown processor 'sm_1' for nvptx64-nvidia-cuda
// TRIPLE-OF-DEVICE: error: 'nvptx64-nvidia-cuda' is a device: use --device=cuda instead
// HOST: krnl.target = #krnl.target<family = "{{.+}}", triple = "{{.+}}", cpu = "
// UNKNOWN: error: unknown processor 'nope' for x86_64-unknown-linux-gnu
// TRIPLE: error: unknown target triple 'nope'
func.func @main(%x: tensor<4xi8>) {
  return
}
