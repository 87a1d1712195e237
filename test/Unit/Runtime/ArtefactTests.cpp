//===- ArtefactTests.cpp - Artefacts as programs load them ----------------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/ExecutionSession.hpp"
#include "onnxc/rt/model.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using testing::HasSubstr;
namespace fs = std::filesystem;

static const std::string folder = ONNXC_FAKE_MODEL_DIR;
static const std::string fake = folder + "/fake.so";

namespace {

/// A folder that goes away with the test.
struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "onnxc-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~TemporaryFolder() { fs::remove_all(path); }
};

/// y[0] of the fake model for x = 1, 2, ... and b = 1.
float firstOutput(onnxc::ExecutionSession &session) {
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[2] = {1, 1};
  return session.run({onnxc::view(x, {2, 4}), onnxc::view(b, {2})})[0]
      .data<float>()[7];
}

/// The side file of fake-side.so, with a footer of this digest.
void writeWeights(const fs::path &path,
                  const char *digest = "the digest of four real weights") {
  float weights[4] = {1, 2, 3, 5};
  OnnxcWeightsFooter footer = {};
  memcpy(footer.magic, ONNXC_WEIGHTS_MAGIC, sizeof footer.magic);
  footer.bytes = sizeof weights;
  memcpy(footer.digest, digest, std::min(sizeof footer.digest, strlen(digest)));
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(weights), sizeof weights);
  file.write(reinterpret_cast<const char *>(&footer), sizeof footer);
}

