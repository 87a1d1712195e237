//===- DimBodies.cpp - Bodies of If, Loop, Scan and SequenceMap -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Facts about loop-carried arguments of a body are widened until they cover the
// facts about the yielded values.
//
//===----------------------------------------------------------------------===//
#include "DimRules.h"
#include "DimVisitor.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Schema/TypeLattice.h"

using namespace mlir;
using namespace onnxc::onnx;

void DimVisitor::enter(Block &body, ArrayRef<Assumption> entry) {
  for (auto [argument, assumed] : llvm::zip(body.getArguments(), entry))
    record(argument, assumed.type, assumed.dims);
  visitBlock(body);
}

/// Lets `assumed` cover `yielded` too; true if that changed it. `argument`
/// names the sizes that are no longer known.
bool DimVisitor::widen(Assumption &assumed, Value argument, Value yielded) {
  FailureOr<Type> joined = schema::joinTypes(assumed.type, typeOf(yielded));
  Type type = succeeded(joined) ? *joined : argument.getType();
  auto tensor = dyn_cast<RankedTensorType>(type);
  ArrayRef<AffineExpr> now = dimsOf(argument), next = dimsOf(yielded);
  Dims dims;
  for (int64_t i = 0; tensor && i < tensor.getRank(); ++i) {
    bool isKept = i < static_cast<int64_t>(now.size()) &&
                  i < static_cast<int64_t>(next.size()) && now[i] == next[i];
    dims.push_back(isKept ? now[i] : space.result(argument, i));
  }
  bool changed = type != assumed.type || dims != assumed.dims;
  assumed = {type, std::move(dims)};
  return changed;
}

void DimVisitor::visitUntilStable(Block &body,
                                  SmallVectorImpl<Assumption> &entry,
                                  ArrayRef<Carried> carried) {
  Operation *yield = body.getTerminator();
  unsigned outerErrors = trialErrors;
  ++trial;
  bool changed = true;
  while (changed) {
    changed = false;
    trialErrors = 0;
    enter(body, entry);
    for (auto [argument, yielded] : carried)
      changed |= widen(entry[argument], body.getArgument(argument),
                       yield->getOperand(yielded));
    if (changed || trialErrors == 0)
      continue;
    // Too much may have been assumed: once, assume nothing but the elements.
    for (auto [argument, yielded] : carried) {
      auto tensor = dyn_cast<RankedTensorType>(entry[argument].type);
      if (!tensor)
        continue;
      entry[argument] = {UnrankedTensorType::get(tensor.getElementType()), {}};
      changed = true;
    }
  }
  --trial;
  bool failed = trialErrors != 0;
  trialErrors = outerErrors;
  if (failed)
    enter(body, entry); // reports, or counts for the body around
}

/// Visits a branch that is never taken: it may be wrong.
void DimVisitor::visitDeadBlock(Block &block) {
  unsigned outerErrors = trialErrors;
  ++trial;
  visitBlock(block);
  --trial;
  trialErrors = outerErrors;
}

void DimVisitor::visitIf(IfOp op) {
  Block &thenBlock = op.getThenBranch().front();
  Block &elseBlock = op.getElseBranch().front();
  std::optional<SmallVector<int64_t>> condition =
      analysis.constantContents(op.getCond());
  if (condition && condition->size() == 1) {
    bool isTrue = condition->front() != 0;
    Block &taken = isTrue ? thenBlock : elseBlock;
    visitBlock(taken);
    visitDeadBlock(isTrue ? elseBlock : thenBlock);
    for (auto [result, yielded] :
         llvm::zip(op->getResults(), taken.getTerminator()->getOperands())) {
      Dims dims(dimsOf(yielded));
      record(result, typeOf(yielded), dims);
    }
    return;
  }
  visitBlock(thenBlock);
  visitBlock(elseBlock);
  for (auto [result, left, right] :
       llvm::zip(op->getResults(), thenBlock.getTerminator()->getOperands(),
                 elseBlock.getTerminator()->getOperands())) {
    FailureOr<Type> joined = schema::joinTypes(typeOf(left), typeOf(right));
    Dims dims;
    for (auto [l, r] : llvm::zip(dimsOf(left), dimsOf(right)))
      dims.push_back(l == r ? l : AffineExpr());
    bool ranked = succeeded(joined) && isa<RankedTensorType>(*joined);
    record(result, succeeded(joined) ? *joined : result.getType(),
           ranked ? dims : Dims());
  }
}

/// The type and dims of `tensor` with one more dimension, or of a slice.
static Type withShape(Type type, ArrayRef<AffineExpr> dims) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return type;
  SmallVector<int64_t> shape;
  for (AffineExpr dim : dims)
    shape.push_back(constantValue(dim).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, tensor.getElementType());
}

static Type withoutShape(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  return tensor ? UnrankedTensorType::get(tensor.getElementType()) : type;
}

/// max(M, 0) if the body runs exactly so often: the condition is absent or
/// true at the start and is never changed.
AffineExpr DimVisitor::tripCount(LoopOp op) {
  auto isTrue = [&](Value value) {
    std::optional<SmallVector<int64_t>> known =
        analysis.constantContents(value);
    return known && known->size() == 1 && known->front() != 0;
  };
  Block &body = op.getBody().front();
  Value next = body.getTerminator()->getOperand(0);
  if (auto identity = next.getDefiningOp<IdentityOp>())
    next = identity.getInput();
  bool always = (!op.getCond() || isTrue(op.getCond())) &&
                (next == body.getArgument(1) || isTrue(next));
  if (!always || !op.getM())
    return {};
  std::optional<SmallVector<AffineExpr>> limit =
      RuleNode(op, analysis).elements(op.getM());
  if (!limit || limit->size() != 1)
    return {};
  return space.max(limit->front(), space.constant(0));
}

