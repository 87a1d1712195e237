//===- Movement.cpp - Operators that move data -----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

static bool fillPad(Body &b) {
  b.ints("flat", {-1});
  b << "widths = Reshape(pads, flat)"
    << "output = Pad" + b.attributes({"mode"}) + "(data, widths, value)";
  return true;
}

static bool fillUnique(Body &b) {
  b << "y, first, idx, counts = Unique<sorted = 0>(x)";
  return true;
}

static bool fillNhwcMaxPool(Body &b) {
  int rank = b.rank(0);
  if (rank < 3)
    return false;
  b.withChannelsFirst("x", rank, "MaxPool" + b.attributesOf("MaxPool"), "y");
  return true;
}

//===----------------------------------------------------------------------===//
// CropAndResize
//===----------------------------------------------------------------------===//

namespace {

/// Defines tensors for the positions of a dimension of the image, whose names
/// begin with that of the dimension.
class PositionWriter {
public:
  /// `corner` is the column of `boxes` with the first corner in this dimension.
  PositionWriter(Body &b, std::string name, int64_t dim, int64_t corner)
      : b(b), name(std::move(name)), dim(dim), corner(corner) {}

  /// Defines NAME_at, the positions, [boxes, size]: from corner to corner of
  /// the box in equal steps, or its middle for one step. The order of the
  /// operations is TensorFlow's: it decides which positions are on the border,
  /// or halfway between two elements.
  void addPositions();
  /// Defines NAME_valid, which is true for positions in the image, and
  /// NAME_grid, the positions as GridSample reads them.
  void addGrid(bool nearest);

private:
  std::string n(const char *part) const { return name + "_" + part; }
  /// Defines NAME_steps, the numbers of the steps, and NAME_gaps, the number of
  /// distances between them, at least 1.
  void addSteps();
  /// Defines NAME_low and NAME_high, the corners, and NAME_last, the last
  /// position of the image.
  void addCorners();

  Body &b;
  std::string name;
  int64_t dim, corner;
};

} // namespace

void PositionWriter::addSteps() {
  b.ints(n("index"), {dim});
  b.ints(n("zero_1d"), {0});
  b << n("count_1d") + " = Gather(crop_size, " + n("index") + ")"
    << n("count_64") + " = Cast<to = 7>(" + n("count_1d") + ")"
    << n("count") + " = Squeeze(" + n("count_64") + ")"
    << n("from") + " = Constant<value_int = 0>()"
    << n("one") + " = Constant<value_int = 1>()"
    << n("steps_64") + " = Range(" + n("from") + ", " + n("count") + ", " +
           n("one") + ")"
    << n("steps") + " = CastLike(" + n("steps_64") + ", boxes)"
    << n("gaps_64") + " = Sub(" + n("count") + ", " + n("one") + ")"
    << n("atleast") + " = Max(" + n("gaps_64") + ", " + n("one") + ")"
    << n("gaps") + " = CastLike(" + n("atleast") + ", boxes)";
}

void PositionWriter::addCorners() {
  b.ints(n("low_column"), {corner});
  b.ints(n("high_column"), {corner + 2});
  b << n("low") + " = Gather<axis = 1>(boxes, " + n("low_column") + ")"
    << n("high") + " = Gather<axis = 1>(boxes, " + n("high_column") + ")"
    << n("axis_1d") + " = Constant<value_ints = [" + std::to_string(dim + 2) +
           "]>()"
    << n("shape") + " = Shape(X)"
    << n("size_1d") + " = Gather(" + n("shape") + ", " + n("axis_1d") + ")"
    << n("last_64") + " = Sub(" + n("size_1d") + ", " + n("one") + ")"
    << n("last") + " = CastLike(" + n("last_64") + ", boxes)";
}

