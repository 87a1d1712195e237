//===- HostPrograms.cpp - Host programs of the model by hand ----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "HostPrograms.h"

#include "DeviceModel.h"
#include "ModelKernels.h"

#include <cstring>
#include <iterator>
#include <vector>

namespace {

/// Input and output of a run, on the host and on the device.
struct Vectors {
  Vectors(OnnxcCall *call, const OnnxcValue *inputs, int64_t more = 0)
      : call(call), count(inputs[0].dims[0]), bytes(count * 4),
        from(inputs[0].data) {
    to = onnxc_rt_output(call, 0, 1, inputs[0].dims);
    x = onnxc_rt_device_alloc(call, 2 * aligned() + more);
    y = x + uint64_t(aligned());
    onnxc_rt_device_copy_in(call, x, from, bytes);
  }
  int64_t aligned() const { return (bytes + 255) / 256 * 256; }

  /// The buffers of the arguments have the bytes of the input.
  int32_t launch(Kernel kernel, int64_t blocks,
                 std::vector<uint64_t> arguments) {
    const OnnxcDeviceKernel &its = modelKernels[kernel];
    arguments.resize(size_t(its.numArguments));
    auto all = uint64_t(bytes);
    for (int64_t i = 0; i < its.numInputs + its.numOutputs; ++i)
      arguments.insert(arguments.end(), {all, all, 0, all});
    return onnxc_rt_device_launch(call, kernel, /*number=*/-1, blocks,
                                  arguments.data());
  }
  int32_t finish() { return onnxc_rt_device_copy_out(call, to, y, bytes); }

  OnnxcCall *call;
  int64_t count, bytes;
  const void *from;
  void *to;
  OnnxcDevicePointer x, y;
};

int32_t add(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  its.launch(Add, 4,
             {its.x, onnxc_rt_device_constants(call) + 256, its.y,
              uint64_t(its.count) | 0xabcdull << 32});
  return its.finish();
}

/// Adds the constant twice, where the caller's tensors lie.
int32_t chain(OnnxcCall *call, const OnnxcValue *inputs) {
  int64_t count = inputs[0].dims[0], bytes = count * 4;
  int64_t aligned = (bytes + 255) / 256 * 256;
  void *to = onnxc_rt_output(call, 0, 1, inputs[0].dims);
  OnnxcDevicePointer arena = onnxc_rt_device_alloc(call, 3 * aligned);
  OnnxcDevicePointer x = onnxc_rt_device_tensor(call, inputs[0].data, arena),
                     y = onnxc_rt_device_tensor(call, to,
                                                arena + uint64_t(aligned)),
                     sum = arena + 2 * uint64_t(aligned),
                     addend = onnxc_rt_device_constants(call) + 256;
  auto size = uint64_t(bytes);
  const uint64_t first[] = {x,    addend, sum, uint64_t(count), //
                            size, size,   0,   size,            //
                            0,    0,      0,   0,               //
                            size, size,   0,   size},
                 second[] = {sum,  addend, y, uint64_t(count), //
                             size, size,   0, size,            //
                             0,    0,      0, 0,               //
                             size, size,   0, size};
  onnxc_rt_device_copy_in(call, x, inputs[0].data, bytes);
  int64_t blocks = (count + 63) / 64;
  onnxc_rt_device_launch(call, Add, /*number=*/3, blocks, first);
  onnxc_rt_device_launch(call, Add, /*number=*/5, blocks, second);
  return onnxc_rt_device_copy_out(call, to, y, bytes);
}

/// Launches that write what others read and write. Each waits for those of the
/// comment.
int32_t branches(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs, /*more=*/2 * 4096);
  OnnxcDevicePointer w = onnxc_rt_device_constants(call) + 256,
                     a = its.y + uint64_t(its.aligned()), b = a + 4096;
  auto add = [&](OnnxcDevicePointer x, OnnxcDevicePointer y,
                 OnnxcDevicePointer sum) {
    its.launch(Add, 4, {x, y, sum, uint64_t(its.count)});
  };
  add(its.x, w, a);     // 0
  add(its.x, w, b);     // 1
  add(a, b, its.y);     // 2: 0 and 1 have written a and b
  add(its.x, its.x, a); // 3: 2 has read a
  add(its.y, a, its.y); // 4: 3 has written a
  add(its.x, w, b);     // 5: 2 has read b
  add(its.x, its.x, b); // 6: 5 has written b
  add(its.y, b, its.y); // 7: 4 has written y, and 6 has written b
  return its.finish();
}

