//===- KeyTables.h - Numbers that operands are looked up in -----*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Labels, categories and tokens are known when a model is compiled. Integers
// close together are an index themselves, less the smallest. All others
// stand in a hash table without collisions: one multiplication chooses, by the
// upper bits, a multiplier, and that one the slot. Either way a search is a few
// instructions without branches, which a kernel's payload can be.
//
//   KeyTable::make({7, 5, 9})      slots: 5 - 7 9, one more for all others
//   arrange({a, b, c}, z)          b z a c z
//===----------------------------------------------------------------------===//

#ifndef ONNXC_CONVERSION_ONNXTOKRNL_KEYTABLES_H
#define ONNXC_CONVERSION_ONNXTOKRNL_KEYTABLES_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace onnxc {

class KeyTable {
public:
  /// Makes a table of distinct keys: integers extended to 64 bits, or bits of
  /// floats. Returns nothing if no hash table is found, which is very unlikely.
  static std::optional<KeyTable> make(llvm::ArrayRef<uint64_t> keys);
  /// Makes a table as make() does, which is always a hash table.
  static std::optional<KeyTable> makeHashed(llvm::ArrayRef<uint64_t> keys);

  /// Slots of keys; slot numSlots() is that of numbers that are no keys.
  int64_t numSlots() const { return slots; }
  /// The slot of the `i`-th key.
  int64_t slotOf(size_t i) const { return positions[i]; }
  /// Returns true if a key is its own slot, up to a constant.
  bool isDirect() const { return hashed.empty(); }
  /// For each slot, the last one included, the value of its key, or
  /// `otherwise`.
  template <typename T>
  llvm::SmallVector<T> arrange(llvm::ArrayRef<T> values, T otherwise) const {
    llvm::SmallVector<T> bySlot(slots + 1, otherwise);
    for (size_t i = 0; i < positions.size(); ++i)
      bySlot[positions[i]] = values[i];
    return bySlot;
  }

  /// A hash table (runtime/lib/calls/KeyHash.h): the multiplier of keys that
  /// gives their bucket; for each bucket the multiplier that gives the slot;
  /// for each slot its key, in an empty slot a key of another one.
  uint64_t firstMultiplier() const { return first; }
  llvm::ArrayRef<uint64_t> multipliersByBucket() const { return multipliers; }
  llvm::ArrayRef<uint64_t> keysBySlot() const { return hashed; }

  /// The tensors that a kernel reads: none if it is direct, else two.
  llvm::SmallVector<mlir::Value> constants(mlir::OpBuilder &b,
                                           mlir::Location loc) const;
  /// The slot of `key`, an i64, as an index, inside a kernel. `tables` are the
  /// images of constants().
  mlir::Value find(mlir::OpBuilder &b, mlir::Location loc, mlir::Value key,
                   llvm::ArrayRef<mlir::Value> tables) const;

private:
  bool placeDirectly(llvm::ArrayRef<uint64_t> keys);
  bool placeByHash(llvm::ArrayRef<uint64_t> keys, int64_t slotBits);

  llvm::SmallVector<int64_t> positions;
  llvm::SmallVector<uint64_t> hashed, multipliers;
  uint64_t minKey = 0, first = 1;
  int64_t slots = 0;
};

/// A constant of words, i64.
mlir::Value wordsConstant(mlir::OpBuilder &b, mlir::Location loc,
                          llvm::ArrayRef<int64_t> words);

/// A hash table as calls read it (runtime/lib/calls/KeyTable.h), with a number
/// for each key, at least 0. Null where none is found.
mlir::Value keyWords(mlir::OpBuilder &b, mlir::Location loc,
                     llvm::ArrayRef<uint64_t> keys,
                     llvm::ArrayRef<int64_t> numbers);

/// For each element of `x`, signed integers, the position of the key that
/// equals it, as i64; their number where none does.
mlir::FailureOr<mlir::Value> keyPositions(mlir::OpBuilder &b,
                                          mlir::Location loc, mlir::Value x,
                                          llvm::ArrayRef<uint64_t> keys);

} // namespace onnxc

#endif // ONNXC_CONVERSION_ONNXTOKRNL_KEYTABLES_H
