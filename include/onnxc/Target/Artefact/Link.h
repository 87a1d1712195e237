//===- Link.h - Objects to a shared object, in process ---------*- C++ -*-===//
//
// Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
#ifndef ONNXC_TARGET_ARTEFACT_LINK_H
#define ONNXC_TARGET_ARTEFACT_LINK_H

#include "onnxc/Support/NewFile.h"
#include "onnxc/Target/CPU/Emit.h"

#include <functional>

namespace onnxc::target {

/// A custom operator library, by its absolute path.
struct CustomLibraryFile {
  std::string path;
  bool isShared;
};

struct LinkOptions {
  /// The path of the shared object; empty if unknown.
  std::string output;
  /// Folder of onnxc_rt.o and of the stubs of onnxc/rt/Libraries.def.
  std::string runtimeDir;
  /// Exports run_main_graph_TAG and the other functions with TAG, which the
  /// objects define, as well; empty: none.
  std::string tag;
  /// Linked in, or needed where the artefact runs.
  std::vector<CustomLibraryFile> customLibraries;
  /// A text in the objects that the hash of the file takes the place of, in as
  /// many hexadecimal digits; zeros are there while it is computed. Empty:
  /// none.
  std::string seal;
  /// Leaves out the symbols that the dynamic linker does not need.
  bool strip = false;
  /// Keeps debug information.
  bool debug = false;
  /// Exports what is there for observers of launches alone.
  bool profile = false;
  /// Size of the weights to leave room for.
  int64_t weightsBytes = 0;
  /// Fills the room: an open file and the offset of the weights in it.
  std::function<mlir::LogicalResult(int file, int64_t offset)> writeWeights;
};

/// The section of the table of nodes, which is not loaded.
inline constexpr llvm::StringLiteral nodesSection = ".onnxc_nodes";

/// Adds a section that is not loaded to an object.
llvm::Error addSection(CodeFile &object, llvm::StringRef name,
                       llvm::StringRef contents);

/// An error unless the folder has a runtime for the target.
llvm::Error checkRuntime(llvm::StringRef runtimeDir, krnl::TargetAttr target);

/// Links the objects with the runtime and writes the shared object to the new
/// file. Returns the libraries that it needs where it is loaded. Fails with a
/// message, of lld or ours. Calls wait for each other.
llvm::Expected<std::vector<std::string>>
linkArtefact(llvm::ArrayRef<CodeFile> objects, const LinkOptions &options,
             NewFile &output);

/// Makes one object of several, with the weights, in which all is local that is
/// not for programs: they link it with libonnxc_rt.a. Looks at the weights of
/// the options.
llvm::Error joinObjects(llvm::ArrayRef<CodeFile> objects,
                        const LinkOptions &options, NewFile &output);

/// Writes an archive of the object of joinObjects, whose name is `tag`, and of
/// those of the runtime in options.runtimeDir, if that is not empty. Fails like
/// joinObjects, and where the folder has no archive of the runtime.
llvm::Error archiveObjects(llvm::ArrayRef<CodeFile> objects,
                           const LinkOptions &options, NewFile &output);

} // namespace onnxc::target

#endif // ONNXC_TARGET_ARTEFACT_LINK_H
