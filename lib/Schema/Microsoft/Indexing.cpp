//===- Indexing.cpp - Operators that place elements ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

#include <limits>

using namespace onnxc::schema::microsoft;

static bool fillTrilu(Body &b) {
  b << "Y = Trilu" + b.attributes({"upper"}) + "(X, k)";
  return true;
}
static bool fillExpandDims(Body &b) {
  b.ints("one", {1});
  b << "axis_64 = Cast<to = 7>(axis)" << "axes = Reshape(axis_64, one)"
    << "Y = Unsqueeze(X, axes)";
  return true;
}
static bool fillGatherND(Body &b) {
  b << "positions = Cast<to = 7>(indices)"
    << "output = GatherND(data, positions)";
  return true;
}
static bool fillGridSample(Body &b) {
  std::string mode = b.text("mode");
  mode = mode == "bicubic" ? "cubic" : mode == "nearest" ? mode : "linear";
  std::string rest = b.attributes({"padding_mode", "align_corners"});
  b << "Y = GridSample<mode = \"" + mode + "\"" +
           (rest.empty() ? ">" : ", " + rest.substr(1)) + "(X, Grid)";
  return true;
}
static bool fillRange(Body &b) {
  b.ints("none", {});
  b << "from = Reshape(start, none)" << "to = Reshape(limit, none)";
  if (b.hasInput(2))
    b << "by = Reshape(delta, none)";
  else
    b.number("by", 1, "from");
  b << "Y = Range(from, to, by)";
  return true;
}
/// Element [i, j] of the windows is at i * step + j of the dimension.
static bool fillUnfold(Body &b) {
  int64_t dim = b.integer("dim", -1), size = b.integer("size", 0);
  int64_t step = b.integer("step", 1);
  int rank = b.rank(0);
  if (size < 1 || step < 1 || (dim != -1 && rank < 1))
    return false;
  if (dim != -1 && (dim < -rank || dim >= rank))
    return false;
  dim += dim < 0 && rank > 0 ? rank : 0;
  std::string axis = std::to_string(dim);
  std::string end =
      dim + 1 == rank || dim == -1 ? "" : ", end = " + std::to_string(dim + 1);
  b.scalar("zero", 0);
  b.scalar("one", 1);
  b.scalar("size", size);
  b.scalar("step", step);
  b.ints("last", {-1});
  b << "length_1d = Shape<start = " + axis + end + ">(input)"
    << "length = Squeeze(length_1d)" << "after = Sub(length, size)"
    << "room = Add(after, step)" << "count = Div(room, step)"
    << "windows = Range(zero, count, one)" << "starts = Mul(windows, step)"
    << "rows = Unsqueeze(starts, last)" << "columns = Range(zero, size, one)"
    << "positions = Add(rows, columns)"
    << "taken = Gather<axis = " + axis + ">(input, positions)";
  if (dim == -1 || dim + 1 == rank) {
    b << "output = Identity(taken)";
    return true;
  }
  std::vector<int64_t> order;
  for (int64_t d = 0; d <= rank; ++d)
    if (d != dim + 1)
      order.push_back(d);
  order.push_back(dim + 1);
  b << "output = Transpose<perm = " + list(order) + ">(taken)";
  return true;
}
static bool fillEmbedding(Body &b) {
  b << "Y = Gather<axis = 0>(weight, indices)";
  return true;
}
static bool fillSample(Body &b) {
  b << "Y = Identity(X)";
  return true;
}
/// A word that has followed the last words before may not follow them again.
static bool fillNGramRepeat(Body &b) {
  int64_t size = b.integer("ngram_size", 0);
  if (size < 1)
    return false;
  b.scalar("zero", 0);
  b.scalar("one", 1);
  b.scalar("before", size - 1);
  b.ints("last", {-1});
  b.ints("row", {1});
  b.ints("from", {size - 1});
  b.ints("ends", {INT64_MAX});
  b.ints("back", {1 - size});
  b.real("never", -std::numeric_limits<float>::infinity());
  b.real("always", std::numeric_limits<float>::infinity());
  if (size == 1) {
    b << "ids_shape = Shape(input_ids)" << "bans = Expand(never, ids_shape)"
      << "scores_out = ScatterElements<axis = 1>(scores, input_ids, bans)";
    return true;
  }
  b << "length_1d = Shape<start = 1, end = 2>(input_ids)"
    << "length = Squeeze(length_1d)" << "left = Sub(length, before)"
    << "count = Max(left, zero)" << "starts = Range(zero, count, one)"
    << "rows = Unsqueeze(starts, last)"
    << "columns = Range(zero, before, one)" << "positions = Add(rows, columns)"
    << "grams = Gather<axis = 1>(input_ids, positions)"
    << "words = Slice(input_ids, back, ends, row)"
    << "words_3d = Unsqueeze(words, row)" << "is_same = Equal(grams, words_3d)"
    << "same = Cast<to = 1>(is_same)"
    << "least = ReduceMin<keepdims = 0>(same, last)"
    << "recurs = Cast<to = 9>(least)"
    << "followers = Slice(input_ids, from, ends, row)"
    << "limits = Where(recurs, never, always)"
    << "scores_out = ScatterElements<axis = 1, reduction = \"min\">(scores, "
       "followers, limits)";
  return true;
}
/// The pads are taken off the result without any.
static bool fillConvTranspose(Body &b) {
  int rank = b.rank(0);
  std::string kind = b.text("auto_pad");
  if (rank < 3 || (!kind.empty() && kind != "NOTSET"))
    return false;
  std::string result = b.hasInput(2) ? "whole" : "Y";
  b << result + " = ConvTranspose" +
           b.attributes({"kernel_shape", "dilations", "strides",
                         "output_padding", "group"}) +
           "(X, W" + (b.hasInput(3) ? ", B)" : ")");
  if (!b.hasInput(2))
    return true;
  std::vector<int64_t> axes;
  for (int d = 2; d < rank; ++d)
    axes.push_back(d);
  b.ints("axes", axes);
  b << "begins, widths = Split<axis = 0, num_outputs = 2>(Pads)"
    << "sizes = Shape<start = 2>(whole)" << "ends = Sub(sizes, widths)"
    << "Y = Slice(whole, begins, ends, axes)";
  return true;
}

