//===- Link.cpp - Objects to a shared object, in process -------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
// lld reads files, so each object is an anonymous one in memory. The artefact
// is linked beside its place, and the weights are written behind what the
// linker made before it is renamed.
//
//===----------------------------------------------------------------------===//

#include "onnxc/Target/CPU/Link.h"

#include "Linker.h"
#include "WeightsSegment.h"
#include "onnxc/Target/CPU/NewFile.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace onnxc::target {

namespace {

/// A file without a name in any folder.
class MemoryFile {
public:
  static Expected<MemoryFile> create(StringRef name, ArrayRef<char> bytes) {
    MemoryFile result(::memfd_create(name.str().c_str(), MFD_CLOEXEC));
    auto failed = [](std::error_code code) {
      return createStringError(code, "cannot write an object to memory: " +
                                         code.message());
    };
    if (result.file < 0)
      return failed(errnoAsErrorCode());
    raw_fd_ostream os(result.file, /*shouldClose=*/false, /*unbuffered=*/true);
    os.write(bytes.data(), bytes.size());
    std::error_code code = os.error();
    // One that nobody has looked at ends the process.
    os.clear_error();
    if (code)
      return failed(code);
    return std::move(result);
  }
  MemoryFile(MemoryFile &&other) : file(std::exchange(other.file, -1)) {}
  ~MemoryFile() {
    if (file >= 0)
      ::close(file);
  }

  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  explicit MemoryFile(int file) : file(file) {}
  int file;
};

} // namespace

/// The names an artefact exports, which the model defines with the tag as well.
static std::string exportScript(const LinkOptions &options) {
  SmallVector<StringRef> plain, tagged;
#define ONNXC_EXPORT_SHARED(NAME) plain.push_back(#NAME);
#define ONNXC_EXPORT(NAME) plain.push_back(#NAME);
#define ONNXC_EXPORT_TAGGED(NAME) tagged.push_back(#NAME);
#include "onnxc/rt/Exports.def"
  std::string script;
  raw_string_ostream os(script);
  os << "{ global:\n";
  for (StringRef name : plain)
    os << name << ";\n";
  for (StringRef name : tagged) {
    os << name << ";\n";
    if (!options.tag.empty())
      os << name << '_' << options.tag << ";\n";
  }
  os << "local: *; };\n";
  return script;
}

/// What the dynamic linker binds. All else is bound when the artefact is
/// linked, as by -Bsymbolic, which would make the dynamic linker prefer the
/// artefact's own data as well.
static std::string sharedList() {
  std::string list = "{\n";
#define ONNXC_EXPORT_SHARED(NAME) list += #NAME ";\n";
#include "onnxc/rt/Exports.def"
  return list + "};\n";
}

Error runLinker(ArrayRef<std::string> arguments) {
  // lld keeps its state in globals.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  SmallVector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  std::string messages;
  raw_string_ostream os(messages);
  lld::Result result =
      lld::lldMain(pointers, os, os, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return Error::success();
  return createStringError("linking failed: " + StringRef(messages).trim());
}

Error checkRuntime(StringRef runtimeDir, const Machine &machine) {
  SmallString<128> path(runtimeDir);
  sys::path::append(path, "onnxc_rt.o");
  auto refuse = [&](const Twine &message) {
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             message);
  };
  auto runtime = object::ObjectFile::createObjectFile(path);
  if (!runtime)
    return refuse("cannot read '" + path +
                  "': " + toString(runtime.takeError()) +
                  "; --runtime-dir says where the runtime is");
  Triple triple(machine.triple);
  Triple::ArchType arch = runtime->getBinary()->getArch();
  if (arch == triple.getArch())
    return Error::success();
  return refuse("'" + path + "' is the runtime for " +
                Triple::getArchTypeName(arch) +
                ": say with --runtime-dir where the one for " +
                triple.getArchName() + " is, or stop at --emit=obj");
}

