//===- BufferizeHost.cpp - Host tensors become buffers ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One walk in program order. Every buffer has one owner:
//   - what a launch, a call or from_elements makes belongs to its block;
//   - what a loop carries or a branch yields is handed over, never shared;
//   - inputs, weights and views belong to nobody here and are never written.
// Where a value cannot be handed over or overwritten it is copied.
//
//===----------------------------------------------------------------------===//

#include "HostBuffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLBUFFERIZEHOSTPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"
} // namespace onnxc::krnl

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

static Type bufferType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return MemRefType::get(tensor.getShape(), tensor.getElementType());
  return type;
}

static SmallVector<Type> bufferTypes(TypeRange types) {
  return llvm::map_to_vector(types, bufferType);
}

static bool isTensor(Value value) {
  return isa<RankedTensorType>(value.getType());
}

/// The source of a reshape or cast of a whole tensor, or null.
static Value viewSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<tensor::CastOp, tensor::CollapseShapeOp,
                      tensor::ExpandShapeOp, tensor::ReshapeOp>(op))
    return op->getOperand(0);
  return {};
}

/// True for values whose buffer belongs to the block that they are defined in.
static bool isOwned(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<scf::ForOp, scf::WhileOp>(argument.getOwner()->getParentOp());
  return isa<LaunchOp, krnl::CallOp, tensor::FromElementsOp, arith::SelectOp,
             scf::ForOp, scf::IfOp, scf::WhileOp>(value.getDefiningOp());
}

namespace {

class Bufferizer {
public:
  Bufferizer(func::FuncOp host, WeightTable &weights)
      : host(host), weights(weights), builder(host.getContext()) {}

  LogicalResult run();

private:
  void convertSignature();
  void chooseOutputs();
  LogicalResult convertBlock(Block &block);
  LogicalResult convert(Operation *op);

  void convertLaunch(LaunchOp op);
  void convertCall(krnl::CallOp op);
  void convertConstant(Operation *op, TypedAttr value, Attribute layout);
  void convertFromElements(tensor::FromElementsOp op);
  void convertReturn(func::ReturnOp op);
  LogicalResult convertView(Operation *op);
  Value viewed(Location loc, MemRefType type, Value source,
               ArrayRef<OpFoldResult> sizes);
  Value reshaped(Location loc, MemRefType type, Value source,
                 ArrayRef<OpFoldResult> sizes);
  SmallVector<OpFoldResult> reshapeSizes(Location loc, MemRefType type,
                                         Value shape);
  SmallVector<OpFoldResult>
  collapsedSizes(Location loc, Value source,
                 ArrayRef<ReassociationIndices> groups);
  OpFoldResult mulIndex(Location loc, OpFoldResult a, OpFoldResult b);
  void convertSelect(arith::SelectOp op);
  LogicalResult convertIf(scf::IfOp op);
  LogicalResult convertFor(scf::ForOp op);
  LogicalResult convertWhile(scf::WhileOp op);
  LogicalResult moveRegion(Region &from, Region &to);
  void convertArguments(Block &block);
  void mapResults(Operation *old, Operation *converted);

  Value buffer(Value tensor) { return buffers.lookup(tensor); }
  Value allocate(Location loc, Type type, ValueRange sizes);
  Value allocateLike(Location loc, Value source);
  Value copied(Location loc, Value source);
  Value destination(LaunchOp op, unsigned number);
  Value outputFor(LaunchOp op, unsigned number);
  Value handOver(OpOperand &use, bool isOnlyUse);
  SmallVector<Value> handOver(MutableOperandRange values, bool isOnlyUse);
  SmallVector<Value> dynamicSizes(Location loc, Value buffer);

