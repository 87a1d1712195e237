//===- TextTests.cpp - Strings in krnl.call ---------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "calls/StringTable.h"
#include "calls/Unicode.h"

#include <cmath>
#include <cstring>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace onnxc::rt;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

using CallFunction = std::remove_pointer_t<OnnxcCallFn>;
extern "C" CallFunction onnxc_call_count_ngrams;
extern "C" CallFunction onnxc_call_couple_pairs;
extern "C" CallFunction onnxc_call_regex_full_match;
extern "C" CallFunction onnxc_call_string_concat;
extern "C" CallFunction onnxc_call_string_equal;
extern "C" CallFunction onnxc_call_string_from_number;
extern "C" CallFunction onnxc_call_string_index;
extern "C" CallFunction onnxc_call_string_normalize;
extern "C" CallFunction onnxc_call_string_split;
extern "C" CallFunction onnxc_call_string_to_number;

namespace {

/// A table as the compiler lays it out, with slots.
std::vector<int64_t> tableOf(const std::vector<std::string> &texts) {
  int64_t slots = 1;
  while (slots < int64_t(2 * texts.size() + 1))
    slots *= 2;
  std::vector<int64_t> words{int64_t(texts.size()), slots};
  int64_t at = int64_t(2 + texts.size() + slots) * 8;
  for (const std::string &text : texts) {
    words.push_back(at);
    at += int64_t(text.size()) + 1;
  }
  words.resize(words.size() + slots, -1);
  for (size_t i = 0; i < texts.size(); ++i) {
    uint64_t slot = hashString(texts[i].data(), texts[i].size());
    while (words[2 + texts.size() + (slot & (slots - 1))] >= 0)
      ++slot;
    words[2 + texts.size() + (slot & (slots - 1))] = int64_t(i);
  }
  std::string characters;
  for (const std::string &text : texts)
    characters.append(text.c_str(), text.size() + 1);
  size_t begin = words.size();
  words.resize(begin + (characters.size() + 7) / 8);
  memcpy(words.data() + begin, characters.data(), characters.size());
  return words;
}

struct TextTest : testing::Test {
  OMContext *context = omContextCreate("pool");
  OnnxcCall *call = static_cast<OnnxcCall *>(context);
  int64_t dims[2][4] = {};
  OnnxcValue outs[2] = {{nullptr, dims[0], 1, 8}, {nullptr, dims[1], 1, 7}};

  ~TextTest() override {
    context->pool.endCall();
    omContextDestroy(context);
  }

  int32_t run(CallFunction &function, std::vector<OnnxcValue> ins,
              std::vector<int64_t> params = {}) {
    return function(call, 2, outs, int32_t(ins.size()), ins.data(),
                    params.data());
  }
  OnnxcValue strings(std::vector<std::string> texts,
                     std::vector<int64_t> shape = {}) {
    kept.push_back(std::move(texts));
    pointers.emplace_back();
    for (std::string &text : kept.back())
      pointers.back().push_back(text.data());
    if (shape.empty())
      shape = {int64_t(kept.back().size())};
    shapes.push_back(shape);
    return {pointers.back().data(), shapes.back().data(),
            int32_t(shapes.back().size()), 8};
  }
  OnnxcValue table(const std::vector<std::string> &texts) {
    tables.push_back(tableOf(texts));
    return {tables.back().data(), nullptr, 1, 7};
  }
  template <typename T>
  OnnxcValue numbers(std::vector<T> &values, int32_t type) {
    shapes.push_back({int64_t(values.size())});
    return {values.data(), shapes.back().data(), 1, type};
  }
  std::vector<std::string> texts(int64_t count) {
    char **data = static_cast<char **>(outs[0].data);
    return std::vector<std::string>(data, data + count);
  }
  template <typename T>
  std::vector<T> result(int number, int64_t count) {
    T *data = static_cast<T *>(outs[number].data);
    return std::vector<T>(data, data + count);
  }

  std::deque<std::vector<std::string>> kept;
  std::deque<std::vector<char *>> pointers;
  std::deque<std::vector<int64_t>> shapes, tables;
};

uint32_t only(const char *text) { return readUtf8(text); }

TEST(Unicode, MapsSimpleCases) {
  EXPECT_EQ(lowerCase('A'), uint32_t('a'));
  EXPECT_EQ(upperCase(only("é")), only("É"));
  EXPECT_EQ(upperCase(only("ÿ")), only("Ÿ"));
  EXPECT_EQ(lowerCase(only("Ж")), only("ж"));
  EXPECT_EQ(upperCase(only("ς")), only("ς"))
      << "final sigma has no own capital";
  EXPECT_EQ(upperCase(only("ß")), only("ß")) << "no single capital";
  EXPECT_EQ(lowerCase('1'), uint32_t('1'));
}

TEST(Unicode, CasesAreInverse) {
  for (uint32_t code = 1; code < 0x10000; ++code)
    if (lowerCase(code) != code) {
      EXPECT_EQ(upperCase(lowerCase(code)), code) << code;
    }
}

TEST(Unicode, KeepsWhatIsNotWellFormed) {
  for (const char *text : {"\xff\x61", "\xc3", "\xe2\x82", "\xc0\x80",
                           "\xf4\x90\x80\x80", "a\xc3\xa9\xe2\x82\xac"}) {
    std::string written;
    for (const char *at = text; *at;) {
      char bytes[4];
      written.append(bytes, writeUtf8(bytes, readUtf8(at)));
    }
    EXPECT_EQ(written, text);
  }
}

TEST_F(TextTest, FindsPositionsInTables) {
  OnnxcValue x = strings({"b", "", "c", "zz"});
  ASSERT_EQ(run(onnxc_call_string_index, {x, table({"a", "b", "c", ""})}),
            ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, 4), ElementsAre(1, 3, 2, 4));
}

