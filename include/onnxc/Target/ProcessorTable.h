//===- ProcessorTable.h - Families of processors ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_PROCESSORTABLE_H
#define ONNXC_TARGET_PROCESSORTABLE_H

#include "onnxc/Target/IR/Processor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

namespace onnxc::target {

/// Processors of an architecture that have these features by LLVM's names:
/// "+avx2,+fma"; empty: all.
struct ProcessorKind {
  llvm::Triple::ArchType arch;
  llvm::StringLiteral features;
};

/// One row: a family and its numbers.
struct ProcessorFamily {
  ProcessorKind kind;
  /// Names the module: a symbol.
  llvm::StringLiteral name;
  Processor processor;
};

/// One row: an instruction that passes look up by operation and lanes, and
/// LLVM's intrinsic for it.
///
///   dot_ab_xN     adds to N sums of 32 bits the products of 4 bytes each; a
///                 and b are u or s, for unsigned and signed
///   pairs_xN      multiplies 2N numbers of 16 bits and adds adjacent elements
///   pairs_sum_x1  the same of one pair, and adds both products to its last
///                 operand
///   bytes_sum_xN  adds to a sum of 32 bits the products of N bytes, with
///                 operands as Arm has them
///   even_bytes_s_x1, even_bytes_u_x1
///                 extend bytes 0 and 2 of a word to its halves
///   scale_fW_xN   multiplies floats of W bits by powers of two, with operands
///                 as x86 has them
///   table_xN      looks N bytes up in two tables of N bytes by the low bits of
///                 each
///   shuffle_xN    looks up in 16 bytes, a table for each 16 of the N bytes, by
///                 the low four bits; 0 for bytes of 128 and more
///   mma_TYPE_xN, wgmma_TYPE_xN
///                 multiply matrices of this type by a warp, or by a warpgroup,
///                 N products for each sum
///   copy_tensor   copies a box of a tensor to shared memory
///   load_cluster  loads from shared memory of another block of a cluster
///   fma_f32, fma_f64
///                 multiplies and adds floats, rounded once; no intrinsic is
///                 named
///   round_even    rounds a float to a whole one; no intrinsic is named
struct TargetInstruction {
  ProcessorKind kind;
  llvm::StringLiteral operation;
  llvm::StringLiteral intrinsic;
};

/// The first family that a processor belongs to describes it; it has every
/// instruction of a kind that it belongs to.
struct ProcessorTable {
  llvm::ArrayRef<ProcessorFamily> families;
  llvm::ArrayRef<TargetInstruction> instructions;
};

/// The processors that are known.
const ProcessorTable &processorTable();

} // namespace onnxc::target

#endif // ONNXC_TARGET_PROCESSORTABLE_H
