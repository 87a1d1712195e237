//===- AlignLoops.cpp - Two kernels with a view between ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//   %y = loops [g = 8, m = 1024, ..]  -> tensor<8x1024x256xf32>
//   %v = tensor.reshape %y            -> tensor<32x256x256xf32>
//   loops [h = 32, q = 256, ..] ins(%v)
// -> %y = loops [g = 8, m0 = 4, m1 = 256, ..]  -> tensor<8x4x256x256xf32>
//    loops [h0 = 8, h1 = 4, q = 256, ..] ins(%y)
//
// Heads of an attention that share their keys are rows of one product, and
// heads of their own for all between the products.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/IndexBuilder.h"
#include "onnxc/Dialect/Krnl/Transforms/Transforms.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace onnxc::krnl {

static bool isDeadTensorOp(Operation *op) {
  return op && isa<tensor::TensorDialect>(op->getDialect()) &&
         isOpTriviallyDead(op);
}

/// Erases views, sizes and tensors of the host program that nothing uses, from
/// these on to what they are made of.
static void eraseDead(RewriterBase &rewriter, SmallVector<Value> values) {
  while (!values.empty()) {
    Operation *maker = values.pop_back_val().getDefiningOp();
    if (!isDeadTensorOp(maker))
      continue;
    llvm::append_range(values, maker->getOperands());
    llvm::erase_if(values, [&](Value v) { return v.getDefiningOp() == maker; });
    rewriter.eraseOp(maker);
  }
}

/// Erases sizes and views of the value that nothing uses.
static void eraseDeadUsers(RewriterBase &rewriter, Value value) {
  llvm::SetVector<Operation *> users;
  SmallVector<Value> open{value};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers())
      if (isa<tensor::TensorDialect>(user->getDialect()) && users.insert(user))
        llvm::append_range(open, user->getResults());
  for (bool changes = true; std::exchange(changes, false);)
    for (Operation *user : llvm::reverse(llvm::to_vector(users)))
      if (isDeadTensorOp(user)) {
        users.remove(user);
        rewriter.eraseOp(user);
        changes = true;
      }
}

void eraseWithOperands(RewriterBase &rewriter, KernelOp kernel) {
  SmallVector<Value> operands(kernel->getOperands());
  for (Value result : kernel->getResults())
    eraseDeadUsers(rewriter, result);
  rewriter.eraseOp(kernel);
  eraseDead(rewriter, std::move(operands));
}

namespace {
/// For each dimension of two shapes, the sizes of its parts.
struct CommonParts {
  SmallVector<SmallVector<int64_t>> first, second;
};
} // namespace

/// The next part of both sizes, of which this is left; 0 if there is none. That
/// of an unknown size comes after those of its known factor.
static int64_t partOf(const ScaledSize &a, const ScaledSize &b) {
  if (a == b)
    return a.unknown ? ShapedType::kDynamic : a.factor;
  int64_t size = std::min(a.factor, b.factor);
  bool isPart = size > 0 && a.factor % size == 0 && b.factor % size == 0;
  // A part of 1 is one only where it is all of a dimension.
  bool isAll = size > 1 || a == ScaledSize() || b == ScaledSize();
  return isPart && isAll ? size : 0;
}

static ScaledSize withoutPart(const ScaledSize &rest, int64_t part) {
  if (ShapedType::isDynamic(part))
    return {};
  return {rest.factor / part, rest.unknown};
}

/// Divides the dimensions of shapes of as many elements into parts that both
/// have; nothing where they have none.
static std::optional<CommonParts> divideBoth(ArrayRef<ScaledSize> a,
                                             ArrayRef<ScaledSize> b) {
  CommonParts parts;
  parts.first.resize(a.size());
  parts.second.resize(b.size());
  if (a.empty() || b.empty())
    return std::nullopt;
  size_t i = 0, j = 0;
  ScaledSize restA, restB;
  // A dimension begins with all of its size, and ends when nothing is left.
  while (i < a.size() || j < b.size()) {
    bool hasA = i < a.size(), hasB = j < b.size();
    if (hasA && parts.first[i].empty())
      restA = a[i];
    if (hasB && parts.second[j].empty())
      restB = b[j];
    int64_t size = partOf(restA, restB);
    if (size == 0)
      return std::nullopt;
    parts.first[std::min(i, a.size() - 1)].push_back(size);
    parts.second[std::min(j, b.size() - 1)].push_back(size);
    restA = withoutPart(restA, size);
    restB = withoutPart(restB, size);
    if ((hasA && !hasB && restA != ScaledSize()) ||
        (hasB && !hasA && restB != ScaledSize()))
      return std::nullopt;
    i += hasA && restA == ScaledSize();
    j += hasB && restB == ScaledSize();
  }
  return parts;
}

