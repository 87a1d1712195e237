//===- Text.cpp - Operators that take text apart ----------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// StringSplit, StringNormalizer, RegexFullMatch and Tokenizer, each one call.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Text/Strings.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include "calls/Unicode.h"

using namespace mlir;

namespace onnxc {
namespace {

std::string lowerCase(StringRef text) {
  std::string whole = text.str(), result;
  for (const char *at = whole.c_str(); *at;) {
    char bytes[4];
    char *end = rt::writeUtf8(bytes, rt::lowerCase(rt::readUtf8(at)));
    result.append(bytes, end);
  }
  return result;
}

Type stringType(OpBuilder &b) { return krnl::StrType::get(b.getContext()); }

Lowered lowerSplit(onnx::StringSplitOp op, onnx::StringSplitOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType type = rankedType(adaptor.getX());
  SmallVector<int64_t> parts(type.getShape());
  parts.push_back(ShapedType::kDynamic);
  StringRef delimiter = op.getDelimiter().value_or("");
  Value table = stringTable(rewriter, loc, delimiter, /*isSearched=*/false);
  auto call = krnl::CallOp::create(
      rewriter, loc,
      TypeRange{RankedTensorType::get(parts, stringType(rewriter)),
                RankedTensorType::get(type.getShape(), rewriter.getI64Type())},
      "onnxc_call_string_split", ValueRange{adaptor.getX(), table},
      {op.getMaxsplit().value_or(-1)}, /*stateful=*/false);
  return call.getResults();
}

Lowered lowerNormalizer(onnx::StringNormalizerOp op,
                        onnx::StringNormalizerOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType type = rankedType(adaptor.getX());
  if (type.getRank() < 1 || type.getRank() > 2)
    return rewriter.notifyMatchFailure(op, "expects one row of strings");
  std::optional<int64_t> change =
      llvm::StringSwitch<std::optional<int64_t>>(op.getCaseChangeAction())
          .Case("NONE", 0)
          .Case("LOWER", 1)
          .Case("UPPER", 2)
          .Default(std::nullopt);
  if (!change)
    return rewriter.notifyMatchFailure(
        op, "case_change_action is none of NONE, LOWER and UPPER");
  // Words are compared in lower case unless case counts.
  bool asTheyAre = op.getIsCaseSensitive() != 0;
  SmallVector<std::string> lower;
  for (StringRef word : textsOf(op.getStopwords()))
    lower.push_back(asTheyAre ? word.str() : lowerCase(word));
  SmallVector<StringRef> words(lower.begin(), lower.end());
  Value table = stringTable(rewriter, loc, words, /*isSearched=*/true);
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape.back() = ShapedType::kDynamic;
  return callTensor(rewriter, loc, "onnxc_call_string_normalize",
                    RankedTensorType::get(shape, stringType(rewriter)),
                    {adaptor.getX(), table}, {*change, asTheyAre});
}

Lowered lowerRegex(onnx::RegexFullMatchOp op,
                   onnx::RegexFullMatchOp::Adaptor adaptor,
                   ConversionPatternRewriter &rewriter) {
  RankedTensorType type = rankedType(adaptor.getX());
  Value table = stringTable(rewriter, op.getLoc(), op.getPattern().value_or(""),
                            /*isSearched=*/false);
  return callTensor(
      rewriter, op.getLoc(), "onnxc_call_regex_full_match",
      RankedTensorType::get(type.getShape(), rewriter.getI8Type()),
      {adaptor.getX(), table});
}

/// Tokens are the matches of an expression, or the text between separators;
/// with a single empty separator every character is a token.
Lowered lowerTokenizer(onnx::MicrosoftTokenizerOp op,
                       onnx::MicrosoftTokenizerOp::Adaptor adaptor,
                       ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType type = rankedType(adaptor.getX());
  if (type.getRank() < 1 || type.getRank() > 2)
    return rewriter.notifyMatchFailure(op, "expects rows of strings");
  SmallVector<StringRef> separators = textsOf(op.getSeparators());
  std::optional<StringRef> expression = op.getTokenexp();
  if (expression.has_value() != separators.empty())
    return rewriter.notifyMatchFailure(op,
                                       "expects either separators or tokenexp");
  // The numbers are those of runtime/lib/calls/Tokenize.cpp.
  enum { kMatches, kSeparators, kCharacters };
  bool byCharacter = separators.size() == 1 && separators[0].empty();
  if (!byCharacter && llvm::is_contained(separators, ""))
    return rewriter.notifyMatchFailure(op, "one of the separators is empty");
  SmallVector<StringRef> texts = {op.getPadValue()};
  if (expression)
    texts.push_back(*expression);
  else if (!byCharacter)
    llvm::append_range(texts, separators);
  int64_t way = expression ? kMatches : byCharacter ? kCharacters : kSeparators;
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(ShapedType::kDynamic);
  Value table = stringTable(rewriter, loc, texts, /*isSearched=*/false);
  return callTensor(rewriter, loc, "onnxc_call_tokenize",
                    RankedTensorType::get(shape, stringType(rewriter)),
                    {adaptor.getX(), table},
                    {op.getMark(), op.getMincharnum(), way});
}

} // namespace

void populateONNXToKrnlTextPatterns(TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerNormalizer, lowerRegex, lowerSplit,
               lowerTokenizer);
}

} // namespace onnxc
