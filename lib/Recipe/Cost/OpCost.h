//===- OpCost.h - The cost of one op of a kernel ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_RECIPE_COST_OPCOST_H
#define ONNXC_LIB_RECIPE_COST_OPCOST_H

#include "Cost/ContractionCost.h"
#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest.h"
#include "onnxc/Dialect/Krnl/IR/RunningValues.h"
#include "onnxc/Recipe/CostModel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <optional>

namespace onnxc {

namespace krnl {
struct ExchangedStore;
}

/// What the threads of a device do for an op.
struct ThreadWork {
  /// Steps of all threads together.
  double steps = 0;
  /// The numbers for a step: operations, of which a multiply-add is two; loads
  /// and stores; the cycles that those of a warp take in its first cache; bytes
  /// that it loads from device memory, and from memory of its tile.
  double operations = 0, accesses = 0, cacheCycles = 0, loadedBytes = 0,
         sharedBytes = 0;
  /// The bytes of the sectors of device memory that it stores to: all of a
  /// sector in each request of a warp that has a part of it.
  double storedBytes = 0;
  /// The bytes of `loadedBytes` that the payload reads by indices of its own.
  double indexedBytes = 0;
  /// Cycles of a step that the units for matrices of a core need for a warp,
  /// and instructions that these have.
  double matrixCycles = 0, matrixProducts = 0;
  /// The same of the units for functions; their instructions are operations.
  double functionCycles = 0;
  /// Cycles in which a sum waits for the step before.
  double latency = 0;
  /// Operations of all threads to combine their parts of sums.
  double combining = 0;
  /// Registers that hold results of a step, and its operands.
  double resultRegisters = 0, operandRegisters = 0;
};

/// Returns true if an op before this one has read the element of the input, and
/// kept it in registers.
bool isKept(const krnl::LoopNest &nest, unsigned number,
            mlir::OpOperand &input);

/// Returns true for an operation of a payload, such as exp, that becomes many.
bool isFunction(mlir::Operation &inner);

/// Operations that one of a payload takes, for an element or a vector.
double operationWeight(mlir::Operation &inner, const target::Processor &target);

/// The cost of an op with the recipe that was replayed.
class OpCost {
public:
  /// The cost on one thread.
  OpCost(krnl::KernelOp kernel, const krnl::LoopNest &nest, unsigned number,
         const target::Processor &target);
  /// The cost on a device, each of whose threads has one iteration of these
  /// loops.
  OpCost(krnl::KernelOp kernel, const krnl::LoopNest &nest, unsigned number,
         const target::Processor &target,
         llvm::ArrayRef<unsigned> loopsOfThreads);

  /// The cycles of the op with the assumed extents.
  double cycles();
  /// The work of the threads of a device, with the assumed extents.
  ThreadWork threadWork();
  /// The extent of an axis of the op that cycles() assumes.
  double axisExtent(unsigned axis) const;

private:
  void findTile();
  int64_t sliceDepth() const;
  double extent(unsigned loop) const;
  double axesExtent(unsigned loop) const;
  double vectorsPerIteration() const;
  void findSteps();
  double unrolled(const krnl::LoopUse &use) const;
  double instancesOf(const krnl::LoopUse &use) const;
  double registersOf(mlir::Type type) const;
  double accessCycles(mlir::OpOperand &operand, bool isStore);
  void addAccess(mlir::OpOperand &operand, bool isStore, ThreadWork &work);
  void addRead(mlir::tensor::ExtractOp read, double instances,
               ThreadWork &work);
  double sharedBy(mlir::Value value) const;
  void addPayload(double instances, ThreadWork &work);
  void addFragments(const krnl::Access &access, double bytes, bool isShared,
                    ThreadWork &work);
  double unrolledBy(const krnl::Access &access) const;
  double apartInWarp(const krnl::Access &access) const;
  void addStore(mlir::OpOperand &result, double &count, double &width,
                ThreadWork &work);
  void addExchange(double count, double threads, ThreadWork &work);
  double sectorsOfStore(const krnl::Access &access, double bytes,
                        const krnl::ExchangedStore *exchange) const;
  bool isFilled(const krnl::Access &access) const;
  int64_t adjacentInSlice(const krnl::Cache &cache, mlir::OpOperand &operand,
                          double bytes) const;
  void addMatrices(double instances, ThreadWork &work);
  bool isGather(mlir::tensor::ExtractOp read);
  double weightOf(mlir::Operation &inner) const;
  double operationsOf(mlir::Operation &inner);
  double latency() const;
  double sumOfLanes() const;

  krnl::KernelOp kernel;
  const krnl::LoopNest &nest;
  const krnl::BodyOp &body;
  unsigned number;
  krnl::ComputeOp op;
  const target::Processor &target;
  llvm::ArrayRef<unsigned> loopsOfThreads;
  /// The loop of the lanes, and the one of the steps.
  const krnl::LoopUse *lanesUse = nullptr, *steps = nullptr;
  int64_t lanes = 1;
  /// For the lanes; made when it is needed.
  std::optional<krnl::LaneAnalysis> payload;
  /// For running values of more or fewer loops of the same op.
  std::optional<krnl::RunningValues> running;
  double numSteps = 1;
  /// The step of products of matrices, if the target has the instruction.
  const krnl::Mma *mma = nullptr;
  bool isOfWarpgroup = false;
  /// The contraction that has a tile and so a cost model of its own; else no
  /// value.
  std::optional<Contraction> contraction;
  std::optional<ContractionCost> tileCost;
  RegisterTile tile{1, 1};
};

} // namespace onnxc

#endif // ONNXC_LIB_RECIPE_COST_OPCOST_H
