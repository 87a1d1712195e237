//===- Options.h - Options of the command line ------------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef ONNXC_TOOLS_ONNX_RUN_OPTIONS_H
#define ONNXC_TOOLS_ONNX_RUN_OPTIONS_H

#include "onnxc/Values/Value.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <optional>

namespace onnxc::run {

/// Exit statuses of every tool.
enum ExitStatus {
  ExitOk = 0,
  ExitModelRejected = 1,
  ExitUsage = 2,
  ExitVerificationFailed = 3,
  ExitInternalError = 5
};

enum class Command { Run, Verify, Bench, Profile, Info, Refit };

struct Options {
  Command command = Command::Run;
  bool isCommandGiven = false; ///< the first word; else it is run
  std::string model;
  std::string newModel; ///< of refit
  std::string output;   ///< of refit
  std::string entry;
  int64_t threads = 0;                     ///< 0: those of the artefact
  std::vector<int64_t> threadCounts = {0}; ///< of profile, a profile of each
  int64_t device = 0;                      ///< number of the GPU
  bool help = false, version = false;
  std::vector<std::string> inputs;  ///< name=@file, or @file in order
  std::vector<std::string> expects; ///< the same for outputs
  /// Folders with input_0.pb, output_0.pb.
  std::vector<std::string> dataSets;
  std::vector<std::string> shapes; ///< name:1x3x?
  std::vector<std::string> dims;   ///< symbol=8
  int64_t seed = 0;
  std::string saveFolder;
  int64_t saveIterations = 64; ///< of a tensor in a branch or body
  double atol = 1e-7, rtol = 1e-3;
  std::string against; ///< the engine that outputs or times are compared with
  bool hasPeerOptions = false; ///< options that only this comparison has
  bool quiet = false;
  bool statistics = false;
  int64_t runs = 1; ///< with a seed of its own each
  std::string snapshotFolder, when;
  int64_t snapshotBytes = int64_t(256) << 20;

  int64_t warmup = 10;
  int64_t iterations = 100;
  double duration = 0; ///< seconds; instead of iterations
  int64_t callers = 1;
  double rate = 0; ///< runs that are due in a second; 0: when the last ended
  bool fixedArrivals = false; ///< else as a Poisson process
  bool coldStart = false;
  std::string csv, svg; ///< files for the timed runs
  std::string powercap = "/sys/class/powercap";
  int64_t top = 30;
  std::string trace; ///< file for the events of a run
  /// As they were written, and as numbers.
  std::vector<std::pair<std::string, double>> percentiles = {
      {"50", 50}, {"90", 90}, {"99", 99}};
  bool json = false;
  bool nodes = false;
  bool checkWeights = false;
  /// Given, and not for --against; empty: none.
  std::string aloneOption;
  bool checkContents = false;
};

/// Reads the command line; returns the error in it, if any.
llvm::Expected<Options>
parseCommandLine(llvm::ArrayRef<const char *> arguments);
/// All options with their meaning.
std::string helpText(const Options &options);

/// Values by position, read from name=@file texts.
using ValuesByIndex = std::map<size_t, Value>;

/// Reads the values of the command line for the inputs or the outputs.
llvm::Expected<ValuesByIndex>
readValues(llvm::ArrayRef<std::string> texts, llvm::StringRef dataSet,
           llvm::StringRef prefix, llvm::ArrayRef<const OMArgument *> known);
/// All inputs: given ones, those of the folder if there is one, and random ones
/// for the others, which it reports.
llvm::Expected<InputSet> makeInputs(const Artefact &artefact,
                                    const Options &options,
                                    llvm::StringRef dataSet);

/// Compares and reports to stderr; true if all agree.
bool compareOutput(const std::string &name, const Value &actual,
                   const Value &expected, const Options &options);

enum class Verdict { NothingToCompare, Agrees, Differs };

/// Runs once for each data set, prints and compares.
llvm::Expected<Verdict> runAndCompare(const Artefact &artefact,
                                      const Options &options);
/// Verifies or benchmarks beside other engines, by the Python package, which
/// takes the words of the command line after the command. Returns only if that
/// cannot be started.
llvm::Error runAgainst(llvm::ArrayRef<const char *> words);
/// Times runs and reports to stdout, with what timeColdStarts told before.
llvm::Error bench(const Artefact &artefact, const Options &options,
                  std::optional<llvm::json::Object> coldStart);
/// Reports to stdout which functions the time of runs goes into.
llvm::Error profile(const Artefact &artefact, const Options &options);
/// Writes the artefact with the weights of another model.
llvm::Error refit(const Options &options);
/// The metadata of the artefact; with checkWeights also whether its side
/// file still has the bytes that were written.
llvm::Error info(const Artefact &artefact, const Options &options);

} // namespace onnxc::run

#endif // ONNXC_TOOLS_ONNX_RUN_OPTIONS_H
