//===- SourceReader.cpp - The elements of a slice ---------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// cache(op, at=l, in=shared): the payload of the op is emitted where a slice is
// filled. Its iterations follow from the index of the element. Where several of
// them make the elements of a vector, each has a vector of its own, and these
// are interleaved:
//
//   d[n, 2 * b + p], 8 elements from 2 * b on:
//     x = payload(n, b .. b + 3, p = 0)
//     y = payload(n, b .. b + 3, p = 1)
//     x0 y0 x1 y1 x2 y2 x3 y3
//
//===----------------------------------------------------------------------===//

#include "SourceReader.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace onnxc::krnl {

/// The payload of an op at iterations that no loops have.
struct SourceReader::Point final : PayloadPoint {
  Point(SourceReader &emitter, ArrayRef<LaneIndex> iterations, int64_t lanes)
      : emitter(emitter), iterations(iterations), lanes(lanes) {}

  int64_t getLanes() override { return lanes; }
  Value getMask() override { return {}; }
  LaneIndex getIndex(unsigned dim) override { return iterations[dim]; }
  Value getUniform(Value original) override {
    return emitter.outside.uniform.lookup(original);
  }
  // Payloads that access memory are not computed in slices.
  Value read(tensor::ExtractOp, ArrayRef<LaneIndex>, int64_t, Value) override {
    return {};
  }
  Value read(ScatterLoadOp, ArrayRef<LaneIndex>) override { return {}; }
  void noteError(WrapIndexOp, Value, Value) override {}

  SourceReader &emitter;
  ArrayRef<LaneIndex> iterations;
  int64_t lanes;
};

/// The result of the op for a vector of iterations.
Value SourceReader::computeLanes(ComputeOp op, ArrayRef<LaneIndex> iterations,
                                 int64_t lanes) {
  Point point(*this, iterations, lanes);
  PayloadEmitter payload(b, math, point, /*contract=*/false);
  math.setLanes(lanes);
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (argument.use_empty())
      continue;
    if (!isa<ShapedType>(input->get().getType())) {
      payload.map(argument, outside.uniform.lookup(input->get()));
      continue;
    }
    SmallVector<LaneIndex> at;
    for (const Subscript &subscript : op.getSubscripts(*input))
      at.push_back(math.eval(subscript.index, iterations, loops.extents));
    Value memory = slotOf(input->get()).memref;
    payload.map(argument,
                access.load(memory, at, variesByLane(at) ? lanes : 1, {}));
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    payload.emit(&inner);
  return broadcast(
      b, payload.valueOf(op.getBlock()->getTerminator()->getOperand(0)), lanes);
}

/// The iterations that make the element at an index, with the step of lanes.
/// Loops of which all iterations lie between two lanes are added to `inside`,
/// innermost last, with iteration 0.
SmallVector<LaneIndex>
SourceReader::firstIterations(ComputeOp op, ArrayRef<LaneIndex> at,
                              int64_t lanes,
                              SmallVectorImpl<ResultDigit> &inside) {
  SmallVector<LaneIndex> iterations(op.getNumLoops());
  int64_t left = lanes;
  for (auto [position, index] : llvm::enumerate(at)) {
    LaneIndex rest{index.base, index.offset, 0, index.vec};
    SmallVector<ResultDigit> digits = *digitsOf(op, position);
    for (const ResultDigit &digit : digits) {
      bool isLast = &digit == &digits.back();
      LaneIndex &iteration = iterations[digit.loop];
      iteration = isLast ? rest : math.mod(rest, digit.extent);
      if (!isLast)
        rest = math.floorDiv(rest, digit.extent);
      if (position + 1 != at.size() || left == 1)
        continue;
      if (isLast || left <= digit.extent) {
        iteration.step = 1;
        left = 1;
      } else {
        inside.push_back(digit);
        iteration = {};
        left /= digit.extent;
      }
    }
  }
  return iterations;
}

/// The iterations of each of the vectors that are interleaved: those of the
/// loops inside, of which that with adjacent elements counts fastest.
static SmallVector<SmallVector<LaneIndex>>
pointsInside(ArrayRef<LaneIndex> first, ArrayRef<ResultDigit> inside) {
  SmallVector<SmallVector<LaneIndex>> points{SmallVector<LaneIndex>(first)};
  for (const ResultDigit &digit : llvm::reverse(inside)) {
    SmallVector<SmallVector<LaneIndex>> more;
    for (const SmallVector<LaneIndex> &point : points)
      for (int64_t iteration : llvm::seq(digit.extent)) {
        more.push_back(point);
        more.back()[digit.loop].offset = iteration;
      }
    points = std::move(more);
  }
  return points;
}

/// Interleaves vectors of `each` elements.
Value SourceReader::joinParts(ArrayRef<Value> parts, int64_t each) {
  if (parts.size() == 1)
    return parts.front();
  if (parts.size() == 2 && each > 1)
    return vector::InterleaveOp::create(b, parts.front(), parts.back());
  SmallVector<Value> elements;
  for (int64_t lane : llvm::seq(each))
    for (Value part : parts)
      elements.push_back(each == 1 ? part
                                   : vector::ExtractOp::create(b, part, lane));
  return vector::FromElementsOp::create(
      b,
      VectorType::get({int64_t(elements.size())}, elements.front().getType()),
      elements);
}

/// The elements of the result from an index on. Of the last dimension there are
/// `lanes`, as elementsTogether() allows.
Value SourceReader::computeElements(ComputeOp op, ArrayRef<LaneIndex> at,
                                    int64_t lanes) {
  SmallVector<ResultDigit> inside;
  SmallVector<LaneIndex> first = firstIterations(op, at, lanes, inside);
  SmallVector<SmallVector<LaneIndex>> points = pointsInside(first, inside);
  int64_t each = lanes / int64_t(points.size());
  SmallVector<Value> parts;
  for (const SmallVector<LaneIndex> &point : points)
    parts.push_back(computeLanes(op, point, each));
  return joinParts(parts, each);
}

Value SourceReader::read(const CachedSlice &slice, const OpState &state,
                         int64_t lanes) {
  SmallVector<LaneIndex> at = slices.indicesInSource(slice, state);
  if (ComputeOp maker = slice.maker())
    return computeElements(maker, at, lanes);
  return access.load(slices.sourceOf(slice), at, lanes, {});
}

} // namespace onnxc::krnl
