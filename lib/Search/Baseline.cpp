//===- Baseline.cpp - Every operator as a kernel of its own ---------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Baseline.h"
#include "Mirage/Graph/DefaultTileGraph.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;

llvm::Expected<Graph>
mlir::mirage::search::buildBaseline(const Graph &program, const Target &target,
                                    LibraryKernels libraryKernels,
                                    const CostModel &costModel) {
  Graph baseline;
  baseline.f32Products = program.f32Products;
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    baseline.addInput(program.getType(input), program.getInputName(input));
  auto keep = [&](const Node &op) {
    baseline.add(op.opcode, op.operands, program.getType(op.results[0]),
                 op.attributes);
  };
  for (const Node &op : program.getNodes()) {
    if (!hasDefaultTileGraph(op.opcode)) {
      keep(op);
      continue;
    }
    llvm::Expected<TileGraph> body =
        buildDefaultTileGraph(program, op, target.sharedBytesPerBlock);
    if (!body)
      return body.takeError();
    llvm::SmallVector<TensorSpec> operands = program.getTypes(op.operands),
                                  results = program.getTypes(op.results);
    assignBlockSize(*body, operands, results, costModel);
    std::optional<LibraryMatmul> matmul = findLibraryMatmul(program, op);
    if (matmul &&
        isLeftToLibrary(*matmul,
                        costModel.estimateKernelUs(*body, operands, results),
                        libraryKernels, costModel)) {
      keep(op);
      continue;
    }
    baseline.addGraph(op.operands,
                      std::make_shared<TileGraph>(std::move(*body)),
                      program.getTypes(op.results));
  }
  for (ValueId output : program.getOutputs())
    baseline.addOutput(output);
  return baseline;
}

bool mlir::mirage::search::callsLibrary(const Graph &baseline) {
  return llvm::any_of(baseline.getNodes(), [&](const Node &op) {
    return !op.body && findLibraryMatmul(baseline, op);
  });
}
