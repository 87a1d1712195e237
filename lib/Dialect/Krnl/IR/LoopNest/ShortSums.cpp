//===- ShortSums.cpp - Products of bytes added up in 16 bits ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/LoopNest/ShortSums.h"
#include "onnxc/Dialect/Krnl/IR/ByteProduct.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/PackedOperands.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;

namespace onnxc::krnl {

/// The step that packs the operand whose bytes the op multiplies last in
/// groups.
static const Pack *packOfGroup(const LoopNest &nest, unsigned op,
                               unsigned group) {
  for (const Pack &pack : nest.packs()) {
    bool isRead = llvm::any_of(nest.operand(pack.operand).readers,
                               [&](const LoopNest::Operand::Reader &reader) {
                                 return reader.op == op;
                               });
    if (isRead && packedLoops(nest, pack).back() == group)
      return &pack;
  }
  return nullptr;
}

/// The groups of the op whose sums fit whatever the bytes are.
static int64_t groupsThatFit(const LoopNest &nest, unsigned op) {
  auto compute = dyn_cast_if_present<ComputeOp>(nest.op(op).op);
  std::optional<ByteProduct> product =
      compute ? byteProductOf(compute) : std::nullopt;
  return product ? groupsOfShortSums(*product) : 0;
}

std::optional<ShortSums> shortSumsOf(const LoopNest &nest, unsigned op) {
  const LoopUse *group = nullptr;
  ShortSums sums;
  for (const LoopUse &use : nest.op(op).loops) {
    if (use.shortSums) {
      group = &use;
    } else if (use.reduced && use.unroll > 1) {
      sums.loops.push_back(use.loop);
      sums.copies *= use.unroll;
    }
  }
  if (!group)
    return std::nullopt;
  if (int64_t groups = groupsThatFit(nest, op)) {
    sums.copies = std::min(sums.copies, groups);
    return sums;
  }
  const Pack *pack = packOfGroup(nest, op, group->loop);
  if (!pack || sums.loops.size() > 1 ||
      !llvm::all_of(sums.loops, [&](unsigned loop) {
        return llvm::is_contained(packedLoops(nest, *pack), loop);
      }))
    return std::nullopt;
  sums.operand = pack->operand;
  return sums;
}

PackedLayoutAttr longSumsLayout(const LoopNest &nest, const Pack &pack) {
  SmallVector<unsigned> loops = packedLoops(nest, pack);
  std::optional<ShortSums> chosen;
  for (unsigned op : llvm::seq<unsigned>(nest.ops().size()))
    if (std::optional<ShortSums> sums = shortSumsOf(nest, op);
        sums && sums->operand == pack.operand &&
        (!chosen || sums->copies > chosen->copies))
      chosen = sums;
  if (!chosen)
    return {};
  int64_t entry = chosen->loops.empty()
                      ? 0
                      : llvm::find(loops, chosen->loops[0]) - loops.begin();
  PackedLayoutAttr layout = packedLayout(nest, pack);
  return PackedLayoutAttr::get(nest.getContext(), layout.getDims(),
                               layout.getSizes(), layout.getStrides(),
                               {entry, chosen->copies});
}

/// Returns true if the op multiplies unsigned bytes by those of the operand as
/// they are, which are signed.
static bool multipliesByPlainSigned(const LoopNest &nest, unsigned op,
                                    unsigned operand) {
  auto compute = dyn_cast_if_present<ComputeOp>(nest.op(op).op);
  if (!compute)
    return nest.op(op).multipliesBytes;
  std::optional<ByteProduct> product = byteProductOf(compute);
  if (!product || product->lhs.isSigned == product->rhs.isSigned)
    return false;
  const ByteFactor &factor =
      product->lhs.isSigned ? product->lhs : product->rhs;
  auto argument = dyn_cast<BlockArgument>(factor.operand->get());
  return factor.isPlain() && argument && argument.getArgNumber() == operand;
}

std::string reasonAgainstShortSums(const LoopNest &nest, unsigned op,
                                   unsigned group) {
  if (nest.loop(group).extent != bytesOfDot)
    return "are of no group of " + std::to_string(bytesOfDot) + " bytes";
  if (groupsThatFit(nest, op) > 0)
    return {};
  const Pack *pack = packOfGroup(nest, op, group);
  if (!pack)
    return "are of no packed operand with loop '" + nest.loop(group).name +
           "' last";
  if (!multipliesByPlainSigned(nest, op, pack->operand))
    return "are of no product of unsigned bytes by those of operand " +
           std::to_string(pack->operand) + " as they are, signed";
  SmallVector<unsigned> loops = packedLoops(nest, *pack);
  if (loops.size() < 3)
    return "are of a packed form with fewer than three dimensions";
  for (unsigned loop : loops)
    if (nest.loop(loop).isDynamic())
      return "need a packed form of known sizes, but loop '" +
             nest.loop(loop).name + "' has none";
  return {};
}

namespace {
/// Finds the groups of a packed constant whose sums of pairs may be long.
class LongSums {
public:
  LongSums(PackedLayoutAttr layout, ArrayRef<int64_t> shape,
           ArrayRef<char> bytes)
      : layout(layout), shape(shape), bytes(bytes),
        at(layout.getSizes().size()), outer(layout.getStoredSizes()),
        columns(layout.getSizes()[outer.size()]) {}

