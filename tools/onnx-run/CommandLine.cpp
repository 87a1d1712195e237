//===- CommandLine.cpp - The options of onnx-run ----------------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// One table. LLVM's own command line library would mix these options with
// those that libLLVM registers, some of the same name.
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <functional>

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

namespace {

/// Which verbs know an option.
enum Verbs : unsigned {
  OfRun = 1u << unsigned(Verb::Run),
  OfBench = 1u << unsigned(Verb::Bench),
  OfInfo = 1u << unsigned(Verb::Info),
  OfAll = OfRun | OfBench | OfInfo
};

/// Takes the value; false if it is no good.
using Take = bool (*)(Options &, StringRef);

struct Option {
  StringRef name;
  StringRef value; ///< shown in the help; empty: the option takes none
  unsigned verbs;
  Take take;
  StringRef help;
};

} // namespace

template <auto Member>
static bool append(Options &options, StringRef text) {
  (options.*Member).push_back(text.str());
  return true;
}

template <auto Member>
static bool setText(Options &options, StringRef text) {
  options.*Member = text.str();
  return true;
}

template <auto Member>
static bool setFlag(Options &options, StringRef) {
  return options.*Member = true;
}

template <auto Member>
static bool setCount(Options &options, StringRef text) {
  return !text.getAsInteger(10, options.*Member) && options.*Member >= 0;
}

template <auto Member>
static bool setReal(Options &options, StringRef text) {
  return !text.getAsDouble(options.*Member) && options.*Member >= 0;
}

static bool setPercentiles(Options &options, StringRef text) {
  options.percentiles.clear();
  for (StringRef part : split(text, ',')) {
    unsigned percent;
    if (part.getAsInteger(10, percent) || percent > 100)
      return false;
    options.percentiles.push_back(percent);
  }
  return true;
}

static const Option table[] = {
    {"input", "[NAME=]@FILE", OfRun | OfBench, append<&Options::inputs>,
     "an input from a .npy, .pb (ONNX test data) or raw file"},
    {"data-set", "FOLDER", OfRun | OfBench, setText<&Options::dataSet>,
     "inputs from input_N.pb; run compares with output_N.pb"},
    {"shape", "NAME:1x3x224", OfRun | OfBench, append<&Options::shapes>,
     "shape of a random input"},
    {"dim", "SYMBOL=SIZE", OfRun | OfBench, append<&Options::dims>,
     "size of a named dimension of random inputs, else 1"},
    {"seed", "N", OfRun | OfBench, setCount<&Options::seed>,
     "seed of random inputs, else 0"},
    {"threads", "N", OfRun | OfBench, setCount<&Options::threads>,
     "most threads of a run, else all processors"},
    {"entry", "NAME", OfAll, setText<&Options::entry>,
     "entry point, else the first"},
    {"quiet", "", OfRun | OfBench, setFlag<&Options::quiet>,
     "print no outputs and nothing about random inputs"},
    {"expect", "[NAME=]@FILE", OfRun, append<&Options::expects>,
     "compare an output with a file"},
    {"atol", "X", OfRun, setReal<&Options::atol>,
     "allowed absolute difference, else 1e-7"},
    {"rtol", "X", OfRun, setReal<&Options::rtol>,
     "allowed relative difference, else 1e-3"},
    {"save", "FOLDER", OfRun, setText<&Options::saveFolder>,
     "write each output as NAME.npy"},
    {"warmup", "N", OfBench, setCount<&Options::warmup>,
     "runs before the timed ones, else 10"},
    {"iterations", "N", OfBench, setCount<&Options::iterations>,
     "timed runs, else 100"},
    {"duration", "SECONDS", OfBench, setReal<&Options::duration>,
     "how long to time runs, instead of --iterations"},
    {"percentiles", "P,...", OfBench, setPercentiles,
     "which to report, else 50,90,99"},
    {"json", "", OfBench | OfInfo, setFlag<&Options::json>, "report as JSON"},
    {"help", "", OfAll, setFlag<&Options::help>, "this text"},
};

static const Option *findOption(StringRef name) {
  const Option *found = llvm::find_if(
      table, [&](const Option &option) { return option.name == name; });
  return found == std::end(table) ? nullptr : found;
}

/// Takes the option at the front of `arguments`, and its value behind it.
static Error takeOption(ArrayRef<const char *> &arguments, Options &options) {
  StringRef text = arguments.front();
  arguments = arguments.drop_front();
  size_t equals = text.find('=');
  StringRef name = text.take_front(equals).ltrim('-');
  const Option *option = findOption(name);
  if (!option)
    return failure("there is no option --%s", name.str().c_str());
  if (!(option->verbs >> unsigned(options.verb) & 1))
    return failure("--%s is not for this command", name.str().c_str());
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
  if (!option->take(options, value))
    return failure("--%s: '%s' is no %s", name.str().c_str(),
                   value.str().c_str(), option->value.str().c_str());
  return Error::success();
}

Expected<Options> run::parseCommandLine(ArrayRef<const char *> arguments) {
  Options options;
  StringRef first = arguments.empty() ? "" : arguments.front();
  if (first == "bench" || first == "info" || first == "run") {
    options.verb = first == "bench"  ? Verb::Bench
                   : first == "info" ? Verb::Info
                                     : Verb::Run;
    arguments = arguments.drop_front();
  }
  while (!arguments.empty()) {
    StringRef argument = arguments.front();
    if (argument.starts_with("-")) {
      if (Error error = takeOption(arguments, options))
        return std::move(error);
      continue;
    }
    if (!options.model.empty())
      return failure("'%s': there is a model already, %s",
                     argument.str().c_str(), options.model.c_str());
    options.model = argument.str();
    arguments = arguments.drop_front();
  }
  if (options.model.empty() && !options.help)
    return failure("which model? onnx-run [run|bench|info] MODEL.so [options]");
  return options;
}

std::string run::helpText() {
  std::string text;
  raw_string_ostream out(text);
  out << "onnx-run [run] MODEL.so [options]    run once, print or compare\n"
         "onnx-run bench MODEL.so [options]    measure the time of a run\n"
         "onnx-run info MODEL.so [options]     what the artefact says\n"
         "\n"
         "Inputs that are not given are random. Exit status: 0 ok, 1 the "
         "model\n"
         "or an input was rejected, 2 usage, 3 an output differs.\n"
         "\n";
  for (const Option &option : table) {
    std::string left = ("--" + option.name).str();
    if (!option.value.empty())
      left += ("=" + option.value).str();
    out << "  " << left << std::string(26 - left.size(), ' ') << option.help;
    if (option.verbs != OfAll) {
      out << " (";
      ListSeparator comma;
      for (auto [verb, name] :
           {std::pair(OfRun, "run"), {OfBench, "bench"}, {OfInfo, "info"}})
        if (option.verbs & verb)
          out << comma << name;
      out << ")";
    }
    out << "\n";
  }
  return text;
}
