//===- QuantizedMatMul.cpp - Products with quantised factors ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#include "Body.h"

using namespace onnxc::schema::microsoft;
using ::onnx::AttributeProto;
using ::onnx::OpSchema;

//===----------------------------------------------------------------------===//
// Bytes by bytes
//===----------------------------------------------------------------------===//

/// Y = product * (a_scale * b_scale) [+ bias]
static void addScaled(Body &b, int bias) {
  b.scaleProduct("a_scale", "b_scale");
  b << (b.hasInput(bias) ? "Y = Add(scaled, bias)" : "Y = Identity(scaled)");
}

static bool fillDynamicQuantizeMatMul(Body &b) {
  b << "bytes, a_scale, a_zero = DynamicQuantizeLinear(A)"
    << "product = MatMulInteger(bytes, B, a_zero, b_zero_point)";
  addScaled(b, 4);
  return true;
}

static bool fillMatMulIntegerToFloat(Body &b) {
  b << "product = MatMulInteger(A, B, a_zero_point, b_zero_point)";
  addScaled(b, 6);
  return true;
}

//===----------------------------------------------------------------------===//
// Blocks of few bits
//===----------------------------------------------------------------------===//

/// Defines `result` as the numbers of `bits` bits each that lie in the bytes of
/// `packed`, lowest bits first, along a new last dimension.
static void addUnpacked(Body &b, int64_t bits, const std::string &packed,
                        const std::string &result) {
  std::string all, mask = std::to_string((1 << bits) - 1);
  for (int64_t i = 0; i < 8 / bits; ++i) {
    std::string n = result + std::to_string(i);
    b << n + "_by = Constant<value = uint8 {" + std::to_string(i * bits) +
             "}>()"
      << n + "_mask = Constant<value = uint8 {" + mask + "}>()"
      << n + "_low = BitShift<direction = \"RIGHT\">(" + packed + ", " + n +
             "_by)"
      << n + "_bits = BitwiseAnd(" + n + "_low, " + n + "_mask)"
      << n + "_axis = Constant<value_ints = [-1]>()"
      << n + " = Unsqueeze(" + n + "_bits, " + n + "_axis)";
    all += (i ? ", " : "") + n;
  }
  b << result + " = Concat<axis = -1>(" + all + ")";
}

namespace {
/// Sizes of the factor B of MatMulNBits.
struct Blocks {
  int64_t bits, rows, columns, size, count;
};
} // namespace

/// Defines zeros as [rows, blocks, 1].
static void addZeroPoints(Body &b, const Blocks &blocks) {
  b.ints("zeros_shape", {blocks.rows, blocks.count, 1});
  bool isPacked = b.elementType(3) == ::onnx::TensorProto::UINT8;
  if (!b.hasInput(3)) {
    b.number("zeros", static_cast<double>(1 << (blocks.bits - 1)), "A");
    return;
  }
  if (!isPacked) {
    b << "zero_reals = CastLike(zero_points, A)"
      << "zeros = Reshape(zero_reals, zeros_shape)";
    return;
  }
  int64_t bytes = (blocks.count * blocks.bits + 7) / 8;
  b.ints("zero_bytes_shape", {blocks.rows, bytes});
  b.ints("zero_flat_shape", {blocks.rows, bytes * 8 / blocks.bits});
  b.ints("zero_start", {0});
  b.ints("zero_end", {blocks.count});
  b.ints("zero_axis", {1});
  b << "zero_bytes = Reshape(zero_points, zero_bytes_shape)";
  addUnpacked(b, blocks.bits, "zero_bytes", "zero_parts");
  b << "zero_flat = Reshape(zero_parts, zero_flat_shape)"
    << "zero_cut = Slice(zero_flat, zero_start, zero_end, zero_axis)"
    << "zero_numbers = CastLike(zero_cut, A)"
    << "zeros = Reshape(zero_numbers, zeros_shape)";
}

/// B holds, for each of N rows, blocks of `block_size` numbers of K.
static bool fillMatMulNBits(Body &b) {
  Blocks blocks = {b.integer("bits", 4), b.integer("N", 0), b.integer("K", 0),
                   b.integer("block_size", 0), 0};
  if (b.integer("weight_prepacked", 0) != 0)
    b.refuse("weight_prepacked");
  if (b.hasInput(4))
    b.refuse("g_idx");
  bool isWhole = blocks.bits == 2 || blocks.bits == 4 || blocks.bits == 8;
  if (!isWhole || blocks.rows < 1 || blocks.columns < 1 || blocks.size < 1 ||
      b.hasInput(4))
    return false;
  blocks.count = (blocks.columns + blocks.size - 1) / blocks.size;
  b.ints("shape", {blocks.rows, blocks.count, blocks.size});
  b.ints("scale_shape", {blocks.rows, blocks.count, 1});
  b.ints("flat_shape", {blocks.rows, blocks.count * blocks.size});
  b.ints("start", {0});
  b.ints("end", {blocks.columns});
  b.ints("axis", {1});
  addUnpacked(b, blocks.bits, "B", "parts");
  addZeroPoints(b, blocks);
  b << "whole = Reshape(parts, shape)" << "numbers = CastLike(whole, A)"
    << "centred = Sub(numbers, zeros)"
    << "factors = Reshape(scales, scale_shape)"
    << "weights = Mul(centred, factors)"
    << "padded = Reshape(weights, flat_shape)"
    << "rows = Slice(padded, start, end, axis)"
    << "columns = Transpose<perm = [1, 0]>(rows)"
    << "product = MatMul(A, columns)"
    << (b.hasInput(5) ? "Y = Add(product, bias)" : "Y = Identity(product)");
  return true;
}

