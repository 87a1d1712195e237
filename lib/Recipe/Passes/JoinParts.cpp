//===- JoinParts.cpp - krnl-join-parts --------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A padded tensor and a concatenation are written part by part. Threads have
// loops that all ops have, and the loops of parts are not among these: few
// threads would have rows of all parts one after the other. One op over the
// whole tensor has a thread for each element, which computes that of each part
// and selects.
//
//   fill [p, q]; copy [i, j] from x[i, j] to i + 1, j + 1
// -> [p, q]: i = p - 1, j = q - 1;
//            select(i, j inside, x[clamp(i), clamp(j)], fill)
//
//===----------------------------------------------------------------------===//

#include "Kernels/KernelShape.h"
#include "Passes/DevicePass.h"
#include "Passes/FormChoice.h"
#include "onnxc/Recipe/Passes.h"
#include "onnxc/Recipe/RecipeSpace.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {
#define GEN_PASS_DEF_KRNLJOINPARTSPASS
#include "onnxc/Recipe/Passes.h.inc"

namespace {

/// The indices of a dimension that an op writes: one, or those of a loop. A
/// loop over all of a dynamic dimension is the same one for all ops.
struct Range {
  int64_t from = 0, size = 1;
  std::optional<unsigned> loop;
  bool isWhole = false;
  /// In the kernel, where it is dynamic.
  Value dynamicSize;

  bool isDynamic() const { return ShapedType::isDynamic(size); }
  int64_t end() const { return from + size; }
};

/// What an op writes of a tensor.
struct Part {
  ComputeOp op;
  SmallVector<Range> ranges;

  bool isWhole() const {
    return llvm::all_of(ranges,
                        [](const Range &range) { return range.isWhole; });
  }
  /// Elements for each of the indices of dynamic dimensions.
  int64_t elements() const {
    int64_t elements = 1;
    for (const Range &range : ranges)
      elements *= range.isDynamic() ? 1 : range.size;
    return elements;
  }
  bool isApart(const Part &other) const {
    return llvm::any_of(llvm::zip_equal(ranges, other.ranges), [](auto pair) {
      auto [a, b] = pair;
      return !a.isDynamic() && (a.end() <= b.from || b.end() <= a.from);
    });
  }
};

/// Makes one op of those that write the parts of the result of a kernel.
class PartJoiner {
public:
  explicit PartJoiner(KernelOp kernel)
      : kernel(kernel), b(kernel.getBody().front().getTerminator()) {}

  /// Returns true if each element has a part that it comes from.
  bool match();
  void join();

private:
  std::optional<Part> readPart(ComputeOp op, Value before);
  bool sharesDynamicLoops(Part &part);
  bool covers() const;
  void findSizes(Part &part);
  SmallVector<LoopAttr> wholeLoops();
  void declareLoops();
  Value insideOf(const Part &part);
  SmallVector<Value> iterationsOf(const Part &part);
  Value elementOf(const Part &part);
  Value operandOf(ComputeOp op, OpOperand &input, ArrayRef<Value> iterations);
  /// The size of the range, in the payload.
  Value sizeOf(const Range &range) {
    return range.isDynamic() ? range.dynamicSize : number(range.size);
  }
  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(b, kernel.getLoc(), value);
  }

  KernelOp kernel;
  OpBuilder b;
  ArrayRef<int64_t> shape;
  SmallVector<Part> parts;
  /// The loops of the op that is made: one for each dimension of more than one
  /// element, in the order of memory.
  SmallVector<std::string> loops;
  SmallVector<Subscript> access;
  /// In its payload: the index of each dimension.
  SmallVector<Value> indices;
};

struct KrnlJoinPartsPass
    : DevicePass<impl::KrnlJoinPartsPassBase<KrnlJoinPartsPass>> {
  using DevicePass::DevicePass;

private:
  void rewrite(KernelOp kernel) override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Elements that no one wants are computed, too: only what every element allows
/// may be in the payload.
static bool isPlainPayload(ComputeOp op) {
  return llvm::all_of(*op.getBlock(), [](Operation &inner) {
    return isa<linalg::YieldOp, IndexOp, tensor::ExtractOp>(inner) ||
           (isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
            isPure(&inner));
  });
}

std::optional<Part> PartJoiner::readPart(ComputeOp op, Value before) {
  if (op.getNumReductionLoops() > 0 || op.getNumDpsInits() != 1 ||
      op.getDpsInits()[0] != before || !isPlainPayload(op) ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        return inputNumber(kernel, input->get()) < 0 ||
               (isa<ShapedType>(input->get().getType()) &&
                Access(*input).hasRanges());
      }))
    return std::nullopt;
  Part part{op, {}};
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  llvm::SmallBitVector found(op.getNumLoops());
  for (const Subscript &at : op.getSubscripts(*op.getDpsInitOperand(0))) {
    Range range;
    for (unsigned loop : llvm::seq(op.getNumLoops()))
      if (at.index.isFunctionOfDim(loop) && !found.test(loop))
        range.loop = loop;
    AffineExpr first = at.index;
    if (range.loop) {
      found.set(*range.loop);
      range.size = extents[*range.loop];
      first = simplifyAffineExpr(first - b.getAffineDimExpr(*range.loop),
                                 op.getNumLoops(), 0);
    }
    auto from = dyn_cast<AffineConstantExpr>(first);
    if (!from || range.size == 0)
      return std::nullopt;
    range.from = from.getValue();
    int64_t size = shape[part.ranges.size()];
    range.isWhole = ShapedType::isDynamic(size) ? at.getLoop().has_value()
                                                : range.size == size;
    part.ranges.push_back(range);
  }
  return found.all() ? std::optional(part) : std::nullopt;
}

