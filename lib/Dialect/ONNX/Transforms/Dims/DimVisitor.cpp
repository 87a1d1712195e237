//===- DimVisitor.cpp - The traversal of DimAnalysis -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "DimVisitor.h"

#include "DimRules.h"
#include "onnxc/Dialect/ONNX/IR/Alternatives.h"
#include "onnxc/Dialect/ONNX/IR/InputSizes.h"
#include "onnxc/Dialect/ONNX/IR/OpRanks.h"
#include "onnxc/Dialect/ONNX/IR/TypeText.h"
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

/// `met` without declared sizes of 1 for dynamic dimensions of the inputs:
/// exporters write the size of their example there.
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
  // An Identity may be a cast to a type that the run has to check.
  if (!isa_and_present<IdentityOp>(value.getDefiningOp()))
    info.type = freeInputSizes(info.type, type, dims, space);
  info.type = sharpen(info.type, dims);
  auto tensor = dyn_cast<RankedTensorType>(info.type);
  // Branches and bodies of loops may not run.
  bool isOfEachRun = isa<func::FuncOp>(value.getParentBlock()->getParentOp());
  for (int64_t i = 0; tensor && i < tensor.getRank(); ++i) {
    bool ruled = dims.size() == static_cast<size_t>(tensor.getRank());
    if (!tensor.isDynamicDim(i))
      info.dims.push_back(space.constant(tensor.getDimSize(i)));
    else if (ruled && dims[i] && !constantValue(dims[i]))
      info.dims.push_back(dims[i]);
    else
      info.dims.push_back(space.result(value, i));
    if (isOfEachRun)
      space.noteSize(info.dims.back());
  }
  analysis.values[value] = std::move(info);
}

//===----------------------------------------------------------------------===//
// Functions and nodes
//===----------------------------------------------------------------------===//

void DimVisitor::visitFunction(func::FuncOp function) {
  if (function.isExternal())
    return;
  budget = Budget::find(function.getContext());
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    Dims dims;
    for (int64_t i = 0; type && i < type.getRank(); ++i)
      dims.push_back(type.isDynamicDim(i)
                         ? space.input(sizeName(function, number, unsigned(i)),
                                       argument, i)
                         : space.constant(type.getDimSize(i)));
    record(argument, argument.getType(), dims);
  }
  for (Block &block : function.getBody())
    visitBlock(block);
}

void DimVisitor::visitBlock(Block &block) {
  for (Operation &op : block) {
    if (budget && failed(budget->check(op.getLoc())))
      return;
    visit(&op);
  }
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

SmallVector<InferredValue> DimVisitor::inferTypes(Operation *op) {
  SmallVector<InferredValue> unknown(op->getNumResults(),
                                     {NoneType::get(op->getContext()), {}});
  if (Type type = constantType(op)) {
    unknown.front().type = type;
    return unknown;
  }
  if (!isa_and_present<ONNXDialect>(op->getDialect()))
    return unknown;
  std::string reason;
  ScopedDiagnosticHandler keep(op->getContext(), [&](Diagnostic &diagnostic) {
    if (reason.empty())
      reason = messageText(diagnostic);
    return success();
  });
  auto infer = [&](const schema::ValueFacts &facts) {
    return schema::inferResults(op, facts,
                                [op] { return emitError(op->getLoc()); });
  };
  FailureOr<SmallVector<InferredValue>> inferred = infer(analysis);
  std::optional<std::string> error =
      checkRanks(op, [&](Value value) { return typeOf(value); });
  if (succeeded(inferred) && !error)
    return *inferred;
  if (succeeded(inferred)) {
    reject(op, *error);
    return unknown;
  }
  FailureOr<SmallVector<InferredValue>> elements =
      infer(schema::ElementFacts(analysis));
  reject(op, reason, /*isShape=*/succeeded(elements));
  return succeeded(elements) ? *elements : unknown;
}

void DimVisitor::reject(Operation *op, StringRef reason, bool isShape) {
  if (trial)
    ++trialErrors;
  else
    analysis.rejected.push_back({op, reason.str(), isShape});
}

/// Rank rules beyond the schema's inference.
static Type withRank(Type type, size_t rank) {
  auto unranked = dyn_cast<UnrankedTensorType>(type);
  if (!unranked)
    return type;
  return RankedTensorType::get(SmallVector<int64_t>(rank, ShapedType::kDynamic),
                               unranked.getElementType());
}

/// An alternative in which a result would have another rank than is declared
/// cannot be the one; elsewhere the declared type is wrong.
void DimVisitor::checkDeclared(Value result, Type inferred) {
  if (succeeded(schema::meetTypes(result.getType(), inferred)))
    return;
  Operation *op = result.getDefiningOp();
  auto declared = dyn_cast<RankedTensorType>(result.getType());
  auto tensor = dyn_cast<RankedTensorType>(inferred);
  if (declared && tensor && declared.getRank() != tensor.getRank() &&
      alternativeAround(op))
    return reject(op, "is not of its declared rank");
  if (warns && trial == 0)
    op->emitWarning() << "is declared to give " << result.getType()
                      << " but gives " << inferred;
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
    auto tensor = dyn_cast<RankedTensorType>(guess.type);
    if (tensor && (!found.dims || dims.size() != guess.dimSymbols.size()))
      dims.assign(guess.dimSymbols.size(), AffineExpr());
    for (auto [dim, symbol] : llvm::zip(dims, guess.dimSymbols))
      if (!dim)
        dim = space.fromText(symbol);
    if (found.dims)
      guess.type = withRank(guess.type, dims.size());
    checkDeclared(value, guess.type);
    record(value, guess.type, dims);
    if (found.contents)
      keepContents(analysis.values[value], *found.contents);
  }
}
