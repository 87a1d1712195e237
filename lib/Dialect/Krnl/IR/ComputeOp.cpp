//===- ComputeOp.cpp - The structured op of a kernel --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace onnxc::krnl;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Stores the accesses of an op over `loops` loops.
static void storeAccesses(Builder builder, unsigned loops,
                          ArrayRef<Subscripts> accesses,
                          ComputeOp::Properties &properties) {
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> parts, ranges;
  SmallVector<Attribute> outsides;
  int64_t number = 0;
  for (const Subscripts &access : accesses) {
    SmallVector<AffineExpr> indices;
    for (const Subscript &at : access) {
      indices.push_back(at.index);
      if (at.isPart && isa<AffineDimExpr>(at.index))
        parts.push_back(number);
      if (at.range)
        llvm::append_values(ranges, number, at.range->first, at.range->second);
      if (at.range)
        outsides.push_back(at.outside ? Attribute(at.outside)
                                      : builder.getUnitAttr());
      ++number;
    }
    maps.push_back(AffineMap::get(loops, 0, indices, builder.getContext()));
  }
  properties.indexing_maps = builder.getAffineMapArrayAttr(maps);
  properties.parts = builder.getDenseI64ArrayAttr(parts);
  properties.ranges = builder.getDenseI64ArrayAttr(ranges);
  properties.outsides = llvm::all_of(outsides, llvm::IsaPred<UnitAttr>)
                            ? ArrayAttr()
                            : builder.getArrayAttr(outsides);
}

/// Gives the index with this number its range.
static void findRange(ComputeOp op, int64_t number, Subscript &at) {
  ArrayRef<int64_t> ranges = op.getRanges();
  ArrayRef<Attribute> outsides;
  if (op.getOutsides())
    outsides = op.getOutsides()->getValue();
  for (size_t i = 0; 3 * i + 2 < ranges.size(); ++i)
    if (ranges[3 * i] == number) {
      at.range = {ranges[3 * i + 1], ranges[3 * i + 2]};
      if (i < outsides.size())
        at.outside = dyn_cast<TypedAttr>(outsides[i]);
    }
}

static Subscripts subscriptsOf(AffineMap map, int64_t number, ComputeOp op) {
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr index) {
    Subscript at{index, llvm::is_contained(op.getParts(), number)};
    findRange(op, number++, at);
    return at;
  });
}

SmallVector<Subscripts> ComputeOp::getSubscripts() {
  SmallVector<Subscripts> accesses;
  int64_t number = 0;
  for (AffineMap map : getIndexingMapsArray()) {
    accesses.push_back(subscriptsOf(map, number, *this));
    number += map.getNumResults();
  }
  return accesses;
}

Subscripts ComputeOp::getSubscripts(OpOperand &operand) {
  int64_t number = 0;
  if (!getParts().empty() || !getRanges().empty())
    for (OpOperand &other :
         (*this)->getOpOperands().take_front(operand.getOperandNumber()))
      number += getMatchingIndexingMap(&other).getNumResults();
  return subscriptsOf(getMatchingIndexingMap(&operand), number, *this);
}

SmallVector<StringRef> ComputeOp::getLoopsAlong(OpOperand &operand) {
  SmallVector<StringRef> axes = getAxes();
  return llvm::map_to_vector(
      getSubscripts(operand), [&](const Subscript &at) -> StringRef {
        return at.getLoop() ? axes[*at.getLoop()] : StringRef();
      });
}

void ComputeOp::setSubscripts(ArrayRef<Subscripts> accesses) {
  storeAccesses(Builder(getContext()), getNumLoops(), accesses,
                getProperties());
}

