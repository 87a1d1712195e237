//===- TensorTests.cpp - Tensors of the caller on a simulated device ------===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include "onnxc/rt/dlpack.h"

#include <cstring>
#include <gmock/gmock.h>
#include <utility>

using namespace onnxc::simulator;
using testing::HasSubstr;

namespace {

/// A function of the driver; ends the program if it fails.
template <typename... Parameters>
void driver(const char *name, Parameters... parameters) {
  int error = findInDriver<int(Parameters...)>(name)(parameters...);
  if (error != 0) {
    std::fprintf(stderr, "%s: error %d\n", name, error);
    std::abort();
  }
}

/// The caller's use of a device, with a stream.
struct Program {
  explicit Program(int device = 0) : device(device) {
    driver("cuInit", 0u);
    driver("cuDevicePrimaryCtxRetain", &context, device);
    driver("cuCtxPushCurrent_v2", context);
    driver("cuStreamCreate", &stream, 1u);
  }
  ~Program() {
    driver("cuStreamDestroy_v2", stream);
    void *popped;
    driver("cuCtxPopCurrent_v2", &popped);
    driver("cuDevicePrimaryCtxRelease_v2", device);
  }
  int device;
  void *context = nullptr, *stream = nullptr;
};

/// A tensor of a program: on the device, or on the host if `isOnHost`.
struct Tensor : DLManagedTensorVersioned {
  explicit Tensor(const Numbers &numbers, bool isOnHost = false, int shift = 0)
      : DLManagedTensorVersioned(), size(int64_t(numbers.size())),
        host(numbers) {
    version = {1, 0};
    dl_tensor = {host.data(), {kDLCPU, 0}, 1, {2, 32, 1}, &size, nullptr, 0};
    if (isOnHost)
      return;
    driver("cuMemAlloc_v2", &memory, bytes() + 256);
    dl_tensor.data = reinterpret_cast<void *>(memory);
    dl_tensor.byte_offset = uint64_t(shift);
    dl_tensor.device = {kDLCUDA, 0};
    write(nullptr);
  }
  ~Tensor() {
    if (memory)
      driver("cuMemFree_v2", memory);
  }
  Tensor(const Tensor &) = delete;

  size_t bytes() const { return host.size() * 4; }
  uint64_t address() const { return memory + dl_tensor.byte_offset; }
  void write(void *stream) {
    driver("cuMemcpyHtoDAsync_v2", address(),
           static_cast<const void *>(host.data()), bytes(), stream);
    if (!stream)
      driver("cuStreamSynchronize", stream);
  }
  int64_t size;
  Numbers host;
  uint64_t memory = 0;
};

Numbers read(const DLManagedTensorVersioned &managed) {
  const DLTensor &tensor = managed.dl_tensor;
  Numbers numbers(size_t(tensor.shape[0]));
  auto *from = static_cast<const char *>(tensor.data) + tensor.byte_offset;
  if (tensor.device.device_type == kDLCPU) {
    std::memcpy(numbers.data(), from, numbers.size() * 4);
    return numbers;
  }
  driver("cuMemcpyDtoHAsync_v2", static_cast<void *>(numbers.data()),
         uint64_t(from), numbers.size() * 4, static_cast<void *>(nullptr));
  driver("cuStreamSynchronize", static_cast<void *>(nullptr));
  return numbers;
}

Numbers twiceSumOf(const Numbers &x) {
  Numbers sum = x;
  for (size_t i = 0; i < x.size(); ++i)
    sum[i] = sum[i] + modelWeight(i) + modelWeight(i);
  return sum;
}

OM_STATUS runOn(Session &run, DLManagedTensorVersioned *x,
                DLManagedTensorVersioned *&y) {
  return omContextRunDLPack(run.context, &x, 1, &y, 1);
}
OM_STATUS runOn(Session &run, Tensor &x, Tensor &y) {
  DLManagedTensorVersioned *given = &y;
  OM_STATUS status = runOn(run, &x, given);
  EXPECT_EQ(given, &y);
  return status;
}

class TensorTest : public DeviceTest {
protected:
  /// A run whose output the runtime has allocated on the device, and a copy of
  /// the output to the host that `stream` has, but has not executed.
  struct CopiedRun {
    explicit CopiedRun(void *stream)
        : x(randomNumbers(kAddends)), in(x), there(kAddends), run("chain") {
      EXPECT_EQ(runOn(run, &in, out), OM_STATUS_OK) << run.message();
      if (!out)
        std::abort();
      driver("cuMemcpyDtoHAsync_v2", static_cast<void *>(there.data()),
             uint64_t(out->dl_tensor.data), in.bytes(), stream);
    }

