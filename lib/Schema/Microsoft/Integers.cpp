//===- Integers.cpp - Sums and tables of small integers --------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Rows.h"

using namespace onnxc::schema::microsoft;

static bool fillMatMulInteger16(Body &b) {
  int type = b.elementType(0);
  bool isSigned = type == ::onnx::TensorProto::INT16;
  if (type != b.elementType(1))
    return false;
  std::string to = isSigned ? "6" : "12";
  b << "a = Cast<to = " + to + ">(A)" << "b = Cast<to = " + to + ">(B)"
    << "Y = MatMul(a, b)";
  return true;
}
static bool fillMulInteger(Body &b) {
  for (std::string name : {"A", "B"}) {
    b << name + "_wide = Cast<to = 6>(" + name + ")";
    if (b.hasInput(name == "A" ? 1 : 3))
      b << name + "_zero = Cast<to = 6>(" + name + "_zero_point)"
        << name + "_number = Sub(" + name + "_wide, " + name + "_zero)";
    else
      b << name + "_number = Identity(" + name + "_wide)";
  }
  b << "C = Mul(A_number, B_number)";
  return true;
}
static std::string keepdims(const Body &b) {
  return "<keepdims = " + std::to_string(b.integer("keepdims", 1)) + ">";
}

static bool fillReduceSumInteger(Body &b) {
  bool isSigned = b.elementType(0) == ::onnx::TensorProto::INT8;
  b.ints("axes_list", b.integers("axes"));
  b << std::string("wide = Cast<to = ") + (isSigned ? "6" : "12") + ">(data)"
    << "reduced = ReduceSum" + keepdims(b) + "(wide, axes_list)";
  return true;
}
static bool fillReduceMean(Body &b) {
  b.ints("axes_list", b.integers("axes"));
  b << "wide = DequantizeLinear(data, data_scale, data_zero_point)"
    << "y = ReduceMean" + keepdims(b) + "(wide, axes_list)";
  b.quantize("reduced", "reduced_scale", "reduced_zero_point", 4);
  return true;
}
/// The values of the 4-bit codes, up to the largest of the block: FP4 has
/// a sign, two bits of the exponent and one of the mantissa, NF4 quantiles of
/// the normal distribution (arXiv 2305.14314, appendix E).
static std::vector<float> bnbCodes(int64_t kind) {
  if (kind == 0)
    return {0,
            0.00520833333f,
            0.66666667f,
            1,
            0.33333333f,
            0.5f,
            0.16666667f,
            0.25f,
            -0.0f,
            -0.00520833333f,
            -0.66666667f,
            -1,
            -0.33333333f,
            -0.5f,
            -0.16666667f,
            -0.25f};
  return {-1.0f,
          -0.6961928009986877f,
          -0.5250730514526367f,
          -0.39491748809814453f,
          -0.28444138169288635f,
          -0.18477343022823334f,
          -0.09105003625154495f,
          0.0f,
          0.07958029955625534f,
          0.16093020141124725f,
          0.24611230194568634f,
          0.33791524171829224f,
          0.44070982933044434f,
          0.5626170039176941f,
          0.7229568362236023f,
          1.0f};
}

