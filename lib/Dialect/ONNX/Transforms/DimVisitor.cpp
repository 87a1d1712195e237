//===- DimVisitor.cpp - The walk behind DimAnalysis ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimVisitor.h"

#include "DimRules.h"
#include "RankRules.h"
#include "onnxc/Schema/TypeLattice.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::onnx;
using onnxc::schema::InferredValue;

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

ArrayRef<AffineExpr> DimVisitor::dimsOf(Value value) {
  auto found = analysis.values.find(value);
  return found == analysis.values.end() ? ArrayRef<AffineExpr>()
                                        : ArrayRef(found->second.dims);
}

/// `type` with every dimension for which `dims` has a constant made static.
static Type sharpen(Type type, ArrayRef<AffineExpr> dims) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor || (!tensor.hasRank() && dims.empty()) ||
      (tensor.hasRank() &&
       tensor.getRank() != static_cast<int64_t>(dims.size())))
    return type;
  SmallVector<int64_t> shape;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t declared =
        tensor.hasRank() ? tensor.getDimSize(i) : ShapedType::kDynamic;
    int64_t known = constantValue(dim).value_or(ShapedType::kDynamic);
    bool usesKnown = ShapedType::isDynamic(declared) && known >= 0;
    shape.push_back(usesKnown ? known : declared);
  }
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// `met` without declared sizes of 1 for what is a dimension of the inputs,
/// which only the run knows: exporters write down there that their example was
/// one.
static Type freeInputSizes(Type met, Type inferred, ArrayRef<AffineExpr> dims,
                           const DimSpace &space) {
  auto tensor = dyn_cast<RankedTensorType>(met);
  auto known = dyn_cast<RankedTensorType>(inferred);
  if (!tensor || tensor.getRank() != static_cast<int64_t>(dims.size()))
    return met;
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [i, dim] : llvm::enumerate(dims)) {
    auto symbol = dyn_cast_or_null<AffineSymbolExpr>(dim);
    bool isInput = symbol && space.symbol(symbol.getPosition()).kind ==
                                 DimSymbol::Kind::Input;
    if (isInput && shape[i] == 1 && !(known && !known.isDynamicDim(i)))
      shape[i] = ShapedType::kDynamic;
  }
  return RankedTensorType::get(shape, tensor.getElementType());
}

void DimVisitor::record(Value value, Type type, ArrayRef<AffineExpr> dims) {
  FailureOr<Type> met = schema::meetTypes(value.getType(), type);
  ValueInfo info;
  info.type = succeeded(met) ? *met : type;
  // An Identity may be a cast to what the run has to check.
  if (!isa_and_present<IdentityOp>(value.getDefiningOp()))
    info.type = freeInputSizes(info.type, type, dims, space);
  info.type = sharpen(info.type, dims);
  auto tensor = dyn_cast<RankedTensorType>(info.type);
  for (int64_t i = 0; tensor && i < tensor.getRank(); ++i) {
    bool ruled = dims.size() == static_cast<size_t>(tensor.getRank());
    if (!tensor.isDynamicDim(i))
      info.dims.push_back(space.constant(tensor.getDimSize(i)));
    else if (ruled && dims[i] && !constantValue(dims[i]))
      info.dims.push_back(dims[i]);
    else
      info.dims.push_back(space.result(value, i));
  }
  analysis.values[value] = std::move(info);
}

//===----------------------------------------------------------------------===//
// Functions and nodes
//===----------------------------------------------------------------------===//

void DimVisitor::visitFunction(func::FuncOp function) {
  if (function.isExternal())
    return;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = function.getArgAttrOfType<StringAttr>(number, "onnx.name");
    auto names = function.getArgAttrOfType<ArrayAttr>(number, "onnx.dims");
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    std::string base = name ? name.str() : "arg" + std::to_string(number);
    Dims dims;
    for (int64_t i = 0; type && i < type.getRank(); ++i) {
      auto given = names && i < static_cast<int64_t>(names.size())
                       ? dyn_cast<StringAttr>(names[i])
                       : nullptr;
      std::string symbol = given && !given.empty()
                               ? given.str()
                               : base + "." + std::to_string(i);
      dims.push_back(type.isDynamicDim(i) ? space.input(symbol, argument, i)
                                          : space.constant(type.getDimSize(i)));
    }
    record(argument, argument.getType(), dims);
  }
  for (Block &block : function.getBody())
    visitBlock(block);
}

void DimVisitor::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void DimVisitor::visit(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](IfOp typed) { visitIf(typed); })
      .Case([&](LoopOp typed) { visitLoop(typed); })
      .Case([&](ScanOp typed) { visitScan(typed); })
      .Case([&](SequenceMapOp typed) { visitSequenceMap(typed); })
      .Default([&](Operation *other) { visitNode(other); });
}

/// The tensor type that the payload of a constant has; null for other nodes.
static Type constantType(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  auto typed = constant
                   ? dyn_cast_or_null<TypedAttr>(constant->getAttr("value"))
                   : nullptr;
  return typed ? typed.getType() : Type();
}