/// Defines `result` as the numbers in the bytes of `packed`, whose rank it
/// keeps.
static void addUnpackedRows(Body &b, int64_t bits, const std::string &packed,
                            int rank, const std::string &result) {
  std::vector<int64_t> shape(rank, 0);
  shape.back() = -1;
  b.ints(result + "_shape", shape);
  addUnpacked(b, bits, packed, result + "_parts");
  b << result + " = Reshape(" + result + "_parts, " + result + "_shape)";
}

/// Defines `rows` as what Gather along `axis` takes out of `from`, which may
/// have a type of four bits, that Gather does not take.
static void addGatheredRows(Body &b, int64_t axis, const std::string &from,
                            const std::string &rows) {
  std::string to = std::to_string(b.elementType(0) == ::onnx::TensorProto::INT4
                                      ? ::onnx::TensorProto::INT8
                                      : ::onnx::TensorProto::UINT8);
  b << rows + "_bytes = Cast<to = " + to + ">(" + from + ")"
    << rows + "_wide = Gather<axis = " + std::to_string(axis) + ">(" + rows +
           "_bytes, indices)"
    << rows + " = CastLike(" + rows + "_wide, data)";
}

/// Defines `zeros` of the shape of `factors`: those that the node has, in rows
/// along `axis`, or the middle of bytes. Other types count from zero, as they
/// do for DequantizeLinear, and have none: then returns false.
static bool addGatheredZeros(Body &b, int64_t axis, int64_t bits, int rank) {
  bool isBytes = b.elementType(0) == ::onnx::TensorProto::UINT8;
  if (b.hasInput(3))
    addGatheredRows(b, axis, "zero_points", "zero_rows");
  if (b.hasInput(3) && isBytes && bits == 4) {
    // Odd numbers of blocks leave half a byte.
    b.ints("start", {0});
    b.ints("axis", {-1});
    addUnpackedRows(b, bits, "zero_rows", rank, "zero_all");
    b << "blocks = Shape<start = -1>(factors)"
      << "zeros = Slice(zero_all, start, blocks, axis)";
  } else if (b.hasInput(3)) {
    b << "zeros = Identity(zero_rows)";
  } else if (isBytes) {
    b.ints("middle_list", {int64_t(1) << (bits - 1)});
    b << "sizes = Shape(factors)" << "middle = CastLike(middle_list, data)"
      << "zeros = Expand(middle, sizes)";
  }
  return b.hasInput(3) || isBytes;
}

/// Rows of a table of blocks: their scales and zero points are gathered first.
static bool fillGatherBlockQuantized(Body &b) {
  int64_t rank = b.rank(0), positions = b.rank(1), bits = b.integer("bits", 4);
  int64_t gather = b.integer("gather_axis", 0);
  int64_t block = b.integer("quantize_axis", 1);
  gather += gather < 0 ? rank : 0;
  block += block < 0 ? rank : 0;
  bool isBytes = b.elementType(0) == ::onnx::TensorProto::UINT8;
  if (rank < 1 || positions < 0 || gather < 0 || gather >= rank || block < 0 ||
      block >= rank || gather == block || (bits != 4 && bits != 8) ||
      (isBytes && block != rank - 1))
    return false;
  int64_t all = rank + positions - 1;
  addGatheredRows(b, gather, "data", "rows");
  b << "factors = Gather<axis = " + std::to_string(gather) +
           ">(scales, indices)";
  if (isBytes && bits == 4)
    addUnpackedRows(b, bits, "rows", static_cast<int>(all), "numbers");
  else
    b << "numbers = Identity(rows)";
  bool hasZeros = addGatheredZeros(b, gather, bits, static_cast<int>(all));
  b << "output = DequantizeLinear<axis = " +
           std::to_string(block > gather ? block + positions - 1 : block) +
           ", block_size = " + std::to_string(b.integer("block_size", 128)) +
           (hasZeros ? ">(numbers, factors, zeros)" : ">(numbers, factors)");
  return true;
}

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

