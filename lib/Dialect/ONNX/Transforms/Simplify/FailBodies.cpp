//===- FailBodies.cpp - Branches and bodies that cannot run ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A branch for other sizes than those that are known makes no model wrong: only
// a run that takes it fails. Of alternatives it is the branch of an assumption
// that cannot hold, which no run takes.
//
//===----------------------------------------------------------------------===//
#include "Simplify.h"

#include "onnxc/Dialect/ONNX/IR/Alternatives.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
#include "onnxc/Support/ElementBytes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace onnxc::onnx;

static bool hasAlternatives(ModuleOp module) {
  return module
      .walk([](IfOp op) {
        return op->hasAttr(alternativesAttrName) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

void onnxc::onnx::dropImpossible(ModuleOp module) {
  while (hasAlternatives(module)) {
    DimAnalysis analysis(module);
    llvm::SetVector<Block *> branches;
    for (const Rejection &rejection : analysis.getRejected())
      if (Block *branch = alternativeAround(rejection.op))
        branches.insert(branch);
    if (branches.empty())
      return;
    llvm::DenseSet<Block *> deleted;
    for (Block *branch : branches)
      if (!deleted.contains(branch))
        dropBranch(branch, deleted);
  }
}

static bool isConstant(DimAnalysis &analysis, Value scalar,
                       function_ref<bool(int64_t)> accepts) {
  std::optional<SmallVector<int64_t>> known = analysis.constantContents(scalar);
  return known && known->size() == 1 && accepts(known->front());
}

/// Returns true if each run that comes to `op` enters its body.
static bool isAlwaysEntered(Operation *op, DimAnalysis &analysis) {
  auto isTrue = [](int64_t number) { return number != 0; };
  if (auto choice = dyn_cast<IfOp>(op))
    return isConstant(analysis, choice.getCond(), [](int64_t) { return true; });
  if (auto loop = dyn_cast<LoopOp>(op))
    return (!loop.getM() || isConstant(analysis, loop.getM(),
                                       [](int64_t m) { return m > 0; })) &&
           (!loop.getCond() || isConstant(analysis, loop.getCond(), isTrue));
  if (isa<ScanOp>(op)) {
    auto last =
        dyn_cast<RankedTensorType>(analysis.type(op->getOperands().back()));
    return last && last.hasStaticShape() && last.getNumElements() != 0;
  }
  return !isa<SequenceMapOp>(op);
}

/// The innermost branch or body around `op` that runs may leave out; null if
/// each run comes to `op`.
static Block *avoidableBody(Operation *op, DimAnalysis &analysis) {
  for (Operation *around = op->getParentOp();
       isa_and_present<ONNXDialect>(around->getDialect());
       op = around, around = op->getParentOp())
    if (!isAlwaysEntered(around, analysis))
      return op->getBlock();
  return nullptr;
}

/// if(c) {..} else {b} -> fail if c; b
static void failBranch(Block *branch, const Rejection &rejection,
                       llvm::DenseSet<Block *> &deleted) {
  auto choice = cast<IfOp>(branch->getParentOp());
  Location loc = rejection.op->getLoc();
  OpBuilder builder(choice);
  Value condition = choice.getCond();
  if (branch->getParent() == &choice.getElseBranch())
    condition = NotOp::create(builder, loc, TypeRange(condition.getType()),
                              ValueRange(condition));
  FailOp::create(builder, loc, TypeRange(), rejection.reason, condition);
  dropBranch(branch, deleted);
}

/// {..; yield x} -> {x = fail; yield x}
static void failBody(Block *body, const Rejection &rejection,
                     DimAnalysis &analysis, llvm::DenseSet<Block *> &deleted) {
  Operation *yield = body->getTerminator();
  auto types = llvm::map_to_vector(
      yield->getOperands(), [&](Value value) { return analysis.type(value); });
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  auto fail = FailOp::create(builder, rejection.op->getLoc(), types,
                             rejection.reason, Value());
  yield->setOperands(fail.getResults());
  body->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        deleted.insert(&block);
  });
  while (&*std::prev(yield->getIterator()) != fail)
    std::prev(yield->getIterator())->erase();
}

/// Adds the operations in bodies that make a tensor which no memory holds.
static void findTooLarge(Operation *root, DimAnalysis &analysis,
                         SmallVectorImpl<Rejection> &found) {
  root->walk([&](Operation *op) {
    Operation *around = op->getParentOp();
    if (!around || !isa_and_present<ONNXDialect>(around->getDialect()))
      return;
    for (Value result : op->getResults()) {
      auto tensor = dyn_cast<RankedTensorType>(analysis.type(result));
      if (tensor && !onnxc::boundedBytes(tensor))
        return found.push_back({op, tooLargeText(tensor), /*isShape=*/true});
    }
  });
}

bool onnxc::onnx::failRejectedBodies(Operation *root, DimAnalysis &analysis) {
  SmallVector<Rejection> rejected(analysis.getRejected());
  findTooLarge(root, analysis, rejected);
  llvm::MapVector<Block *, const Rejection *> bodies;
  for (const Rejection &rejection : rejected)
    if (Block *body = avoidableBody(rejection.op, analysis);
        body && rejection.isShape)
      bodies.insert({body, &rejection});
  // Inner ones first: they may be in outer ones, which are deleted with them.
  llvm::DenseSet<Block *> deleted;
  for (auto [body, rejection] : bodies) {
    if (deleted.contains(body))
      continue;
    rejection->op->emitWarning()
        << "a run that comes to this node fails: " << rejection->reason;
    if (isa<IfOp>(body->getParentOp()))
      failBranch(body, *rejection, deleted);
    else
      failBody(body, *rejection, analysis, deleted);
  }
  return !bodies.empty();
}