/// Launches that say that they write parts of rows. Each waits for those of the
/// comment.
int32_t parts(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs, /*more=*/2 * 4096);
  OnnxcDevicePointer w = onnxc_rt_device_constants(call) + 256,
                     a = its.y + uint64_t(its.aligned());
  auto bytes = uint64_t(its.bytes), all = bytes / 16 * 16;
  auto add = [&](OnnxcDevicePointer sum, uint64_t pitch, uint64_t begin,
                 uint64_t end) {
    const uint64_t arguments[] = {its.x, w,     sum,   uint64_t(its.count), //
                                  bytes, bytes, 0,     bytes,               //
                                  0,     0,     0,     0,                   //
                                  all,   pitch, begin, end};
    onnxc_rt_device_launch(call, Add, /*number=*/-1, 4, arguments);
  };
  add(a, 8, 0, 4);         // 0
  add(a, 8, 4, 8);         // 1
  add(a, 8, 0, 4);         // 2: 0
  add(a + 4, 8, 0, 4);     // 3: 1, as it begins in the middle of a row
  add(a, 16, 0, 8);        // 4: 2 and 3, which have other rows
  add(a + 4, 16, 3, 5);    // 5: 4
  add(a + 4, 16, 8, 12);   // 6: 2 and 3, but neither 4 nor 5
  add(its.y, all, 0, all); // 7
  return its.finish();
}

/// Two launches that write different buffers, but the same one where the input
/// begins with a negative number.
int32_t moving(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs, /*more=*/4096);
  OnnxcDevicePointer w = onnxc_rt_device_constants(call) + 256,
                     other = its.y + uint64_t(its.aligned());
  bool isSame = *static_cast<const float *>(its.from) < 0;
  auto count = uint64_t(its.count);
  its.launch(Add, 4, {its.x, w, isSame ? its.y : other, count});
  its.launch(Add, 4, {its.x, its.x, its.y, count});
  return its.finish();
}

/// A copy that waits for a launch, and that another one waits for.
int32_t copying(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs, /*more=*/2 * 4096);
  OnnxcDevicePointer w = onnxc_rt_device_constants(call) + 256,
                     a = its.y + uint64_t(its.aligned()), b = a + 4096;
  its.launch(Add, 4, {its.x, w, a, uint64_t(its.count)});
  onnxc_rt_device_copy(call, b, a, its.bytes);
  its.launch(Add, 4, {its.x, its.x, a, uint64_t(its.count)});
  its.launch(Add, 4, {b, w, its.y, uint64_t(its.count)});
  return its.finish();
}

int32_t addOnHost(OnnxcCall *call, const OnnxcValue *inputs) {
  auto *x = static_cast<const float *>(inputs[0].data);
  auto *weights = static_cast<const float *>(onnxc_rt_weights(call)) + 16;
  auto *y = static_cast<float *>(onnxc_rt_output(call, 0, 1, inputs[0].dims));
  for (int64_t i = 0; i < inputs[0].dims[0]; ++i)
    y[i] = x[i] + weights[i];
  return onnxc_rt_status(call);
}

/// Copies the tensor that begins after as many elements as there are more than
/// 128; twice, so that a later run is a graph.
template <Kernel kernel>
int32_t boxes(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  for (int i = 0; i < 2; ++i)
    its.launch(kernel, 1, {its.x + uint64_t(its.bytes) - 128 * 4, its.y});
  return its.finish();
}

/// The same of a tensor of so many lines.
template <uint64_t lines>
int32_t sizedBoxes(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  its.launch(SizedBoxes, 1, {its.x, its.y, lines});
  return its.finish();
}

/// The same by the blocks of clusters.
template <Kernel kernel, int64_t blocks = 2>
int32_t clusters(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  its.launch(kernel, blocks, {its.x + uint64_t(its.bytes) - 128 * 4, its.y});
  return its.finish();
}

int32_t softmax(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  its.launch(Softmax, 3, {its.x, its.y, kRows, kColumns});
  return its.finish();
}