void ComputeOp::build(
    OpBuilder &builder, OperationState &state, ValueRange inputs,
    ValueRange outputs, ArrayRef<Subscripts> accesses, ArrayRef<StringRef> axes,
    unsigned parallel, StringAttr name,
    function_ref<void(OpBuilder &, Location, ValueRange)> payload) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.name = name;
  properties.parallel = builder.getStrArrayAttr(axes.take_front(parallel));
  properties.reduced = builder.getStrArrayAttr(axes.drop_front(parallel));
  storeAccesses(builder, axes.size(), accesses, properties);
  properties.operandSegmentSizes = {int32_t(inputs.size()),
                                    int32_t(outputs.size())};
  state.addOperands(inputs);
  state.addOperands(outputs);
  state.addTypes(TypeRange(outputs));
  state.addRegion();
  if (!payload)
    return;
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(state.regions.front().get());
  for (ValueRange operands : {inputs, outputs})
    for (Value operand : operands)
      block->addArgument(getElementTypeOrSelf(operand), operand.getLoc());
  payload(builder, state.location, block->getArguments());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<StringRef> ComputeOp::getAxes() {
  SmallVector<StringRef> names;
  for (ArrayAttr group : {getParallel(), getReduced()})
    llvm::append_range(names, group.getAsValueRange<StringAttr>());
  return names;
}

void ComputeOp::setAxes(ArrayRef<StringRef> names) {
  Builder builder(getContext());
  for (IndexOp index : getBody()->getOps<IndexOp>())
    index.setLoop(names[index.getDim()]);
  size_t parallel = getParallel().size();
  setParallelAttr(builder.getStrArrayAttr(names.take_front(parallel)));
  setReducedAttr(builder.getStrArrayAttr(names.drop_front(parallel)));
}

SmallVector<utils::IteratorType> ComputeOp::getIteratorTypesArray() {
  SmallVector<utils::IteratorType> kinds(getParallel().size(),
                                         utils::IteratorType::parallel);
  kinds.append(getReduced().size(), utils::IteratorType::reduction);
  return kinds;
}

/// The interface wants a map and never asks for its results, as the shapes of
/// the operands imply no extent.
AffineMap ComputeOp::getShapesToLoopsMap() {
  return AffineMap::getMultiDimIdentityMap(getAxes().size(), getContext());
}

SmallVector<int64_t> ComputeOp::getStaticLoopRanges() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  return llvm::map_to_vector(getAxes(), [&](StringRef name) {
    std::optional<unsigned> loop = kernel.findLoop(name);
    return loop ? kernel.getLoop(*loop).getExtent() : ShapedType::kDynamic;
  });
}

/// The interface compares these with the extents of the loops, which may run
/// over a part of a dimension: the kernel checks the accesses.
SmallVector<int64_t> ComputeOp::getStaticOperandShape(OpOperand *operand) {
  auto type = dyn_cast<ShapedType>(operand->get().getType());
  return SmallVector<int64_t>(type ? type.getRank() : 0, ShapedType::kDynamic);
}

bool ComputeOp::hasIndexSemantics() {
  return !getBody()->getOps<IndexOp>().empty();
}

unsigned IndexOp::getDim() {
  SmallVector<StringRef> axes =
      cast<ComputeOp>((*this)->getParentOp()).getAxes();
  return llvm::find(axes, getLoop()) - axes.begin();
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  if (getDim() == cast<ComputeOp>((*this)->getParentOp()).getNumLoops())
    return emitOpError("names '")
           << getLoop() << "', which is not a loop of the structured op";
  return success();
}

LogicalResult ComputeOp::verify() {
  SmallVector<StringRef> axes = getAxes();
  llvm::StringSet<> names;
  for (StringRef axis : axes)
    if (!names.insert(axis).second)
      return emitOpError("names loop '") << axis << "' twice";
  size_t operands = getInputs().size() + getOutputs().size();
  if (getIndexingMaps().size() != operands)
    return emitOpError("has ") << getIndexingMaps().size() << " maps for "
                               << operands << " operands";
  for (auto [number, map] :
       llvm::enumerate(getIndexingMaps().getAsValueRange<AffineMapAttr>())) {
    if (map.getNumDims() != axes.size() || map.getNumSymbols() != 0)
      return emitOpError("map ")
             << number << " must be over " << axes.size() << " loops";
    auto type = dyn_cast<RankedTensorType>(
        getOperation()->getOperand(number).getType());
    int64_t rank = type ? type.getRank() : 0;
    if (map.getNumResults() != rank)
      return emitOpError("has ")
             << map.getNumResults() << " indices for operand " << number
             << " of rank " << rank;
  }
  Properties canonical;
  storeAccesses(Builder(getContext()), axes.size(), getSubscripts(), canonical);
  if (getParts() != canonical.parts.asArrayRef())
    return emitOpError("parts must be the numbers, in order, of indices that "
                       "are a loop alone");
  if (getRanges() != canonical.ranges.asArrayRef())
    return emitOpError("ranges must be the number of an index, its first value "
                       "and that after the last one, in order of the numbers");
  if (getOutsidesAttr() != canonical.outsides)
    return emitOpError("outsides must be the element outside of each range, or "
                       "unit, and one of them at least an element");
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// The operands of one list and how they are accessed.
struct Bindings {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Subscripts> accesses;
};

/// The names of the loops as they are parsed.
struct ParsedAxes {
  SmallVector<std::string> names;
  unsigned parallel = 0;
};
} // namespace

