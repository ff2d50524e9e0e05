/*===- Mirage-c/Compiler.h - Superoptimizes tensor programs ----- -*- C -*-===*\
|*                                                                            *|
|* Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.        *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What mirage-opt and mirage-verify do, as functions of libMirage.so: reads  *|
|* and prints modules, runs pipelines, searches for faster programs, judges   *|
|* two equal or not. C99; all that a program needs is this header and the     *|
|* library. Programs that are built operator by operator come from            *|
|* Mirage-c/Graph.h, and what the compiler wrote runs by Mirage-c/Runtime.h.  *|
|*                                                                            *|
|*   MirageContext *context;                                                  *|
|*   MirageModule *module;                                                    *|
|*   MirageOption options[] = {{"artifact", "out"}, {"seed", "1"}};           *|
|*   if (mirageContextCreate(0, &context) != MirageSuccess ||                 *|
|*       mirageModuleParse(context, text, strlen(text), "program.mlir",       *|
|*                         &module) != MirageSuccess ||                       *|
|*       mirageModuleCompile(module, options, 2, NULL) != MirageSuccess)      *|
|*     fprintf(stderr, "%s\n", mirageGetLastError());                         *|
|*                                                                            *|
|* One call at a time may use a context or what belongs to it, from any       *|
|* thread; mirageContextCancelSearches alone may come in between. Several     *|
|* contexts know nothing of each other.                                       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MIRAGE_C_COMPILER_H
#define MIRAGE_C_COMPILER_H

#include "Mirage-c/Status.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*\
|* Contexts                                                                   *|
\*===----------------------------------------------------------------------===*/

/** Owns what modules share: types, attributes, threads, and who is told of
 * diagnostics and progress. */
typedef struct MirageContext MirageContext;

/** \p numThreads  that passes run on, 1 to 1024; 0: one for each core. Those of
 *                 a search are its option `threads`. */
MIRAGE_C_EXPORTED MirageStatus mirageContextCreate(unsigned numThreads,
                                                   MirageContext **context);

/** Modules of the context must be destroyed before. Null is fine. */
MIRAGE_C_EXPORTED void mirageContextDestroy(MirageContext *context);

typedef enum {
  MirageSeverityNote = 0,
  MirageSeverityWarning = 1,
  MirageSeverityError = 2,
  MirageSeverityRemark = 3
} MirageSeverity;

/** One finding about a program. All is valid during the call alone. */
typedef struct MirageDiagnostic {
  MirageSeverity severity;
  const char *message; /**< "expects ..., got ...", without a full stop */
  const char *file;    /**< empty where no place in a file is meant */
  unsigned line;       /**< from 1 on; 0 without a file */
  unsigned column;
  const struct MirageDiagnostic *notes; /**< on other places involved */
  size_t numNotes;
} MirageDiagnostic;

/** Called once at a time, from the thread of the call that runs. */
typedef void (*MirageDiagnosticHandler)(const MirageDiagnostic *diagnostic,
                                        void *userData);

/** Tells \p handler of all diagnostics of later calls, warnings and remarks
 * too. Null, as in the beginning: nobody is told; what failed says
 * mirageGetLastError, which has the first error and its place. */
MIRAGE_C_EXPORTED MirageStatus mirageContextSetDiagnosticHandler(
    MirageContext *context, MirageDiagnosticHandler handler, void *userData);

/** How far a search is. */
typedef struct {
  size_t structSize; /**< of what the library fills: sizeof of its struct */
  double seconds;
  uint64_t states;        /**< visited, of all parts of a program; like
                               structures, it never falls */
  double statesPerSecond; /**< of late */
  uint64_t structures;    /**< found that may be equal to the program */
  double baselineUs;      /**< predicted, each operator a kernel */
  double bestUs;          /**< predicted, the best so far, or the baseline: what
                               an interrupt gives, unless it fails a test */
  uint64_t walkStates;    /**< of the walk at hand, */
  uint64_t maxStates;     /**< and its limit; 0 before the first */
  double timeLimitS;      /**< 0: none */
  unsigned part, numParts; /**< of a program cut into parts, how many have been
                                begun; 0: it is searched as a whole */
} MirageSearchProgress;

/** Called every second at least, and up to some ten times, once at a time, from
 * any thread. \p function  the function that is searched. */
typedef void (*MirageProgressHandler)(const char *function,
                                      const MirageSearchProgress *progress,
                                      void *userData);

/** Tells \p handler how far searches of later calls are; null: nobody. */
MIRAGE_C_EXPORTED MirageStatus mirageContextSetProgressHandler(
    MirageContext *context, MirageProgressHandler handler, void *userData);

/** Has the call that runs, if there is one, end its searches soon, with the
 * best that they have found; it goes on from there. From any thread, from
 * handlers and from signal handlers. Null is fine. */
MIRAGE_C_EXPORTED void mirageContextCancelSearches(MirageContext *context);

/*===----------------------------------------------------------------------===*\
|* Modules                                                                    *|
\*===----------------------------------------------------------------------===*/

/** A module of MLIR, of Mirage's dialects and those of upstream that tensor
 * programs come in and become (Mirage/InitAll.h, registerProgramDialects). */
typedef struct MirageModule MirageModule;

/** Reads text or bytecode and verifies it. Brackets of a text stand at most 256
 * deep in one another.
 * \p fileName  for diagnostics; null: "-". */