/// The message of what `fn` throws.
template <typename Fn>
std::string thrownBy(Fn fn) {
  try {
    fn();
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST(ExecutionSession, RunsTheModel) {
  onnxc::ExecutionSession session(fake);
  EXPECT_EQ(firstOutput(session), 36);
  EXPECT_THAT(session.inputSignature(), HasSubstr("\"x\""));
  EXPECT_THAT(session.outputSignature(), HasSubstr("\"y\""));
}

TEST(ExecutionSession, RefusesAFileThatIsCutOff) {
  std::string path = testing::TempDir() + "cut-off.so";
  std::filesystem::copy_file(fake, path,
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(path, 4096);
  EXPECT_EQ(thrownBy([&] { onnxc::ExecutionSession session(path); }),
            path + " is truncated: copy it again, and rename it when it is "
                   "complete");
}

TEST(ExecutionSession, NamesOfInputsAndOutputs) {
  onnxc::ExecutionSession session(fake);
  EXPECT_EQ(session.inputNames(), (std::vector<std::string>{"x", "b"}));
  EXPECT_EQ(session.outputNames(), (std::vector<std::string>{"y", "s"}));
  float x[4] = {1, 2, 3, 4}, b[1] = {1};
  std::map<std::string, onnxc::TensorView> inputs{
      {"b", onnxc::view(b, {1})}, {"x", onnxc::view(x, {1, 4})}};
  onnxc::NamedOutputs outputs = session.runNamed(inputs);
  EXPECT_EQ(outputs["y"].as<float>()(0, 3), 20);
  EXPECT_EQ(outputs.at("s").as<float>()(), 40);
  EXPECT_EQ(thrownBy([&] { outputs["z"]; }),
            "the model has no output 'z', only 's', 'y'");
  EXPECT_EQ(outputs.size(), 2);
  inputs.emplace("z", onnxc::view(b, {1}));
  EXPECT_EQ(thrownBy([&] { session.runNamed(inputs); }),
            "the model has no input 'z', only 'x', 'b'");
  inputs.erase("z");
  inputs.erase("x");
  EXPECT_EQ(thrownBy([&] { session.runNamed(inputs); }),
            "the input 'x' is missing");
}

TEST(ExecutionSession, OutputsInTheCallersMemory) {
  onnxc::ExecutionSession session(fake);
  float x[4] = {1, 2, 3, 4}, b[1] = {1}, y[6], s;
  std::vector<onnxc::TensorView> inputs{onnxc::view(x, {1, 4}),
                                        onnxc::view(b, {1})};
  std::vector<onnxc::OutputView> outputs{onnxc::outputView(y, 6),
                                         onnxc::outputView(&s, 1)};
  for (int i = 0; i < 2; ++i) {
    y[3] = s = 0;
    session.runInto(inputs, outputs);
    EXPECT_EQ(y[3], 20);
    EXPECT_EQ(s, 40);
    EXPECT_EQ(outputs[0].shape, (std::vector<int64_t>{1, 4}));
    EXPECT_TRUE(outputs[1].shape.empty());
  }
  outputs[0].bytes = 15;
  EXPECT_THAT(thrownBy([&] { session.runInto(inputs, outputs); }),
              HasSubstr("needs 16 bytes and the given buffer has 15"));
  outputs.pop_back();
  EXPECT_EQ(thrownBy([&] { session.runInto(inputs, outputs); }),
            "the model gives 2 outputs and 1 were requested");
}

// Before anything is written.
TEST(ExecutionSession, MemoryThatDoesNotFitAnOutputIsRefused) {
  auto refusal = [](onnxc::ExecutionSession &session,
                    const std::vector<onnxc::TensorView> &inputs,
                    std::vector<onnxc::OutputView> outputs) -> std::string {
    try {
      session.runInto(inputs, outputs);
    } catch (const onnxc::RunError &error) {
      EXPECT_EQ(error.status, OM_STATUS_INVALID);
      return error.what();
    }
    return "";
  };
  onnxc::ExecutionSession session(fake);
  float x[4] = {1, 2, 3, 4}, b[1] = {1}, s = 7, y[4];
  int32_t wrong[4] = {5, 5, 5, 5};
  std::vector<onnxc::TensorView> inputs{onnxc::view(x, {1, 4}),
                                        onnxc::view(b, {1})};
  EXPECT_EQ(refusal(session, inputs,
                    {onnxc::outputView(wrong, 4), onnxc::outputView(&s, 1)}),
            "the output 'y' has elements of f32, not of i32");
  EXPECT_EQ(wrong[3], 5);
  EXPECT_EQ(s, 7);
  float *none = nullptr;
  EXPECT_EQ(refusal(session, inputs,
                    {onnxc::outputView(none, 4), onnxc::outputView(&s, 1)}),
            "the output 'y' has null as its memory");
  EXPECT_THAT(refusal(session, inputs,
                      {onnxc::outputView(y, 4), onnxc::outputView(none, 0)}),
              HasSubstr("needs 4 bytes and the given buffer has 0"));
  onnxc::ExecutionSession rows(fake, "sequence"), texts(fake, "same_string");
  EXPECT_EQ(refusal(rows, {onnxc::view(x, {2, 2})}, {onnxc::outputView(y, 4)}),
            "the output 'rows' is not a tensor: use runValues");
  EXPECT_THROW(rows.run({onnxc::view(x, {2, 2})}), onnxc::RunError);
  const char *words[2] = {"a", "b"}, *read[2];
  EXPECT_EQ(
      refusal(texts, {onnxc::view(words, {2})}, {onnxc::outputView(read, 2)}),
      "the output 'x' has strings: use run");
  // No memory for no elements.
  onnxc::ExecutionSession same(fake, "identity_FLOAT");
  std::vector<onnxc::OutputView> empty{onnxc::outputView(none, 0)};
  same.runInto({onnxc::view(x, {0, 3})}, empty);
  EXPECT_EQ(empty[0].shape, (std::vector<int64_t>{0, 3}));
}

TEST(Artefact, RefusesAbsurdRanks) {
  void *library = dlopen(fake.c_str(), RTLD_NOW | RTLD_LOCAL);
  onnxc::rt::Functions functions;
  ASSERT_EQ(functions.resolve(library), nullptr);
  OMContext *context = functions.omContextCreate("run_main_graph");
  float x = 0;
  int64_t shape[2] = {1, 1};
  for (int64_t rank : {int64_t(65), int64_t(1000000), INT64_MAX, INT64_MIN}) {
    // Only the rank says that there are as many.
    OMBuffer inputs[2] = {{&x, 4, shape, rank, ONNX_TYPE_FLOAT},
                          {&x, 4, shape, 1, ONNX_TYPE_FLOAT}};
    EXPECT_EQ(functions.omContextRun(context, inputs, 2, nullptr, 0),
              OM_STATUS_INVALID);
    EXPECT_EQ(functions.omContextGetMessage(context),
              "input 'x' (number 0): the rank is " + std::to_string(rank) +
                  ", and is 0 to 64");
  }
  functions.omContextDestroy(context);
  dlclose(library);
}

TEST(ExecutionSession, NewModelsTakeThePlaceOfOldOnes) {
  int64_t number = 3;
  onnxc::ExecutionSession session(fake, "slow");
  session.run({onnxc::view(&number, {})});
  session = onnxc::ExecutionSession(fake, "identity_INT64");
  EXPECT_EQ(*session.run({onnxc::view(&number, {})})[0].data<int64_t>(), 3);
}

TEST(ExecutionSession, RunsAreCancelled) {
  onnxc::ExecutionSession slow(fake, "slow");
  int64_t forever = INT64_MAX, little = 10;
  onnxc::Cancellation cancellation;
  onnxc::RunOptions options;
  options.cancellation = &cancellation;
  cancellation.cancel(); // no run is going on: the next one is not lost
  EXPECT_THROW(slow.run({onnxc::view(&little, {})}, options), onnxc::RunError);
  cancellation.reset();
  EXPECT_EQ(*slow.run({onnxc::view(&little, {})}, options)[0].data<int64_t>(),
            10);
  // One request is enough, at any time around the begin of the run.
  for (int delay = 0; delay < 200; ++delay) {
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(delay));
      cancellation.cancel();
    });
    try {
      slow.run({onnxc::view(&forever, {})}, options);
      ADD_FAILURE() << "the run has ended by itself";
    } catch (const onnxc::RunError &error) {
      EXPECT_EQ(error.status, OM_STATUS_CANCELLED);
    }
    canceller.join();
    cancellation.reset();
  }
}

