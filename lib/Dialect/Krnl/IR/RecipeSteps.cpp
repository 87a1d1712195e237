//===- RecipeSteps.cpp - The steps as attributes and as text -*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// In a recipe a step is written `block(n, 48) -> (n.o, n.r)`; alone, as any
// attribute, `#krnl.block<(n, 48) -> (n.o, n.r)>`.
//
//===----------------------------------------------------------------------===//

#include "RenamedParts.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/Krnl/IR/LoopNest/NestBuilder.h"
#include "onnxc/Target/IR/ByteInstructions.h"
#include "onnxc/Target/IR/Target.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace onnxc::krnl;

namespace onnxc::krnl {
static void printLoopName(AsmPrinter &printer, StringRef name) {
  printLoopName(printer.getStream(), name);
}

static FailureOr<std::string> parseLoopName(AsmParser &parser) {
  std::string name;
  if (failed(parser.parseKeywordOrString(&name)))
    return failure();
  return name;
}

static FailureOr<std::string> parseOpName(AsmParser &parser) {
  unsigned number;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (!isNumber.has_value())
    return parseLoopName(parser);
  if (failed(*isNumber))
    return failure();
  return std::to_string(number);
}

static bool isNumber(StringRef text) {
  return !text.empty() && llvm::all_of(text, llvm::isDigit);
}

static void printOpName(raw_ostream &os, StringRef name) {
  if (isNumber(name))
    os << name;
  else
    printLoopName(os, name);
}

static void printOpName(AsmPrinter &printer, StringRef name) {
  printOpName(printer.getStream(), name);
}

static void printLoopNames(AsmPrinter &printer, ArrayRef<StringAttr> names) {
  llvm::interleaveComma(names, printer.getStream(), [&](StringAttr name) {
    printLoopName(printer.getStream(), name.getValue());
  });
}

static FailureOr<SmallVector<StringAttr>> parseLoopNames(AsmParser &parser) {
  SmallVector<StringAttr> names;
  auto parseName = [&]() -> ParseResult {
    FailureOr<std::string> name = parseLoopName(parser);
    if (failed(name))
      return failure();
    names.push_back(parser.getBuilder().getStringAttr(*name));
    return success();
  };
  if (failed(parser.parseCommaSeparatedList(parseName)))
    return failure();
  return names;
}

static SmallVector<StringRef> namesOf(ArrayRef<StringAttr> names) {
  return llvm::map_to_vector(names, [](StringAttr n) { return n.getValue(); });
}

static FailureOr<TailStrategy> parseTail(AsmParser &parser) {
  StringRef text;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseKeyword(&text)))
    return failure();
  if (std::optional<TailStrategy> tail = symbolizeTail(text))
    return *tail;
  return parser.emitError(loc,
                          "expected tail to be mask, peel or pad, but got '")
         << text << "'";
}

static constexpr StringRef lanesKeyword = "lanes";

/// [`,` (`lanes` | `transpose` | `interleave`) `=` lanes]
static ParseResult parsePackShuffle(AsmParser &parser,
                                    std::optional<Shuffle> &shuffle,
                                    int64_t &lanes) {
  shuffle = std::nullopt;
  lanes = 0;
  if (failed(parser.parseOptionalComma()))
    return success();
  StringRef text;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&text) || parser.parseEqual() ||
      parser.parseInteger(lanes))
    return failure();
  if (text == lanesKeyword)
    return success();
  shuffle = symbolizeShuffle(text);
  if (!shuffle)
    return parser.emitError(
               loc, "expected lanes, transpose or interleave, but got '")
           << text << "'";
  return success();
}

static void printPackShuffle(AsmPrinter &printer,
                             std::optional<Shuffle> shuffle, int64_t lanes) {
  if (lanes != 0)
    printer << ", " << (shuffle ? stringifyShuffle(*shuffle) : lanesKeyword)
            << '=' << lanes;
}

