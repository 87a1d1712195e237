/*===- Compile.h - The compiler as a library ----------------------*- C -*-===*
 *
 * Part of onnx-compile, under the Apache License v2.0 with LLVM Exceptions.
 *
 * From a model in a file or in memory to a shared object.
 *
 *   OMCompiler *c = omCompilerCreate();
 *   omCompilerSetOption(c, "output", "model.so");
 *   if (omCompilerCompileFile(c, "model.onnx") != OM_COMPILE_OK)
 *     fputs(omCompilerGetMessages(c), stderr);
 *   omCompilerDestroy(c);
 *
 * Nothing is printed and no state is shared: any number of compilers may work
 * at the same time, each for one thread at a time. Options have the names of
 * the command line (onnx-compile --help), "true" and "false" for flags.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ONNXC_COMPILE_H
#define ONNXC_COMPILE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OM_COMPILER_API __attribute__((visibility("default")))

/* How a compilation ended; the exit status of the onnx-compile tool. */
typedef enum OM_COMPILE_STATUS {
  OM_COMPILE_OK = 0,
  OM_COMPILE_REJECTED = 1,    /* the model is wrong or not supported */
  OM_COMPILE_USAGE = 2,       /* an option or a file name is wrong */
  OM_COMPILE_OVER_BUDGET = 4, /* a run needs more than max-ram and its like
                                 allow */
  OM_COMPILE_INTERNAL = 5,    /* the compiler is wrong */
  OM_COMPILE_CANCELLED = 130
} OM_COMPILE_STATUS;

typedef enum OM_SEVERITY {
  OM_SEVERITY_ERROR = 0,
  OM_SEVERITY_WARNING = 1,
  OM_SEVERITY_REMARK = 2,
  OM_SEVERITY_NOTE = 3 /* belongs to the message before it */
} OM_SEVERITY;

typedef struct OMCompiler OMCompiler;

/* NULL only when memory is short. */
OM_COMPILER_API OMCompiler *omCompilerCreate(void);
OM_COMPILER_API void omCompilerDestroy(OMCompiler *compiler);

/* Fails for an unknown key or a value that does not fit;
 * omCompilerGetMessages names the values that fit, or a key of similar name. */
OM_COMPILER_API OM_COMPILE_STATUS omCompilerSetOption(OMCompiler *compiler,
                                                      const char *key,
                                                      const char *value);

/* Names, values ("" for a flag) and meanings of the options; NULL past the
 * last one. They live as long as the library. */
OM_COMPILER_API const char *omCompilerOptionName(size_t number);
OM_COMPILER_API const char *omCompilerOptionValue(size_t number);
OM_COMPILER_API const char *omCompilerOptionHelp(size_t number);

/* --- Callbacks ------------------------------------------------------------
 * They may come from any thread, one at a time, and only during a compilation.
 * Strings live until they return. NULL: none. */

/* `location` is like model.onnx:"node", "" if the message is about no position.
 */
typedef void (*OMMessageFunction)(void *user, OM_SEVERITY severity,
                                  const char *location, const char *text);
OM_COMPILER_API void omCompilerSetMessageHandler(OMCompiler *compiler,
                                                 OMMessageFunction handler,
                                                 void *user);

/* Step `number` of `total` begins (seconds < 0) or has ended. */
typedef void (*OMProgressFunction)(void *user, unsigned number, unsigned total,
                                   const char *name, double seconds);
OM_COMPILER_API void omCompilerSetProgressHandler(OMCompiler *compiler,
                                                  OMProgressFunction handler,
                                                  void *user);

/* Takes the output when the option "output" is "-"; without a function it is
 * dropped. */
typedef void (*OMOutputFunction)(void *user, const char *data, size_t size);
OM_COMPILER_API void omCompilerSetOutputHandler(OMCompiler *compiler,
                                                OMOutputFunction handler,
                                                void *user);

/* --- Compiling ------------------------------------------------------------
 * Files are written completely or not at all. */

OM_COMPILER_API OM_COMPILE_STATUS omCompilerCompileFile(OMCompiler *compiler,
                                                        const char *path);