TEST(ExecutionSession, RunsAreCancelledTogether) {
  onnxc::ExecutionSession slow(fake, "slow"), other(fake, "slow");
  int64_t forever = INT64_MAX, little = 10;
  onnxc::Cancellation cancellation;
  onnxc::RunOptions options;
  options.cancellation = &cancellation;
  options.deadline = std::chrono::seconds(20); // ends a run that was missed
  auto expectCancelled = [&](onnxc::ExecutionSession &session) {
    try {
      session.run({onnxc::view(&forever, {})}, options);
      ADD_FAILURE() << "the run has ended by itself";
    } catch (const onnxc::RunError &error) {
      EXPECT_EQ(error.status, OM_STATUS_CANCELLED);
    }
  };
  // One that has ended between the others is not asked again.
  std::thread first(expectCancelled, std::ref(slow));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  slow.run({onnxc::view(&little, {})}, options);
  std::thread second(expectCancelled, std::ref(slow));
  std::thread third(expectCancelled, std::ref(other));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  cancellation.cancel();
  for (std::thread *thread : {&first, &second, &third})
    thread->join();
  cancellation.reset();
  EXPECT_EQ(*slow.run({onnxc::view(&little, {})}, options)[0].data<int64_t>(),
            10);
}

TEST(ExecutionSession, MemoryIsGivenBack) {
  onnxc::ExecutionSession session(fake);
  float sum = firstOutput(session);
  EXPECT_GT(session.memory(), 0);
  session.trim();
  EXPECT_EQ(session.memory(), 0);
  EXPECT_EQ(firstOutput(session), sum);
}

