//===- ProcessorTable.cpp - Families of processors -------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// How to add one: docs/HowTo/AddATarget.md. Numbers that a row does not have
// are those of Processor.h. Where these are costs of kernels, they come from
// runs of utils/bench/contraction and utils/bench/kernels.py in November 2026
// on an AMD EPYC (Zen 4, family 25, model 17; two processors, caches of 32 KiB,
// 1 MiB and 32 MiB). These are estimates:
//
//   l2BytesPerCycle, l3BytesPerCycle, memoryBytesPerCycle
//     utils/bench/processor.cpp copies 25 to 31, 21 and 6 bytes on one core;
//     the numbers are lower, because cores share the last two.
//   functionOperations
//     of the polynomials and reductions in KrnlToLLVM/ExpandMath.cpp.
//   wakeCycles, loopWakeCycles, barrierCycles
//     instructions of the runtime, at 3.7 GHz. processor.cpp sees a word pass
//     to a thread that polls in 1500 to 2900 cycles, and to one that sleeps in
//     80,000 to 150,000 while other processes use the processors.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/ProcessorTable.h"

using llvm::Triple;

namespace onnxc::target {

// NVIDIA, CUDA C++ Programming Guide, Technical Specifications per Compute
// Capability: blocks of 1024 threads, accesses of 16 bytes, 255 registers of a
// thread, and what a multiprocessor has of threads, blocks, registers and
// shared memory, of which the system takes 1 KiB for each block, so that one
// that asks for it has 227 KiB at most on 9.0. PTX of 8.0 and of 9.0 runs on
// every later GPU, and the least of these, 8.6, 8.9 and 12.0, give a block 99
// KiB; only code for sm_90a runs nowhere else. The same, Arithmetic
// Instructions: multiply-adds of warps in a cycle. Local memory of a thread is
// a cache's. NVIDIA A100 and H100 whitepapers: four schedulers in a
// multiprocessor; the second cache delivers 5120 bytes in a cycle, in sectors
// of 32 bytes. These are estimates:
//
//   memoryLatency, cacheLatency
//     between those that published microbenchmarks of both GPUs report
//   coreBytesPerCycle
//     of Volta, by Jia et al., Dissecting the NVIDIA Volta GPU Architecture via
//     Microbenchmarking, 2018
//   launchNanoseconds
//     of a kernel of a CUDA graph after another one
//   transformProducts, farTransformProducts
//     400 bytes go through memory for each channel of a tile of 4x4 results:
//     16, 24 and 36 elements, two of them read and written again

static constexpr int64_t laterSharedBytes = 99 << 10;

// A100 with 80 GB, SXM, data sheet: 108 multiprocessors at 1410 MHz, 312
// TFLOP/s of 16-bit floats, 2039 GB/s.
static constexpr Processor ampere = {.vectorRegs = 32,
                                     .tileThreads = 1024,
                                     .sharedBytes = laterSharedBytes,
                                     .stackBytes = 1024,
                                     .fmaPerCycle = 2,
                                     .loadsPerCycle = 1,
                                     .l3 = 40 << 20,
                                     .l3BytesPerCycle = 47,
                                     .memoryBytesPerCycle = 13.4,
                                     .lineBytes = 32,
                                     .transformProducts = 1900,
                                     .farTransformProducts = 1900,
                                     .cores = 108,
                                     .megahertz = 1410,
                                     .issuesPerCycle = 4,
                                     .matrixProducts = 1024,
                                     .coreThreads = 2048,
                                     .coreSharedBytes = 164 << 10,
                                     .coreTiles = 32,
                                     .tileSharedBytes = 1 << 10,
                                     .memoryLatency = 450,
                                     .cacheLatency = 33,
                                     .launchNanoseconds = 1500};

// H200, SXM, data sheet: 132 multiprocessors, 67 TFLOP/s of 32-bit floats,
// which is 1980 MHz, and 989 of 16-bit floats, 4.8 TB/s. Luo et al.,
// Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via
// Microbenchmarking, 2024: mma.sync reaches 62 percent of that, and
// multiprocessors read each other's shared memory in 180 cycles, and in
// clusters of four 2.65 TB/s of it by 114 of them at 1755 MHz. NVIDIA H100
// whitepaper: eight groups (GPC) of pairs of multiprocessors (TPC), one of
// which a cluster of blocks is in; how many of the 66 pairs a group has
// differs.
static constexpr Processor hopper = {.vectorRegs = 32,
                                     .tileThreads = 1024,
                                     .sharedBytes = 227 << 10,
                                     .stackBytes = 1024,
                                     .fmaPerCycle = 4,
                                     .loadsPerCycle = 1,
                                     .l3 = 50 << 20,
                                     .l3BytesPerCycle = 38,
                                     .memoryBytesPerCycle = 18.4,
                                     .lineBytes = 32,
                                     .transformProducts = 2800,
                                     .farTransformProducts = 2800,
                                     .cores = 132,
                                     .megahertz = 1980,
                                     .issuesPerCycle = 4,
                                     .matrixProducts = 1893,
                                     .warpMatrixShare = 0.62,
                                     .coreThreads = 2048,
                                     .coreSharedBytes = 228 << 10,
                                     .coreTiles = 32,
                                     .tileSharedBytes = 1 << 10,
                                     .clusterBytesPerCycle = 13,
                                     .coreGroups = 8,
                                     .memoryLatency = 450,
                                     .cacheLatency = 33,
                                     .clusterLatency = 180,
                                     .launchNanoseconds = 1500};

static constexpr Processor hopperOrLater = [] {
  Processor processor = hopper;
  processor.sharedBytes = laterSharedBytes;
  return processor;
}();

static constexpr int64_t never = int64_t(1) << 40;

// Microcontrollers without vectors and threads: cores that start one
// instruction in a cycle, loads of one word, no cache of data; memory next to
// the processor is counted as one. Stacks are a few KiB. Arm, Cortex-M4
// Technical Reference Manual: one multiply-add in three cycles.
static constexpr Processor microcontroller = {.vectorBytes = 1,
                                              .scalarCopies = 8,
                                              .stackBytes = 1024,
                                              .fmaPerCycle = 1,
                                              .loadsPerCycle = 1,
                                              .scalarLoadsPerCycle = 1,
                                              .fmaLatency = 3,
                                              .l1 = 16 << 10,
                                              .l2 = 64 << 10,
                                              .l3 = 64 << 10,
                                              .parallelBytes = never,
                                              .parallelProducts = never};

/// `integers` registers hold integers, of which `addresses` hold addresses and
/// counters; `floats` hold floats, or 0 where those are integers to it. The
/// loop of a product has two pointers, a counter, and an offset or limit that
/// no instruction can hold. With 3 or 4 addresses the networks of
/// docs/HowTo/Firmware.md take the fewest instructions on a Cortex-M4 under
/// QEMU; with 2 or 5 the keyword spotter takes 4 or 2 percent more and the
/// ResNet 2 or 5.
static constexpr Processor withRegisters(Processor processor, int64_t integers,
                                         int64_t addresses, int64_t floats) {
  processor.threadRegisters = integers;
  processor.addressRegisters = addresses;
  processor.vectorRegs = floats > 0 ? floats : integers - addresses;
  return processor;
}

/// Vectors of 16 bytes with floats, which take two cycles each.
static constexpr Processor withVectors(Processor processor) {
  processor.vectorBytes = 16;
  processor.vectorRegs = 8;
  processor.freeMasks = true;
  return processor;
}

static constexpr ProcessorFamily families[] = {
    // AMD, Software Optimization Guide for Family 19h Model 10h and later: one
    // multiply-add and one load of 64 bytes in a cycle, 1 MiB of L2. Intel,
    // Software Developer's Manual, volume 1: masks in registers of their own.
    // Intel Xeon (family 6, model 207): a gather of 16 floats in 10 cycles.
    {{Triple::x86_64, "+avx512f"},
     "x86_64_v4",
     {.vectorBytes = 64,
      .vectorRegs = 32,
      .freeMasks = true,
      .fmaPerCycle = 1,
      .loadsPerCycle = 1,
      .operationsBesideGather = 2,
      .l2 = 1 << 20}},
    // Intel, Optimization Reference Manual, Haswell: two multiply-adds and two
    // loads of 32 bytes. L2: AMD Zen 1 to 3.
    {{Triple::x86_64, "+avx2"},
     "x86_64_v3",
     {.vectorBytes = 32, .l2 = 512 << 10}},
    // The same, Sandy Bridge: vectors of 32 bytes are for floats alone; one
    // multiplication and one addition instead of a multiply-add.
    {{Triple::x86_64, "+avx"},
     "x86_64_avx",
     {.vectorBytes = 32, .fmaPerCycle = 1, .l2 = 256 << 10}},
    // The same, Nehalem.
    {{Triple::x86_64, "+sse4.2"},
     "x86_64_v2",
     {.fmaPerCycle = 1, .l2 = 256 << 10}},
    // System V ABI for x86-64: SSE2 with 16 registers.
    {{Triple::x86_64, ""}, "x86_64", {.fmaPerCycle = 1, .l2 = 256 << 10}},
    // Arm Architecture Reference Manual: 32 registers of 16 bytes. Arm
    // Neoverse N1 Software Optimization Guide: two multiply-adds and two loads
    // in a cycle.
    {{Triple::aarch64, ""}, "aarch64", {.vectorRegs = 32}},
    // Arm v8-M Architecture Reference Manual, M-profile Vector Extension: eight
    // registers of 16 bytes, masks in a register of their own. Arm, Cortex-M55
    // Technical Reference Manual: 8 bytes of a vector in each cycle.
    {{Triple::thumb, "+mve.fp"},
     "thumb_mve",
     withVectors(withRegisters(microcontroller, 14, 4, 32))},
    // Arm v7-M Architecture Reference Manual: 14 registers of integers, one of
    // them that of the return address, 32 of floats where there are any.
    {{Triple::thumb, "+vfp2sp"},
     "thumb",
     withRegisters(microcontroller, 14, 4, 32)},
    {{Triple::thumb, ""}, "thumb", withRegisters(microcontroller, 14, 4, 0)},
    // RISC-V Instruction Set Manual, volume I: 31 registers of integers, of
    // which the calling convention has a use for four, 32 of floats with F.
    {{Triple::riscv32, "+f"},
     "riscv32",
     withRegisters(microcontroller, 27, 6, 32)},
    {{Triple::riscv32, ""},
     "riscv32",
     withRegisters(microcontroller, 27, 6, 0)},
    {{Triple::nvptx64, "+sm_90a"}, "cuda", hopper},
    {{Triple::nvptx64, "+sm_90"}, "cuda", hopperOrLater},
    {{Triple::nvptx64, ""}, "cuda", ampere},
    // RISC-V "V" Extension 1.0: 32 registers of 16 bytes at least, masks in all
    // loads and stores.
    {{Triple::riscv64, "+v"},
     "riscv64_v",
     {.vectorRegs = 32, .freeMasks = true}},
};

static constexpr ProcessorKind sse2{Triple::x86_64, ""},
    ssse3{Triple::x86_64, "+ssse3"}, sse41{Triple::x86_64, "+sse4.1"},
    fma3{Triple::x86_64, "+fma"}, avx2{Triple::x86_64, "+avx2"},
    avx512bw{Triple::x86_64, "+avx512bw"},
    avx512vbmi{Triple::x86_64, "+avx512vbmi"},
    avx512vl{Triple::x86_64, "+avx512vl"},
    avx512vnni{Triple::x86_64, "+avx512vnni"},
    avx512vlvnni{Triple::x86_64, "+avx512vnni,+avx512vl"},
    avxvnni{Triple::x86_64, "+avxvnni"},
    avxvnniint8{Triple::x86_64, "+avxvnniint8"}, neon{Triple::aarch64, ""},
    dotprod{Triple::aarch64, "+dotprod"}, i8mm{Triple::aarch64, "+i8mm"},
    dsp{Triple::thumb, "+dsp"}, helium{Triple::thumb, "+mve"},
    fpv4{Triple::thumb, "+vfp4d16sp"}, fpv4Double{Triple::thumb, "+vfp4d16"},
    fpv8{Triple::thumb, "+fp-armv8d16sp"}, riscv32f{Triple::riscv32, "+f"},
    riscv32d{Triple::riscv32, "+d"}, riscv64f{Triple::riscv64, "+f"},
    riscv64d{Triple::riscv64, "+d"}, sm80{Triple::nvptx64, ""},
    sm90{Triple::nvptx64, "+sm_90"}, sm90a{Triple::nvptx64, "+sm_90a"};

// Intel, Intrinsics Guide; Arm, Architecture Reference Manual. LLVM has one
// name for the 128 and 256 bits of VPDPBUSD in both encodings.
static constexpr TargetInstruction instructions[] = {
    {avx512vnni, "dot_us_x16", "llvm.x86.avx512.vpdpbusd.512"},
    {avx512vlvnni, "dot_us_x8", "llvm.x86.avx512.vpdpbusd.256"},
    {avx512vlvnni, "dot_us_x4", "llvm.x86.avx512.vpdpbusd.128"},
    {avxvnni, "dot_us_x8", "llvm.x86.avx512.vpdpbusd.256"},
    {avxvnni, "dot_us_x4", "llvm.x86.avx512.vpdpbusd.128"},
    {avxvnniint8, "dot_ss_x8", "llvm.x86.avx2.vpdpbssd.256"},
    {avxvnniint8, "dot_ss_x4", "llvm.x86.avx2.vpdpbssd.128"},
    {avxvnniint8, "dot_uu_x8", "llvm.x86.avx2.vpdpbuud.256"},
    {avxvnniint8, "dot_uu_x4", "llvm.x86.avx2.vpdpbuud.128"},
    {avx512bw, "byte_pairs_x16", "llvm.x86.avx512.pmaddubs.w.512"},
    {avx2, "byte_pairs_x8", "llvm.x86.avx2.pmadd.ub.sw"},
    {ssse3, "byte_pairs_x4", "llvm.x86.ssse3.pmadd.ub.sw.128"},
    {avx512bw, "pairs_x16", "llvm.x86.avx512.pmaddw.d.512"},
    {avx2, "pairs_x8", "llvm.x86.avx2.pmadd.wd"},
    {sse2, "pairs_x4", "llvm.x86.sse2.pmadd.wd"},
    {avx512vl, "scale_f32_x16", "llvm.x86.avx512.mask.scalef.ps.512"},
    {avx512vl, "scale_f32_x8", "llvm.x86.avx512.mask.scalef.ps.256"},
    {avx512vl, "scale_f32_x4", "llvm.x86.avx512.mask.scalef.ps.128"},
    {avx512vl, "scale_f64_x8", "llvm.x86.avx512.mask.scalef.pd.512"},
    {avx512vl, "scale_f64_x4", "llvm.x86.avx512.mask.scalef.pd.256"},
    {avx512vl, "scale_f64_x2", "llvm.x86.avx512.mask.scalef.pd.128"},
    {avx512vbmi, "table_x64", "llvm.x86.avx512.vpermi2var.qi.512"},
    {avx512bw, "shuffle_x64", "llvm.x86.avx512.pshuf.b.512"},
    {avx2, "shuffle_x32", "llvm.x86.avx2.pshuf.b"},
    {ssse3, "shuffle_x16", "llvm.x86.ssse3.pshuf.b.128"},
    {sse41, "round_even", ""},
    {i8mm, "dot_us_x4", "llvm.aarch64.neon.usdot.v4i32.v16i8"},
    {dotprod, "dot_ss_x4", "llvm.aarch64.neon.sdot.v4i32.v16i8"},
    {dotprod, "dot_uu_x4", "llvm.aarch64.neon.udot.v4i32.v16i8"},
    {neon, "round_even", ""},
    // Arm v7-M Architecture Reference Manual, DSP extension: two products of 16
    // bits added to a sum of 32, and every other byte extended to 16 bits.
    {dsp, "pairs_sum_x1", "llvm.arm.smlad"},
    {dsp, "even_bytes_s_x1", "llvm.arm.sxtb16"},
    {dsp, "even_bytes_u_x1", "llvm.arm.uxtb16"},
    // Arm v8-M Architecture Reference Manual, M-profile Vector Extension:
    // VMLADAVA, all products of two vectors of bytes added to a sum of 32 bits.
    // VRINTN, of single floats of ARMv8 as well.
    {helium, "bytes_sum_x16", "llvm.arm.mve.vmldava"},
    {fpv8, "round_even", ""},
    // FMA3, VFMA and FMADD, PTX: fma.
    {fma3, "fma_f32", ""},
    {fma3, "fma_f64", ""},
    {neon, "fma_f32", ""},
    {neon, "fma_f64", ""},
    {fpv4, "fma_f32", ""},
    {fpv4Double, "fma_f64", ""},
    {riscv32f, "fma_f32", ""},
    {riscv32d, "fma_f64", ""},
    {riscv64f, "fma_f32", ""},
    {riscv64d, "fma_f64", ""},
    {sm80, "fma_f32", ""},
    {sm80, "fma_f64", ""},
    // FMAX and FMIN, FMAXNM and FMINNM; PTX: max and min, with .NaN and
    // without.
    {neon, "maximum", ""},
    {sm80, "maximum", ""},
    // NVIDIA, PTX ISA, ex2; CUDA C++ Programming Guide, Arithmetic
    // Instructions: 16 results of functions in a cycle of a multiprocessor.
    {sm80, "exp2_f32_x16", "llvm.nvvm.ex2.approx"},
    // NVIDIA, CUDA Binary Utilities, instruction sets: I2FP of Hopper; before,
    // integers become floats by I2F, in the units for functions.
    {sm90, "int_to_float", ""},
    {sm90a, "int_to_float", ""},
    // NVIDIA, PTX ISA, mma.sync: those of sm_80. That of bytes has their
    // signedness after its name.
    {sm80, "mma_f16_x16", "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
    {sm80, "mma_bf16_x16", "llvm.nvvm.mma.m16n8k16.row.col.bf16"},
    {sm80, "mma_tf32_x8", "llvm.nvvm.mma.m16n8k8.row.col.tf32"},
    {sm80, "mma_i8_x32", "llvm.nvvm.mma.m16n8k32.row.col"},
    // The same, wgmma.mma_async, which no intrinsic of LLVM is for.
    {sm90a, "wgmma_f16_x16", "nvvm.wgmma.mma_async"},
    {sm90a, "wgmma_bf16_x16", "nvvm.wgmma.mma_async"},
    {sm90a, "wgmma_tf32_x8", "nvvm.wgmma.mma_async"},
    {sm90a, "wgmma_i8_x32", "nvvm.wgmma.mma_async"},
    // The same, cp.async.bulk.tensor: copies of 2 to 5 dimensions.
    {sm90a, "copy_tensor", "nvvm.cp.async.bulk.tensor"},
    // The same, mapa: addresses in shared memory of other blocks of a cluster.
    {sm90a, "load_cluster", "nvvm.mapa.shared.cluster"},
};

const ProcessorTable &processorTable() {
  static constexpr ProcessorTable table{families, instructions};
  return table;
}

} // namespace onnxc::target
