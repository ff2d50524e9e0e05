//===- ItemListTest.cpp - Tests of records of structures ------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mirage/Cache/ItemList.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace mlir::mirage::cache;

namespace {

std::string write(const std::vector<llvm::StringRef> &items) {
  ItemListWriter list;
  for (llvm::StringRef item : items)
    list.add(item);
  return std::move(list).finish();
}

TEST(ItemListTest, ItemsComeBackAsTheyWere) {
  std::vector<llvm::StringRef> lists[] = {
      {}, {"{}"}, {R"({"item":"a, b\n]}"})", "{}", R"({"item":",\n"})"}};
  for (const auto &items : lists)
    EXPECT_EQ(splitItemList(write(items)), items);
}

/// Whoever exports a cache, or reads it with another tool, has JSON.
TEST(ItemListTest, AListIsJSON) {
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse(write({R"({"item":"a"})", "{}"}));
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  EXPECT_EQ(*value,
            llvm::json::Value(llvm::json::Object{
                {"items",
                 {llvm::json::Object{{"item", "a"}}, llvm::json::Object{}}}}));
}

TEST(ItemListTest, OtherTextsAreNoLists) {
  std::string list = write({"{}", "{}"});
  for (llvm::StringRef text :
       {llvm::StringRef(), llvm::StringRef("{}"), llvm::StringRef("[]"),
        llvm::StringRef(list).drop_back(), llvm::StringRef(list).drop_front(),
        llvm::StringRef(R"({"items":[{}]})"),
        llvm::StringRef("{\"items\":[\n{},\n\n]}")})
    EXPECT_EQ(splitItemList(text), std::nullopt) << text.str();
}

} // namespace