static Error fillWeights(StringRef path, const LinkOptions &options) {
  Expected<int64_t> offset = growWeightsSegment(path, options.weightsBytes);
  if (!offset)
    return offset.takeError();
  int file;
  if (std::error_code error = sys::fs::openFileForReadWrite(
          path, file, sys::fs::CD_OpenExisting, sys::fs::OF_None))
    return errorCodeToError(error);
  scope_exit close([&] { ::close(file); });
  // Asks for the room first, so that a full disk is found before the work.
  if (std::error_code error =
          sys::fs::resize_file(file, *offset + options.weightsBytes))
    return createStringError(error, "cannot write '" + options.output +
                                        "': " + error.message());
  if (failed(options.writeWeights(file, *offset)))
    return createStringError(std::make_error_code(std::errc::io_error),
                             "cannot write '" + options.output + "'");
  return Error::success();
}

static std::vector<std::string> fixedArguments(const LinkOptions &options,
                                               StringRef temporary) {
  std::vector<std::string> arguments = {
      "ld.lld",
      "-shared",
      "--gc-sections",
      "--hash-style=gnu",
      "-z",
      "now",
      "-z",
      "noexecstack",
      "-soname",
      sys::path::filename(options.output).str(),
      "-o",
      temporary.str()};
  // Code of the user's may call more of libc and libm than the stubs have; that
  // there is such a function was seen to when it was loaded.
  if (llvm::all_of(options.customLibraries,
                   [](const CustomLibraryFile &file) { return file.isShared; }))
    arguments.push_back("--no-undefined");
  return arguments;
}

/// The way from one folder to another, empty if they are the same.
static std::string relativePath(StringRef from, StringRef to) {
  SmallVector<StringRef> ups(sys::path::begin(from), sys::path::end(from));
  SmallVector<StringRef> downs(sys::path::begin(to), sys::path::end(to));
  size_t common = 0;
  while (common < ups.size() && common < downs.size() &&
         ups[common] == downs[common])
    ++common;
  std::string way;
  for (size_t i = common; i < ups.size(); ++i)
    way += way.empty() ? ".." : "/..";
  for (size_t i = common; i < downs.size(); ++i)
    way += (way.empty() ? "" : "/") + downs[i].str();
  return way;
}

/// The runtime and the stubs of the libraries it may call. Of the optional ones
/// those stay whose functions are called by code that is not left out.
static void addRuntime(const LinkOptions &options,
                       std::vector<std::string> &arguments) {
  auto add = [&](StringRef name) {
    SmallString<128> path(options.runtimeDir);
    sys::path::append(path, name);
    arguments.push_back(path.str().str());
  };
  add("onnxc_rt.o");
#define ONNXC_BASE_LIBRARY(SONAME) add(SONAME);
#include "onnxc/rt/Libraries.def"
  arguments.push_back("--as-needed");
#define ONNXC_OPTIONAL_LIBRARY(SONAME) add(SONAME);
#include "onnxc/rt/Libraries.def"
}

/// Libraries of the user's. A shared one is looked for beside the artefact, and
/// where it is now as seen from there: both may move together.
static void addCustomLibraries(const LinkOptions &options,
                               std::vector<std::string> &arguments) {
  SmallString<128> home(options.output);
  sys::fs::make_absolute(home);
  sys::path::remove_filename(home);
  sys::path::remove_dots(home, /*remove_dot_dot=*/true);
  bool anyShared = false;
  for (const CustomLibraryFile &library : options.customLibraries) {
    if (!library.isShared) {
      arguments.push_back(library.path);
      continue;
    }
    SmallString<128> folder(sys::path::parent_path(library.path));
    sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
    // By its name: one without a soname of its own would be needed by its path.
    llvm::append_range(arguments,
                       std::vector<std::string>{
                           "--as-needed", ("-L" + folder).str(),
                           ("-l:" + sys::path::filename(library.path)).str(),
                           "-rpath", "$ORIGIN"});
    std::string way = relativePath(home, folder);
    if (!way.empty() && !StringRef(way).contains(':'))
      llvm::append_range(arguments,
                         std::vector<std::string>{"-rpath", "$ORIGIN/" + way});
    anyShared = true;
  }
  if (anyShared)
    arguments.push_back("--no-as-needed");
}

