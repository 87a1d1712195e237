//===- BufferizeHost.cpp - Host tensors become buffers ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostBufferizer.h"

#include "onnxc/Dialect/Krnl/Transforms/Passes.h"
#include "onnxc/Support/ElementBytes.h"
#include "onnxc/Target/IR/Target.h"
#include "llvm/ADT/TypeSwitch.h"

namespace onnxc::krnl {
#define GEN_PASS_DEF_KRNLBUFFERIZEHOSTPASS
#include "onnxc/Dialect/Krnl/Transforms/Passes.h.inc"
} // namespace onnxc::krnl

using namespace mlir;
using namespace onnxc;
using namespace onnxc::krnl;

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
  auto launch =
      LaunchOp::create(builder, op.getLoc(), TypeRange(), op.getKernel(), ins,
                       outs, op.getTiles(), op.getScratch());
  launch->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  dead.push_back(op);
}

void Bufferizer::convertCall(krnl::CallOp op) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(isTensor(operand) ? buffer(operand) : operand);
  auto call = krnl::CallOp::create(builder, op.getLoc(),
                                   bufferTypes(op.getResultTypes()), operands,
                                   op->getAttrs());
  mapResults(op, op->getResults(), call);
}

/// Returns true for shapes of reshapes whose result has them in its type.
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
        weights.add(value, layout,
                    staticBytes(cast<ShapedType>(result.getType()))));
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

/// Memory only for tensors that are read: destinations of launches are
/// allocated at the launch.
void Bufferizer::convertEmpty(tensor::EmptyOp op) {
  bool isRead = llvm::any_of(op->getUses(), [](OpOperand &use) {
    auto launch = dyn_cast<LaunchOp>(use.getOwner());
    return !launch || use.getOperandNumber() < launch.getIns().size();
  });
  if (isRead)
    buffers[op] =
        allocate(op.getLoc(), bufferType(op.getType()), op.getDynamicSizes());
  dead.push_back(op);
}

void Bufferizer::convertDim(tensor::DimOp op) {
  op.replaceAllUsesWith(memref::DimOp::create(builder, op.getLoc(),
                                              buffer(op->getOperand(0)),
                                              op.getIndex())
                            .getResult());
  dead.push_back(op);
}

void Bufferizer::convertExtract(tensor::ExtractOp op) {
  op.replaceAllUsesWith(memref::LoadOp::create(builder, op.getLoc(),
                                               buffer(op->getOperand(0)),
                                               op.getIndices())
                            .getResult());
  dead.push_back(op);
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
    inOutput(loc, value, i);
  }
  func::ReturnOp::create(builder, loc);
  dead.push_back(op);
}

//===----------------------------------------------------------------------===//
// The traversal
//===----------------------------------------------------------------------===//

