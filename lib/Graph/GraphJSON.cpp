//===- GraphJSON.cpp - µGraphs in JSON ------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphJSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <cmath>

using namespace mlir::mirage;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename Range>
static Array toArray(const Range &range) {
  Array array;
  for (const auto &element : range)
    array.push_back(static_cast<int64_t>(element));
  return array;
}

static Value toJSON(double scalar) {
  if (std::isfinite(scalar))
    return scalar;
  return std::isnan(scalar) ? "nan" : scalar > 0 ? "inf" : "-inf";
}

static Value toJSON(const TensorSpec &type) {
  return Object{{"shape", toArray(type.shape)},
                {"element", getElementTypeName(type.element)}};
}

/// Only what differs from the default is written.
static void write(const Attributes &attributes, Object &object) {
  if (!attributes.scalars.empty()) {
    Array scalars;
    for (double scalar : attributes.scalars)
      scalars.push_back(toJSON(scalar));
    object["scalars"] = std::move(scalars);
  }
  if (!attributes.dims.empty())
    object["dims"] = toArray(attributes.dims);
  if (attributes.count)
    object["count"] = attributes.count;
  if (attributes.extent)
    object["extent"] = attributes.extent;
  if (!attributes.axes.empty()) {
    Array axes;
    for (Axis axis : attributes.axes)
      axes.push_back(getAxisName(axis));
    object["axes"] = std::move(axes);
  }
}

static Object toJSON(const TileGraph &graph);

static Value toJSON(const Graph &graph, const Node &operation) {
  Object object{{"operator", getOperatorInfo(operation.opcode).name},
                {"operands", toArray(operation.operands)}};
  Array types;
  for (ValueId result : operation.results)
    types.push_back(toJSON(graph.getType(result)));
  object["types"] = std::move(types);
  write(operation.attributes, object);
  if (operation.opcode == Opcode::Accumulate) {
    object["reduction"] = getOperatorInfo(operation.attributes.reduction).name;
    object["axis"] = getAxisName(operation.attributes.axis);
  }
  if (operation.body)
    object["body"] = toJSON(*operation.body);
  return object;
}

static Object writeGraph(const Graph &graph) {
  Array inputs, operations;
  for (unsigned input = 0; input < graph.getNumInputs(); ++input)
    inputs.push_back(Object{{"name", graph.getInputName(input)},
                            {"type", toJSON(graph.getType(input))}});
  for (const Node &operation : graph.getNodes())
    operations.push_back(toJSON(graph, operation));
  return Object{{"inputs", std::move(inputs)},
                {"operations", std::move(operations)},
                {"outputs", toArray(graph.getOutputs())}};
}

static Object toJSON(const TileGraph &graph) {
  Object object = writeGraph(graph);
  object["level"] = getLevelName(graph.level);
  object["grid"] = toArray(graph.grid);
  object["loop"] = graph.loop;
  object["threads"] = graph.threads;
  Array inputs, outputs;
  for (const TileInput &input : graph.tileInputs)
    inputs.push_back(
        Object{{"grid", toArray(input.gridMap)}, {"loop", input.loopMap}});
  for (const TileOutput &output : graph.tileOutputs)
    outputs.push_back(Object{{"grid", toArray(output.gridMap)}});
  object["tileInputs"] = std::move(inputs);
  object["tileOutputs"] = std::move(outputs);
  return object;
}

Value mlir::mirage::toJSON(const Graph &graph) { return writeGraph(graph); }

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
/// Reads members of one JSON object; the first error is kept, with its path,
/// and makes all later reads give defaults.
class Reader {
public:
  Reader(std::string path, std::string &error)
      : path(std::move(path)), error(error) {}

  bool failed() const { return !error.empty(); }
  void fail(const llvm::Twine &member, const llvm::Twine &message) {
    if (error.empty())
      error = (llvm::Twine(path) + member + ": " + message).str();
  }

  const Object *object(const Value &value) {
    const Object *found = value.getAsObject();
    if (!found)
      fail("", "expects an object");
    return found;
  }
  const Array &array(const Object &object, llvm::StringRef name) {
    static const Array empty;
    const Array *found = object.getArray(name);
    if (!found)
      fail(name, object.get(name) ? "expects an array" : "is missing");
    return found ? *found : empty;
  }
  int64_t integer(const Object &object, llvm::StringRef name) {
    std::optional<int64_t> found = object.getInteger(name);
    if (!found)
      fail(name, object.get(name) ? "expects an integer" : "is missing");
    return found.value_or(0);
  }
  llvm::StringRef string(const Object &object, llvm::StringRef name) {
    std::optional<llvm::StringRef> found = object.getString(name);
    if (!found)
      fail(name, object.get(name) ? "expects a string" : "is missing");
    return found.value_or("");
  }
  template <typename T, typename List>
  void integers(const Object &object, llvm::StringRef name, List &list) {
    for (const Value &element : array(object, name)) {
      std::optional<int64_t> number = element.getAsInteger();
      if (!number)
        return fail(name, "expects integers");
      list.push_back(static_cast<T>(*number));
    }
  }
  Reader at(llvm::StringRef name, size_t index) {
    return Reader(
        (llvm::Twine(path) + name + "[" + llvm::Twine(index) + "].").str(),
        error);
  }
  Reader at(llvm::StringRef name) {
    return Reader((llvm::Twine(path) + name + ".").str(), error);
  }

