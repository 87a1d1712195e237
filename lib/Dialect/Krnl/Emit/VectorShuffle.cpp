//===- VectorShuffle.cpp - Lanes that are not adjacent in memory ---------===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Gathers and scatters take as long as reads and writes one by one. Where it is
// known how far the lanes are apart, adjacent elements are loaded and shuffled
// instead.
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace onnxc::krnl {

/// Elements from one lane to the next, if that is the same number everywhere.
std::optional<int64_t> VectorAccess::evenStep(Value memref,
                                              ArrayRef<LaneIndex> at) {
  LaneIndex step;
  for (auto [dim, index] : llvm::enumerate(at)) {
    if (index.vec)
      return std::nullopt;
    if (index.step == 0)
      continue;
    LaneIndex stride = strideOf(memref, dim);
    if (!stride.isConstant())
      return std::nullopt;
    step = math.add(step, math.scale(stride, index.step));
  }
  return step.offset;
}

/// Indices of the element `offset` after that of the first lane.
SmallVector<Value> VectorAccess::firstLane(ArrayRef<LaneIndex> at,
                                           int64_t offset) {
  SmallVector<Value> indices;
  for (auto [dim, index] : llvm::enumerate(at)) {
    int64_t more = dim + 1 == at.size() ? offset : 0;
    indices.push_back(math.scalar({index.base, index.offset + more, 0, {}}));
  }
  return indices;
}

/// The mask of the elements from `first` on, of those that masked lanes `step`
/// apart reach over.
static Value maskOfPiece(ImplicitLocOpBuilder &b, Value mask, int64_t lanes,
                         int64_t step, int64_t first) {
  auto reach = [&](int64_t valid) { return step * (valid - 1) + 1 - first; };
  if (auto made = mask.getDefiningOp<vector::CreateMaskOp>()) {
    Value scaled = arith::MulIOp::create(
        b, made.getOperands().front(), arith::ConstantIndexOp::create(b, step));
    Value rest = arith::AddIOp::create(
        b, scaled, arith::ConstantIndexOp::create(b, reach(0)));
    return vector::CreateMaskOp::create(
        b, VectorType::get({lanes}, b.getI1Type()), rest);
  }
  DenseElementsAttr known;
  bool isKnown = matchPattern(mask, m_Constant(&known));
  assert(isKnown && "masks are made from bounds");
  (void)isKnown;
  int64_t valid = llvm::count(known.getValues<bool>(), true);
  return firstLanesMask(b, lanes, reach(valid));
}

/// The elements before the first lane of its row, where rows of `step`
/// elements follow each other and lanes have one of each.
static std::optional<int64_t> offsetInRow(Value memref, ArrayRef<LaneIndex> at,
                                          int64_t step) {
  const LaneIndex &last = at.back();
  if (!last.isConstant() || last.offset < 0 || last.offset >= step ||
      cast<MemRefType>(memref.getType()).getShape().back() != step)
    return std::nullopt;
  return last.offset;
}

/// `step` vectors of adjacent elements; a shuffle takes the lanes of each. They
/// are all elements of the rows that lanes have one of, as lanes with the
/// others load them, or the last one ends with the last lane, so that nothing
/// after it is touched.
Value VectorAccess::loadStrided(Value memref, ArrayRef<LaneIndex> at,
                                VectorType type, int64_t step, Value mask) {
  int64_t lanes = type.getNumElements();
  std::optional<int64_t> offset = offsetInRow(memref, at, step);
  auto firstOf = [&](int64_t piece) {
    return offset ? piece * lanes - *offset
                  : std::min(piece * lanes, (step - 1) * (lanes - 1));
  };
  Value result;
  for (int64_t piece = 0; piece < step; ++piece) {
    int64_t first = firstOf(piece);
    SmallVector<Value> base = firstLane(at, first);
    Value part;
    if (mask) {
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
      part = vector::MaskedLoadOp::create(
          b, type, memref, base, maskOfPiece(b, mask, lanes, step, first),
          zero);
    } else {
      part = vector::LoadOp::create(b, type, memref, base);
    }
    if (!result) {
      result = part;
      continue;
    }
    SmallVector<int64_t> picks;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t position = lane * step;
      int64_t from =
          std::min((position + offset.value_or(0)) / lanes, step - 1);
      // Those of the first piece are gathered when the second comes.
      picks.push_back(from == piece             ? lanes + position - first
                      : from == 0 && piece == 1 ? position - firstOf(0)
                                                : lane);
    }
    result = vector::ShuffleOp::create(b, result, part, picks);
  }
  return result;
}

std::optional<int64_t> VectorAccess::Piece::laneOf(int64_t element) const {
  int64_t distance = element - first;
  if (distance < 0 || distance % step != 0 || distance / step >= count)
    return std::nullopt;
  return distance / step;
}

/// The mask of the elements of a window from `first` on; null where a vector
/// has no other ones.
Value VectorAccess::maskOfElements(const LaneWindow &window, int64_t first) {
  int64_t between = window.copies - window.step - first;
  if (!window.left) {
    int64_t rest = window.step * window.valid + between;
    return rest < window.lanes ? firstLanesMask(b, window.lanes, rest)
                               : Value();
  }
  LaneIndex rest = math.add(math.scale({window.left, 0, 0, {}}, window.step),
                            {{}, between, 0, {}});
  return vector::CreateMaskOp::create(
      b, VectorType::get({window.lanes}, b.getI1Type()), math.scalar(rest));
}

