//===- Maps.cpp - Operators from and to maps --------------------*- C++ -*-===//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// ZipMap, DictVectorizer and CastMap, each one call.
//===----------------------------------------------------------------------===//

#include "Builders/HostValues.h"
#include "Lowering.h"
#include "Movement/Movement.h"
#include "Text/Strings.h"
#include "onnxc/Conversion/ONNXToKrnl/KeyTables.h"
#include "onnxc/Conversion/ONNXToKrnl/ONNXToKrnl.h"
#include "onnxc/Dialect/Krnl/IR/KrnlOps.h"
#include "onnxc/Dialect/ONNX/IR/ONNXOps.h"

#include <set>

using namespace mlir;

namespace onnxc {
namespace {

/// A table of the positions of integers, of equal ones that of the first.
Value placeTable(OpBuilder &b, Location loc, ArrayRef<int64_t> keys) {
  std::set<int64_t> entered;
  SmallVector<uint64_t> different;
  SmallVector<int64_t> positions;
  for (auto [i, key] : llvm::enumerate(keys)) {
    if (!entered.insert(key).second)
      continue;
    different.push_back(uint64_t(key));
    positions.push_back(int64_t(i));
  }
  return keyWords(b, loc, different, positions);
}

Lowered lowerZipMap(onnx::MlZipMapOp op, onnx::MlZipMapOp::Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  Value x = adaptor.getOperands()[0];
  RankedTensorType type = rankedType(x);
  if (type.getRank() < 1 || type.getRank() > 2 ||
      !type.getElementType().isF32())
    return rewriter.notifyMatchFailure(op, "expects rows of f32");
  SmallVector<StringRef> texts = textsOf(op.getClasslabelsStrings());
  ArrayRef<int64_t> ints =
      op.getClasslabelsInt64s().value_or(ArrayRef<int64_t>());
  if (texts.empty() == ints.empty())
    return rewriter.notifyMatchFailure(
        op, "expects either classlabels_strings or classlabels_int64s");
  Value keys = texts.empty() ? wordsConstant(rewriter, loc, ints)
                             : stringConstant(rewriter, loc, texts,
                                              int64_t(texts.size()));
  Type object = krnl::ObjType::get(rewriter.getContext());
  return krnl::CallOp::create(rewriter, loc, object, "onnxc_call_zip_map",
                              ValueRange{x, keys}, ArrayRef<int64_t>(),
                              /*stateful=*/false)
      .getResults();
}

Lowered lowerVectorizer(onnx::MlDictVectorizerOp op,
                        onnx::MlDictVectorizerOp::Adaptor adaptor,
                        ConversionPatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto map = dyn_cast<onnx::MapType>(op->getOperand(0).getType());
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (!map)
    return rewriter.notifyMatchFailure(op, "operand is not a map");
  SmallVector<StringRef> texts = textsOf(op.getStringVocabulary());
  ArrayRef<int64_t> ints =
      op.getInt64Vocabulary().value_or(ArrayRef<int64_t>());
  bool isText = isString(map.getKeyType());
  int64_t count = isText ? int64_t(texts.size()) : int64_t(ints.size());
  if (count == 0)
    return rewriter.notifyMatchFailure(
        op, "there is no vocabulary of the keys' type");
  Value vocabulary = isText ? stringTable(rewriter, loc, texts, true)
                            : placeTable(rewriter, loc, ints);
  if (!vocabulary)
    return rewriter.notifyMatchFailure(op, "the vocabulary fits no table");
  auto type = RankedTensorType::get({1, count}, krnlType(element));
  return callTensor(rewriter, loc, "onnxc_call_dict_vectorizer", type,
                    {adaptor.getOperands()[0], vocabulary},
                    {count, onnx::getElementTypeNumber(element)});
}

Lowered lowerCastMap(onnx::MlCastMapOp op, onnx::MlCastMapOp::Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) {
  bool isDense = op.getMapForm() == "DENSE";
  if (!isDense && (op.getMapForm() != "SPARSE" || op.getMaxMap() < 0))
    return rewriter.notifyMatchFailure(
        op, "expects map_form DENSE, or SPARSE with max_map");
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  int64_t count = isDense ? ShapedType::kDynamic : op.getMaxMap();
  auto type = RankedTensorType::get({1, count}, krnlType(element));
  return callTensor(
      rewriter, op.getLoc(), "onnxc_call_cast_map", type,
      adaptor.getOperands()[0],
      {onnx::getElementTypeNumber(element), isDense ? -1 : count});
}

} // namespace

void populateONNXToKrnlMapsPatterns(TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  addLowerings(converter, patterns, lowerCastMap, lowerVectorizer, lowerZipMap);
}

} // namespace onnxc
