//===- InputRules.cpp - Attributes that became inputs -----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace onnxc::importer;
using ::onnx::TensorProto;

/// Squeeze(x) {axes = [0]} --> Squeeze(x, [0])
/// Without the attribute there is no input: all axes (of size 1), as before.
void rules::axesToInput(NodeView &view) {
  if (!view.has("axes"))
    return;
  view.setInput(1, view.constant(view.getInts("axes")));
  view.drop("axes");
}

/// Without an attribute there was no bound, which is an infinite one since
/// then.
void rules::Clip_1_to_6(NodeView &view) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  dropConsumedInputs(view);
  view.setFloat("min", view.getFloat("min", -infinity));
  view.setFloat("max", view.getFloat("max", infinity));
}

/// Clip(x) {min = 0.0} --> Clip(x, 0.0, 3.4e38)
/// The attributes' defaults are the ends of finite numbers.
void rules::Clip_6_to_11(NodeView &view) {
  constexpr float largest = std::numeric_limits<float>::max();
  const std::pair<const char *, float> bounds[] = {{"min", -largest},
                                                   {"max", largest}};
  for (auto [i, row] : llvm::enumerate(bounds)) {
    auto [name, otherwise] = row;
    float bound = view.getFloat(name, otherwise);
    view.drop(name);
    if (!std::isinf(bound) || std::signbit(bound) != std::signbit(otherwise))
      view.setInput(static_cast<int>(i) + 1,
                    view.scalarLike(bound, view.input(0)));
  }
}

/// DFT(x) {axis = 1} --> DFT(x, , 1), the old default being 1.
void rules::DFT_17_to_20(NodeView &view) {
  view.setInput(2, view.scalar(view.getInt("axis", 1)));
  view.drop("axis");
}

/// Dropout trained only in versions before 7, where `is_test` was not set; no
/// compiler of inference can mean that.
void rules::Dropout_6_to_7(NodeView &view) { view.drop("is_test"); }

/// The mask became boolean.
void rules::Dropout_7_to_10(NodeView &view) {
  if (!view.hasOutput(1))
    return;
  std::string output = view.output(1);
  std::string mask = view.renameOutput(1);
  view.after("CastLike", {mask, view.input(0)}, output, nullptr, 15);
}

/// Dropout(x) {ratio = 0.3} --> Dropout(x, 0.3)
void rules::Dropout_10_to_12(NodeView &view) {
  if (view.has("ratio"))
    view.setInput(1,
                  view.scalarLike(view.getFloat("ratio", 0.5f), view.input(0)));
  view.drop("ratio");
}

void rules::Pad_1_to_2(NodeView &view) { view.rename("paddings", "pads"); }

/// Pad(x) {pads = [0, 1, 0, 1], value = 2.0} --> Pad(x, [0, 1, 0, 1], 2.0)
void rules::Pad_2_to_11(NodeView &view) {
  float value = view.getFloat("value", 0);
  view.setInput(1, view.constant(view.getInts("pads")));
  if (value != 0)
    view.setInput(2, view.scalarLike(value, view.input(0)));
  view.drop("pads");
  view.drop("value");
}

/// Slice(x) {starts, ends, axes} --> Slice(x, starts, ends, axes)
void rules::Slice_1_to_10(NodeView &view) {
  view.setInput(1, view.constant(view.getInts("starts")));
  view.setInput(2, view.constant(view.getInts("ends")));
  if (view.has("axes"))
    view.setInput(3, view.constant(view.getInts("axes")));
  for (const char *name : {"starts", "ends", "axes"})
    view.drop(name);
}

/// Sizes came as an input before they were an attribute only.
void rules::Split_1_to_2(NodeView &view) {
  view.setInt("axis", view.getInt("axis", 0));
  if (!view.hasInput(1))
    return view.trimInputs();
  std::optional<std::vector<int64_t>> sizes =
      view.oracle.constantInts(view.input(1));
  if (!sizes)
    return view.fail("the sizes to split into are not constant");
  view.setInts("split", *sizes);
  view.setInput(1, "");
  view.trimInputs();
}

/// Split(x) {split = [2, 4]} --> Split(x, [2, 4])
void rules::Split_11_to_13(NodeView &view) {
  if (view.has("split"))
    view.setInput(1, view.constant(view.getInts("split")));
  view.drop("split");
}

/// The number of equal parts is an attribute.
void rules::Split_13_to_18(NodeView &view) {
  if (!view.hasInput(1))
    view.setInt("num_outputs", view.node.output_size());
}

/// TopK(x) {k = 5} --> TopK(x, [5])
void rules::TopK_1_to_10(NodeView &view) {
  view.setInput(1, view.constant(std::vector<int64_t>{view.getInt("k", 0)}));
  view.drop("k");
}
