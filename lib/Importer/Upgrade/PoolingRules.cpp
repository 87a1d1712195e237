//===- PoolingRules.cpp - Pooling, resizing and sampling --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rules.h"

#include <algorithm>
#include <cmath>

using namespace onnxc::importer;

void rules::GridSample_16_to_20(NodeView &view) {
  std::string mode = view.getString("mode", "bilinear");
  if (mode == "bilinear" || mode == "bicubic")
    mode = mode == "bilinear" ? "linear" : "cubic";
  view.setString("mode", mode);
}

/// LpPool {p = 2.0} --> LpPool {p = 2}
void rules::pToInt(NodeView &view) {
  float p = view.getFloat("p", 2);
  if (p != std::floor(p) || p < 1 || p > 1e6f)
    return view.fail("p is not a positive integer");
  view.setInt("p", static_cast<int64_t>(p));
}

void rules::LpPool_1_to_2(NodeView &view) {
  if (!view.has("kernel_shape"))
    return view.fail("the kernel_shape is missing");
  pToInt(view);
}

/// Version 10 finds the nearest pixel of an axis downwards where the axis grows
/// and upwards where it shrinks. Scales of both kinds, or from the run, are two
/// nodes: axes are independent of each other, so that those that shrink may go
/// first.
static void resizeNearest(NodeView &view, const std::string &scalesName) {
  std::optional<std::vector<float>> scales =
      view.oracle.constantFloats(scalesName);
  auto shrinks = [](float scale) { return scale < 1; };
  view.setString("nearest_mode", "floor");
  view.setInput(2, scalesName);
  if (scales && std::ranges::none_of(*scales, shrinks))
    return;
  if (scales &&
      std::ranges::all_of(*scales, [](float scale) { return scale <= 1; })) {
    view.setString("nearest_mode", "ceil");
    return;
  }
  std::string one = view.constant(std::vector<float>{1});
  std::string smaller = view.before("Min", {scalesName, one});
  std::string shrunk =
      view.before("Resize", {view.input(0), "", smaller}, [](NodeView &node) {
        node.setString("coordinate_transformation_mode", "asymmetric");
        node.setString("nearest_mode", "ceil");
      });
  view.setInput(0, shrunk);
  view.setInput(2, view.before("Max", {scalesName, one}));
}

/// Version 10 knew one way to find a source pixel, without a shift by half of
/// one.
void rules::Resize_10_to_11(NodeView &view) {
  std::string scales = view.input(1);
  view.setString("coordinate_transformation_mode", "asymmetric");
  view.setInput(1, "");
  view.setInput(2, scales);
  if (view.getString("mode", "nearest") == "nearest")
    resizeNearest(view, scales);
}

/// Inputs that could not be left out were given as empty tensors.
void rules::dropEmptyResizeInputs(NodeView &view) {
  for (int i = 1; i < view.node.input_size(); ++i) {
    std::optional<std::vector<int64_t>> dims = view.oracle.dims(view.input(i));
    if (view.hasInput(i) && dims && *dims == std::vector<int64_t>{0})
      view.setInput(i, "");
  }
  view.trimInputs();
}

/// Regions were not shifted by half a pixel.
void rules::RoiAlign_10_to_16(NodeView &view) {
  view.setString("coordinate_transformation_mode", "output_half_pixel");
}

void rules::Upsample_1_to_7(NodeView &view) {
  float height = view.getFloat("height_scale", 1);
  float width = view.getFloat("width_scale", 1);
  view.drop("height_scale");
  view.drop("width_scale");
  ::onnx::AttributeProto &scales = *view.node.add_attribute();
  scales.set_name("scales");
  scales.set_type(::onnx::AttributeProto::FLOATS);
  for (float scale : {1.0f, 1.0f, height, width})
    scales.add_floats(scale);
  if (view.getString("mode", "nearest") == "bilinear")
    view.setString("mode", "linear");
}

void rules::Upsample_7_to_9(NodeView &view) {
  view.setInput(1, view.constant(view.getFloats("scales")));
  view.drop("scales");
}

/// Upsample was Resize with scales of at least 1: straight to version 11, as
/// scales that are not constant are at least 1, too.
void rules::Upsample_9_to_10(NodeView &view) {
  std::string x = view.input(0), scales = view.input(1);
  std::string output = view.output(0);
  std::string mode = view.getString("mode", "nearest");
  view.node.set_op_type("Identity");
  view.node.clear_attribute();
  view.node.clear_input();
  view.node.add_input(x);
  std::string same = view.renameOutput(0);
  view.after(
      "Resize", {same, "", scales}, output,
      [&](NodeView &n) {
        n.setString("mode", mode);
        n.setString("coordinate_transformation_mode", "asymmetric");
        n.setString("nearest_mode", "floor");
      },
      /*version=*/13);
}
