//===- GraphJSON.cpp - µGraphs in JSON ------------------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include <climits>
#include <cmath>
#include <limits>

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

Value mlir::mirage::scalarToJSON(double scalar) {
  // As a number it would be read as an integer, which has no such zero.
  if (scalar == 0 && std::signbit(scalar))
    return "-0";
  if (std::isfinite(scalar))
    return scalar;
  return std::isnan(scalar) ? "nan" : scalar > 0 ? "inf" : "-inf";
}

static Value toJSON(const TensorSpec &type) {
  return Object{{"shape", toArray(type.shape)},
                {"element", getElementTypeName(type.element)}};
}

static Array toNames(llvm::ArrayRef<Axis> axes) {
  Array names;
  for (Axis axis : axes)
    names.push_back(getAxisName(axis));
  return names;
}

/// Only what differs from the default is written.
static void write(const Attributes &attributes, Object &object) {
  if (!attributes.scalars.empty()) {
    Array scalars;
    for (double scalar : attributes.scalars)
      scalars.push_back(scalarToJSON(scalar));
    object["scalars"] = std::move(scalars);
  }
  if (!attributes.dims.empty())
    object["dims"] = toArray(attributes.dims);
  if (attributes.count)
    object["count"] = attributes.count;
  if (attributes.extent)
    object["extent"] = attributes.extent;
  if (!attributes.axes.empty())
    object["axes"] = toNames(attributes.axes);
  if (!attributes.columnAxes.empty())
    object["columnAxes"] = toNames(attributes.columnAxes);
  if (attributes.offset)
    object["offset"] = attributes.offset;
  if (!attributes.offsets.empty())
    object["offsets"] = toArray(attributes.offsets);
  if (!attributes.strides.empty())
    object["strides"] = toArray(attributes.strides);
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
  Object object{{"inputs", std::move(inputs)},
                {"operations", std::move(operations)},
                {"outputs", toArray(graph.getOutputs())}};
  if (graph.f32Products != F32Products::Exact)
    object[kF32ProductsJSON] = getF32ProductsName(graph.f32Products);
  return object;
}

