//===- GraphHandle.h - What a MirageGraph holds -----------------*- C++ -*-===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_CAPI_GRAPHHANDLE_H
#define MIRAGE_LIB_CAPI_GRAPHHANDLE_H

#include "Mirage-c/Graph.h"
#include "Mirage/Graph/GraphBuilder.h"
#include "Mirage/Graph/Strides.h"
#include <deque>

/// Values of a graph count its inputs first; those of the C API are numbered as
/// they are added, so that inputs may come at any time.
struct MirageGraph {
  mlir::mirage::Graph program; ///< empty where there are `tiles`
  /// Of a block graph, else null.
  std::shared_ptr<mlir::mirage::TileGraph> tiles;
  std::vector<mlir::mirage::ValueId> values; ///< by MirageValue
  /// Of a program. Empty ones are row-major.
  std::vector<mlir::mirage::Strides> inputStrides, outputStrides;
  /// Of a program, by input. What the C API has given out stays where it is.
  std::deque<std::string> inputNames;
  /// By MirageValue, of inputs without strides and of results.
  std::vector<mlir::mirage::Strides> rowMajor;
  /// Of a block graph, by input and by output: what it has tiles of.
  std::vector<mlir::mirage::TensorSpec> tensors;
  std::vector<mlir::mirage::ResultRequest> wholes;

  mlir::mirage::Graph &get() { return tiles ? *tiles : program; }
  const mlir::mirage::Graph &get() const { return tiles ? *tiles : program; }
  mlir::mirage::GraphBuilder getBuilder() {
    using mlir::mirage::GraphBuilder;
    return tiles ? GraphBuilder(*tiles) : GraphBuilder(program);
  }

  /// The graph's own numbers of values; fails where there are none.
  llvm::Expected<llvm::SmallVector<mlir::mirage::ValueId>>
  resolve(llvm::ArrayRef<MirageValue> numbers) const;
  /// Of an input that has been added, and of a result.
  MirageValue numberInput(mlir::mirage::ValueId input);
  MirageValue numberResult(mlir::mirage::ValueId result);
  /// Of a graph that has been read whole: the same numbers.
  void numberAll();

  bool hasInput(llvm::StringRef name) const;
  std::string chooseInputName() const; ///< "input1", or the next that is free
  /// The program with all outputs: where none was added, the values that no
  /// operation takes.
  MirageGraph complete() const;
};

namespace mlir::mirage {

/// What is wrong with a tensor of the caller's; empty if nothing is.
std::string explainBadTensor(const MirageTensorType *type);
/// Of a tensor that has nothing wrong with it.
TensorSpec getSpec(const MirageTensorType &type);

} // namespace mlir::mirage

#endif // MIRAGE_LIB_CAPI_GRAPHHANDLE_H