MIRAGE_C_EXPORTED MirageStatus mirageModuleParse(MirageContext *context,
                                                 const char *text, size_t size,
                                                 const char *fileName,
                                                 MirageModule **module);

MIRAGE_C_EXPORTED MirageStatus mirageModuleClone(const MirageModule *module,
                                                 MirageModule **clone);

/** Null is fine. */
MIRAGE_C_EXPORTED void mirageModuleDestroy(MirageModule *module);

typedef enum {
  MiragePrintText = 0,
  MiragePrintTextWithLocations = 1,
  MiragePrintBytecode = 2
} MiragePrintForm;

MIRAGE_C_EXPORTED MirageStatus mirageModulePrint(const MirageModule *module,
                                                 MiragePrintForm form,
                                                 MirageText *text);

/** Runs passes over a module, as `mirage-opt --pass-pipeline=` does, those of
 * Mirage and of upstream's general ones (registerProgramPasses):
 * "builtin.module(func.func(canonicalize),mirage-name-operations)". A module
 * whose pipeline failed is as it was before. */
MIRAGE_C_EXPORTED MirageStatus mirageModuleRunPipeline(MirageModule *module,
                                                       const char *pipeline);

/** What a bug report wants: the module and the pipeline, as `mirage-opt
 * --run-reproducer` takes them, of the context's last call if that came to
 * MirageInternalError. Options whose values a pipeline's text cannot hold are
 * left out, and a comment names them. \p text is empty otherwise. */
MIRAGE_C_EXPORTED MirageStatus
mirageContextGetReproducer(const MirageContext *context, MirageText *text);

/** An option by the name that it has on the command line. Its value stands for
 * itself, whatever characters it has: nothing is quoted. */
typedef struct {
  const char *name;
  const char *value;
} MirageOption;

/** `--mirage-superoptimize`: replaces programs in linalg, and µGraphs, by equal
 * and faster µGraphs where some are found. The options are those of that flag
 * (docs/Search.md, "Running a search"), but that progress goes to the handler
 * alone.
 * \p report  gets what became of each search, in order, as `report=` writes it:
 *            {"graphs": [...]}; null where nobody asks. */
MIRAGE_C_EXPORTED MirageStatus
mirageModuleSuperoptimize(MirageModule *module, const MirageOption *options,
                          size_t numOptions, MirageText *report);

/** The names of these options, in alphabetical order, one a line. */
MIRAGE_C_EXPORTED MirageStatus mirageListSearchOptions(MirageText *names);

/** `--mirage-compile`: all of it, down to an artifact (option `artifact`), or
 * the stretch of it from `from` to `to`. Options and report as above. */
MIRAGE_C_EXPORTED MirageStatus mirageModuleCompile(MirageModule *module,
                                                   const MirageOption *options,
                                                   size_t numOptions,
                                                   MirageText *report);

/** Where artifacts get their cubins from: the ptxas that `ptxas=auto` takes
 * (INSTALL.md). \p path is empty where there is none: then drivers compile the
 * PTX. */
MIRAGE_C_EXPORTED MirageStatus mirageFindPtxas(MirageText *path);

/** Joins the checkpoints of shards of a search, and what \p output has of it,
 * to the file \p output (docs/Search.md, "Shards"), with which the search then
 * goes on from what all of them have enumerated.
 * \p numRecords  gets how many records that has; null where nobody asks. */
MIRAGE_C_EXPORTED MirageStatus mirageCheckpointsMerge(const char *output,
                                                      const char *const *inputs,
                                                      size_t numInputs,
                                                      uint64_t *numRecords);

/*===----------------------------------------------------------------------===*\
|* The judge                                                                  *|
\*===----------------------------------------------------------------------===*/

/** The numbers are mirage-verify's exit codes. */
typedef enum {
  MirageEqual = 0,
  MirageDifferent = 1,
  MirageUnknown = 3
} MirageVerdict;

/** How to judge; of each but the first, 0 is what mirage-verify does without
 * the flag of that name. */
typedef struct {
  size_t structSize; /**< sizeof(MirageVerifyOptions) */
  int hasSeed;       /**< else random inputs come from the operating system */
  uint64_t seed;
  unsigned errorBoundBits; /**< 0: 64 */
  unsigned minTrials;
  int outputsInAnyOrder;
  int exact;
  int certificates;
  /** Multiply-adds beyond which trials at the functions' own sizes evaluate a
   * sample of the results; 0: only where they do not fit the memory. */
  uint64_t sampleAbove;
} MirageVerifyOptions;

/** Judges the functions of two modules of one context equal or not
 * (docs/Verification.md). Fails where a function has no counterpart or is no
 * tensor program.
 * \p options  null: all zero behind `structSize`.
 * \p verdict  of all functions together; Different outweighs Unknown, and that
 *             Equal.
 * \p details  gets {"functions": [...]}, as `mirage-verify --json` prints it;
 *             null where nobody asks. */
MIRAGE_C_EXPORTED MirageStatus
mirageModulesVerify(const MirageModule *before, const MirageModule *after,
                    const MirageVerifyOptions *options, MirageVerdict *verdict,
                    MirageText *details);

#ifdef __cplusplus
}
#endif

#endif /* MIRAGE_C_COMPILER_H */