/// [`,` `masked`]
static ParseResult parseMasked(AsmParser &parser, bool &masked) {
  masked = succeeded(parser.parseOptionalComma());
  return masked ? parser.parseKeyword("masked") : success();
}

static void printMasked(AsmPrinter &printer, bool masked) {
  if (masked)
    printer << ", masked";
}

/// `thread` | `cluster`
static ParseResult parseMappedTo(AsmParser &parser, bool &cluster) {
  cluster = succeeded(parser.parseOptionalKeyword("cluster"));
  return cluster ? success() : parser.parseKeyword("thread");
}

static void printMappedTo(AsmPrinter &printer, bool cluster) {
  printer << (cluster ? "cluster" : "thread");
}

/// [`,` `sums` `=` `i16`]
static ParseResult parseShortSums(AsmParser &parser, bool &shortSums) {
  shortSums = succeeded(parser.parseOptionalComma());
  if (!shortSums)
    return success();
  return failure(parser.parseKeyword("sums") || parser.parseEqual() ||
                 parser.parseKeyword("i16"));
}

static void printShortSums(AsmPrinter &printer, bool shortSums) {
  if (shortSums)
    printer << ", sums=i16";
}

/// [`,` `as` `=` `i16`] | [`,` `in` `=` `shared` [`,` `by` `=` `tma`]]
static ParseResult parseSliceCopy(AsmParser &parser, SliceCopy &copy) {
  copy = SliceCopy::Scratch;
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("as"))) {
    copy = SliceCopy::Wide;
    return failure(parser.parseEqual() || parser.parseKeyword("i16"));
  }
  if (parser.parseKeyword("in") || parser.parseEqual() ||
      parser.parseKeyword("shared"))
    return failure();
  copy = SliceCopy::Shared;
  if (failed(parser.parseOptionalComma()))
    return success();
  copy = SliceCopy::SharedByTma;
  return failure(parser.parseKeyword("by") || parser.parseEqual() ||
                 parser.parseKeyword("tma"));
}

static void printSliceCopy(AsmPrinter &printer, SliceCopy copy) {
  if (copy == SliceCopy::Wide)
    printer << ", as=i16";
  if (copy == SliceCopy::Shared || copy == SliceCopy::SharedByTma)
    printer << ", in=shared";
  if (copy == SliceCopy::SharedByTma)
    printer << ", by=tma";
}

/// [`,` `in_flight` `=` groups] [`,` `producer`]
static ParseResult parseOverlap(AsmParser &parser, int64_t &inFlight,
                                bool &producer) {
  inFlight = 0;
  producer = false;
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("in_flight"))) {
    if (parser.parseEqual() || parser.parseInteger(inFlight))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
  }
  producer = true;
  return parser.parseKeyword("producer");
}

static void printOverlap(AsmPrinter &printer, int64_t inFlight, bool producer) {
  if (inFlight != 0)
    printer << ", in_flight=" << inFlight;
  if (producer)
    printer << ", producer";
}

/// [`,` `tail` `=` `[` sizes `]` [`masked`]]
static ParseResult parseRowTail(AsmParser &parser, SmallVector<int64_t> &tail,
                                bool &masked) {
  masked = false;
  if (failed(parser.parseOptionalComma()))
    return success();
  auto parseSize = [&] { return parser.parseInteger(tail.emplace_back()); };
  if (parser.parseKeyword("tail") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseSize))
    return failure();
  masked = succeeded(parser.parseOptionalKeyword("masked"));
  return success();
}

static void printRowTail(AsmPrinter &printer, ArrayRef<int64_t> tail,
                         bool masked) {
  if (tail.empty() && !masked)
    return;
  printer << ", tail=[" << tail << (masked ? "] masked" : "]");
}
} // namespace onnxc::krnl

#define GET_ATTRDEF_CLASSES
#include "onnxc/Dialect/Krnl/IR/KrnlAttributes.cpp.inc"