void DimVisitor::visitLoop(LoopOp op) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  MLIRContext *context = op.getContext();
  OperandRange initial = op.getVInitial();
  unsigned states = initial.size();
  if (body.getNumArguments() != states + 2 ||
      yield->getNumOperands() != op->getNumResults() + 1)
    return; // the verifier reports it
  SmallVector<Assumption> entry = {
      {RankedTensorType::get({}, IntegerType::get(context, 64)), {}},
      {RankedTensorType::get({}, IntegerType::get(context, 1)), {}}};
  SmallVector<Carried> carried;
  for (auto [i, value] : llvm::enumerate(initial)) {
    entry.push_back({typeOf(value), Dims(dimsOf(value))});
    carried.push_back(
        {static_cast<unsigned>(i) + 2, static_cast<unsigned>(i) + 1});
  }
  visitUntilStable(body, entry, carried);
  AffineExpr count = tripCount(op);
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    Value result = op->getResult(i);
    if (i < states) {
      BlockArgument argument = body.getArgument(i + 2);
      // A value that a body puts into an optional may come out unchanged.
      bool isTakenOut = isa<OptType>(typeOf(argument)) &&
                        !isa<OptType, NoneType>(result.getType());
      record(result, isTakenOut ? result.getType() : typeOf(argument),
             dimsOf(argument));
      continue;
    }
    Value scanned = yield->getOperand(i + 1);
    if (!isa<RankedTensorType>(typeOf(scanned))) {
      record(result, withoutShape(typeOf(scanned)), {});
      continue;
    }
    Dims dims = {count ? count : space.result(result, 0)};
    llvm::append_range(dims, dimsOf(scanned));
    record(result, withShape(typeOf(scanned), dims), dims);
  }
}

/// Entry `i` of an optional attribute, as an axis of a tensor of `rank`.
static int64_t scanAxis(std::optional<ArrayRef<int64_t>> axes, size_t i,
                        int64_t rank) {
  int64_t axis = axes && i < axes->size() ? (*axes)[i] : 0;
  return normalizeAxis(axis, rank).value_or(0);
}

/// The results of a Scan of `length` iterations: states keep their types, and
/// outputs have the iterations as one more dimension.
void DimVisitor::recordScan(ScanOp op, unsigned states, AffineExpr length) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    Value result = op->getResult(i), yielded = yield->getOperand(i);
    Dims dims(dimsOf(i < states ? body.getArgument(i) : yielded));
    if (i < states) {
      record(result, typeOf(body.getArgument(i)), dims);
    } else if (!isa<RankedTensorType>(typeOf(yielded))) {
      record(result, withoutShape(typeOf(yielded)), {});
    } else {
      int64_t axis =
          scanAxis(op.getScanOutputAxes(), i - states, dims.size() + 1);
      dims.insert(dims.begin() + axis,
                  length ? length : space.result(result, axis));
      record(result, withShape(typeOf(yielded), dims), dims);
    }
  }
}

void DimVisitor::visitScan(ScanOp op) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  OperandRange operands = op->getOperands();
  int64_t scans = op.getNumScanInputs();
  int64_t states = static_cast<int64_t>(operands.size()) - scans;
  if (states < 0 || body.getNumArguments() != operands.size() ||
      yield->getNumOperands() != op->getNumResults())
    return; // the verifier reports it
  if (auto error = checkRanks(op, [&](Value v) { return typeOf(v); }))
    return reject(op, *error);
  SmallVector<Assumption> entry;
  AffineExpr length;
  for (auto [i, value] : llvm::enumerate(operands)) {
    Dims dims(dimsOf(value));
    if (static_cast<int64_t>(i) < states) {
      entry.push_back({typeOf(value), dims});
    } else if (dims.empty()) {
      entry.push_back({withoutShape(typeOf(value)), {}});
    } else {
      int64_t axis = scanAxis(op.getScanInputAxes(), i - states, dims.size());
      length = !length || constantValue(dims[axis]) ? dims[axis] : length;
      dims.erase(dims.begin() + axis);
      entry.push_back({withShape(typeOf(value), dims), dims});
    }
  }
  // Unlike in Loop, states keep their shape: the operator demands it.
  enter(body, entry);
  recordScan(op, unsigned(states), length);
}

void DimVisitor::visitSequenceMap(SequenceMapOp op) {
  Block &body = op.getBody().front();
  SmallVector<Assumption> entry;
  for (Value value : op->getOperands()) {
    auto sequence = dyn_cast<SeqType>(typeOf(value));
    Type type = sequence ? sequence.getElementType() : typeOf(value);
    Dims dims = sequence ? Dims() : Dims(dimsOf(value));
    entry.push_back({type, dims});
  }
  enter(body, entry);
  for (auto [result, yielded] :
       llvm::zip(op->getResults(), body.getTerminator()->getOperands()))
    record(result, SeqType::get(op.getContext(), typeOf(yielded)), {});
}