/// The loops that cover the dimensions of a tensor of the body; "" where an op
/// has none, or another one than the others.
static SmallVector<std::string> loopsAlong(Value tensor) {
  SmallVector<std::string> loops;
  for (OpOperand &use : tensor.getUses()) {
    auto op = dyn_cast<ComputeOp>(use.getOwner());
    if (!op)
      continue;
    SmallVector<StringRef> along = op.getLoopsAlong(use);
    if (loops.empty())
      loops = llvm::to_vector_of<std::string>(along);
    for (auto [loop, other] : llvm::zip_equal(loops, along))
      if (loop != other)
        loop.clear();
  }
  return loops;
}

/// The sizes of a tensor of the body, by the extents of the loops along it;
/// nothing where no loop has one that is dynamic.
static std::optional<SmallVector<ScaledSize>> sizesAlong(KernelOp kernel,
                                                         Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<std::string> loops = loopsAlong(tensor);
  SmallVector<ScaledSize> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back({size, Value()});
      continue;
    }
    if (loops.empty() || loops[dim].empty())
      return std::nullopt;
    sizes.push_back(
        splitFactor(kernel.getExtent(*kernel.findLoop(loops[dim]))));
  }
  return sizes;
}

/// Sizes of as many elements: if only one of each is unknown, these are the
/// same where the others have the same product.
static void identifyUnknown(MutableArrayRef<ScaledSize> a,
                            MutableArrayRef<ScaledSize> b) {
  auto unknownOf = [](MutableArrayRef<ScaledSize> sizes) {
    ScaledSize *unknown = nullptr;
    int64_t known = 1;
    for (ScaledSize &size : sizes) {
      if (size.unknown && std::exchange(unknown, &size))
        return std::pair(static_cast<ScaledSize *>(nullptr), int64_t(0));
      if (!size.unknown && llvm::MulOverflow(known, size.factor, known))
        known = 0;
    }
    return std::pair(unknown, known);
  };
  auto [first, factor] = unknownOf(a);
  auto [second, other] = unknownOf(b);
  if (first && second && factor == other && factor > 0)
    *second = *first;
}

/// Makes loops of the kernel along the tensor of its body those of the parts.
static bool expandAll(RewriterBase &rewriter, KernelOp kernel, Value tensor,
                      ArrayRef<SmallVector<int64_t>> parts) {
  SmallVector<std::string> loops = loopsAlong(tensor), names;
  if (loops.size() != parts.size())
    return false;
  for (auto [loop, sizes] : llvm::zip_equal(loops, parts)) {
    if (sizes.size() == 1)
      continue;
    names.clear();
    if (loop.empty() || !expandLoop(rewriter, kernel, loop, sizes, names))
      return false;
    dropUnitLoops(kernel);
  }
  return true;
}

/// The operand is the tensor instead of a view of it, or of views.
static void readItself(RewriterBase &rewriter, OpOperand &operand,
                       Value tensor) {
  Value view = operand.get();
  operand.set(tensor);
  eraseDead(rewriter, {view});
}

/// Returns true if a view of a tensor of this type is the tensor if it has the
/// same type. Elements of two dynamic sizes, or none at all, may be in other
/// dimensions.
static bool hasOneShape(RankedTensorType type) {
  return type.hasStaticShape() ||
         (type.getNumDynamicDims() == 1 &&
          !llvm::is_contained(type.getShape(), int64_t(0)));
}

/// The result of a kernel, whatever type it has.
static bool isResult(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value.getDefiningOp<KernelOp>() != nullptr;
}

bool alignLoops(RewriterBase &rewriter, KernelOp producer, KernelOp consumer,
                unsigned input) {
  auto operand = [&]() -> OpOperand & {
    return consumer.getInsMutable()[input];
  };
  auto written = dyn_cast<RankedTensorType>(producer.getResult(0).getType());
  auto read = dyn_cast<RankedTensorType>(operand().get().getType());
  if (!written || !read)
    return false;
  if (written == read && (hasOneShape(read) || isResult(operand().get()))) {
    readItself(rewriter, operand(), producer.getResult(0));
    return true;
  }
  Value result = producer.getOutArgument(0),
        argument = consumer.getInArgument(input);
  auto writtenSizes = sizesAlong(producer, result),
       readSizes = sizesAlong(consumer, argument);
  if (!writtenSizes || !readSizes)
    return false;
  identifyUnknown(*writtenSizes, *readSizes);
  std::optional<CommonParts> parts = divideBoth(*writtenSizes, *readSizes);
  if (!parts || !expandAll(rewriter, producer, result, parts->first) ||
      !expandAll(rewriter, consumer, argument, parts->second) ||
      producer.getResult(0).getType() != operand().get().getType())
    return false;
  readItself(rewriter, operand(), producer.getResult(0));
  return true;
}

} // namespace onnxc::krnl