/// The elements of a window in vectors of adjacent elements. The last one ends
/// with the last element if it is known how many there are.
SmallVector<VectorAccess::Piece>
VectorAccess::loadPieces(Value memref, ArrayRef<LaneIndex> at,
                         const LaneWindow &window) {
  int64_t lanes = window.lanes, size = window.size();
  auto type = VectorType::get(
      {lanes}, cast<MemRefType>(memref.getType()).getElementType());
  SmallVector<Piece> pieces;
  for (int64_t next = 0; next < size; next += lanes) {
    int64_t first =
        window.left ? next : std::max<int64_t>(std::min(next, size - lanes), 0);
    SmallVector<Value> base = firstLane(at, first);
    Value mask = maskOfElements(window, first);
    Value vector =
        mask ? vector::MaskedLoadOp::create(b, type, memref, base, mask,
                                            placeholder(b, type))
                   .getResult()
             : vector::LoadOp::create(b, type, memref, base).getResult();
    pieces.push_back(
        {vector, first, /*step=*/1, std::min(lanes, size - first)});
  }
  return pieces;
}

/// A vector of these elements, which the pieces hold: of the one first that
/// holds most of those that are missing, and came last.
Value VectorAccess::assemble(ArrayRef<Piece> pieces,
                             ArrayRef<int64_t> elements) {
  int64_t lanes = elements.size();
  const auto inOrder = llvm::to_vector(llvm::seq(lanes));
  SmallVector<int64_t> missing = inOrder, picks = inOrder;
  Value result;
  while (!missing.empty()) {
    auto held = [&](const Piece &piece) {
      return llvm::count_if(missing, [&](int64_t lane) {
        return piece.laneOf(elements[lane]).has_value();
      });
    };
    const Piece &next = *llvm::max_element(
        llvm::reverse(pieces),
        [&](const Piece &x, const Piece &y) { return held(x) < held(y); });
    llvm::erase_if(missing, [&](int64_t lane) {
      std::optional<int64_t> from = next.laneOf(elements[lane]);
      if (from)
        picks[lane] = result ? lanes + *from : *from;
      return from.has_value();
    });
    // Lanes of the first piece are taken when the second comes.
    if (result) {
      result = vector::ShuffleOp::create(b, result, next.vector, picks);
      picks = inOrder;
    } else {
      result = next.vector;
    }
  }
  return picks == inOrder ? result
                          : vector::ShuffleOp::create(b, result, result, picks);
}

/// A copy that is as many elements further as lanes are apart holds what an
/// earlier one does, a lane further: vectors of the first copies that follow
/// each other are shifted. So these are as full as the row is long.
SmallVector<Value> VectorAccess::loadInterleaved(Value memref,
                                                 ArrayRef<LaneIndex> at,
                                                 const LaneWindow &window) {
  auto [lanes, instances, copies, step, valid, left] = window;
  int64_t size = window.size(), used = llvm::divideCeil(valid, lanes);
  SmallVector<Piece> pieces = loadPieces(memref, at, window);
  SmallVector<Value> vectors(instances * copies);
  for (int64_t copy = 0; copy < copies; ++copy)
    for (int64_t instance = 0; instance < used; ++instance) {
      int64_t first = step * lanes * instance + copy,
              count = std::min((size - 1 - first) / step + 1, lanes);
      SmallVector<int64_t> elements;
      // Lanes after the last element have that.
      for (int64_t lane = 0; lane < lanes; ++lane)
        elements.push_back(first + step * std::min(lane, count - 1));
      Value vector = assemble(pieces, elements);
      vectors[instance * copies + copy] = vector;
      if (copy < step)
        pieces.push_back({vector, first, step, count});
    }
  return vectors;
}

/// The elements between the lanes are not written.
void VectorAccess::storeStrided(Value memref, ArrayRef<LaneIndex> at,
                                Value value, int64_t step) {
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  auto type = VectorType::get({lanes}, b.getI1Type());
  for (int64_t piece = 0; piece < step; ++piece) {
    SmallVector<int64_t> picks;
    SmallVector<bool> bits;
    for (int64_t i = 0; i < lanes; ++i) {
      int64_t position = piece * lanes + i;
      picks.push_back(position / step);
      bits.push_back(position % step == 0);
    }
    Value spread = vector::ShuffleOp::create(b, value, value, picks);
    vector::MaskedStoreOp::create(
        b, memref, firstLane(at, piece * lanes),
        arith::ConstantOp::create(b, DenseElementsAttr::get(type, bits)),
        spread);
  }
}

/// Element e of all `parts` together is lane e / n of part e mod n.
static Value interleaved(ImplicitLocOpBuilder &b, ArrayRef<Value> parts,
                         int64_t piece) {
  int64_t count = parts.size(),
          lanes = cast<VectorType>(parts[0].getType()).getNumElements();
  Value result = parts[0];
  for (int64_t part = 1; part < count; ++part) {
    SmallVector<int64_t> picks;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t element = piece * lanes + lane, from = element % count;
      picks.push_back(from == part ? lanes + element / count
                      : part == 1  ? element / count
                                   : lane);
    }
    result = vector::ShuffleOp::create(b, result, parts[part], picks);
  }
  return result;
}

void VectorAccess::storeInterleaved(Value memref, ArrayRef<LaneIndex> at,
                                    ArrayRef<Value> parts, Value mask) {
  int64_t lanes = cast<VectorType>(parts.front().getType()).getNumElements(),
          step = parts.size();
  for (int64_t piece = 0; piece < step; ++piece) {
    Value vector = interleaved(b, parts, piece);
    SmallVector<Value> base = firstLane(at, piece * lanes);
    if (mask)
      vector::MaskedStoreOp::create(
          b, memref, base,
          maskOfPiece(b, mask, lanes, step, piece * lanes - (step - 1)),
          vector);
    else
      vector::StoreOp::create(b, vector, memref, base);
  }
}

} // namespace onnxc::krnl
