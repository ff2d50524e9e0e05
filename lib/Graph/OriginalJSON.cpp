//===- OriginalJSON.cpp - µGraphs in the JSON of the original -------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/OriginalJSON.h"
#include "Mirage/Graph/GraphJSON.h"
#include "OriginalBlockGraph.h"
#include "OriginalOperators.h"
#include "llvm/ADT/STLExtras.h"
#include <climits>

using namespace mlir::mirage;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef kGeneratedGraphs = "generated_graphs";

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static const std::pair<int64_t, ElementType> kTypesUntilMarch2025[] = {
    {920, ElementType::BF16}, {921, ElementType::F16}, {930, ElementType::F32},
    {940, ElementType::BF16}, {941, ElementType::F16}, {950, ElementType::F32}};
static const std::pair<int64_t, ElementType> kTypesSince[] = {
    {921, ElementType::F16},
    {930, ElementType::F8E4M3FN},
    {940, ElementType::F16},
    {941, ElementType::BF16},
    {950, ElementType::F32}};

/// Whether an operator is as it was written before March 2025.
static bool isOld(const JSONCursor &operation) {
  std::string type = operation["op_type"].string();
  if (type == "kn_input_op")
    return !operation.has("input_strides");
  if (type != "kn_customized_op")
    return StringRef(type).starts_with("tb_accum_");
  return llvm::any_of(operation["bgraph"]["operators"].array(), isOld);
}

