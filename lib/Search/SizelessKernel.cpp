//===- SizelessKernel.cpp - A block graph of any sizes --------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/SizelessKernel.h"
#include "KernelBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;
using llvm::SmallVector;

// Names stand for sizes: no two have one size, and none has 1.
static int64_t getStandIn(NameId name) { return name + 2; }
static NameId getNameOf(int64_t size) {
  return size == 1 ? kNoName : static_cast<NameId>(size - 2);
}

static Tiling getStandIns(const TargetProgram &program) {
  Tiling tiling;
  for (NameId name = 0; name < program.getNumAllNames(); ++name)
    tiling.tile.push_back(getStandIn(name));
  return tiling;
}

/// Tensors that two tiles along each axis cover, all but the last element of
/// partial ones.
static SmallVector<TensorSpec> getTensors(const TileGraph &graph,
                                          NameSet partial) {
  SmallVector<TensorSpec> tensors;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input) {
    TensorSpec &tensor = tensors.emplace_back(graph.getType(input));
    for (auto [dim, size] : llvm::enumerate(tensor.shape)) {
      NameId name = getNameOf(size);
      size *= graph.getExtent(graph.getCuttingAxes(input, dim));
      size -= name != kNoName && contains(partial, name);
    }
  }
  return tensors;
}

static TileGraph build(const TargetProgram &program, const KernelPlan &plan,
                       NameSet partial) {
  Tiling tiling = getStandIns(program);
  auto built = KernelBuilder(program, plan, tiling.tile, tiling).run();
  assert(built && "what is planned can be built");
  TileGraph &graph = built->graph;
  graph.loop = plan.kernel.loopName == kNoName ? 1 : 2;
  llvm::fill(graph.grid, 2);
  return llvm::cantFail(maskPartialTiles(graph, getTensors(graph, partial)),
                        "masks depend on names alone");
}

SizelessKernel::SizelessKernel(const TargetProgram &program,
                               const KernelPlan &plan, NameSet partial)
    : plan(plan), graph(build(program, plan, partial)) {
  for (ValueId value = 0; value < graph.getNumValues(); ++value) {
    DimensionList &layout = layouts.emplace_back();
    for (int64_t size : graph.getType(value).shape)
      layout.push_back(getNameOf(size));
  }
}

const TileGraph &SizelessKernel::resize(ArrayRef<int64_t> extents,
                                        const Tiling &tiling) {
  for (ValueId value = 0; value < graph.getNumValues(); ++value)
    graph.setType(value, {DimensionNames::getShape(layouts[value], tiling.tile),
                          graph.getType(value).element});
  graph.threads = tiling.threads;
  graph.stages = tiling.stages;
  graph.loop = getLoop(plan.kernel, extents, tiling);
  graph.grid = getGrid(plan.kernel, extents, tiling);
  return graph;
}

NameSet mlir::mirage::search::getPartialNames(const KernelStructure &kernel,
                                              ArrayRef<int64_t> extents,
                                              const Tiling &tiling) {
  int64_t loop = getLoop(kernel, extents, tiling);
  NameSet partial = 0;
  auto add = [&](NameId name, int64_t numTiles) {
    if (numTiles * tiling.tile[name] != extents[name])
      partial |= toSet(name);
  };
  for (auto [name, blocks] :
       llvm::zip_equal(kernel.gridNames, getGrid(kernel, extents, tiling)))
    add(name, name == kernel.loopName ? blocks * loop : blocks);
  if (kernel.loopName != kNoName && !splitsLoopedName(kernel))
    add(kernel.loopName, loop);
  return partial;
}