/* `name` is the name of the model in messages. */
OM_COMPILER_API OM_COMPILE_STATUS omCompilerCompileMemory(OMCompiler *compiler,
                                                          const void *data,
                                                          size_t size,
                                                          const char *name);

/* Compiles as far as errors of the model can come, writes nothing, and finds
 * what fails or costs time: omCompilerGetFindings reports. The model is the
 * `size` bytes of `data`, or where that is NULL the file `name`. The status is
 * OM_COMPILE_REJECTED if there is an error among the findings. */
OM_COMPILER_API OM_COMPILE_STATUS omCompilerCheck(OMCompiler *compiler,
                                                  const void *data, size_t size,
                                                  const char *name);

/* Explains what becomes of the node `node`, or of the one that makes the tensor
 * of this name: compiles as far as that needs, writes nothing, and
 * omCompilerGetExplanation reports. The model is the `size` bytes of `data`, or
 * where that is NULL the file `name`. If `assembly` is not 0 the explanation
 * has the assembly of its kernels. The status is OM_COMPILE_USAGE if there is
 * no such node. */
OM_COMPILER_API OM_COMPILE_STATUS
omCompilerExplain(OMCompiler *compiler, const void *data, size_t size,
                  const char *name, const char *node, int assembly);

/* Writes to `output` a model that has only the node of the model which is
 * called `node`, as findings name it, with its constants; its other operands
 * become inputs. The model is given as to omCompilerCheck and may be one that
 * is refused. */
OM_COMPILER_API OM_COMPILE_STATUS
omCompilerCutNode(OMCompiler *compiler, const void *data, size_t size,
                  const char *name, const char *node, const char *output);

/* Writes to `output` the compiled model `artefact` with the weights of the
 * model file `model`, without compiling: the file that a compilation of
 * `model` would have written. The artefact was compiled with the option "refit"
 * and without custom operators; the models agree in all but weights
 * (onnx-compile --help). An artefact whose weights are in a side file gets one
 * of the same name beside `output`. Of the options of `compiler` limits and
 * callbacks count. */
OM_COMPILER_API OM_COMPILE_STATUS omModelRefit(OMCompiler *compiler,
                                               const char *artefact,
                                               const char *model,
                                               const char *output);

/* Ends the compilation that runs, or the next one, soon. May be called from
 * any thread and from a signal handler. */
OM_COMPILER_API void omCompilerCancel(OMCompiler *compiler);

/* --- Afterwards -----------------------------------------------------------
 * Strings live until the next compilation or the compiler's end. A format is
 * "text", which NULL stands for, or one of those that are named; the result is
 * NULL for any other. */

/* Errors and warnings with their notes, a line each; "" if there were none. */
OM_COMPILER_API const char *omCompilerGetMessages(const OMCompiler *compiler);
/* What omCompilerCheck has found: as text, or (format "json") as JSON with a
 * schema number. */
OM_COMPILER_API const char *omCompilerGetFindings(OMCompiler *compiler,
                                                  const char *format);
/* What omCompilerExplain has found: as text, or (format "json") as JSON with a
 * schema number. */
OM_COMPILER_API const char *omCompilerGetExplanation(OMCompiler *compiler,
                                                     const char *format);
/* Path of the file that was written; of several, as --emit=ptx writes for
 * several GPUs, the first. The report lists all. */
OM_COMPILER_API const char *omCompilerGetOutput(const OMCompiler *compiler);
/* Path of the file that a compilation of the model `path` writes with the
 * options as they are, "-" for what the output handler gets. */
OM_COMPILER_API const char *omCompilerOutputFor(OMCompiler *compiler,
                                                const char *path);
/* Sizes and times, as text or (format "json") as JSON with a schema number;
 * with the option "explain-recipes" also the recipes that kernels could have.
 * With "explain-nodes" the nodes of the model as well; then "nodes" is a table
 * of these as text, and "html" a page that needs no other file. */
OM_COMPILER_API const char *omCompilerGetReport(OMCompiler *compiler,
                                                const char *format);

#ifdef __cplusplus
}
#endif

#endif /* ONNXC_COMPILE_H */