static OpSchema dynamicQuantizeMatMul() {
  OpSchema schema;
  schema.SetName("DynamicQuantizeMatMul")
      .SetDoc("A quantised as it comes, by B in bytes.")
      .Input(0, "A", "The left factor.", "T1")
      .Input(1, "B", "The right factor.", "T2")
      .Input(2, "b_scale", "Of B or of each of its columns.", "T1")
      .Input(3, "b_zero_point", "Likewise.", "T2", OpSchema::Optional)
      .Input(4, "bias", "Added to the product.", "T1", OpSchema::Optional)
      .Output(0, "Y", "The product.", "T1")
      .TypeConstraint("T1", {"tensor(float)"}, "Reals.")
      .TypeConstraint("T2", byteTypes, "Bytes.");
  return schema;
}

static OpSchema matMulIntegerToFloat() {
  OpSchema schema;
  schema.SetName("MatMulIntegerToFloat")
      .SetDoc("A product of bytes with scales.")
      .Input(0, "A", "The left factor.", "T1")
      .Input(1, "B", "The right factor.", "T2")
      .Input(2, "a_scale", "Of A.", "T3")
      .Input(3, "b_scale", "Of B or of each of its columns.", "T3")
      .Input(4, "a_zero_point", "Of A.", "T1", OpSchema::Optional)
      .Input(5, "b_zero_point", "Of B.", "T2", OpSchema::Optional)
      .Input(6, "bias", "Added to the product.", "T3", OpSchema::Optional)
      .Output(0, "Y", "The product.", "T3")
      .TypeConstraint("T1", byteTypes, "Bytes.")
      .TypeConstraint("T2", byteTypes, "Bytes.")
      .TypeConstraint("T3", {"tensor(float)"}, "Reals.");
  return schema;
}

static OpSchema matMulNBits() {
  OpSchema schema;
  auto optional = OpSchema::Optional;
  schema.SetName("MatMulNBits")
      .SetDoc("A by B transposed, where B holds blocks of 2, 4 or 8 bits.")
      .Input(0, "A", "[.., K]", "T1")
      .Input(1, "B", "[N, blocks, bytes of a block]", "T2")
      .Input(2, "scales", "One of each block.", "T1")
      .Input(3, "zero_points", "Packed like B, or reals.", "T3", optional)
      .Input(4, "g_idx", "Block of each element of K.", "tensor(int32)",
             optional)
      .Input(5, "bias", "Added to the product.", "T1", optional)
      .Output(0, "Y", "[.., N]", "T1")
      .Attr("K", "Columns of B.", AttributeProto::INT)
      .Attr("N", "Rows of B.", AttributeProto::INT)
      .Attr("bits", "Bits of a number.", AttributeProto::INT,
            static_cast<int64_t>(4))
      .Attr("block_size", "Numbers of a block.", AttributeProto::INT)
      .Attr("accuracy_level", "A hint.", AttributeProto::INT,
            static_cast<int64_t>(0))
      .Attr("weight_prepacked", "Layout of B.", AttributeProto::INT,
            static_cast<int64_t>(0))
      .TypeConstraint("T1", floatTypes, "Reals.")
      .TypeConstraint("T2", {"tensor(uint8)"}, "Packed numbers.")
      .TypeConstraint("T3",
                      {"tensor(uint8)", "tensor(float)", "tensor(float16)",
                       "tensor(bfloat16)"},
                      "Packed numbers or reals.");
  return schema;
}

static OpSchema gatherBlockQuantized() {
  OpSchema schema;
  auto integer = AttributeProto::INT;
  schema.SetName("GatherBlockQuantized")
      .SetDoc("Gather from a table that holds blocks of 4 or 8 bits.")
      .Input(0, "data", "The table.", "T1")
      .Input(1, "indices", "Which rows.", "Tind")
      .Input(2, "scales", "One of each block.", "T2")
      .Input(3, "zero_points", "Packed like the table.", "T1",
             OpSchema::Optional)
      .Output(0, "output", "Rows of reals.", "T2")
      .Attr("gather_axis", "As in Gather.", integer, static_cast<int64_t>(0))
      .Attr("quantize_axis", "Dimension of the blocks.", integer,
            static_cast<int64_t>(1))
      .Attr("block_size", "Numbers of a block.", integer,
            static_cast<int64_t>(128))
      .Attr("bits", "Bits of a number in a table of bytes.", integer,
            static_cast<int64_t>(4))
      .TypeConstraint("T1", {"tensor(int4)", "tensor(uint4)", "tensor(uint8)"},
                      "Few bits, or bytes that hold them.")
      .TypeConstraint("T2",
                      {"tensor(float)", "tensor(float16)", "tensor(bfloat16)"},
                      "Reals.")
      .TypeConstraint("Tind", {"tensor(int32)", "tensor(int64)"}, "Indices.");
  return schema;
}

void onnxc::schema::microsoft::registerQuantizedMatMul() {
  define(dynamicQuantizeMatMul(), fillDynamicQuantizeMatMul);
  define(matMulIntegerToFloat(), fillMatMulIntegerToFloat);
  define(matMulNBits(), fillMatMulNBits);
  define(gatherBlockQuantized(), fillGatherBlockQuantized);
}
