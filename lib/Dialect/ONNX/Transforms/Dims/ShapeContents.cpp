//===- ShapeContents.cpp - Elements that shape operators move --*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Follows the elements of small integer tensors through the operators that
// take shapes apart and put them together.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"

#include "onnxc/Dialect/ONNX/IR/BlobStore.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;
using Exprs = RuleNode::Exprs;
using Elements = SmallVector<AffineExpr>;

/// Reads one little-endian integer of `type` at `at`.
static int64_t readInteger(IntegerType type, const char *at) {
  unsigned bytes = std::max(1u, type.getWidth() / 8);
  uint64_t raw = 0;
  memcpy(&raw, at, bytes);
  if (type.isUnsigned() || type.getWidth() == 1)
    return static_cast<int64_t>(raw);
  return llvm::SignExtend64(raw, type.getWidth());
}

/// constant dense<[2, 3]> -> {2, 3}
static void readConstant(RuleNode &node, ConstantOp op) {
  Attribute attr = op->getAttr("value");
  auto typed = dyn_cast_or_null<TypedAttr>(attr);
  auto type =
      typed ? dyn_cast<RankedTensorType>(typed.getType()) : RankedTensorType();
  auto element =
      type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
  if (!element || type.getNumElements() > maxContents ||
      (element.getWidth() != 1 && element.getWidth() % 8 != 0))
    return;
  Elements elements;
  if (auto dense = dyn_cast<DenseIntElementsAttr>(attr)) {
    bool isSigned = !element.isUnsigned() && element.getWidth() != 1;
    for (const APInt &number : dense.getValues<APInt>())
      elements.push_back(node.constantExpr(
          isSigned ? number.getSExtValue()
                   : static_cast<int64_t>(number.getZExtValue())));
  } else {
    SmallVector<char> scratch;
    ArrayRef<char> bytes = constantBytes(attr, scratch);
    size_t size = std::max(1u, element.getWidth() / 8);
    for (size_t at = 0; at + size <= bytes.size(); at += size)
      elements.push_back(
          node.constantExpr(readInteger(element, bytes.data() + at)));
  }
  if (static_cast<int64_t>(elements.size()) == type.getNumElements())
    node.setContents(0, elements);
}

/// shape(x[b, 3, h]) {start = 1} -> {3, h}
static void readShape(RuleNode &node, ShapeOp op) {
  std::optional<Exprs> dims = node.dims(op.getData());
  if (!dims)
    return;
  int64_t rank = dims->size();
  auto clamp = [&](int64_t position) {
    return std::clamp<int64_t>(positiveAxis(position, rank), 0, rank);
  };
  int64_t start = clamp(op.getStart());
  int64_t end = op.getEnd() ? clamp(*op.getEnd()) : rank;
  ArrayRef<AffineExpr> all(*dims);
  node.setContents(
      0, Elements(all.slice(start, std::max<int64_t>(end - start, 0))));
}

/// size(x[b, 3]) -> {b * 3}
static void readSize(RuleNode &node, SizeOp op) {
  std::optional<Exprs> dims = node.dims(op.getData());
  if (!dims)
    return;
  AffineExpr count = node.constantExpr(1);
  for (AffineExpr dim : *dims)
    count = node.space.mul(count, dim);
  node.setContents(0, {count});
}

static void copyContents(RuleNode &node, Value input) {
  if (auto contents = node.contents(input))
    node.setContents(0, *contents);
}

/// gather({b, 3, h}, [0, -1]) -> {b, h}
static void gather(RuleNode &node, GatherOp op) {
  auto data = node.contents(op.getData());
  auto indices = node.contents(op.getIndices());
  if (!data || !indices || node.rank(op.getData()) != 1)
    return;
  Elements picked;
  for (AffineExpr index : *indices) {
    std::optional<int64_t> number = constantValue(index);
    std::optional<int64_t> at =
        number ? normalizeAxis(*number, data->size()) : std::nullopt;
    picked.push_back(at ? (*data)[*at] : AffineExpr());
  }
  node.setContents(0, picked);
}

