//===- RewrittenProgram.cpp - Programs as the search takes them -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/RewrittenProgram.h"
#include "Mirage/Graph/GraphWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::SmallVector;

/// One graph after another, of which it gives the inputs.
static Graph join(const Graph &first, const Graph &second) {
  Graph joined;
  SmallVector<ValueId> values;
  for (unsigned input = 0; input < first.getNumInputs(); ++input)
    values.push_back(
        joined.addInput(first.getType(input), first.getInputName(input)));
  values = inlineGraph(first, values, joined);
  for (ValueId output : inlineGraph(second, values, joined))
    joined.addOutput(output);
  return joined;
}

Graph RewrittenProgram::withBody(const Graph &other) const {
  Graph joined = join(join(inputs, other), outputs);
  joined.f32Products = other.f32Products;
  return inlineConstants(joined);
}

RewrittenProgram mlir::mirage::search::withReshapes(const Graph &program,
                                                    Graph body) {
  RewrittenProgram result;
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    result.inputs.addInput(program.getType(input), program.getInputName(input));
  GraphWriter inputs(result.inputs);
  for (unsigned input = 0; input < program.getNumInputs(); ++input)
    result.inputs.addOutput(inputs.reshape(input, body.getType(input).shape));
  for (ValueId output : body.getOutputs())
    result.outputs.addInput(body.getType(output));
  GraphWriter outputs(result.outputs);
  for (auto [number, output] : llvm::enumerate(program.getOutputs()))
    result.outputs.addOutput(
        outputs.reshape(number, program.getType(output).shape));
  result.body = std::move(body);
  return result;
}

llvm::Expected<RewrittenProgram>
mlir::mirage::search::splitProgram(const Graph &program, MergedFactors which) {
  llvm::Expected<DimensionFactors> factors = factorDimensions(program);
  if (!factors)
    return factors.takeError();
  llvm::Expected<Graph> body =
      splitDimensions(program, mergeFactors(program, *factors, which));
  if (!body)
    return body.takeError();
  return withReshapes(program, std::move(*body));
}

/// One rewriting after another, of the body.
static llvm::Error
apply(RewrittenProgram &program,
      llvm::function_ref<llvm::Expected<RewrittenProgram>(const Graph &)>
          rewrite) {
  llvm::Expected<RewrittenProgram> next = rewrite(program.body);
  if (!next)
    return next.takeError();
  program.inputs = join(program.inputs, next->inputs);
  program.body = std::move(next->body);
  program.outputs = join(next->outputs, program.outputs);
  return llvm::Error::success();
}

llvm::Expected<RewrittenProgram>
mlir::mirage::search::rewriteForSearch(const Graph &program,
                                       MergedFactors which) {
  auto split = [which](const Graph &body) { return splitProgram(body, which); };
  RewrittenProgram result = withReshapes(program, program);
  if (llvm::Error error = apply(result, peelReshapes))
    return std::move(error);
  if (llvm::Error error = apply(result, split))
    return std::move(error);
  for (auto rewrite :
       {peelTransposes, separatePieces, foldConstants, separateRoles})
    if (llvm::Error error = apply(result, rewrite))
      return std::move(error);
  return result;
}
