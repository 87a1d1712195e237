//===- BufferizeHostMemory.cpp - Whose buffer a value is --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Fresh buffers, destinations of launches, and buffers passed to loops.
//
//===----------------------------------------------------------------------===//

#include "HostBufferizer.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/Dominance.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

Type krnl::bufferType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return type;
}

SmallVector<Type> krnl::bufferTypes(TypeRange types) {
  return llvm::map_to_vector(types, bufferType);
}

bool krnl::isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

Value krnl::viewSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::CastOp, tensor::CollapseShapeOp,
                      tensor::ExpandShapeOp, tensor::ReshapeOp, FirstRowsOp>(
          op))
    return op->getOperand(0);
  return {};
}

Value krnl::stripViews(Value value) {
  while (!value.getDefiningOp<FirstRowsOp>()) {
    Value source = viewSource(value);
    if (!source)
      break;
    value = source;
  }
  return value;
}

bool krnl::isOwned(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<scf::ForOp, scf::WhileOp>(argument.getOwner()->getParentOp());
  if (auto call = value.getDefiningOp<krnl::CallOp>())
    return !call.getShared();
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return !branch->hasAttr(choiceAttrName);
  return isa<LaunchOp, AppendRowOp, tensor::FromElementsOp, arith::SelectOp,
             scf::ForOp, scf::WhileOp>(value.getDefiningOp());
}

Value Bufferizer::allocate(Location loc, Type type, ValueRange sizes) {
  return memref::AllocOp::create(builder, loc, cast<MemRefType>(type), sizes);
}

Value Bufferizer::allocateLike(Location loc, Value source) {
  return allocate(loc, source.getType(), dynamicSizes(builder, loc, source));
}

Value Bufferizer::copied(Location loc, Value source) {
  Value copy = allocateLike(loc, source);
  memref::CopyOp::create(builder, loc, source, copy);
  return copy;
}

/// The view that the op is of its operand: of a tensor, or of the buffer that
/// an argument of a block has become.
static Value viewOf(Operation *op, Value operand) {
  if (op->getNumResults() != 1)
    return {};
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return view.getViewSource() == operand ? op->getResult(0) : Value();
  return viewSource(op->getResult(0)) == operand ? op->getResult(0) : Value();
}

bool krnl::isReadBefore(OpOperand &use, Operation *op) {
  Operation *user = use.getOwner();
  // Sizes are not in the memory.
  if (isa<tensor::DimOp, memref::DimOp>(user))
    return true;
  if (Value view = viewOf(user, use.get()))
    return llvm::all_of(view.getUses(),
                        [&](OpOperand &its) { return isReadBefore(its, op); });
  Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
  if (!here || !here->isBeforeInBlock(op))
    return false;
  if (auto launch = dyn_cast<LaunchOp>(user))
    return use.getOperandNumber() < launch.getIns().size();
  if (auto copy = dyn_cast<memref::CopyOp>(user))
    return use.get() == copy.getSource();
  return isa<tensor::ExtractOp, memref::LoadOp>(user);
}

bool krnl::mayOverwrite(LaunchOp launch, Value value) {
  // The launch, or the view of the value that it has.
  Operation *user = launch;
  while (value.getParentBlock() == launch->getBlock()) {
    bool isFree = true, isUsed = false;
    for (OpOperand &use : value.getUses()) {
      isFree &= use.getOwner() == user ? !isUsed : isReadBefore(use, launch);
      isUsed |= use.getOwner() == user;
    }
    if (!isFree)
      return false;
    if (isOwned(value))
      return true;
    user = value.getDefiningOp();
    value = viewSource(value);
    if (!value)
      return false;
  }
  return false;
}

/// The op that makes a tensor without any elements written, where sizes may
/// have become known since; null if it is another one.
static tensor::EmptyOp freshTensor(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value.getDefiningOp<tensor::EmptyOp>();
}

