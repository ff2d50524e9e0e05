//===- Graph.cpp - The µGraph as plain C++ values -------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::mirage;

ValueId Graph::insertInput(TensorSpec type, llvm::StringRef name) {
  ValueId input = getNumInputs();
  auto moveUp = [&](ValueId &value) { value += value >= input; };
  types.insert(types.begin() + input, std::move(type));
  definitions.insert(definitions.begin() + input, -1);
  inputNames.push_back(name.str());
  for (Node &operation : operations) {
    llvm::for_each(operation.operands, moveUp);
    llvm::for_each(operation.results, moveUp);
  }
  llvm::for_each(outputIds, moveUp);
  return input;
}

ValueId Graph::addInput(TensorSpec type, llvm::StringRef name) {
  assert(operations.empty() && "inputs are numbered before results");
  types.push_back(std::move(type));
  inputNames.push_back(name.str());
  definitions.push_back(-1);
  return types.size() - 1;
}

void Graph::reserve(size_t numInputs, size_t numOperations) {
  types.reserve(numInputs + numOperations);
  definitions.reserve(numInputs + numOperations);
  inputNames.reserve(numInputs);
  operations.reserve(numOperations);
}

ValueId Graph::add(Opcode opcode, llvm::ArrayRef<ValueId> operands,
                   TensorSpec type, Attributes attributes) {
  Node operation;
  operation.opcode = opcode;
  operation.attributes = std::move(attributes);
  operation.operands.assign(operands.begin(), operands.end());
  operation.results.push_back(types.size());
  types.push_back(std::move(type));
  definitions.push_back(operations.size());
  operations.push_back(std::move(operation));
  return types.size() - 1;
}

ValueId Graph::addGraph(llvm::ArrayRef<ValueId> operands,
                        std::shared_ptr<const TileGraph> body,
                        llvm::ArrayRef<TensorSpec> resultTypes) {
  Node operation;
  operation.opcode = Opcode::Graph;
  operation.operands.assign(operands.begin(), operands.end());
  operation.body = std::move(body);
  ValueId first = types.size();
  for (const TensorSpec &type : resultTypes) {
    operation.results.push_back(types.size());
    types.push_back(type);
    definitions.push_back(operations.size());
  }
  operations.push_back(std::move(operation));
  return first;
}

ValueId Graph::addCopy(const Node &operation, llvm::ArrayRef<ValueId> operands,
                       llvm::ArrayRef<TensorSpec> resultTypes) {
  return operation.body ? addGraph(operands, operation.body, resultTypes)
                        : add(operation.opcode, operands, resultTypes[0],
                              operation.attributes);
}

const Node *Graph::getDefinition(ValueId value) const {
  int index = definitions[value];
  return index < 0 ? nullptr : &operations[index];
}

llvm::SmallVector<TensorSpec>
Graph::getTypes(llvm::ArrayRef<ValueId> values) const {
  return llvm::map_to_vector(values, [&](ValueId v) { return types[v]; });
}

llvm::SmallVector<ValueId>
mlir::mirage::inlineGraph(const Graph &graph, llvm::ArrayRef<ValueId> operands,
                          Graph &to) {
  llvm::SmallVector<ValueId> mapped(operands);
  auto get = [&](ValueId value) { return mapped[value]; };
  for (const Node &node : graph.getNodes()) {
    llvm::SmallVector<ValueId> values = llvm::map_to_vector(node.operands, get);
    ValueId first = to.addCopy(node, values, graph.getTypes(node.results));
    for (unsigned i = 0; i < node.results.size(); ++i)
      mapped.push_back(first + i);
  }
  return llvm::map_to_vector(graph.getOutputs(), get);
}

int64_t TileGraph::getNumBlocks() const {
  int64_t count = 1;
  for (int64_t extent : grid)
    count *= extent;
  return count;
}

int64_t TileGraph::getNumClusterBlocks() const {
  int64_t count = 1;
  for (int64_t extent : cluster)
    count *= extent;
  return count;
}

int64_t TileGraph::getExtent(Axis axis) const {
  if (axis == Axis::Loop)
    return loop;
  unsigned number = static_cast<unsigned>(axis);
  return number < grid.size() ? grid[number] : 1;
}

int64_t TileGraph::getExtent(llvm::ArrayRef<Axis> axes) const {
  int64_t product = 1;
  for (Axis axis : axes)
    product *= getExtent(axis);
  return product;
}

