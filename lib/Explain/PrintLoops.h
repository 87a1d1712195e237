//===- PrintLoops.h - The loops of a kernel as pseudo-code -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_EXPLAIN_PRINTLOOPS_H
#define ONNXC_LIB_EXPLAIN_PRINTLOOPS_H

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc {

/// Prints the loops of the kernel as its recipe has them, and in them what each
/// op computes. Operands are in0, ..., out0, ..., temporaries t0, ...
///   parallel for m.o in 0..16  // blocks of 8 of m
///     for k in 0..768
///       for m.r in 0..8  // in registers
///         for n.r in 0..48  // in registers, vectors of 16
///           out0[m, n] = out0[m, n] + in0[m, k] * in1[k, n]
/// On a device a loop says which threads have its iterations, and which
/// operands are copied to shared memory at its beginning.
void printLoops(krnl::KernelOp kernel, const krnl::LoopNest &nest,
                llvm::raw_ostream &os);

/// The name of an operand of the kernel there, by its number.
std::string operandName(krnl::KernelOp kernel, unsigned operand);

} // namespace onnxc

#endif // ONNXC_LIB_EXPLAIN_PRINTLOOPS_H
