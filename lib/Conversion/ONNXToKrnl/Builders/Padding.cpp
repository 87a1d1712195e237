//===- Padding.cpp - Borders around tensors ---------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "Builders/Padding.h"

#include "Builders/HostValues.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {

TensorPart TensorPart::whole(OpBuilder &b, Location loc, Value tensor) {
  SmallVector<Value> sizes = sizesOf(b, loc, tensor);
  SmallVector<Value> starts(sizes.size(), indexConstant(b, loc, 0));
  return {tensor, starts, sizes};
}

bool TensorPart::isWhole() const {
  return llvm::all_of(llvm::seq<unsigned>(sizes.size()), [&](unsigned d) {
    return isConstantIntValue(starts[d], 0) && isSameSize(sizes[d], tensor, d);
  });
}

namespace {

/// Where a part of a padded tensor is written: in each dimension along a loop,
/// from an offset on. A dynamic offset is that of a scatter store, which keeps
/// unit strides.
class PartStore {
public:
  explicit PartStore(KernelBuilder &kernel) : kernel(kernel) {}

  /// The next dimension, which the loop runs along as a whole.
  void addWhole(AffineExpr loop) {
    at.push_back(loop);
    offsets.push_back({});
  }
  /// The next dimension, from `offset` (a host index value) on.
  void addPart(AffineExpr loop, Value offset) {
    auto known = getConstantIntValue(offset);
    at.push_back(known && *known ? loop + *known : kernel.partOf(loop));
    offsets.push_back(known ? Value() : kernel.scalar(offset));
  }

  KernelBuilder::Access into(Value out) const { return {out, at}; }

  /// The value that a payload yields for this part.
  Value yielded(OpBuilder &b, Location loc, Value value) const {
    if (llvm::none_of(offsets, [](Value offset) { return bool(offset); }))
      return value;
    SmallVector<Value> by = llvm::map_to_vector(offsets, [&](Value offset) {
      return offset ? offset : indexConstant(b, loc, 0);
    });
    return krnl::ScatterStoreOp::create(b, loc, value.getType(), value, by);
  }

private:
  KernelBuilder &kernel;
  SmallVector<AffineExpr> at;
  SmallVector<Value> offsets;
};

} // namespace

/// Sizes with the padding before and after.
static SmallVector<Value> paddedSizes(OpBuilder &b, Location loc,
                                      ArrayRef<Value> sizes, ValueRange before,
                                      ValueRange after) {
  SmallVector<Value> padded;
  for (auto [size, low, high] : llvm::zip(sizes, before, after))
    padded.push_back(addIndex(b, loc, addIndex(b, loc, low, high), size));
  return padded;
}

static SmallVector<bool> growingDims(ValueRange before, ValueRange after) {
  SmallVector<bool> grows;
  for (auto [low, high] : llvm::zip(before, after))
    grows.push_back(!isZeroInteger(low) || !isZeroInteger(high));
  return grows;
}

static Value sliceOf(OpBuilder &b, Location loc, const TensorPart &x) {
  SmallVector<Value> steps(x.sizes.size(), indexConstant(b, loc, 1));
  return sliceOf(b, loc, "Pad", x.tensor, x.starts, steps, x.sizes);
}

//===----------------------------------------------------------------------===//
// Dimensions after the last that grows
//===----------------------------------------------------------------------===//

namespace {

/// A part of a tensor and its borders, where the last dimension takes in those
/// after it that have none: rows of a few channels are copied as one. It has
/// `inner` elements for each of its `positions`, in which borders count. Where
/// it is known at run time only that a dimension has no borders, the others
/// move to its position and the first becomes 1.
class MergedPadding {
public:
  MergedPadding(OpBuilder &b, Location loc, const TensorPart &x,
                ArrayRef<Value> before, ArrayRef<Value> after);

  /// `y` with the sizes of the padded tensor.
  Value split(Value y) const;

