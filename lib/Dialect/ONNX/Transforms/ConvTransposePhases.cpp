//===- ConvTransposePhases.cpp - Phases of ConvTranspose --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "ConvTransposePhases.h"

#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::onnx;

/// Larger filters than this many times the given one are mostly zeros.
static constexpr int64_t maxGrowth = 4;

static int64_t at(std::optional<ArrayRef<int64_t>> values, size_t i,
                  int64_t otherwise) {
  return values && i < values->size() ? (*values)[i] : otherwise;
}

/// The split of dimension `d`; nothing where it would not do.
static std::optional<PhaseSplit> splitOf(ConvTransposeOp op, size_t d,
                                         int64_t size, size_t spatial) {
  PhaseSplit split{at(op.getStrides(), d, 1), size, 0, 0};
  if (split.stride < 1 || size < 1 || at(op.getDilations(), d, 1) != 1 ||
      split.stride > maxGrowth * size)
    return std::nullopt;
  StringRef pad = op.getAutoPad();
  std::optional<int64_t> end =
      llvm::checkedAdd(size - split.stride, at(op.getOutputPadding(), d, 0));
  if (end && pad.starts_with("SAME")) {
    int64_t total = std::max<int64_t>(*end, 0);
    split.cut = pad == "SAME_UPPER" ? total / 2 : total - total / 2;
    end = split.cut;
  } else if (end && pad == "NOTSET") {
    split.cut = at(op.getPads(), d, 0);
    end = llvm::checkedSub(*end, at(op.getPads(), d + spatial, 0));
  }
  if (!end || split.cut < 0 || !llvm::checkedSub(*end, split.cut) ||
      !llvm::checkedAdd(split.cut, split.stride))
    return std::nullopt;
  split.end = *end;
  return split.beyond() < 0 ? std::nullopt : std::optional(split);
}

std::optional<SmallVector<PhaseSplit>>
onnx::splitsOf(ConvTransposeOp op, ArrayRef<int64_t> kernel) {
  if (op.getOutputShape())
    return std::nullopt;
  SmallVector<PhaseSplit> splits;
  int64_t given = 1, grown = 1;
  for (auto [d, size] : llvm::enumerate(kernel)) {
    std::optional<PhaseSplit> split = splitOf(op, d, size, kernel.size());
    if (!split)
      return std::nullopt;
    given *= size;
    grown *= split->taps() * split->stride;
    if (grown > maxGrowth * given)
      return std::nullopt;
    splits.push_back(*split);
  }
  return splits;
}

int64_t onnx::phasesOf(ArrayRef<PhaseSplit> splits) {
  int64_t phases = 1;
  for (const PhaseSplit &split : splits)
    phases *= split.stride;
  return phases;
}

SmallVector<PhaseWindow>
onnx::windowsOf(ArrayRef<PhaseSplit> splits, int64_t phase,
                PhaseWindow (PhaseSplit::*window)(int64_t) const) {
  SmallVector<PhaseWindow> windows(splits.size());
  for (size_t d = splits.size(); d-- > 0; phase /= splits[d].stride)
    windows[d] = (splits[d].*window)(phase % splits[d].stride);
  return windows;
}

bool onnx::haveOwnWindows(ArrayRef<PhaseSplit> splits) {
  return llvm::all_of(splits, [](const PhaseSplit &split) {
    return llvm::all_of(llvm::seq(split.stride), [&](int64_t phase) {
      PhaseWindow window = split.own(phase);
      return window.taps > 0 && window.before >= 0 && window.after >= 0;
    });
  });
}
