//===- LoopText.cpp - Loops of kernels as text ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// custom<LoopName>, custom<Loops>: `[m = 64, n = %n < 128]`.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"

using namespace mlir;
using namespace onnxc::krnl;

bool onnxc::krnl::isBareLoopName(StringRef name) {
  // Words of affine expressions.
  if (llvm::is_contained({"ceildiv", "floordiv", "mod", "symbol"}, name))
    return false;
  if (name.empty() || !(llvm::isAlpha(name.front()) || name.front() == '_'))
    return false;
  return llvm::all_of(name, [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$';
  });
}

void onnxc::krnl::printLoopName(raw_ostream &os, StringRef name) {
  if (isBareLoopName(name)) {
    os << name;
    return;
  }
  os << '"';
  llvm::printEscapedString(name, os);
  os << '"';
}

ParseResult onnxc::krnl::parseLoopName(OpAsmParser &parser, StringAttr &name) {
  std::string text;
  if (failed(parser.parseKeywordOrString(&text)))
    return failure();
  name = parser.getBuilder().getStringAttr(text);
  return success();
}

void onnxc::krnl::printLoopName(OpAsmPrinter &printer, Operation *,
                                StringAttr name) {
  printLoopName(printer.getStream(), name.getValue());
}

/// A bound of the iterations of a loop. In the attribute 0 stands for none.
static ParseResult parseBound(OpAsmParser &parser, StringAttr loop,
                              StringRef what, int64_t &bound) {
  llvm::SMLoc position = parser.getCurrentLocation();
  if (parser.parseInteger(bound))
    return failure();
  if (bound == 0)
    return parser.emitError(position, what + " 0 of loop '")
           << loop.getValue() << "' must be more than 1";
  return success();
}

ParseResult onnxc::krnl::parseLoops(
    OpAsmParser &parser, ArrayAttr &loops,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extents) {
  SmallVector<Attribute> all;
  auto parseLoop = [&]() -> ParseResult {
    StringAttr name;
    int64_t extent = ShapedType::kDynamic, limit = 0, atLeast = 0;
    if (parseLoopName(parser, name) || parser.parseEqual())
      return failure();
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (failed(isOperand.has_value() ? *isOperand
                                     : parser.parseInteger(extent)))
      return failure();
    if (isOperand.has_value())
      extents.push_back(operand);
    if (succeeded(parser.parseOptionalGreater()) &&
        (parser.parseEqual() || parseBound(parser, name, "minimum", atLeast)))
      return failure();
    if (succeeded(parser.parseOptionalLess()) &&
        parseBound(parser, name, "limit", limit))
      return failure();
    all.push_back(
        LoopAttr::get(parser.getContext(), name, extent, limit, atLeast));
    return success();
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseLoop, " in loops")))
    return failure();
  loops = parser.getBuilder().getArrayAttr(all);
  return success();
}

void onnxc::krnl::printLoops(OpAsmPrinter &printer, Operation *,
                             ArrayAttr loops, OperandRange extents) {
  unsigned number = 0;
  printer << '[';
  llvm::interleaveComma(loops.getAsRange<LoopAttr>(), printer.getStream(),
                        [&](LoopAttr loop) {
                          printLoopName(printer.getStream(), loop.getName());
                          printer << " = ";
                          if (loop.isDynamic())
                            printer << extents[number++];
                          else
                            printer << loop.getExtent();
                          if (loop.getAtLeast())
                            printer << " >= " << loop.getAtLeast();
                          if (loop.getLimit())
                            printer << " < " << loop.getLimit();
                        });
  printer << ']';
}
