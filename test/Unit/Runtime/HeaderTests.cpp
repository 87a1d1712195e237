//===- HeaderTests.cpp - The public headers, and what they declare --------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Runtime.h"

#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>

extern "C" int useFromC99(void);
extern "C" int useValuesFromC99(void);

TEST(Headers, WorkFromC99) { EXPECT_TRUE(useFromC99()); }

TEST(Headers, ValuesWorkFromC99) { EXPECT_TRUE(useValuesFromC99()); }

TEST(Headers, TypeNumbersAreThoseOfOnnx) {
  EXPECT_EQ(int(ONNX_TYPE_FLOAT), 1);
  EXPECT_EQ(int(ONNX_TYPE_STRING), 8);
  EXPECT_EQ(int(ONNX_TYPE_BOOL), 9);
  EXPECT_EQ(int(ONNX_TYPE_BFLOAT16), 16);
  EXPECT_EQ(int(ONNX_TYPE_FLOAT8E5M2FNUZ), 20);
  EXPECT_EQ(int(ONNX_TYPE_INT4), 22);
  EXPECT_EQ(int(ONNX_TYPE_FLOAT6E3M2), 28);
}

TEST(Headers, TypeSizes) {
  EXPECT_EQ(getDataTypeSize(ONNX_TYPE_UNDEFINED), 0);
  EXPECT_EQ(getDataTypeSize(ONNX_TYPE_STRING), 0);
  EXPECT_EQ(getDataTypeSize(ONNX_TYPE_BOOL), 1);
  EXPECT_EQ(getDataTypeSize(ONNX_TYPE_FLOAT16), 2);
  EXPECT_EQ(getDataTypeSize(ONNX_TYPE_DOUBLE), 8);
  EXPECT_EQ(getDataTypeSize(ONNX_TYPE_COMPLEX128), 16);
  EXPECT_EQ(getDataTypeSize(ONNX_TYPE_INT4), 1);
}

static std::set<std::string> namesIn(const std::string &path,
                                     const std::regex &pattern) {
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_FALSE(text.empty()) << path;
  text = std::regex_replace(text, std::regex("/\\*[^*]*\\*+([^/*][^*]*\\*+)*/"),
                            "");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end;
       it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

// A function that an artefact does not export cannot be called.
TEST(Headers, EveryFunctionIsExported) {
  std::string include = ONNXC_RUNTIME_INCLUDE_DIR;
  std::regex function("\\b(om[A-Z]\\w*|run_main_graph)\\(");
  std::set<std::string> declared =
      namesIn(include + "/OnnxMlirRuntime.h", function);
  declared.merge(namesIn(include + "/onnxc/Runtime.h", function));
  declared.insert("OM_DATA_TYPE_SIZE");
  std::set<std::string> exported;
#define ONNXC_EXPORT(NAME) exported.insert(#NAME);
#include "onnxc/rt/Exports.def"
  EXPECT_EQ(declared, exported);
}
