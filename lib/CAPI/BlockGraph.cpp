//===- BlockGraph.cpp - The C API of kernels by hand ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "GraphHandle.h"
#include "Mirage/Graph/LevelRules.h"
#include "Status.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::Twine;

/// What is wrong with the shape of a block; empty if nothing is.
static std::string explainBadShape(const MirageBlockShape *shape) {
  if (!shape)
    return "expects a shape, got null";
  if (std::string problem =
          explainBadSize("MirageBlockShape", sizeof(*shape), shape->structSize);
      !problem.empty())
    return problem;
  if (!shape->grid && shape->gridRank > 0)
    return "expects a grid, got null";
  if (!shape->block && shape->blockRank > 0)
    return "expects a block, got null";
  return "";
}

MirageStatus mirageBlockGraphCreate(const MirageBlockShape *shape,
                                    MirageGraph **graph) {
  if (!graph)
    return refuse("expects a place for the graph, got null");
  *graph = nullptr;
  if (std::string problem = explainBadShape(shape); !problem.empty())
    return refuse(problem);
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid.assign(shape->grid, shape->grid + shape->gridRank);
  if (shape->cluster)
    tiles->cluster.assign(shape->cluster, shape->cluster + shape->gridRank);
  tiles->loop = shape->loop;
  tiles->stages = shape->stages;
  llvm::Expected<unsigned> threads =
      countThreads(ArrayRef(shape->block, shape->blockRank));
  if (!threads)
    return refuse(threads.takeError());
  tiles->threads = *threads;
  if (llvm::Error error = verifyMaps(*tiles, {}, {}, {}))
    return refuse(std::move(error));
  *graph = new MirageGraph();
  (*graph)->tiles = std::move(tiles);
  return MirageSuccess;
}

/// What is wrong with a block graph of the caller's and its map.
static std::string explainBadBlock(const MirageGraph *block,
                                   const int *gridMap) {
  if (!block || !block->tiles)
    return Twine("expects a block graph, got " +
                 Twine(block ? "a program" : "null"))
        .str();
  if (!gridMap && !block->tiles->grid.empty())
    return "expects a map of the grid, got null";
  return "";
}

MirageStatus mirageBlockGraphAddInput(MirageGraph *block,
                                      const MirageTensorType *tensor,
                                      const int *gridMap, int loopMap,
                                      MirageValue *value) {
  std::string problem = explainBadBlock(block, gridMap);
  if (problem.empty())
    problem = explainBadTensor(tensor);
  if (!problem.empty())
    return refuse(problem);
  if (!value)
    return refuse("expects a place for the value, got null");
  if (tensor->strides)
    return refuse("expects a tensor without strides, which tiles have not, got "
                  "some");
  TensorSpec spec = getSpec(*tensor);
  llvm::Expected<ValueId> added = block->getBuilder().addInput(
      spec, ArrayRef(gridMap, block->tiles->grid.size()), loopMap);
  if (!added)
    return refuse(added.takeError());
  block->tensors.push_back(std::move(spec));
  *value = block->numberInput(*added);
  return MirageSuccess;
}

MirageStatus mirageBlockGraphAddOutput(MirageGraph *block, MirageValue value,
                                       const int *gridMap, const int64_t *shape,
                                       const MirageElementType *element) {
  std::string problem = explainBadBlock(block, gridMap);
  if (!problem.empty())
    return refuse(problem);
  auto id = block->resolve(value);
  if (!id)
    return refuse(id.takeError());
  ResultRequest whole;
  if (shape)
    whole.shape.assign(shape,
                       shape + block->get().getType(id->front()).getRank());
  if (element && !(whole.element = convert(*element)))
    return refuse("expects a MirageElementType, got " +
                  Twine(static_cast<int>(*element)));
  if (llvm::Error error = block->getBuilder().addOutput(
          id->front(), ArrayRef(gridMap, block->tiles->grid.size())))
    return refuse(std::move(error));
  block->wholes.push_back(std::move(whole));
  return MirageSuccess;
}

/// Fails where an operand is no tensor like the one that a block graph was made
/// with.
static llvm::Error checkOperands(const MirageGraph &block,
                                 ArrayRef<TensorSpec> operands) {
  for (auto [number, expected, found] :
       llvm::enumerate(block.tensors, operands))
    if (expected != found)
      return llvm::createStringError(
          "operand " + Twine(number) +
          ": expects the type that the block graph was made with, " +
          toString(expected) + ", got " + toString(found));
  return llvm::Error::success();
}

/// Whether tiles of an input end beyond its tensor.
static bool hasPartialTiles(const TileGraph &tiles, unsigned input,
                            const TensorSpec &tensor) {
  ArrayRef<int64_t> tile = tiles.getType(input).shape;
  for (unsigned dim = 0; dim < tile.size(); ++dim)
    if (tile[dim] * tiles.getExtent(tiles.getCuttingAxes(input, dim)) !=
        tensor.shape[dim])
      return true;
  return false;
}

static bool averages(const Node &op) {
  Opcode opcode =
      op.opcode == Opcode::Accumulate ? op.attributes.reduction : op.opcode;
  return getOperatorInfo(opcode).averages() && op.attributes.count == 0;
}

/// A block graph with masks where operations would see the zeros that tiles
/// have beyond their tensors. Fails where they are averaged, since nobody says
/// how many elements there are.
static llvm::Expected<TileGraph> maskPadding(const TileGraph &tiles,
                                             ArrayRef<TensorSpec> operands) {
  for (unsigned input = 0; input < operands.size(); ++input)
    if (hasPartialTiles(tiles, input, operands[input]) &&
        llvm::any_of(tiles.getNodes(), averages))
      return llvm::createStringError(
          "operand " + Twine(input) +
          ": expects a size that blocks and loop divide where tiles are "
          "averaged, got " +
          toString(operands[input]) + " in tiles of " +
          toString(tiles.getType(input)));
  return maskPartialTiles(tiles, operands);
}

MirageStatus mirageGraphAddBlockGraph(MirageGraph *graph,
                                      const MirageGraph *block,
                                      const MirageValue *operands,
                                      size_t numOperands,
                                      MirageValue *results) {
  if (!graph || graph->tiles)
    return refuse(Twine("expects a program, got ") +
                  (graph ? "a block graph" : "null"));
  if (!block || !block->tiles)
    return refuse(Twine("expects a block graph, got ") +
                  (block ? "a program" : "null"));
  if (block->wholes.empty())
    return refuse("expects a block graph with an output, got none");
  if ((!operands && numOperands > 0) || !results)
    return refuse(Twine("expects ") +
                  (results ? "operands" : "a place for the results") +
                  ", got null");
  auto ids = graph->resolve(ArrayRef(operands, numOperands));
  if (!ids)
    return refuse(ids.takeError());
  auto tiles = std::make_shared<TileGraph>(*block->tiles);
  if (numOperands == block->tensors.size()) {
    llvm::SmallVector<TensorSpec> types = graph->get().getTypes(*ids);
    if (llvm::Error error = checkOperands(*block, types))
      return refuse(std::move(error));
    llvm::Expected<TileGraph> masked = maskPadding(*tiles, types);
    if (!masked)
      return refuse(masked.takeError());
    *tiles = std::move(*masked);
  }
  llvm::Expected<ValueId> first =
      graph->getBuilder().addKernel(*ids, tiles, block->wholes);
  if (!first)
    return refuse(first.takeError());
  for (size_t number = 0; number < block->wholes.size(); ++number)
    results[number] = graph->numberResult(*first + number);
  return MirageSuccess;
}