  TensorSpec tensor(const Value *value);
  Attributes attributes(const Object &object);
  void operation(const Value &value, Graph &graph);
  void graph(const Object &object, Graph &graph);
  void tileGraph(const Object &object, TileGraph &graph);

private:
  double scalar(const Value &value);

  std::string path;
  std::string &error;
};
} // namespace

TensorSpec Reader::tensor(const Value *value) {
  TensorSpec type;
  const Object *object = value ? value->getAsObject() : nullptr;
  if (!object) {
    fail("type", "expects a tensor type");
    return type;
  }
  integers<int64_t>(*object, "shape", type.shape);
  if (auto element = parseElementType(string(*object, "element")))
    type.element = *element;
  else
    fail("element", "expects f16, bf16, f32, f8E4M3FN or f8E5M2");
  return type;
}

double Reader::scalar(const Value &value) {
  if (std::optional<double> number = value.getAsNumber())
    return *number;
  llvm::StringRef text = value.getAsString().value_or("");
  if (text == "inf")
    return INFINITY;
  if (text == "-inf")
    return -INFINITY;
  if (text != "nan")
    fail("scalars", "expects numbers, \"inf\", \"-inf\" or \"nan\"");
  return NAN;
}

Attributes Reader::attributes(const Object &object) {
  Attributes attributes;
  if (object.get("scalars"))
    for (const Value &value : array(object, "scalars"))
      attributes.scalars.push_back(scalar(value));
  if (object.get("dims"))
    integers<int64_t>(object, "dims", attributes.dims);
  if (object.get("count"))
    attributes.count = integer(object, "count");
  if (object.get("extent"))
    attributes.extent = integer(object, "extent");
  auto readAxis = [&](llvm::StringRef name) {
    std::optional<Axis> axis = parseAxis(name);
    if (!axis)
      fail("axis", "expects x, y, z or loop");
    return axis.value_or(Axis::Loop);
  };
  if (object.get("axes"))
    for (const Value &value : array(object, "axes"))
      attributes.axes.push_back(readAxis(value.getAsString().value_or("")));
  if (object.get("axis"))
    attributes.axis = readAxis(string(object, "axis"));
  if (object.get("reduction")) {
    std::optional<Opcode> reduction = parseOpcode(string(object, "reduction"));
    if (!reduction)
      fail("reduction", "expects the name of a reduction");
    attributes.reduction = reduction.value_or(Opcode::Sum);
  }
  return attributes;
}

void Reader::operation(const Value &value, Graph &graph) {
  const Object *members = object(value);
  if (!members)
    return;
  std::optional<Opcode> opcode = parseOpcode(string(*members, "operator"));
  if (!opcode)
    return fail("operator", "expects the name of an operator");
  llvm::SmallVector<ValueId, 2> operands;
  integers<ValueId>(*members, "operands", operands);
  llvm::SmallVector<TensorSpec, 1> types;
  for (auto [index, type] : llvm::enumerate(array(*members, "types")))
    types.push_back(at("types", index).tensor(&type));
  if (types.empty())
    return fail("types", "expects at least one result");
  Attributes read = attributes(*members);
  if (*opcode != Opcode::Graph) {
    graph.add(*opcode, operands, types[0], read);
    return;
  }
  const Object *body = members->getObject("body");
  if (!body)
    return fail("body", "expects a nested graph");
  auto nested = std::make_shared<TileGraph>();
  at("body").tileGraph(*body, *nested);
  graph.addGraph(operands, std::move(nested), types);
}

void Reader::graph(const Object &object, Graph &graph) {
  for (auto [index, value] : llvm::enumerate(array(object, "inputs"))) {
    Reader input = at("inputs", index);
    if (const Object *members = input.object(value))
      graph.addInput(input.tensor(members->get("type")),
                     input.string(*members, "name"));
  }
  for (auto [index, value] : llvm::enumerate(array(object, "operations")))
    if (!failed())
      at("operations", index).operation(value, graph);
  llvm::SmallVector<ValueId> outputs;
  integers<ValueId>(object, "outputs", outputs);
  for (ValueId output : outputs)
    graph.addOutput(output);
}

void Reader::tileGraph(const Object &object, TileGraph &tiles) {
  graph(object, tiles);
  llvm::StringRef level = string(object, "level");
  if (level != "block" && level != "thread")
    fail("level", "expects block or thread");
  tiles.level = level == "thread" ? Level::Thread : Level::Block;
  integers<int64_t>(object, "grid", tiles.grid);
  tiles.loop = integer(object, "loop");
  tiles.threads = integer(object, "threads");
  for (auto [index, value] : llvm::enumerate(array(object, "tileInputs"))) {
    Reader input = at("tileInputs", index);
    TileInput map;
    if (const Object *members = input.object(value)) {
      input.integers<int>(*members, "grid", map.gridMap);
      map.loopMap = input.integer(*members, "loop");
    }
    tiles.tileInputs.push_back(map);
  }
  for (auto [index, value] : llvm::enumerate(array(object, "tileOutputs"))) {
    Reader output = at("tileOutputs", index);
    TileOutput map;
    if (const Object *members = output.object(value))
      output.integers<int>(*members, "grid", map.gridMap);
    tiles.tileOutputs.push_back(map);
  }
}

llvm::Expected<Graph> mlir::mirage::graphFromJSON(const Value &value) {
  std::string error;
  Reader reader("", error);
  Graph graph;
  if (const Object *object = reader.object(value))
    reader.graph(*object, graph);
  if (!error.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(), error);
  if (llvm::Error invalid = verify(graph))
    return std::move(invalid);
  return graph;
}