/// Remembers the elements of a value if they fit its type: the right number,
/// and constants that do not wrap around.
static void keepContents(ValueInfo &info, ArrayRef<AffineExpr> elements) {
  auto tensor = dyn_cast<RankedTensorType>(info.type);
  auto element =
      tensor ? dyn_cast<IntegerType>(tensor.getElementType()) : IntegerType();
  if (!element || !tensor.hasStaticShape() ||
      tensor.getNumElements() != static_cast<int64_t>(elements.size()))
    return;
  info.contents.emplace();
  for (AffineExpr expr : elements) {
    unsigned width = element.getWidth();
    std::optional<int64_t> number = constantValue(expr);
    bool fits = !number ||
                (element.isUnsigned() || width == 1
                     ? *number >= 0 && (width >= 63 || *number < (1LL << width))
                     : llvm::isIntN(width, *number));
    info.contents->push_back(fits ? expr : AffineExpr());
  }
}

/// An error about `op`; an onnx.Custom is called what it stands for.
static InFlightDiagnostic emitNodeError(Operation *op) {
  auto custom = dyn_cast<CustomOp>(op);
  if (!custom)
    return op->emitOpError();
  InFlightDiagnostic error = op->emitError("operator ");
  error << custom.getOperatorName() << ": ";
  return error;
}

SmallVector<InferredValue> DimVisitor::inferTypes(Operation *op) {
  SmallVector<InferredValue> unknown(op->getNumResults(),
                                     {NoneType::get(op->getContext()), {}});
  if (Type type = constantType(op)) {
    unknown.front().type = type;
    return unknown;
  }
  if (!isa_and_present<ONNXDialect>(op->getDialect()))
    return unknown;
  std::optional<ScopedDiagnosticHandler> ignore;
  if (trial != 0 || !report)
    ignore.emplace(op->getContext(), [](Diagnostic &) { return success(); });
  FailureOr<SmallVector<InferredValue>> inferred =
      schema::inferResults(op, analysis, [op] { return emitNodeError(op); });
  std::optional<std::string> error =
      checkRanks(op, [&](Value value) { return typeOf(value); });
  if (succeeded(inferred) && !error)
    return *inferred;
  if (succeeded(inferred))
    op->emitOpError() << *error;
  reject(op);
  return unknown;
}

void DimVisitor::reject(Operation *op) {
  if (trial)
    ++trialErrors;
  else
    analysis.rejected.push_back(op);
}

void DimVisitor::visitNode(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        record(argument, argument.getType(), {});
      visitBlock(block);
    }
  if (op->getNumResults() == 0)
    return;
  SmallVector<InferredValue> inferred = inferTypes(op);
  RuleNode node(op, analysis);
  if (isa_and_present<ONNXDialect>(op->getDialect()))
    for (auto rule :
         {inferBroadcastDims, inferWindowDims, inferMovementDims,
          inferReshapeDims, inferGeneratorDims, inferClassicalDims,
          inferResultRanks, inferShapeContents, inferArithmeticContents})
      rule(node);
  for (auto [value, guess, found] :
       llvm::zip_equal(op->getResults(), inferred, node.found)) {
    Dims dims = found.dims.value_or(Dims());
    if (auto unranked = dyn_cast<UnrankedTensorType>(guess.type);
        unranked && found.dims && dims.empty())
      guess.type = RankedTensorType::get({}, unranked.getElementType());
    auto tensor = dyn_cast<RankedTensorType>(guess.type);
    if (tensor && (!found.dims || dims.size() != guess.dimSymbols.size()))
      dims.assign(guess.dimSymbols.size(), AffineExpr());
    for (auto [dim, symbol] : llvm::zip(dims, guess.dimSymbols))
      if (!dim)
        dim = space.fromText(symbol);
    if (report && trial == 0 &&
        failed(onnxc::schema::meetTypes(value.getType(), guess.type)))
      op->emitWarning() << "is declared to give " << value.getType()
                        << " but gives " << guess.type;
    record(value, guess.type, dims);
    if (found.contents)
      keepContents(analysis.values[value], *found.contents);
  }
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void DimVisitor::enter(Block &body, ArrayRef<Assumption> entry) {
  for (auto [argument, assumed] : llvm::zip(body.getArguments(), entry))
    record(argument, assumed.type, assumed.dims);
  visitBlock(body);
}

/// Lets `assumed` cover `yielded` too; true if that changed it. `argument` is
/// what names the sizes that are no longer known.
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
    return; // the verifier says so
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
      // What a body puts into an optional may come out as it is.
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

void DimVisitor::visitScan(ScanOp op) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  OperandRange operands = op->getOperands();
  int64_t scans = op.getNumScanInputs();
  int64_t states = static_cast<int64_t>(operands.size()) - scans;
  if (states < 0 || body.getNumArguments() != operands.size() ||
      yield->getNumOperands() != op->getNumResults())
    return; // the verifier says so
  if (auto error = checkRanks(op, [&](Value v) { return typeOf(v); })) {
    if (report && trial == 0)
      op->emitOpError() << *error;
    return reject(op);
  }
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
