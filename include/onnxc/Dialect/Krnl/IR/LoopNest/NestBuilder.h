//===- NestBuilder.h - Steps that change a nest -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_DIALECT_KRNL_IR_LOOPNEST_NESTBUILDER_H
#define ONNXC_DIALECT_KRNL_IR_LOOPNEST_NESTBUILDER_H

#include "onnxc/Dialect/Krnl/IR/LoopNest.h"

namespace onnxc::krnl {

/// A nest to which the steps of a recipe are applied, one after the other. Each
/// step is a method: RecipeStep::advance calls it.
class NestBuilder : public LoopNest {
public:
  /// An empty nest to be filled by addAxis, addOp and addReader.
  explicit NestBuilder(mlir::MLIRContext *context) : LoopNest(context) {}
  explicit NestBuilder(const LoopNest &nest) : LoopNest(nest) {
    knownValues.reset();
  }
  /// The nest of the kernel before its first step: every axis is a live loop,
  /// in the order the kernel lists them. Requires a kernel whose axes verified.
  explicit NestBuilder(KernelOp kernel);

  unsigned addAxis(llvm::StringRef name, int64_t extent);
  unsigned addOp(llvm::StringRef name, llvm::ArrayRef<unsigned> axes,
                 llvm::ArrayRef<bool> reduced);
  Operand &operandInfo(unsigned operand);
  /// Declares that `op` reads the operand with these axes for its dimensions.
  void addReader(unsigned operand, unsigned op, llvm::ArrayRef<int> dimAxes);

  /// Applies all steps of the kernel's recipe, see LoopNest::replay().
  mlir::LogicalResult applySteps(KernelOp kernel, StepErrorFn emitError,
                                 bool findsCause, NestChecks checks);

  //===--------------------------------------------------------------------===//
  // Steps. Names are resolved among the loops of the limiting op if there is
  // one. Each failure is reported through emitError.
  //===--------------------------------------------------------------------===//

  /// The op that steps are limited to until further notice, -1 for none.
  void limitTo(int op) { limit = op; }