std::optional<BufferChoice> krnl::choiceOf(scf::IfOp branch) {
  if (branch.getNumResults() != 1 || !isTensor(branch.getResult(0)))
    return std::nullopt;
  for (bool isThen : {true, false}) {
    Value given =
              (isThen ? branch.thenYield() : branch.elseYield()).getOperand(0),
          made =
              (isThen ? branch.elseYield() : branch.thenYield()).getOperand(0);
    auto launch = made.getDefiningOp<LaunchOp>();
    if (branch->isAncestor(given.getParentBlock()->getParentOp()) || !launch ||
        !branch->isAncestor(launch) || given.getDefiningOp<tensor::EmptyOp>())
      continue;
    unsigned number = cast<OpResult>(made).getResultNumber();
    tensor::EmptyOp empty = freshTensor(launch.getOuts()[number]);
    auto isBefore = [&](Value size) {
      return !branch->isAncestor(size.getParentBlock()->getParentOp());
    };
    if (empty && !empty.getDynamicSizes().empty() &&
        llvm::all_of(empty.getDynamicSizes(), isBefore))
      return BufferChoice{isThen, given, launch, number, empty};
  }
  return std::nullopt;
}

/// Where output operand `number` of a launch goes.
Value Bufferizer::destination(LaunchOp op, unsigned number) {
  Value out = op.getOuts()[number];
  if (Value chosen = destinations.lookup(op.getResult(number)))
    return chosen;
  if (auto empty = freshTensor(out)) {
    if (Value output = outputFor(op, number))
      return output;
    Value made = allocate(op.getLoc(), bufferType(empty.getType()),
                          empty.getDynamicSizes());
    return builder.createOrFold<memref::CastOp>(
        op.getLoc(), bufferType(out.getType()), made);
  }
  if (mayOverwrite(op, out))
    return buffer(out);
  Value output = outputFor(op, number);
  if (!output)
    return copied(op.getLoc(), buffer(out));
  memref::CopyOp::create(builder, op.getLoc(), buffer(out), output);
  return output;
}

/// The sizes of `seen`, which views and launches make of a result of `launch`,
/// before that launch. Nothing if they are only known after it, or if other ops
/// make `seen` of it; `own` are the sizes of the launch's own result.
static std::optional<SmallVector<OpFoldResult>>
sizesBefore(LaunchOp launch, Value seen, ArrayRef<OpFoldResult> own) {
  auto type = cast<RankedTensorType>(seen.getType());
  Builder b(seen.getContext());
  SmallVector<OpFoldResult> sizes;
  for (int64_t size : type.getShape())
    sizes.push_back(b.getIndexAttr(size));
  if (type.hasStaticShape())
    return sizes;
  if (auto made = seen.getDefiningOp<LaunchOp>())
    return made == launch
               ? SmallVector<OpFoldResult>(own)
               : sizesBefore(
                     launch,
                     made.getOuts()[cast<OpResult>(seen).getResultNumber()],
                     own);
  if (auto cast = seen.getDefiningOp<tensor::CastOp>())
    return sizesBefore(launch, cast.getSource(), own);
  if (auto expand = seen.getDefiningOp<tensor::ExpandShapeOp>())
    return expand.getMixedOutputShape();
  auto reshape = seen.getDefiningOp<tensor::ReshapeOp>();
  auto shape = reshape
                   ? reshape.getShape().getDefiningOp<tensor::FromElementsOp>()
                   : tensor::FromElementsOp();
  if (!shape || !shape.getType().getElementType().isIndex())
    return std::nullopt;
  for (auto [d, element] : llvm::enumerate(shape.getElements()))
    if (type.isDynamicDim(d))
      sizes[d] = getAsOpFoldResult(element);
  return sizes;
}

/// Returns true if the sizes of the output that is returned or yielded as
/// `seen` are known where `launch` is.
bool Bufferizer::areSizesBefore(LaunchOp launch, Value seen) {
  SmallVector<OpFoldResult> own(
      cast<RankedTensorType>(launch->getResult(0).getType()).getRank());
  auto sizes = sizesBefore(launch, seen, own);
  DominanceInfo dominance;
  return sizes && llvm::all_of(*sizes, [&](OpFoldResult size) {
           auto value = dyn_cast_if_present<Value>(size);
           return !value || dominance.properlyDominates(value, launch);
         });
}

