//===- CanonicalGraph.cpp - One graph for all ways to write it ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/DimensionNames.h"
#include "Mirage/Graph/GraphJSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;
using llvm::SmallVector;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// The canonical form
//===----------------------------------------------------------------------===//

namespace {
/// The numbers of a graph's operations in canonical order. A stack of its own:
/// graphs may be deep.
class OperationOrder {
public:
  explicit OperationOrder(const Graph &graph)
      : graph(graph), isSeen(graph.getNodes().size(), false) {}

  std::vector<unsigned> run() {
    for (ValueId output : graph.getOutputs()) {
      ask(output);
      while (!asked.empty())
        advance();
    }
    return std::move(order);
  }

private:
  struct Asked {
    unsigned operation = 0;
    unsigned nextOperand = 0;
  };

  void ask(ValueId value) {
    const Node *node = graph.getDefinition(value);
    if (!node)
      return;
    unsigned number = node - graph.getNodes().data();
    if (!isSeen[number])
      asked.push_back({number});
    isSeen[number] = true;
  }

  void advance() {
    Asked &top = asked.back();
    const Node &node = graph.getNodes()[top.operation];
    if (top.nextOperand < node.operands.size())
      return ask(node.operands[top.nextOperand++]);
    order.push_back(top.operation);
    asked.pop_back();
  }

  const Graph &graph;
  std::vector<bool> isSeen;
  std::vector<Asked> asked;
  std::vector<unsigned> order;
};
} // namespace

/// Adds everything of `from` that its outputs need to an empty graph.
static void addInOrder(const Graph &from, Graph &to) {
  to.f32Products = from.f32Products;
  SmallVector<ValueId> newIds(from.getNumValues(), ~ValueId(0));
  auto getNewId = [&](ValueId value) { return newIds[value]; };
  for (ValueId input = 0; input < from.getNumInputs(); ++input)
    newIds[input] = to.addInput(from.getType(input), from.getInputName(input));
  for (unsigned number : OperationOrder(from).run()) {
    const Node &node = from.getNodes()[number];
    SmallVector<ValueId, 2> operands(llvm::map_range(node.operands, getNewId));
    ValueId first = to.getNumValues();
    if (node.body)
      to.addGraph(operands,
                  std::make_shared<TileGraph>(canonicalize(*node.body)),
                  from.getTypes(node.results));
    else
      to.add(node.opcode, operands, from.getType(node.results[0]),
             node.attributes);
    for (auto [position, result] : llvm::enumerate(node.results))
      newIds[result] = first + position;
  }
  for (ValueId output : from.getOutputs())
    to.addOutput(newIds[output]);
}

Graph mlir::mirage::canonicalize(const Graph &graph) {
  Graph result;
  addInOrder(graph, result);
  return result;
}

TileGraph mlir::mirage::canonicalize(const TileGraph &graph) {
  TileGraph result;
  addInOrder(graph, result);
  result.level = graph.level;
  result.grid = graph.grid;
  result.cluster = graph.cluster;
  result.loop = graph.loop;
  result.stages = graph.stages;
  result.threads = graph.threads;
  result.tileInputs = graph.tileInputs;
  result.tileOutputs = graph.tileOutputs;
  return result;
}

//===----------------------------------------------------------------------===//
// Hashes
//===----------------------------------------------------------------------===//

/// A member of JSON that this file's own writer made an object or array of.
static Object &getObject(Value &value) { return *value.getAsObject(); }
static Array &getArray(Object &object, llvm::StringRef member) {
  return *object.getArray(member);
}

/// Calls `change` with the operation of each node. Nested graphs are left
/// alone.
static void
forEachOperation(const Graph &graph, Object &json,
                 llvm::function_ref<void(const Node &, Object &)> change) {
  for (auto [node, operation] :
       llvm::zip_equal(graph.getNodes(), getArray(json, "operations")))
    change(node, getObject(operation));
}

/// Of nested graphs as well.
static void eraseInputNames(Object &graph) {
  for (Value &input : getArray(graph, "inputs"))
    getObject(input).erase("name");
  for (Value &operation : getArray(graph, "operations"))
    if (Object *body = getObject(operation).getObject("body"))
      eraseInputNames(*body);
}

/// The canonical form as JSON, without what means nothing.
static Object writeForHash(const Graph &graph) {
  Value json = toJSON(graph);
  Object object = std::move(getObject(json));
  eraseInputNames(object);
  // To average all elements is what happens where no count is stated.
  forEachOperation(graph, object, [&](const Node &node, Object &operation) {
    if (node.opcode != Opcode::Mean && node.opcode != Opcode::Rms)
      return;
    Attributes all = node.attributes;
    all.count = 0;
    if (node.attributes.count ==
        getAveragedCount(all, graph.getType(node.operands[0]).shape))
      operation.erase("count");
  });
  return object;
}

/// \param meaning  what is hashed, so that hashes of two things never agree.
static std::string hashJSON(llvm::StringRef meaning, Object object) {
  std::string text;
  llvm::raw_string_ostream(text) << meaning << ' ' << kGraphHashVersion << '\n'
                                 << Value(std::move(object));
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

std::string mlir::mirage::hashGraph(const Graph &graph) {
  return hashJSON("graph", writeForHash(canonicalize(graph)));
}

/// Puts names into the place of sizes; -1 is a size of 1.
static void replaceShape(Object &type, llvm::ArrayRef<NameId> names) {
  Array shape;
  for (NameId name : names)
    shape.push_back(name == kNoName ? int64_t(-1) : int64_t(name));
  type["shape"] = std::move(shape);
}

llvm::Expected<std::string> mlir::mirage::hashWithoutSizes(const Graph &graph) {
  Graph canonical = canonicalize(graph);
  for (const Node &node : canonical.getNodes())
    if (node.body)
      return llvm::createStringError(
          "expects a graph without nested ones, whose tiles have sizes");
  llvm::Expected<DimensionNames> names = nameDimensions(canonical);
  if (!names)
    return names.takeError();
  Object object = writeForHash(canonical);
  for (auto [input, json] : llvm::enumerate(getArray(object, "inputs")))
    replaceShape(*getObject(json).getObject("type"), names->ofValues[input]);
  forEachOperation(canonical, object, [&](const Node &node, Object &operation) {
    replaceShape(getObject(getArray(operation, "types")[0]),
                 names->ofValues[node.results[0]]);
  });
  return hashJSON("graph without sizes", std::move(object));
}