  TensorPart part;
  SmallVector<Value> before, after;
  Value positions, inner;

private:
  Value isLastWhole();
  void merge(Value condition);

  OpBuilder &b;
  Location loc;
  /// The sizes of the tensor, and of the result.
  SmallVector<Value> dims, padded;
  bool isMerged = false;
};

} // namespace

MergedPadding::MergedPadding(OpBuilder &b, Location loc, const TensorPart &x,
                             ArrayRef<Value> before, ArrayRef<Value> after)
    : part(x), before(before), after(after), positions(x.sizes.back()),
      inner(indexConstant(b, loc, 1)), b(b), loc(loc),
      dims(sizesOf(b, loc, x.tensor)),
      padded(paddedSizes(b, loc, x.sizes, before, after)) {
  for (auto [d, size] : llvm::enumerate(x.sizes))
    if (isSameSize(size, x.tensor, d))
      dims[d] = size;
  // More that turn out to have no borders are rare.
  int unknownLeft = 2;
  while (dims.size() > 1 && unknownLeft > 0) {
    Value condition = isLastWhole();
    if (matchPattern(condition, m_Zero()))
      break;
    unknownLeft -= !matchPattern(condition, m_One());
    merge(condition);
  }
  if (isMerged)
    part.tensor = reshapeTo(
        b, loc, x.tensor,
        typeOfSizes(dims, rankedType(x.tensor).getElementType()), dims);
}

/// Emits an i1 that is true if the last dimension is whole, with no elements
/// added.
Value MergedPadding::isLastWhole() {
  auto isEqual = [&](Value x, Value y) {
    return compareIndex(b, loc, arith::CmpIPredicate::eq, x, y);
  };
  Value zero = indexConstant(b, loc, 0);
  Value all = isEqual(part.sizes.back(), dims.back());
  for (Value value : {part.starts.back(), before.back(), after.back()})
    all = b.createOrFold<arith::AndIOp>(loc, all, isEqual(value, zero));
  return all;
}

/// Merges the last two dimensions, if `condition` holds.
void MergedPadding::merge(Value condition) {
  bool isKnown = matchPattern(condition, m_One()), isWhole = part.sizes == dims;
  Value last = dims.back(), one = indexConstant(b, loc, 1),
        zero = indexConstant(b, loc, 0);
  auto choose = [&](Value merged, Value old) {
    return isKnown || merged == old
               ? merged
               : selectValue(b, loc, condition, merged, old);
  };
  auto shift = [&](SmallVector<Value> &values, Value front, Value factor) {
    SmallVector<Value> merged(values);
    merged.pop_back();
    merged.back() = mulIndex(b, loc, merged.back(), factor);
    if (!isKnown)
      merged.insert(merged.begin(), front);
    for (auto [value, old] : llvm::zip(merged, values))
      value = choose(value, old);
    values = merged;
  };
  positions = choose(part.sizes[dims.size() - 2], positions);
  inner = choose(last, inner);
  shift(dims, one, last);
  if (isWhole)
    part.sizes = dims;
  else
    shift(part.sizes, one, last);
  shift(part.starts, zero, last);
  shift(before, zero, one);
  shift(after, zero, one);
  isMerged = true;
}

