//===- Options.h - The one options struct of a compilation -----*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_PIPELINE_OPTIONS_H
#define ONNXC_PIPELINE_OPTIONS_H

#include "onnxc/Support/Budget.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace onnxc {

/// All options of a compilation. The keys of `setOption` are the names of the
/// command line.
struct CompileOptions {
  /// Path of the output; empty: beside the model, with the suffix of the
  /// phase; "-": passed to the output callback, dropped without one.
  std::string output;
  /// The phase whose result is written (Phases.h), or asm, obj, lib; empty:
  /// lib, or static where no operating system loads a shared object.
  std::string emit;
  /// The phase that the input is the result of, as `emit` wrote it; empty: the
  /// input is a model.
  std::string resume;
  /// Optimization level of recipes and code generation, 0 to 3.
  unsigned level = 3;
  /// cpu, or a GPU that kernels run on, or several of which a run takes the
  /// best: cuda:sm_80,sm_90a, which cuda is short for; with ",cpu" after it,
  /// on the processor where there is none.
  std::string device = "cpu";
  /// The kernels of a GPU as text that any driver compiles (ptx), as code for
  /// GPUs of one generation (cubin), or both; empty where none is given: ptx.
  std::string cudaCode;
  /// Products of f32 may be those of tf32 on a GPU.
  bool tf32 = false;
  std::string triple;
  std::string cpu = "native";
  /// "+feature,-feature" on top of the processor's.
  std::string features;
  /// The number of threads of the compiler itself; 0: one for each processor.
  unsigned threads = 0;
  /// Keep the model's order of additions, and multiply and add apart.
  bool strict = false;
  /// Sizes of inputs with one name are equal even where nothing relies on it.
  bool strictDims = false;
  /// A run makes no heap call, lock or system call, on one thread; models that
  /// cannot do so are refused. Always so without an operating system.
  bool realTime = false;
  bool verbose = false;
  /// Texts have locations, and code has debug information.
  bool debug = false;
  /// The artefact reports each launch to an observer of a run.
  bool profile = false;
  /// The artefact has neither symbols nor the table of nodes.
  bool strip = false;
  /// Verify the IR after each pass also where only a fault of the compiler can
  /// make it invalid.
  bool verifyEach = false;
  /// -1 is an unknown size.
  std::map<std::string, std::vector<int64_t>> shapes;
  std::map<std::string, int64_t> dims;
  /// Tensors to start from and to end with; empty: inputs and outputs.
  std::vector<std::string> from, to;
  /// Tensors that are outputs as well; "all": all that nodes compute.
  std::vector<std::string> taps;
  /// Recipe files to read and to write; empty: none.
  std::string recipes, emitRecipes;
  /// The report has the candidate recipes of kernels.
  bool explainRecipes = false;
  /// The report has the nodes of the model.
  bool explainNodes = false;
  /// A profile whose times the report shows; empty: none.
  std::string times;
  /// The limits of a run; 0: none. Bytes of the arena, bytes of code and
  /// weights; seconds by the profile, or predicted cycles.
  uint64_t maxRam = 0, maxFlash = 0;
  double maxSeconds = 0, maxCycles = 0;
  /// Libraries, objects or archives of custom operators (onnxc/CustomOp.h).
  std::vector<std::string> customOpLibs;
  /// No code depends on weights, and the artefact says where they are.
  bool refit = false;
  /// Weights go to a file beside the artefact.
  bool externalWeights = false;
  /// A header is written beside the artefact.
  bool emitHeader = false;
  /// Suffix of the additional names run_main_graph_TAG, ...
  std::string tag;
  /// Resource limits of the compilation.
  Limits limits;
  /// Folder of onnxc_rt.o; empty: found from where the compiler is.
  std::string runtimeDir;

  /// Returns true if kernels run on a device.
  bool hasDevice() const { return device != "cpu"; }
  /// Returns true if the code of a device's kernels is all that is written.
  bool emitsKernels() const { return emit == "ptx" || emit == "sass"; }
};

/// One key of `setOption`, for help texts.
struct OptionInfo {
  llvm::StringLiteral name;
  /// The text for the value; empty for a flag, whose value is true or false.
  llvm::StringLiteral value;
  llvm::StringLiteral help;
};

/// All keys, in the order of the help text.
llvm::ArrayRef<OptionInfo> compileOptionInfos();

/// Sets one option from text. Fails for unknown keys and values that do not
/// fit, with a message that lists the valid ones.
llvm::Error setOption(CompileOptions &options, llvm::StringRef key,
                      llvm::StringRef value);

} // namespace onnxc

#endif // ONNXC_PIPELINE_OPTIONS_H
