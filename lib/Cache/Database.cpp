//===- Database.cpp - A connection to an SQLite file ----------------------===//
//
// Part of Mirage, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Database.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <sqlite3.h>

using namespace mlir::mirage::cache;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

/// "MIRG", by which SQLite files of ours are known.
static constexpr int64_t kApplicationId = 0x4D495247;
/// How long to wait for another process that writes.
static constexpr int kBusyTimeoutMs = 10000;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

char DatabaseError::ID = 0;

void DatabaseError::log(llvm::raw_ostream &os) const { os << message; }

std::error_code DatabaseError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

DatabaseError::Kind mlir::mirage::cache::getKind(const Error &error) {
  auto kind = DatabaseError::Failed;
  llvm::visitErrors(error, [&](const llvm::ErrorInfoBase &info) {
    if (info.isA<DatabaseError>())
      kind = static_cast<const DatabaseError &>(info).getKind();
  });
  return kind;
}

static Error makeBroken(const llvm::Twine &message) {
  return llvm::make_error<DatabaseError>(DatabaseError::Broken, message.str());
}

Error Database::makeError(int code) const {
  bool isBroken = code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
  return llvm::make_error<DatabaseError>(isBroken ? DatabaseError::Broken
                                                  : DatabaseError::Failed,
                                         sqlite3_errmsg(connection));
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

class Database::Statement {
public:
  Statement(Database &database, sqlite3_stmt *statement)
      : database(database), statement(statement) {}
  ~Statement() { sqlite3_finalize(statement); }

  /// Goes to the next row. \returns whether there is one.
  Expected<bool> step() {
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW || code == SQLITE_DONE)
      return code == SQLITE_ROW;
    return database.makeError(code);
  }
  /// Of the row, until the next step.
  StringRef getText(int column) {
    auto *text = sqlite3_column_text(statement, column);
    return text ? StringRef(reinterpret_cast<const char *>(text),
                            sqlite3_column_bytes(statement, column))
                : StringRef();
  }
  int64_t getNumber(int column) {
    return sqlite3_column_int64(statement, column);
  }

private:
  Database &database;
  sqlite3_stmt *statement;
};

Expected<std::unique_ptr<Database::Statement>>
Database::prepare(const std::string &sql, llvm::ArrayRef<StringRef> texts) {
  sqlite3_stmt *raw = nullptr;
  int code = sqlite3_prepare_v2(connection, sql.c_str(), -1, &raw, nullptr);
  if (code != SQLITE_OK)
    return makeError(code);
  auto statement = std::make_unique<Statement>(*this, raw);
  for (auto [number, text] : llvm::enumerate(texts)) {
    // An empty StringRef may have no data, which would be NULL.
    const char *data = text.empty() ? "" : text.data();
    code = sqlite3_bind_text(raw, number + 1, data, text.size(), SQLITE_STATIC);
    if (code != SQLITE_OK)
      return makeError(code);
  }
  return std::move(statement);
}

Error Database::execute(const std::string &sql) {
  int code = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Error::success() : makeError(code);
}

