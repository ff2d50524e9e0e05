//===- Mutants.cpp - Graphs that are almost right -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutants.h"
#include "DoubleArithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mlir::mirage;
using namespace mlir::mirage::test;

namespace {
/// A graph in pieces that can be changed one at a time.
struct Parts {
  std::vector<Node> operations;
  llvm::SmallVector<ValueId> outputs;
  TileGraph tiles; ///< header and maps, if it is a tile graph
};

class Mutator {
public:
  using Build = std::function<void(const std::string &, const Parts &)>;

  Mutator(const Graph &graph, Parts parts, Build build)
      : graph(graph), parts(std::move(parts)), build(std::move(build)) {}

  void run() {
    for (unsigned i = 0; i < parts.operations.size(); ++i)
      mutateOperation(i);
    for (unsigned i = 0; i < parts.outputs.size(); ++i)
      for (ValueId value = 0; value < graph.getNumValues(); ++value)
        if (value != parts.outputs[i] && sameShape(value, parts.outputs[i]))
          with("output from another value",
               [&](Parts &p) { p.outputs[i] = value; });
    mutateMaps();
  }

private:
  void with(const std::string &what, llvm::function_ref<void(Parts &)> change) {
    Parts changed = parts;
    change(changed);
    build(what, changed);
  }

  bool sameShape(ValueId a, ValueId b) const {
    return graph.getType(a).shape == graph.getType(b).shape;
  }

  void mutateOperation(unsigned i) {
    const Node &operation = parts.operations[i];
    const OperatorInfo &info = getOperatorInfo(operation.opcode);
    std::string where = ("operation " + llvm::Twine(i) + ": ").str();
    auto change = [&](const llvm::Twine &what,
                      llvm::function_ref<void(Node &)> mutate) {
      with(where + what.str(), [&](Parts &p) { mutate(p.operations[i]); });
    };
    for (const OperatorInfo &other : getOperatorTable())
      if (other.opcode != operation.opcode && other.kind == info.kind &&
          info.kind != OperatorKind::Movement &&
          other.numOperands == info.numOperands && other.parameters.size() <= 1)
        change(other.name + " for " + info.name, [&](Node &o) {
          o.opcode = other.opcode;
          o.attributes.scalars.assign(other.parameters.size(), 2.0);
        });
    if (operation.operands.size() == 2)
      change("operands swapped",
             [](Node &o) { std::swap(o.operands[0], o.operands[1]); });
    for (unsigned k = 0; k < operation.operands.size(); ++k)
      for (ValueId value = 0; value < operation.results[0]; ++value)
        if (value != operation.operands[k] &&
            sameShape(value, operation.operands[k]))
          change("another operand", [&](Node &o) { o.operands[k] = value; });
    mutateAttributes(operation, change);
    for (ValueId operand : operation.operands)
      if (operation.results.size() == 1 &&
          sameShape(operand, operation.results[0]))
        with(where + "left out", [&](Parts &p) {
          for (Node &user : p.operations)
            llvm::replace(user.operands, operation.results[0], operand);
          llvm::replace(p.outputs, operation.results[0], operand);
        });
  }

  template <typename Change>
  void mutateAttributes(const Node &operation, Change change) {
    const Attributes &attributes = operation.attributes;
    for (unsigned k = 0; k < attributes.scalars.size(); ++k)
      for (double factor : {2.0, -1.0, 1.0 + 0x1p-20, 0.0})
        change("another constant",
               [&](Node &o) { o.attributes.scalars[k] *= factor; });
    if (operation.opcode == Opcode::Accumulate) {
      for (Opcode other : {Opcode::Sum, Opcode::Mean, Opcode::Max, Opcode::Rms})
        if (other != attributes.reduction)
          change("another reduction",
                 [&](Node &o) { o.attributes.reduction = other; });
      for (Axis other : {Axis::X, Axis::Y, Axis::Loop})
        if (other != attributes.axis)
          change("another axis", [&](Node &o) { o.attributes.axis = other; });
      change("no reduced dimensions", [](Node &o) { o.attributes.dims = {}; });
    }
    if (attributes.count) {
      for (int64_t delta : {-1, 1})
        change("count off by one",
               [&](Node &o) { o.attributes.count += delta; });
      change("no count", [](Node &o) { o.attributes.count = 0; });
    }
    if (attributes.extent)
      for (int64_t delta : {-1, 1})
        change("mask off by one",
               [&](Node &o) { o.attributes.extent += delta; });
    if (attributes.dims.size() == 1)
      for (int64_t other : {0, 1})
        if (other != attributes.dims[0])
          change("another dimension",
                 [&](Node &o) { o.attributes.dims[0] = other; });
  }

