//===- main.cpp - onnx-run: run a compiled model ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Measure/ColdStart.h"

#include "onnxc/Support/Tool.h"
#include "onnxc/Version.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// Prints an error the way every tool does.
static int reject(Error error) {
  logAllUnhandledErrors(std::move(error), errs(), "onnx-run: error: ");
  return ExitModelRejected;
}

/// The last line of a check: its outcome and the request.
static int tell(Verdict verdict, ArrayRef<const char *> arguments) {
  if (verdict == Verdict::NothingToCompare)
    return ExitOk;
  outs().flush();
  errs() << (verdict == Verdict::Agrees ? "PASSED" : "FAILED") << ":";
  for (const char *argument : arguments)
    errs() << " " << argument;
  errs() << "\n";
  return verdict == Verdict::Agrees ? ExitOk : ExitVerificationFailed;
}

static Error report(const Artefact &artefact, const Options &options,
                    std::optional<json::Object> coldStart) {
  switch (options.command) {
  case Command::Bench:
    return bench(artefact, options, std::move(coldStart));
  case Command::Profile:
    return profile(artefact, options);
  default:
    return info(artefact, options);
  }
}

/// Returns true for a model of --realtime, whose runs are on one thread.
static bool isRealTime(const Artefact &artefact) {
  const char *text = artefact.omCompilationInfo();
  Expected<json::Value> info = json::parse(text ? text : "{}");
  if (!info)
    return consumeError(info.takeError()), false;
  const json::Object *facts = info->getAsObject();
  return facts && facts->getBoolean("realtime").value_or(false);
}

static int obey(const Options &options, ArrayRef<const char *> arguments) {
  if (options.command == Command::Refit) {
    Error error = refit(options);
    return error ? reject(std::move(error)) : ExitOk;
  }
  if (!options.against.empty())
    return reject(runAgainst(arguments.drop_front()));
  std::optional<json::Object> coldStart;
  if (options.coldStart) {
    Expected<json::Object> times = timeColdStarts(options);
    if (!times)
      return reject(times.takeError());
    coldStart = std::move(*times);
  }
  Expected<std::unique_ptr<Artefact>> artefact =
      Artefact::load(options.model, options.entry);
  if (!artefact)
    return reject(artefact.takeError());
  int64_t threads = options.threads ? options.threads : isRealTime(**artefact);
  if (threads)
    (*artefact)->omSetThreads(threads);
  if (options.command == Command::Run || options.command == Command::Verify) {
    Expected<Verdict> verdict = runAndCompare(**artefact, options);
    return verdict ? tell(*verdict, arguments) : reject(verdict.takeError());
  }
  Error error = report(**artefact, options, std::move(coldStart));
  return error ? reject(std::move(error)) : ExitOk;
}

/// Whether all of the standard output was written; reports an error if not.
static bool wasPrinted() {
  outs().flush();
  if (!outs().has_error())
    return true;
  errs() << "onnx-run: error: cannot write to the standard output: "
         << outs().error().message() << '\n';
  outs().clear_error();
  return false;
}

int main(int argc, char **argv) {
  prepareTool();
  InitLLVM init(argc, argv);
  ArrayRef<const char *> arguments(argv, size_t(argc));
  Expected<Options> options = parseCommandLine(arguments.drop_front());
  if (!options) {
    logAllUnhandledErrors(options.takeError(), errs(), "onnx-run: error: ");
    errs() << "onnx-run --help lists all options\n";
    return ExitUsage;
  }
  if (options->help || options->version) {
    outs() << (options->help ? helpText(*options)
                             : "onnx-run " ONNXC_VERSION "\n");
    return wasPrinted() ? ExitOk : ExitUsage;
  }
  int status = obey(*options, arguments);
  return wasPrinted() ? status : ExitUsage;
}