/// The factors that several sizes have together: the unknown ones, sorted, and
/// the product of the known ones, which is nothing if it is out of range.
/// Products of products, of which a model can make powers, are split so far
/// only.
static std::pair<SmallVector<void *>, std::optional<int64_t>>
factorsOf(ArrayRef<OpFoldResult> sizes) {
  SmallVector<void *> unknown;
  std::optional<int64_t> known = 1;
  SmallVector<OpFoldResult> left(sizes);
  for (int splits = 64; !left.empty();) {
    OpFoldResult size = left.pop_back_val();
    if (std::optional<int64_t> number = getConstantIntValue(size))
      known = known ? llvm::checkedMul(*known, *number) : known;
    else if (auto product = cast<Value>(size).getDefiningOp<arith::MulIOp>();
             product && splits-- > 0)
      left.append({product.getLhs(), product.getRhs()});
    else
      unknown.push_back(cast<Value>(size).getAsOpaquePointer());
  }
  llvm::sort(unknown);
  return {unknown, known};
}

/// Returns true if the output that is returned or yielded as `seen` has as many
/// elements as the new destination of `launch` for all sizes.
bool Bufferizer::keepsCount(LaunchOp launch, Value destination, Value seen) {
  auto empty = destination.getDefiningOp<tensor::EmptyOp>();
  if (!empty)
    return false;
  SmallVector<OpFoldResult> own = empty.getMixedSizes();
  auto sizes = sizesBefore(launch, seen, own);
  if (!sizes)
    return false;
  auto factors = factorsOf(own);
  return factors.second && factors == factorsOf(*sizes);
}

/// The graph output that result `number` of a launch becomes, seen with the
/// type of the result; null if it is none.
Value Bufferizer::outputFor(LaunchOp op, unsigned number) {
  auto found = outputs.find(op.getResult(number));
  if (found == outputs.end())
    return {};
  auto [index, seen] = found->second;
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(bufferType(seen.getType())),
       own = cast<MemRefType>(bufferType(op.getResult(number).getType()));
  Value out = op.getOuts()[number];
  SmallVector<OpFoldResult> ownSizes;
  if (auto empty = out.getDefiningOp<tensor::EmptyOp>())
    ownSizes = empty.getMixedSizes();
  else
    ownSizes = memref::getMixedSizes(builder, loc, buffer(out));
  SmallVector<OpFoldResult> sizes = *sizesBefore(op, seen, ownSizes);
  SmallVector<Value> dynamic;
  for (auto [d, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(d))
      dynamic.push_back(getValueOrCreateConstantIndexOp(builder, loc, size));
  Value output = OutputOp::create(builder, loc, type, index, dynamic);
  isWritten.set(index);
  return type == own && sizes == ownSizes
             ? output
             : reshaped(loc, own, output, ownSizes);
}

/// The buffer of a value that graph output `index` becomes: it is the output
/// already, or copied there.
Value Bufferizer::inOutput(Location loc, Value value, unsigned index) {
  Value source = buffer(value);
  auto found = outputs.find(stripViews(value));
  if (found != outputs.end() && found->second.index == index)
    return source;
  Value output = OutputOp::create(builder, loc, source.getType(), index,
                                  dynamicSizes(builder, loc, source));
  memref::CopyOp::create(builder, loc, source, output);
  isWritten.set(index);
  return output;
}

/// Takes over the buffer of a value that a loop or branch forwards; a copy
/// where it has other uses.
/// Returns true if the op of `use` takes `value` or a view of it once more; if
/// `isOnlyUse`, if anything else reads one of them.
static bool isPassedTwice(Value value, OpOperand &use, bool isOnlyUse) {
  return llvm::any_of(value.getUses(), [&](OpOperand &other) {
    Operation *user = other.getOwner();
    if (&other == &use)
      return false;
    if (Value view = viewOf(user, value))
      return isPassedTwice(view, use, isOnlyUse);
    return isOnlyUse || user == use.getOwner();
  });
}

Value Bufferizer::transferBuffer(OpOperand &use, bool isOnlyUse) {
  Value value = use.get();
  Operation *op = use.getOwner();
  if (!isa<ShapedType>(value.getType()))
    return value;
  Value whole = stripViews(value);
  if (isOwned(whole) && whole.getParentBlock() == op->getBlock() &&
      !isPassedTwice(whole, use, isOnlyUse) && !outputs.contains(whole))
    return buffer(value);
  // Nothing that a copy would need has been written.
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return allocate(op->getLoc(), bufferType(value.getType()),
                    empty.getDynamicSizes());
  return copied(op->getLoc(), buffer(value));
}

SmallVector<Value> Bufferizer::transferBuffer(MutableOperandRange values,
                                              bool isOnlyUse) {
  return llvm::map_to_vector(
      values, [&](OpOperand &use) { return transferBuffer(use, isOnlyUse); });
}