    Numbers x;
    Tensor in;
    Numbers there;
    Session run;
    DLManagedTensorVersioned *out = nullptr;
  };
};

//===----------------------------------------------------------------------===//
// On the device
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, NothingIsCopied) {
  Program program;
  Numbers x = randomNumbers(kAddends);
  Tensor in(x), out(Numbers(kAddends, 0));
  Session run("chain");
  Counters before = counters();
  ASSERT_EQ(runOn(run, in, out), OM_STATUS_OK) << run.message();
  const Counters &now = counters();
  EXPECT_EQ(now.copiesIn - before.copiesIn, 1);   // the weights
  EXPECT_EQ(now.copiesOut - before.copiesOut, 1); // the words of errors
  EXPECT_EQ(now.copiesOn - before.copiesOn, 0);
  EXPECT_EQ(read(out), twiceSumOf(x));
  EXPECT_EQ(read(in), x);
}

TEST_F(TensorTest, NodesOfAGraphGetTheCallersTensors) {
  Program program;
  Session run("chain");
  for (unsigned i = 0; i < 4; ++i) {
    Numbers x = randomNumbers(kAddends, i);
    Tensor in(x), out(Numbers(kAddends, 0)), other(Numbers(kAddends, 0));
    Counters before = counters();
    ASSERT_EQ(runOn(run, in, out), OM_STATUS_OK) << run.message();
    ASSERT_EQ(runOn(run, in, other), OM_STATUS_OK) << run.message();
    EXPECT_EQ(counters().graphLaunches - before.graphLaunches, i ? 2 : 1);
    EXPECT_EQ(read(out), twiceSumOf(x));
    EXPECT_EQ(read(other), twiceSumOf(x));
  }
  EXPECT_GT(counters().nodeUpdates, 0);
}

TEST_F(TensorTest, OutputsAreMadeOnTheDevice) {
  Program program;
  Numbers x = randomNumbers(300);
  Tensor in(x);
  DLManagedTensorVersioned *out = nullptr;
  {
    Session run("chain");
    ASSERT_EQ(runOn(run, &in, out), OM_STATUS_OK) << run.message();
  }
  const DLTensor &tensor = out->dl_tensor;
  EXPECT_EQ(tensor.device.device_type, kDLCUDA);
  EXPECT_EQ(tensor.device.device_id, 0);
  EXPECT_EQ(tensor.ndim, 1);
  EXPECT_EQ(tensor.shape[0], 300);
  EXPECT_EQ(tensor.strides[0], 1);
  EXPECT_EQ(uint64_t(tensor.data) % 256, 0u);
  EXPECT_EQ(read(*out), twiceSumOf(x));
  out->deleter(out);
}

TEST_F(TensorTest, UnalignedTensorsAreCopiedOnTheDevice) {
  Program program;
  Numbers x = randomNumbers(kAddends);
  Tensor in(x, false, 4), out(Numbers(kAddends, 0), false, 8);
  Session run("chain");
  Counters before = counters();
  ASSERT_EQ(runOn(run, in, out), OM_STATUS_OK) << run.message();
  EXPECT_EQ(counters().copiesOn - before.copiesOn, 2);
  EXPECT_EQ(counters().copiesOut - before.copiesOut, 1);
  EXPECT_EQ(read(out), twiceSumOf(x));
}

// A host program that reads and writes the tensors has copies of them.
TEST_F(TensorTest, TensorsThatTheHostProgramUsesAreCopied) {
  Program program;
  Numbers x = randomNumbers(kAddends);
  Tensor in(x), out(Numbers(kAddends, 0));
  Session run("chain_by_host");
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(runOn(run, in, out), OM_STATUS_OK) << run.message();
    EXPECT_EQ(read(out), twiceSumOf(x));
  }
}

TEST_F(TensorTest, TensorsOfTheHost) {
  Program program;
  Numbers x = randomNumbers(kAddends);
  Tensor in(x, true), out(Numbers(kAddends, 0), true), there(x);
  Session run("chain");
  ASSERT_EQ(runOn(run, in, out), OM_STATUS_OK) << run.message();
  EXPECT_EQ(read(out), twiceSumOf(x));
  ASSERT_EQ(runOn(run, there, out), OM_STATUS_OK) << run.message();
  EXPECT_EQ(read(out), twiceSumOf(x));
}

