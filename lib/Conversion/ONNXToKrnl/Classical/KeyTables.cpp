//===- KeyTables.cpp - Numbers that operands are looked up in ---*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/KeyTables.h"
#include "Builders/HostValues.h"
#include "Movement/Movement.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/TensorAttr.h"

#include "calls/KeyHash.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/xxhash.h"

#include <random>

using namespace mlir;

namespace onnxc {

//===----------------------------------------------------------------------===//
// Making tables
//===----------------------------------------------------------------------===//

/// There are a quarter as many buckets as slots: about two keys in each.
static constexpr int64_t bitsOfBucket = 2;
/// A table grows until its multipliers are found; in practice at once.
static constexpr int64_t largestTableBits = 32;

bool KeyTable::placeDirectly(ArrayRef<uint64_t> keys) {
  constexpr uint64_t always = 256, slotsOfKey = 4;
  auto isLess = [](uint64_t x, uint64_t y) { return int64_t(x) < int64_t(y); };
  auto [low, high] = std::minmax_element(keys.begin(), keys.end(), isLess);
  if (*high - *low >= std::max<uint64_t>(always, slotsOfKey * keys.size()))
    return false;
  minKey = *low;
  slots = int64_t(*high - *low) + 1;
  for (uint64_t key : keys)
    positions.push_back(int64_t(key - minKey));
  return true;
}

/// The random numbers for a table. Equal keys always make equal tables; no two
/// tables draw alike, so that keys that are chosen to collide in one do not in
/// another.
static std::mt19937_64 numbersFor(ArrayRef<uint64_t> keys, int64_t slotBits) {
  auto *bytes = reinterpret_cast<const uint8_t *>(keys.data());
  ArrayRef<uint8_t> all(bytes, keys.size() * sizeof(uint64_t));
  return std::mt19937_64(llvm::xxh3_64bits(all) + uint64_t(slotBits));
}

namespace {

/// Slots, and which of them are taken.
class Slots {
public:
  explicit Slots(int64_t bits)
      : bits(bits), isTaken(size_t(1) << bits, false) {}

  /// Takes the slots of these keys, different ones, and writes them down; or
  /// none.
  bool take(ArrayRef<uint64_t> keys, ArrayRef<size_t> bucket,
            uint64_t multiplier, MutableArrayRef<int64_t> positions) {
    for (auto [n, i] : llvm::enumerate(bucket)) {
      uint64_t at = rt::hashKey(keys[i], multiplier, bits);
      if (isTaken[at]) {
        for (size_t taken : bucket.take_front(n))
          isTaken[positions[taken]] = false;
        return false;
      }
      isTaken[at] = true;
      positions[i] = int64_t(at);
    }
    return true;
  }

private:
  int64_t bits;
  std::vector<bool> isTaken;
};

} // namespace

bool KeyTable::placeByHash(ArrayRef<uint64_t> keys, int64_t slotBits) {
  constexpr unsigned maxTrials = 1u << 16;
  std::mt19937_64 random = numbersFor(keys, slotBits);
  first = random() | 1;
  int64_t bucketBits = std::max<int64_t>(slotBits - bitsOfBucket, 1);
  SmallVector<SmallVector<size_t, 4>> buckets(size_t(1) << bucketBits);
  for (auto [i, key] : llvm::enumerate(keys))
    buckets[rt::hashKey(key, first, bucketBits)].push_back(i);
  // The fullest ones choose first.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, buckets.size()));
  llvm::sort(order, [&](size_t x, size_t y) {
    size_t inX = buckets[x].size(), inY = buckets[y].size();
    return inX > inY || (inX == inY && x < y);
  });
  Slots taken(slotBits);
  positions.assign(keys.size(), 0);
  multipliers.assign(buckets.size(), 1);
  for (size_t bucket : order) {
    unsigned trials = 0;
    do {
      if (++trials > maxTrials)
        return false;
      multipliers[bucket] = random() | 1;
    } while (
        !taken.take(keys, buckets[bucket], multipliers[bucket], positions));
  }
  slots = int64_t(1) << slotBits;
  // A key that is looked up in an empty slot is not the one that is stored
  // there, whose slot is another.
  hashed.assign(slots, keys.front());
  for (auto [i, at] : llvm::enumerate(positions))
    hashed[at] = keys[i];
  return true;
}

std::optional<KeyTable> KeyTable::makeHashed(ArrayRef<uint64_t> keys) {
  if (keys.empty())
    return std::nullopt;
  int64_t minBits = llvm::Log2_64_Ceil(keys.size() + keys.size() / 4 + 1);
  for (int64_t bits = minBits; bits < std::min(minBits + 4, largestTableBits);
       ++bits) {
    KeyTable table;
    if (table.placeByHash(keys, bits))
      return table;
  }
  return std::nullopt;
}

std::optional<KeyTable> KeyTable::make(ArrayRef<uint64_t> keys) {
  KeyTable table;
  if (keys.empty() || table.placeDirectly(keys))
    return table;
  return makeHashed(keys);
}

//===----------------------------------------------------------------------===//
// Searching
//===----------------------------------------------------------------------===//

Value wordsConstant(OpBuilder &b, Location loc, ArrayRef<int64_t> words) {
  std::vector<char> bytes(words.size() * sizeof(int64_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  auto type = RankedTensorType::get(int64_t(words.size()), b.getI64Type());
  return krnl::ConstantOp::create(b, loc,
                                  onnx::makeTensorAttr(type, std::move(bytes)),
                                  krnl::PackedLayoutAttr());
}

SmallVector<Value> KeyTable::constants(OpBuilder &b, Location loc) const {
  if (isDirect())
    return {};
  return {wordsConstant(b, loc, llvm::to_vector_of<int64_t>(multipliers)),
          wordsConstant(b, loc, llvm::to_vector_of<int64_t>(hashed))};
}

Value KeyTable::find(OpBuilder &b, Location loc, Value key,
                     ArrayRef<Value> tables) const {
  auto word = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getI64IntegerAttr(int64_t(value)));
  };
  Value none = indexConstant(b, loc, slots);
  if (isDirect()) {
    Value offset = arith::SubIOp::create(b, loc, key, word(minKey));
    Value isNear = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                         offset, word(uint64_t(slots)));
    return arith::SelectOp::create(b, loc, isNear, toIndex(b, loc, offset),
                                   none);
  }
  auto hash = [&](Value multiplier, size_t size) {
    uint64_t shift = 64 - llvm::Log2_64(size);
    Value product = arith::MulIOp::create(b, loc, key, multiplier);
    return toIndex(b, loc,
                   arith::ShRUIOp::create(b, loc, product, word(shift)));
  };
  Value bucket = hash(word(first), multipliers.size());
  Value slot =
      hash(tensor::ExtractOp::create(b, loc, tables[0], bucket), hashed.size());
  Value found =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, key,
                            tensor::ExtractOp::create(b, loc, tables[1], slot));
  return arith::SelectOp::create(b, loc, found, slot, none);
}

