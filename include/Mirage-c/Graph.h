/*===- Mirage-c/Graph.h - Builds tensor programs ---------------- -*- C -*-===*\
|*                                                                            *|
|* Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.        *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Builds tensor programs, and µGraphs by hand, whose shapes are checked as   *|
|* they grow. RMSNorm and a linear layer:                                     *|
|*                                                                            *|
|*   int64_t x[] = {8, 4096}, w[] = {4096, 6144};                             *|
|*   MirageTensorType xType = {MirageElementF16, 2, x, NULL}, ...;            *|
|*   MirageValue values[2], norm, out;                                        *|
|*   mirageGraphCreate(&graph);                                               *|
|*   mirageGraphAddInput(graph, "X", &xType, &values[0]);                     *|
|*   mirageGraphAddInput(graph, "W", &wType, &values[1]);                     *|
|*   mirageGraphAddOperator(graph, "rms_norm", values, 1,                     *|
|*                          "{\"dims\": [1], \"scalars\": [1e-5]}", &norm);   *|
|*   ...                                                                      *|
|*   mirageGraphAddOutput(graph, out, NULL);                                  *|
|*   mirageModuleFromGraph(context, graph, "rms_linear", &module);            *|
|*                                                                            *|
|* A graph belongs to no context. One call at a time may use it.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef MIRAGE_C_GRAPH_H
#define MIRAGE_C_GRAPH_H

#include "Mirage-c/Compiler.h"
#include "Mirage-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A tensor program, whose operators are kernels; or a block graph, whose
 * operators are the steps of one kernel's thread blocks. */
typedef struct MirageGraph MirageGraph;

/** A value of a graph: inputs and results are numbered from 0 in the order in
 * which they were added. Of a graph that was read, inputs come first. */
typedef uint32_t MirageValue;

typedef struct {
  MirageElementType element;
  size_t rank;
  const int64_t *shape; /**< `rank` sizes of at least 1 */
  /** `rank` strides in elements, of what lies in device memory; null:
   * row-major, without gaps. */
  const int64_t *strides;
} MirageTensorType;

MIRAGE_C_EXPORTED MirageStatus mirageGraphCreate(MirageGraph **graph);
/** Null is fine. */
MIRAGE_C_EXPORTED void mirageGraphDestroy(MirageGraph *graph);

/** Adds an input, which may come behind operators.
 * \p name  one that no other input has; null: "input0", "input1", ..., the
 * first that is free. */
MIRAGE_C_EXPORTED MirageStatus mirageGraphAddInput(MirageGraph *graph,
                                                   const char *name,
                                                   const MirageTensorType *type,
                                                   MirageValue *value);

/** Adds an operator and infers its result's type. Fails, with what was expected
 * and found, where operands, attributes or shapes do not fit; the graph is then
 * as it was.
 * \p name        as the IR has it: "matmul", "sum", "rms_norm", ... (the table
 *                is lib/Graph/OperatorTable.cpp). In a block graph those that
 *                are composed of others, such as "rms_norm", become their
 * steps, and a "concat" of different types has its operands cast to f32
 * \p attributes  null, or a JSON object with some of these members:
 *
 * - "dims": reduced dimensions, a permutation, the one of a concat
 * - "scalars": numbers of the operator, in order, as lo and hi of a clamp
 * - "shape": of the result, where the operator does not say it: of a reshape,
 *   broadcast, slice, repeat or constant
 * - "element": of the result, "f16"; without it that of the operands, or where
 *   they differ the one that holds all, and f16 for 8-bit floats. In block
 *   graphs it is f32, but for casts and what moves elements
 * - "offsets", "strides": of a slice
 * - "offset": of a causal_mask
 * - "reduction", "axis": of an accumulate, "sum" and "loop" (docs/MuGraphs.md)
 */
MIRAGE_C_EXPORTED MirageStatus mirageGraphAddOperator(
    MirageGraph *graph, const char *name, const MirageValue *operands,
    size_t numOperands, const char *attributes, MirageValue *result);