  func::FuncOp host;
  WeightTable &weights;
  OpBuilder builder;
  DenseMap<Value, Value> buffers;
  /// Launch results written straight into graph outputs.
  DenseMap<Value, unsigned> outputs;
  llvm::SmallBitVector isWritten;
  SmallVector<Operation *> dead;
};

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Value Bufferizer::allocate(Location loc, Type type, ValueRange sizes) {
  return memref::AllocOp::create(builder, loc, cast<MemRefType>(type), sizes);
}

SmallVector<Value> Bufferizer::dynamicSizes(Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (type.isDynamicDim(i))
      sizes.push_back(memref::DimOp::create(builder, loc, buffer, i));
  return sizes;
}

Value Bufferizer::allocateLike(Location loc, Value source) {
  return allocate(loc, source.getType(), dynamicSizes(loc, source));
}

Value Bufferizer::copied(Location loc, Value source) {
  Value copy = allocateLike(loc, source);
  memref::CopyOp::create(builder, loc, source, copy);
  return copy;
}

/// True if nobody needs the old elements of a launch's destination.
static bool mayOverwrite(LaunchOp launch, Value value) {
  while (value.hasOneUse() && value.getParentBlock() == launch->getBlock()) {
    if (isOwned(value))
      return true;
    value = viewSource(value);
    if (!value)
      return false;
  }
  return false;
}

/// Where output operand `number` of a launch goes.
Value Bufferizer::destination(LaunchOp op, unsigned number) {
  Value out = op.getOuts()[number];
  if (auto empty = out.getDefiningOp<tensor::EmptyOp>()) {
    if (Value output = outputFor(op, number))
      return output;
    return allocate(op.getLoc(), bufferType(out.getType()),
                    empty.getDynamicSizes());
  }
  if (mayOverwrite(op, out))
    return buffer(out);
  return copied(op.getLoc(), buffer(out));
}

/// The graph output that result `number` of a launch becomes, seen with the
/// type of the result; null if it is none.
Value Bufferizer::outputFor(LaunchOp op, unsigned number) {
  auto found = outputs.find(op.getResult(number));
  if (found == outputs.end())
    return {};
  unsigned index = found->second;
  auto returned = cast<func::ReturnOp>(host.getBody().front().getTerminator());
  auto type =
      cast<MemRefType>(bufferType(returned.getOperand(index).getType()));
  auto own = cast<MemRefType>(bufferType(op.getResult(number).getType()));
  auto empty = op.getOuts()[number].getDefiningOp<tensor::EmptyOp>();
  Value output =
      OutputOp::create(builder, op.getLoc(), type, index,
                       type == own ? empty.getDynamicSizes() : ValueRange());
  isWritten.set(index);
  if (type == own)
    return output;
  auto [strides, offset] = own.getStridesAndOffset();
  return memref::ReinterpretCastOp::create(builder, op.getLoc(), own, output,
                                           offset, own.getShape(), strides);
}

/// Takes over the buffer of a value that a loop or branch hands on; a copy
/// where somebody else keeps it.
Value Bufferizer::handOver(OpOperand &use, bool isOnlyUse) {
  Value value = use.get();
  Operation *op = use.getOwner();
  if (!isa<ShapedType>(value.getType()))
    return value;
  bool isHandedTwice = llvm::any_of(value.getUses(), [&](OpOperand &other) {
    return &other != &use && (isOnlyUse || other.getOwner() == op);
  });
  if (isOwned(value) && value.getParentBlock() == op->getBlock() &&
      !isHandedTwice && !outputs.contains(value))
    return buffer(value);
  return copied(op->getLoc(), buffer(value));
}

SmallVector<Value> Bufferizer::handOver(MutableOperandRange values,
                                        bool isOnlyUse) {
  return llvm::map_to_vector(
      values, [&](OpOperand &use) { return handOver(use, isOnlyUse); });
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void Bufferizer::convertLaunch(LaunchOp op) {
  SmallVector<Value> ins, outs;
  for (Value in : op.getIns())
    ins.push_back(isTensor(in) ? buffer(in) : in);
  for (unsigned i = 0; i < op.getOuts().size(); ++i) {
    outs.push_back(destination(op, i));
    buffers[op.getResult(i)] = outs.back();
  }
  LaunchOp::create(builder, op.getLoc(), TypeRange(), op.getKernel(), ins, outs,
                   op.getTiles(), op.getScratch());
  dead.push_back(op);
}

void Bufferizer::convertCall(krnl::CallOp op) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(isTensor(operand) ? buffer(operand) : operand);
  auto call = krnl::CallOp::create(builder, op.getLoc(),
                                   bufferTypes(op.getResultTypes()), operands,
                                   op->getAttrs());
  mapResults(op, call);
}

/// True for shapes of reshapes whose result has them in its type.
static bool isOnlyStaticShape(Value constant) {
  return llvm::all_of(constant.getUsers(), [&](Operation *user) {
    auto reshape = dyn_cast<tensor::ReshapeOp>(user);
    return reshape && reshape->getOperand(0) != constant &&
           reshape.getType().hasStaticShape();
  });
}

void Bufferizer::convertConstant(Operation *op, TypedAttr value,
                                 Attribute layout) {
  Value result = op->getResult(0);
  if (!isOnlyStaticShape(result))
    buffers[result] = WeightViewOp::create(
        builder, op->getLoc(), bufferType(result.getType()),
        weights.add(value, layout, result.getType()));
  dead.push_back(op);
}

void Bufferizer::convertFromElements(tensor::FromElementsOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  Value result = allocate(loc, bufferType(type), {});
  SmallVector<int64_t> position(type.getRank(), 0);
  for (Value element : op.getElements()) {
    SmallVector<Value> indices =
        llvm::map_to_vector(position, [&](int64_t i) -> Value {
          return arith::ConstantIndexOp::create(builder, loc, i);
        });
    memref::StoreOp::create(builder, loc, element, result, indices);
    for (int64_t d = type.getRank() - 1; d >= 0; --d) {
      if (++position[d] < type.getDimSize(d))
        break;
      position[d] = 0;
    }
  }
  buffers[op.getResult()] = result;
  dead.push_back(op);
}

/// `source` seen with other sizes; buffers are contiguous, so the strides
/// follow.
Value Bufferizer::reshaped(Location loc, MemRefType type, Value source,
                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(type.getRank());
  OpFoldResult stride = builder.getIndexAttr(1);
  for (int64_t i = type.getRank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride = mulIndex(loc, stride, sizes[i]);
  }
  return memref::ReinterpretCastOp::create(
      builder, loc, type, source, builder.getIndexAttr(0), sizes, strides);
}

/// The sizes of a reshape to `type`, by the elements of its operand.
SmallVector<OpFoldResult>
Bufferizer::reshapeSizes(Location loc, MemRefType type, Value shape) {
  auto known = shape.getDefiningOp<tensor::FromElementsOp>();
  SmallVector<OpFoldResult> sizes;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      sizes.push_back(builder.getIndexAttr(size));
      continue;
    }
    Value element;
    if (known) {
      element = known.getElements()[i];
    } else {
      Value position = arith::ConstantIndexOp::create(builder, loc, i);
      element = memref::LoadOp::create(builder, loc, buffer(shape), position);
    }
    if (!element.getType().isIndex())
      element = arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                           element);
    sizes.push_back(element);
  }
  return sizes;
}

