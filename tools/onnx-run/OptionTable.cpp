//===- OptionTable.cpp - The commands and options of onnx-run ---*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"

#include "onnxc/Support/ByteCount.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace onnxc;
using namespace onnxc::run;

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
static bool setPositiveCount(Options &options, StringRef text) {
  return setCount<Member>(options, text) && options.*Member > 0;
}

template <auto Member>
static bool setReal(Options &options, StringRef text) {
  return !text.getAsDouble(options.*Member) && options.*Member >= 0;
}

/// An option that the Python package reads.
static bool passOn(Options &options, StringRef) {
  return options.hasPeerOptions = true;
}

static bool setPercentiles(Options &options, StringRef text) {
  options.percentiles.clear();
  for (StringRef part : split(text, ',')) {
    double percent;
    if (part.getAsDouble(percent) || !(percent >= 0 && percent <= 100))
      return false;
    options.percentiles.emplace_back(part, percent);
  }
  return true;
}

template <auto Member>
static bool setBytes(Options &options, StringRef text) {
  std::optional<int64_t> bytes = readByteCount(text);
  options.*Member = bytes.value_or(0);
  return bytes.has_value();
}

static bool setThreads(Options &options, StringRef text) {
  options.threadCounts.clear();
  for (StringRef part : split(text, ',')) {
    int64_t count;
    if (part.getAsInteger(10, count) || count < 0)
      return false;
    options.threadCounts.push_back(count);
  }
  options.threads = options.threadCounts.front();
  return true;
}

static bool setCallers(Options &options, StringRef text) {
  return setPositiveCount<&Options::callers>(options, text) &&
         options.callers <= 1024;
}

static bool setRate(Options &options, StringRef text) {
  return setReal<&Options::rate>(options, text) && options.rate > 0;
}

static bool setArrivals(Options &options, StringRef text) {
  options.fixedArrivals = text == "fixed";
  return text == "fixed" || text == "poisson";
}

/// A number of runs, instead of a time.
static bool setIterations(Options &options, StringRef text) {
  options.duration = 0;
  return setCount<&Options::iterations>(options, text);
}

static constexpr CommandRow commands[] = {
    {"run", Command::Run, "run once and print or compare the outputs (default)",
     "MODEL.so",
     "  onnx-run run m.so --input=image=@x.npy --save=outputs\n"
     "  onnx-run run m.so --dim=batch=4 --statistics   random inputs, and NaN\n"
     "                                                 in the outputs\n"},
    {"verify", Command::Verify,
     "compare outputs with stored ones or with another engine", "MODEL.so",
     "  onnx-run verify m.so --data-set=test_data_set_0\n"
     "  onnx-run verify m.so --against=onnxruntime --model=m.onnx\n"},
    {"bench", Command::Bench, "measure the latency of runs", "MODEL.so",
     "  onnx-run bench m.so --threads=1 --duration=2\n"
     "  onnx-run bench m.so --against=onnxruntime      in turns, with ratios\n"
     "  onnx-run bench m.so --callers=4 --rate=100     requests of a "
     "service\n"},
    {"profile", Command::Profile, "measure the time of each kernel and node",
     "MODEL.so",
     "  onnx-run profile m.so --duration=5\n"
     "  onnx-run profile m.so --json > times.json      for onnx-compile "
     "--times\n"},
    {"info", Command::Info, "print the properties of an artefact", "MODEL.so",
     "  onnx-run info m.so                             inputs, outputs, code\n"
     "  onnx-run info m.so --json --nodes              nodes of each kernel\n"},
    {"refit", Command::Refit,
     "replace the weights of MODEL.so by those of NEW.onnx",
     "MODEL.so NEW.onnx -o FILE",
     "  onnx-run refit m.so trained.onnx -o new.so     m.so: compiled with "
     "--refit\n"},
};