Expected<int64_t> Database::readNumber(const std::string &sql) {
  auto statement = prepare(sql, {});
  if (!statement)
    return statement.takeError();
  Expected<bool> hasRow = (*statement)->step();
  if (!hasRow)
    return hasRow.takeError();
  return *hasRow ? (*statement)->getNumber(0) : 0;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Database::~Database() { sqlite3_close(connection); }

Expected<std::unique_ptr<Database>> Database::connect(StringRef path,
                                                      int flags) {
  sqlite3 *connection = nullptr;
  int code = sqlite3_open_v2(path.str().c_str(), &connection, flags, nullptr);
  std::unique_ptr<Database> database(new Database(connection));
  if (code != SQLITE_OK)
    return database->makeError(code);
  sqlite3_busy_timeout(connection, kBusyTimeoutMs);
  // Records may be lost where power is; to wait for the disk each time would
  // take longer than many a search.
  if (Error error = database->execute("PRAGMA synchronous = NORMAL"))
    return std::move(error);
  return std::move(database);
}

/// A path as a URI of SQLite's.
static std::string getUri(StringRef path, StringRef query) {
  std::string uri = "file:";
  for (char c : path) {
    if (llvm::isAlnum(c) || StringRef("/._-~").contains(c))
      uri += c;
    else
      uri += "%" + llvm::toHex(StringRef(&c, 1));
  }
  return uri + query.str();
}

/// To read a file with a log beside it, SQLite writes an index of that. Without
/// a log, which somebody at work or a crash leaves, nothing is written.
Expected<std::unique_ptr<Database>> Database::openReadOnly(StringRef path) {
  uint64_t logBytes = 0;
  if (!llvm::sys::fs::file_size(path + "-wal", logBytes) && logBytes > 0)
    return connect(path, SQLITE_OPEN_READONLY);
  return connect(getUri(path, "?immutable=1"),
                 SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

Expected<std::unique_ptr<Database>> Database::open(StringRef path,
                                                   bool isWritable) {
  uint64_t bytes = 0;
  std::error_code code = llvm::sys::fs::file_size(path, bytes);
  if (code == std::errc::no_such_file_or_directory || (!code && bytes == 0))
    return llvm::make_error<DatabaseError>(DatabaseError::Missing,
                                           "expects a cache, found none");
  auto database =
      isWritable ? connect(path, SQLITE_OPEN_READWRITE) : openReadOnly(path);
  if (!database)
    return database;
  if (Error error = (*database)->checkFormat())
    return std::move(error);
  return database;
}

static std::string getColumnList() {
  return llvm::join(std::begin(kKeyColumns), std::end(kKeyColumns), ", ");
}

/// Whose file it is, of what format, and whether its tables can be read.
Error Database::checkFormat() {
  Expected<int64_t> application = readNumber("PRAGMA application_id");
  if (!application)
    return application.takeError();
  if (*application != kApplicationId)
    return makeBroken("expects a cache of Mirage, found another file");
  Expected<int64_t> format = readNumber("PRAGMA user_version");
  if (!format)
    return format.takeError();
  if (*format != kFormatVersion)
    return makeBroken("expects format " + llvm::Twine(kFormatVersion) +
                      ", found format " + llvm::Twine(*format));
  for (RecordKind kind : kRecordKinds) {
    auto rows =
        prepare("SELECT " + getColumnList() + ", value, checksum FROM " +
                    getTableName(kind).str() + " LIMIT 1",
                {});
    if (!rows)
      return makeBroken(llvm::toString(rows.takeError()));
    if (Expected<bool> hasRow = (*rows)->step(); !hasRow)
      return hasRow.takeError();
  }
  return Error::success();
}

Expected<std::unique_ptr<Database>> Database::create(StringRef path) {
  auto database = connect(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!database)
    return database;
  if (Error error = (*database)->createTables())
    return std::move(error);
  return database;
}

/// In one transaction: there is no file with some of it. The log is for readers
/// to go on while somebody writes; where it cannot be, they wait.
Error Database::createTables() {
  if (Error error = transact([&] {
        std::string sql =
            "PRAGMA application_id = " + std::to_string(kApplicationId) +
            "; PRAGMA user_version = " + std::to_string(kFormatVersion) + ";";
        for (RecordKind kind : kRecordKinds) {
          sql += "CREATE TABLE " + getTableName(kind).str() + " (";
          for (StringRef column : kKeyColumns)
            sql += column.str() + " TEXT NOT NULL, ";
          sql += "value TEXT NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (" +
                 getColumnList() + ")) WITHOUT ROWID;";
        }
        return execute(sql);
      }))
    return error;
  return execute("PRAGMA journal_mode = WAL");
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

Error Database::transact(llvm::function_ref<Error()> work) {
  if (Error error = execute("BEGIN IMMEDIATE"))
    return error;
  Error error = work();
  if (!error)
    error = execute("COMMIT");
  if (error)
    llvm::consumeError(execute("ROLLBACK"));
  return error;
}

/// "program = ?1 AND ..."
static std::string getCondition() {
  llvm::SmallVector<std::string> parts;
  for (auto [number, column] : llvm::enumerate(kKeyColumns))
    parts.push_back(column.str() + " = ?" + std::to_string(number + 1));
  return llvm::join(parts, " AND ");
}

Expected<std::optional<std::string>>
Database::lookup(RecordKind kind, const RecordKey &key, bool &isDamaged) {
  auto rows = prepare("SELECT value, checksum FROM " +
                          getTableName(kind).str() + " WHERE " + getCondition(),
                      getColumns(key));
  if (!rows)
    return rows.takeError();
  Expected<bool> hasRow = (*rows)->step();
  if (!hasRow)
    return hasRow.takeError();
  if (!*hasRow)
    return std::nullopt;
  std::string value = (*rows)->getText(0).str();
  isDamaged = (*rows)->getText(1) != computeChecksum(kind, key, value);
  if (isDamaged)
    return std::nullopt;
  return value;
}

Error Database::store(RecordKind kind, const RecordKey &key, StringRef value) {
  std::string checksum = computeChecksum(kind, key, value);
  llvm::SmallVector<StringRef> texts(
      llvm::ArrayRef<StringRef>(getColumns(key)));
  texts.append({value, checksum});
  auto rows = prepare("INSERT OR REPLACE INTO " + getTableName(kind).str() +
                          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                      texts);
  if (!rows)
    return rows.takeError();
  return (*rows)->step().takeError();
}

Error Database::remove(RecordKind kind, const RecordKey &key) {
  auto rows = prepare("DELETE FROM " + getTableName(kind).str() + " WHERE " +
                          getCondition(),
                      getColumns(key));
  if (!rows)
    return rows.takeError();
  return (*rows)->step().takeError();
}

Error Database::forEachRecord(
    RecordKind kind,
    llvm::function_ref<Error(const Record &, bool isDamaged)> visit) {
  return forEachRow(kind, /*condition=*/"", {}, visit);
}

Error Database::forEachTime(
    StringRef program,
    llvm::function_ref<Error(const Record &, bool isDamaged)> visit) {
  return forEachRow(RecordKind::Times,
                    " WHERE program = '' AND sized_program = ?1", {program},
                    visit);
}

Error Database::forEachRow(
    RecordKind kind, const std::string &condition,
    llvm::ArrayRef<StringRef> texts,
    llvm::function_ref<Error(const Record &, bool isDamaged)> visit) {
  auto rows = prepare("SELECT " + getColumnList() + ", value, checksum FROM " +
                          getTableName(kind).str() + condition + " ORDER BY " +
                          getColumnList(),
                      texts);
  if (!rows)
    return rows.takeError();
  while (true) {
    Expected<bool> hasRow = (*rows)->step();
    if (!hasRow)
      return hasRow.takeError();
    if (!*hasRow)
      return Error::success();
    auto getText = [&](int column) { return (*rows)->getText(column).str(); };
    Record record{kind,
                  {getText(0), getText(1), getText(2), getText(3), getText(4)},
                  getText(5)};
    bool isDamaged =
        getText(6) != computeChecksum(kind, record.key, record.value);
    if (Error error = visit(record, isDamaged))
      return error;
  }
}