  void mutateMaps() {
    for (unsigned i = 0; i < parts.tiles.tileInputs.size(); ++i) {
      for (int dim = kReplicated; dim < 2; ++dim) {
        with("another loop map",
             [&](Parts &p) { p.tiles.tileInputs[i].loopMap = dim; });
        for (unsigned axis = 0; axis < parts.tiles.grid.size(); ++axis)
          with("another grid map",
               [&](Parts &p) { p.tiles.tileInputs[i].gridMap[axis] = dim; });
      }
    }
    for (unsigned i = 0; i < parts.tiles.tileOutputs.size(); ++i)
      for (unsigned axis = 0; axis < parts.tiles.grid.size(); ++axis)
        for (int dim = kSummed; dim < 2; ++dim)
          with("another output map",
               [&](Parts &p) { p.tiles.tileOutputs[i].gridMap[axis] = dim; });
    with("one more iteration", [](Parts &p) { ++p.tiles.loop; });
    for (unsigned axis = 0; axis < parts.tiles.grid.size(); ++axis)
      with("one more block", [&](Parts &p) { ++p.tiles.grid[axis]; });
  }

  const Graph &graph;
  Parts parts;
  Build build;
};
} // namespace

static Parts takeApart(const Graph &graph) {
  Parts parts;
  parts.operations = graph.getNodes().vec();
  parts.outputs.assign(graph.getOutputs().begin(), graph.getOutputs().end());
  return parts;
}

/// Adds the operations of `parts` to a graph that has its inputs. Results keep
/// the shapes that the operator table gives them.
static bool putTogether(const Parts &parts, const Graph &original,
                        Graph &graph) {
  for (const Node &operation : parts.operations) {
    if (operation.body) {
      graph.addGraph(operation.operands, operation.body,
                     original.getTypes(operation.results));
      continue;
    }
    TensorSpec type = original.getType(operation.results[0]);
    llvm::Expected<Shape> shape =
        inferShape(operation.opcode, operation.attributes,
                   graph.getTypes(operation.operands), type.shape);
    if (!shape) {
      llvm::consumeError(shape.takeError());
      return false;
    }
    type.shape = *shape;
    graph.add(operation.opcode, operation.operands, type, operation.attributes);
  }
  for (ValueId output : parts.outputs)
    graph.addOutput(output);
  return true;
}

/// The outputs must keep their shapes, too.
static bool isWellFormed(const Graph &graph, const Graph &original) {
  if (llvm::Error error = verify(graph)) {
    llvm::consumeError(std::move(error));
    return false;
  }
  return llvm::all_of(
      llvm::zip(graph.getOutputs(), original.getOutputs()), [&](auto pair) {
        auto [a, b] = pair;
        return graph.getType(a).shape == original.getType(b).shape;
      });
}

static void addInputs(const Graph &from, Graph &to) {
  for (unsigned input = 0; input < from.getNumInputs(); ++input)
    to.addInput(from.getType(input), from.getInputName(input));
}

std::vector<Mutant> mlir::mirage::test::makeMutants(const Graph &graph) {
  std::vector<Mutant> mutants;
  auto keep = [&](const std::string &what, const Parts &parts) {
    Graph mutant;
    addInputs(graph, mutant);
    if (putTogether(parts, graph, mutant) && isWellFormed(mutant, graph))
      mutants.push_back({what, std::move(mutant)});
  };
  Parts whole = takeApart(graph);
  Mutator(graph, whole, keep).run();
  for (unsigned i = 0; i < whole.operations.size(); ++i) {
    std::shared_ptr<const TileGraph> body = whole.operations[i].body;
    if (!body)
      continue;
    Parts inner = takeApart(*body);
    inner.tiles.level = body->level;
    inner.tiles.grid = body->grid;
    inner.tiles.loop = body->loop;
    inner.tiles.threads = body->threads;
    inner.tiles.tileInputs = body->tileInputs;
    inner.tiles.tileOutputs = body->tileOutputs;
    Mutator(*body, inner, [&](const std::string &what, const Parts &parts) {
      auto tiles = std::make_shared<TileGraph>(parts.tiles);
      addInputs(*body, *tiles);
      if (!putTogether(parts, *body, *tiles))
        return;
      Parts outer = whole;
      outer.operations[i].body = tiles;
      keep("in the tile graph, " + what, outer);
    }).run();
  }
  return mutants;
}

Verdict::Kind mlir::mirage::test::getExpectedVerdict(const Graph &program,
                                                     const Graph &mutant) {
  if (findDifference(program, mutant))
    return Verdict::Different;
  return haveNumbersAlike(program, mutant) ? Verdict::Equal : Verdict::Unknown;
}