void PositionWriter::addPositions() {
  addSteps();
  addCorners();
  b << n("width") + " = Sub(" + n("high") + ", " + n("low") + ")"
    << n("length") + " = Mul(" + n("width") + ", " + n("last") + ")"
    << n("step") + " = Div(" + n("length") + ", " + n("gaps") + ")"
    << n("inside") + " = Mul(" + n("steps") + ", " + n("step") + ")"
    << n("begin") + " = Mul(" + n("low") + ", " + n("last") + ")"
    << n("spread") + " = Add(" + n("begin") + ", " + n("inside") + ")"
    << n("sum") + " = Add(" + n("low") + ", " + n("high") + ")";
  b.number(n("half"), 0.5, "boxes");
  b << n("center") + " = Mul(" + n("sum") + ", " + n("half") + ")"
    << n("middle") + " = Mul(" + n("center") + ", " + n("last") + ")"
    << n("single") + " = Equal(" + n("count") + ", " + n("one") + ")"
    << n("at") + " = Where(" + n("single") + ", " + n("middle") + ", " +
           n("spread") + ")";
}

void PositionWriter::addGrid(bool nearest) {
  b.number(n("zero"), 0, "boxes");
  b.number(n("two"), 2, "boxes");
  b.number(n("unit"), 1, "boxes");
  b << n("notlow") + " = GreaterOrEqual(" + n("at") + ", " + n("zero") + ")"
    << n("nothigh") + " = LessOrEqual(" + n("at") + ", " + n("last") + ")"
    << n("valid") + " = And(" + n("notlow") + ", " + n("nothigh") + ")"
    << n("extent") + " = Max(" + n("last") + ", " + n("unit") + ")";
  if (nearest) // the upper one of two that are as near
    b << n("below") + " = Floor(" + n("at") + ")"
      << n("rest") + " = Sub(" + n("at") + ", " + n("below") + ")"
      << n("isabove") + " = GreaterOrEqual(" + n("rest") + ", " + n("half") +
             ")"
      << n("above") + " = CastLike(" + n("isabove") + ", boxes)"
      << n("element") + " = Add(" + n("below") + ", " + n("above") + ")";
  else
    b << n("element") + " = Identity(" + n("at") + ")";
  b << n("ratio") + " = Div(" + n("element") + ", " + n("extent") + ")"
    << n("double") + " = Mul(" + n("ratio") + ", " + n("two") + ")"
    << n("grid") + " = Sub(" + n("double") + ", " + n("unit") + ")";
}