bool PartJoiner::sharesDynamicLoops(Part &part) {
  for (auto [dim, range] : llvm::enumerate(part.ranges)) {
    if (!ShapedType::isDynamic(shape[dim]) || !range.isWhole)
      continue;
    Part &first = parts.empty() ? part : parts.front();
    const Range &other = first.ranges[dim];
    if (!other.isWhole ||
        part.op.getAxes()[*range.loop] != first.op.getAxes()[*other.loop])
      return false;
  }
  return true;
}

/// The first op writes all, or no element is written twice and all are.
bool PartJoiner::covers() const {
  if (parts.front().isWhole())
    return true;
  int64_t all = 1, written = 0;
  for (int64_t size : shape)
    all *= ShapedType::isDynamic(size) ? 1 : size;
  for (auto [number, part] : llvm::enumerate(parts)) {
    // How many elements other ranges have is not known.
    if (llvm::any_of(llvm::zip_equal(part.ranges, shape), [](auto pair) {
          auto [range, size] = pair;
          return !range.isWhole &&
                 (range.isDynamic() || ShapedType::isDynamic(size));
        }))
      return false;
    written += part.elements();
    for (const Part &other : ArrayRef(parts).take_front(number))
      if (!part.isApart(other))
        return false;
  }
  return written == all;
}

bool PartJoiner::match() {
  auto type = kernel.getOuts().size() == 1
                  ? dyn_cast<RankedTensorType>(kernel.getOuts()[0].getType())
                  : RankedTensorType();
  if (!type || !type.getElementType().isIntOrFloat())
    return false;
  shape = type.getShape();
  Value last = kernel.getOutArgument(0);
  for (auto op : kernel.getBody().getOps<ComputeOp>()) {
    std::optional<Part> part = readPart(op, last);
    if (!part || !sharesDynamicLoops(*part) || parts.size() == maxJoinedParts)
      return false;
    parts.push_back(std::move(*part));
    last = op.getResult(0);
  }
  return parts.size() > 1 && kernel.getYield().getValues()[0] == last &&
         covers();
}

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

/// Makes dynamic sizes inputs of the kernel, whose loops will not have them any
/// more.
void PartJoiner::findSizes(Part &part) {
  for (Range &range : part.ranges) {
    if (range.isWhole || !range.isDynamic())
      continue;
    StringRef name = part.op.getAxes()[*range.loop];
    auto host = cast<Value>(kernel.getExtent(*kernel.findLoop(name)));
    unsigned position =
        llvm::find(kernel.getIns(), host) - kernel.getIns().begin();
    range.dynamicSize = position == kernel.getIns().size()
                            ? kernel.addInput(host)
                            : kernel.getInArgument(position);
  }
}

/// The loop that runs over all of each dimension; null where none does.
SmallVector<LoopAttr> PartJoiner::wholeLoops() {
  SmallVector<LoopAttr> whole(shape.size());
  for (auto [dim, size] : llvm::enumerate(shape))
    for (Part &part : parts) {
      const Range &range = part.ranges[dim];
      if (whole[dim] || size == 1 || !range.isWhole)
        continue;
      StringRef name = part.op.getAxes()[*range.loop];
      LoopAttr loop = kernel.getLoop(*kernel.findLoop(name));
      if (!llvm::is_contained(whole, loop))
        whole[dim] = loop;
    }
  return whole;
}

/// A loop that runs over all of a dimension is kept as it is. Names that are
/// made are none of these.
void PartJoiner::declareLoops() {
  SmallVector<LoopAttr> declared, whole = wholeLoops();
  auto isTaken = [&](StringRef name) {
    return llvm::is_contained(loops, name) ||
           llvm::any_of(whole, [&](LoopAttr loop) {
             return loop && loop.getName() == name;
           });
  };
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (size == 1) {
      access.push_back({b.getAffineConstantExpr(0)});
      continue;
    }
    LoopAttr loop = whole[dim];
    // Names of others would not say what the loop is.
    for (unsigned number = dim; !loop; ++number)
      if (std::string name = "d" + std::to_string(number); !isTaken(name))
        loop = LoopAttr::get(kernel.getContext(), name, size);
    access.push_back({b.getAffineDimExpr(loops.size())});
    declared.push_back(loop);
    loops.push_back(loop.getName().str());
  }
  kernel.replaceLoops(declared);
}

