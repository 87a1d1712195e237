//===- DeviceTools.cpp - Programs of the CUDA toolkit ----------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/NVPTX/DeviceTools.h"

#include "onnxc/Support/NewFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace onnxc::target {

char MissingProgram::ID = 0;

/// Empty if there is none.
static std::string findProgram(StringRef name) {
  if (auto found = sys::findProgramByName(name))
    return *found;
  std::optional<std::string> home = sys::Process::GetEnv("CUDA_HOME");
  std::string folder = home.value_or("/usr/local/cuda") + "/bin";
  auto found = sys::findProgramByName(name, {folder});
  return found ? *found : "";
}

namespace {

/// Empty files of a folder of their own that go away with this object.
class TemporaryFiles {
public:
  static Expected<TemporaryFiles> make() {
    TemporaryFiles files;
    if (std::error_code code =
            sys::fs::createUniqueDirectory("onnxc-device", files.folder))
      return errorCodeToError(code);
    return files;
  }
  TemporaryFiles(TemporaryFiles &&other) : folder(std::move(other.folder)) {
    other.folder.clear();
  }
  TemporaryFiles &operator=(TemporaryFiles &&) = delete;
  ~TemporaryFiles() {
    if (!folder.empty())
      (void)sys::fs::remove_directories(folder);
  }

  std::string path(StringRef name) const {
    SmallString<128> path(folder);
    sys::path::append(path, name);
    return path.str().str();
  }
  Expected<std::string> read(StringRef name) const {
    auto buffer = MemoryBuffer::getFile(path(name));
    if (!buffer)
      return errorCodeToError(buffer.getError());
    return (*buffer)->getBuffer().str();
  }
  Error write(StringRef name, StringRef bytes) const {
    NewFile file(path(name));
    if (Error error = file.create())
      return error;
    if (Error error = file.append(bytes))
      return error;
    return file.keep();
  }

private:
  TemporaryFiles() = default;
  SmallString<128> folder;
};

} // namespace

static Expected<std::string> requireProgram(StringRef name) {
  std::string program = findProgram(name);
  if (!program.empty())
    return program;
  return make_error<MissingProgram>(
      Twine("there is no ") + name +
          " of the CUDA toolkit in PATH or below CUDA_HOME; 'pip install "
          "nvidia-cuda-" +
          (name == "ptxas" ? "nvcc" : name) +
          "' puts it into nvidia/cu*/bin of its site-packages",
      std::make_error_code(std::errc::no_such_file_or_directory));
}

/// Runs a program of the toolkit, whose outputs go to the files `out` and
/// `messages`.
static Error runProgram(StringRef name, ArrayRef<std::string> arguments,
                        const TemporaryFiles &files) {
  Expected<std::string> found = requireProgram(name);
  if (!found)
    return found.takeError();
  StringRef program = *found;
  SmallVector<StringRef> words{program};
  llvm::append_range(words, arguments);
  std::string out = files.path("out"), messages = files.path("messages");
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(out),
                                          StringRef(messages)};
  std::string problem;
  int status =
      sys::ExecuteAndWait(program, words, std::nullopt, redirects,
                          /*SecondsToWait=*/600, /*MemoryLimit=*/0, &problem);
  if (status == 0)
    return Error::success();
  Expected<std::string> text = files.read("messages");
  if (text && problem.empty())
    problem = StringRef(*text).trim().str();
  consumeError(text.takeError());
  return createStringError(name + " fails: " + problem);
}

/// The number before the text, which ends a part of the line.
static int64_t numberBefore(StringRef line, StringRef text) {
  size_t end = line.find(text);
  if (end == StringRef::npos)
    return 0;
  StringRef front = line.take_front(end).rtrim();
  int64_t number = 0;
  StringRef digits = front.substr(front.find_last_not_of("0123456789") + 1);
  return digits.getAsInteger(10, number) ? 0 : number;
}

/// Reads what ptxas -v prints of each entry:
///
///   ptxas info : Compiling entry function 'a' for 'sm_80'
///   ptxas info : Function properties for a
///       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
///   ptxas info : Used 40 registers, used 1 barriers, 128 bytes smem
///
/// and, wherever it serializes products of warpgroups,
///
///   ptxas info : (C7510) Potential Performance Loss: wgmma.mma_async
///   instructions are serialized due to ... in function 'a'
static std::vector<KernelResources> readResources(StringRef text) {
  std::vector<KernelResources> kernels;
  for (StringRef line : split(text, '\n')) {
    if (line.contains("Compiling entry function"))
      kernels.emplace_back().name = line.split('\'').second.split('\'').first;
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    if (line.contains("stack frame")) {
      kernel.stackBytes = numberBefore(line, "bytes stack frame");
      kernel.spilledBytes = numberBefore(line, "bytes spill stores") +
                            numberBefore(line, "bytes spill loads");
    } else if (line.contains(" registers")) {
      StringRef used = line.split("Used ").second;
      kernel.registers = numberBefore(used, " registers");
      kernel.sharedBytes = numberBefore(used, " bytes smem");
    }
  }
  for (StringRef line : split(text, '\n'))
    for (KernelResources &kernel : kernels)
      kernel.isSerialized |= line.contains("instructions are serialized") &&
                             line.contains("'" + kernel.name + "'");
  return kernels;
}

Error checkAssembler() { return requireProgram("ptxas").takeError(); }

Expected<AssembledKernels> assembleKernels(StringRef ptx, StringRef processor) {
  auto files = TemporaryFiles::make();
  if (!files)
    return files.takeError();
  if (Error error = files->write("kernels.ptx", ptx))
    return std::move(error);
  if (Error error =
          runProgram("ptxas",
                     {"-v", "-arch=" + processor.str(), "-o",
                      files->path("kernels.cubin"), files->path("kernels.ptx")},
                     *files))
    return std::move(error);
  auto cubin = files->read("kernels.cubin"), text = files->read("messages");
  if (!cubin || !text)
    return joinErrors(cubin.takeError(), text.takeError());
  return AssembledKernels{std::move(*cubin), readResources(*text)};
}

Expected<std::string> disassembleKernels(StringRef cubin) {
  auto files = TemporaryFiles::make();
  if (!files)
    return files.takeError();
  if (Error error = files->write("kernels.cubin", cubin))
    return std::move(error);
  if (Error error =
          runProgram("nvdisasm", {"-c", files->path("kernels.cubin")}, *files))
    return std::move(error);
  return files->read("out");
}

} // namespace onnxc::target