/// Boxes [y1, x1, y2, x2] in parts of the image, as TensorFlow has them.
static bool fillCropAndResize(Body &b) {
  bool nearest = b.text("mode") == "nearest";
  // Halves do not tell the positions in a large image apart.
  bool isDouble = b.elementType(0) == ::onnx::TensorProto::DOUBLE;
  b << (isDouble ? "boxes = Identity(rois)" : "boxes = Cast<to = 1>(rois)");
  for (auto [dim, name] : {std::pair(0, "h"), std::pair(1, "w")}) {
    PositionWriter positions(b, name, dim, /*corner=*/dim);
    positions.addPositions();
    positions.addGrid(nearest);
  }
  b.ints("a1", {1});
  b.ints("a2", {2});
  b.ints("a3", {3});
  b.number("outside", b.number("extrapolation_value", 0), "X");
  b << "images = Gather<axis = 0>(X, batch_indices)"
    << "rows = Unsqueeze(h_grid, a2)" << "columns = Unsqueeze(w_grid, a1)"
    << "zerorows = Mul(rows, h_zero)" << "zerocolumns = Mul(columns, h_zero)"
    << "allrows = Add(rows, zerocolumns)"
    << "allcolumns = Add(columns, zerorows)"
    << "y_part = Unsqueeze(allrows, a3)" << "x_part = Unsqueeze(allcolumns, a3)"
    << "grid = Concat<axis = 3>(x_part, y_part)"
    << "sampled = GridSample<align_corners = 1, mode = \"" +
           std::string(nearest ? "nearest" : "linear") +
           "\", padding_mode = \"border\">(images, grid)"
    << "rows_valid = Unsqueeze(h_valid, a2)"
    << "columns_valid = Unsqueeze(w_valid, a1)"
    << "both_valid = And(rows_valid, columns_valid)"
    << "valid = Unsqueeze(both_valid, a1)"
    << "Y = Where(valid, sampled, outside)";
  return true;
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

static OpSchema nhwcMaxPool() {
  OpSchema schema;
  schema.SetName("NhwcMaxPool")
      .SetDoc("MaxPool with the channels at the end.")
      .Input(0, "x", "The input.", "T")
      .Output(0, "y", "The result.", "T")
      .TypeConstraint("T", byteTypes, "Bytes.");
  addAttributesOf(schema, "MaxPool", {"storage_order"});
  return schema;
}

static OpSchema cropAndResize() {
  OpSchema schema;
  schema.SetName("CropAndResize")
      .SetDoc("Boxes of images, all resized to one size.")
      .Input(0, "X", "Images, [N, C, H, W]", "T1")
      .Input(1, "rois", "Boxes, [rois, 4]", "T1")
      .Input(2, "batch_indices", "The image of each box.", "T2")
      .Input(3, "crop_size", "Height and width of the results.", "T2")
      .Output(0, "Y", "[rois, C, height, width]", "T1")
      .Attr("mode", "bilinear or nearest.", AttributeProto::STRING, "bilinear")
      .Attr("extrapolation_value", "Of positions outside of the image.",
            AttributeProto::FLOAT, 0.0f)
      .TypeConstraint("T1",
                      {"tensor(float)", "tensor(float16)", "tensor(double)"},
                      "Reals.")
      .TypeConstraint("T2", {"tensor(int32)"}, "Integers.");
  return schema;
}

static OpSchema tokenizer() {
  OpSchema schema;
  schema.SetName("Tokenizer")
      .SetDoc("Takes strings apart.")
      .Input(0, "X", "Strings, [C] or [N, C]", "T")
      .Output(0, "Y", "Tokens along a new last dimension.", "T")
      .Attr("mark", "Whether marks are put around each row.",
            AttributeProto::INT)
      .Attr("mincharnum", "Characters of the shortest token.",
            AttributeProto::INT)
      .Attr("pad_value", "Filler of short rows.", AttributeProto::STRING)
      .Attr("separators", "Expressions of separators of tokens.",
            AttributeProto::STRINGS, ::onnx::OPTIONAL_VALUE)
      .Attr("tokenexp", "Expression of a token.", AttributeProto::STRING,
            ::onnx::OPTIONAL_VALUE)
      .TypeConstraint("T", {"tensor(string)"}, "Strings.")
      .TypeAndShapeInferenceFunction([](::onnx::InferenceContext &context) {
        ::onnx::propagateElemTypeFromInputToOutput(context, 0, 0);
        if (!::onnx::hasInputShape(context, 0))
          return;
        *::onnx::getOutputShape(context, 0) = ::onnx::getInputShape(context, 0);
        ::onnx::getOutputShape(context, 0)->add_dim();
      });
  return schema;
}

void onnxc::schema::microsoft::registerMovement() {
  define(OpSchema()
             .SetName("Pad")
             .SetDoc("Pad, where pads may have a row of their own.")
             .Input(0, "data", "The input.", "T")
             .Input(1, "pads", "Widths before and after.", "tensor(int64)")
             .Input(2, "value", "Of the border.", "T", OpSchema::Optional)
             .Output(0, "output", "The result.", "T")
             .Attr("mode", "As in Pad.", AttributeProto::STRING, "constant")
             .TypeConstraint("T", floatTypes, "Floating-point tensors."),
         fillPad);
  define(
      OpSchema()
          .SetName("Unique")
          .SetDoc("Values in the order of their first positions.")
          .Input(0, "x", "A vector.", "T")
          .Output(0, "y", "Its values, each once.", "T")
          .Output(1, "idx", "Position in y of each element.", "tensor(int64)")
          .Output(2, "counts", "How often each is there.", "tensor(int64)")
          .TypeConstraint("T", OpSchema::all_tensor_types(), "Any tensor."),
      fillUnique);
  define(nhwcMaxPool(), fillNhwcMaxPool);
  // Lowered to a call of the runtime.
  define(tokenizer(), nullptr);
  define(cropAndResize(), fillCropAndResize);
}