/// The sizes of a collapsed buffer: products over the groups.
SmallVector<OpFoldResult>
Bufferizer::collapsedSizes(Location loc, Value source,
                           ArrayRef<ReassociationIndices> groups) {
  auto type = cast<MemRefType>(source.getType());
  SmallVector<OpFoldResult> sizes;
  for (const ReassociationIndices &group : groups) {
    OpFoldResult size = builder.getIndexAttr(1);
    for (int64_t dim : group) {
      OpFoldResult factor = builder.getIndexAttr(type.getDimSize(dim));
      if (type.isDynamicDim(dim))
        factor = memref::DimOp::create(builder, loc, source, dim).getResult();
      size = mulIndex(loc, size, factor);
    }
    sizes.push_back(size);
  }
  return sizes;
}

/// The product of two sizes, a constant where both are.
OpFoldResult Bufferizer::mulIndex(Location loc, OpFoldResult a,
                                  OpFoldResult b) {
  std::optional<int64_t> x = getConstantIntValue(a), y = getConstantIntValue(b);
  if (x && y)
    return builder.getIndexAttr(*x * *y);
  if (x == 1)
    return b;
  if (y == 1)
    return a;
  return arith::MulIOp::create(builder, loc,
                               getValueOrCreateConstantIndexOp(builder, loc, a),
                               getValueOrCreateConstantIndexOp(builder, loc, b))
      .getResult();
}

