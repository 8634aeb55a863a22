//===- GraphFile.cpp - Reading graphs ---------------------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Archive.h"
#include "Error.h"
#include "Tensor.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <strings.h>

using namespace gnn;
using namespace gnn::rt;

namespace {
/// Splits a text file into lines and lines into fields.
class LineReader {
public:
  LineReader(const char *Path, gnn_error *Error) : Path(Path), Error(Error) {}

  /// Reads the whole file.
  gnn_status load();

  /// Goes to the next line, without its end; false at the end of the file.
  bool nextLine();

  /// Goes to the next line that has more than blanks and comments.
  bool nextContent(std::string_view CommentStarts);

  /// Takes the next field; fields are separated by blanks or, if `Commas`, by
  /// a comma among them. False at the end of the line.
  bool nextField(std::string_view &Field, bool Commas);

  /// Fails with "path:line: " before the message.
  gnn_status failHere(gnn_status Status, const char *Format, ...)
      __attribute__((format(printf, 3, 4)));

  /// Wants the number of a node or a count, 0 or above.
  gnn_status parseInteger(std::string_view Field, const char *What,
                          int64_t &Result);

  /// Wants a finite number that float32 can hold.
  gnn_status parseWeight(std::string_view Field, float &Result);

private:
  const char *Path;
  gnn_error *Error;
  Array<char> Text;
  std::string_view Rest;
  std::string_view Line;
  std::string_view Fields; // what nextField has not taken
  bool FirstField = true;
  int64_t LineNumber = 0;
};

/// The edges read so far; every edge or none has a weight.
struct EdgeList {
  Array<int64_t> Sources;
  Array<int64_t> Destinations;
  Array<float> Weights;
  bool Weighted = false;

