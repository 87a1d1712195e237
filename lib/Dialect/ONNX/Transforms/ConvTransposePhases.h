//===- ConvTransposePhases.h - Phases of ConvTranspose ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// With steps of s, results q * s + r of a transposed convolution are a phase
// for each r = 0..s-1 along a dimension: SplitConvTranspose.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_CONVTRANSPOSEPHASES_H
#define ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_CONVTRANSPOSEPHASES_H

#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/Support/MathExtras.h"

namespace onnxc::onnx {

/// What a convolution computes along one dimension: element `first` of the
/// filter and each stride-th after it, `taps` of them, read backwards. Those
/// past the filter's end are zeros.
struct PhaseWindow {
  int64_t first, taps;
  /// The elements that it reads before the first element of x and after the
  /// last; negative: leaves out.
  int64_t before, after;
};

/// The split along one spatial dimension of the transposed convolution.
struct PhaseSplit {
  int64_t stride, kernel;
  /// Results that are cut off at the beginning.
  int64_t cut;
  /// The last result that is kept lies so far beyond stride * the size of x.
  int64_t end;

  /// Elements of the filter that a result uses at most.
  int64_t taps() const { return llvm::divideCeil(kernel, stride); }
  /// Steps of all phases together that are cut off: they are not computed.
  int64_t skipped() const { return std::min(cut / stride, taps() - 1); }
  /// Results of each phase beyond the size of x.
  int64_t beyond() const { return -llvm::divideFloorSigned(-end, stride); }

  /// The window of all phases together.
  PhaseWindow shared(int64_t phase) const {
    return {phase, taps(), taps() - 1 - skipped(), beyond()};
  }
  /// The window of the results that are kept from position `phase` on.
  PhaseWindow own(int64_t phase) const {
    int64_t first = (phase + cut) % stride, offset = (phase + cut) / stride;
    int64_t taps =
        kernel > first ? llvm::divideCeil(kernel - first, stride) : 0;
    int64_t kept = -llvm::divideFloorSigned(-(end - cut), stride);
    return {first, taps, taps - 1 - offset, kept + offset};
  }
};

/// The split of each dimension of a filter of the sizes `kernel`; nothing where
/// it would not do: dilated ones, sizes of the result that are given, mostly
/// zeros, numbers that overflow.
std::optional<llvm::SmallVector<PhaseSplit>>
splitsOf(ConvTransposeOp op, llvm::ArrayRef<int64_t> kernel);

/// How many phases there are.
int64_t phasesOf(llvm::ArrayRef<PhaseSplit> splits);

/// Phase number `phase`: its windows along all dimensions, the last of which
/// changes fastest.
llvm::SmallVector<PhaseWindow>
windowsOf(llvm::ArrayRef<PhaseSplit> splits, int64_t phase,
          PhaseWindow (PhaseSplit::*window)(int64_t) const);

/// Returns true if each phase can be a convolution.
bool haveOwnWindows(llvm::ArrayRef<PhaseSplit> splits);

} // namespace onnxc::onnx

#endif // ONNXC_LIB_DIALECT_ONNX_TRANSFORMS_CONVTRANSPOSEPHASES_H
