//===- KernelShape.cpp - Facts about kernels for recipes -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "KernelShape.h"

#include "onnxc/Dialect/Krnl/IR/PartialAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc {

int64_t estimatedProduct(int64_t a, int64_t b) {
  constexpr int64_t largest = int64_t(1) << 52;
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? largest
                                          : std::min(product, largest);
}

int64_t extentOf(KernelOp kernel, StringRef loop, int64_t unknown) {
  LoopAttr attribute = kernel.getLoop(*kernel.findLoop(loop));
  return attribute.isDynamic() ? unknown : attribute.getExtent();
}

bool isStatic(KernelOp kernel, StringRef loop) {
  return !kernel.getLoop(*kernel.findLoop(loop)).isDynamic();
}

SmallVector<std::string> loopNames(KernelOp kernel) {
  SmallVector<std::string> names;
  for (auto loop : kernel.getLoops().getAsRange<LoopAttr>())
    names.push_back(loop.getName().str());
  return names;
}

SmallVector<std::string> accessLoops(linalg::LinalgOp op, OpOperand &operand) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  SmallVector<std::string> loops;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    loops.push_back(dim ? axes[dim.getPosition()].str() : "");
  }
  return loops;
}

SmallVector<AffineExpr> indicesAlongMemory(linalg::LinalgOp op,
                                           OpOperand &operand) {
  SmallVector<AffineExpr> indices(
      op.getMatchingIndexingMap(&operand).getResults());
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  while (!indices.empty() && type &&
         type.getDimSize(int64_t(indices.size()) - 1) == 1 &&
         isa<AffineConstantExpr>(indices.back()))
    indices.pop_back();
  return indices;
}

SmallVector<std::string> loopsAlongMemory(linalg::LinalgOp op,
                                          OpOperand &operand) {
  SmallVector<std::string> loops = accessLoops(op, operand);
  loops.truncate(indicesAlongMemory(op, operand).size());
  return loops;
}

/// By how much the index grows with each iteration of the dimension; nothing if
/// that is not known.
static std::optional<int64_t> stepOf(AffineExpr index, unsigned dim,
                                     unsigned dims) {
  AffineExpr d = getAffineDimExpr(dim, index.getContext());
  auto step = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(index.replace(d, d + 1) - index, dims, 0));
  if (!step)
    return std::nullopt;
  return step.getValue();
}

std::optional<Slide> findSlide(linalg::LinalgOp op) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingBlockArgument(input).use_empty())
      continue;
    SmallVector<AffineExpr> indices = indicesAlongMemory(op, *input);
    for (AffineExpr index : ArrayRef(indices).drop_back(!indices.empty())) {
      int moving = -1, reduced = -1, others = 0;
      for (unsigned dim : llvm::seq<unsigned>(axes.size())) {
        if (!index.isFunctionOfDim(dim))
          continue;
        int &position =
            kinds[dim] == utils::IteratorType::reduction ? reduced : moving;
        others += position >= 0;
        position = dim;
      }
      if (moving < 0 || reduced < 0 || others > 0)
        continue;
      AffineExpr whole = wholeIndex(index);
      std::optional<int64_t> step = stepOf(whole, moving, axes.size());
      if (step && step == stepOf(whole, reduced, axes.size()))
        return Slide{axes[moving].str(), axes[reduced].str()};
    }
  }
  return std::nullopt;
}

int64_t pitchOf(linalg::LinalgOp op, OpOperand &operand, StringRef loop) {
  auto type = cast<RankedTensorType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  if (!type.getElementType().isIntOrFloat())
    return 0;
  AffineExpr d =
      getAffineDimExpr(llvm::find(axes, loop) - axes.begin(), op.getContext());
  int64_t pitch = 0, stride = type.getElementTypeBitWidth() / 8;
  for (auto [index, size] :
       llvm::reverse(llvm::zip_equal(map.getResults(), type.getShape()))) {
    AffineExpr whole = wholeIndex(index);
    auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
        whole.replace(d, d + 1) - whole, map.getNumDims(), 0));
    bool isFar = ShapedType::isDynamic(stride);
    if (!step || (isFar && step.getValue() != 0))
      return 0;
    if (!isFar)
      pitch += step.getValue() * stride;
    stride = isFar || ShapedType::isDynamic(size) ? ShapedType::kDynamic
                                                  : stride * size;
  }
  return pitch;
}

SmallVector<std::string> reducedLoops(linalg::LinalgOp op) {
  SmallVector<std::string> loops;
  for (auto [axis, kind] :
       llvm::zip_equal(KernelOp::getAxes(op), op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      loops.push_back(axis.str());
  return loops;
}

/// All that the payload of an op takes and makes.
static SmallVector<Value> payloadValues(linalg::LinalgOp op) {
  SmallVector<Value> values(op.getBlock()->getArguments());
  for (Operation &inner : op.getBlock()->without_terminator())
    llvm::append_range(values, inner.getResults());
  return values;
}

/// Of a lane; 0 for what is no number that fits a vector.
static unsigned bitsOf(Type type) {
  unsigned bits = isa<IndexType>(type)  ? 64
                  : type.isIntOrFloat() ? type.getIntOrFloatBitWidth()
                                        : 0;
  return bits > 64 ? 0 : bits;
}

unsigned widestBits(linalg::LinalgOp op) {
  unsigned widest = 8;
  for (Value value : payloadValues(op)) {
    unsigned bits = bitsOf(value.getType());
    if (bits == 0)
      return 0;
    widest = std::max(widest, bits);
  }
  return widest;
}

namespace {
/// How an index changes from one iteration of a loop to the next.
enum class Stride { None, Even, Other };
} // namespace

/// For each value of the payload: how it changes along iterator `dim`. What is
/// not in the map is made outside, once.
static DenseMap<Value, Stride> stridesAlong(linalg::LinalgOp op, unsigned dim) {
  DenseMap<Value, Stride> strides;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(dim))
      strides[op.getMatchingBlockArgument(&operand)] = Stride::Other;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    Stride most = Stride::None;
    unsigned moving = 0;
    for (Value operand : inner.getOperands()) {
      Stride stride = strides.lookup(operand);
      most = std::max(most, stride);
      moving += stride != Stride::None;
    }
    if (auto loop = dyn_cast<linalg::IndexOp>(inner))
      most = loop.getDim() == dim ? Stride::Even : Stride::None;
    else if (most == Stride::Even &&
             !isa<arith::AddIOp, arith::SubIOp>(inner) &&
             !(isa<arith::MulIOp>(inner) && moving < 2))
      most = Stride::Other;
    for (Value result : inner.getResults())
      strides[result] = most;
  }
  return strides;
}