  std::vector<char> find(int64_t first, int64_t count) {
    for (at[0] = first; at[0] < first + count; ++at[0])
      walk(1);
    return std::move(table);
  }

private:
  void walk(unsigned level) {
    if (level == outer.size()) {
      table.push_back(char(isLong()));
      return;
    }
    for (at[level] = 0; at[level] < outer[level]; ++at[level])
      walk(level + 1);
  }

  /// Adds the sizes of the bytes of a group to the sums of its two pairs, of
  /// positive and of negative bytes; there are zeros beyond the constant.
  void addGroup(ArrayRef<int64_t> position, int64_t (&sums)[2][2]) const {
    SmallVector<int64_t, 6> indices(shape.size(), 0);
    for (auto [dim, stride, i] :
         llvm::zip_equal(layout.getDims(), layout.getStrides(), position))
      indices[dim] += i * stride;
    unsigned along = layout.getDims().back();
    int64_t from = 0, step = layout.getStrides().back();
    for (auto [dim, index, size] : llvm::enumerate(indices, shape)) {
      if (index >= size)
        return;
      from = from * size + index;
      if (dim > along)
        step *= size;
    }
    for (int64_t i = 0, index = indices[along];
         i < bytesOfDot && index < shape[along];
         ++i, index += layout.getStrides().back()) {
      auto byte = int8_t(bytes[from + i * step]);
      sums[i / bytesOfPair][byte < 0] += std::abs(byte);
    }
  }

  /// Returns true if the products of some column with unsigned bytes do not
  /// fit, of positive or of negative bytes alone.
  bool isLong() {
    constexpr int64_t fits = std::numeric_limits<int16_t>::max() /
                             std::numeric_limits<uint8_t>::max();
    unsigned entry = layout.getLongSums()[0];
    int64_t begin = at[entry], columnEntry = outer.size();
    int64_t end = std::min(begin + layout.getLongSums()[1], outer[entry]);
    SmallVector<int64_t, 6> position(at);
    for (int64_t column = 0; column < columns; ++column) {
      position[columnEntry] = column;
      int64_t sums[2][2] = {};
      for (position[entry] = begin; position[entry] < end; ++position[entry])
        addGroup(position, sums);
      for (auto &ofPair : sums)
        if (ofPair[0] > fits || ofPair[1] > fits)
          return true;
    }
    return false;
  }

  PackedLayoutAttr layout;
  ArrayRef<int64_t> shape;
  ArrayRef<char> bytes;
  /// The position of the entries, of which the last two stay zero.
  SmallVector<int64_t, 6> at;
  ArrayRef<int64_t> outer;
  int64_t columns;
  std::vector<char> table;
};
} // namespace

std::vector<char> longSumsOf(PackedLayoutAttr layout, ArrayRef<int64_t> shape,
                             ArrayRef<char> bytes, int64_t first,
                             int64_t count) {
  return LongSums(layout, shape, bytes).find(first, count);
}

} // namespace onnxc::krnl