#include "onnxc/Dialect/Krnl/IR/RecipeStep.cpp.inc"

void KrnlDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "onnxc/Dialect/Krnl/IR/KrnlAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Returns true for steps that have a mnemonic: in text OnlyStepAttr is a
/// prefix.
template <typename Attr>
constexpr bool hasMnemonic = std::is_base_of_v<RecipeStep::Trait<Attr>, Attr> &&
                             !std::is_same_v<Attr, OnlyStepAttr>;

/// Parses and prints the part after the mnemonic of those of the attributes
/// that are steps.
template <typename... Attrs>
struct StepList {
  static Attribute parse(StringRef mnemonic, AsmParser &parser) {
    Attribute result;
    bool known = ((hasMnemonic<Attrs> && mnemonic == Attrs::getMnemonic() &&
                   (result = Attrs::parse(parser, Type()), true)) ||
                  ...);
    if (!known)
      parser.emitError(parser.getNameLoc(), "unknown recipe step '")
          << mnemonic << "'";
    return result;
  }
  static StringRef parseOptionalMnemonic(AsmParser &parser) {
    StringRef found;
    (void)((hasMnemonic<Attrs> &&
            succeeded(parser.parseOptionalKeyword(Attrs::getMnemonic())) &&
            (found = Attrs::getMnemonic(), true)) ||
           ...);
    return found;
  }
  static bool print(Attribute attribute, AsmPrinter &printer) {
    auto tryPrint = [&]<typename Attr>(Attr step) {
      if (!step || !hasMnemonic<Attr>)
        return false;
      printer.getStream() << step.getMnemonic() << '<';
      step.print(printer);
      printer.getStream() << '>';
      return true;
    };
    return (tryPrint(dyn_cast<Attrs>(attribute)) || ...);
  }
};
using AllSteps = StepList<
#define GET_ATTRDEF_LIST
#include "onnxc/Dialect/Krnl/IR/KrnlAttributes.cpp.inc"
    >;
} // namespace

/// step ::= [op `:`] mnemonic body
static Attribute parseStep(AsmParser &parser) {
  std::string word;
  unsigned number;
  OptionalParseResult isInteger = parser.parseOptionalInteger(number);
  if (isInteger.has_value()) {
    if (failed(*isInteger) || failed(parser.parseColon()))
      return {};
    word = std::to_string(number);
  } else if (failed(parser.parseKeywordOrString(&word))) {
    return {};
  } else if (failed(parser.parseOptionalColon())) {
    return AllSteps::parse(word, parser);
  }
  StringRef mnemonic;
  if (failed(parser.parseKeyword(&mnemonic)))
    return {};
  Attribute step = AllSteps::parse(mnemonic, parser);
  if (!step)
    return {};
  return OnlyStepAttr::get(parser.getContext(), word, step);
}

static ParseResult parseSteps(AsmParser &parser, ArrayAttr &recipe) {
  SmallVector<Attribute> steps;
  auto parseOne = [&]() -> ParseResult {
    Attribute step = parseStep(parser);
    if (step)
      steps.push_back(step);
    return success(step != nullptr);
  };
  if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseOne, " in recipe")))
    return failure();
  recipe = parser.getBuilder().getArrayAttr(steps);
  return success();
}

std::string onnxc::krnl::stepText(Attribute step) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto only = dyn_cast<OnlyStepAttr>(step)) {
    printOpName(os, only.getOp());
    os << ": " << stepText(only.getStep());
    return text;
  }
  step.print(os);
  // #krnl.block<(n, 48) -> (n.o, n.r)>
  StringRef alone = text;
  alone.consume_front("#krnl.");
  alone.consume_back(">");
  auto [mnemonic, body] = alone.split('<');
  return (mnemonic + body).str();
}

std::string onnxc::krnl::recipeText(ArrayAttr recipe) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(recipe, os,
                        [&](Attribute step) { os << stepText(step); });
  os << ']';
  return text;
}

