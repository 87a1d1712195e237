//===- UpgradeTable.cpp - From old operator versions to the newest --------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "UpgradeTable.h"

#include "Rules.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

using namespace onnxc::importer;
using namespace onnxc::importer::rules;

/// A node of the old version is one of the new version without a change:
/// additions are optional, and their defaults are the behaviour before.
static constexpr UpgradeRule compatible = nullptr;

// clang-format off
static constexpr UpgradeStep steps[] = {
  {"", "Abs", 1, 6, dropConsumedInputs},
  {"", "Add", 1, 6, dropConsumedInputs},
  {"", "Add", 6, 7, broadcastAlongAxis},
  {"", "And", 1, 7, broadcastAlongAxis},
  {"", "ArgMax", 11, 12, compatible},
  {"", "ArgMin", 11, 12, compatible},
  {"", "Attention", 23, 24, compatible},
  {"", "Attention", 24, 25, compatible},
  {"", "AveragePool", 1, 7, compatible},
  {"", "AveragePool", 7, 10, compatible},
  // A last window in the padding alone is left out now; it had no average.
  {"", "AveragePool", 11, 19, compatible},
  {"", "BatchNormalization", 1, 6, dropConsumedInputs},
  {"", "BatchNormalization", 6, 7, BatchNormalization_6_to_7},
  {"", "BatchNormalization", 7, 9, BatchNormalization_7_to_9},
  {"", "BatchNormalization", 9, 14, BatchNormalization_9_to_14},
  {"", "Cast", 1, 6, Cast_1_to_6},
  {"", "Cast", 13, 19, compatible},
  {"", "Cast", 23, 24, compatible},
  {"", "CastLike", 15, 19, compatible},
  {"", "CastLike", 23, 24, compatible},
  {"", "Ceil", 1, 6, dropConsumedInputs},
  {"", "Clip", 1, 6, Clip_1_to_6},
  {"", "Clip", 6, 11, Clip_6_to_11},
  {"", "Concat", 1, 4, Concat_1_to_4},
  {"", "Constant", 9, 11, compatible},
  {"", "Constant", 11, 12, compatible},
  {"", "DFT", 17, 20, DFT_17_to_20},
  {"", "DepthToSpace", 1, 11, compatible},
  {"", "DequantizeLinear", 10, 13, compatible},
  {"", "DequantizeLinear", 19, 21, compatible},
  {"", "DequantizeLinear", 21, 23, compatible},
  {"", "Div", 1, 6, dropConsumedInputs},
  {"", "Div", 6, 7, broadcastAlongAxis},
  {"", "Dropout", 1, 6, dropConsumedInputs},
  {"", "Dropout", 6, 7, Dropout_6_to_7},
  // The signature is the same, the type of the mask is not.
  {"", "Dropout", 7, 10, Dropout_7_to_10},
  {"", "Dropout", 10, 12, Dropout_10_to_12},
  {"", "Elu", 1, 6, dropConsumedInputs},
  {"", "Equal", 1, 7, broadcastAlongAxis},
  // Integers were never meaningful; they are refused by type.
  {"", "Erf", 9, 13, compatible},
  {"", "Exp", 1, 6, dropConsumedInputs},
  {"", "Floor", 1, 6, dropConsumedInputs},
  {"", "GRU", 1, 3, GRU_1_to_3},
  {"", "GRU", 3, 7, dropOutputSequence},
  {"", "GRU", 7, 14, compatible},
  {"", "GatherND", 11, 12, compatible},
  {"", "Gemm", 6, 7, Gemm_6_to_7},
  {"", "Gemm", 9, 11, compatible},
  {"", "GlobalLpPool", 1, 2, pToInt},
  {"", "Greater", 1, 7, broadcastAlongAxis},
  {"", "GridSample", 16, 20, GridSample_16_to_20},
  {"", "GroupNormalization", 18, 21, GroupNormalization_18_to_21},
  {"", "HardSigmoid", 1, 6, dropConsumedInputs},
  {"", "Hardmax", 11, 13, flattenBeforeSoftmax},
  {"", "InstanceNormalization", 1, 6, dropConsumedInputs},
  {"", "LSTM", 1, 7, dropOutputSequence},
  {"", "LSTM", 7, 14, compatible},
  {"", "LeakyRelu", 1, 6, dropConsumedInputs},
  {"", "Less", 1, 7, broadcastAlongAxis},
  {"", "Log", 1, 6, dropConsumedInputs},
  {"", "LogSoftmax", 11, 13, flattenBeforeSoftmax},
  {"", "LpPool", 1, 2, LpPool_1_to_2},
  {"", "LpPool", 11, 18, compatible},
  {"", "Max", 1, 6, dropConsumedInputs},
  {"", "MaxPool", 1, 8, compatible},
  {"", "MaxPool", 8, 10, compatible},
  {"", "Mean", 1, 6, dropConsumedInputs},
  {"", "Min", 1, 6, dropConsumedInputs},
  {"", "Mul", 1, 6, dropConsumedInputs},
  {"", "Mul", 6, 7, broadcastAlongAxis},
  {"", "Neg", 1, 6, dropConsumedInputs},
  {"", "OptionalHasElement", 15, 18, compatible},
  {"", "Or", 1, 7, broadcastAlongAxis},
  {"", "PRelu", 1, 6, dropConsumedInputs},
  // The signature is the same, the meaning is not.
  {"", "PRelu", 6, 7, PRelu_6_to_7},
  {"", "Pad", 1, 2, Pad_1_to_2},
  {"", "Pad", 2, 11, Pad_2_to_11},
  {"", "Pad", 13, 18, compatible},
  {"", "Pow", 1, 7, broadcastAlongAxis},
  {"", "QuantizeLinear", 10, 13, compatible},
  {"", "QuantizeLinear", 13, 19, compatible},
  {"", "QuantizeLinear", 19, 21, compatible},
  {"", "QuantizeLinear", 21, 23, compatible},
  {"", "RNN", 1, 7, dropOutputSequence},
  {"", "RNN", 7, 14, compatible},
  {"", "Range", 11, 27, compatible},
  {"", "Reciprocal", 1, 6, dropConsumedInputs},
  {"", "ReduceL1", 13, 18, axesToInput},
  {"", "ReduceL2", 13, 18, axesToInput},
  {"", "ReduceLogSum", 13, 18, axesToInput},
  {"", "ReduceLogSum", 18, 28, castLogarithmOfIntegers, /*isForOldTypes=*/true},
  {"", "ReduceLogSumExp", 13, 18, axesToInput},
  {"", "ReduceLogSumExp", 18, 28, castLogarithmOfIntegers, /*isForOldTypes=*/true},
  {"", "ReduceMax", 13, 18, axesToInput},
  {"", "ReduceMean", 13, 18, axesToInput},
  {"", "ReduceMin", 13, 18, axesToInput},
  {"", "ReduceProd", 13, 18, axesToInput},
  {"", "ReduceSum", 11, 13, axesToInput},
  {"", "ReduceSumSquare", 13, 18, axesToInput},
  {"", "Relu", 1, 6, dropConsumedInputs},
  {"", "Reshape", 1, 5, Reshape_1_to_5},
  {"", "Reshape", 13, 14, compatible},
  {"", "Resize", 10, 11, Resize_10_to_11},
  {"", "Resize", 11, 13, dropEmptyResizeInputs},
  {"", "Resize", 13, 18, dropEmptyResizeInputs},
  {"", "RoiAlign", 10, 16, RoiAlign_10_to_16},
  {"", "Scan", 8, 9, Scan_8_to_9},
  {"", "Scatter", 9, 11, Scatter_9_to_11},
  {"", "ScatterElements", 13, 16, compatible},
  {"", "ScatterND", 13, 16, compatible},
  {"", "Selu", 1, 6, Selu_1_to_6},
  {"", "Shape", 13, 15, compatible},
  {"", "Sigmoid", 1, 6, dropConsumedInputs},
  {"", "Slice", 1, 10, Slice_1_to_10},
  {"", "Softmax", 11, 13, flattenBeforeSoftmax},
  {"", "SpaceToDepth", 13, 28, compatible},
  {"", "Split", 1, 2, Split_1_to_2},
  {"", "Split", 11, 13, Split_11_to_13},
  {"", "Split", 13, 18, Split_13_to_18},
  {"", "Sqrt", 1, 6, dropConsumedInputs},
  {"", "Squeeze", 11, 13, axesToInput},
  {"", "Sub", 1, 6, dropConsumedInputs},
  {"", "Sub", 6, 7, broadcastAlongAxis},
  {"", "Sum", 1, 6, dropConsumedInputs},
  {"", "Tanh", 1, 6, dropConsumedInputs},
  {"", "Tile", 1, 6, Tile_1_to_6},
  {"", "TopK", 1, 10, TopK_1_to_10},
  {"", "TopK", 10, 11, compatible},
  {"", "Unsqueeze", 11, 13, axesToInput},
  {"", "Upsample", 1, 7, Upsample_1_to_7},
  {"", "Upsample", 7, 9, Upsample_7_to_9},
  {"", "Upsample", 9, 10, Upsample_9_to_10},
  {"", "Xor", 1, 7, broadcastAlongAxis},
  {"ai.onnx.ml", "LabelEncoder", 1, 2, LabelEncoder_1_to_2},
  {"ai.onnx.ml", "LabelEncoder", 2, 4, compatible},
  {"ai.onnx.ml", "TreeEnsembleClassifier", 1, 3, compatible},
  // Deprecated for TreeEnsemble, but kept as it is.
  {"ai.onnx.ml", "TreeEnsembleClassifier", 3, 5, compatible},
  {"ai.onnx.ml", "TreeEnsembleRegressor", 1, 3, compatible},
  // Deprecated for TreeEnsemble, but kept as it is.
  {"ai.onnx.ml", "TreeEnsembleRegressor", 3, 5, compatible},
};
// clang-format on

const std::vector<UpgradeStep> &onnxc::importer::upgradeTable() {
  static const std::vector<UpgradeStep> table(std::begin(steps),
                                              std::end(steps));
  return table;
}

const UpgradeStep *onnxc::importer::findUpgradeStep(const std::string &domain,
                                                    const std::string &opType,
                                                    int from) {
  using Key = std::tuple<std::string_view, std::string_view, int>;
  Key wanted{domain, opType, from};
  const std::vector<UpgradeStep> &table = upgradeTable();
  auto row =
      std::lower_bound(table.begin(), table.end(), wanted,
                       [](const UpgradeStep &step, const Key &key) {
                         return Key{step.domain, step.opType, step.from} < key;
                       });
  bool found =
      row != table.end() && Key{row->domain, row->opType, row->from} == wanted;
  return found ? &*row : nullptr;
}
