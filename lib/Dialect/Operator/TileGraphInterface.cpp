//===- TileGraphInterface.cpp - Ops that open a level of tiles ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Dialect/Operator/TileGraphInterface.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::mirage;

#include "Mirage/Dialect/Operator/TileGraphInterface.cpp.inc"

TileGraph mlir::mirage::readTileGraphHeader(TileGraphOpInterface op) {
  TileGraph graph;
  graph.level = op.getLevel();
  graph.grid.assign(op.getGrid().begin(), op.getGrid().end());
  graph.cluster.assign(op.getClusterExtents().begin(),
                       op.getClusterExtents().end());
  graph.loop = op.getLoop();
  graph.stages = op.getNumStages();
  graph.threads = op.getNumThreads();
  auto toMap = [](Attribute attribute) {
    ArrayRef<int64_t> dims = cast<DenseI64ArrayAttr>(attribute).asArrayRef();
    return SmallVector<int, 3>(dims.begin(), dims.end());
  };
  for (auto [imap, fmap] : llvm::zip_equal(op.getImaps(), op.getFmaps()))
    graph.tileInputs.push_back({toMap(imap), static_cast<int>(fmap)});
  for (Attribute omap : op.getOmaps())
    graph.tileOutputs.push_back({toMap(omap)});
  for (BlockArgument tile : op.getBody().getArguments())
    graph.addInput(convertTensor(tile.getType()));
  return graph;
}

static Attribute toArray(Builder &builder, ArrayRef<int> dims) {
  return builder.getDenseI64ArrayAttr(
      SmallVector<int64_t>(dims.begin(), dims.end()));
}

SmallVector<NamedAttribute>
mlir::mirage::writeTileGraphHeader(MLIRContext *context,
                                   const TileGraph &graph) {
  Builder builder(context);
  SmallVector<Attribute> imaps, omaps;
  SmallVector<int64_t> fmaps;
  for (const TileInput &input : graph.tileInputs) {
    imaps.push_back(toArray(builder, input.gridMap));
    fmaps.push_back(input.loopMap);
  }
  for (const TileOutput &output : graph.tileOutputs)
    omaps.push_back(toArray(builder, output.gridMap));
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr("grid", builder.getDenseI64ArrayAttr(graph.grid)),
      builder.getNamedAttr("threads", builder.getI64IntegerAttr(graph.threads)),
      builder.getNamedAttr("loop", builder.getI64IntegerAttr(graph.loop)),
      builder.getNamedAttr("imaps", builder.getArrayAttr(imaps)),
      builder.getNamedAttr("fmaps", builder.getDenseI64ArrayAttr(fmaps)),
      builder.getNamedAttr("omaps", builder.getArrayAttr(omaps))};
  if (graph.stages != 1)
    attributes.push_back(builder.getNamedAttr(
        "stages", builder.getI64IntegerAttr(graph.stages)));
  if (!graph.cluster.empty())
    attributes.push_back(builder.getNamedAttr(
        "cluster", builder.getDenseI64ArrayAttr(graph.cluster)));
  return attributes;
}