/// What was stated first.
static NumberedTypes getTypes(llvm::ArrayRef<JSONCursor> operations,
                              const OriginalChoices &choices) {
  NumberedTypes types = choices.types;
  if (llvm::any_of(operations, isOld))
    llvm::append_range(types, kTypesUntilMarch2025);
  else
    llvm::append_range(types, kTypesSince);
  return types;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

namespace {
class ProgramReader {
public:
  ProgramReader(OriginalProgram &program, const NumberedTypes &types)
      : program(program), types(types), operators(program.graph, types) {}

  void read(llvm::ArrayRef<JSONCursor> operations);

private:
  void addInput(const JSONCursor &operation);
  void addOutput(const JSONCursor &operation);
  void addOperation(const JSONCursor &operation);
  void addChunks(const JSONCursor &operation, int64_t dim);
  void addKernel(const JSONCursor &operation);

  OriginalProgram &program;
  NumberedTypes types;
  OriginalOperators operators;
};
} // namespace

/// Tensors of several GPUs have parts on each.
static void checkIsWhole(const JSONCursor &map) {
  for (int64_t dim : readOriginalTriple(map, INT_MIN, INT_MAX))
    if (dim != kReplicated)
      map.fail("expects -1, as programs run on one GPU, got " + Twine(dim));
}

/// Before October 2024 the layout said what strides say since.
static Strides getStridesOfLayout(const JSONCursor &layout,
                                  const Shape &shape) {
  if (shape.size() < 2 || layout.string() != "DmemColumnMajor")
    return {};
  Shape swapped = shape;
  std::swap(swapped.end()[-1], swapped.end()[-2]);
  Strides strides = getRowMajorStrides(swapped);
  std::swap(strides.end()[-1], strides.end()[-2]);
  return strides;
}

static Strides readStrides(const JSONCursor &cursor, const Shape &shape,
                           bool areWritten) {
  Strides strides = readShape(cursor);
  if (cursor.failed())
    return {};
  if (auto problem = explainBadStrides(shape, strides, areWritten)) {
    cursor.fail(*problem);
    return {};
  }
  return isRowMajor(shape, strides) ? Strides() : strides;
}

void ProgramReader::addInput(const JSONCursor &operation) {
  for (const JSONCursor &tensor :
       readOriginalTensors(operation, "output_tensors", 1)) {
    TensorSpec type = readOriginalTensor(tensor, types);
    if (operation.has("input_map"))
      checkIsWhole(operation["input_map"]);
    if (operation.failed())
      return;
    unsigned number = program.graph.getNumInputs();
    llvm::Expected<ValueId> added =
        operators.builder.addInput(type, "input" + std::to_string(number));
    if (!added)
      return tensor.fail(llvm::toString(added.takeError()));
    program.inputStrides.push_back(
        operation.has("input_strides")
            ? readStrides(operation["input_strides"], type.shape,
                          /*areWritten=*/false)
            : getStridesOfLayout(tensor["layout"], type.shape));
    operators.define(tensor, *added);
  }
}

void ProgramReader::addOutput(const JSONCursor &operation) {
  for (const JSONCursor &tensor :
       readOriginalTensors(operation, "input_tensors", 1)) {
    ValueId value = operators.find(tensor);
    if (operation.has("output_map"))
      checkIsWhole(operation["output_map"]);
    if (operation.failed())
      return;
    program.outputStrides.push_back(
        readStrides(operation["output_strides"],
                    program.graph.getType(value).shape, /*areWritten=*/true));
    if (llvm::Error error = operators.builder.addOutput(value))
      operation.fail(llvm::toString(std::move(error)));
  }
}

void ProgramReader::addChunks(const JSONCursor &operation, int64_t dim) {
  std::vector<JSONCursor> chunks = operation["output_tensors"].array();
  auto operands = operators.findOperands(operation, 1);
  if (operation.failed())
    return;
  Shape shape = program.graph.getType(operands[0]).shape;
  int64_t count = chunks.size();
  if (dim >= int64_t(shape.size()) || count == 0 || shape[dim] % count != 0)
    return operation["output_tensors"].fail(
        "expects tensors of one size along dimension " + Twine(dim) +
        " that make up the whole, " + toString(shape) + ", got " +
        Twine(count));
  Attributes attributes;
  attributes.offsets.assign(shape.size(), 0);
  attributes.strides.assign(shape.size(), 1);
  shape[dim] /= count;
  for (const JSONCursor &chunk : chunks) {
    operators.define(chunk, operators.add(operation, Opcode::Slice, operands,
                                          attributes, shape));
    attributes.offsets[dim] += shape[dim];
  }
}

void ProgramReader::addKernel(const JSONCursor &operation) {
  llvm::SmallVector<ValueId> operands;
  llvm::SmallVector<OriginalOperand> taken;
  for (const JSONCursor &tensor : operation["input_tensors"].array()) {
    operands.push_back(operators.find(tensor));
    if (tensor.failed())
      return;
    taken.push_back(
        {tensor["guid"].integer(), program.graph.getType(operands.back())});
  }
  auto kernel = readOriginalBlockGraph(operation["bgraph"], taken);
  if (operation.failed())
    return;
  llvm::SmallVector<ResultRequest> requests;
  std::vector<JSONCursor> results = readOriginalTensors(
      operation, "output_tensors", kernel->getOutputs().size());
  for (const JSONCursor &tensor : results) {
    TensorSpec type = readOriginalTensor(tensor, types);
    requests.push_back({type.shape, type.element});
  }
  if (operation.failed())
    return;
  llvm::Expected<ValueId> first =
      operators.builder.addKernel(operands, kernel, requests);
  if (!first)
    return operation.fail(llvm::toString(first.takeError()));
  for (auto [number, tensor] : llvm::enumerate(results))
    operators.define(tensor, *first + number);
}

void ProgramReader::addOperation(const JSONCursor &operation) {
  std::string type = operation["op_type"].string();
  StringRef name = type;
  if (operation.failed() || isOriginalInput(operation))
    return;
  if (name == "kn_output_op")
    return addOutput(operation);
  if (name == "kn_customized_op")
    return addKernel(operation);
  if (auto dim = parseOriginalDim(name, "kn_chunk_", "_op"))
    return addChunks(operation, *dim);
  if (name.consume_front("kn_") && name.consume_back("_op") &&
      operators.addOperator(operation, name))
    return;
  operation["op_type"].expect("an operator of programs that Mirage has");
}

void ProgramReader::read(llvm::ArrayRef<JSONCursor> operations) {
  for (const JSONCursor &operation : operations)
    if (isOriginalInput(operation))
      addInput(operation);
  for (const JSONCursor &operation : operations)
    addOperation(operation);
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

bool mlir::mirage::isOriginalJSON(const llvm::json::Value &document) {
  const llvm::json::Object *object = document.getAsObject();
  return document.getAsArray() || (object && object->get(kGeneratedGraphs));
}

/// The operators of the graph that is meant.
static std::vector<JSONCursor> chooseGraph(const JSONCursor &document,
                                           std::optional<int64_t> index) {
  JSONCursor list =
      document.has(kGeneratedGraphs) ? document[kGeneratedGraphs] : document;
  std::vector<JSONCursor> graphs = list.array();
  int64_t count = graphs.size();
  if (list.failed())
    return {};
  if (count == 0) {
    list.fail("expects a graph, got an empty list");
    return {};
  }
  bool isOneGraph = llvm::none_of(
      graphs, [](const JSONCursor &graph) { return graph.raw().getAsArray(); });
  if (isOneGraph)
    count = 1;
  if (!index && count > 1) {
    list.fail("expects an index from 0 to " + Twine(count - 1) +
              ", as there are " + Twine(count) + " graphs, got none");
    return {};
  }
  int64_t chosen = index.value_or(0);
  if (chosen < 0 || chosen >= count) {
    list.fail("expects an index from 0 to " + Twine(count - 1) + ", got " +
              Twine(chosen));
    return {};
  }
  return isOneGraph ? graphs : graphs[chosen].array();
}

llvm::Expected<OriginalProgram>
mlir::mirage::programFromOriginalJSON(const llvm::json::Value &document,
                                      const OriginalChoices &choices) {
  std::string error;
  JSONCursor cursor(document, error);
  std::vector<JSONCursor> operations = chooseGraph(cursor, choices.index);
  NumberedTypes types = getTypes(operations, choices);
  OriginalProgram program;
  ProgramReader(program, types).read(operations);
  if (!error.empty())
    return llvm::createStringError(error);
  return program;
}
