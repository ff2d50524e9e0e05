//===- OriginalJSONTest.cpp - Tests of the original's JSON ----------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What graphs become. Whether that computes what it should, and what errors
// say: test/python/test_original_json.py.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Graph/OriginalJSON.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir::mirage;

static std::string tensor(int guid, llvm::StringRef dims, int type = 940) {
  return llvm::formatv("{{\"guid\": {0}, \"num_dims\": 2, \"dim\": [{1}, 0, 0],"
                       "\"data_type\": {2}, \"layout\": \"DmemRowMajor\"}",
                       guid, dims, type);
}

static std::string input(llvm::StringRef tensor, llvm::StringRef strides) {
  return llvm::formatv("{{\"op_type\": \"kn_input_op\", \"input_tensors\": [],"
                       "\"output_tensors\": [{0}], \"input_strides\": {1}}",
                       tensor, strides);
}

static std::string operation(llvm::StringRef type, llvm::StringRef operands,
                             llvm::StringRef results,
                             llvm::StringRef members = "") {
  return llvm::formatv("{{\"op_type\": \"{0}\", \"input_tensors\": [{1}],"
                       "\"output_tensors\": [{2}] {3}}",
                       type, operands, results, members);
}

/// exp of an 8x64 tensor.
static std::string program(int type) {
  std::string x = tensor(10, "8, 64", type), y = tensor(11, "8, 64", type);
  return "[" + input(x, "[64, 1]") + "," + operation("kn_exp_op", x, y) + "]";
}

static llvm::Expected<OriginalProgram>
read(const std::string &text, const OriginalChoices &choices = {}) {
  llvm::json::Value document = llvm::cantFail(llvm::json::parse(text));
  EXPECT_TRUE(isOriginalJSON(document));
  return programFromOriginalJSON(document, choices);
}

static std::string print(const std::string &text,
                         const OriginalChoices &choices = {}) {
  llvm::Expected<OriginalProgram> program = read(text, choices);
  return program ? toString(program->graph)
                 : llvm::toString(program.takeError());
}

TEST(OriginalJSON, Forms) {
  auto isOriginal = [](llvm::StringRef text) {
    return isOriginalJSON(llvm::cantFail(llvm::json::parse(text)));
  };
  EXPECT_TRUE(isOriginal("[]"));
  EXPECT_TRUE(isOriginal("{\"generated_graphs\": []}"));
  EXPECT_FALSE(isOriginal("{\"graph\": []}"));
  EXPECT_FALSE(isOriginal("3"));
}

TEST(OriginalJSON, Program) {
  llvm::Expected<OriginalProgram> read = ::read(program(940));
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(read->graph.getInputName(0), "input0");
  EXPECT_TRUE(read->graph.getOutputs().empty());
  ASSERT_EQ(read->inputStrides.size(), 1u);
  EXPECT_TRUE(read->inputStrides[0].empty());
  EXPECT_EQ(read->graph.getType(1), (TensorSpec{{8, 64}, ElementType::F16}));
}

/// An input behind operators comes before all of them.
TEST(OriginalJSON, InputsComeFirst) {
  std::string x = tensor(10, "8, 64"), y = tensor(11, "8, 64"),
              w = tensor(12, "64, 16"), z = tensor(13, "8, 16");
  llvm::Expected<OriginalProgram> read =
      ::read("[" + input(x, "[64, 1]") + "," + operation("kn_exp_op", x, y) +
             "," + input(w, "[1, 64]") + "," +
             operation("kn_matmul_op", y + "," + w, z) + "]");
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  ASSERT_EQ(read->graph.getNodes().size(), 2u);
  EXPECT_EQ(read->graph.getNodes()[1].operands,
            (llvm::SmallVector<ValueId, 2>{2, 1}));
  EXPECT_EQ(read->inputStrides[1], (Strides{1, 64}));
}

TEST(OriginalJSON, Lists) {
  std::string two = "[" + program(940) + "," + program(950) + "]";
  EXPECT_EQ(print(two),
            "expects an index from 0 to 1, as there are 2 graphs, got none");
  EXPECT_EQ(print(two, {/*index=*/1}), print(program(950)));
  EXPECT_EQ(print(two, {/*index=*/2}), "expects an index from 0 to 1, got 2");
  EXPECT_EQ(print(two, {/*index=*/-1}), "expects an index from 0 to 1, got -1");
  EXPECT_EQ(print("{\"generated_graphs\": [" + program(941) + "]}"),
            print(program(941)));
}

TEST(OriginalJSON, ElementTypes) {
  auto getElement = [](int type, const OriginalChoices &choices) {
    return llvm::cantFail(read(program(type), choices))
        .graph.getType(0)
        .element;
  };
  EXPECT_EQ(getElement(921, {}), ElementType::F16);
  EXPECT_EQ(getElement(940, {}), ElementType::F16);
  EXPECT_EQ(getElement(941, {}), ElementType::BF16);
  EXPECT_EQ(getElement(950, {}), ElementType::F32);
  OriginalChoices choices;
  choices.types = {{940, ElementType::BF16}, {7, ElementType::F8E5M2}};
  EXPECT_EQ(getElement(940, choices), ElementType::BF16);
  EXPECT_EQ(print(program(960)),
            "[0].output_tensors[0].data_type: expects the number of an element "
            "type among 921 (f16), 930 (f8E4M3FN), 940 (f16), 941 (bf16), 950 "
            "(f32), got 960");
}