/// B holds [N, K] in one row, the first of two codes in the upper half of a
/// byte.
static bool fillMatMulBnb4(Body &b) {
  int64_t rows = b.integer("N", 0), columns = b.integer("K", 0);
  int64_t block = b.integer("block_size", 0), kind = b.integer("quant_type", 0);
  if (rows < 1 || columns < 1 || block < 1 || kind < 0 || kind > 1 ||
      rows > INT32_MAX || columns > INT32_MAX)
    return false;
  int64_t count = rows * columns, blocks = (count + block - 1) / block;
  std::string codes;
  for (float code : bnbCodes(kind))
    codes += (codes.empty() ? "" : ", ") + literal(code);
  b.ints("pair", {-1});
  b.ints("zero", {0});
  b.ints("count", {count});
  b.ints("missing", {0, blocks * block - count});
  b.ints("by_block", {blocks, block});
  b.ints("block_shape", {blocks, 1});
  b.ints("shape", {rows, columns});
  b << "codes_f32 = Constant<value_floats = [" + codes + "]>()"
    << "codes = CastLike(codes_f32, A)"
    << "four = Constant<value = uint8 {4}>()"
    << "fifteen = Constant<value = uint8 {15}>()"
    << "high = BitShift<direction = \"RIGHT\">(B, four)"
    << "low = BitwiseAnd(B, fifteen)" << "bytes = Reshape(high, pair)"
    << "others = Reshape(low, pair)" << "bytes_2d = Unsqueeze(bytes, pair)"
    << "others_2d = Unsqueeze(others, pair)"
    << "both = Concat<axis = 1>(bytes_2d, others_2d)"
    << "positions_u8 = Reshape(both, pair)"
    << "positions = Cast<to = 6>(positions_u8)"
    << "cut = Slice(positions, zero, count, zero)"
    << "reals = Gather<axis = 0>(codes, cut)"
    << "padded = Pad(reals, missing)" << "rows = Reshape(padded, by_block)"
    << "factors = Reshape(absmax, block_shape)" << "scaled = Mul(rows, factors)"
    << "flat = Reshape(scaled, pair)"
    << "known = Slice(flat, zero, count, zero)"
    << "weights = Reshape(known, shape)"
    << (b.integer("transB", 1) != 0
            ? "factor = Transpose<perm = [1, 0]>(weights)"
            : "factor = Identity(weights)")
    << "Y = MatMul(A, factor)";
  return true;
}
/// EmbedLayerNormalization of dequantised bytes; only rows that are looked up
/// are dequantised.
static bool fillQEmbed(Body &b) {
  b.ints("second", {1});
  b << "ids = Cast<to = 7>(input_ids)"
    << "words = Gather<axis = 0>(word_embedding_quant, ids)"
    << "word = DequantizeLinear(words, word_embedding_scale, "
       "word_embedding_zero_point)"
    << "length_1d = Shape<start = 1, end = 2>(input_ids)";
  b.ints("start", {0});
  b << "positions = Slice(position_embedding_quant, start, length_1d)"
    << "position = DequantizeLinear(positions, position_embedding_scale, "
       "position_embedding_zero_point)"
    << "embedded = Add(word, position)";
  if (b.hasInput(1) && b.hasInput(4))
    b << "kinds = Cast<to = 7>(segment_ids)"
      << "segments = Gather<axis = 0>(segment_embedding, kinds)"
      << "segment = DequantizeLinear(segments, segment_embedding_scale, "
         "segment_embedding_zero_point)"
      << "sum = Add(embedded, segment)";
  else
    b << "sum = Identity(embedded)";
  b << "gamma = DequantizeLinear(gamma_quant, gamma_scale, gamma_zero_point)"
    << "beta = DequantizeLinear(beta_quant, beta_scale, beta_zero_point)"
    << "layernorm_out = LayerNormalization<axis = -1, epsilon = " +
           literal(b.number("epsilon", 1e-12f)) + ">(sum, gamma, beta)";
  if (b.hasInput(7))
    b << "mask_index_out = ReduceSum<keepdims = 0>(mask, second)";
  else
    b << "batch = Shape<start = 0, end = 1>(input_ids)"
      << "mask_index_out = ConstantOfShape<value = int32[1]{0}>(batch)";
  return true;
}

void onnxc::schema::microsoft::registerIntegers() {
  const char *bytes = "T=u8 i8";
  const Row rows[] = {
      {"MatMulInteger16", "Products of integers of 16 bits.", "A:T1, B:T2",
       "Y:T3", "", "T1=i16 u16, T2=i16 u16, T3=i32 u32", fillMatMulInteger16},
      {"MulInteger", "Product of bytes in 32 bits.",
       "A:T, A_zero_point:T?, B:T, B_zero_point:T?", "C:i32", "", bytes,
       fillMulInteger},
      {"ReduceSumInteger", "Sums of bytes in 32 bits.", "data:T1", "reduced:T2",
       "axes:is, keepdims:i", "T1=i8 u8, T2=i32 u32", fillReduceSumInteger},
      {"QLinearReduceMean", "ReduceMean on bytes.",
       "data:T, data_scale:f32, data_zero_point:T?, reduced_scale:f32, "
       "reduced_zero_point:T?",
       "reduced:T", "axes:is, keepdims:i", bytes, fillReduceMean},
      {"MatMulBnb4", "A by B, B being codes of 4 bits of reals.",
       "A:T1, B:u8, absmax:T1", "Y:T1",
       "K:i, N:i, block_size:i, quant_type:i, training_mode:i=0, transB:i=1",
       "T1=f32 f16 bf16", fillMatMulBnb4},
      {"QEmbedLayerNormalization", "EmbedLayerNormalization of bytes.",
       "input_ids:i32, segment_ids:i32?, word_embedding_quant:T2, "
       "position_embedding_quant:T2, segment_embedding:T2?, gamma_quant:T2, "
       "beta_quant:T2, mask:i32?, word_embedding_scale:f32, "
       "position_embedding_scale:f32, segment_embedding_scale:f32?, "
       "gamma_scale:f32, beta_scale:f32, word_embedding_zero_point:T2, "
       "position_embedding_zero_point:T2, segment_embedding_zero_point:T2?, "
       "gamma_zero_point:T2, beta_zero_point:T2",
       "layernorm_out:f32, mask_index_out:i32", "epsilon:f=1e-12", "T2=i8 u8",
       fillQEmbed}};
  for (const Row &row : rows)
    define(row);
}