TEST(ExecutionSession, ViewsOfElements) {
  onnxc::Tensor tensor = onnxc::tensor<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  onnxc::ArrayView<const int32_t> view = tensor.as<int32_t>();
  EXPECT_EQ(view.size(), 6u);
  EXPECT_EQ(view[5], 6);
  EXPECT_EQ(view(1, 0), 4);
  EXPECT_EQ(std::vector<int32_t>(view.begin(), view.end()).back(), 6);
  EXPECT_THROW(view(2, 0), std::out_of_range);
  EXPECT_THROW(view(0, -1), std::out_of_range);
  EXPECT_THROW(view(0), std::out_of_range);
  EXPECT_THROW(tensor.as<float>(), std::runtime_error);
}

TEST(ExecutionSession, TellsItsLog) {
  onnxc::ExecutionSession session(fake, "fails");
  std::vector<std::string> errors;
  int64_t x = 2;
  auto run = [&] { session.run({onnxc::view(&x, {})}); };
  session.setLog([&](OM_LOG_LEVEL level, const char *message) {
    if (level == OM_LOG_ERROR)
      errors.push_back(message);
  });
  EXPECT_EQ(thrownBy(run), "index 7 is out of range");
  EXPECT_EQ(errors, std::vector<std::string>{"index 7 is out of range"});
  session.setLog(nullptr);
  EXPECT_EQ(thrownBy(run), "index 7 is out of range");
  EXPECT_EQ(errors.size(), 1u);
}

TEST(ExecutionSession, DeadlineOfOneRun) {
  onnxc::ExecutionSession slow(fake, "slow");
  int64_t forever = INT64_MAX, little = 10;
  onnxc::RunOptions options{std::chrono::milliseconds(1)};
  EXPECT_THAT(thrownBy([&] { slow.run({onnxc::view(&forever, {})}, options); }),
              HasSubstr("deadline of 1 ms"));
  slow.run({onnxc::view(&little, {})});
  options.deadline = std::chrono::nanoseconds(-1);
  EXPECT_EQ(thrownBy([&] { slow.run({onnxc::view(&little, {})}, options); }),
            "expected a deadline of 0 or greater");
}

