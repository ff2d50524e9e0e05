//===- OriginalJSON.h - µGraphs in the JSON of the original -----*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what the original Mirage (mirage-project/mirage) writes: `to_json` of
// one graph, and the files in which its search keeps all that it has found
// (mirage_cached_mugraphs_*.json, mirage_search_checkpoint.json). A graph is a
// list of operators, whose tensors are known by numbers, their guids. exp(X):
//
//   [{"op_type": "kn_input_op", "input_strides": [64, 1],
//     "input_map": {"x": -1, "y": -1, "z": -1}, "input_tensors": [],
//     "output_tensors": [{"guid": 1, "num_dims": 2, "dim": [8, 64, 0, 0],
//                         "data_type": 940, "layout": "DmemRowMajor"}]},
//    {"op_type": "kn_exp_op", "input_tensors": [{"guid": 1, ...}],
//     "output_tensors": [{"guid": 2, ...}]},
//    {"op_type": "kn_output_op", "output_strides": [64, 1], ...,
//     "input_tensors": [{"guid": 2, ...}]}]
//
// A kernel by hand ("kn_customized_op") has a member "bgraph": "grid_dim",
// "block_dim", "forloop_range", "reduction_dimx" and its own "operators", of
// which "tb_input_op" has "input_map" and "forloop_dim", and "tb_output_op" has
// "output_map". A search's file is a list of graphs; before September 2024 it
// was an object that has them as "generated_graphs".
//
// Operators become ours as the Python package takes those of the same names
// (python/mirage/block_graph.py). What says how and not what is left unread:
// places in shared memory, layouts of tiles, and the element types of values
// inside a kernel, where all is f32. Not all is written: the numbers of a
// mul_scalar and of a clamp are not, which are read where somebody has added
// them ("scalar", "min_val" and "max_val"); nor the shape that a kernel's
// rms_norm normalizes, which is taken to be the last dimension.
//
// Numbers of element types have meant different things:
//
//                              920   921  930       940   941   950
//   until February 2025        bf16  f16  f32       f64   -     -
//   until June 2025            -     -    f8E4M3FN  bf16  f16   f32
//   since                      -     -    f8E4M3FN  f16   bf16  f32
//
// No version is written. Accumulators that are called "tb_accum_..." are from
// before March 2025, and so are inputs without strides, from before October
// 2024: there, the first row holds, and 940 to 950 are what the second one
// says. Otherwise it is the last row, with 921 as f16. What is between March
// and June 2025 looks like what came later; callers can say what numbers mean.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_GRAPH_ORIGINALJSON_H
#define MIRAGE_GRAPH_ORIGINALJSON_H

#include "Mirage/Graph/Graph.h"
#include "Mirage/Graph/Strides.h"
#include "llvm/Support/JSON.h"

namespace mlir::mirage {

/// What the element types' numbers are.
using NumberedTypes = llvm::SmallVector<std::pair<int64_t, ElementType>, 2>;

/// What a document leaves open.
struct OriginalChoices {
  /// Which graph of a list; none: the only one.
  std::optional<int64_t> index = std::nullopt;
  /// These count before those of the table above.
  NumberedTypes types = {};
};

/// A program with the places of its tensors; empty strides are row-major.
struct OriginalProgram {
  Graph graph; ///< without outputs where none is marked
  std::vector<Strides> inputStrides, outputStrides;
};

/// Whether a document has that form, and not the one of
/// Mirage/Graph/GraphJSON.h: it is a list, or has "generated_graphs".
bool isOriginalJSON(const llvm::json::Value &document);

/// Reads a program, which is checked as it grows; that it has outputs is not.
/// Errors name the path of the offending member, "[2].bgraph.operators[4]",
/// with what was expected and found; where there are several graphs and none is
/// chosen, how many.
llvm::Expected<OriginalProgram>
programFromOriginalJSON(const llvm::json::Value &document,
                        const OriginalChoices &choices = {});

} // namespace mlir::mirage

#endif // MIRAGE_GRAPH_ORIGINALJSON_H
