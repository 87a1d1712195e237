//===- CompileTests.cpp - The compiler as a library ------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Compile.h"
#include "onnxc/Support/Tool.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace llvm;

extern "C" int compileFromC(const char *path, const char *runtimeDir,
                            const char *output);

namespace {

struct Destroy {
  void operator()(OMCompiler *compiler) { omCompilerDestroy(compiler); }
};
using Compiler = std::unique_ptr<OMCompiler, Destroy>;

/// A compiler whose artefacts go to a folder that is removed with it.
class CompileTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("onnxc-compile", folder));
    compiler.reset(omCompilerCreate());
    omCompilerSetOption(compiler.get(), "runtime-dir", ONNXC_RUNTIME_DIR);
  }
  void TearDown() override { sys::fs::remove_directories(folder); }

  std::string path(StringRef name) {
    SmallString<128> result(folder);
    sys::path::append(result, name);
    return result.str().str();
  }
  OM_COMPILE_STATUS set(const char *key, const std::string &value) {
    return omCompilerSetOption(compiler.get(), key, value.c_str());
  }
  size_t countFiles() {
    std::error_code error;
    size_t count = 0;
    for (sys::fs::directory_iterator it(folder, error), end; it != end;
         it.increment(error))
      ++count;
    return count;
  }

  SmallString<128> folder;
  Compiler compiler;
};

} // namespace

TEST_F(CompileTest, writesAnArtefactAndNothingElse) {
  set("output", path("digits.so"));
  ASSERT_EQ(omCompilerCompileFile(compiler.get(), ONNXC_DIGITS), OM_COMPILE_OK)
      << omCompilerGetMessages(compiler.get());
  EXPECT_EQ(countFiles(), 1u);
  EXPECT_EQ(omCompilerGetOutput(compiler.get()), path("digits.so"));
  StringRef report = omCompilerGetReport(compiler.get(), "json");
  EXPECT_TRUE(report.contains("\"schema\": 1"));
  EXPECT_TRUE(report.contains("\"arena_bytes\""));
  EXPECT_TRUE(report.contains("\"recipes\": []"));
  EXPECT_TRUE(StringRef(omCompilerGetReport(compiler.get(), "text"))
                  .contains("peak arena"));
}

TEST_F(CompileTest, isCallableFromC) {
  EXPECT_EQ(compileFromC(ONNXC_DIGITS, ONNXC_RUNTIME_DIR, path("c.so").c_str()),
            OM_COMPILE_OK);
  EXPECT_TRUE(sys::fs::exists(path("c.so")));
}

TEST_F(CompileTest, takesAModelFromMemoryAndGivesTextToACallback) {
  auto model = MemoryBuffer::getFile(ONNXC_DIGITS);
  ASSERT_TRUE(bool(model));
  std::string text;
  omCompilerSetOutputHandler(
      compiler.get(),
      [](void *user, const char *data, size_t size) {
        static_cast<std::string *>(user)->append(data, size);
      },
      &text);
  set("emit", "onnx");
  set("output", "-");
  ASSERT_EQ(omCompilerCompileMemory(compiler.get(), (*model)->getBufferStart(),
                                    (*model)->getBufferSize(), "in-memory"),
            OM_COMPILE_OK);
  EXPECT_TRUE(StringRef(text).contains("func.func @main_graph"));
}

TEST_F(CompileTest, numbersItsSteps) {
  struct Steps {
    std::vector<unsigned> begun, ended;
    unsigned total = 0;
  } steps;
  omCompilerSetProgressHandler(
      compiler.get(),
      [](void *user, unsigned number, unsigned total, const char *,
         double seconds) {
        auto *steps = static_cast<Steps *>(user);
        steps->total = total;
        (seconds < 0 ? steps->begun : steps->ended).push_back(number);
      },
      &steps);
  set("output", path("digits.so"));
  ASSERT_EQ(omCompilerCompileFile(compiler.get(), ONNXC_DIGITS), OM_COMPILE_OK);
  ASSERT_EQ(steps.begun.size(), steps.total);
  EXPECT_EQ(steps.begun, steps.ended);
  for (unsigned i = 0; i < steps.total; ++i)
    EXPECT_EQ(steps.begun[i], i + 1);
}