  mlir::LogicalResult block(llvm::StringRef loop, int64_t size,
                            TailStrategy tail, llvm::StringRef outer,
                            llvm::StringRef inner, EmitErrorFn emitError);
  mlir::LogicalResult fuse(llvm::StringRef outer, llvm::StringRef inner,
                           llvm::StringRef result, EmitErrorFn emitError);
  mlir::LogicalResult reorder(llvm::ArrayRef<llvm::StringRef> names,
                              EmitErrorFn emitError);
  mlir::LogicalResult fuseOuter(llvm::ArrayRef<llvm::StringRef> names,
                                EmitErrorFn emitError);
  mlir::LogicalResult parallel(llvm::ArrayRef<llvm::StringRef> names,
                               EmitErrorFn emitError);
  mlir::LogicalResult grid(int64_t blocks, EmitErrorFn emitError);
  mlir::LogicalResult map(llvm::StringRef loop, bool cluster,
                          llvm::StringRef as, EmitErrorFn emitError);
  mlir::LogicalResult computeAt(llvm::StringRef loop, EmitErrorFn emitError);
  mlir::LogicalResult hoist(llvm::StringRef loop, EmitErrorFn emitError);
  mlir::LogicalResult unroll(llvm::StringRef loop, int64_t factor,
                             llvm::ArrayRef<int64_t> tail,
                             EmitErrorFn emitError);
  mlir::LogicalResult dot(llvm::StringRef loop, bool shortSums,
                          EmitErrorFn emitError);
  mlir::LogicalResult mma(llvm::ArrayRef<llvm::StringRef> names,
                          EmitErrorFn emitError);
  mlir::LogicalResult wgmma(llvm::ArrayRef<llvm::StringRef> names,
                            EmitErrorFn emitError);
  mlir::LogicalResult vectorize(llvm::StringRef loop, int64_t lanes,
                                EmitErrorFn emitError);
  mlir::LogicalResult registerTile(llvm::StringRef rows,
                                   llvm::StringRef columns, int64_t lanes,
                                   llvm::ArrayRef<int64_t> tail, bool masked,
                                   EmitErrorFn emitError);
  mlir::LogicalResult arena(llvm::StringRef op, EmitErrorFn emitError);
  mlir::LogicalResult shared(llvm::StringRef op, EmitErrorFn emitError);
  mlir::LogicalResult cache(unsigned operand, llvm::StringRef at,
                            SliceCopy copy, EmitErrorFn emitError);
  mlir::LogicalResult pipeline(llvm::StringRef loop, int64_t stages,
                               int64_t inFlight, bool producer,
                               EmitErrorFn emitError);
  mlir::LogicalResult pack(unsigned operand,
                           llvm::ArrayRef<llvm::StringRef> names,
                           std::optional<Shuffle> shuffle, int64_t lanes,
                           EmitErrorFn emitError);
  mlir::LogicalResult shuffle(llvm::StringRef loop, Shuffle shuffle,
                              bool masked, EmitErrorFn emitError);
  mlir::LogicalResult strided(llvm::StringRef loop, int64_t distance,
                              EmitErrorFn emitError);
  mlir::LogicalResult earlyExit(llvm::StringRef loop, EmitErrorFn emitError);
  mlir::LogicalResult skipMasked(llvm::StringRef loop, EmitErrorFn emitError);
  mlir::LogicalResult prefetch(const Prefetch &prefetch, EmitErrorFn emitError);
  mlir::LogicalResult splitReduction(llvm::StringRef loop, int64_t parts,
                                     llvm::StringRef outer,
                                     llvm::StringRef inner,
                                     EmitErrorFn emitError);

private:
  mlir::LogicalResult check(EmitErrorFn emitError) const;
  bool accepts(mlir::Attribute step) const;
  static std::optional<size_t> stepContradictedBy(KernelOp kernel,
                                                  size_t number);
  mlir::LogicalResult checkConcernsAll(EmitErrorFn emitError) const;
  mlir::FailureOr<unsigned> resolve(llvm::StringRef name,
                                    EmitErrorFn emitError) const;
  mlir::FailureOr<llvm::SmallVector<unsigned>>
  resolveAll(llvm::ArrayRef<llvm::StringRef> names,
             EmitErrorFn emitError) const;
  /// Sets `mark` of each of these loops, in order, that passes the check.
  mlir::LogicalResult markOuter(
      llvm::ArrayRef<llvm::StringRef> names, bool Loop::*mark,
      llvm::function_ref<mlir::LogicalResult(const Loop &, unsigned)> check,
      EmitErrorFn emitError);
  mlir::LogicalResult checkFree(llvm::StringRef name,
                                EmitErrorFn emitError) const;
  mlir::LogicalResult checkPlain(unsigned loop, llvm::StringRef verb,
                                 EmitErrorFn emitError) const;
  bool concerns(unsigned op) const {
    return limit < 0 || unsigned(limit) == op;
  }
  unsigned addLoop(Loop loop);
  void replace(llvm::ArrayRef<unsigned> old, llvm::ArrayRef<unsigned> fresh);
  mlir::LogicalResult checkMapped(EmitErrorFn emitError) const;
  mlir::LogicalResult mapCluster(unsigned loop, llvm::StringRef as,
                                 EmitErrorFn emitError);
  mlir::LogicalResult checkCluster(EmitErrorFn emitError) const;
  mlir::LogicalResult checkSameThreads(unsigned loop, unsigned other,
                                       EmitErrorFn emitError) const;
  mlir::LogicalResult checkComputeAt(EmitErrorFn emitError) const;
  mlir::LogicalResult checkHoisted(EmitErrorFn emitError) const;
  mlir::LogicalResult checkHoistSteps(
      KernelOp kernel,
      llvm::function_ref<mlir::InFlightDiagnostic(size_t)> errorAt) const;
  mlir::LogicalResult checkInnermost(const BodyOp &op,
                                     EmitErrorFn emitError) const;
  mlir::LogicalResult checkPartial(const BodyOp &op, const LoopUse &use,
                                   EmitErrorFn emitError) const;
  mlir::LogicalResult reorderOp(BodyOp &op, llvm::ArrayRef<unsigned> order,
                                EmitErrorFn emitError);
  mlir::LogicalResult checkTail(llvm::ArrayRef<int64_t> tail, int64_t factor,
                                unsigned loop, bool leavesRest,
                                EmitErrorFn emitError) const;
  bool unrollsInOrder(const BodyOp &op, const LoopUse &use) const;
  mlir::LogicalResult checkTail(const BodyOp &op, const LoopUse &use,
                                unsigned number, EmitErrorFn emitError) const;
  mlir::LogicalResult checkSize(const BodyOp &op, EmitErrorFn emitError) const;
  mlir::LogicalResult checkPack(const Pack &pack, EmitErrorFn emitError) const;
  mlir::LogicalResult checkCache(const Cache &cache, unsigned op,
                                 int64_t &bytes, EmitErrorFn emitError) const;
  mlir::LogicalResult checkCaches(EmitErrorFn emitError) const;
  mlir::LogicalResult addMma(Mma mma, EmitErrorFn emitError);
  mlir::LogicalResult
  endUses(llvm::StringRef loop, bool LoopUse::*end,
          llvm::function_ref<bool(unsigned, const LoopUse &)> mayEnd,
          llvm::StringRef ends, llvm::StringRef verb, EmitErrorFn emitError);
  const Operand *findOperand(unsigned operand, EmitErrorFn emitError) const;
  mlir::LogicalResult splitLoop(unsigned loop, int64_t size, TailStrategy tail,
                                bool split, llvm::StringRef outer,
                                llvm::StringRef inner, EmitErrorFn emitError);

  int limit = -1;
};

} // namespace onnxc::krnl

#endif // ONNXC_DIALECT_KRNL_IR_LOOPNEST_NESTBUILDER_H