TEST_F(TensorTest, EmptyTensors) {
  Program program;
  Tensor in{Numbers()};
  DLManagedTensorVersioned *out = nullptr;
  Session run("chain");
  ASSERT_EQ(runOn(run, &in, out), OM_STATUS_OK) << run.message();
  EXPECT_EQ(out->dl_tensor.shape[0], 0);
  out->deleter(out);
}

//===----------------------------------------------------------------------===//
// Streams and devices
//===----------------------------------------------------------------------===//

// What is in a stream of the simulator is done when somebody waits for it.
TEST_F(TensorTest, RunsTakePartInTheOrderOfAStream) {
  Program program;
  void *legacy = reinterpret_cast<void *>(1);
  for (void *stream : {program.stream, legacy}) {
    Tensor in(Numbers(kAddends, 0)), out(Numbers(kAddends, 0));
    in.host = randomNumbers(kAddends, 7);
    Session run("chain");
    ASSERT_EQ(omContextSetStream(run.context, stream), OM_STATUS_OK);
    for (int i = 0; i < 3; ++i) {
      in.host[0] = float(i);
      in.write(stream);
      ASSERT_EQ(runOn(run, in, out), OM_STATUS_OK) << run.message();
      EXPECT_EQ(read(out), twiceSumOf(in.host));
    }
    ASSERT_EQ(omContextSetStream(run.context, nullptr), OM_STATUS_OK);
    ASSERT_EQ(runOn(run, in, out), OM_STATUS_OK) << run.message();
  }
}

// cuMemFree waits for no stream.
TEST_F(TensorTest, OutputsAreFreedAfterAllThatUsesThem) {
  Program program;
  CopiedRun copied(program.stream);
  copied.out->deleter(copied.out);
  driver("cuStreamSynchronize", program.stream);
  EXPECT_EQ(copied.there, twiceSumOf(copied.x));
}

// The wait for what uses them is an error while a stream is captured, and ends
// the capture unless the default stream reports it.
TEST_F(TensorTest, OutputsThatAreGivenBackDuringACaptureAreFreedLater) {
  for (bool isNonBlocking : {false, true})
    for (bool runsAgain : {false, true}) {
      Program program, other;
      CopiedRun copied(other.stream);
      Session &run = copied.run;
      const Numbers &x = copied.x;
      int64_t before = counters().memory;
      settings().captured = program.stream;
      settings().isNonBlocking = isNonBlocking;
      settings().endsCapture = false;
      copied.out->deleter(copied.out);
      EXPECT_EQ(settings().endsCapture, isNonBlocking);
      EXPECT_EQ(counters().memory, before);
      // A run during the capture frees nothing, either.
      EXPECT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
      EXPECT_EQ(counters().memory, before);
      settings().captured = nullptr;
      driver("cuStreamSynchronize", other.stream);
      EXPECT_EQ(copied.there, twiceSumOf(x));
      if (runsAgain) {
        EXPECT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
        EXPECT_EQ(counters().memory, before - 1);
      }
    }
}

// The context that has made it may be gone: another of the model frees it.
TEST_F(TensorTest, OutputsOfADestroyedContextAreFreedLater) {
  Program program;
  Numbers x = randomNumbers(kAddends);
  Tensor in(x);
  DLManagedTensorVersioned *out = nullptr;
  {
    Session run("chain");
    ASSERT_EQ(runOn(run, &in, out), OM_STATUS_OK) << run.message();
  }
  settings().captured = program.stream;
  out->deleter(out);
  settings().captured = nullptr;
  EXPECT_EQ(counters().modules, 1);
  {
    Session run("chain");
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, twiceSumOf(x));
  }
  EXPECT_EQ(counters().modules, 0);
}

TEST_F(TensorTest, RunsTakePlaceWhileTheProgramCapturesAStream) {
  Program program;
  Numbers x = randomNumbers(kAddends);
  settings().captured = program.stream;
  {
    Session run("chain"), other("dynamic");
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
      EXPECT_EQ(run.result, twiceSumOf(x));
    }
    for (size_t count : {100, 5000})
      ASSERT_EQ(other(randomNumbers(count), count), OM_STATUS_OK)
          << other.message();
  }
  int mode = 2;
  driver("cuThreadExchangeStreamCaptureMode", &mode);
  EXPECT_EQ(mode, 0);
  driver("cuThreadExchangeStreamCaptureMode", &mode);
}

