//===- GraphForms.cpp - Tensor programs as JSON and as modules ------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "ElementTypes.h"
#include "GraphHandle.h"
#include "Mirage/Analysis/TensorView.h"
#include "Mirage/Bridge/Bridge.h"
#include "Mirage/Dialect/Block/IR/Block.h"
#include "Mirage/Dialect/Thread/IR/Thread.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Graph/OriginalJSON.h"
#include "Mirage/Pipelines/Pipelines.h"
#include "Status.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::mirage;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static llvm::json::Array toJSON(ArrayRef<Strides> all) {
  llvm::json::Array list;
  for (const Strides &strides : all)
    list.push_back(strides.empty()
                       ? llvm::json::Value(nullptr)
                       : llvm::json::Value(llvm::json::Array(strides)));
  return list;
}

/// Whether nobody has said which values are outputs: more operations may come.
static constexpr llvm::StringLiteral kImplied = "outputsAreImplied";

MirageStatus mirageGraphToJSON(const MirageGraph *graph, MirageText *json) {
  if (!json)
    return refuse("expects a place for the text, got null");
  *json = {nullptr, 0};
  if (!graph || graph->tiles)
    return refuse(Twine("expects a program, got ") +
                  (graph ? "a block graph" : "null"));
  MirageGraph whole = graph->complete();
  llvm::json::Value object =
      llvm::json::Object{{"graph", mirage::toJSON(whole.program)},
                         {"inputStrides", toJSON(whole.inputStrides)},
                         {"outputStrides", toJSON(whole.outputStrides)}};
  if (graph->program.getOutputs().empty())
    object.getAsObject()->insert({kImplied, true});
  *json = makeText(llvm::formatv("{0:2}\n", object).str());
  return MirageSuccess;
}

/// A list with an entry for each tensor: its strides, or null.
static std::vector<Strides> readStridesList(const JSONCursor &cursor,
                                            ArrayRef<TensorSpec> types,
                                            bool areWritten) {
  std::vector<Strides> list;
  std::vector<JSONCursor> entries = cursor.array();
  if (entries.size() != types.size()) {
    cursor.fail("expects an entry for each of " + Twine(types.size()) +
                " tensors, got " + Twine(entries.size()));
    return list;
  }
  for (auto [entry, type] : llvm::zip_equal(entries, types)) {
    Strides &strides = list.emplace_back();
    if (entry.raw().getAsNull())
      continue;
    strides = readShape(entry);
    if (auto problem = explainBadStrides(type.shape, strides, areWritten))
      entry.fail(*problem);
  }
  return list;
}

/// Takes back what nobody said: the outputs of a graph that is not finished.
static void implyOutputs(MirageGraph &graph, const JSONCursor &cursor) {
  MirageGraph unmarked = graph;
  unmarked.program.clearOutputs();
  unmarked.outputStrides.clear();
  MirageGraph whole = unmarked.complete();
  if (whole.program.getOutputs() != graph.program.getOutputs() ||
      whole.outputStrides != graph.outputStrides)
    return cursor.fail("expects row-major outputs that no operation takes, all "
                       "of them, got others");
  graph = std::move(unmarked);
}

static llvm::Expected<MirageGraph> readGraph(const llvm::json::Value &json) {
  std::string error;
  JSONCursor cursor(json, error);
  cursor.allow({"graph", "inputStrides", "outputStrides", kImplied});
  MirageGraph graph;
  graph.program = mirage::readGraph(cursor["graph"]);
  if (error.empty())
    if (llvm::Error invalid = verify(graph.program))
      return std::move(invalid);
  if (error.empty()) {
    SmallVector<ValueId> inputs =
        llvm::to_vector(llvm::seq(graph.program.getNumInputs()));
    graph.inputStrides =
        readStridesList(cursor["inputStrides"], graph.program.getTypes(inputs),
                        /*areWritten=*/false);
    graph.outputStrides =
        readStridesList(cursor["outputStrides"],
                        graph.program.getTypes(graph.program.getOutputs()),
                        /*areWritten=*/true);
  }
  if (error.empty() && cursor.has(kImplied) && cursor[kImplied].boolean())
    implyOutputs(graph, cursor[kImplied]);
  if (!error.empty())
    return llvm::createStringError(error);
  graph.numberAll();
  return graph;
}

static llvm::Expected<OriginalChoices>
readChoices(const MirageJSONChoices *choices) {
  OriginalChoices read;
  if (!choices)
    return read;
  if (std::string problem = explainBadSize(
          "MirageJSONChoices", sizeof(*choices), choices->structSize);
      !problem.empty())
    return llvm::createStringError(problem);
  if (choices->index != MirageOnlyGraph)
    read.index = choices->index;
  if (!choices->types && choices->numTypes > 0)
    return llvm::createStringError("expects " + Twine(choices->numTypes) +
                                   " types, got null");
  for (const MirageNumberedType &type :
       ArrayRef(choices->types, choices->numTypes)) {
    std::optional<ElementType> element = convert(type.element);
    if (!element)
      return llvm::createStringError("expects a MirageElementType, got " +
                                     Twine(static_cast<int>(type.element)));
    read.types.emplace_back(type.number, *element);
  }
  return read;
}

