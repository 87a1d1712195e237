//===- UpgradeRulesTest.cpp - Each rule on a node ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Upgrading.h"

#include "gtest/gtest.h"

TEST(UpgradeRules, newestIsLeftAlone) {
  expectUpgraded("y = Relu (x)", 28, "y = Relu (x)\n");
  expectUpgraded("y = NoSuchOperator (x)", 28, "y = NoSuchOperator (x)\n");
}

TEST(UpgradeRules, dropConsumedInputs) {
  expectUpgraded("y = Relu <consumed_inputs = [0]> (x)", 1, "y = Relu (x)\n");
}

TEST(UpgradeRules, broadcastAlongAxis) {
  expectUpgraded("y = Add <broadcast = 1, axis = 1> (t, v)", 6,
                 "n2 = [1, 2]\n"
                 "n1 = Unsqueeze (v, n2)\n"
                 "y = Add (t, n1)\n");
  expectUpgraded("y = Add <broadcast = 1> (t, v)", 6, "y = Add (t, v)\n");
  expectUpgraded("y = Mul <broadcast = 1, axis = -1> (t, v)", 6,
                 "y = Mul (t, v)\n");
  expectUpgraded("y = Equal <broadcast = 1, axis = 0> (m, s)", 1,
                 "y = Equal (m, s)\n");
  // The run counts the dimensions.
  expectUpgraded("y = Add <broadcast = 1, axis = 1> (x, v)", 6,
                 "n1 = Shape <start: int = 1> (x)\n"
                 "n2 = Size (n1)\n"
                 "n3 = Shape <start: int = 0> (v)\n"
                 "n4 = Size (n3)\n"
                 "n5 = Sub (n2, n4)\n"
                 "n6 = [1]\n"
                 "n7 = Reshape (n5, n6)\n"
                 "n8 = [1]\n"
                 "n9 = Expand (n8, n7)\n"
                 "n10 = Shape (v)\n"
                 "n11 = Concat <axis: int = 0> (n10, n9)\n"
                 "n12 = Reshape (v, n11)\n"
                 "y = Add (x, n12)\n");
  expectRefused("y = Add <broadcast = 1, axis = 3> (t, m)", 6, "does not fit");
}

TEST(UpgradeRules, castLogarithmOfIntegers) {
  expectUpgraded("y = ReduceLogSumExp <keepdims = 0> (whole, axes)", 18,
                 "n1 = Cast <to: int = 11> (whole)\n"
                 "n2 = ReduceLogSumExp <keepdims: int = 0> (n1, axes)\n"
                 "y = Cast <to: int = 6> (n2)\n");
  expectUpgraded("y = ReduceLogSum (half)", 18, "y = ReduceLogSum (half)\n");
}

TEST(UpgradeRules, Cast_1_to_6) {
  expectUpgraded("y = Cast <to = \"INT64\"> (x)", 1,
                 "y = Cast <to: int = 7> (x)\n");
  expectRefused("y = Cast <to = \"QUATERNION\"> (x)", 1,
                "'QUATERNION' is not an element type");
}

TEST(UpgradeRules, Concat_1_to_4) {
  expectUpgraded("y = Concat (x, z)", 1, "y = Concat <axis: int = 1> (x, z)\n");
}

TEST(UpgradeRules, Gemm_6_to_7) {
  expectUpgraded("y = Gemm <broadcast = 1> (a, b, c)", 6,
                 "y = Gemm (a, b, c)\n");
}

TEST(UpgradeRules, PRelu_6_to_7) {
  expectUpgraded("y = PRelu (t, v)", 6,
                 "n2 = [1, 2]\n"
                 "n1 = Unsqueeze (v, n2)\n"
                 "y = PRelu (t, n1)\n");
  expectUpgraded("y = PRelu (m, v)", 6, "y = PRelu (m, v)\n");
  // The run counts the dimensions.
  expectUpgraded("y = PRelu (t, slope)", 6,
                 "n1 = Shape <start: int = 0> (slope)\n"
                 "n2 = Size (n1)\n"
                 "n3 = 1\n"
                 "n4 = Equal (n2, n3)\n"
                 "n5 = Cast <to: int = 7> (n4)\n"
                 "n6 = Shape <start: int = 2> (t)\n"
                 "n7 = Size (n6)\n"
                 "n8 = Mul (n7, n5)\n"
                 "n9 = [1]\n"
                 "n10 = Reshape (n8, n9)\n"
                 "n11 = [1]\n"
                 "n12 = Expand (n11, n10)\n"
                 "n13 = Shape (slope)\n"
                 "n14 = Concat <axis: int = 0> (n13, n12)\n"
                 "n15 = Reshape (slope, n14)\n"
                 "y = PRelu (t, n15)\n");
}