template <Kernel kernel>
int32_t transpose(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  its.launch(kernel, 3, {its.x, its.y, kSide});
  return its.finish();
}

/// Twice, so that a later run is a graph.
template <Kernel kernel>
int32_t reverse(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  for (int i = 0; i < 2; ++i)
    its.launch(kernel, 1, {its.y, kSharedBytes});
  return its.finish();
}

/// Copies on the device, in an arena of the input's size.
int32_t dynamic(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  onnxc_rt_device_copy(call, its.y, its.x, its.bytes);
  return its.finish();
}

/// Copies through two blocks at a time, several times.
int32_t blocks(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  for (int i = 0; i < 5; ++i) {
    OnnxcDevicePointer small = onnxc_rt_device_alloc(call, its.bytes);
    OnnxcDevicePointer large = onnxc_rt_device_alloc(call, 3 * its.bytes);
    onnxc_rt_device_copy(call, small, its.x, its.bytes);
    onnxc_rt_device_copy(call, large, small, its.bytes);
    onnxc_rt_device_copy(call, its.y, large, its.bytes);
    onnxc_rt_device_release(call, small);
    onnxc_rt_device_release(call, large);
  }
  return its.finish();
}

/// Copies through a block that makes way for a larger one.
int32_t outgrown(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  OnnxcDevicePointer small = onnxc_rt_device_alloc(call, its.bytes);
  onnxc_rt_device_copy(call, small, its.x, its.bytes);
  onnxc_rt_device_copy(call, its.y, small, its.bytes);
  onnxc_rt_device_release(call, small);
  OnnxcDevicePointer large = onnxc_rt_device_alloc(call, 2 * its.bytes);
  onnxc_rt_device_release(call, large);
  return its.finish();
}

template <Kernel kernel>
int32_t faulty(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  its.launch(kernel, 1, {its.y, 0});
  return its.finish();
}

/// The arena ends where the output does.
int32_t beyond(OnnxcCall *call, const OnnxcValue *inputs) {
  OnnxcDevicePointer y = onnxc_rt_device_alloc(call, 256);
  void *to = onnxc_rt_output(call, 0, 1, inputs[0].dims);
  const uint64_t arguments[] = {y, kThreads, 256, 256, 0, 256};
  onnxc_rt_device_launch(call, Beyond, /*number=*/-1, 1, arguments);
  return onnxc_rt_device_copy_out(call, to, y, 256);
}

int32_t peek(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  std::memcpy(its.to, reinterpret_cast<const void *>(its.x), 4);
  return its.finish();
}

/// The input begins with the index that an error of each row is reported for;
/// -1: none is.
int32_t report(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  const auto *found = static_cast<const float *>(its.from);
  for (int32_t row = int32_t(kNumErrors) - 1; row >= 0; --row)
    if (found[row] >= 0)
      its.launch(Report, 2,
                 {onnxc_rt_device_errors(call, row), uint64_t(found[row])});
  return onnxc_rt_device_copy_out(call, its.to, its.x, its.bytes);
}

int32_t huge(OnnxcCall *call, const OnnxcValue *inputs) {
  onnxc_rt_output(call, 0, 1, inputs[0].dims);
  onnxc_rt_device_alloc(call, ONNXC_MAX_TENSOR_BYTES);
  return onnxc_rt_status(call);
}

/// Adds the constant, and waits for it, several times.
int32_t steps(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  auto bytes = uint64_t(its.bytes);
  const uint64_t arguments[] = {
      its.x, onnxc_rt_device_constants(call) + 256, its.y, uint64_t(its.count),
      // The input, the constant and the output.
      bytes, bytes, 0, bytes, 0, 0, 0, 0, bytes, bytes, 0, bytes};
  for (int i = 0; i < kSteps; ++i) {
    onnxc_rt_device_launch(call, Add, /*number=*/i, i + 1, arguments);
    onnxc_rt_device_synchronize(call);
  }
  return its.finish();
}

/// Launches until the deadline, or for 10 s.
int32_t slow(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  for (int i = 0; i < 500 && onnxc_rt_status(call) == ONNXC_OK; ++i) {
    its.launch(Transpose, 1, {its.x, its.y, 0});
    onnxc_rt_device_synchronize(call);
  }
  return onnxc_rt_device_copy_out(call, its.to, its.x, its.bytes);
}