TEST_F(CompileTest, refusesAModelThatChangesMeanwhile) {
  std::string model = path("changing.onnx");
  std::filesystem::copy_file(ONNXC_DIGITS, model);
  // Another time of the last change, as a writer leaves it.
  omCompilerSetProgressHandler(
      compiler.get(),
      [](void *user, unsigned number, unsigned total, const char *, double) {
        if (number == total)
          std::filesystem::last_write_time(
              *static_cast<std::string *>(user),
              std::filesystem::file_time_type::clock::now() -
                  std::chrono::hours(1));
      },
      &model);
  for (const char *emit : {"lib", "model", "onnx"}) {
    std::filesystem::last_write_time(
        model, std::filesystem::file_time_type::clock::now());
    std::string output = path((std::string("result-") + emit).c_str());
    set("emit", emit);
    set("output", output);
    EXPECT_EQ(omCompilerCompileFile(compiler.get(), model.c_str()),
              OM_COMPILE_USAGE);
    EXPECT_TRUE(StringRef(omCompilerGetMessages(compiler.get()))
                    .contains("has changed while the model was compiled"))
        << emit << ": " << omCompilerGetMessages(compiler.get());
    EXPECT_FALSE(std::filesystem::exists(output));
  }
}

TEST(Tool, endsWithAMessageWithoutMemory) {
  auto allocate = [] {
    onnxc::prepareTool();
    volatile size_t bytes = SIZE_MAX / 2;
    ::operator delete(::operator new(bytes));
  };
  EXPECT_EXIT(allocate(), testing::ExitedWithCode(1), "error: out of memory");
  auto fail = [] {
    onnxc::prepareTool();
    llvm::report_bad_alloc_error("Allocation failed");
  };
  EXPECT_EXIT(fail(), testing::ExitedWithCode(1), "error: out of memory");
}

TEST_F(CompileTest, refusesUnknownOptionsAndValues) {
  EXPECT_EQ(set("no-such-option", "1"), OM_COMPILE_USAGE);
  EXPECT_STREQ(omCompilerGetMessages(compiler.get()),
               "error: unknown option 'no-such-option'\n");
  EXPECT_EQ(set("thread", "1"), OM_COMPILE_USAGE);
  EXPECT_STREQ(omCompilerGetMessages(compiler.get()),
               "error: unknown option 'thread'; did you mean 'threads'?\n");
  EXPECT_EQ(set("level", "4"), OM_COMPILE_USAGE);
  EXPECT_EQ(set("strict", "maybe"), OM_COMPILE_USAGE);
  EXPECT_EQ(set("strict", "true"), OM_COMPILE_OK);
  EXPECT_STREQ(omCompilerGetMessages(compiler.get()), "");
}

TEST_F(CompileTest, textsLiveUntilTheNextCompilation) {
  EXPECT_EQ(set("no-such-option", "1"), OM_COMPILE_USAGE);
  const char *messages = omCompilerGetMessages(compiler.get());
  const char *text = omCompilerGetReport(compiler.get(), "text");
  std::string textBefore = text, messagesBefore = messages;
  EXPECT_STRNE(omCompilerGetReport(compiler.get(), "json"), text);
  EXPECT_STREQ(omCompilerGetReport(compiler.get(), nullptr), text);
  EXPECT_EQ(set("no-other-option", "1"), OM_COMPILE_USAGE);
  EXPECT_STREQ(text, textBefore.c_str());
  EXPECT_STREQ(messages, messagesBefore.c_str());
  EXPECT_EQ(omCompilerGetReport(compiler.get(), "yaml"), nullptr);
  EXPECT_EQ(omCompilerGetFindings(compiler.get(), "nodes"), nullptr);
}

TEST_F(CompileTest, listsItsOptions) {
  size_t count = 0;
  while (omCompilerOptionName(count)) {
    EXPECT_NE(*omCompilerOptionHelp(count), '\0');
    ++count;
  }
  EXPECT_GT(count, 10u);
  EXPECT_EQ(omCompilerOptionValue(count), nullptr);
}

