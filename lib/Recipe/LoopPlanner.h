//===- LoopPlanner.h - Chooses how loops run --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_LOOPPLANNER_H
#define ONNXC_LIB_RECIPE_LOOPPLANNER_H

#include "LoopPlan.h"

namespace onnxc {

/// The size of parts of `whole` that are as equal as can be, at most `most`.
inline int64_t equalPart(int64_t whole, int64_t most) {
  most = std::max<int64_t>(most, 1);
  return llvm::divideCeil(whole,
                          llvm::divideCeil(std::max<int64_t>(whole, 1), most));
}

/// The largest divisor of `whole` that is at most `most`.
inline int64_t largestDivisor(int64_t whole, int64_t most) {
  for (int64_t part = std::min(whole, most); part > 1; --part)
    if (whole % part == 0)
      return part;
  return 1;
}

/// Fills in a plan: LoopPlan.cpp, and UnrollAndJam.cpp its unrolled loops.
class LoopPlanner : public LoopPlan {
public:
  using LoopPlan::LoopPlan;

  void plan();

private:
  void findCommon();
  void findVectorLoop();
  void preferRows();
  void chooseLanes();
  void chooseInstances();
  void chooseColumns();
  bool chooseInterleaved();
  bool chooseWindow();
  void chooseTransposed();
  void chooseOwnTransposed();
  bool chooseWholeRows();
  void chooseRows();
  void planOuterLoops();
  unsigned loopsBesidePadding();
  void planParallel();
  int64_t workBytes();
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_LOOPPLANNER_H