Value MergedPadding::split(Value y) const {
  return isMerged
             ? reshapeTo(b, loc, y,
                         typeOfSizes(padded, rankedType(y).getElementType()),
                         padded)
             : y;
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

/// Copies the elements of `x` at the loops `from` into the part of `filled`.
static Value copyMiddle(KernelBuilder &kernel, const TensorPart &x,
                        ArrayRef<AffineExpr> from, const PartStore &to,
                        Value filled) {
  Value in = kernel.input(x.tensor);
  if (x.isWhole())
    return kernel.generic({{in, llvm::to_vector(from)}}, to.into(filled), {},
                          [&](OpBuilder &b, Location l, ValueRange args) {
                            return to.yielded(b, l, args[0]);
                          });
  SmallVector<Value> starts = llvm::map_to_vector(
      x.starts, [&](Value start) { return kernel.scalar(start); });
  return kernel.generic(
      {}, to.into(filled), {}, [&](OpBuilder &b, Location l, ValueRange) {
        SmallVector<Value> at;
        for (auto [loop, start] : llvm::zip(from, starts))
          at.push_back(addIndex(b, l, kernel.index(b, l, loop), start));
        Value element = tensor::ExtractOp::create(b, l, in, at);
        return to.yielded(b, l, element);
      });
}

/// Fills everything, then copies the middle; both contiguous.
static Value fillAround(OpBuilder &b, Location loc, const TensorPart &x,
                        ValueRange before, ValueRange after, Value value) {
  SmallVector<bool> grows = growingDims(before, after);
  if (!llvm::is_contained(grows, true))
    return sliceOf(b, loc, x);
  SmallVector<Value> sizes = paddedSizes(b, loc, x.sizes, before, after);
  RankedTensorType type =
      typeOfSizes(sizes, rankedType(x.tensor).getElementType());
  KernelBuilder kernel(b, loc, "pad");
  Value scalar = kernel.input(value);
  Value out = kernel.output(type, sizes);
  SmallVector<AffineExpr> outer, inner;
  PartStore middle(kernel);
  for (auto [d, size] : llvm::enumerate(x.sizes)) {
    // A dimension without a border is one loop for both ops.
    std::string number = std::to_string(d);
    outer.push_back(kernel.loop("p" + number, type.getDimSize(d)));
    if (!grows[d]) {
      inner.push_back(outer.back());
      middle.addWhole(outer.back());
      continue;
    }
    inner.push_back(
        x.isWhole()
            ? kernel.loop("d" + number, rankedType(x.tensor).getDimSize(d))
            : kernel.loop("d" + number, size));
    middle.addPart(inner.back(), before[d]);
  }
  Value filled = kernel.fill(scalar, {out, outer});
  if (llvm::any_of(x.sizes, isZeroInteger))
    return kernel.finish({filled}).front();
  return kernel.finish({copyMiddle(kernel, x, inner, middle, filled)}).front();
}

/// Borders of which none is negative: what is written begins inside of the
/// tensor and ends there.
static SmallVector<Value> notNegative(OpBuilder &b, Location loc,
                                      ValueRange borders) {
  return llvm::map_to_vector(borders, [&](Value border) {
    return maxIndex(b, loc, border, indexConstant(b, loc, 0));
  });
}

Value padConstant(OpBuilder &b, Location loc, Value x, ValueRange before,
                  ValueRange after, Value value) {
  SmallVector<Value> low = notNegative(b, loc, before),
                     high = notNegative(b, loc, after);
  return llvm::is_contained(growingDims(low, high), true)
             ? fillAround(b, loc, TensorPart::whole(b, loc, x), low, high,
                          value)
             : x;
}

Value padConstant(OpBuilder &b, Location loc, const TensorPart &x,
                  ArrayRef<Value> before, ArrayRef<Value> after, Value value) {
  if (!llvm::is_contained(growingDims(before, after), true))
    return sliceOf(b, loc, x);
  MergedPadding merged(b, loc, x, before, after);
  SmallVector<Value> low(merged.before), high(merged.after);
  for (SmallVector<Value> *border : {&low, &high})
    border->back() = mulIndex(b, loc, border->back(), merged.inner);
  return merged.split(fillAround(b, loc, merged.part, low, high, value));
}

//===----------------------------------------------------------------------===//
// Elements of the operand
//===----------------------------------------------------------------------===//

namespace {

/// Where elements along a dimension come from, of which the operand has
/// `size` > 0 positions and repeats itself: as it is (wrap), there and back
/// (reflect), or its ends (edge).
class BorderMap {
public:
  BorderMap(OpBuilder &b, Location loc, StringRef mode, Value size)
      : b(b), loc(loc), mode(mode), size(size) {}

  /// A tensor of i64: the sources of `extent` elements, the first of which are
  /// `inner` ones at the position `first`, that may be negative or too large.
  Value table(Value first, Value extent, Value inner) const;

private:
  Value constantTable(int64_t first, int64_t extent, int64_t inner) const;

  OpBuilder &b;
  Location loc;
  StringRef mode;
  Value size;
};

} // namespace

Value BorderMap::constantTable(int64_t first, int64_t extent,
                               int64_t inner) const {
  int64_t count = *getConstantIntValue(size),
          period =
              std::max<int64_t>(mode == "reflect" ? 2 * (count - 1) : count, 1);
  SmallVector<int64_t> values;
  for (int64_t i = 0; i < extent; ++i) {
    int64_t at = first + i / inner;
    if (mode == "edge")
      at = std::clamp<int64_t>(at, 0, count - 1);
    else
      at = (at % period + period) % period;
    if (mode == "reflect")
      at = std::min(at, period - at);
    values.push_back(at * inner + i % inner);
  }
  auto type = RankedTensorType::get(extent, b.getI64Type());
  return krnl::ConstantOp::create(b, loc,
                                  DenseIntElementsAttr::get(type, values),
                                  krnl::PackedLayoutAttr());
}

Value BorderMap::table(Value first, Value extent, Value inner) const {
  constexpr int64_t maxKnown = 4096;
  auto known = [](Value value) { return getConstantIntValue(value); };
  if (known(size) && known(first) && known(inner) && known(extent) &&
      *known(extent) <= maxKnown && *known(size) > 0)
    return constantTable(*known(first), *known(extent), *known(inner));
  Value one = indexConstant(b, loc, 1), last = subIndex(b, loc, size, one);
  Value period = maxIndex(
      b, loc, mode == "reflect" ? addIndex(b, loc, last, last) : size, one);
  Value phase = first;
  if (mode != "edge")
    phase = addIndex(b, loc, b.createOrFold<arith::RemSIOp>(loc, first, period),
                     period);
  return generate(
      b, loc, "PadMap", b.getI64Type(), extent, {size, period, phase, inner},
      [&](OpBuilder &nb, Location l, ArrayRef<Value> index,
          ArrayRef<Value> images) -> Value {
        Value unit = indexConstant(nb, l, 1), period = images[1];
        Value each = arith::MaxUIOp::create(nb, l, images[3], unit);
        Value at = arith::DivUIOp::create(nb, l, index[0], each);
        Value rest = arith::RemUIOp::create(nb, l, index[0], each);
        at = addIndex(nb, l, at, images[2]);
        if (mode == "edge")
          at = clampIndex(nb, l, at, images[0]);
        else
          at = arith::RemUIOp::create(
              nb, l, at, arith::MaxUIOp::create(nb, l, period, unit));
        if (mode == "reflect")
          at = minIndex(nb, l, at, subIndex(nb, l, period, at));
        at = addIndex(nb, l, mulIndex(nb, l, at, each), rest);
        return arith::IndexCastOp::create(nb, l, nb.getI64Type(), at);
      });
}

namespace {

/// Builds the kernel that fills a padded tensor from the operand's elements:
/// along the last dimension a copy of the middle and two borders. Tables have
/// the sources of rows and elements of borders.
class InsidePadding {
public:
  InsidePadding(OpBuilder &b, Location loc, StringRef mode,
                const MergedPadding &padding);

  /// The three parts of the last dimension.
  Value build();

private:
  void addPart(StringRef name, Value extent, Value offset, Value table);

  OpBuilder &b;
  Location loc;
  const MergedPadding &padding;
  const TensorPart &x;
  unsigned last;
  BorderMap lastMap;
  /// The tables of the outer dimensions that grow, null for others.
  SmallVector<Value> tables;
  KernelBuilder kernel;
  SmallVector<AffineExpr> outer;
  /// Host values: the padding of the last dimension.
  Value low, high;
  /// Inside the kernel.
  SmallVector<Value> starts;
  Value in, out;
};

} // namespace

InsidePadding::InsidePadding(OpBuilder &b, Location loc, StringRef mode,
                             const MergedPadding &padding)
    : b(b), loc(loc), padding(padding), x(padding.part),
      last(x.sizes.size() - 1), lastMap(b, loc, mode, padding.positions),
      kernel(b, loc, "Pad"),
      low(mulIndex(b, loc, padding.before[last], padding.inner)),
      high(mulIndex(b, loc, padding.after[last], padding.inner)) {
  Value zero = indexConstant(b, loc, 0);
  SmallVector<bool> grows = growingDims(padding.before, padding.after);
  SmallVector<Value> before(padding.before), after(padding.after);
  before[last] = low;
  after[last] = high;
  SmallVector<Value> sizes = paddedSizes(b, loc, x.sizes, before, after);
  for (unsigned d = 0; d < last; ++d)
    tables.push_back(grows[d] ? BorderMap(b, loc, mode, x.sizes[d])
                                    .table(subIndex(b, loc, zero, before[d]),
                                           sizes[d], indexConstant(b, loc, 1))
                              : Value());
  RankedTensorType type =
      typeOfSizes(sizes, rankedType(x.tensor).getElementType());
  for (Value start : x.starts)
    starts.push_back(kernel.scalar(start));
  in = kernel.input(x.tensor);
  out = kernel.output(type, sizes);
  for (unsigned d = 0; d < last; ++d)
    outer.push_back(kernel.loop("d" + std::to_string(d), type.getDimSize(d)));
}

/// The part of the last dimension that begins at `offset` and is `extent` long:
/// `table` has the element of a row of the operand for each; without one it is
/// that of the same number.
void InsidePadding::addPart(StringRef name, Value extent, Value offset,
                            Value table) {
  AffineExpr loop = kernel.loop(name, extent);
  PartStore store(kernel);
  SmallVector<KernelBuilder::Access> ins;
  for (auto [whole, rows] : llvm::zip(outer, tables)) {
    store.addWhole(whole);
    if (rows)
      ins.push_back({kernel.input(rows), {whole}});
  }
  store.addPart(loop, offset);
  if (table)
    ins.push_back({kernel.input(table), {loop}});
  out = kernel.generic(
      ins, store.into(out), {}, [&](OpBuilder &nb, Location l, ValueRange v) {
        SmallVector<Value> at;
        auto next = v.begin();
        for (auto [whole, rows] : llvm::zip(outer, tables))
          at.push_back(rows ? toIndex(nb, l, *next++)
                            : kernel.index(nb, l, whole));
        at.push_back(table ? toIndex(nb, l, *next) : kernel.index(nb, l, loop));
        for (auto [position, start] : llvm::zip(at, starts))
          position = addIndex(nb, l, position, start);
        Value element = tensor::ExtractOp::create(nb, l, in, at);
        return store.yielded(nb, l, element);
      });
}

Value InsidePadding::build() {
  addPart("middle", x.sizes[last], low, {});
  Value zero = indexConstant(b, loc, 0);
  if (!isZeroInteger(low))
    addPart("first", low, zero,
            lastMap.table(subIndex(b, loc, zero, padding.before[last]), low,
                          padding.inner));
  if (!isZeroInteger(high))
    addPart("last", high, addIndex(b, loc, low, x.sizes[last]),
            lastMap.table(padding.positions, high, padding.inner));
  return kernel.finish({out}).front();
}

Value padFromInside(OpBuilder &b, Location loc, StringRef mode,
                    const TensorPart &x, ArrayRef<Value> before,
                    ArrayRef<Value> after) {
  if (!llvm::is_contained(growingDims(before, after), true))
    return sliceOf(b, loc, x);
  MergedPadding padding(b, loc, x, before, after);
  return padding.split(InsidePadding(b, loc, mode, padding).build());
}

} // namespace onnxc