TEST_F(TextTest, AnEmptyTableHasNothing) {
  ASSERT_EQ(run(onnxc_call_string_index, {strings({"a"}), table({})}),
            ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, 1), ElementsAre(0));
}

TEST_F(TextTest, ComparesByBroadcasting) {
  outs[0].rank = 2;
  OnnxcValue x = strings({"a", "b"}, {2, 1}), y = strings({"a", "b", "c"});
  ASSERT_EQ(run(onnxc_call_string_equal, {x, y}), ONNXC_OK);
  EXPECT_EQ(dims[0][0], 2);
  EXPECT_EQ(dims[0][1], 3);
  EXPECT_THAT(result<int8_t>(0, 6), ElementsAre(1, 0, 0, 0, 1, 0));
}

TEST_F(TextTest, RefusesSizesThatDoNotBroadcast) {
  EXPECT_EQ(run(onnxc_call_string_concat,
                {strings({"a", "b"}), strings({"a", "b", "c"})}),
            ONNXC_ERR_VALUE);
  EXPECT_THAT(omContextGetMessage(context), HasSubstr("do not broadcast"));
}

TEST_F(TextTest, JoinsPairs) {
  OnnxcValue x = strings({"abc", ""}), y = strings({"-x"});
  ASSERT_EQ(run(onnxc_call_string_concat, {x, y}), ONNXC_OK);
  EXPECT_THAT(texts(2), ElementsAre("abc-x", "-x"));
}

TEST_F(TextTest, SplitsByDelimiterAndByBlanks) {
  outs[0].rank = 2;
  OnnxcValue x = strings({"a,,b", "", "c"});
  ASSERT_EQ(run(onnxc_call_string_split, {x, table({","})}, {-1}), ONNXC_OK);
  EXPECT_EQ(dims[0][1], 3);
  EXPECT_THAT(texts(9), ElementsAre("a", "", "b", "", "", "", "c", "", ""));
  EXPECT_THAT(result<int64_t>(1, 3), ElementsAre(3, 1, 1));
  x = strings({"  a \xe2\x80\x83 b c ", " "});
  ASSERT_EQ(run(onnxc_call_string_split, {x, table({""})}, {1}), ONNXC_OK);
  EXPECT_THAT(texts(4), ElementsAre("a", "b c ", "", ""));
  EXPECT_THAT(result<int64_t>(1, 2), ElementsAre(2, 0));
}

TEST_F(TextTest, NormalizesWords) {
  OnnxcValue x = strings({"Été", "the", "The", "x"}), words = table({"the"});
  ASSERT_EQ(run(onnxc_call_string_normalize, {x, words}, {2, 0}), ONNXC_OK);
  EXPECT_THAT(texts(dims[0][0]), ElementsAre("ÉTÉ", "X"));
  ASSERT_EQ(run(onnxc_call_string_normalize, {x, words}, {0, 1}), ONNXC_OK);
  EXPECT_THAT(texts(dims[0][0]), ElementsAre("Été", "The", "x"));
  ASSERT_EQ(run(onnxc_call_string_normalize, {strings({"the"}), words}, {0, 1}),
            ONNXC_OK);
  EXPECT_THAT(texts(dims[0][0]), ElementsAre(""));
}

TEST_F(TextTest, WritesNumbersAsPythonDoes) {
  std::vector<float> x{0.1f, 1, -2.5f, 1e20f, 1e-7f, INFINITY, NAN};
  ASSERT_EQ(run(onnxc_call_string_from_number, {numbers(x, 1)}, {3}), ONNXC_OK);
  EXPECT_THAT(texts(7), ElementsAre("0.1", "1.0", "-2.5", "1e+20", "1e-07",
                                    "inf", "nan"));
}

