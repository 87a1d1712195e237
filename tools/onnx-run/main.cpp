//===- main.cpp - onnx-run: run a compiled model ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// A file name for an output: what is odd in its name becomes '_'.
static std::string fileNameOf(StringRef name) {
  std::string file = name.str();
  for (char &c : file)
    if (!isAlnum(c) && c != '-' && c != '.')
      c = '_';
  return file;
}

static Error showOutput(const OMArgument &argument, const Value &value,
                        const Options &options) {
  if (!options.quiet)
    outs() << valueText(argument.name, value);
  if (options.saveFolder.empty())
    return Error::success();
  if (std::error_code error = sys::fs::create_directories(options.saveFolder))
    return failure("cannot make %s: %s", options.saveFolder.c_str(),
                   error.message().c_str());
  return writeValue(options.saveFolder + "/" + fileNameOf(argument.name),
                    value);
}

/// One run of the model. `agrees` tells whether all expectations were met.
static Error runOnce(const Artefact &artefact, OMContext *context,
                     const Options &options, const ValuesByIndex &expectations,
                     bool &agrees) {
  Expected<InputSet> inputSet = makeInputs(artefact, options);
  if (!inputSet)
    return inputSet.takeError();
  std::vector<OMBuffer> outputs(artefact.outputs().size());
  if (artefact.omContextRun(context, inputSet->buffers().data(),
                            int64_t(inputSet->buffers().size()), outputs.data(),
                            int64_t(outputs.size())) != OM_STATUS_OK)
    return failure("%s", artefact.omContextGetMessage(context));
  for (auto [i, argument] : enumerate(artefact.outputs())) {
    Value value = Value::copyOf(artefact, *argument, outputs[i]);
    if (Error error = showOutput(*argument, value, options))
      return error;
    auto it = expectations.find(i);
    if (it != expectations.end())
      agrees &= compareOutput(argument->name, value, it->second, options);
  }
  return Error::success();
}

/// Prints an error the way every tool does.
static int reject(Error error) {
  logAllUnhandledErrors(std::move(error), errs(), "onnx-run: error: ");
  return ExitModelRejected;
}

static int runAndCompare(const Artefact &artefact, const Options &options,
                         ArrayRef<const char *> arguments) {
  Expected<ValuesByIndex> expectations = readValues(
      options.expects, options.dataSet, "output", artefact.outputs());
  if (!expectations)
    return reject(expectations.takeError());
  OMContext *context = artefact.omContextCreate(artefact.entry().c_str());
  if (!context)
    return reject(failure("%s", artefact.omGetLastError()));
  bool agrees = true;
  Error error = runOnce(artefact, context, options, *expectations, agrees);
  artefact.omContextDestroy(context);
  if (error)
    return reject(std::move(error));
  if (expectations->empty())
    return ExitOk;
  outs().flush();
  errs() << (agrees ? "PASSED" : "FAILED") << ":";
  for (const char *argument : arguments)
    errs() << " " << argument;
  errs() << "\n";
  return agrees ? ExitOk : ExitVerificationFailed;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  ArrayRef<const char *> arguments(argv, size_t(argc));
  Expected<Options> options = parseCommandLine(arguments.drop_front());
  if (!options) {
    logAllUnhandledErrors(options.takeError(), errs(), "onnx-run: error: ");
    errs() << "onnx-run --help lists all options\n";
    return ExitUsage;
  }
  if (options->help) {
    outs() << helpText();
    return ExitOk;
  }
  Expected<std::unique_ptr<Artefact>> artefact =
      Artefact::load(options->model, options->entry);
  if (!artefact)
    return reject(artefact.takeError());
  if (options->threads)
    (*artefact)->omSetThreads(options->threads);
  if (options->verb == Verb::Run)
    return runAndCompare(**artefact, *options, arguments);
  Error error = options->verb == Verb::Bench ? bench(**artefact, *options)
                                             : info(**artefact, options->json);
  return error ? reject(std::move(error)) : ExitOk;
}
