//===- Instantiator.cpp - Structures with numbers -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Instantiator.h"
#include "KernelBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::ArrayRef;

TileGraph mlir::mirage::search::buildTileGraph(const TargetProgram &program,
                                               const KernelPlan &plan,
                                               ArrayRef<int64_t> extents,
                                               const Tiling &tiling) {
  std::optional<KernelBuilder::Built> built =
      KernelBuilder(program, plan, extents, tiling).run();
  assert(built && "what is planned can be built");
  return llvm::cantFail(
      maskPartialTiles(built->graph, plan.getInputTypes(extents)),
      "a name has one extent in all tensors, and no operator joins names");
}

Graph mlir::mirage::search::buildGraph(const TargetProgram &program,
                                       const Structure &structure,
                                       ArrayRef<KernelPlan> plans,
                                       ArrayRef<int64_t> sizes,
                                       ArrayRef<Tiling> tilings) {
  llvm::SmallVector<int64_t> extents(sizes);
  Graph graph;
  graph.f32Products = program.graph.f32Products;
  std::vector<ValueId> values; // by device tensor
  for (unsigned input = 0; input < program.graph.getNumInputs(); ++input)
    values.push_back(graph.addInput(
        {DimensionNames::getShape(program.names.ofValues[input], extents),
         program.graph.getType(input).element},
        program.graph.getInputName(input)));
  llvm::SmallVector<ValueId> firsts; // by kernel
  for (auto [plan, tiling] : llvm::zip(plans, tilings)) {
    setPartExtents(program, plan, tiling, extents);
    llvm::SmallVector<ValueId> operands;
    for (const KernelPlan::Source &source : plan.sources)
      operands.push_back(source.kernel ? firsts[*source.kernel] + source.number
                                       : source.number);
    firsts.push_back(graph.addGraph(operands,
                                    std::make_shared<TileGraph>(buildTileGraph(
                                        program, plan, extents, tiling)),
                                    plan.getResultTypes(extents)));
    for (unsigned i = 0; i < plan.kernel.results.size(); ++i)
      values.push_back(firsts.back() + i);
  }
  for (unsigned output : structure.outputs)
    graph.addOutput(values[output]);
  assert(!llvm::errorToBool(verify(graph)) &&
         "the search built a malformed graph");
  return graph;
}
