//===- Graph.cpp - The C API of tensor programs ---------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage-c/Graph.h"
#include "ElementTypes.h"
#include "GraphHandle.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Status.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/FormatVariadic.h"
#include <numeric>

using namespace mlir::mirage;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

llvm::Expected<SmallVector<ValueId>>
MirageGraph::resolve(ArrayRef<MirageValue> numbers) const {
  SmallVector<ValueId> resolved;
  for (MirageValue number : numbers) {
    if (number >= values.size())
      return llvm::createStringError("expects one of " + Twine(values.size()) +
                                     " values, got %" + Twine(number));
    resolved.push_back(values[number]);
  }
  return resolved;
}

MirageValue MirageGraph::numberInput(ValueId input) {
  for (ValueId &value : values)
    value += value >= input;
  values.push_back(input);
  return values.size() - 1;
}

MirageValue MirageGraph::numberResults(ValueId first, size_t count) {
  for (size_t number = 0; number < count; ++number)
    values.push_back(first + number);
  return values.size() - count;
}

void MirageGraph::numberAll() {
  values.resize(get().getNumValues());
  std::iota(values.begin(), values.end(), ValueId(0));
}

//===----------------------------------------------------------------------===//
// Names and outputs
//===----------------------------------------------------------------------===//

bool MirageGraph::hasInput(StringRef name) const {
  for (unsigned input = 0; input < get().getNumInputs(); ++input)
    if (get().getInputName(input) == name)
      return true;
  return false;
}

std::string MirageGraph::chooseInputName() const {
  unsigned number = get().getNumInputs();
  while (hasInput("input" + std::to_string(number)))
    ++number;
  return "input" + std::to_string(number);
}

