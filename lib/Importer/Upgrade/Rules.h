//===- Rules.h - All upgrade rules -----------------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// A rule is called Operator_from_to_version; a rule of several operators is
// called after its effect.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_LIB_IMPORTER_UPGRADE_RULES_H
#define ONNXC_LIB_IMPORTER_UPGRADE_RULES_H

#include "NodeView.h"

namespace onnxc::importer::rules {

// LegacyRules.cpp: opsets 1 to 7.
void dropConsumedInputs(NodeView &view);
void broadcastAlongAxis(NodeView &view);
void Cast_1_to_6(NodeView &view);
void Concat_1_to_4(NodeView &view);
void Gemm_6_to_7(NodeView &view);
void PRelu_6_to_7(NodeView &view);
void Reshape_1_to_5(NodeView &view);
void Scatter_9_to_11(NodeView &view);
void Selu_1_to_6(NodeView &view);
void Tile_1_to_6(NodeView &view);

// InputRules.cpp: attributes that became inputs.
void axesToInput(NodeView &view);
void Clip_1_to_6(NodeView &view);
void Clip_6_to_11(NodeView &view);
void DFT_17_to_20(NodeView &view);
void Dropout_6_to_7(NodeView &view);
void Dropout_7_to_10(NodeView &view);
void Dropout_10_to_12(NodeView &view);
void Pad_1_to_2(NodeView &view);
void Pad_2_to_11(NodeView &view);
void Slice_1_to_10(NodeView &view);
void Split_1_to_2(NodeView &view);
void Split_11_to_13(NodeView &view);
void Split_13_to_18(NodeView &view);
void TopK_1_to_10(NodeView &view);

// NormalizationRules.cpp
void BatchNormalization_6_to_7(NodeView &view);
void BatchNormalization_7_to_9(NodeView &view);
void BatchNormalization_9_to_14(NodeView &view);
void GroupNormalization_18_to_21(NodeView &view);
void flattenBeforeSoftmax(NodeView &view);
void castLogarithmOfIntegers(NodeView &view);

// PoolingRules.cpp: pooling, resizing, sampling.
void GridSample_16_to_20(NodeView &view);
void LpPool_1_to_2(NodeView &view);
void pToInt(NodeView &view);
void Resize_10_to_11(NodeView &view);
void dropEmptyResizeInputs(NodeView &view);
void RoiAlign_10_to_16(NodeView &view);
void Upsample_1_to_7(NodeView &view);
void Upsample_7_to_9(NodeView &view);
void Upsample_9_to_10(NodeView &view);

// LoopRules.cpp: recurrent operators, Scan.
void dropOutputSequence(NodeView &view);
void GRU_1_to_3(NodeView &view);
void Scan_8_to_9(NodeView &view);

// MLRules.cpp: domain ai.onnx.ml.
void LabelEncoder_1_to_2(NodeView &view);

} // namespace onnxc::importer::rules

#endif // ONNXC_LIB_IMPORTER_UPGRADE_RULES_H
