//===- KeepNodes.cpp - Nodes that rewrites remove --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "onnxc/Support/KeepNodes.h"

#include "onnxc/Support/NodeLocations.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace onnxc {

/// A constant has the name of a tensor.
static void addLocations(Operation *op, ArrayRef<Location> others) {
  if (op && !op->hasTrait<OpTrait::ConstantLike>())
    op->setLoc(fuseLocations(op->getLoc(), others));
}

/// The locations of the operations that nothing but `op` uses, and of those
/// that nothing but these use.
static void collectDying(Operation *op, unsigned depth,
                         SmallVectorImpl<Location> &locations) {
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (!producer || depth == 0 ||
        producer->hasTrait<OpTrait::ConstantLike>() ||
        producer->getNumRegions() != 0 ||
        !llvm::all_of(producer->getUsers(),
                      [&](Operation *user) { return user == op; }))
      continue;
    locations.push_back(producer->getLoc());
    collectDying(producer, depth - 1, locations);
  }
}

void KeepNodes::notifyOperationInserted(Operation *op,
                                        OpBuilder::InsertPoint previous) {
  if (!previous.isSet())
    made.push_back(op);
}

void KeepNodes::notifyOperationReplaced(Operation *op, ValueRange replacement) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return;
  if (op->getContext()->getRemarkEngine())
    recordReplaced(op, replacement);
  for (Value value : replacement)
    if (value)
      addLocations(value.getDefiningOp(), op->getLoc());
}

void KeepNodes::notifyOperationErased(Operation *op) {
  bool wasMade = llvm::is_contained(made, op);
  llvm::erase(made, op);
  if (!wasMade && op->getContext()->getRemarkEngine())
    recordErased(op);
  if (made.empty())
    return;
  constexpr unsigned maxDepth = 4;
  SmallVector<Location> dying;
  collectDying(op, maxDepth, dying);
  if (dying.empty())
    return;
  for (Operation *other : made)
    addLocations(other, dying);
  if (application)
    llvm::append_range(application->taken, dying);
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

std::string patternName(const Pattern &pattern) {
  std::string name = pattern.getDebugName().str();
  llvm::Regex scope("([A-Za-z_0-9]+|[({]anonymous( namespace)?[)}])::");
  while (scope.match(name))
    name = scope.sub("", name);
  return name;
}

/// Adds a word to a list of words, each once.
static void addWord(std::string &list, StringRef word) {
  for (StringRef known : llvm::split(list, ", "))
    if (known == word)
      return;
  list += (list.empty() ? "" : ", ") + word.str();
}

void KeepNodes::notifyPatternBegin(const Pattern &, Operation *root) {
  made.clear();
  if (root->getContext()->getRemarkEngine())
    application = {root->getLoc(), root->getName(), {}, "", ""};
}

void KeepNodes::notifyPatternEnd(const Pattern &pattern, LogicalResult status) {
  if (application && succeeded(status)) {
    bool takes = !application->taken.empty();
    std::string into = application->into;
    for (Operation *op : made)
      if (!op->hasTrait<OpTrait::ConstantLike>())
        addWord(into, op->getName().stripDialect());
    StringRef root = application->root.stripDialect();
    emit(patternName(pattern),
         takes ? fuseLocations(application->taken.front(),
                               ArrayRef(application->taken).drop_front())
               : application->loc,
         takes ? StringRef(application->from) : root, takes ? into : root);
  }
  application.reset();
  made.clear();
}

void KeepNodes::recordReplaced(Operation *op, ValueRange replacement) {
  replaced.insert(op);
  std::string into;
  for (Value value : replacement) {
    if (!value)
      continue;
    Operation *producer = value.getDefiningOp();
    if (!producer)
      addWord(into, "an argument of the graph");
    else if (producer->hasTrait<OpTrait::ConstantLike>())
      addWord(into, "a constant");
    else if (!llvm::is_contained(made, producer))
      addWord(into, (producer->getName().stripDialect() + " \"" +
                     nameOf(producer->getLoc()) + "\"")
                        .str());
  }
  StringRef from = op->getName().stripDialect();
  if (!application)
    return emit(step, op->getLoc(), from, into);
  application->taken.push_back(op->getLoc());
  addWord(application->from, from);
  if (!into.empty())
    addWord(application->into, into);
}

void KeepNodes::recordErased(Operation *op) {
  if (replaced.erase(op) || op->hasTrait<OpTrait::ConstantLike>())
    return;
  StringRef from = op->getName().stripDialect();
  if (!application)
    return emit("Unused", op->getLoc(), from, "nothing");
  application->taken.push_back(op->getLoc());
  addWord(application->from, from);
}

void KeepNodes::emit(StringRef name, Location loc, StringRef from,
                     StringRef into) {
  remark::passed(loc, remark::RemarkOpts::name(name).category(category))
      << remark::metric("From", from.str())
      << remark::metric("Into", into.str());
}

} // namespace onnxc
