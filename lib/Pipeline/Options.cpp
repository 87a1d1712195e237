//===- Options.cpp - Options from keys and values --------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Pipeline/Options.h"

#include "onnxc/Pipeline/Phases.h"
#include "onnxc/Support/ByteCount.h"
#include "onnxc/Support/SimilarName.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace onnxc;

using Setter = Error (*)(CompileOptions &, StringRef);

static Error refuse(const Twine &message) { return createStringError(message); }

template <std::string CompileOptions::*Field>
static Error setText(CompileOptions &options, StringRef value) {
  options.*Field = value.str();
  return Error::success();
}

template <bool CompileOptions::*Field>
static Error setFlag(CompileOptions &options, StringRef value) {
  if (value != "true" && value != "false" && !value.empty())
    return refuse("expected true or false, but got '" + value + "'");
  options.*Field = value != "false";
  return Error::success();
}

static Error setLevel(CompileOptions &options, StringRef value) {
  if (value.getAsInteger(10, options.level) || options.level > 3)
    return refuse("expected a level from 0 to 3, but got '" + value + "'");
  return Error::success();
}

static Error setThreads(CompileOptions &options, StringRef value) {
  if (value.getAsInteger(10, options.threads))
    return refuse("expected a number of threads, but got '" + value + "'");
  return Error::success();
}

static Error setEmit(CompileOptions &options, StringRef value) {
  SmallVector<StringRef> names;
  for (const Phase &phase : phases())
    names.push_back(phase.name);
  llvm::append_range(names, codeKinds);
  names.push_back(modelKind);
  if (!is_contained(names, value))
    return refuse("expected one of " + join(names, ", ") + ", but got '" +
                  value + "'");
  options.emit = value.str();
  return Error::success();
}

/// cpu, cuda, cuda:sm_80,sm_90a or cuda,cpu
static Error setDevice(CompileOptions &options, StringRef value) {
  SmallVector<StringRef> names;
  value.split(names, ',');
  auto [kind, name] = names.front().split(':');
  size_t numDevices = names.size() - (names.back() == "cpu" ? 1 : 0);
  bool isKnown = kind == "cuda" && !is_contained(names, "") &&
                 !names.front().ends_with(":") &&
                 !is_contained(ArrayRef(names).drop_back(), "cpu") &&
                 (numDevices == 1 || !name.empty());
  if (value != "cpu" && !isKnown)
    return refuse(
        "expected cpu, cuda, cuda:sm_NN,sm_NN or cuda,cpu, but got '" + value +
        "'");
  options.device = value.str();
  return Error::success();
}

static Error setCudaCode(CompileOptions &options, StringRef value) {
  if (value != "ptx" && value != "cubin" && value != "both")
    return refuse("expected ptx, cubin or both, but got '" + value + "'");
  options.cudaCode = value.str();
  return Error::success();
}

static Error setResume(CompileOptions &options, StringRef value) {
  for (const Phase &phase : phases())
    if (phase.name == value) {
      options.resume = value.str();
      return Error::success();
    }
  return refuse("expected the name of a phase, but got '" + value + "'");
}

static Error setWeights(CompileOptions &options, StringRef value) {
  if (value != "embedded" && value != "external")
    return refuse("expected embedded or external, but got '" + value + "'");
  options.externalWeights = value == "external";
  return Error::success();
}

static Error setTag(CompileOptions &options, StringRef value) {
  if (!all_of(value, [](char c) { return isAlnum(c) || c == '_'; }))
    return refuse("expected letters, digits and '_', but got '" + value + "'");
  options.tag = value.str();
  return Error::success();
}

/// name:1x3x?x224
static Error setShape(CompileOptions &options, StringRef value) {
  auto [name, text] = value.rsplit(':');
  std::vector<int64_t> sizes;
  SmallVector<StringRef> parts;
  if (!text.empty())
    text.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t size = -1;
    if (part != "?" && (part.getAsInteger(10, size) || size < 0))
      return refuse("expected NAME:1x3x?x224, but got '" + value + "'");
    sizes.push_back(size);
  }
  if (name.empty() || !value.contains(':'))
    return refuse("expected NAME:1x3x?x224, but got '" + value + "'");
  options.shapes[name.str()] = sizes;
  return Error::success();
}