/** Adds an operator of a value and a number: "add", "sub", "mul", "div",
 * "maximum", "minimum" or "pow". It is a row of the table with a parameter, or
 * a few of them (include/Mirage/Graph/NumberOperand.h): x ** 3 is "square" and
 * "mul", and 10 ** x "scale" and "exp". Nothing is rounded but the result.
 * \p isNumberFirst  not 0: number - value, and not value - number */
MIRAGE_C_EXPORTED MirageStatus mirageGraphAddOperatorWithNumber(
    MirageGraph *graph, const char *name, MirageValue operand, double number,
    int isNumberFirst, MirageValue *result);

/** Sums elements that are \p size apart along a dimension, of which so many
 * stay: 256 to 64 are 4 x 64, summed over the 4.
 * \p isAccumulated  not 0: of all iterations, in a block graph */
MIRAGE_C_EXPORTED MirageStatus mirageGraphAddSumTo(MirageGraph *graph,
                                                   MirageValue operand,
                                                   int64_t dim, int64_t size,
                                                   int isAccumulated,
                                                   MirageValue *result);

/** Makes a value the next output. A program without any has all values as
 * outputs that no operator takes.
 * \p strides  in elements, one for each dimension, of where a program leaves
 *             it; null: row-major. */
MIRAGE_C_EXPORTED MirageStatus mirageGraphAddOutput(MirageGraph *graph,
                                                    MirageValue value,
                                                    const int64_t *strides);

/** The name of an input, by its place among the inputs; empty where there is no
 * such input. Valid as long as the graph is. */
MIRAGE_C_EXPORTED const char *mirageGraphGetInputName(const MirageGraph *graph,
                                                      size_t number);

MIRAGE_C_EXPORTED size_t mirageGraphGetNumInputs(const MirageGraph *graph);
/** How many values have numbers. */
MIRAGE_C_EXPORTED size_t mirageGraphGetNumValues(const MirageGraph *graph);
MIRAGE_C_EXPORTED size_t mirageGraphGetNumOutputs(const MirageGraph *graph);

/** Describes a value in \p type: an input with its strides, others with
 * row-major ones. Pointers are valid until the graph is next changed. */
MIRAGE_C_EXPORTED MirageStatus mirageGraphGetType(const MirageGraph *graph,
                                                  MirageValue value,
                                                  MirageTensorType *type);

/*===----------------------------------------------------------------------===*\
|* µGraphs by hand                                                            *|
\*===----------------------------------------------------------------------===*/

/** How many thread blocks there are, and what each does how often. */
typedef struct {
  size_t structSize;   /**< sizeof(MirageBlockShape) */
  size_t gridRank;     /**< 0 to 3 axes: x, y, z */
  const int64_t *grid; /**< an extent for each */
  const int64_t
      *cluster;   /**< how many blocks of each share memory; null: none */
  int64_t loop;   /**< iterations, at least 1 */
  int64_t stages; /**< tiles on their way at a time, 1 to 16 */
  size_t blockRank;
  /** Threads of a block along so many axes, of which the product counts: 32 to
   * 1024, a multiple of 32. */
  const int64_t *block;
} MirageBlockShape;

/** In maps: a dimension of the tensor that the axis cuts, or one of these. */
enum {
  MirageReplicated = -1, /**< all along the axis have the same */
  MirageSummed = -2      /**< of an output: blocks hold parts of a sum */
};

/** Makes the graph of a kernel's thread blocks. */
MIRAGE_C_EXPORTED MirageStatus
mirageBlockGraphCreate(const MirageBlockShape *shape, MirageGraph **graph);

/** Adds an input of a block graph: the tile of a tensor. Sizes that do not
 * divide are rounded up.
 * \p tensor   without strides, as tiles are the same of whatever lies how
 * \p gridMap  a dimension or MirageReplicated for each axis of the grid
 * \p loopMap  a dimension or MirageReplicated for the loop */
