//===- StructureJSONTest.cpp - Tests of structures in JSON ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Search/StructureJSON.h"
#include "Mirage/Graph/CanonicalGraph.h"
#include "Mirage/Graph/JSONCursor.h"
#include "Mirage/Search/Explorer.h"
#include "Mirage/Search/TestPairs.h"
#include "Programs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;
using namespace mlir::mirage::search;
using namespace mlir::mirage::test;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

static TargetProgram makeProgram(const Graph &graph) {
  return llvm::cantFail(makeTargetProgram(graph));
}

/// All structures with few operators, of one kernel and of two.
static std::vector<Structure> findStructures(const TargetProgram &program,
                                             unsigned maxOps) {
  std::vector<Structure> structures;
  ExplorationLimits limits;
  limits.maxOps = limits.maxBlockOps = maxOps;
  limits.maxKernels = 2;
  limits.joins.inKernel = true;
  limits.maxStates = 20000;
  Explorer explorer(program, AtomReading::Function, limits);
  explorer.run([&](const Structure &structure, double) {
    structures.push_back(structure);
    return true;
  });
  return structures;
}

static std::string readMessage(const Value &value,
                               const TargetProgram &program) {
  llvm::Expected<Structure> structure = structureFromJSON(value, program);
  return structure ? "" : llvm::toString(structure.takeError());
}

/// Operators that are no rows of the table, or need more than those.
TEST(StructureJSON, RoundTripOfMasksAndVariances) {
  for (bool isMasked : {true, false}) {
    ProgramBuilder b;
    ValueId x = b.input({16, 32}), w = b.input({32, 24});
    ValueId centred = b.apply(Opcode::Sub, {x, b.reduce(Opcode::Mean, x, 1)});
    ValueId variance =
        b.reduce(Opcode::Mean, b.apply(Opcode::Square, {centred}), 1);
    ValueId masked = b.apply(Opcode::Exp, {b.apply(Opcode::CausalMask, {x})});
    TargetProgram program =
        makeProgram(b.finish({isMasked ? b.matmul(masked, w) : variance}));
    size_t count = 0;
    for (const Structure &structure : findStructures(program, 4)) {
      auto back = structureFromJSON(toJSON(structure), program);
      ASSERT_TRUE(static_cast<bool>(back))
          << llvm::toString(back.takeError()) << toString(structure);
      EXPECT_TRUE(*back == structure) << toString(structure);
      for (const StructureOperator &op : structure.kernels[0].operators)
        count += op.opcode == Opcode::Variance || op.mask;
    }
    EXPECT_GT(count, 0u);
  }
}

TEST(StructureJSON, RoundTrip) {
  size_t count = 0, several = 0;
  for (const Graph &graph :
       {rmsNormLinear(8, 64, 96), gatedMlp(8, 64, 96), softmaxRows(8, 64),
        lora(8, 64, 16, 96), attention(2, 16, 64, 32), twoOutputs(8, 64, 96),
        distances(8, 16, 32)}) {
    TargetProgram program = makeProgram(graph);
    for (const Structure &structure : findStructures(program, 9)) {
      llvm::Expected<Structure> back =
          structureFromJSON(toJSON(structure), program);
      ASSERT_TRUE(static_cast<bool>(back))
          << llvm::toString(back.takeError()) << toString(structure);
      ASSERT_EQ(toString(*back), toString(structure));
      ASSERT_TRUE(*back == structure);
      back->kernels[0].operators[0].stored = ElementType::BF16;
      EXPECT_FALSE(*back == structure);
      ++count;
      several += structure.kernels.size() > 1;
    }
  }
  EXPECT_GT(count, 100u);
  EXPECT_GT(several, 50u);
}

namespace {
/// A structure of two kernels, one of which joins blocks or leaves parts, as
/// text.
class StructureText : public ::testing::Test {
protected:
  void SetUp() override {
    std::vector<Structure> structures = findStructures(program, 9);
    auto largest = llvm::max_element(
        structures, [](const Structure &lhs, const Structure &rhs) {
          return toJSONText(lhs).size() < toJSONText(rhs).size();
        });
    ASSERT_NE(largest, structures.end());
    ASSERT_EQ(largest->kernels.size(), 2u);
    value = toJSON(*largest);
  }
  static std::string toJSONText(const Structure &structure) {
    return llvm::formatv("{0}", toJSON(structure)).str();
  }