TEST(UpgradeRules, Reshape_1_to_5) {
  expectUpgraded("y = Reshape <shape = [2, -1]> (x)", 1,
                 "n1 = [2, -1]\n"
                 "y = Reshape (x, n1)\n");
}

TEST(UpgradeRules, Scatter_9_to_11) {
  expectUpgraded("y = Scatter <axis = 1> (x, i, u)", 9,
                 "y = ScatterElements <axis: int = 1> (x, i, u)\n");
}

TEST(UpgradeRules, Selu_1_to_6) {
  expectUpgraded(
      "y = Selu (x)", 1,
      "y = Selu <alpha: float = 1.6732, gamma: float = 1.0507> (x)\n");
}

TEST(UpgradeRules, Tile_1_to_6) {
  for (const char *node : {"y = Tile (t, n, one)", "y = Tile (t, n, oneFloat)"})
    expectUpgraded(node, 1,
                   "n1 = Cast <to: int = 7> (n)\n"
                   "n2 = [1]\n"
                   "n3 = Reshape (n1, n2)\n"
                   "n4 = [1]\n"
                   "n5 = [1, 1]\n"
                   "n6 = Concat <axis: int = 0> (n4, n3, n5)\n"
                   "y = Tile (t, n6)\n");
  expectRefused("y = Tile (x, n, one)", 1, "constant axis");
  expectRefused("y = Tile (v, n, one)", 1, "axis 1 is out of range for rank 1");
}

TEST(UpgradeRules, axesToInput) {
  expectUpgraded("y = Squeeze <axes = [0, 2]> (x)", 11,
                 "n1 = [0, 2]\n"
                 "y = Squeeze (x, n1)\n");
  expectUpgraded("y = Squeeze (x)", 11, "y = Squeeze (x)\n");
  expectUpgraded("y = ReduceSum <axes = [1], keepdims = 0> (x)", 11,
                 "n1 = [1]\n"
                 "y = ReduceSum <keepdims: int = 0> (x, n1)\n");
  expectUpgraded("y = ReduceMean <axes = [1]> (x)", 13,
                 "n1 = [1]\n"
                 "y = ReduceMean (x, n1)\n");
}

TEST(UpgradeRules, Clip_1_to_6) {
  expectUpgraded("y = Clip <consumed_inputs = [0]> (x)", 1, "y = Clip (x)\n");
  expectUpgraded("y = Clip <min = 0.0> (x)", 1,
                 "n1 = 0.00\n"
                 "y = Clip (x, n1)\n");
}

TEST(UpgradeRules, Clip_6_to_11) {
  expectUpgraded("y = Clip <min = 0.0, max = 6.0> (x)", 6,
                 "n1 = 0.00\n"
                 "n2 = 6.00\n"
                 "y = Clip (x, n1, n2)\n");
  expectUpgraded("y = Clip <max = 6.0> (half)", 6,
                 "n1 = -340\n"
                 "n2 = CastLike (n1, half)\n"
                 "n3 = 6.00\n"
                 "n4 = CastLike (n3, half)\n"
                 "y = Clip (half, n2, n4)\n");
}

TEST(UpgradeRules, DFT_17_to_20) {
  expectUpgraded("y = DFT <inverse = 1> (x)", 17,
                 "n1 = 1\n"
                 "y = DFT <inverse: int = 1> (x, \"\", n1)\n");
}

TEST(UpgradeRules, Dropout_6_to_7) {
  expectUpgraded("y = Dropout <is_test = 1> (x)", 6, "y = Dropout (x)\n");
}

TEST(UpgradeRules, Dropout_10_to_12) {
  expectUpgraded("y, mask = Dropout <ratio = 0.125> (x)", 10,
                 "n1 = 0.12\n"
                 "y, mask = Dropout (x, n1)\n");
  expectUpgraded("y = Dropout (x)", 10, "y = Dropout (x)\n");
}

TEST(UpgradeRules, Dropout_7_to_10) {
  expectUpgraded("y = Dropout <ratio = 0.25> (x)", 7,
                 "n1 = 0.25\n"
                 "y = Dropout (x, n1)\n");
  expectUpgraded("y, mask = Dropout (x)", 7,
                 "y, n1 = Dropout (x)\n"
                 "mask = CastLike (n1, x)\n");
}