/// Adds the constant many times, and never waits for it.
int32_t longRun(OnnxcCall *call, const OnnxcValue *inputs) {
  Vectors its(call, inputs);
  for (int i = 0; i < kLongSteps; ++i)
    its.launch(Add, 4,
               {its.x, onnxc_rt_device_constants(call) + 256, its.y,
                uint64_t(its.count)});
  return its.finish();
}

const int64_t anySize[] = {-1};
const OnnxcArg vector = {
    "x", ONNXC_KIND_TENSOR, ONNX_TYPE_FLOAT, 1, anySize, nullptr, 0, nullptr};

constexpr OnnxcEntry entry(const char *name, OnnxcEntryFn run,
                           const uint8_t *staysOnDevice = nullptr) {
  return {name, run, 1, &vector, 1,       &vector,      "[]",
          "[]", 0,   0, 0,       nullptr, staysOnDevice};
}
const uint8_t bothStay[] = {1, 1};

} // namespace

constinit const OnnxcEntry modelEntries[] = {
    entry("add", add),
    entry("chain", chain, bothStay),
    entry("chain_by_host", chain),
    entry("branches", branches),
    entry("moving", moving),
    entry("parts", parts),
    entry("copying", copying),
    entry("softmax", softmax),
    entry("transpose", transpose<Transpose>),
    entry("transpose_directly", transpose<TransposeDirectly>),
    entry("dynamic", dynamic),
    entry("blocks", blocks),
    entry("outgrown", outgrown),
    entry("reverse", reverse<Reverse>),
    entry("reverse_beyond", reverse<ReverseBeyond>),
    entry("race", faulty<Race>),
    entry("missing_barrier", faulty<MissingBarrier>),
    entry("beyond", beyond),
    entry("misaligned", faulty<Misaligned>),
    entry("uninitialised", faulty<Uninitialised>),
    entry("warpgroup", faulty<Warpgroup>),
    entry("warpgroup_rows", faulty<WarpgroupRows>),
    entry("in_flight", faulty<InFlight>),
    entry("written_in_flight", faulty<WrittenInFlight>),
    entry("missing_proxy_fence", faulty<MissingProxyFence>),
    entry("missing_fence", faulty<MissingFence>),
    entry("boxes", boxes<Boxes>),
    entry("sized_boxes", sizedBoxes<12>),
    entry("far_boxes", sizedBoxes<uint64_t(1) << 31>),
    entry("early_box", boxes<EarlyBox>),
    entry("short_box", boxes<ShortBox>),
    entry("unfenced_box", boxes<UnfencedBox>),
    entry("produced_boxes", boxes<ProducedBoxes>),
    entry("early_arrival", boxes<EarlyArrival>),
    entry("missing_arrival", boxes<MissingArrival>),
    entry("cluster_boxes", clusters<ClusterBoxes>),
    entry("part_of_a_cluster", clusters<ClusterBoxes, 3>),
    entry("leaving_block", clusters<LeavingBlock>),
    entry("unfenced_cluster", clusters<UnfencedCluster>),
    entry("early_cluster", clusters<EarlyCluster>),
    entry("ended_block", clusters<EndedBlock>),
    entry("missing_block", clusters<MissingBlock>),
    entry("cluster_sums", clusters<ClusterSums>),
    entry("kept_sums", clusters<KeptSums>),
    entry("early_sums", clusters<EarlySums>),
    entry("leaving_sums", clusters<LeavingSums>),
    entry("unknown_element", boxes<UnknownElement>),
    entry("unknown_line", boxes<UnknownLine>),
    entry("unknown_rank", boxes<UnknownRank>),
    entry("unknown_address", boxes<UnknownAddress>),
    entry("unknown_size", boxes<UnknownSize>),
    entry("peek", peek),
    entry("report", report),
    entry("huge", huge),
    entry("steps", steps),
    entry("slow", slow),
    entry("long", longRun),
};
static_assert(std::size(modelEntries) == kNumEntries);

constinit const OnnxcEntry eitherEntries[1] = {entry("either", add)};
constinit const OnnxcEntry bestEntries[1] = {entry("best", add)};
constinit const OnnxcEntry bestOlderEntries[1] = {entry("best", chain)};
constinit const OnnxcEntry eitherHostEntries[1] = {entry("either", addOnHost)};
