//===- Padding.cpp - Borders around tensors ---------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Conversion/ONNXToKrnl/Padding.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "onnxc/Conversion/ONNXToKrnl/HostValues.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/Movement.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

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
/// from an offset on. An offset that only the run knows is that of a scatter
/// store, which keeps unit strides.
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
    return krnl::PlaceOp::create(b, loc, value.getType(), value, by);
  }

private:
  KernelBuilder &kernel;
  SmallVector<AffineExpr> at;
  SmallVector<Value> offsets;
};

} // namespace

/// Sizes with what is added before and after.
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
// One value
//===----------------------------------------------------------------------===//

Value padConstant(OpBuilder &b, Location loc, Value x, ValueRange before,
                  ValueRange after, Value value) {
  return padConstant(b, loc, TensorPart::whole(b, loc, x), before, after,
                     value);
}

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
Value padConstant(OpBuilder &b, Location loc, const TensorPart &x,
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

//===----------------------------------------------------------------------===//
// Elements of the operand
//===----------------------------------------------------------------------===//

namespace {

/// Where the elements along a padded dimension come from. The operand repeats
/// itself: as it is (wrap), or there and back (reflect).
class BorderMap {
public:
  /// Host values: the operand has `size` > 0 elements here.
  BorderMap(OpBuilder &b, Location loc, StringRef mode, KernelBuilder &kernel,
            Value size, Value low);

  /// In a payload: the position in the operand of the element `i` of the
  /// result.
  Value ofResult(OpBuilder &b, Location loc, Value i) const {
    return of(b, loc, i, firstPhase);
  }
  /// The same of the element `i` behind the operand's last.
  Value ofBehind(OpBuilder &b, Location loc, Value i) const {
    return of(b, loc, i, behindPhase);
  }

private:
  Value of(OpBuilder &b, Location loc, Value i, Value phase) const;

  StringRef mode;
  /// Inside the kernel. An element i of the result has position (i + phase)
  /// modulo period, which is not negative before the division either; in mode
  /// "edge" it is i + phase, where phase may be negative.
  Value size, period, firstPhase, behindPhase;
};

} // namespace

BorderMap::BorderMap(OpBuilder &b, Location loc, StringRef mode,
                     KernelBuilder &kernel, Value hostSize, Value low)
    : mode(mode) {
  Value one = indexConstant(b, loc, 1), zero = indexConstant(b, loc, 0);
  size = kernel.scalar(hostSize);
  behindPhase = size;
  if (mode == "edge") {
    firstPhase = kernel.scalar(subIndex(b, loc, zero, low));
    return;
  }
  Value last = subIndex(b, loc, hostSize, one);
  Value length = mode == "wrap" ? hostSize : addIndex(b, loc, last, last);
  length = maxIndex(b, loc, length, one);
  Value rest = b.createOrFold<arith::RemUIOp>(loc, low, length);
  period = kernel.scalar(length);
  firstPhase = kernel.scalar(subIndex(b, loc, length, rest));
}

Value BorderMap::of(OpBuilder &b, Location loc, Value i, Value phase) const {
  Value position = addIndex(b, loc, i, phase);
  if (mode == "edge")
    return clampIndex(b, loc, position, size);
  // Known not to be zero, the division moves out of loops that do not change
  // it.
  Value divisor =
      arith::MaxUIOp::create(b, loc, period, indexConstant(b, loc, 1));
  Value there = arith::RemUIOp::create(b, loc, position, divisor);
  if (mode == "wrap")
    return there;
  return minIndex(b, loc, there, subIndex(b, loc, period, there));
}

namespace {

/// Builds the kernel that fills a padded tensor from the operand's elements.
/// The last dimension grows; it holds `inner` elements for each of its
/// positions, those of the dimensions behind it.
class InsidePadding {
public:
  InsidePadding(OpBuilder &b, Location loc, StringRef mode, const TensorPart &x,
                ArrayRef<Value> before, ArrayRef<Value> after, Value inner);

  /// The three parts of the last dimension.
  Value build();

private:
  using Position = llvm::function_ref<Value(OpBuilder &, Location, Value)>;

  void addPart(StringRef name, Value extent, Value offset, Position from);
  Value inBorder(OpBuilder &nb, Location l, Value i, bool isBehind);

  OpBuilder &b;
  Location loc;
  KernelBuilder kernel;
  const TensorPart &x;
  ArrayRef<Value> before, after;
  unsigned last;
  Value inner;
  /// Of the dimensions that grow.
  SmallVector<std::optional<BorderMap>> maps;
  SmallVector<AffineExpr> outer;
  /// Inside the kernel.
  SmallVector<Value> starts;
  Value in, out, innerInside;
};

} // namespace

InsidePadding::InsidePadding(OpBuilder &b, Location loc, StringRef mode,
                             const TensorPart &x, ArrayRef<Value> before,
                             ArrayRef<Value> after, Value inner)
    : b(b), loc(loc), kernel(b, loc, "Pad"), x(x), before(before), after(after),
      last(before.size() - 1), inner(inner) {
  SmallVector<bool> grows = growingDims(before, after);
  SmallVector<Value> sizes =
      paddedSizes(b, loc, x.sizes, before.drop_back(), after.drop_back());
  Value around = addIndex(b, loc, before[last], after[last]);
  sizes.push_back(
      addIndex(b, loc, x.sizes[last], mulIndex(b, loc, around, inner)));
  for (unsigned d = 0; d <= last; ++d) {
    Value size =
        d < last ? x.sizes[d] : floorDivIndex(b, loc, x.sizes[last], inner);
    maps.emplace_back();
    if (grows[d])
      maps.back().emplace(b, loc, mode, kernel, size, before[d]);
    starts.push_back(kernel.scalar(x.starts[d]));
  }
  RankedTensorType type =
      typeOfSizes(sizes, rankedType(x.tensor).getElementType());
  innerInside = kernel.scalar(inner);
  in = kernel.input(x.tensor);
  out = kernel.output(type, sizes);
  for (unsigned d = 0; d < last; ++d)
    outer.push_back(kernel.loop("d" + std::to_string(d), type.getDimSize(d)));
}

/// The part of the last dimension that begins at `offset` and is `extent` long:
/// `from` says which element of a row of the operand its element `i` is.
void InsidePadding::addPart(StringRef name, Value extent, Value offset,
                            Position from) {
  if (isZeroInteger(extent))
    return;
  AffineExpr loop = kernel.loop(name, extent);
  PartStore store(kernel);
  for (AffineExpr whole : outer)
    store.addWhole(whole);
  store.addPart(loop, offset);
  out = kernel.generic(
      {}, store.into(out), {}, [&](OpBuilder &nb, Location l, ValueRange) {
        SmallVector<Value> at;
        for (unsigned d = 0; d < last; ++d) {
          Value i = kernel.index(nb, l, outer[d]);
          at.push_back(maps[d] ? maps[d]->ofResult(nb, l, i) : i);
        }
        at.push_back(from(nb, l, kernel.index(nb, l, loop)));
        for (auto [position, start] : llvm::zip(at, starts))
          position = addIndex(nb, l, position, start);
        Value element = tensor::ExtractOp::create(nb, l, in, at);
        return store.yielded(nb, l, element);
      });
}

/// The element of a row of the operand that the element `i` of a border is.
Value InsidePadding::inBorder(OpBuilder &nb, Location l, Value i,
                              bool isBehind) {
  const BorderMap &map = *maps[last];
  auto mapped = [&](Value position) {
    return isBehind ? map.ofBehind(nb, l, position)
                    : map.ofResult(nb, l, position);
  };
  if (isOneInteger(inner))
    return mapped(i);
  Value position = arith::DivUIOp::create(nb, l, i, innerInside);
  Value rest = arith::RemUIOp::create(nb, l, i, innerInside);
  return addIndex(nb, l, mulIndex(nb, l, mapped(position), innerInside), rest);
}

Value InsidePadding::build() {
  Value low = mulIndex(b, loc, before[last], inner),
        high = mulIndex(b, loc, after[last], inner);
  addPart("middle", x.sizes[last], low,
          [](OpBuilder &, Location, Value i) { return i; });
  addPart("first", low, indexConstant(b, loc, 0),
          [&](OpBuilder &nb, Location l, Value i) {
            return inBorder(nb, l, i, /*isBehind=*/false);
          });
  addPart("last", high, addIndex(b, loc, low, x.sizes[last]),
          [&](OpBuilder &nb, Location l, Value i) {
            return inBorder(nb, l, i, /*isBehind=*/true);
          });
  return kernel.finish({out}).front();
}

/// The part with the dimensions from `last` on as one. Behind it nothing may be
/// cut off.
static TensorPart mergeFrom(OpBuilder &b, Location loc, const TensorPart &x,
                            unsigned last) {
  auto merged = [&](ArrayRef<Value> sizes) {
    SmallVector<Value> result(sizes.take_front(last));
    result.push_back(productOf(b, loc, sizes.drop_front(last)));
    return result;
  };
  SmallVector<Value> shape = merged(sizesOf(b, loc, x.tensor));
  TensorPart part;
  part.tensor = reshapeTo(
      b, loc, x.tensor,
      typeOfSizes(shape, rankedType(x.tensor).getElementType()), shape);
  part.sizes = merged(x.sizes);
  part.starts.assign(x.starts.begin(), x.starts.begin() + last);
  Value inner = productOf(b, loc, ArrayRef(x.sizes).drop_front(last + 1));
  part.starts.push_back(mulIndex(b, loc, x.starts[last], inner));
  return part;
}

Value padFromInside(OpBuilder &b, Location loc, StringRef mode,
                    const TensorPart &x, ArrayRef<Value> before,
                    ArrayRef<Value> after) {
  SmallVector<bool> grows = growingDims(before, after);
  auto found = llvm::find(llvm::reverse(grows), true);
  if (found == grows.rend())
    return sliceOf(b, loc, x);
  unsigned last = std::distance(found, grows.rend()) - 1;
  auto isCut = [&](unsigned d) {
    return !isZeroInteger(x.starts[d]) || !isSameSize(x.sizes[d], x.tensor, d);
  };
  TensorPart part = x;
  if (llvm::any_of(llvm::seq<unsigned>(last + 1, grows.size()), isCut))
    part = TensorPart::whole(b, loc, sliceOf(b, loc, x));
  Value inner = productOf(b, loc, ArrayRef(x.sizes).drop_front(last + 1));
  bool merges = last + 1 < grows.size();
  if (merges)
    part = mergeFrom(b, loc, part, last);
  Value y = InsidePadding(b, loc, mode, part, before.take_front(last + 1),
                          after.take_front(last + 1), inner)
                .build();
  if (!merges)
    return y;
  SmallVector<Value> sizes = paddedSizes(b, loc, x.sizes, before, after);
  return reshapeTo(b, loc, y,
                   typeOfSizes(sizes, rankedType(y).getElementType()), sizes);
}

} // namespace onnxc