/// Emits an i1 that is true if the element is in the part; null where all are.
Value PartJoiner::insideOf(const Part &part) {
  Location loc = kernel.getLoc();
  Value inside;
  for (auto [dim, range] : llvm::enumerate(part.ranges)) {
    if (range.isWhole)
      continue;
    Value moved =
        arith::SubIOp::create(b, loc, indices[dim], number(range.from));
    // Unsigned: also false for indices before the beginning.
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, moved,
                                       sizeOf(range));
    inside = inside ? arith::AndIOp::create(b, loc, inside, here) : here;
  }
  return inside;
}

/// The iterations of the loops of the op for the element; the nearest ones
/// where the element is outside, so that each access is valid.
SmallVector<Value> PartJoiner::iterationsOf(const Part &part) {
  ComputeOp op = part.op;
  Location loc = op.getLoc();
  SmallVector<Value> iterations(op.getNumLoops());
  for (auto [dim, range] : llvm::enumerate(part.ranges)) {
    if (!range.loop)
      continue;
    Value at = indices[dim];
    if (!range.isWhole) {
      at = arith::SubIOp::create(b, loc, at, number(range.from));
      bool reachesEnd = !range.isDynamic() && range.end() == shape[dim];
      Value last = arith::SubIOp::create(b, loc, sizeOf(range), number(1));
      if (!reachesEnd)
        at = arith::MinSIOp::create(b, loc, at, last);
      // The part may have no element, so that there is no last one.
      if (range.from > 0 || range.isDynamic())
        at = arith::MaxSIOp::create(b, loc, at, number(0));
    }
    iterations[*range.loop] = at;
  }
  return iterations;
}

/// The element that the payload of the op gets for an input.
Value PartJoiner::operandOf(ComputeOp op, OpOperand &input,
                            ArrayRef<Value> iterations) {
  if (!isa<ShapedType>(input.get().getType()))
    return input.get();
  SmallVector<Value> at;
  for (const Subscript &subscript : op.getSubscripts(input))
    at.push_back(affine::expandAffineExpr(b, op.getLoc(), subscript.index,
                                          iterations, ValueRange()));
  return tensor::ExtractOp::create(b, op.getLoc(), input.get(), at);
}

Value PartJoiner::elementOf(const Part &part) {
  ComputeOp op = part.op;
  SmallVector<Value> iterations = iterationsOf(part);
  IRMapping mapping;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      mapping.map(op.getMatchingBlockArgument(input),
                  operandOf(op, *input, iterations));
  for (Operation &inner : op.getBlock()->without_terminator())
    if (auto index = dyn_cast<IndexOp>(inner))
      mapping.map(index.getResult(), iterations[index.getDim()]);
    else
      b.clone(inner, mapping);
  return mapping.lookupOrDefault(op.getBlock()->getTerminator()->getOperand(0));
}

void PartJoiner::join() {
  llvm::for_each(parts, [&](Part &part) { findSizes(part); });
  declareLoops();
  Location loc = kernel.getLoc();
  auto joined = ComputeOp::create(
      b, loc, ValueRange(), kernel.getOutArgument(0), access,
      llvm::to_vector_of<StringRef>(loops), loops.size(), StringAttr());
  auto type = cast<RankedTensorType>(kernel.getOuts()[0].getType());
  b.createBlock(&joined.getPayload(), {}, type.getElementType(), loc);
  unsigned loop = 0;
  for (int64_t size : shape)
    indices.push_back(
        size == 1 ? number(0)
                  : IndexOp::create(b, loc, b.getIndexType(), loops[loop++]));
  Value element = elementOf(parts.front());
  for (const Part &part : ArrayRef(parts).drop_front()) {
    Value other = elementOf(part), inside = insideOf(part);
    element = inside ? arith::SelectOp::create(b, loc, inside, other, element)
                     : other;
  }
  linalg::YieldOp::create(b, loc, element);
  kernel.getYield()->setOperand(0, joined.getResult(0));
  for (Part &part : llvm::reverse(parts))
    part.op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Many parts are many loads for an element.
void KrnlJoinPartsPass::rewrite(KernelOp kernel) {
  if (!kernel.getRecipe().empty() || !PartJoiner(kernel).match())
    return;
  OpBuilder b(kernel);
  auto joined = cast<KernelOp>(b.clone(*kernel));
  PartJoiner joiner(joined);
  joiner.match();
  joiner.join();
  FormChoice choice(
      {"loops for each part of the tensor", chooser->cyclesOf(kernel)},
      /*gain=*/1);
  choice.offer(
      {"one loop over all parts of the tensor", chooser->cyclesOf(joined)});
  if (!choice.report(kernel.getLoc(), getArgument())) {
    joined.erase();
    return;
  }
  kernel.replaceAllUsesWith(joined.getResults());
  kernel.erase();
}

} // namespace onnxc