MirageGraph MirageGraph::complete() const {
  MirageGraph whole = *this;
  if (!program.getOutputs().empty())
    return whole;
  llvm::BitVector isTaken(program.getNumValues());
  for (const Node &operation : program.getNodes())
    for (ValueId operand : operation.operands)
      isTaken.set(operand);
  for (ValueId value = program.getNumInputs(); value < program.getNumValues();
       ++value)
    if (!isTaken.test(value)) {
      whole.program.addOutput(value);
      whole.outputStrides.emplace_back();
    }
  return whole;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// What is wrong with a tensor of the caller's; empty if nothing is.
static std::string explainBadTensor(const MirageTensorType *type) {
  if (!type || (!type->shape && type->rank > 0))
    return type ? "expects a shape, got null" : "expects a type, got null";
  if (!convert(type->element))
    return llvm::formatv("expects a MirageElementType, got {0}",
                         static_cast<int>(type->element));
  return "";
}

/// Of a tensor that has nothing wrong with it.
static TensorSpec getSpec(const MirageTensorType &type) {
  return {Shape(ArrayRef(type.shape, type.rank)), *convert(type.element)};
}

/// Strides that are not row-major, or none; an error where they are no good.
static llvm::Expected<Strides>
readStrides(const TensorSpec &type, const int64_t *strides, bool isWritten) {
  if (!strides)
    return Strides();
  Strides read(ArrayRef(strides, type.getRank()));
  if (std::optional<std::string> problem =
          explainBadStrides(type.shape, read, isWritten))
    return llvm::createStringError(*problem);
  return isRowMajor(type.shape, read) ? Strides() : read;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

MirageStatus mirageGraphCreate(MirageGraph **graph) {
  if (!graph)
    return refuse("expects a place for the graph, got null");
  *graph = new MirageGraph();
  return MirageSuccess;
}

void mirageGraphDestroy(MirageGraph *graph) { delete graph; }

MirageStatus mirageGraphAddInput(MirageGraph *graph, const char *name,
                                 const MirageTensorType *type,
                                 MirageValue *value) {
  if (!graph || !value)
    return refuse(Twine("expects a ") +
                  (graph ? "place for the value" : "graph") + ", got null");
  if (graph->tiles)
    return refuse("expects a program, got a block graph, whose inputs have "
                  "maps");
  if (std::string problem = explainBadTensor(type); !problem.empty())
    return refuse(problem);
  if (name && (!*name || !isOneLine(name) || graph->hasInput(name)))
    return refuse("expects a name of one line that no other input has, got \"" +
                  Twine(name) + "\"");
  TensorSpec spec = getSpec(*type);
  std::string given = name ? name : graph->chooseInputName();
  llvm::Expected<Strides> strides =
      readStrides(spec, type->strides, /*isWritten=*/false);
  if (!strides)
    return refuse(strides.takeError());
  llvm::Expected<ValueId> added =
      graph->getBuilder().addInput(std::move(spec), given);
  if (!added)
    return refuse(added.takeError());
  graph->inputStrides.push_back(std::move(*strides));
  *value = graph->numberInput(*added);
  return MirageSuccess;
}

namespace {
/// What the attributes of an operator say.
struct ReadAttributes {
  Attributes attributes;
  ResultRequest request;
};
} // namespace

static llvm::Expected<ReadAttributes> readAttributes(const char *text) {
  ReadAttributes read;
  if (!text)
    return read;
  llvm::Expected<llvm::json::Value> json = parseJSON(text);
  if (!json)
    return llvm::createStringError("attributes: " +
                                   llvm::toString(json.takeError()));
  std::string error;
  JSONCursor cursor(*json, error);
  read.attributes = mlir::mirage::readAttributes(cursor, {"shape", "element"});
  if (cursor.has("shape"))
    read.request.shape = readShape(cursor["shape"]);
  if (cursor.has("element"))
    read.request.element = readElementType(cursor["element"]);
  if (!error.empty())
    return llvm::createStringError("attributes: " + error);
  return read;
}

MirageStatus mirageGraphAddOperator(MirageGraph *graph, const char *name,
                                    const MirageValue *operands,
                                    size_t numOperands, const char *attributes,
                                    MirageValue *result) {
  if (!graph || !name || !result)
    return refuse(Twine("expects a ") +
                  (!graph  ? "graph"
                   : !name ? "name"
                           : "place for the result") +
                  ", got null");
  if (!operands && numOperands > 0)
    return refuse("expects " + Twine(numOperands) + " operands, got null");
  std::optional<Opcode> opcode = parseOpcode(name);
  if (!opcode)
    return refuse("expects the name of an operator, got \"" + Twine(name) +
                  "\"");
  llvm::Expected<ReadAttributes> read = readAttributes(attributes);
  if (!read)
    return refuse(read.takeError());
  auto ids = graph->resolve(ArrayRef(operands, numOperands));
  if (!ids)
    return refuse(Twine(name) + ": " + llvm::toString(ids.takeError()));
  llvm::Expected<ValueId> added = graph->getBuilder().add(
      *opcode, *ids, std::move(read->attributes), read->request);
  if (!added)
    return refuse(Twine(name) + ": " + llvm::toString(added.takeError()));
  *result = graph->numberResults(*added, 1);
  return MirageSuccess;
}

MirageStatus mirageGraphAddOutput(MirageGraph *graph, MirageValue value,
                                  const int64_t *strides) {
  if (!graph)
    return refuse("expects a graph, got null");
  if (graph->tiles)
    return refuse("expects a program, got a block graph, whose outputs have "
                  "maps");
  auto id = graph->resolve(value);
  if (!id)
    return refuse(id.takeError());
  llvm::Expected<Strides> read = readStrides(
      graph->program.getType(id->front()), strides, /*isWritten=*/true);
  if (!read)
    return refuse(read.takeError());
  llvm::cantFail(graph->getBuilder().addOutput(id->front()));
  graph->outputStrides.push_back(std::move(*read));
  return MirageSuccess;
}

const char *mirageGraphGetInputName(const MirageGraph *graph, size_t number) {
  if (!graph || number >= graph->get().getNumInputs())
    return "";
  return graph->get().getInputName(number).data(); // of a std::string
}

size_t mirageGraphGetNumInputs(const MirageGraph *graph) {
  return graph ? graph->get().getNumInputs() : 0;
}

size_t mirageGraphGetNumValues(const MirageGraph *graph) {
  return graph ? graph->get().getNumValues() : 0;
}

size_t mirageGraphGetNumOutputs(const MirageGraph *graph) {
  return graph ? graph->get().getOutputs().size() : 0;
}

MirageStatus mirageGraphGetType(const MirageGraph *graph, MirageValue value,
                                MirageTensorType *type) {
  if (!graph || !type)
    return refuse(Twine("expects a ") +
                  (graph ? "place for the type" : "graph") + ", got null");
  auto ids = graph->resolve(value);
  if (!ids)
    return refuse(ids.takeError());
  ValueId id = ids->front();
  const TensorSpec &spec = graph->get().getType(id);
  bool isStrided =
      id < graph->inputStrides.size() && !graph->inputStrides[id].empty();
  *type = {convert(spec.element), spec.shape.size(), spec.shape.data(),
           isStrided ? graph->inputStrides[id].data() : nullptr};
  return MirageSuccess;
}

//===----------------------------------------------------------------------===//
// Block graphs
//===----------------------------------------------------------------------===//

MirageStatus mirageBlockGraphCreate(const MirageBlockShape *shape,
                                    MirageGraph **graph) {
  if (!graph)
    return refuse("expects a place for the graph, got null");
  *graph = nullptr;
  if (!shape || (!shape->grid && shape->gridRank > 0))
    return refuse(Twine("expects ") + (shape ? "a grid" : "a shape") +
                  ", got null");
  auto tiles = std::make_shared<TileGraph>();
  tiles->grid.assign(shape->grid, shape->grid + shape->gridRank);
  if (shape->cluster)
    tiles->cluster.assign(shape->cluster, shape->cluster + shape->gridRank);
  tiles->loop = shape->loop;
  tiles->stages = shape->stages;
  tiles->threads = shape->threads;
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
  llvm::Expected<ValueId> added = block->getBuilder().addInput(
      getSpec(*tensor), ArrayRef(gridMap, block->tiles->grid.size()), loopMap);
  if (!added)
    return refuse(added.takeError());
  *value = block->numberInput(*added);
  return MirageSuccess;
}

MirageStatus mirageBlockGraphAddOutput(MirageGraph *block, MirageValue value,
                                       const int *gridMap) {
  std::string problem = explainBadBlock(block, gridMap);
  if (!problem.empty())
    return refuse(problem);
  auto id = block->resolve(value);
  if (!id)
    return refuse(id.takeError());
  if (llvm::Error error = block->getBuilder().addOutput(
          id->front(), ArrayRef(gridMap, block->tiles->grid.size())))
    return refuse(std::move(error));
  return MirageSuccess;
}

MirageStatus
mirageGraphAddBlockGraph(MirageGraph *graph, const MirageGraph *block,
                         const MirageValue *operands, size_t numOperands,
                         const MirageTensorType *types, MirageValue *results) {
  if (!graph || graph->tiles)
    return refuse(Twine("expects a program, got ") +
                  (graph ? "a block graph" : "null"));
  if (!block || !block->tiles)
    return refuse(Twine("expects a block graph, got ") +
                  (block ? "a program" : "null"));
  if ((!operands && numOperands > 0) || !results)
    return refuse(Twine("expects ") +
                  (results ? "operands" : "a place for the results") +
                  ", got null");
  SmallVector<TensorSpec> specs;
  size_t numResults = block->tiles->getOutputs().size();
  for (size_t number = 0; types && number < numResults; ++number) {
    if (std::string problem = explainBadTensor(&types[number]);
        !problem.empty())
      return refuse("result " + Twine(number) + ": " + problem);
    specs.push_back(getSpec(types[number]));
  }
  auto ids = graph->resolve(ArrayRef(operands, numOperands));
  if (!ids)
    return refuse(ids.takeError());
  llvm::Expected<ValueId> first = graph->getBuilder().addKernel(
      *ids, std::make_shared<TileGraph>(*block->tiles), specs);
  if (!first)
    return refuse(first.takeError());
  std::iota(results, results + numResults,
            graph->numberResults(*first, numResults));
  return MirageSuccess;
}
