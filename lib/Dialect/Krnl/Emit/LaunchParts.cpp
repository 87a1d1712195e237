//===- LaunchParts.cpp - Bytes of buffers that launches access --*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/Emit/LaunchParts.h"

#include "onnxc/Dialect/Krnl/IR/Accesses.h"
#include "onnxc/Dialect/Krnl/IR/BufferParts.h"
#include "onnxc/Support/ElementBytes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace onnxc::krnl {

namespace {
/// The first and the last index that is accessed, of each dimension.
using Box = SmallVector<std::pair<int64_t, int64_t>>;

/// What is accessed of the tensors that are operands of a kernel.
class Boxes {
public:
  explicit Boxes(KernelOp kernel);

  /// The box of an operand of the kernel; null where that may be everything.
  const Box *of(unsigned operand) const {
    auto found = boxes.find(operand);
    return found != boxes.end() && !unknown.contains(operand) ? &found->second
                                                              : nullptr;
  }

private:
  void add(ComputeOp op, OpOperand &operand);
  /// The operand of the kernel that a tensor of its body is; none for those
  /// that are made inside.
  std::optional<unsigned> operandOf(Value tensor) const;

  KernelOp kernel;
  llvm::DenseMap<unsigned, Box> boxes;
  llvm::DenseSet<unsigned> unknown;
};
} // namespace

std::optional<unsigned> Boxes::operandOf(Value tensor) const {
  while (auto result = dyn_cast<OpResult>(tensor)) {
    auto op = dyn_cast<ComputeOp>(result.getOwner());
    if (!op)
      return std::nullopt;
    tensor = op.getDpsInits()[result.getResultNumber()];
  }
  auto argument = cast<BlockArgument>(tensor);
  return argument.getOwner()->getParentOp() == kernel
             ? std::optional(argument.getArgNumber())
             : std::nullopt;
}

/// Payloads access elements at indices that they compute.
static bool hasComputedPlaces(ComputeOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<ScatterLoadOp, ScatterStoreOp>(inner);
  });
}

void Boxes::add(ComputeOp op, OpOperand &operand) {
  std::optional<unsigned> which = operandOf(operand.get());
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  if (!which || !type || !isAccessed(operand))
    return;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  Box box;
  for (const Subscript &at : op.getSubscripts(operand)) {
    auto values = valuesOf(at.index, extents);
    if (at.range && !ShapedType::isDynamic(at.range->second))
      values = {at.range->first, at.range->second - 1};
    if (!values || values->first < 0) {
      unknown.insert(*which);
      return;
    }
    box.push_back(*values);
  }
  if (op.isDpsInit(&operand) && hasComputedPlaces(op))
    unknown.insert(*which);
  auto [found, isNew] = boxes.try_emplace(*which, box);
  for (auto [all, here] : llvm::zip_equal(found->second, box))
    all = {std::min(all.first, here.first), std::max(all.second, here.second)};
}

Boxes::Boxes(KernelOp kernel) : kernel(kernel) {
  kernel.getBody().walk([&](Operation *inner) {
    if (auto op = dyn_cast<ComputeOp>(inner)) {
      for (OpOperand &operand : op->getOpOperands())
        add(op, operand);
      return;
    }
    if (isa<tensor::DimOp, YieldOp>(inner))
      return;
    for (Value used : inner->getOperands())
      if (isa<RankedTensorType>(used.getType()))
        if (std::optional<unsigned> which = operandOf(used))
          unknown.insert(*which);
  });
}

/// The range of bytes that is the smallest share of a row, for rows along each
/// dimension; none where that is all of them.
static std::optional<BufferPart> narrowest(RankedTensorType type,
                                           const Box &box) {
  Type element = type.getElementType();
  if (!type.hasStaticShape() || !element.isIntOrIndexOrFloat() ||
      type.getRank() != int64_t(box.size()))
    return std::nullopt;
  int64_t row = elementBytes(element);
  std::optional<BufferPart> best;
  double share = 1;
  for (int64_t d = type.getRank(); d-- > 0;) {
    int64_t size = type.getDimSize(d), step = row;
    auto [first, last] = box[d];
    row *= size;
    if (size == 0 || last >= size)
      return std::nullopt;
    double here = double(last + 1 - first) / double(size);
    if (here < share) {
      share = here;
      best = BufferPart{0, row, first * step, (last + 1) * step};
    }
  }
  return best;
}

void setParts(LaunchOp launch, KernelOp kernel,
              function_ref<bool(unsigned)> isReplaced) {
  Boxes boxes(kernel);
  SmallVector<int64_t> parts;
  int64_t numIns = int64_t(kernel.getIns().size());
  auto add = [&](Value tensor, int64_t operand, int64_t buffer) {
    auto type = dyn_cast<RankedTensorType>(tensor.getType());
    const Box *box = type ? boxes.of(unsigned(operand)) : nullptr;
    if (!box || isReplaced(unsigned(operand)))
      return;
    if (std::optional<BufferPart> part = narrowest(type, *box))
      llvm::append_values(parts, buffer, part->pitch, part->begin, part->end);
  };
  for (auto [i, in] : llvm::enumerate(kernel.getIns()))
    add(in, int64_t(i), int64_t(i));
  for (auto [i, out] : llvm::enumerate(kernel.getOuts()))
    add(out, numIns + int64_t(i), ~int64_t(i));
  if (!parts.empty())
    launch->setAttr(partsAttrName,
                    Builder(launch.getContext()).getDenseI64ArrayAttr(parts));
}

} // namespace onnxc::krnl
