//===- Inverse.cpp - Inverses of matrices ----------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

using namespace onnxc::schema::microsoft;
using ::onnx::OpSchema;

/// One step of the elimination of Gauss and Jordan, with the largest element of
/// the column as the pivot, on `m`, [batch, n, 2 * n]: rows `i` and `p` are
/// exchanged, row `i` is divided by its pivot and taken off all others.
static constexpr const char *step =
    R"(steps (int64 i, bool on, m) => (still, next) {
  still = Identity(on)
  column = Gather<axis = 2>(m, i)
  sizes = Abs(column)
  done = Less(lines, i)
  counted = Where(done, minus_one, sizes)
  p = ArgMax<axis = 1>(counted)
  is_i = Equal(lines, i)
  is_p = Equal(lines, p)
  moved = Where(is_p, i, lines)
  order = Where(is_i, p, moved)
  order_3d = Unsqueeze(order, last_axis)
  swapped = GatherND<batch_dims = 1>(m, order_3d)
  pivots = Gather<axis = 1>(swapped, i)
  pivot = Gather<axis = 1>(pivots, i)
  pivot_2d = Unsqueeze(pivot, last_axis)
  normal = Div(pivots, pivot_2d)
  normal_3d = Unsqueeze(normal, row_axis)
  factors = Gather<axis = 2>(swapped, i)
  factors_3d = Unsqueeze(factors, last_axis)
  taken = Mul(factors_3d, normal_3d)
  rest = Sub(swapped, taken)
  is_i_3d = Unsqueeze(is_i, last_axis)
  next = Where(is_i_3d, normal_3d, rest)
})";

static bool fillInverse(Body &b) {
  b.ints("last_axis", {-1});
  b.ints("row_axis", {1});
  b.ints("any", {-1});
  b.scalar("zero", 0);
  b.scalar("one", 1);
  b.real("minus_one_f32", -1);
  // Numbers of 16 bits are inverted as those of 32.
  int type = b.elementType(0);
  bool isDouble = type == ::onnx::TensorProto::DOUBLE;
  b << std::string("wide = Cast<to = ") + (isDouble ? "11" : "1") + ">(X)"
    << "minus_one = CastLike(minus_one_f32, wide)"
    << "sides = Shape<start = -2>(X)"
    << "matrices = Concat<axis = 0>(any, sides)"
    << "a = Reshape(wide, matrices)" << "n_1d = Shape<start = -1>(X)"
    << "n = Squeeze(n_1d)" << "lines = Range(zero, n, one)"
    << "columns_2d = Unsqueeze(lines, last_axis)"
    << "is_same = Equal(lines, columns_2d)"
    << "ones = Cast<to = 1>(is_same)" << "unit = CastLike(ones, wide)"
    << "clean = Shape(a)" << "units = Expand(unit, clean)"
    << "both = Concat<axis = 2>(a, units)" << "always = Cast<to = 9>(one)"
    << std::string("reduced = Loop<body = ") + step + ">(n, always, both)"
    << "end = Add(n_1d, n_1d)"
    << "inverses = Slice(reduced, n_1d, end, last_axis)"
    << "shape = Shape(X)" << "whole = Reshape(inverses, shape)"
    << "Y = CastLike(whole, X)";
  return true;
}

void onnxc::schema::microsoft::registerInverse() {
  define(OpSchema()
             .SetName("Inverse")
             .SetDoc("Inverses of the matrices of the last two dimensions.")
             .Input(0, "X", "[.., n, n]", "T")
             .Output(0, "Y", "The inverses.", "T")
             .TypeConstraint(
                 "T", {"tensor(float)", "tensor(float16)", "tensor(double)"},
                 "Reals.")
             .TypeAndShapeInferenceFunction(
                 ::onnx::propagateShapeAndTypeFromFirstInput),
         fillInverse);
}