/// The static sizes of a tensor; no value if one is unknown.
static std::optional<SmallVector<int64_t>> staticSizes(RuleNode &node,
                                                       Value value) {
  std::optional<Exprs> dims = node.dims(value);
  if (!dims)
    return std::nullopt;
  SmallVector<int64_t> sizes;
  for (AffineExpr dim : *dims) {
    std::optional<int64_t> size = constantValue(dim);
    if (!size || *size > maxContents)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

/// concat({b}, {3, h}) {axis = 0} -> {b, 3, h}; an unknown part of known size
/// is nulls.
static void concat(RuleNode &node, ConcatOp op) {
  Elements all;
  bool anyKnown = false;
  for (Value input : op.getInputs()) {
    std::optional<SmallVector<int64_t>> sizes = staticSizes(node, input);
    if (!sizes || sizes->empty() ||
        normalizeAxis(op.getAxis(), sizes->size()) != 0)
      return;
    int64_t count = 1;
    for (int64_t size : *sizes)
      count *= size;
    if (count + static_cast<int64_t>(all.size()) > maxContents)
      return;
    auto part = node.contents(input);
    anyKnown |= part.has_value();
    llvm::append_range(all, part.value_or(Elements(count)));
  }
  if (anyKnown)
    node.setContents(0, all);
}

/// The elements of `data` at every index of the product of `picks`: for each
/// dimension the positions taken, in order.
static Elements pick(ArrayRef<AffineExpr> data, ArrayRef<int64_t> strides,
                     ArrayRef<SmallVector<int64_t>> picks) {
  SmallVector<int64_t> offsets = {0};
  for (auto [stride, positions] : llvm::zip_equal(strides, picks)) {
    SmallVector<int64_t> next;
    for (int64_t offset : offsets)
      for (int64_t position : positions)
        next.push_back(offset + position * stride);
    offsets = std::move(next);
  }
  Elements picked;
  for (int64_t offset : offsets)
    picked.push_back(data[offset]);
  return picked;
}

static SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

/// The positions that [start, end) by `step` takes of `size`.
static SmallVector<int64_t> slicePositions(int64_t size, int64_t start,
                                           int64_t end, int64_t step) {
  int64_t low = step > 0 ? 0 : -1;
  auto clamp = [&](int64_t position) {
    position = position < 0 ? std::max(position, -size - 1) + size : position;
    return std::clamp(position, low, size + low);
  };
  SmallVector<int64_t> positions;
  int64_t last = clamp(end);
  for (int64_t at = clamp(start); step > 0 ? at < last : at > last; at += step)
    positions.push_back(at);
  return positions;
}

/// slice({b, 3, h, w}, starts = [2], ends = [4]) -> {h, w}
static void slice(RuleNode &node, SliceOp op) {
  auto data = node.contents(op.getData());
  auto sizes = staticSizes(node, op.getData());
  auto starts = node.constants(op.getStarts());
  auto ends = node.constants(op.getEnds());
  if (!data || !sizes || !starts || !ends || starts->size() != ends->size())
    return;
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, starts->size()));
  SmallVector<int64_t> steps(starts->size(), 1);
  for (auto [input, list] :
       {std::pair(op.getAxes(), &axes), std::pair(op.getSteps(), &steps)}) {
    if (!input)
      continue;
    auto given = node.constants(input);
    if (!given || given->size() != starts->size())
      return;
    *list = *given;
  }
  SmallVector<SmallVector<int64_t>> picks;
  for (int64_t size : *sizes)
    picks.push_back(llvm::to_vector(llvm::seq<int64_t>(0, size)));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    std::optional<int64_t> normal = normalizeAxis(axis, sizes->size());
    bool wraps = steps[i] > INT32_MAX || steps[i] < -INT32_MAX;
    if (!normal || wraps || steps[i] == 0)
      return;
    picks[*normal] =
        slicePositions((*sizes)[*normal], (*starts)[i], (*ends)[i], steps[i]);
  }
  node.setContents(0, pick(*data, rowMajorStrides(*sizes), picks));
}

