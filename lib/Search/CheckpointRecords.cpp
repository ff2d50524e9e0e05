//===- CheckpointRecords.cpp - Items of a walk as lines of text -----------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckpointRecords.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Search/TargetProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static int64_t toNumber(NameId name) {
  return name == kNoName ? -1 : int64_t(name);
}

template <typename List>
static Array toArray(const List &values) {
  return Array(
      llvm::map_range(values, [](auto value) { return int64_t(value); }));
}

static Array toJSON(const StructureOperator &op) {
  Array array{getOperatorInfo(op.opcode).name, toArray(op.operands),
              toNumber(op.over)};
  if (op.opcode == Opcode::Accumulate || !op.scalars.empty() || op.mask) {
    array.push_back(getOperatorInfo(op.reduction).name);
    array.push_back(op.gridAxis ? int64_t(*op.gridAxis) : -1);
    array.push_back(Array(llvm::map_range(op.scalars, [](double value) {
      return llvm::bit_cast<int64_t>(value);
    })));
  }
  if (op.mask)
    array.push_back(Array{toNumber(op.mask->rows), toNumber(op.mask->columns),
                          op.mask->offset});
  return array;
}

static Object toJSON(const KernelStructure &kernel) {
  Array operators;
  for (const StructureOperator &op : kernel.operators)
    operators.push_back(toJSON(op));
  return Object{{"grid", toArray(kernel.gridNames)},
                {"loop", toNumber(kernel.loopName)},
                {"inputs", toArray(kernel.inputs)},
                {"operators", std::move(operators)},
                {"results", toArray(kernel.results)}};
}

std::string mlir::mirage::search::toLine(llvm::StringRef item,
                                         const ItemRecord &record) {
  Array found;
  for (const KernelStructure &kernel : record.found)
    found.push_back(toJSON(kernel));
  Value line = Object{{"item", item},
                      {"states", int64_t(record.counts.states)},
                      {"trials", int64_t(record.counts.trials)},
                      {"pruned", toArray(record.counts.pruned)},
                      {"found", std::move(found)}};
  return llvm::formatv("{0}", line).str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

template <typename List>
static void readNumbers(const JSONCursor &cursor, int64_t most, List &list) {
  for (const JSONCursor &element : cursor.array())
    list.push_back(element.integer(0, most));
}

static NameId readName(const JSONCursor &cursor) {
  int64_t name = cursor.integer(-1, kMaxNames - 1);
  return name < 0 ? kNoName : NameId(name);
}

static Opcode readOpcode(const JSONCursor &cursor) {
  std::optional<Opcode> opcode = parseOpcode(cursor.string());
  if (!opcode)
    cursor.expect("the name of an operator");
  return opcode.value_or(Opcode::Add);
}

static StructureOperator readOperator(const JSONCursor &cursor,
                                      const KernelStructure &kernel) {
  StructureOperator op;
  std::vector<JSONCursor> parts = cursor.array();
  if (parts.size() != 3 && parts.size() != 6 && parts.size() != 7) {
    cursor.expect("an operator of 3, 6 or 7 parts");
    return op;
  }
  int64_t numTensors = kernel.inputs.size() + kernel.operators.size();
  op.opcode = readOpcode(parts[0]);
  readNumbers(parts[1], numTensors - 1, op.operands);
  op.over = readName(parts[2]);
  if (op.operands.empty() || op.operands.size() > 2)
    parts[1].expect("one operand or two");
  if (parts.size() == 3)
    return op;
  op.reduction = readOpcode(parts[3]);
  int64_t axis =
      parts[4].integer(-1, static_cast<int64_t>(kernel.gridNames.size()) - 1);
  if (axis >= 0)
    op.gridAxis = axis;
  for (const JSONCursor &scalar : parts[5].array())
    op.scalars.push_back(llvm::bit_cast<double>(scalar.integer()));
  if (parts.size() == 6)
    return op;
  std::vector<JSONCursor> mask = parts[6].array();
  if (mask.size() == 3)
    op.mask =
        CausalNames{readName(mask[0]), readName(mask[1]), mask[2].integer()};
  else
    parts[6].expect("rows, columns and an offset");
  return op;
}

static KernelStructure readKernel(const JSONCursor &cursor) {
  cursor.allow({"grid", "loop", "inputs", "operators", "results"});
  KernelStructure kernel;
  readNumbers(cursor["grid"], kMaxNames - 1, kernel.gridNames);
  kernel.loopName = readName(cursor["loop"]);
  readNumbers(cursor["inputs"], UINT32_MAX, kernel.inputs);
  for (const JSONCursor &op : cursor["operators"].array())
    kernel.operators.push_back(readOperator(op, kernel));
  int64_t numTensors = kernel.inputs.size() + kernel.operators.size();
  readNumbers(cursor["results"], numTensors - 1, kernel.results);
  return kernel;
}

llvm::Expected<std::pair<std::string, ItemRecord>>
mlir::mirage::search::parseLine(llvm::StringRef line) {
  llvm::Expected<Value> value = parseJSON(line);
  if (!value)
    return value.takeError();
  std::string error;
  JSONCursor cursor(*value, error);
  cursor.allow({"item", "states", "trials", "pruned", "found"});
  ItemRecord record;
  record.counts.states = cursor["states"].integer(0);
  record.counts.trials = cursor["trials"].integer(0);
  std::vector<JSONCursor> pruned = cursor["pruned"].array();
  if (pruned.size() != kNumPruneReasons)
    cursor["pruned"].expect(
        llvm::formatv("{0} counts", kNumPruneReasons).str());
  for (auto [count, element] : llvm::zip(record.counts.pruned, pruned))
    count = element.integer(0);
  for (const JSONCursor &kernel : cursor["found"].array())
    record.found.push_back(readKernel(kernel));
  std::string item = cursor["item"].string();
  if (!error.empty())
    return llvm::createStringError(error);
  return std::pair(std::move(item), std::move(record));
}