TEST_F(TensorTest, StreamsThatAreBeingCapturedAreRefused) {
  Program program;
  Numbers x = randomNumbers(kAddends);
  Session run("chain");
  void *legacy = reinterpret_cast<void *>(1);
  for (void *stream : {program.stream, legacy}) {
    settings().captured = program.stream;
    ASSERT_EQ(omContextSetStream(run.context, stream), OM_STATUS_OK);
    EXPECT_EQ(run(x, kAddends), OM_STATUS_INVALID);
    EXPECT_EQ(run.message(), "the stream is being captured for a CUDA graph: a "
                             "run waits for its stream, which no capture "
                             "allows");
    settings().captured = nullptr;
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, twiceSumOf(x));
  }
}

TEST_F(TensorTest, AStreamIsOfOneDevice) {
  settings().devices = 2;
  Numbers x = randomNumbers(kAddends);
  Session run("chain");
  {
    Program program;
    ASSERT_EQ(omContextSetStream(run.context, program.stream), OM_STATUS_OK);
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
    ASSERT_EQ(omContextSetDevice(run.context, 1), OM_STATUS_OK);
  }
  for (int device : {1, 0}) {
    ASSERT_EQ(omContextSetDevice(run.context, device), OM_STATUS_OK);
    ASSERT_EQ(run(x, kAddends), OM_STATUS_OK) << run.message();
    EXPECT_EQ(run.result, twiceSumOf(x));
  }
}

TEST_F(TensorTest, EachDeviceHasTheWeightsOnce) {
  settings().devices = 2;
  Numbers x = randomNumbers(kAddends);
  Counters before = counters();
  {
    Session a("chain"), b("chain"), c("chain");
    EXPECT_EQ(omContextGetDevice(a.context), 0);
    ASSERT_EQ(omContextSetDevice(b.context, 1), OM_STATUS_OK);
    ASSERT_EQ(omContextSetDevice(c.context, 1), OM_STATUS_OK);
    EXPECT_EQ(omContextGetDevice(b.context), 1);
    for (Session *run : {&a, &b, &c}) {
      ASSERT_EQ((*run)(x, kAddends), OM_STATUS_OK) << run->message();
      EXPECT_EQ(run->result, twiceSumOf(x));
    }
    EXPECT_EQ(counters().modules, 2);
    EXPECT_EQ(counters().copiesIn - before.copiesIn, 3 + 2);
    // To another device, and back.
    ASSERT_EQ(omContextSetDevice(a.context, 1), OM_STATUS_OK);
    EXPECT_EQ(counters().modules, 1);
    ASSERT_EQ(a(x, kAddends), OM_STATUS_OK) << a.message();
    EXPECT_EQ(counters().copiesIn - before.copiesIn, 4 + 2);
  }
  EXPECT_EQ(alive(), 0);
}

TEST_F(TensorTest, ADeviceThatIsNotThere) {
  Session run("add");
  EXPECT_EQ(omContextSetDevice(run.context, -1), OM_STATUS_INVALID);
  ASSERT_EQ(omContextSetDevice(run.context, 3), OM_STATUS_OK);
  EXPECT_EQ(run(randomNumbers(kAddends), kAddends), OM_STATUS_TARGET);
  EXPECT_EQ(run.message(), "there is no GPU 3: the process sees 1, which "
                           "CUDA_VISIBLE_DEVICES may restrict");
}

