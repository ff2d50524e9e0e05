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
  inputNames.emplace_back(get().getInputName(input));
  return numberResult(input);
}

MirageValue MirageGraph::numberResult(ValueId result) {
  values.push_back(result);
  rowMajor.push_back(getRowMajorStrides(get().getType(result).shape));
  return values.size() - 1;
}

void MirageGraph::numberAll() {
  for (ValueId value = 0; value < get().getNumInputs(); ++value)
    numberInput(value);
  for (ValueId value = get().getNumInputs(); value < get().getNumValues();
       ++value)
    numberResult(value);
}

//===----------------------------------------------------------------------===//
// Names and outputs
//===----------------------------------------------------------------------===//

bool MirageGraph::hasInput(StringRef name) const {
  return llvm::is_contained(inputNames, name);
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

std::string mlir::mirage::explainBadTensor(const MirageTensorType *type) {
  if (!type || (!type->shape && type->rank > 0))
    return type ? "expects a shape, got null" : "expects a type, got null";
  if (!convert(type->element))
    return llvm::formatv("expects a MirageElementType, got {0}",
                         static_cast<int>(type->element));
  return "";
}

TensorSpec mlir::mirage::getSpec(const MirageTensorType &type) {
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
  if (name && (!*name || !isOneLine(name) || graph->hasInput(name) ||
               StringRef(name).find_first_of("/=") != StringRef::npos))
    return refuse("expects a name of one line, without '/' and '=', that no "
                  "other input has, got \"" +
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

/// What is wrong with the graph of an operator, its name and the place for its
/// result; empty if nothing is.
static std::string explainNull(const MirageGraph *graph, const char *name,
                               const MirageValue *result) {
  if (graph && name && result)
    return "";
  return llvm::formatv("expects a {0}, got null", !graph ? "graph"
                                                  : !name
                                                      ? "name"
                                                      : "place for the result");
}

static llvm::Expected<Opcode> findOperator(StringRef name) {
  if (std::optional<Opcode> opcode = parseOpcode(name))
    return *opcode;
  return llvm::createStringError("expects the name of an operator, got \"" +
                                 name + "\"");
}

/// Numbers what an operator of that name has added.
static MirageStatus finish(MirageGraph &graph, StringRef name,
                           llvm::Expected<ValueId> added, MirageValue *result) {
  if (!added)
    return refuse(name + ": " + llvm::toString(added.takeError()));
  *result = graph.numberResult(*added);
  return MirageSuccess;
}

MirageStatus mirageGraphAddOperator(MirageGraph *graph, const char *name,
                                    const MirageValue *operands,
                                    size_t numOperands, const char *attributes,
                                    MirageValue *result) {
  if (std::string problem = explainNull(graph, name, result); !problem.empty())
    return refuse(problem);
  if (!operands && numOperands > 0)
    return refuse("expects " + Twine(numOperands) + " operands, got null");
  llvm::Expected<Opcode> opcode = findOperator(name);
  if (!opcode)
    return refuse(opcode.takeError());
  llvm::Expected<ReadAttributes> read = readAttributes(attributes);
  if (!read)
    return refuse(read.takeError());
  auto ids = graph->resolve(ArrayRef(operands, numOperands));
  if (!ids)
    return refuse(Twine(name) + ": " + llvm::toString(ids.takeError()));
  llvm::Expected<ValueId> added = graph->getBuilder().add(
      *opcode, *ids, std::move(read->attributes), read->request);
  return finish(*graph, name, std::move(added), result);
}

MirageStatus mirageGraphAddOperatorWithNumber(MirageGraph *graph,
                                              const char *name,
                                              MirageValue operand,
                                              double number, int isNumberFirst,
                                              MirageValue *result) {
  if (std::string problem = explainNull(graph, name, result); !problem.empty())
    return refuse(problem);
  llvm::Expected<Opcode> opcode = findOperator(name);
  if (!opcode)
    return refuse(opcode.takeError());
  auto ids = graph->resolve(operand);
  if (!ids)
    return refuse(Twine(name) + ": " + llvm::toString(ids.takeError()));
  llvm::Expected<ValueId> added = graph->getBuilder().addWithNumber(
      *opcode, ids->front(), number, isNumberFirst);
  return finish(*graph, name, std::move(added), result);
}

MirageStatus mirageGraphAddSumTo(MirageGraph *graph, MirageValue operand,
                                 int64_t dim, int64_t size, int isAccumulated,
                                 MirageValue *result) {
  if (std::string problem = explainNull(graph, "sum", result); !problem.empty())
    return refuse(problem);
  auto ids = graph->resolve(operand);
  if (!ids)
    return refuse(ids.takeError());
  llvm::Expected<ValueId> added =
      graph->getBuilder().addSumTo(ids->front(), dim, size, isAccumulated);
  if (!added)
    return refuse(added.takeError());
  *result = graph->numberResult(*added);
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
  if (!graph || number >= graph->inputNames.size())
    return "";
  return graph->inputNames[number].c_str();
}

size_t mirageGraphGetNumInputs(const MirageGraph *graph) {
  return graph ? graph->get().getNumInputs() : 0;
}

size_t mirageGraphGetNumValues(const MirageGraph *graph) {
  return graph ? graph->values.size() : 0;
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
           isStrided ? graph->inputStrides[id].data()
                     : graph->rowMajor[value].data()};
  return MirageSuccess;
}