FailureOr<ArrayAttr> onnxc::krnl::parseRecipeText(StringRef text,
                                                  MLIRContext *context,
                                                  EmitErrorFn emitError) {
  Attribute parsed;
  std::string reason = captureMessage(context, [&] {
    parsed =
        mlir::parseAttribute(("#krnl.recipe<" + text + ">").str(), context);
  });
  if (auto recipe = dyn_cast_or_null<ArrayAttr>(parsed))
    return recipe;
  return emitError() << reason;
}

ParseResult onnxc::krnl::parseRecipe(OpAsmParser &parser, ArrayAttr &recipe) {
  return parseSteps(parser, recipe);
}

void onnxc::krnl::printRecipe(OpAsmPrinter &printer, Operation *,
                              ArrayAttr recipe) {
  printer << recipeText(recipe);
}

//===----------------------------------------------------------------------===//
// The dialect's attributes
//===----------------------------------------------------------------------===//

Attribute KrnlDialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  // Not an attribute of its own: the text form of an array of steps.
  if (succeeded(parser.parseOptionalKeyword("recipe"))) {
    ArrayAttr recipe;
    if (failed(parser.parseLess()) || failed(parseSteps(parser, recipe)) ||
        failed(parser.parseGreater()))
      return {};
    return recipe;
  }
  StringRef step = AllSteps::parseOptionalMnemonic(parser);
  if (!step.empty()) {
    if (failed(parser.parseLess()))
      return {};
    Attribute attribute = AllSteps::parse(step, parser);
    if (!attribute || failed(parser.parseGreater()))
      return {};
    return attribute;
  }
  if (succeeded(parser.parseOptionalKeyword(TargetAttr::getMnemonic())))
    return TargetAttr::parse(parser, type);
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attribute;
  if (!generatedAttributeParser(parser, &mnemonic, type, attribute).has_value())
    parser.emitError(loc, "unknown krnl attribute '") << mnemonic << "'";
  return attribute;
}

void KrnlDialect::printAttribute(Attribute attribute,
                                 DialectAsmPrinter &printer) const {
  if (auto target = dyn_cast<TargetAttr>(attribute)) {
    printer << TargetAttr::getMnemonic();
    target.print(printer);
  } else if (!AllSteps::print(attribute, printer)) {
    (void)generatedAttributePrinter(attribute, printer);
  }
}

LogicalResult OnlyStepAttr::verify(EmitErrorFn emitError, StringRef op,
                                   Attribute step) {
  if (!isa<RecipeStep>(step) || isa<OnlyStepAttr>(step))
    return emitError() << "expected a step to limit to op '" << op << "'";
  return success();
}

LogicalResult OnlyStepAttr::advance(NestBuilder &nest,
                                    EmitErrorFn emitError) const {
  std::optional<unsigned> number = nest.findOp(getOp());
  if (!number)
    return emitError() << "there is no op '" << getOp() << "'";
  nest.limitTo(*number);
  LogicalResult result = cast<RecipeStep>(getStep()).advance(nest, emitError);
  nest.limitTo(-1);
  return result;
}

LogicalResult PackedLayoutAttr::verify(EmitErrorFn emitError,
                                       ArrayRef<int64_t> dims,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> strides,
                                       ArrayRef<int64_t> longSums) {
  if (dims.size() != sizes.size() || dims.size() != strides.size())
    return emitError() << "expected as many dims, sizes and strides, but got "
                       << dims.size() << ", " << sizes.size() << " and "
                       << strides.size();
  if (longSums.empty())
    return success();
  if (longSums.size() != 2 || longSums[1] < 1)
    return emitError() << "expected an entry and a count of long sums";
  auto outer = int64_t(sizes.size()) - 2;
  if (longSums[0] < 0 || longSums[0] >= outer || sizes.back() != bytesOfDot)
    return emitError() << "long sums along entry " << longSums[0]
                       << " are of no groups of " << bytesOfDot << " bytes";
  return success();
}