/// transpose({a, b, c, d} : 2x2) -> {a, c, b, d}
static void transpose(RuleNode &node, TransposeOp op) {
  auto data = node.contents(op.getData());
  auto sizes = staticSizes(node, op.getData());
  if (!data || !sizes)
    return;
  int64_t rank = sizes->size();
  SmallVector<int64_t> perm =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  if (std::optional<ArrayRef<int64_t>> given = op.getPerm())
    perm.assign(given->begin(), given->end());
  SmallVector<int64_t> strides = rowMajorStrides(*sizes), permuted;
  SmallVector<SmallVector<int64_t>> picks;
  for (int64_t axis : perm) {
    if (axis < 0 || axis >= rank)
      return;
    permuted.push_back(strides[axis]);
    picks.push_back(llvm::to_vector(llvm::seq<int64_t>(0, (*sizes)[axis])));
  }
  node.setContents(0, pick(*data, permuted, picks));
}

/// split({b, h}) -> {b}, {h}, by the static sizes of the results.
static void split(RuleNode &node, SplitOp op) {
  auto data = node.contents(op.getInput());
  if (!data || node.rank(op.getInput()) != 1)
    return;
  size_t at = 0;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    std::optional<Exprs> dims = node.found[i].dims;
    std::optional<int64_t> size =
        dims && dims->size() == 1 ? constantValue((*dims)[0]) : std::nullopt;
    if (!size || *size < 0 || at + *size > data->size())
      return;
    node.setContents(i, Elements(ArrayRef(*data).slice(at, *size)));
    at += *size;
  }
}

/// The one element that a small ConstantOfShape or Expand repeats.
static void repeat(RuleNode &node, AffineExpr element) {
  std::optional<Exprs> dims = node.found[0].dims;
  if (!dims)
    return;
  int64_t count = 1;
  for (AffineExpr dim : *dims) {
    std::optional<int64_t> size = constantValue(dim);
    if (!size || *size < 0 || *size > maxContents)
      return;
    count *= *size;
    if (count > maxContents)
      return;
  }
  node.setContents(0, Elements(count, element));
}

static void fill(RuleNode &node, ConstantOfShapeOp op) {
  auto value = dyn_cast_or_null<DenseIntElementsAttr>(op->getAttr("value"));
  if (value && value.getNumElements() == 1)
    repeat(node,
           node.constantExpr((*value.value_begin<APInt>()).getSExtValue()));
}

static void expand(RuleNode &node, ExpandOp op) {
  auto data = node.contents(op.getInput());
  if (data && data->size() == 1)
    repeat(node, data->front());
}

/// range(0, 4, 1) -> {0, 1, 2, 3}
static void count(RuleNode &node, RangeOp op) {
  auto start = node.contents(op.getStart());
  std::optional<int64_t> delta = node.constant(op.getDelta());
  std::optional<Exprs> dims = node.found[0].dims;
  std::optional<int64_t> size =
      dims && dims->size() == 1 ? constantValue(dims->front()) : std::nullopt;
  if (!start || start->size() != 1 || !delta || !size || *size > maxContents)
    return;
  Elements elements;
  for (int64_t i = 0; i < *size; ++i) {
    AffineExpr offset =
        node.space.mul(node.constantExpr(i), node.constantExpr(*delta));
    elements.push_back(node.space.add(start->front(), offset));
  }
  node.setContents(0, elements);
}

void onnxc::onnx::inferShapeContents(RuleNode &node) {
  llvm::TypeSwitch<Operation *>(node.op)
      .Case([&](ConstantOp op) { readConstant(node, op); })
      .Case([&](ShapeOp op) { readShape(node, op); })
      .Case([&](SizeOp op) { readSize(node, op); })
      .Case([&](IdentityOp op) { copyContents(node, op.getInput()); })
      .Case([&](ReshapeOp op) { copyContents(node, op.getData()); })
      .Case([&](SqueezeOp op) { copyContents(node, op.getData()); })
      .Case([&](UnsqueezeOp op) { copyContents(node, op.getData()); })
      .Case([&](FlattenOp op) { copyContents(node, op.getInput()); })
      .Case([&](GatherOp op) { gather(node, op); })
      .Case([&](ConcatOp op) { concat(node, op); })
      .Case([&](SliceOp op) { slice(node, op); })
      .Case([&](SplitOp op) { split(node, op); })
      .Case([&](TransposeOp op) { transpose(node, op); })
      .Case([&](ConstantOfShapeOp op) { fill(node, op); })
      .Case([&](ExpandOp op) { expand(node, op); })
      .Case([&](RangeOp op) { count(node, op); });
}