LogicalResult Bufferizer::convertView(Operation *op) {
  Location loc = op->getLoc();
  Value source = buffer(op->getOperand(0));
  auto type = cast<MemRefType>(bufferType(op->getResult(0).getType()));
  Value result =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](tensor::CastOp) {
            return memref::CastOp::create(builder, loc, type, source);
          })
          .Case([&](tensor::CollapseShapeOp view) {
            return reshaped(
                loc, type, source,
                collapsedSizes(loc, source, view.getReassociationIndices()));
          })
          .Case([&](tensor::ExpandShapeOp view) {
            return reshaped(loc, type, source, view.getMixedOutputShape());
          })
          .Case([&](tensor::ReshapeOp) {
            return reshaped(loc, type, source,
                            reshapeSizes(loc, type, op->getOperand(1)));
          });
  buffers[op->getResult(0)] = result;
  dead.push_back(op);
  return success();
}

void Bufferizer::convertReturn(func::ReturnOp op) {
  Location loc = op.getLoc();
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    if (isWritten.test(i))
      continue;
    if (!isa<ShapedType>(value.getType())) {
      // An object: its address is the output.
      Value output = OutputOp::create(
          builder, loc, MemRefType::get({}, value.getType()), i, ValueRange());
      memref::StoreOp::create(builder, loc, value, output);
      continue;
    }
    Value source = buffer(value);
    Value output = OutputOp::create(builder, loc, source.getType(), i,
                                    dynamicSizes(loc, source));
    memref::CopyOp::create(builder, loc, source, output);
  }
  func::ReturnOp::create(builder, loc);
  dead.push_back(op);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// The arguments of a block become buffers in place. Tensor ops that use them
/// are wrong until they are converted in turn, and are only looked at through
/// their generic operands.
void Bufferizer::convertArguments(Block &block) {
  for (BlockArgument argument : block.getArguments())
    if (isTensor(argument)) {
      argument.setType(bufferType(argument.getType()));
      buffers[argument] = argument;
    }
}

/// Moves a region into the op that replaces its own, and converts it.
LogicalResult Bufferizer::moveRegion(Region &from, Region &to) {
  to.takeBody(from);
  if (to.empty())
    return success();
  convertArguments(to.front());
  return convertBlock(to.front());
}

/// The results of a converted op stand for those of the old one.
void Bufferizer::mapResults(Operation *old, Operation *converted) {
  for (auto [from, to] :
       llvm::zip_equal(old->getResults(), converted->getResults()))
    if (isTensor(from))
      buffers[from] = to;
    else
      from.replaceAllUsesWith(to);
  dead.push_back(old);
}

/// A choice between two tensors is a branch that copies one of them.
void Bufferizer::convertSelect(arith::SelectOp op) {
  Location loc = op.getLoc();
  auto branch = scf::IfOp::create(builder, loc, bufferType(op.getType()),
                                  op.getCondition(), /*withElseRegion=*/true);
  auto yieldCopy = [&](Block *block, Value source) {
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, loc, copied(loc, buffer(source)));
  };
  yieldCopy(branch.thenBlock(), op.getTrueValue());
  yieldCopy(branch.elseBlock(), op.getFalseValue());
  builder.setInsertionPointAfter(branch);
  mapResults(op, branch);
}