/// Converts branches, loops and what ends their blocks; fails for other
/// operations on tensors.
LogicalResult Bufferizer::convertControl(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::IfOp branch) { return convertIf(branch); })
      .Case([&](scf::ForOp loop) { return convertFor(loop); })
      .Case([&](scf::WhileOp loop) { return convertWhile(loop); })
      .Case([&](scf::YieldOp yield) { return convertYield(yield), success(); })
      .Case([&](scf::ConditionOp condition) {
        condition.getArgsMutable().assign(
            transferBuffer(condition.getArgsMutable(), /*isOnlyUse=*/false));
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

LogicalResult Bufferizer::convert(Operation *op) {
  builder.setInsertionPoint(op);
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
      .Case(
          [&](tensor::EmptyOp empty) { return convertEmpty(empty), success(); })
      .Case([&](tensor::FromElementsOp elements) {
        return convertFromElements(elements), success();
      })
      .Case([&](tensor::DimOp dim) { return convertDim(dim), success(); })
      .Case([&](tensor::ExtractOp extract) {
        return convertExtract(extract), success();
      })
      .Case<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
            tensor::ReshapeOp, FirstRowsOp>(
          [&](Operation *) { return convertView(op); })
      .Case([&](AppendRowOp append) {
        return convertAppendRow(append), success();
      })
      .Case([&](arith::SelectOp select) {
        if (isTensor(select))
          convertSelect(select);
        return success();
      })
      .Default([&](Operation *) { return convertControl(op); });
}

LogicalResult Bufferizer::convertBlock(Block &block) {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  for (Operation *op : ops)
    if (failed(convert(op)))
      return failure();
  return success();
}

/// Returns true if there is a check after `op`. The check of a reshape may find
/// more elements than the output has.
static bool precedesCheck(Operation *op) {
  while ((op = op->getNextNode()))
    if (isa<CheckOp>(op))
      return true;
  return false;
}

/// Has a launch of `block` make output `index` in place, which `block` ends by
/// returning or yielding as `seen`, if the sizes are known where the launch is.
/// Tensors that such a launch overwrites are in the output as well, back to a
/// new destination or to a tensor that must be copied.
void Bufferizer::chooseOutput(Value seen, Block *block, unsigned index) {
  bool isChecked = true;
  auto sourceOf = [&](Value value) {
    Value source = stripViews(value);
    auto type = cast<ShapedType>(value.getType()),
         from = cast<ShapedType>(source.getType());
    isChecked &=
        source == value || (type.hasStaticShape() && from.hasStaticShape() &&
                            type.getNumElements() == from.getNumElements());
    return source;
  };
  SmallVector<Value> chain;
  Value value = sourceOf(seen);
  while (auto launch = value.getDefiningOp<LaunchOp>()) {
    if (launch->getBlock() != block)
      return;
    chain.push_back(value);
    Value out = launch.getOuts()[cast<OpResult>(value).getResultNumber()];
    if (mayOverwrite(launch, out)) {
      value = sourceOf(out);
      continue;
    }
    if (!outputs.contains(value) && areSizesBefore(launch, seen) &&
        (isChecked || !precedesCheck(launch) || keepsCount(launch, out, seen)))
      for (Value link : chain)
        outputs.try_emplace(link, OutputView{index, seen});
    return;
  }
}

/// Returns true if the operand is a tensor of a branch of its own block that
/// nothing else uses.
static bool isOnlyBranchResult(OpOperand &operand) {
  Value value = operand.get();
  auto branch = value.getDefiningOp<scf::IfOp>();
  return branch && isTensor(value) && value.hasOneUse() &&
         branch->getBlock() == operand.getOwner()->getBlock();
}

/// Has both ways of a branch make output `index` in place, which the branch
/// results in, be it a way of another one.
void Bufferizer::chooseOutputOfBranch(OpResult result, unsigned index) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  branchResults.insert(result);
  for (Region &way : branch->getRegions()) {
    Operation *yield = way.front().getTerminator();
    OpOperand &yielded = yield->getOpOperand(result.getResultNumber());
    branchOutputs[&yielded] = index;
    if (isOnlyBranchResult(yielded))
      chooseOutputOfBranch(cast<OpResult>(yielded.get()), index);
    else
      chooseOutput(yielded.get(), yield->getBlock(), index);
  }
}

/// The pool and the arena of a device copy between places instead.
void Bufferizer::findChoices() {
  if (krnl::TargetAttr::processorOf(host).isDevice())
    return;
  host.walk([&](scf::IfOp branch) {
    if (choiceOf(branch) && !branchResults.contains(branch.getResult(0)))
      branch->setAttr(choiceAttrName, UnitAttr::get(host.getContext()));
  });
}

/// Outputs that are made in place: by launches of the function's own block, or
/// by one in each way of a branch there.
void Bufferizer::chooseOutputs() {
  auto ret = cast<func::ReturnOp>(host.getBody().front().getTerminator());
  isWritten.resize(ret.getNumOperands());
  for (auto [i, returned] : llvm::enumerate(ret->getOpOperands()))
    if (isOnlyBranchResult(returned))
      chooseOutputOfBranch(cast<OpResult>(returned.get()), i);
    else if (isTensor(returned.get()))
      chooseOutput(returned.get(), ret->getBlock(), i);
}

/// The artefact's description of inputs or outputs.
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
    if (Attribute declared = get("onnx.declared_dims"))
      entry.set("declared_dims", declared);
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
  findChoices();
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

/// A host program is one block. Its values are tensors of known ranks, scalars
/// and objects, but for memory that operations of ours make.
LogicalResult verifyHost(func::FuncOp host) {
  if (!host.getBody().hasOneBlock())
    return host.emitOpError("has branches between blocks; expected one block");
  auto verify = [](Operation *op, TypeRange types) {
    bool isControl = isa<krnl::LaunchOp, func::ReturnOp, scf::IfOp, scf::ForOp,
                         scf::WhileOp>(op);
    for (Type type : types)
      if (isa<UnrankedTensorType>(type) ||
          (isControl && isa<BaseMemRefType, VectorType>(type)))
        return LogicalResult(
            op->emitOpError("expects tensors, scalars and objects, but has a ")
            << type);
    return success();
  };
  WalkResult result = host.walk([&](Operation *op) {
    auto launch = dyn_cast<krnl::LaunchOp>(op);
    bool isWrong =
        failed(verify(op, launch ? TypeRange(launch.getOuts().getTypes())
                                 : TypeRange(op->getOperandTypes()))) ||
        failed(verify(op, op->getResultTypes()));
    return isWrong ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

struct BufferizeHost : krnl::impl::KrnlBufferizeHostPassBase<BufferizeHost> {
  using KrnlBufferizeHostPassBase::KrnlBufferizeHostPassBase;

  void runOnOperation() override {
    WeightTable weights;
    for (func::FuncOp host : hostFunctions(getOperation()))
      if (failed(verifyHost(host)) || failed(Bufferizer(host, weights).run()))
        return signalPassFailure();
    weights.record(getOperation());
  }
};

} // namespace
