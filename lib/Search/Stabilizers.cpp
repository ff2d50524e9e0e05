//===- Stabilizers.cpp - Maxima that keep exponentials small --------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/Stabilizers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include <vector>

using namespace mlir::mirage;
using namespace mlir::mirage::search;

/// The value that casts, reshapes and broadcasts made another form of.
static ValueId lookThrough(const Graph &graph, ValueId value) {
  const Node *operation = graph.getDefinition(value);
  while (operation && (operation->opcode == Opcode::Cast ||
                       operation->opcode == Opcode::Reshape ||
                       operation->opcode == Opcode::Broadcast)) {
    value = operation->operands[0];
    operation = graph.getDefinition(value);
  }
  return value;
}

/// x, of a value x − max x; none of others.
static std::optional<ValueId> findUnshifted(const Graph &graph, ValueId value) {
  const Node *difference = graph.getDefinition(lookThrough(graph, value));
  if (!difference || difference->opcode != Opcode::Sub)
    return std::nullopt;
  const Node *largest =
      graph.getDefinition(lookThrough(graph, difference->operands[1]));
  if (!largest || largest->opcode != Opcode::Max ||
      lookThrough(graph, largest->operands[0]) !=
          lookThrough(graph, difference->operands[0]))
    return std::nullopt;
  return difference->operands[0];
}

namespace {
/// Copies what outputs depend on, with other operands for exponentials.
class Stripper {
public:
  explicit Stripper(const Graph &program)
      : program(program), ids(program.getNumValues(), kNone) {}

  std::optional<Graph> run() {
    for (const Node &operation : program.getNodes())
      if (operation.opcode == Opcode::Exp) {
        auto unshifted = findUnshifted(program, operation.operands[0]);
        if (!unshifted || program.getType(*unshifted).shape !=
                              program.getType(operation.operands[0]).shape)
          return std::nullopt;
        hasExponential = true;
      }
    if (!hasExponential)
      return std::nullopt;
    result.f32Products = program.f32Products;
    for (unsigned input = 0; input < program.getNumInputs(); ++input)
      ids[input] =
          result.addInput(program.getType(input), program.getInputName(input));
    for (ValueId output : program.getOutputs())
      result.addOutput(copy(output));
    return std::move(result);
  }

private:
  static constexpr ValueId kNone = ~ValueId(0);

  /// Programs are a few operations deep.
  ValueId copy(ValueId value) {
    if (ids[value] != kNone)
      return ids[value];
    const Node &operation = *program.getDefinition(value);
    bool isExponential = operation.opcode == Opcode::Exp;
    auto operands = llvm::map_to_vector(operation.operands, [&](ValueId id) {
      return copy(isExponential ? *findUnshifted(program, id) : id);
    });
    ids[value] = result.add(operation.opcode, operands, program.getType(value),
                            operation.attributes);
    return ids[value];
  }

  const Graph &program;
  Graph result;
  std::vector<ValueId> ids; ///< in the result, by value of the program
  bool hasExponential = false;
};
} // namespace

std::optional<Graph>
mlir::mirage::search::removeStabilizers(const Graph &program) {
  return Stripper(program).run();
}
