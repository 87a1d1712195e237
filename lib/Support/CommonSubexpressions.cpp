//===- CommonSubexpressions.cpp - Merge equal operations -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/CommonSubexpressions.h"

#include "onnxc/Support/RegionHash.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/Support/Allocator.h"

using namespace mlir;
using namespace onnxc;

namespace {
/// An operation and the hash of all of it.
struct HashedOp {
  Operation *op;
  unsigned hash;
};
} // namespace

template <>
struct llvm::DenseMapInfo<HashedOp> {
  static HashedOp getEmptyKey() {
    return {DenseMapInfo<Operation *>::getEmptyKey(), 0};
  }
  static HashedOp getTombstoneKey() {
    return {DenseMapInfo<Operation *>::getTombstoneKey(), 0};
  }
  static unsigned getHashValue(const HashedOp &key) { return key.hash; }
  static bool isEqual(const HashedOp &x, const HashedOp &y) {
    auto isOp = [](const HashedOp &key) {
      return key.op != getEmptyKey().op && key.op != getTombstoneKey().op;
    };
    if (x.op == y.op || x.hash != y.hash || !isOp(x) || !isOp(y))
      return x.op == y.op;
    return OperationEquivalence::isEquivalentTo(
        x.op, y.op, OperationEquivalence::IgnoreLocations);
  }
};

namespace {

/// Equal for equivalent operations.
unsigned hashOf(Operation *op) {
  llvm::hash_code hash = OperationEquivalence::computeHash(
      op, OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations);
  if (op->getNumRegions() != 0)
    hash = llvm::hash_combine(hash, hashRegions(op));
  return unsigned(size_t(hash));
}

/// The record of an operation that a later one may be equal to.
struct Known {
  Operation *op = nullptr;
  /// How many operations before it may write.
  uint64_t writes = 0;
};

/// Eliminates the common subexpressions of one operation.
class Eliminator {
public:
  using Merge = llvm::function_ref<void(Operation *, Operation *)>;

  Eliminator(RewriterBase &rewriter, Merge merge)
      : rewriter(rewriter), merge(merge) {}

  void visit(Operation *root) {
    Table values;
    table = &values;
    visitBlocks(root);
  }
  bool hasChanged() const { return isChanged; }

private:
  using Allocator = llvm::BumpPtrAllocator;
  using Table = llvm::ScopedHashTable<HashedOp, Known,
                                      llvm::DenseMapInfo<HashedOp>, Allocator>;

  /// Operations isolated from above have a scope of their own.
  void visitRegions(Operation *op) {
    if (op->getNumRegions() == 0)
      return;
    if (!op->hasTrait<OpTrait::IsIsolatedFromAbove>())
      return visitBlocks(op);
    Table inner;
    Table *outer = std::exchange(table, &inner);
    visitBlocks(op);
    table = outer;
  }

  /// Each block has a scope of its own: the host program and kernels have
  /// regions of one block.
  void visitBlocks(Operation *op) {
    for (Region &region : op->getRegions()) {
      bool wasOrdered = std::exchange(isOrdered, mayHaveSSADominance(region));
      for (Block &block : region) {
        Table::ScopeTy scope(*table);
        for (Operation &inner : llvm::make_early_inc_range(block))
          visitOp(inner);
      }
      isOrdered = wasOrdered;
    }
  }

  /// Regions first: operations in the table must not change any more.
  void visitOp(Operation &op) {
    bool isDead = isOrdered && isOpTriviallyDead(&op);
    if (!isDead)
      visitRegions(&op);
    if (isDead)
      rewriter.eraseOp(&op);
    else if (!isOrdered || !isKnown(op)) {
      writes += mayWrite(op);
      return;
    }
    isChanged = true;
  }

  /// Nested operations were counted.
  static bool mayWrite(Operation &op) {
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
      return effects.hasEffect<MemoryEffects::Write>() ||
             effects.hasEffect<MemoryEffects::Free>();
    return !op.hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  }

  /// Replaces an operation that is computed before; otherwise it is known from
  /// now on.
  bool isKnown(Operation &op) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      return false;
    bool isPure = isMemoryEffectFree(&op);
    if (!isPure && !hasSingleEffect<MemoryEffects::Read>(&op))
      return false;
    HashedOp key{&op, hashOf(&op)};
    Known known = table->lookup(key);
    bool isRead = !isPure && known.op;
    if (isRead &&
        (known.writes != writes || known.op->getBlock() != op.getBlock()))
      known.op = nullptr;
    if (!known.op) {
      table->insert(key, {&op, writes});
      return false;
    }
    if (merge)
      merge(known.op, &op);
    rewriter.replaceOp(&op, known.op->getResults());
    return true;
  }

  RewriterBase &rewriter;
  Merge merge;
  Table *table = nullptr;
  /// True if definitions come before uses here.
  bool isOrdered = true;
  uint64_t writes = 0;
  bool isChanged = false;
};

} // namespace

bool onnxc::mergeCommonSubexpressions(RewriterBase &rewriter, Operation *root,
                                      Eliminator::Merge merge) {
  Eliminator eliminator(rewriter, merge);
  eliminator.visit(root);
  return eliminator.hasChanged();
}