static ParseResult parseNames(OpAsmParser &parser,
                              SmallVectorImpl<std::string> &names) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    return parser.parseKeywordOrString(&names.emplace_back());
  });
}

/// `[m, n | k]`; either group may be empty, the bar only with the second.
static ParseResult parseAxes(OpAsmParser &parser, ParsedAxes &axes) {
  if (parser.parseLSquare())
    return failure();
  if (succeeded(parser.parseOptionalRSquare()))
    return success();
  bool barFirst = succeeded(parser.parseOptionalVerticalBar());
  if (parseNames(parser, axes.names))
    return failure();
  axes.parallel = barFirst ? 0 : axes.names.size();
  if (!barFirst && succeeded(parser.parseOptionalVerticalBar()) &&
      parseNames(parser, axes.names))
    return failure();
  return parser.parseRSquare();
}

/// `(%a = %x[m, k], %b = %w[k, n])`
static ParseResult
parseBindings(OpAsmParser &parser,
              ArrayRef<std::pair<StringRef, AffineExpr>> symbols,
              Bindings &bindings) {
  auto parseSubscript = [&]() -> ParseResult {
    Subscript &subscript = bindings.accesses.back().emplace_back();
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseAffineExpr(symbols, subscript.index))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("in"))) {
      auto &[first, end] = subscript.range.emplace();
      if (parser.parseInteger(first) || parser.parseKeyword("to"))
        return failure();
      if (succeeded(parser.parseOptionalQuestion()))
        end = ShapedType::kDynamic;
      else if (parser.parseInteger(end))
        return failure();
      if (succeeded(parser.parseOptionalKeyword("else")) &&
          parser.parseAttribute(subscript.outside))
        return failure();
    }
    subscript.isPart = succeeded(parser.parseOptionalEllipsis());
    if (subscript.isPart && !isa<AffineDimExpr>(subscript.index))
      return parser.emitError(loc, "expected a loop alone before '...'");
    return success();
  };
  auto parseBinding = [&]() -> ParseResult {
    bindings.accesses.emplace_back();
    return failure(parser.parseArgument(bindings.arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(bindings.operands.emplace_back()) ||
                   parser.parseCommaSeparatedList(
                       AsmParser::Delimiter::OptionalSquare, parseSubscript));
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                        parseBinding);
}

/// Resolves the operands, and gives the names that are bound to their elements
/// their types.
static ParseResult resolve(OpAsmParser &parser, SMLoc loc, TypeRange types,
                           Bindings &bindings, OperationState &result) {
  if (parser.resolveOperands(bindings.operands, types, loc, result.operands))
    return failure();
  for (auto [argument, type] : llvm::zip_equal(bindings.arguments, types))
    argument.type = getElementTypeOrSelf(type);
  return success();
}

static SmallVector<std::pair<StringRef, AffineExpr>>
symbolsOf(MLIRContext *context, const ParsedAxes &axes) {
  SmallVector<std::pair<StringRef, AffineExpr>> symbols;
  for (auto [dim, name] : llvm::enumerate(axes.names))
    symbols.push_back({name, getAffineDimExpr(dim, context)});
  return symbols;
}