/// The axes that a map sends to a dimension.
static llvm::SmallVector<Axis, 2> findAxes(llvm::ArrayRef<int> gridMap,
                                           unsigned dim) {
  llvm::SmallVector<Axis, 2> axes;
  for (auto [axis, mapped] : llvm::enumerate(gridMap))
    if (mapped == static_cast<int>(dim))
      axes.push_back(static_cast<Axis>(axis));
  return axes;
}

llvm::SmallVector<Axis, 2> TileGraph::getCuttingAxes(unsigned input,
                                                     unsigned dim) const {
  const TileInput &map = tileInputs[input];
  llvm::SmallVector<Axis, 2> axes = findAxes(map.gridMap, dim);
  if (map.loopMap == static_cast<int>(dim))
    axes.push_back(Axis::Loop);
  return axes;
}

llvm::SmallVector<Axis, 2> TileGraph::getJoinedAxes(unsigned output,
                                                    unsigned dim) const {
  return findAxes(tileOutputs[output].gridMap, dim);
}

namespace {
/// Prints graphs, nested ones indented.
class Printer {
public:
  explicit Printer(llvm::raw_ostream &os) : os(os) {}

  void print(const Graph &graph) {
    for (unsigned input = 0; input < graph.getNumInputs(); ++input)
      if (!tileInputs)
        line() << '%' << input << " = input : " << graph.getType(input) << '\n';
      else
        print(input, graph.getType(input), tileInputs[input]);
    for (const Node &operation : graph.getNodes())
      print(graph, operation);
    line() << "outputs";
    for (ValueId output : graph.getOutputs())
      os << " %" << output;
    os << '\n';
  }

private:
  llvm::raw_ostream &line() { return os.indent(indent); }

  void print(ValueId input, const TensorSpec &type, const TileInput &map) {
    line() << '%' << input << " = input grid [";
    llvm::interleaveComma(map.gridMap, os);
    os << "] loop " << map.loopMap << " : " << type << '\n';
  }

  void print(const Attributes &attributes, const Node &operation) {
    if (operation.opcode == Opcode::Accumulate)
      os << ' ' << getOperatorInfo(attributes.reduction).name << " over "
         << getAxisName(attributes.axis);
    printList(" scalars", attributes.scalars);
    printList(" dims", attributes.dims);
    if (attributes.count)
      os << " count " << attributes.count;
    if (attributes.extent)
      os << " extent " << attributes.extent;
    printList(" offsets", attributes.offsets);
    printList(" strides", attributes.strides);
    if (operation.opcode == Opcode::CausalMask)
      os << " offset " << attributes.offset;
    for (Axis axis : attributes.axes)
      os << ' ' << getAxisName(axis);
    if (!attributes.columnAxes.empty())
      os << " columns";
    for (Axis axis : attributes.columnAxes)
      os << ' ' << getAxisName(axis);
  }

  template <typename Range>
  void printList(llvm::StringRef title, const Range &range) {
    if (range.empty())
      return;
    os << title << " [";
    llvm::interleaveComma(range, os);
    os << ']';
  }

  void print(const Graph &graph, const Node &operation) {
    line();
    llvm::interleaveComma(operation.results, os,
                          [&](ValueId result) { os << '%' << result; });
    os << " = " << getOperatorInfo(operation.opcode).name;
    print(operation.attributes, operation);
    llvm::interleave(
        operation.operands, os, [&](ValueId operand) { os << " %" << operand; },
        ",");
    os << " : ";
    llvm::interleaveComma(graph.getTypes(operation.results), os);
    os << '\n';
    if (operation.body)
      printNested(*operation.body);
  }

  void printNested(const TileGraph &body) {
    indent += 2;
    line() << getLevelName(body.level) << " graph grid [";
    llvm::interleaveComma(body.grid, os);
    os << ']';
    printList(" cluster", body.cluster);
    os << " loop " << body.loop;
    if (body.stages != 1)
      os << " stages " << body.stages;
    os << " threads " << body.threads << '\n';
    const TileInput *outer = tileInputs;
    tileInputs = body.tileInputs.data();
    print(body);
    tileInputs = outer;
    for (const TileOutput &output : body.tileOutputs) {
      line() << "output grid [";
      llvm::interleaveComma(output.gridMap, os);
      os << "]\n";
    }
    indent -= 2;
  }

  llvm::raw_ostream &os;
  unsigned indent = 0;
  const TileInput *tileInputs = nullptr; ///< of the tile graph being printed
};
} // namespace

std::string mlir::mirage::toString(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream os(text);
  Printer(os).print(graph);
  return text;
}
