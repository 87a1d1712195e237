//===- LevelTests.cpp - The choice between levels of processors -----------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cstdlib>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace onnxc;
using namespace onnxc::rt;
using testing::HasSubstr;

namespace {

#if defined(__x86_64__)

// What every processor has, and what none has together.
#define HERE "+sse2,+sse3"
#define NOWHERE "+fma4,+tbm,+amx-tile"

class LevelTest : public ::testing::Test {
protected:
  ~LevelTest() override { unsetenv("OM_CPU"); }

  int choose(std::vector<OnnxcLevel> its) {
    levels = std::move(its);
    model.numLevels = int64_t(levels.size());
    model.levels = levels.data();
    reason = {};
    return chooseLevel(model, &reason);
  }

  std::vector<OnnxcLevel> levels;
  OnnxcModel model = {};
  Message reason = {};
};

constexpr OnnxcLevel base = {"base", nullptr, nullptr, nullptr},
                     here = {"here", HERE, nullptr, nullptr},
                     more = {"more", HERE "," NOWHERE, nullptr, nullptr},
                     most = {"most", NOWHERE, nullptr, nullptr};

TEST_F(LevelTest, TheLastThatRuns) {
  EXPECT_EQ(choose({base}), 0);
  EXPECT_EQ(choose({base, here}), 1);
  EXPECT_EQ(choose({base, here, more}), 1);
  EXPECT_EQ(choose({here, more, most}), 0);
  EXPECT_STREQ(reason.text, "");
}

TEST_F(LevelTest, FeaturesThatNobodyChecks) {
  EXPECT_EQ(choose({{"empty", "", nullptr, nullptr}}), 0);
  EXPECT_EQ(choose({{"other", "-avx512f,-fma4,+some-hint", nullptr, nullptr}}),
            0);
}

TEST_F(LevelTest, NoneRuns) {
  EXPECT_EQ(choose({more, most}), -1);
  EXPECT_THAT(reason.text, HasSubstr("compiled for a processor with '"));
  EXPECT_THAT(reason.text, HasSubstr("--cpu was more, most"));
  EXPECT_EQ(choose({most}), -1);
  EXPECT_THAT(reason.text, HasSubstr("--cpu was most"));
  EXPECT_EQ(chooseLevel(model, nullptr), -1);
}

TEST_F(LevelTest, TheEnvironmentNamesOne) {
  setenv("OM_CPU", "base", 1);
  EXPECT_EQ(choose({base, here, more}), 0);
  setenv("OM_CPU", "", 1);
  EXPECT_EQ(choose({base, here, more}), 1);
}

TEST_F(LevelTest, TheEnvironmentNamesNoneThatRuns) {
  setenv("OM_CPU", "more", 1);
  EXPECT_EQ(choose({base, here, more}), -1);
  EXPECT_THAT(reason.text, HasSubstr("OM_CPU is 'more', which needs '"));
  setenv("OM_CPU", "other", 1);
  EXPECT_EQ(choose({base, here, more}), -1);
  EXPECT_STREQ(reason.text, "OM_CPU is 'other', but the model was compiled for "
                            "base, here, more");
}

// It is about artefacts that have a choice.
TEST_F(LevelTest, TheEnvironmentDoesNotConcernASingleLevel) {
  setenv("OM_CPU", "other", 1);
  EXPECT_EQ(choose({here}), 0);
}

TEST_F(LevelTest, OnlyThoseInFrontOfTheEnd) {
  EXPECT_EQ(choose({base, here, most}), 1);
  EXPECT_EQ(chooseLevel(model, nullptr, 3), 1);
  EXPECT_EQ(chooseLevel(model, nullptr, 1), 0);
  EXPECT_EQ(chooseLevel(model, nullptr, 0), -1);
}

TEST_F(LevelTest, LongNamesAreCutOff) {
  std::string name(1000, 'n');
  OnnxcLevel level = {name.c_str(), NOWHERE, nullptr, nullptr};
  EXPECT_EQ(choose({level, level}), -1);
  EXPECT_LT(std::strlen(reason.text), sizeof reason.text);
}

#endif // defined(__x86_64__)

TEST(Level, OfARegisteredModel) {
  EXPECT_STREQ(omGetCpu(nullptr), "by hand");
  EXPECT_STREQ(omGetCpu("pool"), "by hand");
  EXPECT_EQ(omGetCpu("unknown"), nullptr);
  EXPECT_THAT(omGetLastError(), HasSubstr("no entry point"));
}

} // namespace