ParseResult ComputeOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  Builder &builder = parser.getBuilder();
  std::string name;
  if (succeeded(parser.parseOptionalString(&name)))
    properties.name = builder.getStringAttr(name);
  ParsedAxes axes;
  if (parseAxes(parser, axes))
    return failure();
  auto symbols = symbolsOf(parser.getContext(), axes);
  Bindings inputs, outputs;
  FunctionType types;
  SMLoc loc;
  if (parseBindings(parser, symbols, inputs) || parser.parseArrow() ||
      parseBindings(parser, symbols, outputs) || parser.parseColon() ||
      parser.getCurrentLocation(&loc) || parser.parseType(types) ||
      resolve(parser, loc, types.getInputs(), inputs, result) ||
      resolve(parser, loc, types.getResults(), outputs, result) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addTypes(types.getResults());
  SmallVector<StringRef> names(axes.names.begin(), axes.names.end());
  ArrayRef<StringRef> all(names);
  properties.parallel = builder.getStrArrayAttr(all.take_front(axes.parallel));
  properties.reduced = builder.getStrArrayAttr(all.drop_front(axes.parallel));
  llvm::append_range(inputs.accesses, outputs.accesses);
  storeAccesses(builder, all.size(), inputs.accesses, properties);
  properties.operandSegmentSizes = {int32_t(inputs.operands.size()),
                                    int32_t(outputs.operands.size())};
  llvm::append_range(inputs.arguments, outputs.arguments);
  return parser.parseRegion(*result.addRegion(), inputs.arguments);
}

/// An index with the names of the loops in place of the dimensions, and its
/// range; dots follow where a loop covers only a part of its dimension.
static void printSubscript(raw_ostream &os, const Subscript &subscript,
                           ArrayRef<StringRef> axes) {
  std::string storage;
  llvm::raw_string_ostream(storage) << subscript.index;
  for (StringRef text = storage; !text.empty();) {
    unsigned dim;
    bool isDim = text.consume_front("d");
    if (isDim && !text.consumeInteger(10, dim))
      os << axes[dim];
    else if (isDim)
      os << 'd';
    if (isDim)
      continue;
    os << text.front();
    text = text.drop_front();
  }
  if (subscript.range) {
    os << " in " << subscript.range->first << " to ";
    if (ShapedType::isDynamic(subscript.range->second))
      os << '?';
    else
      os << subscript.range->second;
    if (subscript.outside)
      os << " else " << subscript.outside;
  }
  if (subscript.isPart)
    os << " ...";
}

static void printBindings(OpAsmPrinter &printer, ComputeOp op,
                          MutableArrayRef<OpOperand> operands) {
  SmallVector<StringRef> axes = op.getAxes();
  printer << '(';
  llvm::interleaveComma(operands, printer, [&](OpOperand &operand) {
    printer.printRegionArgument(
        op.getBody()->getArgument(operand.getOperandNumber()), {},
        /*omitType=*/true);
    printer << " = " << operand.get();
    Subscripts access = op.getSubscripts(operand);
    if (access.empty())
      return;
    printer << '[';
    llvm::interleaveComma(access, printer, [&](const Subscript &subscript) {
      printSubscript(printer.getStream(), subscript, axes);
    });
    printer << ']';
  });
  printer << ')';
}

static void printNames(OpAsmPrinter &printer, ArrayAttr names) {
  llvm::interleaveComma(names.getAsValueRange<StringAttr>(), printer,
                        [&](StringRef name) { printer << name; });
}

void ComputeOp::print(OpAsmPrinter &printer) {
  if (StringAttr name = getNameAttr())
    printer << ' ' << name;
  printer << " [";
  printNames(printer, getParallel());
  if (!getReduced().empty()) {
    printer << (getParallel().empty() ? "| " : " | ");
    printNames(printer, getReduced());
  }
  printer << "] ";
  MutableArrayRef<OpOperand> operands = (*this)->getOpOperands();
  printBindings(printer, *this, operands.take_front(getInputs().size()));
  printer << " -> ";
  printBindings(printer, *this, operands.drop_front(getInputs().size()));
  printer << " : ";
  printer.printFunctionalType(getInputs().getTypes(), getResultTypes());
  printer.printOptionalAttrDictWithKeyword(
      llvm::to_vector((*this)->getDiscardableAttrs()));
  printer << ' ';
  printer.printRegion(getPayload(), /*printEntryBlockArgs=*/false);
}