static const Option table[] = {
    {"input", "[NAME=]@FILE", Runners, append<&Options::inputs>,
     "an input from a .npy or .pb file (ONNX test data) or, without --against, "
     "a "
     "raw one"},
    {"data-set", "FOLDER", Runners, append<&Options::dataSets>,
     "inputs from input_N.pb, outputs to compare from output_N.pb; may be "
     "given again to run and verify"},
    {"shape", "NAME:1x3x224", Runners, append<&Options::shapes>,
     "shape of a random input"},
    {"dim", "SYMBOL=SIZE", Runners, append<&Options::dims>,
     "size of a named dimension of random inputs, else 1"},
    {"seed", "N", Runners, setCount<&Options::seed>,
     "seed of random inputs, else 0"},
    {"threads", "N", Runners, setThreads,
     "maximum number of threads of a run, else all processors, of a --realtime "
     "model 1; profile accepts several, such as 1,2, and shows them side by "
     "side"},
    {"device", "N", Readers, setCount<&Options::device>,
     "number of the GPU, for a model compiled with --device=cuda, else 0"},
    {"entry", "NAME", Readers | Alone, setText<&Options::entry>,
     "entry point, else the first one"},
    {"quiet", "", Runners, setFlag<&Options::quiet>,
     "print neither outputs nor notes on random inputs"},
    {"expect", "[NAME=]@FILE", Checks | Alone, append<&Options::expects>,
     "compare an output with a file"},
    {"atol", "X", Checks, setReal<&Options::atol>,
     "allowed absolute difference, else 1e-7; with --against by element type"},
    {"rtol", "X", Checks, setReal<&Options::rtol>,
     "allowed relative difference, else 1e-3; with --against by element type"},
    {"against", "ENGINE", Comparers, setText<&Options::against>,
     "compare with onnxruntime, with reference (of the onnx package; verify), "
     "with openvino (bench, which accepts several: A,B) or with another "
     "MODEL.so, through the Python package; verify finds the first node that "
     "differs, and accepts a folder as a --data-set"},
    {"model", "FILE", Comparers, passOn,
     "with --against: the model file, else the one beside MODEL.so"},
    {"range", "NAME=LOW:HIGH", Comparers, passOn,
     "with --against: elements of a random input"},
    {"quanta", "N", OfVerify, passOn,
     "with --against: allowed difference of quantized tensors in steps, else "
     "1"},
    {"no-locate", "", OfVerify, passOn,
     "with --against: do not search for the first node that differs"},
    {"rounds", "N", OfBench, passOn,
     "with --against: number of turns of each engine, else 15"},
    {"seconds", "S", OfBench, passOn,
     "with --against: duration of a turn in seconds, else 0.15"},
    {"save", "FOLDER", OfRun, setText<&Options::saveFolder>,
     "write each output as NAME.npy"},
    {"save-iterations", "N", OfRun, setCount<&Options::saveIterations>,
     "maximum number of files for a tensor in a branch or loop with --save, "
     "else 64"},
    {"statistics", "", OfRun, setFlag<&Options::statistics>,
     "print minimum, maximum, mean, zeros, NaNs and infinities of each output "
     "instead of its elements, and the first output that is not finite; of "
     "several runs, also the inputs with the extremes, and with --quiet only "
     "these; onnx-compile --taps=all makes all tensors outputs"},
    {"runs", "N", OfRun, setPositiveCount<&Options::runs>,
     "number of runs of each data set, or of random inputs with increasing "
     "seeds, else 1"},
    {"snapshot", "FOLDER", OfRun, setText<&Options::snapshotFolder>,
     "write the inputs and outputs of the runs that --when selects"},
    {"when", "CONDITION", OfRun, setText<&Options::when>,
     "error, not-finite (a NaN or an infinity in an output), OUTPUT>X or "
     "OUTPUT<X (an element), or signal (SIGUSR1 was received)"},
    {"snapshot-bytes", "SIZE", OfRun, setBytes<&Options::snapshotBytes>,
     "maximum size of all snapshots, such as 64M or 64MiB, else 256 MiB"},
    {"warmup", "N", Timers | Alone, setCount<&Options::warmup>,
     "number of runs before the timed ones, else 10"},
    {"iterations", "N", Timers | Alone, setIterations,
     "number of timed runs, else 100; profile runs for 2 seconds by default"},
    {"duration", "SECONDS", Timers | Alone, setReal<&Options::duration>,
     "duration of the timed runs, instead of --iterations"},
    {"top", "N", OfProfile, setCount<&Options::top>,
     "number of functions or launches to show, else 30"},
    {"trace", "FILE", OfProfile, setText<&Options::trace>,
     "write the launches of the last run in the trace format of "
     "chrome://tracing and Perfetto; requires a model compiled with --profile"},
    {"callers", "N", OfBench | Alone, setCallers,
     "number of threads that run the model, each with its own context, else 1"},
    {"rate", "RUNS/S", OfBench | Alone, setRate,
     "start runs at this rate instead of when the previous one has ended; "
     "latencies count from the scheduled start"},
    {"arrivals", "poisson|fixed", OfBench | Alone, setArrivals,
     "distribution of the scheduled starts of --rate, else poisson"},
    {"cold-start", "", OfBench | Alone, setFlag<&Options::coldStart>,
     "also measure loading and the first run, in new processes"},
    {"csv", "FILE", OfBench, setText<&Options::csv>,
     "write caller, scheduled start and latency of each run; with --against, "
     "engine, block and time"},
    {"svg", "FILE", OfBench, setText<&Options::svg>,
     "plot latencies over time and over percentiles; with --against, the "
     "percentiles of each engine"},
    {"powercap", "FOLDER", OfBench | Alone, setText<&Options::powercap>,
     "folder of the energy counters, else /sys/class/powercap"},
    {"percentiles", "P,...", OfBench | Alone, setPercentiles,
     "percentiles to report, such as 50,99.9, else 50,90,99"},
    {"json", "", OfRun | Timers | OfInfo | OfVerify, setFlag<&Options::json>,
     "print JSON; run requires --statistics, verify requires --against"},
    {"nodes", "", OfInfo, setFlag<&Options::nodes>,
     "list the nodes of the model that each launch of a kernel comes from"},
    {"check-contents", "", OfInfo, setFlag<&Options::checkContents>,
     "fail unless the artefact is as the compiler wrote it"},
    {"check-weights", "", OfInfo, setFlag<&Options::checkWeights>,
     "fail unless the file of the weights is as the compiler wrote it"},
    {"o", "FILE", OfRefit, setText<&Options::output>, "output file of refit"},
    {"help", "", OfAll, setFlag<&Options::help>, "print this text"},
    {"version", "", OfAll, setFlag<&Options::version>, "print the version"},
};

ArrayRef<CommandRow> run::commandTable() { return commands; }

ArrayRef<Option> run::optionTable() { return table; }
