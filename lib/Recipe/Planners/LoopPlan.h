//===- LoopPlan.h - How the loops of a kernel run --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_PLANNERS_LOOPPLAN_H
#define ONNXC_LIB_RECIPE_PLANNERS_LOOPPLAN_H

#include "Kernels/KernelShape.h"
#include "Planners/Planners.h"

namespace onnxc {

/// The choices for the loops of a kernel before they are written as a recipe.
/// Loops are named as in the kernel.
struct LoopPlan {
  struct OuterLoop {
    std::string name;
    int64_t extent;
    /// If not 0, the loop over tiles of so many iterations; another entry of
    /// the same name is the loop in a tile.
    int64_t tile = 0;
  };

  LoopPlan(krnl::KernelOp kernel, const target::Processor &target,
           const RecipeOptions &options)
      : kernel(kernel),
        ops(llvm::to_vector(kernel.getBody().getOps<krnl::ComputeOp>())),
        target(target), options(options) {}

  int64_t extent(llvm::StringRef loop) {
    return extentOf(kernel, loop, outerExtent);
  }
  bool has(unsigned op, llvm::StringRef loop) {
    return llvm::is_contained(ops[op].getAxes(), loop);
  }
  bool hasRegisterLoop() const { return lanes > 1 || instances > 1; }
  int64_t width() const { return std::max(strip, lanes * vectors * instances); }
  /// Iterations of a fused outer loop's axis that one visit does in registers.
  int64_t piece(llvm::StringRef loop) const {
    return cut && loop == vectorLoop        ? width()
           : rows > 1 && loop == jammedLoop ? std::max(rows, line)
                                            : 1;
  }

  krnl::KernelOp kernel;
  llvm::SmallVector<krnl::ComputeOp> ops;
  const target::Processor &target;
  const RecipeOptions &options;

  /// Loops that all ops have and none reduces; the rest.
  llvm::SmallVector<std::string> common, own;
  /// The loop along memory, and whether it is common.
  std::string vectorLoop;
  bool vectorIsCommon = false;
  int64_t lanes = 1, vectors = 1;
  /// The number of iterations of a loop without lanes that run side by side.
  int64_t instances = 1;
  /// The reduced loops of each of the `instances` are unrolled, too.
  bool unrollsTerms = false;
  /// A common loop of which `rows` iterations are unrolled, outside of the
  /// vectors.
  std::string jammedLoop;
  int64_t rows = 1;
  /// Iterations of `jammedLoop` that one op does before the next one, if that
  /// is more: the op that has the vector loop `rows` at a time, and the others
  /// in vectors along the line of its results.
  int64_t line = 1;
  /// The rows and the lanes of the vector loop change places in registers.
  bool transposes = false;
  /// Iterations of the vector loop that run before the next `rows`, if not 0.
  int64_t lineTile = 0;
  /// Ops pass over rows that the registers hold: `vectors` are a whole row.
  bool wholeRows = false;
  /// The reduced loop over which the rows of `jammedLoop` share most of their
  /// reads, if that is why they are unrolled.
  std::string windowLoop;
  /// The other reduced loops are unrolled inside of `windowLoop`: vectors
  /// that their lanes are shuffled out of are read row after row.
  bool wholeWindow = false;
  /// Rows of dynamic length under windows may be shorter than the cost model
  /// assumes, so that this plan is not compared with those for long ones.
  bool hasShortRows = false;
  /// A loop that only one op has, along its reads or stores: as many iterations
  /// are unrolled as are transposed in registers.
  struct Transposed {
    unsigned op;
    std::string loop;
    int64_t rows;
    bool stores;
  };
  llvm::SmallVector<Transposed> transposed;
  /// Constants that the lanes would gather: inputs of the kernel by number, and
  /// the op that reads each.
  llvm::SmallVector<std::pair<unsigned, unsigned>> packed;
  /// The iterations of a common vector loop that run inside of loops of single
  /// ops, if they are more than fit the registers: they are reduced together,
  /// with sums in memory, or are lines that are written across.
  int64_t strip = 1;
  /// The vector loop is cut into blocks of width().
  bool cut = false;
  /// Ops only write, each over loops of its own, and the blocks of the common
  /// vector loop run inside of these: along lines of memory.
  bool blocksInside = false;
  /// The loop outside of which these blocks run, so that what windows read for
  /// a vector stays in the first cache; innermost if empty.
  std::string lanesOutside;
  llvm::SmallVector<OuterLoop> outerLoops;
  /// The number of `outerLoops` that are fused: all, or those that a kernel
  /// which pads an operand has, too, so that the two become one.
  unsigned numFusedOuter = 0;
  /// The first `numParallel` fused outer loops are parallel, the last of them
  /// in blocks of `grain` if that is above 1.
  unsigned numParallel = 0;
  int64_t grain = 1;
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_PLANNERS_LOOPPLAN_H