  /// Calls `change` with each value inside, one at a time, and judges what
  /// comes of it: an error, or the structure that the text says.
  void forEachValue(Value &at, llvm::function_ref<void(Value &)> change) {
    Value before = at;
    change(at);
    llvm::Expected<Structure> read = structureFromJSON(value, program);
    if (read) {
      EXPECT_EQ(toJSON(*read), value) << llvm::formatv("{0}", value).str();
      // What is read can be built, and told from the program.
      if (auto plans = planKernels(program, *read))
        buildTestPairs(program, *read, *plans);
    } else {
      EXPECT_NE(llvm::toString(read.takeError()).find("expects"),
                std::string::npos);
    }
    numRefused += !read;
    ++numRead;
    at = std::move(before);
    if (Array *array = at.getAsArray())
      for (Value &element : *array)
        forEachValue(element, change);
    if (Object *object = at.getAsObject())
      for (auto &member : *object)
        forEachValue(member.second, change);
  }

  TargetProgram program = makeProgram(rmsNormLinear(8, 64, 96));
  Value value = nullptr;
  unsigned numRead = 0, numRefused = 0;
};
} // namespace

TEST_F(StructureText, EveryTruncationIsRefused) {
  std::string text = llvm::formatv("{0}", value).str();
  for (size_t size = 0; size < text.size(); ++size) {
    llvm::Expected<Value> cut = llvm::json::parse(text.substr(0, size));
    if (!cut) {
      llvm::consumeError(cut.takeError());
      continue;
    }
    EXPECT_NE(readMessage(*cut, program), "") << text.substr(0, size);
  }
}

TEST_F(StructureText, ValuesOfOtherKindsAreRefused) {
  for (const Value &other :
       {Value(nullptr), Value("text"), Value(-5), Value(int64_t(1) << 40),
        Value(1.5), Value(true), Value(Array{Array{}})})
    forEachValue(value, [&](Value &at) { at = other; });
  EXPECT_EQ(numRefused, numRead);
}

TEST_F(StructureText, OtherNumbersAreReadOrRefused) {
  for (int64_t number : {0, 1, 2, 3, 4, 5, 6, 7, 8, 31, 63, 64})
    forEachValue(value, [&](Value &at) {
      if (at.getAsInteger())
        at = number;
    });
  EXPECT_GT(numRefused, 50u);
  EXPECT_LT(numRefused, numRead);
}

TEST_F(StructureText, MembersAreNotExchanged) {
  forEachValue(value, [&](Value &at) {
    Object *object = at.getAsObject();
    if (!object || object->size() < 2)
      return;
    auto first = object->begin(), second = std::next(first);
    std::swap(first->second, second->second);
  });
  EXPECT_GT(numRefused, 0u);
  unsigned before = numRefused;
  forEachValue(value, [&](Value &at) {
    if (Array *array = at.getAsArray())
      array->insert(array->end(), array->begin(), array->end());
  });
  EXPECT_GT(numRefused, before);
}

TEST_F(StructureText, MembersAreNotMissingOrMore) {
  forEachValue(value, [&](Value &at) {
    if (Object *object = at.getAsObject())
      object->insert({"more", 1});
  });
  EXPECT_GT(numRefused, 5u);
  unsigned before = numRefused;
  forEachValue(value, [&](Value &at) {
    if (Object *object = at.getAsObject())
      object->erase(object->begin());
  });
  EXPECT_GT(numRefused, before + 5);
}

TEST(StructureJSON, ErrorsNameTheMember) {
  TargetProgram program = makeProgram(rmsNormLinear(8, 64, 96));
  auto message = [&](llvm::StringRef text) {
    return readMessage(llvm::cantFail(llvm::json::parse(text)), program);
  };
  EXPECT_EQ(message("[]"), "expects an object, got an array");
  EXPECT_EQ(message(R"({"kernels": [], "results": [], "outputs": []})"),
            "expects 1 outputs, got 0");
  EXPECT_EQ(message(R"({"kernels": [{"grid": [99], "loop": -1, "inputs": [0],
                         "operators": [], "results": []}],
                        "results": [], "outputs": []})"),
            "kernels[0].grid[0]: expects an integer from 0 to 4, got 99");
  EXPECT_EQ(message(R"({"kernels": [{"grid": [1], "loop": -1, "inputs": [0],
                         "operators": [{"operator": "matmul",
                                        "operands": [0], "over": 1}],
                         "results": []}], "results": [], "outputs": []})"),
            "kernels[0].operators[0].operands: expects 2 operands, got 1");
  EXPECT_EQ(message(R"({"kernels": [{"grid": [1], "loop": -1, "inputs": [0],
                         "operators": [{"operator": "transpose",
                                        "operands": [0]}],
                         "results": []}], "results": [], "outputs": []})"),
            "kernels[0].operators[0].operator: expects the name of an operator "
            "of the search, got \"transpose\"");
  EXPECT_EQ(message(R"({"kernels": [{"grid": [0], "loop": -1, "inputs": [0],
                         "operators": [{"operator": "sum", "operands": [0],
                                        "over": 2}],
                         "results": []}], "results": [], "outputs": []})"),
            "expects a name to reduce that each operand has, got 2");
}