static Object toJSON(const TileGraph &graph) {
  Object object = writeGraph(graph);
  object["level"] = getLevelName(graph.level);
  object["grid"] = toArray(graph.grid);
  if (!graph.cluster.empty())
    object["cluster"] = toArray(graph.cluster);
  object["loop"] = graph.loop;
  if (graph.stages != 1)
    object["stages"] = graph.stages;
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

/// Integers that fit into the list's elements.
template <typename List>
static void readIntegers(const JSONCursor &cursor, List &list) {
  using Limits = std::numeric_limits<typename List::value_type>;
  for (const JSONCursor &element : cursor.array())
    list.push_back(element.integer(Limits::min(), Limits::max()));
}

ElementType mlir::mirage::readElementType(const JSONCursor &cursor) {
  std::optional<ElementType> element = parseElementType(cursor.string());
  if (!element)
    cursor.expect(kElementTypeNames);
  return element.value_or(ElementType::F32);
}

Shape mlir::mirage::readShape(const JSONCursor &cursor) {
  Shape shape;
  readIntegers(cursor, shape);
  return shape;
}

TensorSpec mlir::mirage::readTensorSpec(const JSONCursor &cursor) {
  Shape shape = readShape(cursor["shape"]);
  return {std::move(shape), readElementType(cursor["element"])};
}

/// One that stands alone; in an artifact, others are parts of larger objects.
static TensorSpec readType(const JSONCursor &cursor) {
  cursor.allow({"shape", "element"});
  return readTensorSpec(cursor);
}

double mlir::mirage::readScalar(const JSONCursor &cursor) {
  Value value = cursor.raw();
  if (std::optional<double> number = value.getAsNumber())
    return *number;
  llvm::StringRef text = value.getAsString().value_or("");
  if (text == "-0")
    return -0.0;
  if (text == "inf")
    return INFINITY;
  if (text == "-inf")
    return -INFINITY;
  if (text != "nan")
    cursor.expect("a number, \"-0\", \"inf\", \"-inf\" or \"nan\"");
  return NAN;
}

static Axis readAxis(const JSONCursor &cursor) {
  std::optional<Axis> axis = parseAxis(cursor.string());
  if (!axis)
    cursor.expect("x, y, z or loop");
  return axis.value_or(Axis::Loop);
}

static Opcode readOpcode(const JSONCursor &cursor) {
  std::optional<Opcode> opcode = parseOpcode(cursor.string());
  if (!opcode)
    cursor.expect("the name of an operator");
  return opcode.value_or(Opcode::Sum);
}

Attributes
mlir::mirage::readAttributes(const JSONCursor &operation,
                             llvm::ArrayRef<llvm::StringRef> others) {
  llvm::SmallVector<llvm::StringRef> names(others);
  names.append({"scalars", "dims", "count", "extent", "axes", "columnAxes",
                "offset", "offsets", "strides", "axis", "reduction"});
  operation.allow(names);
  Attributes attributes;
  if (operation.has("scalars"))
    for (const JSONCursor &scalar : operation["scalars"].array())
      attributes.scalars.push_back(readScalar(scalar));
  if (operation.has("dims"))
    readIntegers(operation["dims"], attributes.dims);
  if (operation.has("count"))
    attributes.count = operation["count"].integer();
  if (operation.has("extent"))
    attributes.extent = operation["extent"].integer();
  for (auto [name, axes] : {std::pair("axes", &attributes.axes),
                            std::pair("columnAxes", &attributes.columnAxes)})
    if (operation.has(name))
      for (const JSONCursor &axis : operation[name].array())
        axes->push_back(readAxis(axis));
  if (operation.has("offset"))
    attributes.offset = operation["offset"].integer();
  if (operation.has("offsets"))
    readIntegers(operation["offsets"], attributes.offsets);
  if (operation.has("strides"))
    readIntegers(operation["strides"], attributes.strides);
  if (operation.has("axis"))
    attributes.axis = readAxis(operation["axis"]);
  if (operation.has("reduction"))
    attributes.reduction = readOpcode(operation["reduction"]);
  return attributes;
}

static std::shared_ptr<const TileGraph> readTileGraph(const JSONCursor &cursor);

static llvm::SmallVector<TensorSpec, 1> readTypes(const JSONCursor &cursor) {
  llvm::SmallVector<TensorSpec, 1> types;
  for (const JSONCursor &type : cursor.array())
    types.push_back(readType(type));
  if (types.empty())
    cursor.fail("expects at least one result, got none");
  return types;
}

/// A nested graph has a body and any number of results, a row has attributes
/// and one.
static void readOperation(const JSONCursor &cursor, Graph &graph) {
  Opcode opcode = readOpcode(cursor["operator"]);
  llvm::SmallVector<ValueId, 2> operands;
  readIntegers(cursor["operands"], operands);
  llvm::SmallVector<TensorSpec, 1> types = readTypes(cursor["types"]);
  if (types.empty())
    return;
  if (opcode == Opcode::Graph) {
    cursor.allow({"operator", "operands", "types", "body"});
    graph.addGraph(operands, readTileGraph(cursor["body"]), types);
    return;
  }
  Attributes attributes =
      readAttributes(cursor, {"operator", "operands", "types"});
  if (types.size() > 1)
    cursor["types"].fail("expects one result, got " +
                         llvm::Twine(static_cast<uint64_t>(types.size())));
  graph.add(opcode, operands, types[0], std::move(attributes));
}

F32Products mlir::mirage::readF32Products(const JSONCursor &cursor) {
  std::optional<F32Products> products = parseF32Products(cursor.string());
  if (!products)
    cursor.expect("exact or tf32");
  return products.value_or(F32Products::Exact);
}

static void readInto(const JSONCursor &cursor, Graph &graph) {
  if (cursor.has(kF32ProductsJSON))
    graph.f32Products = readF32Products(cursor[kF32ProductsJSON]);
  for (const JSONCursor &input : cursor["inputs"].array()) {
    input.allow({"name", "type"});
    graph.addInput(readType(input["type"]), input["name"].name());
  }
  for (const JSONCursor &operation : cursor["operations"].array())
    readOperation(operation, graph);
  llvm::SmallVector<ValueId> outputs;
  readIntegers(cursor["outputs"], outputs);
  for (ValueId output : outputs)
    graph.addOutput(output);
}

static Level readLevel(const JSONCursor &cursor) {
  std::string level = cursor.string();
  if (level != "block" && level != "thread")
    cursor.expect("block or thread");
  return level == "thread" ? Level::Thread : Level::Block;
}

static std::shared_ptr<const TileGraph>
readTileGraph(const JSONCursor &cursor) {
  cursor.allow({"inputs", "operations", "outputs", kF32ProductsJSON, "level",
                "grid", "cluster", "loop", "stages", "threads", "tileInputs",
                "tileOutputs"});
  auto tiles = std::make_shared<TileGraph>();
  readInto(cursor, *tiles);
  tiles->level = readLevel(cursor["level"]);
  readIntegers(cursor["grid"], tiles->grid);
  if (cursor.has("cluster"))
    readIntegers(cursor["cluster"], tiles->cluster);
  tiles->loop = cursor["loop"].integer();
  if (cursor.has("stages"))
    tiles->stages = cursor["stages"].integer();
  tiles->threads = cursor["threads"].integer(0, UINT_MAX);
  for (const JSONCursor &input : cursor["tileInputs"].array()) {
    input.allow({"grid", "loop"});
    TileInput &map = tiles->tileInputs.emplace_back();
    readIntegers(input["grid"], map.gridMap);
    map.loopMap = input["loop"].integer(INT_MIN, INT_MAX);
  }
  for (const JSONCursor &output : cursor["tileOutputs"].array()) {
    output.allow({"grid"});
    readIntegers(output["grid"], tiles->tileOutputs.emplace_back().gridMap);
  }
  return tiles;
}

Graph mlir::mirage::readGraph(const JSONCursor &cursor) {
  cursor.allow({"inputs", "operations", "outputs", kF32ProductsJSON});
  Graph graph;
  readInto(cursor, graph);
  return graph;
}

llvm::Expected<Graph> mlir::mirage::graphFromJSON(const Value &value) {
  std::string error;
  Graph graph = readGraph(JSONCursor(value, error));
  if (!error.empty())
    return llvm::createStringError(error);
  if (llvm::Error invalid = verify(graph))
    return std::move(invalid);
  return graph;
}
