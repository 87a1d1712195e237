//===- LoopPlanner.h - Chooses how loops run --------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PLANNERS_LOOPPLANNER_H
#define ONNXC_LIB_RECIPE_PLANNERS_LOOPPLANNER_H

#include "Planners/LoopPlan.h"

#include <vector>

namespace onnxc {

/// The size of parts of `whole` that are as equal as can be, at most `maxPart`.
inline int64_t equalPart(int64_t whole, int64_t maxPart) {
  maxPart = std::max<int64_t>(maxPart, 1);
  return llvm::divideCeil(
      whole, llvm::divideCeil(std::max<int64_t>(whole, 1), maxPart));
}

/// Proposes plans: LoopPlan.cpp, and UnrollAndJam.cpp and TransposedSums.cpp
/// their unrolled loops.
class LoopPlanner : public LoopPlan {
public:
  LoopPlanner(krnl::KernelOp kernel, const target::Processor &target,
              const RecipeOptions &options);

  /// One plan for each loop that may have the lanes and each way to unroll a
  /// loop beside it; those that are better on equal cost come first.
  std::vector<LoopPlan> propose() const;

private:
  /// Loops along memory, of windows and of results.
  struct Transposition {
    std::string reads, results;
  };

  void findCommon();
  void findVectorLoop();
  bool takeRowsAsLanes();
  bool takeReadsAsLanes();
  bool takeReadsOfCopyAsLanes();
  bool readsComputedRows();
  void chooseLanes();
  void chooseInstances();
  void unrollTerms();
  void chooseColumns();
  // Each unrolls a loop of a plan that has lanes, or returns false.
  void planForShortRows();
  std::optional<int64_t> shuffledPositions(krnl::ComputeOp op);
  bool unrollWindow();
  std::string loopBesideWindows();
  bool unrollRowsOfWindows();
  bool unrollInterleaved();
  bool unrollTransposed();
  bool unrollTransposedResult();
  bool unrollTransposedSums();
  bool unrollOwnTransposed();
  bool unrollWholeRows();
  bool unrollLineOfRows();
  bool unrollRows();
  bool unrollNothing() { return true; }
  std::string loopAcross(mlir::OpOperand &operand,
                         llvm::ArrayRef<std::string> among);
  llvm::SmallVector<Transposed> ownAcross();
  std::string loopAlongResult();
  void transposeLanes(int64_t maxLanes);
  void cutLines();
  void tileLines();
  bool isConstant(mlir::OpOperand &input);
  std::optional<Transposition> findTransposition();
  bool packAlongLanes();
  std::string outermostMoved();
  llvm::SmallVector<std::string> orderOfCommon();
  void planOuterLoops();
  unsigned loopsBesidePadding();
  bool canHaveGrain(unsigned position, int64_t blocks);
  void planParallel();
  bool writesPartsApart();
  void keepLines();
  void dropBlocks();
  int64_t workBytes();
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PLANNERS_LOOPPLANNER_H