LogicalResult Bufferizer::convertIf(scf::IfOp op) {
  auto converted =
      scf::IfOp::create(builder, op.getLoc(), bufferTypes(op.getResultTypes()),
                        op.getCondition(), /*addThenBlock=*/false,
                        /*addElseBlock=*/false);
  if (failed(moveRegion(op.getThenRegion(), converted.getThenRegion())) ||
      failed(moveRegion(op.getElseRegion(), converted.getElseRegion())))
    return failure();
  mapResults(op, converted);
  return success();
}

LogicalResult Bufferizer::convertFor(scf::ForOp op) {
  SmallVector<Value> inits =
      handOver(op.getInitArgsMutable(), /*isOnlyUse=*/true);
  auto converted = scf::ForOp::create(builder, op.getLoc(), op.getLowerBound(),
                                      op.getUpperBound(), op.getStep(), inits);
  if (failed(moveRegion(op.getRegion(), converted.getRegion())))
    return failure();
  mapResults(op, converted);
  return success();
}

LogicalResult Bufferizer::convertWhile(scf::WhileOp op) {
  SmallVector<Value> inits = handOver(op.getInitsMutable(), /*isOnlyUse=*/true);
  auto converted = scf::WhileOp::create(
      builder, op.getLoc(), bufferTypes(op.getResultTypes()), inits);
  if (failed(moveRegion(op.getBefore(), converted.getBefore())) ||
      failed(moveRegion(op.getAfter(), converted.getAfter())))
    return failure();
  mapResults(op, converted);
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult Bufferizer::convert(Operation *op) {
  builder.setInsertionPoint(op);
  Location loc = op->getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LaunchOp launch) { return convertLaunch(launch), success(); })
      .Case([&](krnl::CallOp call) { return convertCall(call), success(); })
      .Case([&](krnl::ConstantOp constant) {
        convertConstant(op, constant.getValue(), constant.getLayoutAttr());
        return success();
      })
      .Case([&](arith::ConstantOp constant) {
        if (isTensor(constant))
          convertConstant(op, constant.getValue(), {});
        return success();
      })
      .Case([&](tensor::EmptyOp empty) {
        bool isRead = llvm::any_of(empty->getUsers(), [](Operation *user) {
          return !isa<LaunchOp>(user);
        });
        if (isRead || llvm::any_of(empty->getUses(), [](OpOperand &use) {
              auto launch = cast<LaunchOp>(use.getOwner());
              return use.getOperandNumber() < launch.getIns().size();
            }))
          buffers[empty] = allocate(loc, bufferType(empty.getType()),
                                    empty.getDynamicSizes());
        dead.push_back(op);
        return success();
      })
      .Case([&](tensor::FromElementsOp elements) {
        return convertFromElements(elements), success();
      })
      .Case([&](tensor::DimOp dim) {
        dim.replaceAllUsesWith(memref::DimOp::create(builder, loc,
                                                     buffer(op->getOperand(0)),
                                                     dim.getIndex())
                                   .getResult());
        dead.push_back(op);
        return success();
      })
      .Case([&](tensor::ExtractOp extract) {
        extract.replaceAllUsesWith(
            memref::LoadOp::create(builder, loc, buffer(op->getOperand(0)),
                                   extract.getIndices())
                .getResult());
        dead.push_back(op);
        return success();
      })
      .Case<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
            tensor::ReshapeOp>([&](Operation *) { return convertView(op); })
      .Case([&](arith::SelectOp select) {
        if (isTensor(select))
          convertSelect(select);
        return success();
      })
      .Case([&](scf::IfOp branch) { return convertIf(branch); })
      .Case([&](scf::ForOp loop) { return convertFor(loop); })
      .Case([&](scf::WhileOp loop) { return convertWhile(loop); })
      .Case([&](scf::YieldOp yield) {
        yield.getResultsMutable().assign(
            handOver(yield.getResultsMutable(), /*isOnlyUse=*/false));
        return success();
      })
      .Case([&](scf::ConditionOp condition) {
        condition.getArgsMutable().assign(
            handOver(condition.getArgsMutable(), /*isOnlyUse=*/false));
        return success();
      })
      .Case([&](func::ReturnOp ret) { return convertReturn(ret), success(); })
      .Default([&](Operation *) -> LogicalResult {
        if (llvm::any_of(op->getOperands(), isTensor) ||
            llvm::any_of(op->getResults(), isTensor))
          return op->emitOpError("cannot be part of the host program on "
                                 "tensors");
        return success();
      });
}