  [[nodiscard]] bool add(int64_t Source, int64_t Destination, float Weight) {
    return Sources.push(Source) && Destinations.push(Destination) &&
           (!Weighted || Weights.push(Weight));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Lines and fields
//===----------------------------------------------------------------------===//

gnn_status LineReader::load() {
  FILE *File = fopen(Path, "rb");
  if (!File)
    return fail(Error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", Path,
                strerror(errno));
  gnn_status Status = GNN_OK;
  for (;;) {
    constexpr int64_t Chunk = 1 << 20;
    if (!Text.reserve(Text.size() + Chunk)) {
      Status = failMemory(Error, "a graph file", Text.size() + Chunk);
      break;
    }
    size_t Read = fread(Text.end(), 1, Chunk, File);
    Text.setSize(Text.size() + static_cast<int64_t>(Read));
    if (Read == Chunk)
      continue;
    if (ferror(File))
      Status = fail(Error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", Path,
                    strerror(errno));
    break;
  }
  fclose(File);
  Rest = {Text.data(), static_cast<size_t>(Text.size())};
  return Status;
}

bool LineReader::nextLine() {
  if (Rest.empty())
    return false;
  size_t End = Rest.find('\n');
  Line = Rest.substr(0, End);
  Rest.remove_prefix(End == std::string_view::npos ? Rest.size() : End + 1);
  if (!Line.empty() && Line.back() == '\r')
    Line.remove_suffix(1);
  Fields = Line;
  FirstField = true;
  ++LineNumber;
  return true;
}

static constexpr std::string_view Blanks = " \t\v\f";

bool LineReader::nextContent(std::string_view CommentStarts) {
  while (nextLine()) {
    Fields = Line = Line.substr(0, Line.find_first_of(CommentStarts));
    if (Line.find_first_not_of(Blanks) != std::string_view::npos)
      return true;
  }
  return false;
}

bool LineReader::nextField(std::string_view &Field, bool Commas) {
  auto SkipBlanks = [&] {
    Fields.remove_prefix(
        std::min(Fields.find_first_not_of(Blanks), Fields.size()));
  };
  SkipBlanks();
  bool Comma = Commas && !FirstField && !Fields.empty() && Fields[0] == ',';
  if (Comma) {
    Fields.remove_prefix(1);
    SkipBlanks();
  }
  // After a comma there must be a field, if an empty one.
  if (Fields.empty() && !Comma)
    return false;
  FirstField = false;
  Field = Fields.substr(0, Fields.find_first_of(Commas ? " \t\v\f," : Blanks));
  Fields.remove_prefix(Field.size());
  return true;
}

gnn_status LineReader::failHere(gnn_status Status, const char *Format, ...) {
  char Message[512];
  va_list Arguments;
  va_start(Arguments, Format);
  vsnprintf(Message, sizeof(Message), Format, Arguments);
  va_end(Arguments);
  return fail(Error, Status, "%.400s:%" PRId64 ": %s", Path,
              LineNumber ? LineNumber : 1, Message);
}

/// The length to print of a field that may be anything.
static int printed(std::string_view Field) {
  return static_cast<int>(Field.size() < 40 ? Field.size() : 40);
}

gnn_status LineReader::parseInteger(std::string_view Field, const char *What,
                                    int64_t &Result) {
  auto [End, Code] =
      std::from_chars(Field.data(), Field.data() + Field.size(), Result);
  if (Code == std::errc::invalid_argument ||
      End != Field.data() + Field.size() || Field[0] == '-')
    return failHere(GNN_FORMAT_ERROR,
                    "'%.*s' is no %s, which is an integer of 0 or more",
                    printed(Field), Field.data(), What);
  if (Code != std::errc() || Result > INT32_MAX)
    return failHere(GNN_UNSUPPORTED,
                    "'%.*s' is too large for a %s; at most 2147483647 is "
                    "supported",
                    printed(Field), Field.data(), What);
  return GNN_OK;
}

gnn_status LineReader::parseWeight(std::string_view Field, float &Result) {
  std::string_view Digits = Field;
  if (Digits.size() > 1 && Digits[0] == '+' && Digits[1] != '-')
    Digits.remove_prefix(1);
  double Value = 0;
  const char *Last = Digits.data() + Digits.size();
  auto [End, Code] = std::from_chars(Digits.data(), Last, Value);
  Result = static_cast<float>(Value);
  if (Code != std::errc() || End != Last || !std::isfinite(Result))
    return failHere(GNN_FORMAT_ERROR,
                    "'%.*s' is no edge weight, which is a finite number that "
                    "float32 can hold",
                    printed(Field), Field.data());
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static gnn_status addScalar(gnn_archive &Archive, const char *Name,
                            int64_t Value, gnn_error *Error) {
  gnn_tensor Tensor;
  if (gnn_status Status = allocateTensor(GNN_INT64, 0, nullptr, &Tensor, Error))
    return Status;
  memcpy(Tensor.data, &Value, sizeof(Value));
  return Archive.add(Name, Tensor, Error);
}

static gnn_status addEdges(gnn_archive &Archive, const EdgeList &Edges,
                           gnn_error *Error) {
  int64_t Count = Edges.Sources.size();
  gnn_tensor Tensor;
  int64_t Shape[2] = {2, Count};
  if (gnn_status Status = allocateTensor(GNN_INT64, 2, Shape, &Tensor, Error))
    return Status;
  if (Count) {
    size_t Bytes = static_cast<size_t>(Count) * sizeof(int64_t);
    memcpy(Tensor.data, Edges.Sources.data(), Bytes);
    memcpy(static_cast<int64_t *>(Tensor.data) + Count,
           Edges.Destinations.data(), Bytes);
  }
  if (gnn_status Status = Archive.add("edge_index", Tensor, Error))
    return Status;
  if (!Edges.Weighted)
    return GNN_OK;
  if (gnn_status Status =
          allocateTensor(GNN_FLOAT32, 1, &Shape[1], &Tensor, Error))
    return Status;
  if (Count)
    memcpy(Tensor.data, Edges.Weights.data(),
           static_cast<size_t>(Count) * sizeof(float));
  return Archive.add("edge_weight", Tensor, Error);
}

static gnn_status failEdges(gnn_error *Error, const char *Path,
                            const EdgeList &Edges) {
  return fail(Error, GNN_OUT_OF_MEMORY,
              "out of memory: '%.400s' has more than %" PRId64
              " edges, which do not fit",
              Path, Edges.Destinations.size());
}

//===----------------------------------------------------------------------===//
// Edge lists
//===----------------------------------------------------------------------===//

static gnn_status readEdgeList(const char *Path, gnn_archive &Archive,
                               gnn_error *Error) {
  LineReader Reader(Path, Error);
  if (gnn_status Status = Reader.load())
    return Status;
  EdgeList Edges;
  int NumColumns = 0;
  while (Reader.nextContent("#%")) {
    std::string_view Fields[3], Extra;
    int Count = 0;
    while (Count < 3 && Reader.nextField(Fields[Count], /*Commas=*/true))
      ++Count;
    if (Count < 2 || Reader.nextField(Extra, /*Commas=*/true))
      return Reader.failHere(GNN_FORMAT_ERROR,
                             "an edge is 'source destination' or 'source "
                             "destination weight', but the line has %s",
                             Count < 2 ? "one field" : "more than 3 fields");
    if (NumColumns == 0) {
      NumColumns = Count;
      Edges.Weighted = Count == 3;
    }
    if (Count != NumColumns)
      return Reader.failHere(GNN_FORMAT_ERROR,
                             "the line has %d fields, but the lines before it "
                             "have %d; give all edges a weight or none",
                             Count, NumColumns);
    int64_t Source, Destination;
    float Weight = 0;
    if (gnn_status Status =
            Reader.parseInteger(Fields[0], "node number", Source))
      return Status;
    if (gnn_status Status =
            Reader.parseInteger(Fields[1], "node number", Destination))
      return Status;
    if (Count == 3)
      if (gnn_status Status = Reader.parseWeight(Fields[2], Weight))
        return Status;
    if (!Edges.add(Source, Destination, Weight))
      return failEdges(Error, Path, Edges);
  }
  return addEdges(Archive, Edges, Error);
}

//===----------------------------------------------------------------------===//
// Matrix Market
//===----------------------------------------------------------------------===//

static bool equalsIgnoringCase(std::string_view Field, std::string_view Word) {
  return Field.size() == Word.size() &&
         strncasecmp(Field.data(), Word.data(), Word.size()) == 0;
}

namespace {
/// Reads "%%MatrixMarket matrix coordinate real|integer|pattern
/// general|symmetric", the size line "rows columns entries" and the entries
/// "row column [value]", numbered from 1.
class MatrixMarketReader {
public:
  MatrixMarketReader(const char *Path, gnn_archive &Archive, gnn_error *Error)
      : Reader(Path, Error), Path(Path), Archive(Archive), Error(Error) {}

  gnn_status read();

private:
  gnn_status readBanner();
  gnn_status readSize();
  gnn_status readEntry(int64_t Index);
  gnn_status readIndex(std::string_view Field, const char *What, int64_t Limit,
                       int64_t &Result);

  LineReader Reader;
  const char *Path;
  gnn_archive &Archive;
  gnn_error *Error;
  bool Symmetric = false;
  int64_t NumRows = 0, NumColumns = 0, NumEntries = 0;
  EdgeList Edges;
};
} // namespace

gnn_status MatrixMarketReader::readBanner() {
  std::string_view Banner, Object, Format, Field, Symmetry, Extra;
  if (!Reader.nextLine() || !Reader.nextField(Banner, false) ||
      !equalsIgnoringCase(Banner, "%%MatrixMarket"))
    return Reader.failHere(GNN_FORMAT_ERROR,
                           "no Matrix Market file: the first line must start "
                           "with '%%%%MatrixMarket'");
  if (!Reader.nextField(Object, false) || !Reader.nextField(Format, false) ||
      !Reader.nextField(Field, false) || !Reader.nextField(Symmetry, false) ||
      Reader.nextField(Extra, false) || !equalsIgnoringCase(Object, "matrix"))
    return Reader.failHere(GNN_FORMAT_ERROR,
                           "the first line must be '%%%%MatrixMarket matrix "
                           "coordinate FIELD SYMMETRY'");
  if (!equalsIgnoringCase(Format, "coordinate"))
    return Reader.failHere(GNN_UNSUPPORTED,
                           "the format is '%.*s', but only 'coordinate' (a "
                           "sparse matrix) is read",
                           printed(Format), Format.data());
  Edges.Weighted = !equalsIgnoringCase(Field, "pattern");
  if (Edges.Weighted && !equalsIgnoringCase(Field, "real") &&
      !equalsIgnoringCase(Field, "integer"))
    return Reader.failHere(GNN_UNSUPPORTED,
                           "the field is '%.*s', but only 'real', 'integer' "
                           "and 'pattern' are read",
                           printed(Field), Field.data());
  Symmetric = equalsIgnoringCase(Symmetry, "symmetric");
  if (!Symmetric && !equalsIgnoringCase(Symmetry, "general"))
    return Reader.failHere(GNN_UNSUPPORTED,
                           "the symmetry is '%.*s', but only 'general' and "
                           "'symmetric' are read",
                           printed(Symmetry), Symmetry.data());
  return GNN_OK;
}

gnn_status MatrixMarketReader::readSize() {
  std::string_view Rows, Columns, Entries, Extra;
  if (!Reader.nextContent("%"))
    return Reader.failHere(GNN_FORMAT_ERROR,
                           "the file ends before its size line 'rows columns "
                           "entries'");
  if (!Reader.nextField(Rows, false) || !Reader.nextField(Columns, false) ||
      !Reader.nextField(Entries, false) || Reader.nextField(Extra, false))
    return Reader.failHere(GNN_FORMAT_ERROR,
                           "the size line must be 'rows columns entries'");
  if (gnn_status Status = Reader.parseInteger(Rows, "number of rows", NumRows))
    return Status;
  if (gnn_status Status =
          Reader.parseInteger(Columns, "number of columns", NumColumns))
    return Status;
  if (gnn_status Status =
          Reader.parseInteger(Entries, "number of entries", NumEntries))
    return Status;
  if (Symmetric && NumRows != NumColumns)
    return Reader.failHere(GNN_FORMAT_ERROR,
                           "a symmetric matrix must be square, but this one "
                           "has %" PRId64 " rows and %" PRId64 " columns",
                           NumRows, NumColumns);
  return GNN_OK;
}

gnn_status MatrixMarketReader::readIndex(std::string_view Field,
                                         const char *What, int64_t Limit,
                                         int64_t &Result) {
  if (gnn_status Status = Reader.parseInteger(Field, What, Result))
    return Status;
  if (Result < 1 || Result > Limit)
    return Reader.failHere(GNN_FORMAT_ERROR,
                           "%s %" PRId64 " is not in 1..%" PRId64, What, Result,
                           Limit);
  --Result;
  return GNN_OK;
}

gnn_status MatrixMarketReader::readEntry(int64_t Index) {
  std::string_view Row, Column, Value, Extra;
  if (Index >= NumEntries)
    return Reader.failHere(GNN_FORMAT_ERROR,
                           "there are more entries than the %" PRId64
                           " of the size line",
                           NumEntries);
  if (!Reader.nextField(Row, false) || !Reader.nextField(Column, false) ||
      (Edges.Weighted && !Reader.nextField(Value, false)) ||
      Reader.nextField(Extra, false))
    return Reader.failHere(GNN_FORMAT_ERROR, "an entry of this matrix is '%s'",
                           Edges.Weighted ? "row column value" : "row column");
  int64_t Destination, Source;
  float Weight = 0;
  if (gnn_status Status = readIndex(Row, "row", NumRows, Destination))
    return Status;
  if (gnn_status Status = readIndex(Column, "column", NumColumns, Source))
    return Status;
  if (Edges.Weighted)
    if (gnn_status Status = Reader.parseWeight(Value, Weight))
      return Status;
  if (!Edges.add(Source, Destination, Weight) ||
      (Symmetric && Source != Destination &&
       !Edges.add(Destination, Source, Weight)))
    return failEdges(Error, Path, Edges);
  return GNN_OK;
}

gnn_status MatrixMarketReader::read() {
  if (gnn_status Status = Reader.load())
    return Status;
  if (gnn_status Status = readBanner())
    return Status;
  if (gnn_status Status = readSize())
    return Status;
  int64_t Count = 0;
  for (; Reader.nextContent("%"); ++Count)
    if (gnn_status Status = readEntry(Count))
      return Status;
  if (Count < NumEntries)
    return Reader.failHere(GNN_FORMAT_ERROR,
                           "the file ends after %" PRId64 " of %" PRId64
                           " entries",
                           Count, NumEntries);
  if (gnn_status Status = addEdges(Archive, Edges, Error))
    return Status;
  if (NumRows == NumColumns)
    return addScalar(Archive, "num_nodes", NumRows, Error);
  if (gnn_status Status = addScalar(Archive, "num_sources", NumColumns, Error))
    return Status;
  return addScalar(Archive, "num_destinations", NumRows, Error);
}

//===----------------------------------------------------------------------===//
// NumPy archives
//===----------------------------------------------------------------------===//

/// Replaces the array, if there is one, by int64 of the wanted shape: rank 0,
/// or [2, E] for an edge index.
static gnn_status normalize(const char *Path, gnn_archive &Archive,
                            const char *Name, bool IsEdgeIndex,
                            gnn_error *Error) {
  ArchiveEntry *Entry = Archive.find(Name);
  if (!Entry)
    return GNN_OK;
  gnn_tensor &Tensor = Entry->Tensor;
  bool Fits = IsEdgeIndex ? Tensor.rank == 2 && Tensor.shape[0] == 2
                          : gnn_tensor_size(&Tensor) == 1;
  if (!Fits || (Tensor.dtype != GNN_INT64 && Tensor.dtype != GNN_INT32))
    return fail(Error, GNN_FORMAT_ERROR,
                "'%.300s': array '%s' is %s of shape %s, but must be int64 of "
                "shape %s",
                Path, Name, gnn_dtype_name(Tensor.dtype),
                printShape(Tensor.rank, Tensor.shape).Text,
                IsEdgeIndex ? "[2, E]" : "[]");
  if (!IsEdgeIndex)
    Tensor.rank = 0;
  if (Tensor.dtype == GNN_INT64)
    return GNN_OK;
  gnn_tensor Converted;
  if (gnn_status Status =
          gnn_tensor_convert(&Tensor, GNN_INT64, &Converted, Error))
    return Status;
  gnn_tensor_release(&Tensor);
  Tensor = Converted;
  return GNN_OK;
}

static gnn_status readNpz(const char *Path, gnn_archive **Archive,
                          gnn_error *Error) {
  gnn_archive *Raw;
  if (gnn_status Status = gnn_archive_read(Path, &Raw, Error))
    return Status;
  ArchivePtr Result(Raw);
  if (gnn_status Status = normalize(Path, *Raw, "edge_index", true, Error))
    return Status;
  for (const char *Name : {"num_nodes", "num_sources", "num_destinations"})
    if (gnn_status Status = normalize(Path, *Raw, Name, false, Error))
      return Status;
  *Archive = Result.release();
  return GNN_OK;
}

gnn_status gnn_graph_file_read(const char *Path, gnn_archive **Archive,
                               gnn_error *Error) {
  if (!Archive)
    return failNull(Error, __func__, "archive");
  *Archive = nullptr;
  if (!Path)
    return failNull(Error, __func__, "path");
  std::string_view Ending = Path;
  size_t Dot = Ending.find_last_of("./");
  Ending = Dot == std::string_view::npos || Ending[Dot] == '/'
               ? std::string_view()
               : Ending.substr(Dot);
  if (equalsIgnoringCase(Ending, ".npz"))
    return readNpz(Path, Archive, Error);

  bool IsEdgeList = false;
  for (const char *Known : {".txt", ".edges", ".csv", ".tsv"})
    IsEdgeList |= equalsIgnoringCase(Ending, Known);
  if (!IsEdgeList && !equalsIgnoringCase(Ending, ".mtx"))
    return fail(Error, GNN_UNSUPPORTED,
                "'%.400s' has an unknown kind of graph; its ending must be "
                ".npz, .mtx, .txt, .edges, .csv or .tsv",
                Path);
  ArchivePtr Result(new (std::nothrow) gnn_archive);
  if (!Result)
    return failMemory(Error, "an archive", sizeof(gnn_archive));
  gnn_status Status = IsEdgeList
                          ? readEdgeList(Path, *Result, Error)
                          : MatrixMarketReader(Path, *Result, Error).read();
  if (Status)
    return Status;
  *Archive = Result.release();
  return GNN_OK;
}
