//===- StructureJSON.cpp - Structures in JSON -----------------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/StructureJSON.h"
#include "Mirage/Graph/GraphJSON.h"
#include "Mirage/Graph/JSONCursor.h"
#include <climits>

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

static Array toNumbers(llvm::ArrayRef<unsigned> values) {
  return Array(llvm::map_range(values, [](unsigned v) { return int64_t(v); }));
}

static Array toNames(llvm::ArrayRef<NameId> names) {
  return Array(llvm::map_range(names, toNumber));
}

static Value toJSON(const StructureOperator &op) {
  Object object{{"operator", getOperatorInfo(op.opcode).name},
                {"operands", toNumbers(op.operands)}};
  if (op.opcode == Opcode::Accumulate)
    object["reduction"] = getOperatorInfo(op.reduction).name;
  if (!op.scalars.empty())
    object["scalars"] = Array(llvm::map_range(op.scalars, scalarToJSON));
  if (op.over != kNoName)
    object["over"] = toNumber(op.over);
  if (op.gridAxis)
    object["axis"] = int64_t(*op.gridAxis);
  return object;
}

static Value toJSON(const KernelStructure &kernel) {
  Array operators;
  for (const StructureOperator &op : kernel.operators)
    operators.push_back(toJSON(op));
  return Object{{"grid", toNames(kernel.gridNames)},
                {"loop", toNumber(kernel.loopName)},
                {"inputs", toNumbers(kernel.inputs)},
                {"operators", std::move(operators)},
                {"results", toNumbers(kernel.results)}};
}