LogicalResult Bufferizer::convertBlock(Block &block) {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  return success();
}

/// Launch results that can be made in place: in the function's own block, into
/// a fresh destination, returned once, with the same sizes or static ones.
void Bufferizer::chooseOutputs() {
  auto ret = cast<func::ReturnOp>(host.getBody().front().getTerminator());
  isWritten.resize(ret.getNumOperands());
  for (auto [i, returned] : llvm::enumerate(ret.getOperands())) {
    Value value = returned;
    while (Value source = viewSource(value)) {
      if (!cast<ShapedType>(value.getType()).hasStaticShape() ||
          !cast<ShapedType>(source.getType()).hasStaticShape())
        break;
      value = source;
    }
    auto launch = value.getDefiningOp<LaunchOp>();
    if (!launch || launch->getBlock() != ret->getBlock())
      continue;
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (launch.getOuts()[number].getDefiningOp<tensor::EmptyOp>())
      outputs.try_emplace(value, i);
  }
}

/// What the descriptor of the artefact says about inputs or outputs.
static ArrayAttr describe(func::FuncOp host, TypeRange types, bool isInput) {
  Builder b(host.getContext());
  SmallVector<Attribute> entries;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto get = [&](StringRef name) {
      return isInput ? host.getArgAttr(i, name) : host.getResultAttr(i, name);
    };
    NamedAttrList entry;
    if (Attribute name = get("onnx.name"))
      entry.set("name", name);
    Attribute original = get("onnx.type");
    entry.set("type", original ? original : TypeAttr::get(type));
    if (Attribute dims = get("onnx.dims"))
      entry.set("dims", dims);
    entries.push_back(b.getDictionaryAttr(entry.getAttrs()));
  }
  return b.getArrayAttr(entries);
}

void Bufferizer::convertSignature() {
  FunctionType type = host.getFunctionType();
  host->setAttr("krnl.inputs", describe(host, type.getInputs(), true));
  host->setAttr("krnl.outputs", describe(host, type.getResults(), false));
  convertArguments(host.getBody().front());
}

LogicalResult Bufferizer::run() {
  chooseOutputs();
  convertSignature();
  Block &entry = host.getBody().front();
  if (failed(convertBlock(entry)))
    return failure();
  for (Operation *op : dead)
    op->dropAllUses();
  for (Operation *op : dead)
    op->dropAllReferences();
  for (Operation *op : llvm::reverse(dead))
    op->erase();
  host.removeArgAttrsAttr();
  host.removeResAttrsAttr();
  host.setType(builder.getFunctionType(entry.getArgumentTypes(), {}));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct BufferizeHost : krnl::impl::KrnlBufferizeHostPassBase<BufferizeHost> {
  using KrnlBufferizeHostPassBase::KrnlBufferizeHostPassBase;

  void runOnOperation() override {
    WeightTable weights;
    for (func::FuncOp host : hostFunctions(getOperation()))
      if (failed(Bufferizer(host, weights).run()))
        return signalPassFailure();
    weights.record(getOperation());
  }
};

} // namespace