/// Is it one position for all lanes, or neighbours in memory?
static bool isInLine(tensor::ExtractOp extract,
                     const DenseMap<Value, Stride> &strides) {
  ArrayRef<int64_t> shape = extract.getTensor().getType().getShape();
  for (auto [position, index] : llvm::enumerate(extract.getIndices())) {
    Stride stride = strides.lookup(index);
    // Dimensions of one element do not part neighbours.
    bool last = llvm::all_of(shape.drop_front(position + 1),
                             [](int64_t size) { return size == 1; });
    if (stride == Stride::Other || (stride == Stride::Even && !last))
      return false;
  }
  return true;
}

static DenseMap<Value, Stride> stridesAlong(linalg::LinalgOp op,
                                            StringRef loop) {
  SmallVector<StringRef> axes = KernelOp::getAxes(op);
  return stridesAlong(op, llvm::find(axes, loop) - axes.begin());
}

unsigned vectorBits(linalg::LinalgOp op, StringRef loop) {
  DenseMap<Value, Stride> strides = stridesAlong(op, loop);
  unsigned widest = 8;
  for (Value value : payloadValues(op)) {
    unsigned bits = bitsOf(value.getType());
    if (bits == 0)
      return 0;
    // Indices become addresses, of which a vector may take two.
    if (strides.lookup(value) != Stride::None &&
        !isa<IndexType>(value.getType()))
      widest = std::max(widest, bits);
  }
  return widest;
}

PayloadSize payloadAlong(linalg::LinalgOp op, StringRef loop) {
  DenseMap<Value, Stride> strides = stridesAlong(op, loop);
  PayloadSize size;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool moves = llvm::any_of(inner.getOperands(), [&](Value operand) {
      return strides.lookup(operand) != Stride::None;
    });
    bool isEven = llvm::all_of(inner.getResults(), [&](Value result) {
      return result.getType().isIndex() &&
             strides.lookup(result) == Stride::Even;
    });
    if (!isEven)
      ++(moves ? size.perLane : size.once);
  }
  return size;
}

bool readsInLine(linalg::LinalgOp op, StringRef loop) {
  DenseMap<Value, Stride> strides = stridesAlong(op, loop);
  return llvm::all_of(
      op.getBlock()->getOps<tensor::ExtractOp>(),
      [&](tensor::ExtractOp extract) { return isInLine(extract, strides); });
}

bool gathersPay(linalg::LinalgOp op, StringRef loop,
                const target::Processor &target) {
  DenseMap<Value, Stride> strides = stridesAlong(op, loop);
  int64_t gathers = 0, arithmetic = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      Type element = extract.getType();
      bool isWord =
          element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 32;
      if (!isInLine(extract, strides) && !isWord)
        return false;
      gathers += !isInLine(extract, strides);
      continue;
    }
    bool moves = llvm::any_of(inner.getOperands(), [&](Value operand) {
      return strides.lookup(operand) != Stride::None;
    });
    arithmetic += moves && inner.getNumResults() == 1 &&
                  isa<FloatType>(inner.getResult(0).getType());
  }
  return arithmetic >= target.gatherOperations * gathers;
}

/// A transcendental function costs as much as this many bytes of traffic.
static constexpr int64_t mathBytes = 16;

int64_t workBytesOf(KernelOp kernel, linalg::LinalgOp op, int64_t unknown) {
  int64_t points = 1, perPoint = 0;
  for (StringRef axis : KernelOp::getAxes(op))
    points = estimatedProduct(points, extentOf(kernel, axis, unknown));
  for (Value operand : op->getOperands()) {
    Type element = getElementTypeOrSelf(operand.getType());
    int64_t bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    perPoint += std::max<int64_t>(bits / 8, 1);
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    perPoint += isa<math::MathDialect>(inner.getDialect()) ? mathBytes : 1;
  return estimatedProduct(points, perPoint);
}

int64_t trafficBytes(KernelOp kernel, int64_t unknown) {
  int64_t bytes = 0;
  for (Value operand : kernel->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !type.getElementType().isIntOrFloat())
      continue;
    int64_t elements = 1;
    for (int64_t size : type.getShape())
      elements = estimatedProduct(elements,
                                  ShapedType::isDynamic(size) ? unknown : size);
    bytes += estimatedProduct(
        elements, std::max<int64_t>(type.getElementTypeBitWidth() / 8, 1));
  }
  return bytes;
}

} // namespace onnxc
