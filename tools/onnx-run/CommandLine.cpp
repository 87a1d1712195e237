//===- CommandLine.cpp - The words after onnx-run ---------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"

#include "onnxc/Support/CommandNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

/// The name of the option that a word before a value is, be it the short one.
static StringRef optionName(StringRef word) {
  for (const auto &[shortForm, name] : shortForms)
    if (word == shortForm)
      return name;
  return word.ltrim('-');
}

static const Option *findOption(StringRef name) {
  for (const Option &option : optionTable())
    if (option.name == name)
      return &option;
  return nullptr;
}

static std::string similarOption(StringRef name) {
  SimilarName similar(name, /*maxDistance=*/2);
  for (const Option &option : optionTable())
    similar.offer(option.name);
  return onnxc::similarOption(similar);
}

/// Takes the option at the front of `arguments`, and its value after it.
static Error takeOption(ArrayRef<const char *> &arguments, Options &options) {
  StringRef text = arguments.front();
  arguments = arguments.drop_front();
  size_t equals = text.find('=');
  StringRef word = text.take_front(equals), name = optionName(word);
  const Option *option = findOption(name);
  if (!option)
    return failure("unknown option %s%s", word.str().c_str(),
                   similarOption(name).c_str());
  if (!accepts(option->commands, options.command))
    return failure("--%s does not apply to this command", name.str().c_str());
  StringRef value;
  if (option->value.empty() != (equals == StringRef::npos)) {
    if (option->value.empty())
      return failure("--%s takes no value", name.str().c_str());
    if (arguments.empty())
      return failure("--%s needs a value: %s", name.str().c_str(),
                     option->value.str().c_str());
    value = arguments.front();
    arguments = arguments.drop_front();
  } else if (!option->value.empty()) {
    value = text.drop_front(equals + 1);
  }
  if (option->commands & Alone)
    options.aloneOption = option->name.str();
  if (!option->take(options, value))
    return failure("--%s: expected %s, but got '%s'", name.str().c_str(),
                   option->value.str().c_str(), value.str().c_str());
  return Error::success();
}

static std::string commandNames(StringRef between) {
  return join(
      map_range(commandTable(), [](const CommandRow &row) { return row.name; }),
      between);
}

/// Reports a model that was meant as a command.
static Error checkModel(const Options &options, bool isOnly) {
  if (options.isCommandGiven)
    return Error::success();
  SmallVector<StringRef> names;
  for (const CommandRow &row : commandTable())
    names.push_back(row.name);
  std::string error = explainCommand(options.model, isOnly, names);
  return error.empty() ? Error::success() : failure("%s", error.c_str());
}

static Expected<Options> parseWords(ArrayRef<const char *> arguments) {
  Options options;
  StringRef first = arguments.empty() ? "" : arguments.front();
  for (const CommandRow &row : commandTable())
    if (first == row.name) {
      options.command = row.command;
      options.isCommandGiven = true;
      arguments = arguments.drop_front();
    }
  if (options.command == Command::Profile)
    options.duration = 2;
  if (options.command == Command::Verify)
    options.quiet = true;
  while (!arguments.empty()) {
    StringRef argument = arguments.front();
    if (argument.starts_with("-")) {
      if (Error error = takeOption(arguments, options))
        return std::move(error);
      continue;
    }
    if (options.command == Command::Refit && !options.model.empty() &&
        options.newModel.empty()) {
      options.newModel = argument.str();
      arguments = arguments.drop_front();
      continue;
    }
    if (Error error = checkModel(options, /*isOnly=*/false))
      return std::move(error);
    if (!options.model.empty())
      return failure("expected one model, but got '%s' and '%s'",
                     options.model.c_str(), argument.str().c_str());
    options.model = argument.str();
    arguments = arguments.drop_front();
  }
  if (Error error = checkModel(options, /*isOnly=*/true))
    return std::move(error);
  return options;
}

/// Checks the other side of verify: files, or another engine. A folder after
/// --against has files.
static Error checkVerify(Options &options) {
  if (sys::fs::is_directory(options.against)) {
    options.dataSets.push_back(options.against);
    options.against.clear();
  }
  bool hasFiles = !options.dataSets.empty() || !options.expects.empty();
  if (options.against.empty() && options.json)
    return failure("verify --json needs --against=ENGINE");
  if (options.against.empty() && !options.hasPeerOptions && !hasFiles)
    return failure("nothing to compare with: use --data-set, --expect or "
                   "--against");
  return Error::success();
}

/// Checks that there are as many runs, data sets and numbers of threads as the
/// command accepts.
static Error checkCounts(const Options &options) {
  bool isOneRun = options.runs == 1 && options.dataSets.size() < 2;
  if (!options.saveFolder.empty() && !isOneRun)
    return failure(
        "--save writes the outputs of one run, but there are "
        "several: --snapshot=FOLDER --when=CONDITION writes those of "
        "each run that it selects");
  if (!accepts(Checks, options.command) && options.dataSets.size() > 1)
    return failure("--data-set may be given only once to this command");
  if (options.threadCounts.size() > 1 &&
      (options.command != Command::Profile || !options.trace.empty()))
    return failure("--threads accepts several numbers only with profile "
                   "without --trace");
  return Error::success();
}

Expected<Options> run::parseCommandLine(ArrayRef<const char *> arguments) {
  Expected<Options> options = parseWords(arguments);
  if (!options || options->help || options->version)
    return options;
  if (options->model.empty())
    return failure("expected a model: onnx-run [%s] MODEL.so [options]",
                   commandNames("|").c_str());
  if (options->command == Command::Refit &&
      (options->newModel.empty() || options->output.empty()))
    return failure("onnx-run refit MODEL.so NEW.onnx -o OUT.so needs all three "
                   "files");
  if (options->snapshotFolder.empty() != options->when.empty())
    return failure("--snapshot=FOLDER and --when=CONDITION require each other");
  if (Error error = checkCounts(*options))
    return std::move(error);
  if (options->command == Command::Run && options->json && !options->statistics)
    return failure("run --json needs --statistics");
  if (options->command == Command::Verify)
    if (Error error = checkVerify(*options))
      return std::move(error);
  if (!options->against.empty() && !options->aloneOption.empty())
    return failure("--%s and --against cannot be combined",
                   options->aloneOption.c_str());
  if (options->against.empty() && options->hasPeerOptions)
    return failure("--model, --range, --quanta, --no-locate, --rounds and "
                   "--seconds need --against=ENGINE");
  return options;
}