TEST(UpgradeRules, Pad_2_to_11) {
  expectUpgraded("y = Pad <pads = [0, 1, 0, 1], value = 2.0> (x)", 2,
                 "n1 = [0, 1, 0, 1]\n"
                 "n2 = 2.00\n"
                 "y = Pad (x, n1, n2)\n");
  expectUpgraded("y = Pad <pads = [0, 1, 0, 1], mode = \"edge\"> (x)", 2,
                 "n1 = [0, 1, 0, 1]\n"
                 "y = Pad <mode: string = \"edge\"> (x, n1)\n");
}

TEST(UpgradeRules, Pad_1_to_2) {
  expectUpgraded("y = Pad <paddings = [0, 1, 0, 1]> (x)", 1,
                 "n1 = [0, 1, 0, 1]\n"
                 "y = Pad (x, n1)\n");
}

TEST(UpgradeRules, Slice_1_to_10) {
  expectUpgraded("y = Slice <starts = [1], ends = [3]> (x)", 1,
                 "n1 = [1]\n"
                 "n2 = [3]\n"
                 "y = Slice (x, n1, n2)\n");
  expectUpgraded("y = Slice <axes = [1], starts = [1], ends = [3]> (x)", 1,
                 "n1 = [1]\n"
                 "n2 = [3]\n"
                 "n3 = [1]\n"
                 "y = Slice (x, n1, n2, n3)\n");
}

TEST(UpgradeRules, Split_1_to_2) {
  expectUpgraded("y, z = Split <axis = 1> (x, sizes)", 1,
                 "n1 = [2, 4]\n"
                 "y, z = Split <axis: int = 1> (x, n1)\n");
  expectRefused("y, z = Split (x, unknown)", 1, "not constant");
}

TEST(UpgradeRules, Split_11_to_13) {
  expectUpgraded("y, z = Split <axis = 1, split = [2, 4]> (x)", 11,
                 "n1 = [2, 4]\n"
                 "y, z = Split <axis: int = 1> (x, n1)\n");
}

TEST(UpgradeRules, Split_13_to_18) {
  expectUpgraded("y, z = Split <axis = 1> (x)", 11,
                 "y, z = Split <axis: int = 1, num_outputs: int = 2> (x)\n");
}

TEST(UpgradeRules, TopK_1_to_10) {
  expectUpgraded("y, i = TopK <k = 5> (x)", 1,
                 "n1 = [5]\n"
                 "y, i = TopK (x, n1)\n");
}

TEST(UpgradeRules, BatchNormalization_6_to_7) {
  expectUpgraded("y = BatchNormalization <is_test = 1> (x, s, b, m, v)", 6,
                 "y = BatchNormalization (x, s, b, m, v)\n");
  expectRefused("y, mean = BatchNormalization (x, s, b, m, v)", 6, "it trains");
}

TEST(UpgradeRules, BatchNormalization_7_to_9) {
  expectUpgraded(
      "y = BatchNormalization <spatial = 1, epsilon = 0.01> (x, s, b, m, v)", 7,
      "y = BatchNormalization <epsilon: float = 0.01> (x, s, b, m, v)\n");
  expectUpgraded("y = BatchNormalization <spatial = 0, epsilon = 0.01> (x, "
                 "scale, b, mean, var)",
                 7,
                 "n1 = 0.01\n"
                 "n2 = Sub (x, mean)\n"
                 "n3 = Add (var, n1)\n"
                 "n4 = Sqrt (n3)\n"
                 "n5 = Div (n2, n4)\n"
                 "n6 = Mul (n5, scale)\n"
                 "y = Add (n6, b)\n");
  expectRefused("y, a = BatchNormalization <spatial = 0> (x, s, b, m, v)", 7,
                "statistics per activation");
}

TEST(UpgradeRules, BatchNormalization_9_to_14) {
  expectUpgraded(
      "y, mean, var = BatchNormalization (x, s, b, m, v)", 9,
      "y, mean, var = BatchNormalization <training_mode: int = 1> (x, "
      "s, b, m, v)\n");
  expectRefused("y, a, b2, c, d = BatchNormalization (x, s, b, m, v)", 9,
                "result 3, the saved statistics of training, does not exist "
                "since version 14");
}