TEST_F(CompileTest, rejectsGarbageWithAMessageAndNoFile) {
  int errors = 0;
  omCompilerSetMessageHandler(
      compiler.get(),
      [](void *user, OM_SEVERITY severity, const char *, const char *text) {
        *static_cast<int *>(user) += severity == OM_SEVERITY_ERROR && *text;
      },
      &errors);
  set("output", path("garbage.so"));
  EXPECT_EQ(omCompilerCompileMemory(compiler.get(), "garbage", 7, "g.onnx"),
            OM_COMPILE_REJECTED);
  EXPECT_GT(errors, 0);
  EXPECT_EQ(countFiles(), 0u);
  EXPECT_EQ(omCompilerCompileFile(compiler.get(), path("none.onnx").c_str()),
            OM_COMPILE_REJECTED);
}

TEST_F(CompileTest, refitsAnArtefact) {
  set("output", path("digits.so"));
  set("refit", "true");
  ASSERT_EQ(omCompilerCompileFile(compiler.get(), ONNXC_DIGITS), OM_COMPILE_OK);
  std::string made = path("digits.so"), again = path("again.so");
  auto refit = [&](const char *artefact, const char *model) {
    return omModelRefit(compiler.get(), artefact, model, again.c_str());
  };
  ASSERT_EQ(refit(made.c_str(), ONNXC_DIGITS), OM_COMPILE_OK)
      << omCompilerGetMessages(compiler.get());
  EXPECT_EQ(omCompilerGetOutput(compiler.get()), again);
  auto first = MemoryBuffer::getFile(made),
       second = MemoryBuffer::getFile(again);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE((*first)->getBuffer() == (*second)->getBuffer());
  sys::fs::remove(again);
  EXPECT_EQ(refit(made.c_str(), made.c_str()), OM_COMPILE_REJECTED);
  EXPECT_EQ(refit(ONNXC_DIGITS, ONNXC_DIGITS), OM_COMPILE_REJECTED);
  EXPECT_EQ(refit(nullptr, nullptr), OM_COMPILE_REJECTED);
  EXPECT_NE(StringRef(omCompilerGetMessages(compiler.get())), "");
  EXPECT_EQ(omModelRefit(compiler.get(), made.c_str(), ONNXC_DIGITS, nullptr),
            OM_COMPILE_REJECTED);
  EXPECT_TRUE(StringRef(omCompilerGetMessages(compiler.get()))
                  .contains("expected the name of a file for the artefact"));
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(CompileTest, explainsANodeAndWritesNothing) {
  set("output", path("digits.so"));
  ASSERT_EQ(omCompilerExplain(compiler.get(), nullptr, 0, ONNXC_DIGITS, "relu1",
                              /*assembly=*/0),
            OM_COMPILE_OK)
      << omCompilerGetMessages(compiler.get());
  StringRef text = omCompilerGetExplanation(compiler.get(), "text");
  EXPECT_TRUE(text.contains("kernel \"Conv+Relu\" of conv1 (Conv), relu1"));
  StringRef json = omCompilerGetExplanation(compiler.get(), "json");
  EXPECT_TRUE(json.starts_with("{")) << json.str();
  EXPECT_EQ(
      omCompilerExplain(compiler.get(), nullptr, 0, ONNXC_DIGITS, "relu9", 0),
      OM_COMPILE_USAGE);
  EXPECT_TRUE(StringRef(omCompilerGetMessages(compiler.get()))
                  .contains("no node or tensor 'relu9'"));
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(CompileTest, endsWhenCancelledAndWorksAgain) {
  set("output", path("digits.so"));
  omCompilerCancel(compiler.get());
  EXPECT_EQ(omCompilerCompileFile(compiler.get(), ONNXC_DIGITS),
            OM_COMPILE_CANCELLED);
  EXPECT_EQ(countFiles(), 0u);
  EXPECT_EQ(omCompilerCompileFile(compiler.get(), ONNXC_DIGITS), OM_COMPILE_OK);
}

TEST_F(CompileTest, compilesOnSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> done = 0;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      std::string output = path("m" + std::to_string(i) + ".so");
      done += compileFromC(ONNXC_DIGITS, ONNXC_RUNTIME_DIR, output.c_str()) ==
              OM_COMPILE_OK;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(done, 3);
  EXPECT_EQ(countFiles(), 3u);
}