Value mlir::mirage::search::toJSON(const Structure &structure) {
  Array kernels, results;
  for (const KernelStructure &kernel : structure.kernels)
    kernels.push_back(::toJSON(kernel));
  for (const StoredTensor &result : structure.results)
    results.push_back(Object{{"layout", toNames(result.layout)},
                             {"element", getElementTypeName(result.element)}});
  return Object{{"kernels", std::move(kernels)},
                {"results", std::move(results)},
                {"outputs", toNumbers(structure.outputs)}};
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class StructureReader {
public:
  explicit StructureReader(const TargetProgram &program) : program(program) {}

  Structure run(const JSONCursor &cursor) {
    cursor.allow({"kernels", "results", "outputs"});
    // What kernels store is read first: later ones read it.
    for (ValueId input = 0; input < program.graph.getNumInputs(); ++input)
      device.push_back(program.getStored(input));
    for (const JSONCursor &result : cursor["results"].array()) {
      structure.results.push_back(readStored(result));
      device.push_back(structure.results.back());
    }
    numStored = program.graph.getNumInputs();
    for (const JSONCursor &kernel : cursor["kernels"].array())
      readKernel(kernel, cursor);
    if (!cursor.failed() && numStored != device.size())
      cursor["results"].fail(
          "expects as many tensors as kernels store, " +
          llvm::Twine(numStored - program.graph.getNumInputs()) + ", got " +
          llvm::Twine(uint64_t(structure.results.size())));
    readOutputs(cursor["outputs"]);
    return std::move(structure);
  }

private:
  NameId readName(const JSONCursor &cursor, bool mayBeNone) {
    int64_t name = cursor.integer(mayBeNone ? -1 : 0,
                                  int64_t(program.getNumAllNames()) - 1);
    return cursor.failed() || name < 0 ? kNoName : NameId(name);
  }

  /// \param end  what the numbers are below.
  template <typename List>
  void readNumbers(const JSONCursor &cursor, size_t end, List &list) {
    for (const JSONCursor &element : cursor.array())
      list.push_back(element.integer(0, int64_t(end) - 1));
  }

  StoredTensor readStored(const JSONCursor &cursor) {
    cursor.allow({"layout", "element"});
    StoredTensor stored;
    NameSet seen = 0;
    for (const JSONCursor &element : cursor["layout"].array()) {
      NameId name = readName(element, /*mayBeNone=*/true);
      if (name != kNoName && contains(seen, name))
        element.fail("expects names that differ, got " + llvm::Twine(name) +
                     " twice");
      seen |= name == kNoName ? 0 : toSet(name);
      stored.layout.push_back(name);
    }
    if (auto element = parseElementType(cursor["element"].string()))
      stored.element = *element;
    else
      cursor["element"].expect(kElementTypeNames);
    return stored;
  }

  void readKernel(const JSONCursor &cursor, const JSONCursor &document) {
    cursor.allow({"grid", "loop", "inputs", "operators", "results"});
    if (structure.kernels.size() == program.getMaxKernels())
      cursor.fail("expects at most " + llvm::Twine(program.getMaxKernels()) +
                  " kernels, got more");
    KernelStructure kernel;
    readAxes(cursor, kernel);
    readNumbers(cursor["inputs"], numStored, kernel.inputs);
    if (cursor.failed())
      return;
    names.clear();
    for (unsigned input : kernel.inputs)
      names.push_back(toSet(device[input].layout));
    for (const JSONCursor &op : cursor["operators"].array()) {
      kernel.operators.push_back(readOperator(op, kernel));
      if (cursor.failed())
        return;
    }
    readNumbers(cursor["results"], names.size(), kernel.results);
    if (cursor.failed())
      return;
    for (unsigned result : kernel.results)
      checkStored(document["results"], kernel, names[result]);
    structure.kernels.push_back(std::move(kernel));
  }

  void readAxes(const JSONCursor &cursor, KernelStructure &kernel) {
    for (const JSONCursor &element : cursor["grid"].array()) {
      NameId name = readName(element, /*mayBeNone=*/false);
      if (llvm::is_contained(kernel.gridNames, name))
        element.fail("expects axes of different names, got " +
                     llvm::Twine(name) + " twice");
      kernel.gridNames.push_back(name);
    }
    if (kernel.gridNames.size() > kMaxGridAxes)
      cursor["grid"].fail("expects at most 3 axes, got " +
                          llvm::Twine(uint64_t(kernel.gridNames.size())));
    kernel.loopName = readName(cursor["loop"], /*mayBeNone=*/true);
  }

  /// One of a kind that structures have.
  const OperatorInfo *readRow(const JSONCursor &cursor, bool isReduction) {
    std::optional<Opcode> opcode = parseOpcode(cursor.string());
    if (opcode) {
      const OperatorInfo &row = getOperatorInfo(*opcode);
      if (row.kind == OperatorKind::Reduction)
        return &row;
      if (!isReduction &&
          (row.kind == OperatorKind::Elementwise || *opcode == Opcode::Matmul ||
           row.kind == OperatorKind::Accumulate))
        return &row;
    }
    cursor.expect(isReduction ? "the name of a reduction"
                              : "the name of an operator of the search");
    return nullptr;
  }

  StructureOperator readOperator(const JSONCursor &cursor,
                                 const KernelStructure &kernel) {
    cursor.allow(
        {"operator", "reduction", "operands", "scalars", "over", "axis"});
    StructureOperator op;
    const OperatorInfo *row = readRow(cursor["operator"], false);
    readNumbers(cursor["operands"], names.size(), op.operands);
    if (cursor.has("scalars"))
      for (const JSONCursor &scalar : cursor["scalars"].array())
        op.scalars.push_back(readScalar(scalar));
    if (cursor.has("over"))
      op.over = readName(cursor["over"], /*mayBeNone=*/false);
    if (cursor.failed())
      return op;
    op.opcode = row->opcode;
    if (row->kind == OperatorKind::Accumulate)
      readAccumulation(cursor, kernel, op);
    else
      for (llvm::StringRef member : {"reduction", "axis"})
        if (cursor.has(member))
          cursor.fail("expects '" + member + "' of an accumulate only, got " +
                      row->name);
    checkOperator(cursor, *row, op);
    return op;
  }

  void readAccumulation(const JSONCursor &cursor, const KernelStructure &kernel,
                        StructureOperator &op) {
    if (const OperatorInfo *reduction = readRow(cursor["reduction"], true))
      op.reduction = reduction->opcode;
    if (cursor.has("axis"))
      op.gridAxis =
          cursor["axis"].integer(0, int64_t(kernel.gridNames.size()) - 1);
  }

  /// Counts and names, and what names the result has.
  void checkOperator(const JSONCursor &cursor, const OperatorInfo &row,
                     const StructureOperator &op) {
    // No rescaled accumulations: instances have these.
    if (op.operands.size() != row.numOperands)
      cursor["operands"].fail(
          "expects " + llvm::Twine(unsigned(row.numOperands)) +
          " operands, got " + llvm::Twine(uint64_t(op.operands.size())));
    if (op.scalars.size() != row.parameters.size())
      cursor.fail("expects " + llvm::Twine(uint64_t(row.parameters.size())) +
                  " scalars, got " + llvm::Twine(uint64_t(op.scalars.size())));
    bool isElementwise = row.kind == OperatorKind::Elementwise;
    bool needsName = !isElementwise && row.kind != OperatorKind::Accumulate;
    if (needsName != (op.over != kNoName) &&
        row.kind != OperatorKind::Accumulate)
      cursor.fail(isElementwise ? "expects no name to reduce, got one"
                                : "expects a name to reduce, got none");
    NameSet all = 0;
    for (unsigned operand : op.operands) {
      all |= names[operand];
      if (op.over != kNoName && !contains(names[operand], op.over))
        cursor["over"].fail("expects a name that each operand has, got " +
                            llvm::Twine(op.over));
    }
    names.push_back(op.over == kNoName ? all : all & ~toSet(op.over));
  }

  /// The next of the tensors that are stored: what was computed, and parts of
  /// names that the kernel's blocks share out.
  void checkStored(const JSONCursor &results, const KernelStructure &kernel,
                   NameSet computed) {
    if (numStored >= device.size())
      return results.fail("expects all tensors that kernels store, got fewer");
    NameSet stored = toSet(device[numStored++].layout), parts = 0;
    for (NameId name : toList(stored))
      if (auto part = program.getPart(name);
          part && part->kernel == structure.kernels.size() &&
          llvm::is_contained(kernel.gridNames, part->of))
        parts |= toSet(name);
    if ((stored & ~parts) != computed)
      results.fail(
          "expects tensors of the names that are computed, got others");
  }

  /// A tensor that a kernel stores, as the program stores its output.
  void readOutputs(const JSONCursor &cursor) {
    readNumbers(cursor, numStored, structure.outputs);
    if (cursor.failed())
      return;
    llvm::ArrayRef<ValueId> outputs = program.graph.getOutputs();
    if (structure.outputs.size() != outputs.size())
      return cursor.fail("expects " + llvm::Twine(uint64_t(outputs.size())) +
                         " outputs, got " +
                         llvm::Twine(uint64_t(structure.outputs.size())));
    for (auto [tensor, output] : llvm::zip(structure.outputs, outputs))
      if (!(device[tensor] == program.getStored(output)))
        cursor.fail("expects outputs as the program stores them, got others");
  }

  static constexpr size_t kMaxGridAxes = 3;

  const TargetProgram &program;
  Structure structure;
  std::vector<StoredTensor> device; ///< by device tensor
  size_t numStored = 0;             ///< of these, by kernels that were read
  std::vector<NameSet> names;       ///< by tensor of the kernel
};
} // namespace

Structure mlir::mirage::search::readStructure(const JSONCursor &cursor,
                                              const TargetProgram &program) {
  return StructureReader(program).run(cursor);
}

llvm::Expected<Structure>
mlir::mirage::search::structureFromJSON(const Value &value,
                                        const TargetProgram &program) {
  std::string error;
  Structure structure = readStructure(JSONCursor(value, error), program);
  if (!error.empty())
    return llvm::createStringError(error);
  return structure;
}