MIRAGE_C_EXPORTED MirageStatus
mirageBlockGraphAddInput(MirageGraph *block, const MirageTensorType *tensor,
                         const int *gridMap, int loopMap, MirageValue *value);

/** Makes a value of a block graph its next output.
 * \p gridMap  a dimension, MirageReplicated or MirageSummed for each axis
 * \p shape    of the whole, with a size for each dimension of the value; null:
 *             as large as all tiles together
 * \p element  of the whole; null: of the kernel's first operand, and f16 where
 *             that is an 8-bit float */
MIRAGE_C_EXPORTED MirageStatus mirageBlockGraphAddOutput(
    MirageGraph *block, MirageValue value, const int *gridMap,
    const int64_t *shape, const MirageElementType *element);

/** Adds a copy of a block graph to a program, as one kernel. Fails where it is
 * no block graph that could run: phases that meet, tiles that cover no tensor,
 * no output.
 * \p operands  one for each input of \p block, of the shape and element type of
 *              the tensor that it is a tile of
 * \p results   place for one value for each output of \p block */
MIRAGE_C_EXPORTED MirageStatus mirageGraphAddBlockGraph(
    MirageGraph *graph, const MirageGraph *block, const MirageValue *operands,
    size_t numOperands, MirageValue *results);

/*===----------------------------------------------------------------------===*\
|* Other forms                                                                *|
\*===----------------------------------------------------------------------===*/

/** A program as JSON that `mirageGraphFromJSON` reads back: {"graph": ...,
 * "inputStrides": [...], "outputStrides": [...]}, where strides that are
 * row-major are null. Where no output was added there is "outputsAreImplied":
 * true as well, and so there is none in what is read back. */
MIRAGE_C_EXPORTED MirageStatus mirageGraphToJSON(const MirageGraph *graph,
                                                 MirageText *json);
/** Reads that form, or the JSON of the original Mirage (mirage-project/mirage):
 * a graph, or a list of one (include/Mirage/Graph/OriginalJSON.h). */
MIRAGE_C_EXPORTED MirageStatus mirageGraphFromJSON(const char *json,
                                                   size_t size,
                                                   MirageGraph **graph);

/** What a number of "data_type" means in JSON of the original. */
typedef struct {
  int64_t number;
  MirageElementType element;
} MirageNumberedType;

/** As `index`: there is only one graph. */
enum { MirageOnlyGraph = -1 };

/** What JSON of the original leaves open. */
typedef struct {
  size_t structSize; /**< sizeof(MirageJSONChoices) */
  int64_t index;     /**< which graph of a list, from 0; or MirageOnlyGraph */
  /** `numTypes` that mean something else than in the original's newest
   * version, as they do in earlier ones. */
  const MirageNumberedType *types;
  size_t numTypes;
} MirageJSONChoices;

/** The same; null: an index of MirageOnlyGraph, and no types. Fails, with how
 * many graphs there are, where none of them has that index. */
MIRAGE_C_EXPORTED MirageStatus mirageGraphFromJSONWithChoices(
    const char *json, size_t size, const MirageJSONChoices *choices,
    MirageGraph **graph);

/** A module with the program as its one function. Fails where the graph is a
 * block graph or has no output. */
MIRAGE_C_EXPORTED MirageStatus mirageModuleFromGraph(MirageContext *context,
                                                     const MirageGraph *graph,
                                                     const char *function,
                                                     MirageModule **module);

/** The program, or µGraph, that a function of a module is, with the names and
 * strides of its arguments; what is in linalg is imported.
 * \p function  null: the only one */
MIRAGE_C_EXPORTED MirageStatus mirageModuleGetGraph(const MirageModule *module,
                                                    const char *function,
                                                    MirageGraph **graph);

#ifdef __cplusplus
}
#endif

#endif /* MIRAGE_C_GRAPH_H */
