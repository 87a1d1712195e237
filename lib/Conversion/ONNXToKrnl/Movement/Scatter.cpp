//===- Scatter.cpp - Elements written at computed indices -------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// ScatterElements, ScatterND, MaxUnpool: a copy of the data, into which the
// updates are written one after the other, so that of equal positions the last
// one stays and sums have one order. Loops along which positions cannot meet
// stay free to run in lanes and on several workers; so do the updates of
// constant indices that have no position twice. Indices are brought into range.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Builders/ScalarBuilder.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Conversion/ONNXToKrnl/KernelBuilder.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/Constants.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXTypes.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using onnxc::krnl::KernelBuilder;

namespace onnxc {
namespace {

/// The combination of an element with an update, for reductions other than
/// "none". Bools are 0 and 1: their sum is "or".
Value combine(ScalarBuilder &s, StringRef reduction, Value old, Value update) {
  if (reduction == "max" || (reduction == "add" && s.isBool()))
    return s.max(old, update);
  if (reduction == "min" || (reduction == "mul" && s.isBool()))
    return s.min(old, update);
  return reduction == "add" ? s.add(old, update) : s.mul(old, update);
}

/// Texts have no sum, and complex numbers no order.
bool canCombine(Value data, StringRef reduction) {
  Type element = getElementTypeOrSelf(data.getType());
  if (isa<onnx::StringType>(element))
    return reduction == "none";
  return !isa<ComplexType>(element) ||
         (reduction != "max" && reduction != "min");
}

/// The update as the payload yields it, on its way to `position`.
Value put(OpBuilder &b, Location loc, Type element, StringRef reduction,
          Value update, ArrayRef<Value> position) {
  if (reduction != "none") {
    ScalarBuilder s(b, loc, element);
    Value old =
        krnl::ScatterLoadOp::create(b, loc, update.getType(), 0, position);
    update = s.narrow(combine(s, reduction, s.widen(old), s.widen(update)));
  }
  return krnl::ScatterStoreOp::create(b, loc, update.getType(), update,
                                      position);
}

/// The numbers of a constant of 32 or 64 bits, read where they are.
class ConstantIndices {
public:
  explicit ConstantIndices(Value indices) {
    Attribute constant = onnx::constantValue(indices);
    RankedTensorType type = rankedType(indices);
    if (!constant || !type || !type.hasStaticShape())
      return;
    bytes = onnx::constantBytes(constant, scratch);
    width = type.getElementTypeBitWidth() / 8;
    isKnown = (width == 4 || width == 8) &&
              int64_t(bytes.size()) == type.getNumElements() * width;
  }

