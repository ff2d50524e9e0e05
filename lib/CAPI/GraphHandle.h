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

struct MirageGraph {
  mlir::mirage::Graph program; ///< empty where there are `tiles`
  std::shared_ptr<mlir::mirage::TileGraph>
      tiles; ///< of a block graph, else null
  /// Of a program. Empty ones are row-major.
  std::vector<mlir::mirage::Strides> inputStrides, outputStrides;

  mlir::mirage::Graph &get() { return tiles ? *tiles : program; }
  const mlir::mirage::Graph &get() const { return tiles ? *tiles : program; }
  mlir::mirage::GraphBuilder getBuilder() {
    using mlir::mirage::GraphBuilder;
    return tiles ? GraphBuilder(*tiles) : GraphBuilder(program);
  }
};

#endif // MIRAGE_LIB_CAPI_GRAPHHANDLE_H