/// Makes symbols local that no other object is to see: names of kernels are the
/// same in many models.
static Error localizeHidden(StringRef path) {
  auto object = object::ObjectFile::createObjectFile(path);
  if (!object)
    return object.takeError();
  objcopy::ConfigManager config;
  config.ELF.LocalizeHidden = true;
  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  if (Error error =
          objcopy::executeObjcopyOnBinary(config, *object->getBinary(), os))
    return error;
  auto file = FileOutputBuffer::create(path, bytes.size());
  if (!file)
    return file.takeError();
  llvm::copy(bytes, (*file)->getBufferStart());
  return (*file)->commit();
}

Error joinObjects(ArrayRef<CodeFile> objects, const LinkOptions &options) {
  std::vector<std::string> arguments = {"ld.lld", "-r", "--threads=1", "-o",
                                        options.output};
  std::vector<MemoryFile> files;
  for (const CodeFile &object : objects) {
    Expected<MemoryFile> file = MemoryFile::create(object.name, object.bytes);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    arguments.push_back(files.back().path());
  }
  if (Error error = runLinker(arguments))
    return error;
  if (Error error = localizeHidden(options.output))
    return error;
  return options.weightsBytes ? fillWeights(options.output, options)
                              : Error::success();
}

/// What the linker says of its own output is said of what the user called it,
/// and is no fault of the linker's: a full disk, for example.
static Error blameOutput(Error error, StringRef temporary,
                         const LinkOptions &options) {
  std::string message = toString(std::move(error));
  size_t at = StringRef(message).find(temporary);
  if (at == StringRef::npos)
    return createStringError(message);
  return createStringError(
      std::make_error_code(std::errc::io_error),
      "cannot write '" + options.output + "'" +
          StringRef(message).substr(at + temporary.size()));
}

Error linkArtefact(ArrayRef<CodeFile> objects, const LinkOptions &options) {
  NewFile output(options.output);
  if (Error error = output.create())
    return error;
  std::vector<std::string> arguments = fixedArguments(options, output.path());
  // More threads would stay behind in the process of our caller, and a child
  // that it forks would wait for them for ever.
  arguments.push_back("--threads=1");
  std::vector<MemoryFile> files;
  auto addFile = [&](StringRef name, ArrayRef<char> bytes) -> Error {
    Expected<MemoryFile> file = MemoryFile::create(name, bytes);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return Error::success();
  };
  for (const CodeFile &object : objects) {
    if (Error error = addFile(object.name, object.bytes))
      return error;
    arguments.push_back(files.back().path());
  }
  std::string exports = exportScript(options), shared = sharedList();
  if (Error error =
          addFile("exports", ArrayRef(exports.data(), exports.size())))
    return error;
  arguments.push_back("--version-script=" + files.back().path());
  if (Error error = addFile("shared", ArrayRef(shared.data(), shared.size())))
    return error;
  arguments.push_back("--dynamic-list=" + files.back().path());
  if (options.weightsBytes) {
    if (Error error = addFile(
            "weights", ArrayRef(weightsScript.data(), weightsScript.size())))
      return error;
    arguments.push_back(files.back().path());
  }
  addCustomLibraries(options, arguments);
  addRuntime(options, arguments);

  if (Error error = runLinker(arguments))
    return blameOutput(std::move(error), output.path(), options);
  if (options.weightsBytes)
    if (Error error = fillWeights(output.path(), options))
      return error;
  return output.keep();
}

Expected<std::vector<std::string>> neededLibraries(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return errorCodeToError(buffer.getError());
  auto object = object::ELF64LEObjectFile::create(**buffer);
  if (!object)
    return object.takeError();
  const object::ELF64LEFile &file = object->getELFFile();
  auto entries = file.dynamicEntries();
  if (!entries)
    return entries.takeError();
  uint64_t strings = 0;
  for (const auto &entry : *entries)
    if (entry.getTag() == ELF::DT_STRTAB)
      strings = entry.getPtr();
  auto table = file.toMappedAddr(strings);
  if (!table)
    return table.takeError();
  std::vector<std::string> names;
  for (const auto &entry : *entries)
    if (entry.getTag() == ELF::DT_NEEDED)
      names.emplace_back(reinterpret_cast<const char *>(*table) +
                         entry.getVal());
  return names;
}

} // namespace onnxc::target