/// batch=8
static Error setDim(CompileOptions &options, StringRef value) {
  auto [name, text] = value.rsplit('=');
  int64_t size;
  if (name.empty() || text.getAsInteger(10, size) || size < 0)
    return refuse("expected NAME=SIZE, but got '" + value + "'");
  auto [known, isNew] = options.dims.try_emplace(name.str(), size);
  if (!isNew && known->second != size)
    return refuse("dimension '" + name + "' has two sizes, " +
                  Twine(known->second) + " and " + Twine(size));
  return Error::success();
}

namespace {

/// A limit of --limit, in one of the two fields.
struct LimitInfo {
  StringLiteral name;
  int64_t Limits::*count;
  uint64_t Limits::*bytes;
};

} // namespace

static constexpr LimitInfo limitTable[] = {
    {"memory", nullptr, &Limits::memory},
    {"folded-bytes", nullptr, &Limits::foldedBytes},
    {"bytes", nullptr, &Limits::bytes},
    {"nodes", &Limits::nodes, nullptr},
    {"inlined-nodes", &Limits::inlinedNodes, nullptr},
    {"nesting", &Limits::nesting, nullptr},
    {"rank", &Limits::rank, nullptr},
};

static bool readSize(StringRef text, uint64_t &value) {
  value = uint64_t(readByteCount(text).value_or(0));
  return value != 0;
}

template <uint64_t CompileOptions::*Field>
static Error setSize(CompileOptions &options, StringRef value) {
  if (!readSize(value, options.*Field))
    return refuse("expected a number of bytes such as 512K or 2M, but got '" +
                  value + "'");
  return Error::success();
}

/// 5ms, 0.2s, 80us, or 3Mcycles
static Error setLatency(CompileOptions &options, StringRef value) {
  StringRef text = value;
  uint64_t cycles;
  if (text.consume_back("cycles") && readSize(text, cycles)) {
    // Cycles are counted by thousands.
    unsigned thousands = text.ends_with("K")   ? 1
                         : text.ends_with("M") ? 2
                         : text.ends_with("G") ? 3
                                               : 0;
    options.maxCycles = double(cycles >> (10 * thousands));
    while (thousands--)
      options.maxCycles *= 1000;
    return Error::success();
  }
  double scale = text.consume_back("us")   ? 1e-6
                 : text.consume_back("ms") ? 1e-3
                 : text.consume_back("s")  ? 1
                                           : 0;
  if (scale == 0 || text.getAsDouble(options.maxSeconds) ||
      !(options.maxSeconds > 0))
    return refuse("expected a time in us, ms or s such as 5ms, or predicted "
                  "cycles such as 3Mcycles, but got '" +
                  value + "'");
  options.maxSeconds *= scale;
  return Error::success();
}

/// seconds=60
static Error setLimit(CompileOptions &options, StringRef value) {
  auto [name, text] = value.split('=');
  Limits &limits = options.limits;
  uint64_t number;
  if (name == "seconds" && !text.getAsDouble(limits.seconds) &&
      limits.seconds > 0)
    return Error::success();
  for (const LimitInfo &limit : limitTable) {
    if (limit.name != name || !readSize(text, number))
      continue;
    if (limit.bytes)
      limits.*limit.bytes = number;
    else
      limits.*limit.count = int64_t(number);
    return Error::success();
  }
  SmallVector<StringRef> names{"seconds"};
  for (const LimitInfo &limit : limitTable)
    names.push_back(limit.name);
  return refuse("expected NAME=N with a number above 0 and one of the names " +
                join(names, ", ") + ", but got '" + value + "'");
}

/// a,b
template <std::vector<std::string> CompileOptions::*Field>
static Error setNames(CompileOptions &options, StringRef value) {
  SmallVector<StringRef> names;
  value.split(names, ',');
  for (StringRef name : names) {
    if (name.empty())
      return refuse("expected names of tensors, but got '" + value + "'");
    (options.*Field).push_back(name.str());
  }
  return Error::success();
}

/// One file each time: names of files may have commas.
static Error addCustomOpLib(CompileOptions &options, StringRef value) {
  if (value.empty())
    return refuse("expected a library, object file or archive");
  options.customOpLibs.push_back(value.str());
  return Error::success();
}