void onnxc::schema::microsoft::registerIndexing() {
  const char *all = "T=f32 f16 f64 bf16 i8 i16 i32 i64 u8 u16 u32 u64 b";
  const Row rows[] = {
      {"Trilu", "As the standard's.", "X:T, k:i64?", "Y:T", "upper:i=1", all,
       fillTrilu},
      {"ExpandDims", "A dimension of size 1 more.", "X:T, axis:i32", "Y:T", "",
       all, fillExpandDims},
      {"GatherND", "As the standard's.", "data:T, indices:Tind", "output:T", "",
       "T=f32 f16 f64 bf16 i8 i16 i32 i64 u8 u16 u32 u64 b, Tind=i32 i64",
       fillGatherND},
      {"GridSample", "As the standard's.", "X:T, Grid:T", "Y:T",
       "mode:s=bilinear, padding_mode:s=zeros, align_corners:i=0",
       "T=f32 f16 f64", fillGridSample},
      {"Range", "As the standard's, by ones without a step.",
       "start:T, limit:T, delta:T?", "Y:T", "", "T=f32 f64 i16 i32 i64",
       fillRange},
      {"UnfoldTensor", "Windows of a dimension, their elements last.",
       "input:T", "output:T", "dim:i=-1, step:i=1, size:i", all, fillUnfold},
      {"TorchEmbedding", "Rows of a table.",
       "weight:T, indices:i64, padding_idx:i64?, scale_grad_by_freq:b?", "Y:T",
       "", all, fillEmbedding},
      {"SampleOp", "Its input.", "X:T", "Y:T", "", all, fillSample},
      {"NGramRepeatBlock", "Scores that let no sequence of words recur.",
       "input_ids:i64, scores:f32", "scores_out:f32", "ngram_size:i", "",
       fillNGramRepeat},
      {"ConvTransposeWithDynamicPads", "ConvTranspose, pads being an input.",
       "X:T, W:T, Pads:i64?, B:T?", "Y:T",
       "auto_pad:s=NOTSET, kernel_shape:is?, dilations:is?, strides:is?, "
       "output_padding:is?, group:i=1",
       "T=f32 f16 f64", fillConvTranspose}};
  for (const Row &row : rows)
    define(row);
}