TEST(ExecutionSession, ShapesAndStrings) {
  onnxc::ExecutionSession session(fake, "identity_STRING");
  const char *strings[3] = {"one", "two", ""};
  std::vector<onnxc::Tensor> outputs =
      session.run({onnxc::view(strings, {3, 1})});
  EXPECT_EQ(outputs[0].shape, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(outputs[0].strings, (std::vector<std::string>{"one", "two", ""}));
}

TEST(ExecutionSession, ValuesOfEveryKind) {
  using onnxc::tensor;
  using onnxc::Value;
  Value rows = Value::sequence({tensor<float>({1, 2}), tensor<float>({3})});
  Value out = onnxc::ExecutionSession(fake, "same_rows").runValues({rows})[0];
  ASSERT_EQ(out.kind, OM_VALUE_SEQUENCE);
  ASSERT_EQ(out.elements.size(), 2u);
  EXPECT_EQ(out.elements[0].tensor.data<float>()[1], 2);
  EXPECT_EQ(out.elements[1].tensor.shape, (std::vector<int64_t>{1}));

  onnxc::ExecutionSession some(fake, "same_some");
  EXPECT_TRUE(some.runValues({Value::empty()})[0].elements.empty());
  out = some.runValues({Value::optional(rows)})[0];
  ASSERT_EQ(out.kind, OM_VALUE_OPTIONAL);
  EXPECT_EQ(out.elements[0].elements.size(), 2u);

  Value words = Value::map(tensor({"a", "bc"}),
                           {tensor<float>({1}, {}), tensor<float>({2}, {})});
  out = onnxc::ExecutionSession(fake, "same_words").runValues({words})[0];
  ASSERT_EQ(out.kind, OM_VALUE_MAP);
  EXPECT_EQ(out.tensor.strings, (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(out.elements[1].tensor.data<float>()[0], 2);

  // Tensors go in and out as values, too.
  std::vector<Value> y = onnxc::ExecutionSession(fake).runValues(
      {tensor<float>({1, 2, 3, 4}, {1, 4}), tensor<float>({1})});
  ASSERT_EQ(y.size(), 2u);
  EXPECT_EQ(y[0].tensor.data<float>()[3], 20);
}

TEST(ExecutionSession, WrongValuesAreExceptions) {
  using onnxc::tensor;
  using onnxc::Value;
  onnxc::ExecutionSession rows(fake, "same_rows");
  EXPECT_THAT(thrownBy([&] { rows.runValues({Value::empty()}); }),
              HasSubstr("expected a sequence"));
  EXPECT_THAT(thrownBy([&] {
                rows.runValues({Value::sequence({tensor<double>({1})})});
              }),
              HasSubstr("expected elements of type f32"));
  EXPECT_THAT(thrownBy([&] {
                rows.runValues({Value::sequence({tensor<float>({1}, {2})})});
              }),
              HasSubstr("fewer elements than its shape"));
  float x[4] = {};
  onnxc::ExecutionSession split(fake, "sequence");
  EXPECT_THAT(thrownBy([&] { split.run({onnxc::view(x, {2, 2})}); }),
              HasSubstr("use runValues"));
}

TEST(ExecutionSession, FailuresAreExceptions) {
  onnxc::ExecutionSession session(fake);
  float x[4] = {};
  EXPECT_EQ(thrownBy([&] { session.run({}); }),
            "the model takes 2 inputs and was given 0");
  EXPECT_THAT(thrownBy([&] {
                session.run({onnxc::view(x, {1, 4}), onnxc::view(x, {4})});
              }),
              HasSubstr("'batch' is 1 elsewhere"));
  EXPECT_THAT(thrownBy([] { onnxc::ExecutionSession("absent.so"); }),
              HasSubstr("absent.so"));
  EXPECT_THAT(thrownBy([] { onnxc::ExecutionSession(fake, "absent"); }),
              HasSubstr("no entry point"));
  EXPECT_THAT(
      thrownBy([] {
        onnxc::ExecutionSession(folder + "/../../lib/onnxc/libm.so.6");
      }),
      HasSubstr("libm.so.6 is not a compiled model: it does not define"));
  TemporaryFolder temporary;
  std::string model = temporary.path / "model.onnx";
  std::ofstream(model) << "text";
  EXPECT_EQ(thrownBy([&] { onnxc::ExecutionSession{model}; }),
            model +
                " is not a compiled model; if it is a model in the ONNX "
                "format, compile it first: onnx-compile " +
                model);
  onnxc::ExecutionSession identity(fake, "identity_FLOAT");
  EXPECT_THAT(
      thrownBy([&] { identity.run({onnxc::view(x, {4})})[0].data<double>(); }),
      HasSubstr("the elements are f32, not f64"));
}

TEST(ExecutionSession, RunsFailWithTheirStatus) {
  auto statusOf = [](onnxc::ExecutionSession &session, onnxc::TensorView x) {
    try {
      session.run({x});
    } catch (const onnxc::RunError &error) {
      return error.status;
    }
    return OM_STATUS_OK;
  };
  onnxc::ExecutionSession slow(fake, "slow");
  int64_t forever = INT64_MAX, little = 10;
  float real = 1;
  EXPECT_EQ(statusOf(slow, onnxc::view(&real, {})), OM_STATUS_INVALID);
  int64_t excessive = int64_t(1) << 62;
  EXPECT_EQ(statusOf(slow, onnxc::view(&little, {excessive})),
            OM_STATUS_INVALID);
  slow.setDeadline(std::chrono::milliseconds(1));
  EXPECT_EQ(statusOf(slow, onnxc::view(&forever, {})), OM_STATUS_DEADLINE);
  slow.setDeadline(std::chrono::nanoseconds(0));
  EXPECT_EQ(statusOf(slow, onnxc::view(&little, {})), OM_STATUS_OK);
  EXPECT_THAT(thrownBy([&] { slow.setDeadline(std::chrono::nanoseconds(-1)); }),
              HasSubstr("0 or greater"));
  slow.setThreads(1);
  EXPECT_EQ(statusOf(slow, onnxc::view(&little, {})), OM_STATUS_OK);
  slow.setThreads(0);
  EXPECT_THAT(thrownBy([&] { slow.setThreads(-1); }), HasSubstr("a count"));
  EXPECT_THAT(thrownBy([&] { slow.runValues({onnxc::Value::sequence({})}); }),
              HasSubstr("takes i64[] and was given no tensor"));
}

// A model that is compiled again while an older session lives.
TEST(ExecutionSession, LoadsTheFileThatIsThere) {
  TemporaryFolder temporary;
  fs::path model = temporary.path / "model.so";
  writeWeights(temporary.path / "fake-side.weights");
  fs::copy_file(fake, model);
  onnxc::ExecutionSession first(model);
  fs::remove(model);
  fs::copy_file(folder + "/fake-side.so", model);
  onnxc::ExecutionSession second(model);
  EXPECT_EQ(firstOutput(first), 36);
  EXPECT_EQ(firstOutput(second), 45);
}

TEST(ExecutionSession, ThreadsMayShareIt) {
  onnxc::ExecutionSession session(fake);
  std::atomic<int> wrong = 0;
  auto work = [&](bool fails) {
    float x[4] = {};
    for (int i = 0; i < 200; ++i)
      if (fails)
        wrong += thrownBy([&] { session.run({onnxc::view(x, {4})}); }) !=
                 "the model takes 2 inputs and was given 1";
      else
        wrong += firstOutput(session) != 36;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back(work, i % 4 == 0);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Artefact, TaggedNameRunsTheModel) {
  void *handle = dlopen(fake.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  auto runTagged = reinterpret_cast<decltype(&run_main_graph)>(
      dlsym(handle, "run_main_graph_tag"));
  auto getLastError = reinterpret_cast<decltype(&omGetLastError)>(
      dlsym(handle, "omGetLastError"));
  ASSERT_NE(runTagged, nullptr);
  EXPECT_EQ(runTagged(nullptr), nullptr);
  EXPECT_STREQ(getLastError(), "the list of inputs is null");
  dlclose(handle);
}

TEST(Artefact, ExportsEveryName) {
  void *handle = dlopen(fake.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
#define ONNXC_EXPORT(NAME) EXPECT_NE(dlsym(handle, #NAME), nullptr) << #NAME;
#include "onnxc/rt/Exports.def"
  EXPECT_EQ(dlsym(handle, "onnxc_model"), nullptr);
  EXPECT_EQ(dlsym(handle, "onnxc_rt_alloc"), nullptr);
  dlclose(handle);
}

// The workers of an artefact end before its code is unmapped.
TEST(Artefact, LoadsAndUnloadsManyTimes) {
  for (int i = 0; i < 30; ++i) {
    onnxc::ExecutionSession session(fake, "team");
    int64_t limit = 8;
    EXPECT_GE(session.run({onnxc::view(&limit, {})})[0].size(), 1u);
  }
}

// Copies are models of their own, even with global symbols.
TEST(Artefact, ManyInOneProcess) {
  TemporaryFolder temporary;
  std::vector<void *> handles;
  std::vector<decltype(&omSetThreads)> setThreads;
  std::vector<decltype(&omGetThreads)> getThreads;
  for (int i = 0; i < 3; ++i) {
    fs::path copy = temporary.path / ("copy" + std::to_string(i) + ".so");
    fs::copy_file(fake, copy);
    handles.push_back(dlopen(copy.c_str(), RTLD_NOW | RTLD_GLOBAL));
    ASSERT_NE(handles.back(), nullptr) << dlerror();
    setThreads.push_back(reinterpret_cast<decltype(&omSetThreads)>(
        dlsym(handles.back(), "omSetThreads")));
    getThreads.push_back(reinterpret_cast<decltype(&omGetThreads)>(
        dlsym(handles.back(), "omGetThreads")));
  }
  int64_t all = getThreads[0]();
  setThreads[0](1);
  EXPECT_EQ(getThreads[0](), 1);
  EXPECT_EQ(getThreads[1](), all);
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&, i] {
      std::string path = temporary.path / ("copy" + std::to_string(i) + ".so");
      onnxc::ExecutionSession session(path);
      for (int k = 0; k < 200; ++k)
        EXPECT_EQ(firstOutput(session), 36);
    });
  for (std::thread &caller : callers)
    caller.join();
  for (void *handle : handles)
    dlclose(handle);
}

TEST(Artefact, WeightsInASideFile) {
  TemporaryFolder temporary;
  fs::path model = temporary.path / "model.so";
  fs::path weights = temporary.path / "fake-side.weights";
  fs::copy_file(folder + "/fake-side.so", model);
  onnxc::ExecutionSession session(model);
  EXPECT_EQ(thrownBy([&] { firstOutput(session); }),
            "the weights file 'fake-side.weights' is not beside the model");
  writeWeights(weights);
  EXPECT_EQ(firstOutput(session), 45);
  EXPECT_EQ(firstOutput(session), 45);
  // Another file in its place changes nothing for who has mapped the first.
  fs::remove(weights);
  std::ofstream(weights) << "short";
  EXPECT_EQ(firstOutput(session), 45);
  fs::path copy = temporary.path / "copy.so";
  fs::copy_file(model, copy);
  EXPECT_THAT(thrownBy([&] {
                onnxc::ExecutionSession other(copy);
                firstOutput(other);
              }),
              HasSubstr("has another size"));
}

TEST(Artefact, WeightsAreThoseOfTheModel) {
  TemporaryFolder temporary;
  fs::path model = temporary.path / "model.so";
  fs::path weights = temporary.path / "fake-side.weights";
  fs::copy_file(folder + "/fake-side.so", model);
  onnxc::ExecutionSession session(model);
  writeWeights(weights, "the digest of some other weights");
  EXPECT_EQ(thrownBy([&] { firstOutput(session); }),
            "the weights file 'fake-side.weights' has the weights of another "
            "model: compile the model again");
  std::ofstream(weights) << std::string(16 + sizeof(OnnxcWeightsFooter), 'x');
  EXPECT_THAT(thrownBy([&] { firstOutput(session); }),
              HasSubstr("does not end like one"));
  fs::remove(weights);
  ASSERT_EQ(mkfifo(weights.c_str(), 0600), 0);
  EXPECT_THAT(thrownBy([&] { firstOutput(session); }),
              HasSubstr("has another size"));
}

// A page that the file does not have any more would end the process, and other
// weights of the same size would give other results.
TEST(Artefact, WeightsThatChangeWhileMapped) {
  TemporaryFolder temporary;
  fs::path model = temporary.path / "model.so";
  fs::path weights = temporary.path / "fake-side.weights";
  fs::copy_file(folder + "/fake-side.so", model);
  writeWeights(weights);
  onnxc::ExecutionSession session(model);
  EXPECT_EQ(firstOutput(session), 45);
  fs::resize_file(weights, 0);
  EXPECT_THAT(thrownBy([&] { firstOutput(session); }),
              HasSubstr("has another size: it was cut off"));
  writeWeights(weights);
  EXPECT_EQ(firstOutput(session), 45);
  writeWeights(weights, "the digest of some other weights");
  // The clock of a file system may be coarser than this test.
  fs::last_write_time(weights,
                      fs::last_write_time(weights) + std::chrono::seconds(1));
  EXPECT_THAT(thrownBy([&] { firstOutput(session); }),
              HasSubstr("has the weights of another model"));
  writeWeights(weights);
  EXPECT_EQ(firstOutput(session), 45);
}

TEST(Artefact, MayBeLeftOpenAtTheEndOfTheProcess) {
  EXPECT_EXIT(
      {
        onnxc::ExecutionSession *session =
            new onnxc::ExecutionSession(fake, "team");
        int64_t limit = 8;
        session->run({onnxc::view(&limit, {})});
        exit(7);
      },
      testing::ExitedWithCode(7), "");
}