TEST_F(TensorTest, TensorsOnTheProcessor) {
  settings().devices = 0;
  Session run("either");
  EXPECT_EQ(omContextGetDevice(run.context), -1);
  EXPECT_EQ(omContextSetDevice(run.context, 0), OM_STATUS_UNSUPPORTED);
  EXPECT_EQ(omContextSetStream(run.context, nullptr), OM_STATUS_UNSUPPORTED);
  Numbers x = randomNumbers(kAddends);
  Tensor in(x, true);
  DLManagedTensorVersioned *out = nullptr;
  ASSERT_EQ(runOn(run, &in, out), OM_STATUS_OK) << run.message();
  EXPECT_EQ(out->dl_tensor.device.device_type, kDLCPU);
  EXPECT_EQ(read(*out), sumOf(x));
  out->deleter(out);
  in.dl_tensor.device.device_type = kDLCUDA;
  out = nullptr;
  EXPECT_EQ(runOn(run, &in, out), OM_STATUS_INVALID);
  EXPECT_EQ(run.message(), "input 'x': the tensor is on a GPU, and the model "
                           "runs on the processor");
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, TensorsThatNoRunTakes) {
  Program program;
  Session run("chain");
  using Change = void (*)(DLManagedTensorVersioned &);
  static int64_t strides[] = {2};
  const std::pair<Change, const char *> cases[] = {
      {[](auto &t) { t.version.major = 2; }, "not of version 1 of DLPack"},
      {[](auto &t) { t.dl_tensor.dtype.bits = 24; },
       "no model has the element"},
      {[](auto &t) { t.dl_tensor.dtype.lanes = 4; },
       "no model has the element"},
      {[](auto &t) { t.dl_tensor.ndim = 65; }, "a rank above 64"},
      {[](auto &t) { t.dl_tensor.shape = nullptr; }, "no shape"},
      {[](auto &t) { t.dl_tensor.strides = strides; }, "not contiguous"},
      {[](auto &t) { t.dl_tensor.data = nullptr; }, "the data is null"},
      {[](auto &t) { t.dl_tensor.device.device_id = 1; },
       "the tensor is on GPU 1, and the context runs on GPU 0 "
       "(omContextSetDevice)"},
      {[](auto &t) { t.dl_tensor.device.device_type = 10; },
       "a device of DLPack's kind 10"},
  };
  for (auto [change, message] : cases)
    for (bool isOutput : {false, true}) {
      Tensor in(randomNumbers(kAddends)), out(Numbers(kAddends, 0));
      change(isOutput ? out : in);
      EXPECT_EQ(runOn(run, in, out), OM_STATUS_INVALID) << message;
      EXPECT_THAT(run.message(),
                  HasSubstr(isOutput ? "output 'x': " : "input 'x': "));
      EXPECT_THAT(run.message(), HasSubstr(message));
    }
  Tensor in(randomNumbers(kAddends)), small(Numbers(7, 0)),
      large(Numbers(kAddends + 1, 0));
  EXPECT_EQ(runOn(run, in, small), OM_STATUS_INVALID);
  EXPECT_EQ(run.message(), "output 'x' needs 4000 bytes and the given buffer "
                           "has 28");
  EXPECT_EQ(runOn(run, in, large), OM_STATUS_INVALID);
  EXPECT_EQ(run.message(),
            "output 'x' has another shape than the given tensor");
  large.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  EXPECT_EQ(runOn(run, in, large), OM_STATUS_INVALID);
  DLManagedTensorVersioned *none = nullptr;
  EXPECT_EQ(runOn(run, nullptr, none), OM_STATUS_INVALID);
  EXPECT_EQ(run.message(), "input 'x': the tensor is null");
  EXPECT_EQ(omContextRunDLPack(run.context, nullptr, 0, &none, 1),
            OM_STATUS_INVALID);
  EXPECT_EQ(none, nullptr);
}

// What no run can know before a kernel reads it.
TEST_F(TensorTest, TensorsThatAreFreed) {
  Program program;
  Session run("chain");
  Tensor in(randomNumbers(kAddends)), out(Numbers(kAddends, 0));
  ASSERT_EQ(runOn(run, in, out), OM_STATUS_OK); // which takes memory itself
  driver("cuMemFree_v2", std::exchange(in.memory, 0));
  EXPECT_EQ(runOn(run, in, out), OM_STATUS_INTERNAL);
  EXPECT_THAT(run.message(), HasSubstr("node 'the sum': cuStreamSynchronize: "
                                       "CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_THAT(problem(),
              HasSubstr("an access to device memory that was released"));
  findInDriver<void()>("simulatorRecover")();
}

TEST_F(TensorTest, EveryCallFailsInTurn) {
  Program program;
  Numbers x = randomNumbers(300);
  Tensor in(x), unaligned(x, false, 4);
  bool hasFailed = true;
  int64_t call = 0;
  for (; hasFailed; ++call) {
    const char *entries[] = {"chain", "chain_by_host"};
    int failures = 0;
    settings().failWith = 2;
    settings().failAt = call;
    for (const char *entry : entries) {
      Session run(entry);
      for (Tensor *given : {&in, &unaligned}) {
        DLManagedTensorVersioned *out = nullptr;
        bool fails = runOn(run, given, out) != OM_STATUS_OK;
        failures += fails;
        if (fails) {
          EXPECT_EQ(out, nullptr) << call;
          EXPECT_THAT(run.message(), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
          continue;
        }
        int64_t left = settings().failAt;
        settings().failAt = -1;
        EXPECT_EQ(read(*out), twiceSumOf(x)) << call;
        out->deleter(out);
        settings().failAt = left;
      }
      // What ends is freed.
      settings().failAt = settings().failAt < 0 ? -1 : settings().failAt;
      int64_t left = settings().failAt;
      settings().failAt = -1;
      omContextDestroy(std::exchange(run.context, nullptr));
      settings().failAt = left;
    }
    hasFailed = settings().failAt < 0;
    settings().failAt = -1;
    EXPECT_EQ(failures, hasFailed) << call;
  }
  EXPECT_GT(call, 40);
}

} // namespace