TEST(UpgradeRules, GroupNormalization_18_to_21) {
  expectUpgraded("y = GroupNormalization <num_groups = 2> (t, scale, bias)", 18,
                 "n1 = [2, 3]\n"
                 "n2 = [2, 1]\n"
                 "n3 = Reshape (scale, n2)\n"
                 "n4 = Expand (n3, n1)\n"
                 "n5 = [-1]\n"
                 "n6 = Reshape (n4, n5)\n"
                 "n7 = [2, 1]\n"
                 "n8 = Reshape (bias, n7)\n"
                 "n9 = Expand (n8, n1)\n"
                 "n10 = [-1]\n"
                 "n11 = Reshape (n9, n10)\n"
                 "y = GroupNormalization <num_groups: int = 2> (t, n6, n11)\n");
  expectUpgraded("y = GroupNormalization <num_groups = 2> (x, scale, bias)", 18,
                 "n1 = Shape <start: int = 1, end: int = 2> (x)\n"
                 "n2 = [2]\n"
                 "n3 = Div (n1, n2)\n"
                 "n4 = Concat <axis: int = 0> (n2, n3)\n"
                 "n5 = [2, 1]\n"
                 "n6 = Reshape (scale, n5)\n"
                 "n7 = Expand (n6, n4)\n"
                 "n8 = [-1]\n"
                 "n9 = Reshape (n7, n8)\n"
                 "n10 = [2, 1]\n"
                 "n11 = Reshape (bias, n10)\n"
                 "n12 = Expand (n11, n4)\n"
                 "n13 = [-1]\n"
                 "n14 = Reshape (n12, n13)\n"
                 "y = GroupNormalization <num_groups: int = 2> (x, n9, n14)\n");
  expectRefused("y = GroupNormalization <num_groups = 0> (x, scale, bias)", 18,
                "not positive");
}

TEST(UpgradeRules, flattenBeforeSoftmax) {
  expectUpgraded("y = Softmax (m)", 1, "y = Softmax <axis: int = -1> (m)\n");
  expectUpgraded("y = LogSoftmax <axis = -1> (x)", 11,
                 "y = LogSoftmax <axis: int = -1> (x)\n");
  expectUpgraded("y = Softmax (t)", 11,
                 "n1 = Flatten <axis: int = 1> (t)\n"
                 "n2 = Shape (t)\n"
                 "n3 = Softmax <axis: int = 1> (n1)\n"
                 "y = Reshape <allowzero: int = 1> (n3, n2)\n");
  expectUpgraded("y = Hardmax <axis = 2> (x)", 11,
                 "n1 = Flatten <axis: int = 2> (x)\n"
                 "n2 = Shape (x)\n"
                 "n3 = Hardmax <axis: int = 1> (n1)\n"
                 "y = Reshape <allowzero: int = 1> (n3, n2)\n");
  expectRefused("y = Softmax (s)", 11, "a scalar has no axis 1");
}

TEST(UpgradeRules, GridSample_16_to_20) {
  expectUpgraded("y = GridSample <mode = \"bicubic\"> (x, g)", 16,
                 "y = GridSample <mode: string = \"cubic\"> (x, g)\n");
}

TEST(UpgradeRules, pToInt) {
  expectUpgraded("y = GlobalLpPool <p = 3.0> (x)", 1,
                 "y = GlobalLpPool <p: int = 3> (x)\n");
  expectRefused("y = GlobalLpPool <p = 1.5> (x)", 1, "positive integer");
}

TEST(UpgradeRules, LpPool_1_to_2) {
  expectUpgraded("y = LpPool <kernel_shape = [2, 2], p = 2.0> (x)", 1,
                 "y = LpPool <kernel_shape: ints = [2, 2], p: int = 2> (x)\n");
  expectRefused("y = LpPool (x)", 1, "kernel_shape");
}

TEST(UpgradeRules, Resize_10_to_11) {
  expectUpgraded(
      "y = Resize (x, doubled)", 10,
      "y = Resize <coordinate_transformation_mode: string = \"asymmetric\", "
      "nearest_mode: string = \"floor\"> (x, \"\", doubled)\n");
  expectUpgraded("y = Resize <mode = \"nearest\"> (x, halved)", 10,
                 "y = Resize <mode: string = \"nearest\", "
                 "coordinate_transformation_mode: string = \"asymmetric\", "
                 "nearest_mode: string = \"ceil\"> (x, \"\", halved)\n");
  expectUpgraded(
      "y = Resize <mode = \"linear\"> (x, scales)", 10,
      "y = Resize <mode: string = \"linear\", coordinate_transformation_mode: "
      "string = \"asymmetric\"> (x, \"\", scales)\n");
  for (std::string scales : {"scales", "mixed"})
    expectUpgraded(
        "y = Resize (x, " + scales + ")", 10,
        "n1 = [1.00]\n"
        "n2 = Min (" +
            scales +
            ", n1)\n"
            "n3 = Resize <coordinate_transformation_mode: string = "
            "\"asymmetric\", nearest_mode: string = \"ceil\"> (x, \"\", n2)\n"
            "n4 = Max (" +
            scales +
            ", n1)\n"
            "y = Resize <coordinate_transformation_mode: string = "
            "\"asymmetric\", nearest_mode: string = \"floor\"> (n3, \"\", "
            "n4)\n");
}