TEST_F(TextTest, WritesAsFewDigitsAsReadBack) {
  std::vector<double> x{5e-324,
                        1.7976931348623157e308,
                        9007199254740992,
                        1.0 / 3,
                        0x1p-40,
                        123456.789,
                        -1e15,
                        1e16};
  ASSERT_EQ(run(onnxc_call_string_from_number, {numbers(x, 11)}, {4}),
            ONNXC_OK);
  EXPECT_THAT(texts(8), ElementsAre("5e-324", "1.7976931348623157e+308",
                                    "9007199254740992.0", "0.3333333333333333",
                                    "9.094947017729282e-13", "123456.789",
                                    "-1000000000000000.0", "1e+16"));
  std::vector<float> y{16777216, 1.0f / 3, 0x1p-40f, 3.4028235e38f};
  ASSERT_EQ(run(onnxc_call_string_from_number, {numbers(y, 1)}, {3}), ONNXC_OK);
  EXPECT_THAT(texts(4), ElementsAre("16777216.0", "0.33333334", "9.094947e-13",
                                    "3.4028235e+38"));
}

TEST_F(TextTest, WritesIntegersOfBothSigns) {
  std::vector<int64_t> x{0, -7, 1000, INT64_MIN, INT64_MAX};
  ASSERT_EQ(run(onnxc_call_string_from_number, {numbers(x, 7)}, {1}), ONNXC_OK);
  EXPECT_THAT(texts(5), ElementsAre("0", "-7", "1000", "-9223372036854775808",
                                    "9223372036854775807"));
  ASSERT_EQ(run(onnxc_call_string_from_number, {numbers(x, 13)}, {2}),
            ONNXC_OK);
  EXPECT_EQ(texts(2)[1], "18446744073709551609");
}

TEST_F(TextTest, WritesIntegersBesidePowersOfTen) {
  std::vector<uint64_t> x;
  std::vector<std::string> expected;
  for (uint64_t power = 1, digits = 1; digits <= 20; power *= 10, ++digits)
    for (uint64_t number : {power - 1, power, power + 1}) {
      x.push_back(number);
      expected.push_back(std::to_string(number));
    }
  ASSERT_EQ(run(onnxc_call_string_from_number, {numbers(x, 13)}, {2}),
            ONNXC_OK);
  EXPECT_THAT(texts(x.size()), ElementsAreArray(expected));
}

TEST_F(TextTest, ReadsNumbersAndNamesWhatIsNone) {
  OnnxcValue x = strings({" 12 ", "-3"});
  ASSERT_EQ(run(onnxc_call_string_to_number, {x}, {1}), ONNXC_OK);
  EXPECT_THAT(result<int64_t>(0, 2), ElementsAre(12, -3));
  ASSERT_EQ(run(onnxc_call_string_to_number, {strings({"NaN", "1e3"})}, {3}),
            ONNXC_OK);
  EXPECT_EQ(result<float>(0, 2)[1], 1000.0f);
  for (const char *text : {"", "1x", "99999999999999999999"}) {
    context->status = ONNXC_OK;
    EXPECT_EQ(run(onnxc_call_string_to_number, {strings({text})}, {1}),
              ONNXC_ERR_VALUE);
  }
  EXPECT_THAT(omContextGetMessage(context), HasSubstr("is not a number"));
}

TEST_F(TextTest, MatchesWholeStrings) {
  OnnxcValue x = strings({"abc", "abcd", ""});
  ASSERT_EQ(run(onnxc_call_regex_full_match, {x, table({"a.*c"})}), ONNXC_OK);
  EXPECT_THAT(result<int8_t>(0, 3), ElementsAre(1, 0, 0));
  EXPECT_EQ(run(onnxc_call_regex_full_match, {x, table({"(a"})}),
            ONNXC_ERR_VALUE);
  EXPECT_THAT(omContextGetMessage(context),
              HasSubstr("'(a' is not a regular expression"));
}

TEST_F(TextTest, CountsGramsWithSkips) {
  // Below the root are token 0 (column 0) and 1; 0 leads to 0 1 (column 1).
  std::vector<int64_t> tree{1, 2, -1, 1, 0, 1, -1, 0, 1, 0};
  // The only edge, from node 1 by token 1, in both slots.
  std::vector<int64_t> edges{1, 1, 1, 1, 1, 3, 3, 3, 3};
  std::vector<int64_t> tokens{0, 2, 1, 0, 1};
  OnnxcValue nodes{tree.data(), nullptr, 1, 7};
  OnnxcValue table{edges.data(), nullptr, 1, 7};
  ASSERT_EQ(run(onnxc_call_count_ngrams, {numbers(tokens, 7), nodes, table},
                {1, 2, 1, 2, 2}),
            ONNXC_OK);
  EXPECT_THAT(result<float>(0, 2), ElementsAre(2, 2));
}

TEST_F(TextTest, CouplesPairsIntoProbabilities) {
  outs[0].rank = 2;
  std::vector<float> pairs{0.9f, 0.8f, 0.3f};
  std::vector<int64_t> shape{1, 3};
  OnnxcValue x{pairs.data(), shape.data(), 2, 1};
  ASSERT_EQ(run(onnxc_call_couple_pairs, {x}, {3}), ONNXC_OK);
  std::vector<float> p = result<float>(0, 3);
  EXPECT_NEAR(p[0] + p[1] + p[2], 1, 1e-6);
  EXPECT_GT(p[0], p[2]);
  EXPECT_GT(p[2], p[1]);
}

} // namespace