Value keyWords(OpBuilder &b, Location loc, ArrayRef<uint64_t> keys,
               ArrayRef<int64_t> numbers) {
  // A table without keys has one that is no number of anything.
  constexpr uint64_t noKey[] = {0};
  constexpr int64_t noNumber[] = {-1};
  if (keys.empty())
    return keyWords(b, loc, noKey, noNumber);
  std::optional<KeyTable> table = KeyTable::makeHashed(keys);
  if (!table)
    return {};
  ArrayRef<uint64_t> multipliers = table->multipliersByBucket();
  SmallVector<int64_t> words{int64_t(table->firstMultiplier()),
                             llvm::Log2_64(multipliers.size()),
                             llvm::Log2_64(uint64_t(table->numSlots()))};
  llvm::append_range(words, multipliers);
  llvm::append_range(words, table->keysBySlot());
  // The last entry is that of values that are no keys.
  llvm::append_range(
      words, ArrayRef(table->arrange(numbers, numbers.front())).drop_back());
  return wordsConstant(b, loc, words);
}

FailureOr<Value> keyPositions(OpBuilder &b, Location loc, Value x,
                              ArrayRef<uint64_t> keys) {
  std::optional<KeyTable> table = KeyTable::make(keys);
  if (!table)
    return failure();
  auto positions = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(keys.size())));
  SmallVector<Value> inputs{
      x, wordsConstant(
             b, loc, table->arrange<int64_t>(positions, int64_t(keys.size())))};
  llvm::append_range(inputs, table->constants(b, loc));
  return generate(
      b, loc, "positions", b.getI64Type(), sizesOf(b, loc, x), inputs,
      [&](OpBuilder &nb, Location l, ArrayRef<Value> at, ArrayRef<Value> in) {
        Value key = tensor::ExtractOp::create(nb, l, in[0], at);
        if (!key.getType().isInteger(64))
          key = arith::ExtSIOp::create(nb, l, nb.getI64Type(), key);
        Value slot = table->find(nb, l, key, in.drop_front(2));
        return tensor::ExtractOp::create(nb, l, in[1], slot).getResult();
      });
}

} // namespace onnxc
