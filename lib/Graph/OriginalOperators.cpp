//===- OriginalOperators.cpp - Operators in the original's JSON -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OriginalOperators.h"
#include "Mirage/Graph/GraphJSON.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::mirage;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Shape mlir::mirage::readOriginalShape(const JSONCursor &tensor) {
  Shape shape = readShape(tensor["dim"]);
  shape.resize(tensor["num_dims"].integer(0, shape.size()));
  return shape;
}

TensorSpec mlir::mirage::readOriginalTensor(const JSONCursor &tensor,
                                            const NumberedTypes &types) {
  JSONCursor number = tensor["data_type"];
  int64_t found = number.integer();
  for (const auto &[known, element] : types)
    if (known == found)
      return {readOriginalShape(tensor), element};
  std::string names;
  for (const auto &[known, element] : types)
    names += (names.empty() ? "" : ", ") + std::to_string(known) + " (" +
             getElementTypeName(element).str() + ")";
  number.expect("the number of an element type among " + names);
  return {};
}

std::vector<JSONCursor>
mlir::mirage::readOriginalTensors(const JSONCursor &operation, StringRef member,
                                  size_t count) {
  std::vector<JSONCursor> tensors = operation[member].array();
  if (tensors.size() == count)
    return tensors;
  operation[member].fail("expects " + Twine(count) + " tensors, got " +
                         Twine(tensors.size()));
  return {};
}

std::array<int64_t, 3>
mlir::mirage::readOriginalTriple(const JSONCursor &triple, int64_t least,
                                 int64_t most) {
  return {triple["x"].integer(least, most), triple["y"].integer(least, most),
          triple["z"].integer(least, most)};
}

bool mlir::mirage::isOriginalInput(const JSONCursor &operation) {
  return StringRef(operation["op_type"].string()).ends_with("_input_op");
}

std::optional<int64_t> mlir::mirage::parseOriginalDim(StringRef name,
                                                      StringRef front,
                                                      StringRef back) {
  int64_t dim;
  if (!name.consume_front(front) || !name.consume_back(back) ||
      name.size() != 1 || name.getAsInteger(10, dim))
    return std::nullopt;
  return dim;
}

ValueId OriginalOperators::find(const JSONCursor &tensor) const {
  JSONCursor guid = tensor["guid"];
  auto found = values.find(guid.integer());
  if (found != values.end())
    return found->second;
  if (rescalings.count(guid.integer()))
    guid.fail("expects a tile, got what forloop_accum_rescale alone takes");
  guid.expect("a tensor that an operator before gives");
  return 0;
}

llvm::SmallVector<ValueId, 2>
OriginalOperators::findOperands(const JSONCursor &operation,
                                size_t count) const {
  llvm::SmallVector<ValueId, 2> operands;
  for (const JSONCursor &tensor :
       readOriginalTensors(operation, "input_tensors", count))
    operands.push_back(find(tensor));
  return operands;
}

void OriginalOperators::define(const JSONCursor &tensor, ValueId value) {
  Shape shape = readOriginalShape(tensor);
  if (tensor.failed())
    return;
  if (shape != graph.getType(value).shape)
    tensor["dim"].fail("expects sizes " + toString(graph.getType(value).shape) +
                       ", as operands and maps give them, got " +
                       toString(shape));
  if (!values.emplace(tensor["guid"].integer(), value).second)
    tensor["guid"].expect("a number that no other tensor has");
}

void OriginalOperators::defineResult(const JSONCursor &operation,
                                     ValueId value) {
  for (const JSONCursor &tensor :
       readOriginalTensors(operation, "output_tensors", 1))
    define(tensor, value);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

// Kernels store what the file says that they do; an operator of several results
// gives them all the same type.
ValueId OriginalOperators::add(const JSONCursor &operation, Opcode opcode,
                               llvm::ArrayRef<ValueId> operands,
                               Attributes attributes, Shape shape) {
  ResultRequest request{std::move(shape), {}};
  if (!isInBlock && !operation.failed())
    for (const JSONCursor &tensor : operation["output_tensors"].array())
      request.element = readOriginalTensor(tensor, types).element;
  if (operation.failed())
    return 0;
  llvm::Expected<ValueId> added =
      builder.add(opcode, operands, std::move(attributes), request);
  if (added)
    return *added;
  operation.fail(getOperatorInfo(opcode).name + ": " +
                 llvm::toString(added.takeError()));
  return 0;
}

/// Those that have the same names here.
static bool isNamedAlike(StringRef name) {
  static constexpr StringRef kNames[] = {
      "matmul",  "exp", "square", "sqrt", "silu", "gelu", "relu",
      "sigmoid", "log", "add",    "sub",  "mul",  "div",  "pow"};
  return llvm::is_contained(kNames, name);
}

/// A number that the original knows and does not write.
static double readUnwritten(const JSONCursor &operation, StringRef member) {
  if (operation.has(member))
    return readScalar(operation[member]);
  operation.fail("expects a member " + member +
                 ", which the original does not write: add it by hand, got "
                 "nothing");
  return 0;
}

bool OriginalOperators::addOperator(const JSONCursor &operation,
                                    StringRef name) {
  Opcode opcode;
  Attributes attributes;
  if (isNamedAlike(name)) {
    opcode = *parseOpcode(name);
  } else if (name == "mul_scalar") {
    opcode = Opcode::Scale;
    attributes.scalars = {readUnwritten(operation, "scalar")};
  } else if (name == "clamp") {
    opcode = Opcode::Clamp;
    attributes.scalars = {readUnwritten(operation, "min_val"),
                          readUnwritten(operation, "max_val")};
  } else if (name == "rms_norm") {
    opcode = Opcode::RmsNorm;
    attributes.scalars = {0};
  } else if (std::optional<int64_t> dim =
                 parseOriginalDim(name, "reduction_")) {
    opcode = Opcode::Sum;
    attributes.dims = {*dim};
  } else {
    return false;
  }
  auto operands = findOperands(operation, getOperatorInfo(opcode).numOperands);
  if (opcode == Opcode::RmsNorm && !operation.failed())
    attributes.dims = {graph.getType(operands[0]).getRank() - 1};
  defineResult(operation,
               add(operation, opcode, operands, std::move(attributes)));
  return true;
}
