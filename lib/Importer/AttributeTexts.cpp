//===- AttributeTexts.cpp - Texts that attributes may have -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// Schemas have the type of a text attribute, and its valid texts in prose only.
// Any other is an error of the model: taken for one of them, it would silently
// change the result.
//
//===----------------------------------------------------------------------===//
#include "AttributeTexts.h"

#include "ImportState.h"
#include "NodeCheck.h"

#include <climits>

using namespace onnxc::importer;
using llvm::StringRef;
using ::onnx::AttributeProto;
using ::onnx::NodeProto;

namespace {
/// An attribute of some operators, from one version of their domain on and
/// before another, and the texts that it may have. Lists are parted by ", ".
struct TextRow {
  llvm::StringLiteral attribute, operators, texts;
  int since = 1, before = INT_MAX;
};
} // namespace

static constexpr TextRow textRows[] = {
    {"auto_pad",
     "AveragePool, Conv, ConvInteger, ConvTranspose, LpPool, MaxPool, "
     "QLinearConv, com.microsoft.ConvTransposeWithDynamicPads, "
     "com.microsoft.FusedConv, com.microsoft.NhwcConv, "
     "com.microsoft.NhwcFusedConv, com.microsoft.NhwcMaxPool, "
     "com.microsoft.QLinearAveragePool, com.microsoft.QLinearConv",
     "NOTSET, SAME_UPPER, SAME_LOWER, VALID"},
    {"direction", "BitShift", "LEFT, RIGHT"},
    {"direction", "GRU, LSTM, RNN, com.microsoft.DynamicQuantizeLSTM",
     "forward, reverse, bidirectional"},
    {"reduction", "NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss",
     "none, sum, mean"},
    {"reduction", "ScatterElements, ScatterND", "none, add, mul, max, min"},
    {"mode", "DepthToSpace, SpaceToDepth", "DCR, CRD"},
    {"mode", "GridSample", "bilinear, nearest, bicubic", 16, 20},
    {"mode", "GridSample", "linear, nearest, cubic", 20},
    {"mode", "com.microsoft.GridSample", "bilinear, nearest, bicubic"},
    {"mode", "Pad, com.microsoft.Pad", "constant, reflect, edge, wrap"},
    {"mode", "Resize", "nearest, linear, cubic"},
    {"mode", "Upsample", "nearest, linear, bilinear, cubic"},
    {"mode", "RoiAlign", "avg, max"},
    {"mode", "TensorScatter", "linear, circular"},
    {"mode", "TfIdfVectorizer", "TF, IDF, TFIDF"},
    {"mode", "ai.onnx.preview.training.Momentum", "nesterov, standard"},
    {"mode", "com.microsoft.CropAndResize", "bilinear, nearest"},
    {"padding_mode", "GridSample, com.microsoft.GridSample",
     "zeros, border, reflection"},
    {"coordinate_transformation_mode", "Resize",
     "half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, "
     "asymmetric, tf_half_pixel_for_nn, tf_crop_and_resize"},
    {"coordinate_transformation_mode", "RoiAlign",
     "half_pixel, output_half_pixel"},
    {"nearest_mode", "Resize",
     "round_prefer_floor, round_prefer_ceil, floor, ceil"},
    {"keep_aspect_ratio_policy", "Resize", "stretch, not_larger, not_smaller"},
    {"round_mode", "Cast, CastLike", "up, down, nearest"},
    {"approximate", "Gelu", "none, tanh"},
    {"activation", "CausalConvWithState, com.microsoft.CausalConvWithState",
     "none, silu, swish"},
    {"activation", "com.microsoft.GatedRMSNorm", "silu, swish, sigmoid"},
    {"activation_type", "com.microsoft.MoE, com.microsoft.QMoE",
     "relu, gelu, silu, swiglu, identity"},
    {"update_rule", "LinearAttention, com.microsoft.LinearAttention",
     "linear, gated, delta, gated_delta"},
    {"pixel_format", "ImageDecoder", "RGB, BGR, Grayscale"},
    {"case_change_action", "StringNormalizer", "NONE, LOWER, UPPER"},
    {"metric", "com.microsoft.CDist", "euclidean, sqeuclidean"},
    {"cast_to", "ai.onnx.ml.CastMap", "TO_FLOAT, TO_STRING, TO_INT64"},
    {"map_form", "ai.onnx.ml.CastMap", "DENSE, SPARSE"},
    {"norm", "ai.onnx.ml.Normalizer", "MAX, L1, L2"},
    {"kernel_type", "ai.onnx.ml.SVMClassifier, ai.onnx.ml.SVMRegressor",
     "LINEAR, POLY, RBF, SIGMOID"},
    {"aggregate_function", "ai.onnx.ml.TreeEnsembleRegressor",
     "AVERAGE, SUM, MIN, MAX"},
    {"post_transform",
     "ai.onnx.ml.LinearClassifier, ai.onnx.ml.LinearRegressor, "
     "ai.onnx.ml.SVMClassifier, ai.onnx.ml.SVMRegressor, "
     "ai.onnx.ml.TreeEnsembleClassifier, ai.onnx.ml.TreeEnsembleRegressor",
     "NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT"},
};

static bool isInList(StringRef word, StringRef list) {
  llvm::SmallVector<StringRef, 16> words;
  list.split(words, ", ");
  return llvm::is_contained(words, word);
}

std::string onnxc::importer::checkText(const NodeProto &node,
                                       const AttributeProto &attribute,
                                       int version) {
  if (attribute.type() != AttributeProto::STRING)
    return "";
  std::string name = operatorName(node);
  for (const TextRow &row : textRows) {
    if (attribute.name() != row.attribute || version < row.since ||
        version >= row.before || !isInList(name, row.operators))
      continue;
    if (isInList(attribute.s(), row.texts))
      return "";
    return "attribute " + quote(attribute.name()) + " is " +
           quote(attribute.s()) + ", but must be one of " + row.texts.str();
  }
  return "";
}