  /// False for values that are not constant.
  bool isKnown = false;
  int64_t size() const { return int64_t(bytes.size()) / width; }
  int64_t operator[](int64_t i) const {
    using namespace llvm::support::endian;
    const char *at = bytes.data() + i * width;
    return width == 4 ? int32_t(read32le(at)) : int64_t(read64le(at));
  }

private:
  SmallVector<char> scratch;
  ArrayRef<char> bytes;
  int64_t width = 1;
};

/// Brings an index into range; false if it is not.
bool wrap(int64_t &index, int64_t size) {
  index += index < 0 ? size : 0;
  return index >= 0 && index < size;
}

/// Bounds the time of the compiler for a question that has a right answer
/// without: the places have 16 MiB of bits.
constexpr int64_t maxPlaces = int64_t(1) << 27;

/// Returns true if the `count` places are distinct and in range, out of the
/// product of `sizes`. `placeOf` returns nothing for an index that is out of
/// range.
bool areDistinct(
    int64_t count, ArrayRef<int64_t> sizes,
    llvm::function_ref<std::optional<int64_t>(int64_t i)> placeOf) {
  int64_t places = 1;
  for (int64_t size : sizes)
    if (llvm::MulOverflow(places, size, places) || places > maxPlaces)
      return false;
  if (count > places)
    return false;
  llvm::BitVector taken(places);
  for (int64_t i = 0; i < count; ++i) {
    std::optional<int64_t> place = placeOf(i);
    if (!place || taken.test(*place))
      return false;
    taken.set(*place);
  }
  return true;
}

/// Ends the run where updates have no position to go to at all.
void checkRoom(OpBuilder &b, Location loc, Value room, Value updates,
               StringRef message) {
  auto known = getConstantIntValue(room);
  if (known && *known > 0)
    return;
  Value one = indexConstant(b, loc, 1);
  checkAtMost(b, loc, minIndex(b, loc, updates, one), room, message);
}

void check(OpBuilder &b, Location loc, onnx::ScatterElementsOp::Adaptor adaptor,
           int64_t axis) {
  SmallVector<Value> room = sizesOf(b, loc, adaptor.getData()),
                     sizes = sizesOf(b, loc, adaptor.getUpdates());
  for (auto [d, size] : llvm::enumerate(sizes)) {
    checkEqualSizes(b, loc, sizeOf(b, loc, adaptor.getIndices(), d), size,
                    "ScatterElements: indices and updates differ in shape");
    if (int64_t(d) != axis)
      checkAtMost(b, loc, size, room[d],
                  "ScatterElements: updates are larger than the data");
  }
  checkRoom(b, loc, room[axis], productOf(b, loc, sizes),
            "ScatterElements: the data has no element along the axis");
}

/// Returns true if the places of all updates are constant and distinct.
bool hasDistinctPlaces(onnx::ScatterElementsOp op, int64_t axis) {
  RankedTensorType data = rankedType(op.getData()),
                   indices = rankedType(op.getIndices());
  ConstantIndices numbers(op.getIndices());
  if (!numbers.isKnown || data.isDynamicDim(axis))
    return false;
  int64_t size = data.getDimSize(axis), inner = 1,
          length = indices.getDimSize(axis);
  for (int64_t dim : indices.getShape().drop_front(axis + 1))
    inner *= dim;
  // As in a tensor that is as long as the data along the axis.
  SmallVector<int64_t> sizes(indices.getShape());
  sizes[axis] = size;
  return areDistinct(
      numbers.size(), sizes, [&](int64_t i) -> std::optional<int64_t> {
        int64_t number = numbers[i];
        if (!wrap(number, size))
          return std::nullopt;
        return (i / (inner * length) * size + number) * inner + i % inner;
      });
}

Value build(OpBuilder &b, onnx::ScatterElementsOp op,
            onnx::ScatterElementsOp::Adaptor adaptor, int64_t axis) {
  Location loc = op.getLoc();
  check(b, loc, adaptor, axis);
  Value data = adaptor.getData();
  RankedTensorType type = rankedType(data),
                   updateType = rankedType(adaptor.getUpdates());
  Type element = getElementTypeOrSelf(op.getData().getType());
  KernelBuilder kernel(b, loc, "ScatterElements");
  SmallVector<AffineExpr> at = kernel.loopsOf(updateType), to = at, reduced;
  bool isFree = hasDistinctPlaces(op, axis);
  if (!isFree)
    reduced.push_back(at[axis]);
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d == axis)
      to[d] = isFree ? kernel.partOf(at[d]) : kernel.zero();
    else if (type.isDynamicDim(d) ||
             type.getDimSize(d) != updateType.getDimSize(d))
      to[d] = kernel.partOf(at[d]);
  Value updates = kernel.input(adaptor.getUpdates()),
        indices = kernel.input(adaptor.getIndices()),
        size = kernel.scalar(sizeOf(b, loc, data, axis));
  Value out = kernel.output(data);
  Value y = kernel.generic(
      {{updates, at}, {indices, at}}, {out, to}, reduced,
      [&](OpBuilder &nb, Location l, ValueRange v) {
        SmallVector<Value> position(type.getRank(), indexConstant(nb, l, 0));
        position[axis] = wrapIndex(nb, l, toIndex(nb, l, v[1]), size, axis);
        if (isFree)
          position[axis] =
              subIndex(nb, l, position[axis], kernel.index(nb, l, at[axis]));
        return put(nb, l, element, op.getReduction(), v[0], position);
      });
  return kernel.finish({y}).front();
}

Lowered lowerScatterElements(onnx::ScatterElementsOp op,
                             onnx::ScatterElementsOp::Adaptor adaptor,
                             ConversionPatternRewriter &rewriter) {
  Value data = adaptor.getData();
  RankedTensorType type = rankedType(data),
                   updateType = rankedType(adaptor.getUpdates());
  if (!canCombine(op.getData(), op.getReduction()))
    return rewriter.notifyMatchFailure(op, "elements have no such reduction");
  int64_t axis = positiveAxis(op.getAxis(), type.getRank());
  if (updateType.getRank() != type.getRank() || axis < 0 ||
      axis >= type.getRank())
    return rewriter.notifyMatchFailure(op, "ranks and axis do not agree");
  for (int64_t d = 0; d < type.getRank(); ++d) {
    int64_t size = updateType.getDimSize(d), room = type.getDimSize(d);
    bool known = !ShapedType::isDynamic(size) && !ShapedType::isDynamic(room);
    if (known && d != axis && size > room)
      return neverMade(rewriter, op,
                       "ScatterElements: updates are larger than the data");
  }
  if (failed(
          verifyCompatibleShape(updateType, rankedType(adaptor.getIndices()))))
    return neverMade(rewriter, op,
                     "ScatterElements: indices and updates differ in shape");
  return build(rewriter, op, adaptor, axis);
}

struct Views {
  Value data, updates, indices;
  SmallVector<Value> dataSizes;
};

Value flatten(OpBuilder &b, Location loc, Value tensor, Value rows,
              Value columns) {
  Type element = rankedType(tensor).getElementType();
  return reshapeTo(b, loc, tensor, typeOfSizes({rows, columns}, element),
                   {rows, columns});
}

Views view(OpBuilder &b, Location loc, onnx::ScatterNDOp::Adaptor adaptor,
           int64_t depth) {
  Views views;
  views.dataSizes = sizesOf(b, loc, adaptor.getData());
  SmallVector<Value> indexSizes = sizesOf(b, loc, adaptor.getIndices()),
                     updateSizes = sizesOf(b, loc, adaptor.getUpdates());
  size_t outer = indexSizes.size() - 1;
  ArrayRef<Value> data(views.dataSizes);
  checkEqualSizes(b, loc, indexSizes.back(), indexConstant(b, loc, depth),
                  "ScatterND: the indices have another length than the "
                  "shapes ask for");
  for (auto [d, size] : llvm::enumerate(updateSizes))
    checkEqualSizes(b, loc, size,
                    d < outer ? indexSizes[d] : data[d - outer + depth],
                    "ScatterND: the shape of the updates does not fit");
  Value rows = productOf(b, loc, data.take_front(depth)),
        slice = productOf(b, loc, data.drop_front(depth)),
        count = productOf(b, loc, ArrayRef(indexSizes).drop_back());
  checkRoom(b, loc, rows, count, "ScatterND: the data has no element");
  views.data = flatten(b, loc, adaptor.getData(), rows, slice);
  views.updates = flatten(b, loc, adaptor.getUpdates(), count, slice);
  views.indices = flatten(b, loc, adaptor.getIndices(), count,
                          indexConstant(b, loc, depth));
  return views;
}

/// Returns true if the places of all updates are constant and distinct.
bool hasDistinctPlaces(onnx::ScatterNDOp op, int64_t depth) {
  ArrayRef<int64_t> sizes =
      rankedType(op.getData()).getShape().take_front(depth);
  ConstantIndices numbers(op.getIndices());
  if (!numbers.isKnown || depth == 0 || ShapedType::isDynamicShape(sizes) ||
      rankedType(op.getIndices()).getShape().back() != depth)
    return false;
  return areDistinct(numbers.size() / depth, sizes,
                     [&](int64_t i) -> std::optional<int64_t> {
                       int64_t place = 0;
                       for (auto [k, size] : llvm::enumerate(sizes)) {
                         int64_t number = numbers[i * depth + int64_t(k)];
                         if (!wrap(number, size))
                           return std::nullopt;
                         place = place * size + number;
                       }
                       return place;
                     });
}

Value build(OpBuilder &b, onnx::ScatterNDOp op,
            onnx::ScatterNDOp::Adaptor adaptor, int64_t depth) {
  Location loc = op.getLoc();
  Views views = view(b, loc, adaptor, depth);
  Type element = getElementTypeOrSelf(op.getData().getType());
  KernelBuilder kernel(b, loc, "ScatterND");
  SmallVector<AffineExpr> at = kernel.loopsOf(rankedType(views.updates));
  SmallVector<KernelBuilder::Access> ins{{kernel.input(views.updates), at}};
  SmallVector<Value> sizes;
  for (int64_t k = 0; k < depth; ++k) {
    ins.push_back({kernel.input(views.indices), {at[0], kernel.constant(k)}});
    sizes.push_back(kernel.scalar(views.dataSizes[k]));
  }
  Value out = kernel.output(views.data);
  bool isFree = hasDistinctPlaces(op, depth);
  SmallVector<AffineExpr> reduced;
  if (!isFree)
    reduced.push_back(at[0]);
  Value y = kernel.generic(
      ins, {out, {isFree ? kernel.partOf(at[0]) : kernel.zero(), at[1]}},
      reduced, [&](OpBuilder &nb, Location l, ValueRange v) {
        Value zero = indexConstant(nb, l, 0), row = zero;
        for (int64_t k = 0; k < depth; ++k) {
          Value i = wrapIndex(nb, l, toIndex(nb, l, v[1 + k]), sizes[k], k);
          row = addIndex(nb, l, mulIndex(nb, l, row, sizes[k]), i);
        }
        if (isFree)
          row = subIndex(nb, l, row, kernel.index(nb, l, at[0]));
        return put(nb, l, element, op.getReduction(), v[0], {row, zero});
      });
  return reshapeTo(b, loc, kernel.finish({y}).front(),
                   rankedType(adaptor.getData()), views.dataSizes);
}

/// Data as [positions, slice], updates as [updates, slice], indices as
/// [updates, depth].
Lowered lowerScatterND(onnx::ScatterNDOp op, onnx::ScatterNDOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  RankedTensorType type = rankedType(adaptor.getData()),
                   updateType = rankedType(adaptor.getUpdates()),
                   indexType = rankedType(adaptor.getIndices());
  if (indexType.getRank() == 0)
    return rewriter.notifyMatchFailure(op, "indices are of rank 0");
  if (!canCombine(op.getData(), op.getReduction()))
    return rewriter.notifyMatchFailure(op, "elements have no such reduction");
  // The ranks determine the length of an index.
  int64_t outer = indexType.getRank() - 1;
  int64_t depth = type.getRank() - (updateType.getRank() - outer);
  if (depth < 0 || depth > type.getRank() || updateType.getRank() < outer)
    return rewriter.notifyMatchFailure(op, "ranks do not agree");
  return build(rewriter, op, adaptor, depth);
}

SmallVector<Value> unpooledSizes(OpBuilder &b, onnx::MaxUnpoolOp op, Value x) {
  Location loc = op.getLoc();
  SmallVector<Value> sizes = sizesOf(b, loc, x);
  int64_t spatial = op.getKernelShape().size();
  auto attribute = [](std::optional<ArrayRef<int64_t>> values, int64_t i,
                      int64_t otherwise) {
    return values && i < int64_t(values->size()) ? (*values)[i] : otherwise;
  };
  for (int64_t d = 0; d < spatial; ++d) {
    int64_t stride = attribute(op.getStrides(), d, 1);
    int64_t more = op.getKernelShape()[d] - stride -
                   attribute(op.getPads(), d, 0) -
                   attribute(op.getPads(), d + spatial, 0);
    Value &size = sizes[d + 2];
    size = mulIndex(b, loc, size, indexConstant(b, loc, stride));
    size = addIndex(b, loc, size, indexConstant(b, loc, more));
    size = maxIndex(b, loc, size, indexConstant(b, loc, 0));
  }
  return sizes;
}

Value flatten(OpBuilder &b, Location loc, Value tensor) {
  Value count = productOf(b, loc, sizesOf(b, loc, tensor));
  return reshapeTo(b, loc, tensor,
                   typeOfSizes(count, rankedType(tensor).getElementType()),
                   count);
}

Value zeros(OpBuilder &b, Location loc, Type element, Value count) {
  return generate(
      b, loc, "Zeros", element, count, {},
      [&](OpBuilder &nb, Location l, ArrayRef<Value>, ArrayRef<Value>) {
        return storedConstant(nb, l, element, 0);
      });
}

bool areSame(ArrayRef<Value> inner, ArrayRef<Value> sizes) {
  return llvm::all_of(llvm::zip_equal(inner, sizes), [](auto pair) {
    return isEqualConstantIntOrValue(std::get<0>(pair), std::get<1>(pair));
  });
}

/// Element `rest` of a tensor, in one that it is the first corner of.
Value placeInLarger(OpBuilder &b, Location loc, Value rest,
                    ArrayRef<Value> steps, ArrayRef<Value> extents) {
  Value one = indexConstant(b, loc, 1);
  Value position = indexConstant(b, loc, 0), stride = one;
  for (int64_t d = steps.size() - 1; d >= 0; --d) {
    Value step = maxIndex(b, loc, steps[d], one);
    // The first dimension takes the whole quotient, also out of bounds.
    Value i = d == 0 ? rest : b.createOrFold<arith::RemSIOp>(loc, rest, step);
    rest = b.createOrFold<arith::DivSIOp>(loc, rest, step);
    position = addIndex(b, loc, position, mulIndex(b, loc, i, stride));
    stride = mulIndex(b, loc, stride, extents[d]);
  }
  return position;
}

Value build(OpBuilder &b, Location loc, Value x, Value indices,
            ArrayRef<Value> inner, ArrayRef<Value> sizes) {
  Type element = rankedType(x).getElementType();
  Value total = productOf(b, loc, sizes), flat = flatten(b, loc, x);
  checkRoom(b, loc, total, sizeOf(b, loc, flat, 0),
            "MaxUnpool: the result has no element");
  KernelBuilder kernel(b, loc, "MaxUnpool");
  SmallVector<AffineExpr> at = kernel.loopsOf(rankedType(flat));
  KernelBuilder::Access from{kernel.input(flat), at},
      which{kernel.input(flatten(b, loc, indices)), at};
  SmallVector<Value> steps, extents;
  if (!areSame(inner, sizes))
    for (auto [size, extent] : llvm::zip(inner, sizes)) {
      steps.push_back(kernel.scalar(size));
      extents.push_back(kernel.scalar(extent));
    }
  Value last = kernel.scalar(total);
  Value out = kernel.output(zeros(b, loc, element, total));
  Value y = kernel.generic({from, which}, {out, {kernel.zero()}}, at,
                           [&](OpBuilder &nb, Location l, ValueRange v) {
                             Value position = toIndex(nb, l, v[1]);
                             if (!steps.empty())
                               position = placeInLarger(nb, l, position, steps,
                                                        extents);
                             position = wrapIndex(nb, l, position, last);
                             return put(nb, l, element, "none", v[0], position);
                           });
  return reshapeTo(b, loc, kernel.finish({y}).front(),
                   typeOfSizes(sizes, element), sizes);
}

/// Each element goes back to where pooling took it from; indices count the
/// elements of the unpooled tensor, which is the first corner of a larger one
/// by output_shape.
Lowered lowerMaxUnpool(onnx::MaxUnpoolOp op, onnx::MaxUnpoolOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getX();
  RankedTensorType type = rankedType(x);
  if (type.getRank() != int64_t(op.getKernelShape().size()) + 2)
    return rewriter.notifyMatchFailure(op, "operand has no spatial dims");
  for (int64_t d = 0; d < type.getRank(); ++d)
    checkEqualSizes(rewriter, loc, sizeOf(rewriter, loc, x, d),
                    sizeOf(rewriter, loc, adaptor.getI(), d),
                    "MaxUnpool: indices differ in shape from the elements");
  SmallVector<Value> inner = unpooledSizes(rewriter, op, x), sizes = inner;
  if (Value shape = adaptor.getOutputShape()) {
    for (int64_t d = 0; d < type.getRank(); ++d)
      sizes[d] =
          structuralElement(rewriter, loc, op.getOutputShape(), shape, d);
    sizes = knownSizes(rewriter, loc, op->getResult(0), sizes);
    for (Value size : sizes)
      checkGivenSize(rewriter, loc, size, "MaxUnpool");
  }
  checkTensorSizes(rewriter, loc, sizes, type.getElementType(), "MaxUnpool");
  return build(rewriter, loc, x, adaptor.getI(), inner, sizes);
}

} // namespace

void populateONNXToKrnlScatterPatterns(TypeConverter &converter,
                                       RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerMaxUnpool, lowerScatterElements,
               lowerScatterND);
}

} // namespace onnxc