TEST(UpgradeRules, dropEmptyResizeInputs) {
  expectUpgraded("y = Resize (x, none, none, sizes)", 11,
                 "y = Resize (x, \"\", \"\", sizes)\n");
}

TEST(UpgradeRules, RoiAlign_10_to_16) {
  expectUpgraded("y = RoiAlign (x, r, b)", 10,
                 "y = RoiAlign <coordinate_transformation_mode: string = "
                 "\"output_half_pixel\"> (x, r, b)\n");
}

TEST(UpgradeRules, Upsample_1_to_7) {
  expectUpgraded("y = Upsample <height_scale = 2.0, width_scale = 3.0, mode = "
                 "\"bilinear\"> (x)",
                 1,
                 "n1 = [1.00, 1.00, 2.00, 3.00]\n"
                 "n2 = Identity (x)\n"
                 "y = Resize <mode: string = \"linear\", "
                 "coordinate_transformation_mode: string = \"asymmetric\", "
                 "nearest_mode: string = \"floor\"> (n2, \"\", n1)\n");
}

TEST(UpgradeRules, Upsample_7_to_9) {
  expectUpgraded(
      "y = Upsample <mode = \"linear\", scales = [1.0, 1.0, 2.0, 4.0]> "
      "(x)",
      7,
      "n1 = [1.00, 1.00, 2.00, 4.00]\n"
      "n2 = Identity (x)\n"
      "y = Resize <mode: string = \"linear\", "
      "coordinate_transformation_mode: string = \"asymmetric\", "
      "nearest_mode: string = \"floor\"> (n2, \"\", n1)\n");
}

TEST(UpgradeRules, Upsample_9_to_10) {
  expectUpgraded("y = Upsample (x, scales)", 9,
                 "n1 = Identity (x)\n"
                 "y = Resize <mode: string = \"nearest\", "
                 "coordinate_transformation_mode: string = \"asymmetric\", "
                 "nearest_mode: string = \"floor\"> (n1, \"\", scales)\n");
}

TEST(UpgradeRules, dropOutputSequence) {
  expectUpgraded("y, h = LSTM <hidden_size = 4, output_sequence = 1> (x, w, r)",
                 1, "y, h = LSTM <hidden_size: int = 4> (x, w, r)\n");
}

TEST(UpgradeRules, GRU_1_to_3) {
  expectUpgraded("y, h = GRU <hidden_size = 4, direction = \"foward\", "
                 "output_sequence = 1> (x, w, r)",
                 1,
                 "y, h = GRU <hidden_size: int = 4, direction: string = "
                 "\"forward\"> (x, w, r)\n");
}

TEST(UpgradeRules, Scan_8_to_9) {
  expectUpgraded(
      "s1, o1 = Scan <num_scan_inputs = 1, directions = [1], body = body "
      "(float a, float b) => (float c, float d) { c = Add (a, b) d = Neg (c) "
      "}> (, s0, x)",
      8,
      "s1, o1 = Scan (s0, x) <body: graph = body_batch ( \"\x1s1_in0\", "
      "\"\x1s1_in1\") => ( \"\x1s1_out0\", \"\x1s1_out1\") { [\"\"] "
      "\"\x1s1_out0\", \"\x1s1_out1\" = Scan (\"\x1s1_in0\", \"\x1s1_in1\") "
      "<body: graph = body (float a, float b) => (float c, float d) { c = Add "
      "(a, b) d = Neg (c) }, num_scan_inputs: int = 1, scan_input_directions: "
      "ints = [1]> }, num_scan_inputs: int = 2>\n");
  expectRefused("y = Scan <num_scan_inputs = 2, body = body (float a) => "
                "(float b) { b = Neg (a) }> (, x)",
                8, "num_scan_inputs");
  expectRefused("y = Scan <num_scan_inputs = 1> (x)", 8,
                "the body or its inputs are missing");
}

TEST(UpgradeRules, LabelEncoder_1_to_2) {
  expectUpgraded(
      "y = ai.onnx.ml.LabelEncoder <classes_strings = [\"a\", \"b\"]> (names)",
      1,
      "y = ai.onnx.ml.LabelEncoder <keys_strings: strings = [\"a\", \"b\"], "
      "values_int64s: ints = [0, 1]> (names)\n");
  expectRefused("y = ai.onnx.ml.LabelEncoder <classes_strings = [\"a\"]> (x)",
                1, "type of the input");
}
