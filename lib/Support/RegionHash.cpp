//===- RegionHash.cpp - Hashes of the contents of regions -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Support/RegionHash.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace {
class RegionHasher {
public:
  explicit RegionHasher(llvm::function_ref<bool(Operation *)> mayDiffer)
      : mayDiffer(mayDiffer) {}

  void add(MutableArrayRef<Region> regions) {
    for (Region &region : regions)
      for (Block &block : region) {
        define(block.getArguments());
        for (Operation &op : block) {
          hash = llvm::hash_combine(hash, hashOf(&op));
          define(op.getResults());
          add(op.getRegions());
        }
      }
  }

  llvm::hash_code hash{};

private:
  void define(ValueRange values) {
    for (Value value : values)
      numbers.try_emplace(value, numbers.size());
  }

  llvm::hash_code hashOf(Operation *op) const {
    auto flags = OperationEquivalence::IgnoreLocations;
    if (mayDiffer && mayDiffer(op))
      flags = flags | OperationEquivalence::IgnoreProperties |
              OperationEquivalence::IgnoreDiscardableAttrs;
    auto hashOperand = [&](Value value) {
      auto number = numbers.find(value);
      return number == numbers.end() ? hash_value(value)
                                     : llvm::hash_value(number->second);
    };
    return OperationEquivalence::computeHash(
        op, hashOperand, OperationEquivalence::ignoreHashValue, flags);
  }

  llvm::function_ref<bool(Operation *)> mayDiffer;
  DenseMap<Value, unsigned> numbers;
};
} // namespace

llvm::hash_code
onnxc::hashRegions(Operation *op,
                   llvm::function_ref<bool(Operation *)> mayDiffer) {
  RegionHasher hasher(mayDiffer);
  hasher.add(op->getRegions());
  return hasher.hash;
}