namespace {

struct Option {
  OptionInfo info;
  Setter set;
};

} // namespace

static constexpr Option optionTable[] = {
    {{"output", "FILE",
      "output file; - is the standard output, FOLDER/ a file with the default "
      "name in that folder"},
     setText<&CompileOptions::output>},
    {{"level", "0..3", "optimization level; also -O0 to -O3 (default 3)"},
     setLevel},
    {{"emit", "WHAT",
      "kind of output: onnx-basic, onnx, krnl, loops or llvm, the IR after "
      "this phase; asm; obj; lib, a shared object (default); static, an "
      "archive with the runtime, and a header (default for targets without an "
      "operating system); model, the simplified model as .onnx; ptx or sass, "
      "the kernels of --device=cuda as PTX or, by ptxas and nvdisasm of the "
      "CUDA toolkit, as instructions; of several GPUs each has a file, such as "
      "m.sm_80.ptx for m.ptx"},
     setEmit},
    {{"device", "cpu|cuda[:sm_NN,...][,cpu]",
      "run kernels on the processor (default), or on an NVIDIA GPU: with code "
      "for sm_80 and later and for sm_90a, or for the architectures given, of "
      "which a run uses the best for its GPU; with ,cpu kernels run on the "
      "processor if there is no GPU"},
     setDevice},
    {{"cuda-code", "ptx|cubin|both",
      "form of the kernels of --device=cuda: ptx, which drivers compile when a "
      "model is first loaded (default); cubin, compiled by ptxas of the CUDA "
      "toolkit; or both, with PTX for drivers and GPUs that reject the cubin"},
     setCudaCode},
    {{"tf32", "",
      "with --device=cuda, multiply f32 with 10 bits of mantissa on tensor "
      "cores; sums remain f32"},
     setFlag<&CompileOptions::tf32>},
    {{"resume", "PHASE", "the input is the output of --emit=PHASE"}, setResume},
    {{"cpu", "A,B",
      "target processors: native (default), generic, or names of LLVM; with "
      "several, the artefact has code for each and uses the best for the "
      "machine that loads it"},
     setText<&CompileOptions::cpu>},
    {{"triple", "TRIPLE", "target triple (default: that of this machine)"},
     setText<&CompileOptions::triple>},
    {{"features", "LIST",
      "target features, +feature or -feature, in addition to those of the "
      "processor"},
     setText<&CompileOptions::features>},
    {{"shape", "NAME:1x3x?", "shape of an input, instead of that in the model"},
     setShape},
    {{"dim", "NAME=SIZE", "size of a named dimension, such as batch=8"},
     setDim},
    {{"from", "A,B", "start from these tensors instead of the inputs"},
     setNames<&CompileOptions::from>},
    {{"to", "A,B",
      "end with these tensors, or the results of these nodes, instead of the "
      "outputs"},
     setNames<&CompileOptions::to>},
    {{"taps", "all|A,B",
      "additional outputs, after those of the model: these tensors, or the "
      "results of these nodes; `onnx-run --statistics` finds the first NaN; "
      "those of branches and loops, such as loop/body/x, are lists"},
     setNames<&CompileOptions::taps>},
    {{"custom-op-lib", "FILE",
      "library, object file or archive with custom operators; can be repeated"},
     addCustomOpLib},
    {{"recipes", "FILE",
      "read recipes of kernels from a file; of several processors or GPUs "
      "each has one, such as m.sm_80.recipes for m.recipes"},
     setText<&CompileOptions::recipes>},
    {{"emit-recipes", "FILE",
      "write the recipes of all kernels to a file, or to one for each of "
      "several processors or GPUs"},
     setText<&CompileOptions::emitRecipes>},
    {{"explain-recipes", "",
      "list the candidate recipes of kernels in the report; implied by "
      "--report"},
     setFlag<&CompileOptions::explainRecipes>},
    {{"explain-nodes", "",
      "list the nodes of the model in the report, with their work, memory and "
      "code; implied by --report"},
     setFlag<&CompileOptions::explainNodes>},
    {{"times", "FILE",
      "output of `onnx-run profile --json` for the model; the report includes "
      "its times"},
     setText<&CompileOptions::times>},
    {{"max-ram", "SIZE",
      "fail if a run needs more memory for its tensors, in bytes or in K, M or "
      "G of 1024, such as 512K or 512KiB; the error names the nodes that need "
      "most"},
     setSize<&CompileOptions::maxRam>},
    {{"max-flash", "SIZE",
      "fail if code and weights take more bytes, such as 2M or 2MiB"},
     setSize<&CompileOptions::maxFlash>},
    {{"max-latency", "TIME",
      "fail if a run takes longer: 5ms by the profile of --times, or 3Mcycles "
      "by the predicted cost on one thread"},
     setLatency},
    {{"weights", "embedded|external",
      "store weights in the artefact (default) or in a file beside it"},
     setWeights},
    {{"refit", "",
      "let `onnx-run refit` replace weights: floating-point initializers of "
      "more than one element are stored separately from the code, and nothing "
      "is computed from them at compile time"},
     setFlag<&CompileOptions::refit>},
    {{"tag", "TAG",
      "also export run_main_graph_TAG and the other functions under names that "
      "end in TAG"},
     setTag},
    {{"emit-header", "",
      "write a C and C++ header with the inputs and outputs beside the "
      "output of --emit=obj, static or lib; the name of the output is the tag "
      "unless --tag gives one"},
     setFlag<&CompileOptions::emitHeader>},
    {{"strict", "",
      "preserve the order of operations in the model, and the NaNs and "
      "infinities that it has"},
     setFlag<&CompileOptions::strict>},
    {{"strict-dims", "",
      "require equal sizes of input dimensions with the same name, even if no "
      "operation relies on it"},
     setFlag<&CompileOptions::strictDims>},
    {{"realtime", "",
      "reject models that need more than statically planned memory and one "
      "thread: a run makes no heap call, no system call and takes no lock; the "
      "output of --emit=obj and static then needs no runtime"},
     setFlag<&CompileOptions::realTime>},
    {{"limit", "NAME=N",
      "limit of the compilation, with K, M and G for 1024 and its powers; can "
      "be repeated: seconds (3600), memory (8G and 8 times the model, or less "
      "where its container leaves less), folded-bytes (of computed constants; "
      "1G and 4 times the model), nodes (250000), inlined-nodes (10000 and 256 "
      "for each node), nesting (24), rank (64; also of lists of axes and "
      "sizes), bytes (of the model and of each tensor; 64G)"},
     setLimit},
    {{"threads", "N",
      "number of threads of the compiler (default: all processors)"},
     setThreads},
    {{"runtime-dir", "FOLDER", "folder that contains onnxc_rt.o"},
     setText<&CompileOptions::runtimeDir>},
    {{"profile", "",
      "instrument launches for `onnx-run profile`; other runs become slightly "
      "slower"},
     setFlag<&CompileOptions::profile>},
    {{"strip", "",
      "omit the names of functions, and the table of the nodes that kernels "
      "come from"},
     setFlag<&CompileOptions::strip>},
    {{"debug", "",
      "emit debug information, which maps instructions to nodes of the model, "
      "and unwind tables; print the nodes as locations in the output of "
      "--emit"},
     setFlag<&CompileOptions::debug>},
    {{"verify-each", "",
      "verify the IR after each pass instead of each phase, for development of "
      "the compiler"},
     setFlag<&CompileOptions::verifyEach>},
    {{"verbose", "", "print passes with their times, and the IR in errors"},
     setFlag<&CompileOptions::verbose>},
};

ArrayRef<OptionInfo> onnxc::compileOptionInfos() {
  static const std::vector<OptionInfo> infos = [] {
    std::vector<OptionInfo> all;
    for (const Option &option : optionTable)
      all.push_back(option.info);
    return all;
  }();
  return infos;
}

Error onnxc::setOption(CompileOptions &options, StringRef key,
                       StringRef value) {
  for (const Option &option : optionTable) {
    if (option.info.name != key)
      continue;
    if (Error error = option.set(options, value))
      return createStringError("--" + key + ": " + toString(std::move(error)));
    return Error::success();
  }
  SimilarName similar(key, /*maxDistance=*/3);
  for (const Option &option : optionTable)
    similar.offer(option.info.name);
  return createStringError("unknown option '" + key + "'" + similar.question());
}