static llvm::Expected<MirageGraph>
readOriginal(const llvm::json::Value &json, const OriginalChoices &choices) {
  llvm::Expected<OriginalProgram> program =
      programFromOriginalJSON(json, choices);
  if (!program)
    return program.takeError();
  MirageGraph graph;
  graph.program = std::move(program->graph);
  graph.inputStrides = std::move(program->inputStrides);
  graph.outputStrides = std::move(program->outputStrides);
  if (llvm::Error invalid = verify(graph.complete().program))
    return std::move(invalid);
  graph.numberAll();
  return graph;
}

MirageStatus mirageGraphFromJSON(const char *json, size_t size,
                                 MirageGraph **graph) {
  return mirageGraphFromJSONWithChoices(json, size, nullptr, graph);
}

MirageStatus mirageGraphFromJSONWithChoices(const char *json, size_t size,
                                            const MirageJSONChoices *choices,
                                            MirageGraph **graph) {
  if (!graph)
    return refuse("expects a place for the graph, got null");
  *graph = nullptr;
  if (!json)
    return refuse("expects JSON, got null");
  llvm::Expected<OriginalChoices> chosen = readChoices(choices);
  if (!chosen)
    return refuse(chosen.takeError());
  llvm::Expected<llvm::json::Value> value = parseJSON({json, size});
  if (!value)
    return report(value.takeError());
  bool isOriginal = isOriginalJSON(*value);
  if (!isOriginal && chosen->index.value_or(0) != 0)
    return reportFailure("expects an index of 0, as there is one graph, got " +
                         Twine(*chosen->index));
  llvm::Expected<MirageGraph> read =
      isOriginal ? readOriginal(*value, *chosen) : readGraph(*value);
  if (!read)
    return report(read.takeError());
  *graph = new MirageGraph(std::move(*read));
  return MirageSuccess;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

MirageStatus mirageModuleFromGraph(MirageContext *context,
                                   const MirageGraph *graph,
                                   const char *function,
                                   MirageModule **module) {
  if (!module)
    return refuse("expects a place for the module, got null");
  *module = nullptr;
  if (!context || !function)
    return refuse(Twine("expects a ") + (context ? "name" : "context") +
                  ", got null");
  if (!graph || graph->tiles)
    return refuse(Twine("expects a program, got ") +
                  (graph ? "a block graph" : "null"));
  MirageGraph whole = graph->complete();
  if (whole.program.getOutputs().empty())
    return refuse("expects a program with an output, got one without "
                  "operators");
  if (!*function || !isOneLine(function))
    return refuse("expects a function's name of one line");
  context->mlir
      .loadDialect<func::FuncDialect, tensor::TensorDialect,
                   block::MirageBlockDialect, thread::MirageThreadDialect>();
  OpBuilder builder(&context->mlir);
  OwningOpRef<ModuleOp> op = ModuleOp::create(builder, builder.getUnknownLoc());
  builder.setInsertionPointToStart(op->getBody());
  func::FuncOp written =
      writeFunction(builder, builder.getUnknownLoc(), whole.program, function);
  for (auto [number, strides] : llvm::enumerate(whole.inputStrides))
    if (!strides.empty())
      written.setArgAttr(number, kernel::kStridesAttr,
                         builder.getDenseI64ArrayAttr(strides));
  for (auto [number, strides] : llvm::enumerate(whole.outputStrides))
    if (!strides.empty())
      written.setResultAttr(number, kernel::kStridesAttr,
                            builder.getDenseI64ArrayAttr(strides));
  *module = new MirageModule{context, std::move(op)};
  return MirageSuccess;
}

/// The function of that name, or the only one.
static llvm::Expected<func::FuncOp> findFunction(ModuleOp module,
                                                 const char *name) {
  if (name) {
    if (auto function = module.lookupSymbol<func::FuncOp>(name))
      return function;
    return llvm::createStringError("expects a function @" + Twine(name) +
                                   ", got none");
  }
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  if (functions.size() == 1)
    return functions.front();
  return llvm::createStringError("expects one function, got " +
                                 Twine(functions.size()));
}

MirageStatus mirageModuleGetGraph(const MirageModule *module,
                                  const char *function, MirageGraph **graph) {
  if (!graph)
    return refuse("expects a place for the graph, got null");
  *graph = nullptr;
  if (!module)
    return refuse("expects a module, got null");
  ContextCall call(*module->context);
  OwningOpRef<ModuleOp> op = module->op.get().clone();
  PassManager passManager(&module->context->mlir);
  buildProgramImportPipeline(passManager);
  if (failed(passManager.run(*op)))
    return call.finish(failure(), "expects tensor programs");
  llvm::Expected<func::FuncOp> found = findFunction(*op, function);
  if (!found)
    return refuse(found.takeError());
  FailureOr<Graph> program =
      readFunction(cast<FunctionOpInterface>(found->getOperation()));
  if (failed(program))
    return call.finish(failure(), "expects a tensor program");
  auto read = std::make_unique<MirageGraph>();
  auto keep = [](const TensorSpec &type, Strides strides) {
    return isRowMajor(type.shape, strides) ? Strides() : strides;
  };
  read->program = std::move(*program);
  read->numberAll();
  for (unsigned input = 0; input < read->program.getNumInputs(); ++input)
    read->inputStrides.push_back(
        keep(read->program.getType(input), getArgumentStrides(*found, input)));
  for (auto [number, output] : llvm::enumerate(read->program.getOutputs()))
    read->outputStrides.push_back(
        keep(read->program.getType(output), getResultStrides(*found, number)));
  *graph = read.release();
  return MirageSuccess;
}
