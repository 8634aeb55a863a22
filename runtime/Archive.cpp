//===- Archive.cpp - Reading and writing .npz files -------------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libzip handles the container: zip64 (NumPy marks every member so), deflate,
// checksums, and replacing files atomically.
//
//===----------------------------------------------------------------------===//

#include "Archive.h"

#include "Error.h"
#include "Npy.h"
#include "Tensor.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>
#include <sys/stat.h>
#include <zip.h>

using namespace gnn;
using namespace gnn::rt;

//===----------------------------------------------------------------------===//
// Archives in memory
//===----------------------------------------------------------------------===//

gnn_archive::~gnn_archive() {
  for (ArchiveEntry &Entry : Entries) {
    free(Entry.Name);
    gnn_tensor_release(&Entry.Tensor);
  }
}

gnn_status gnn_archive::add(std::string_view Name, gnn_tensor Tensor,
                            gnn_error *Error) {
  char *Copy = static_cast<char *>(malloc(Name.size() + 1));
  if (!Copy || !Entries.push({Copy, Tensor})) {
    free(Copy);
    gnn_tensor_release(&Tensor);
    return fail(Error, GNN_OUT_OF_MEMORY,
                "out of memory: the name of an array does not fit");
  }
  memcpy(Copy, Name.data(), Name.size());
  Copy[Name.size()] = 0;
  return GNN_OK;
}

ArchiveEntry *gnn_archive::find(std::string_view Name) {
  for (ArchiveEntry &Entry : Entries)
    if (Name == Entry.Name)
      return &Entry;
  return nullptr;
}

size_t gnn_archive_size(const gnn_archive *Archive) {
  return static_cast<size_t>(Archive->Entries.size());
}

const char *gnn_archive_name(const gnn_archive *Archive, size_t Index) {
  if (Index >= gnn_archive_size(Archive))
    return nullptr;
  return Archive->Entries[static_cast<int64_t>(Index)].Name;
}

const gnn_tensor *gnn_archive_find(const gnn_archive *Archive,
                                   const char *Name) {
  if (!Archive || !Name)
    return nullptr;
  for (const ArchiveEntry &Entry : Archive->Entries)
    if (strcmp(Entry.Name, Name) == 0)
      return &Entry.Tensor;
  return nullptr;
}

void gnn_archive_destroy(gnn_archive *Archive) { delete Archive; }

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static gnn_status zipStatus(int Code) {
  switch (Code) {
  case ZIP_ER_MEMORY:
    return GNN_OUT_OF_MEMORY;
  case ZIP_ER_OPEN:
  case ZIP_ER_READ:
  case ZIP_ER_WRITE:
  case ZIP_ER_SEEK:
  case ZIP_ER_NOENT:
  case ZIP_ER_TMPOPEN:
  case ZIP_ER_RENAME:
  case ZIP_ER_CLOSE:
  case ZIP_ER_TELL:
    return GNN_IO_ERROR;
  case ZIP_ER_COMPNOTSUPP:
  case ZIP_ER_ENCRNOTSUPP:
  case ZIP_ER_NOPASSWD:
    return GNN_UNSUPPORTED;
  }
  return GNN_FORMAT_ERROR;
}

namespace {
struct CloseZip {
  void operator()(zip_t *Zip) const { zip_discard(Zip); }
};
struct CloseMember {
  void operator()(zip_file_t *File) const { zip_fclose(File); }
};
using ZipPtr = std::unique_ptr<zip_t, CloseZip>;
using MemberPtr = std::unique_ptr<zip_file_t, CloseMember>;

/// Reads the members of one .npz.
class NpzReader {
public:
  NpzReader(const char *Path, zip_t *Zip, int64_t FileBytes,
            gnn_archive &Archive, gnn_error *Error)
      : Path(Path), Zip(Zip), FileBytes(FileBytes), Archive(Archive),
        Error(Error) {}

  gnn_status readMember(zip_uint64_t Index);

private:
  gnn_status readHeader(zip_file_t *File);
  gnn_status readData(zip_file_t *File, std::string_view Name);
  gnn_status readBytes(zip_file_t *File, void *Data, int64_t Bytes);
  gnn_status checkEnd(zip_file_t *File);

  gnn_status failZip(zip_error_t *Code) {
    return fail(Error, zipStatus(zip_error_code_zip(Code)),
                "%s cannot be read: %s", Where, zip_error_strerror(Code));
  }

  const char *Path;
  zip_t *Zip;
  int64_t FileBytes;
  gnn_archive &Archive;
  gnn_error *Error;
  char Where[512] = {}; // "file.npz: array 'x'"
  int64_t MemberBytes = 0;
  int64_t HeaderBytes = 0;
  NpyHeader Header;
};
} // namespace

gnn_status NpzReader::readMember(zip_uint64_t Index) {
  zip_stat_t Stat;
  zip_stat_init(&Stat);
  constexpr zip_uint64_t Needed =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(Zip, Index, 0, &Stat) != 0 ||
      (Stat.valid & Needed) != Needed)
    return fail(Error, GNN_FORMAT_ERROR,
                "'%.400s' has a malformed entry, number %" PRIu64, Path, Index);
  std::string_view Name = Stat.name;
  constexpr std::string_view Ending = ".npy";
  if (Name.size() < Ending.size() ||
      Name.substr(Name.size() - Ending.size()) != Ending)
    return GNN_OK; // no array
  Name.remove_suffix(Ending.size());
  snprintf(Where, sizeof(Where), "'%.300s': array '%.*s'", Path,
           static_cast<int>(Name.size() < 100 ? Name.size() : 100),
           Name.data());

  if (zip_name_locate(Zip, Stat.name, 0) != static_cast<zip_int64_t>(Index))
    return fail(Error, GNN_FORMAT_ERROR, "%s is there twice", Where);
  if (Stat.comp_method != ZIP_CM_STORE && Stat.comp_method != ZIP_CM_DEFLATE)
    return fail(Error, GNN_UNSUPPORTED,
                "%s is compressed by zip method %d; np.savez and "
                "np.savez_compressed write 0 (stored) and 8 (deflated)",
                Where, Stat.comp_method);
  // A size that the bytes in the file cannot expand to is a lie; deflate
  // expands 1032-fold at most.
  zip_uint64_t Expansion = Stat.comp_method == ZIP_CM_STORE ? 1 : 1032;
  if (Stat.comp_size > static_cast<zip_uint64_t>(FileBytes) ||
      Stat.size / Expansion > Stat.comp_size)
    return fail(Error, GNN_FORMAT_ERROR,
                "%s claims %" PRIu64 " bytes (%" PRIu64
                " in the file), but the file has only %" PRId64,
                Where, Stat.size, Stat.comp_size, FileBytes);
  MemberBytes = static_cast<int64_t>(Stat.size);

  MemberPtr File(zip_fopen_index(Zip, Index, 0));
  if (!File)
    return failZip(zip_get_error(Zip));
  if (gnn_status Status = readHeader(File.get()))
    return Status;
  if (Header.IsForeign)
    return GNN_OK;
  return readData(File.get(), Name);
}

gnn_status NpzReader::readBytes(zip_file_t *File, void *Data, int64_t Bytes) {
  constexpr int64_t Chunk = 64 << 20;
  char *Cursor = static_cast<char *>(Data);
  while (Bytes > 0) {
    zip_int64_t Read = zip_fread(
        File, Cursor, static_cast<zip_uint64_t>(std::min(Bytes, Chunk)));
    if (Read < 0)
      return failZip(zip_file_get_error(File));
    if (Read == 0)
      return fail(Error, GNN_FORMAT_ERROR, "%s ends early", Where);
    Cursor += Read;
    Bytes -= Read;
  }
  return GNN_OK;
}

gnn_status NpzReader::readHeader(zip_file_t *File) {
  unsigned char Preamble[NpyPreambleSize];
  if (MemberBytes < NpyPreambleSize)
    return fail(Error, GNN_FORMAT_ERROR,
                "%s has %" PRId64
                " bytes, which is too short for a NumPy array",
                Where, MemberBytes);
  if (gnn_status Status = readBytes(File, Preamble, NpyPreambleSize))
    return Status;
  int64_t Offset, Length;
  if (gnn_status Status =
          parseNpyPreamble(Preamble, Where, Offset, Length, Error))
    return Status;
  HeaderBytes = Offset + Length;
  if (HeaderBytes > MemberBytes || HeaderBytes < NpyPreambleSize)
    return fail(Error, GNN_FORMAT_ERROR,
                "%s has a header of %" PRId64
                " bytes, but the member has %" PRId64 " bytes in all",
                Where, HeaderBytes, MemberBytes);
  Array<char> Text;
  if (!Text.allocate(Length))
    return failMemory(Error, "a NumPy header", Length);
  // In version 1 the last two bytes of the preamble are the text's first.
  int64_t Known = NpyPreambleSize - Offset;
  memcpy(Text.data(), Preamble + Offset, static_cast<size_t>(Known));
  if (gnn_status Status = readBytes(File, Text.data() + Known, Length - Known))
    return Status;
  Header = NpyHeader();
  return parseNpyHeader({Text.data(), static_cast<size_t>(Length)}, Where,
                        Header, Error);
}

gnn_status NpzReader::readData(zip_file_t *File, std::string_view Name) {
  if (Header.IsFortranOrder && Header.Rank > 1)
    return fail(Error, GNN_UNSUPPORTED,
                "%s is in Fortran order; save np.ascontiguousarray of it",
                Where);
  int64_t Elements, Bytes;
  if (!shapeSize(Header.DType, Header.Rank, Header.Shape, Elements, Bytes))
    return fail(Error, GNN_FORMAT_ERROR,
                "%s has shape %s, which is more than 2^63 bytes", Where,
                printShape(Header.Rank, Header.Shape).Text);
  if (Bytes != MemberBytes - HeaderBytes)
    return fail(Error, GNN_FORMAT_ERROR,
                "%s has shape %s and thus needs %" PRId64
                " bytes of data, but has %" PRId64,
                Where, printShape(Header.Rank, Header.Shape).Text, Bytes,
                MemberBytes - HeaderBytes);
  gnn_tensor Tensor;
  if (allocateTensor(Header.DType, Header.Rank, Header.Shape, &Tensor, nullptr))
    return failMemory(Error, Where, Bytes);
  gnn_status Status = readBytes(File, Tensor.data, Bytes);
  if (!Status)
    Status = checkEnd(File);
  if (!Status && Header.DType == GNN_BOOL) {
    const uint8_t *Values = static_cast<const uint8_t *>(Tensor.data);
    const uint8_t *Bad = std::find_if(Values, Values + Elements,
                                      [](uint8_t V) { return V > 1; });
    if (Bad != Values + Elements)
      Status = fail(Error, Header.IsUInt8 ? GNN_UNSUPPORTED : GNN_FORMAT_ERROR,
                    "%s is %s and holds %d; only 0 and 1 are accepted, so save "
                    "it as int32 if it holds numbers",
                    Where, Header.IsUInt8 ? "uint8" : "bool", *Bad);
  }
  if (Status) {
    gnn_tensor_release(&Tensor);
    return Status;
  }
  return Archive.add(Name, Tensor, Error);
}

/// Reads on past the last byte, upon which libzip compares checksums.
gnn_status NpzReader::checkEnd(zip_file_t *File) {
  char Extra;
  zip_int64_t Read = zip_fread(File, &Extra, 1);
  if (Read < 0)
    return failZip(zip_file_get_error(File));
  if (Read > 0)
    return fail(Error, GNN_FORMAT_ERROR, "%s has bytes after its data", Where);
  return GNN_OK;
}

gnn_status gnn_archive_read(const char *Path, gnn_archive **Archive,
                            gnn_error *Error) {
  if (!Archive)
    return failNull(Error, __func__, "archive");
  *Archive = nullptr;
  if (!Path)
    return failNull(Error, __func__, "path");
  struct stat Stat;
  if (stat(Path, &Stat) != 0)
    return fail(Error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", Path,
                strerror(errno));
  if (!S_ISREG(Stat.st_mode))
    return fail(Error, GNN_IO_ERROR,
                "'%.400s' cannot be read: it is not a regular file", Path);
  // libzip takes an empty file for an empty archive.
  if (Stat.st_size == 0)
    return fail(Error, GNN_FORMAT_ERROR,
                "'%.400s' is no .npz archive: it is empty", Path);
  int Code = 0;
  ZipPtr Zip(zip_open(Path, ZIP_RDONLY, &Code));
  if (!Zip) {
    zip_error_t ZipError;
    zip_error_init_with_code(&ZipError, Code);
    gnn_status Status = zipStatus(Code);
    fail(Error, Status, "'%.400s' %s: %s", Path,
         Status == GNN_FORMAT_ERROR ? "is no .npz archive" : "cannot be read",
         zip_error_strerror(&ZipError));
    zip_error_fini(&ZipError);
    return Status;
  }
  ArchivePtr Result(new (std::nothrow) gnn_archive);
  if (!Result)
    return failMemory(Error, "an archive", sizeof(gnn_archive));
  NpzReader Reader(Path, Zip.get(), Stat.st_size, *Result, Error);
  zip_int64_t Count = zip_get_num_entries(Zip.get(), 0);
  for (zip_int64_t I = 0; I < Count; ++I)
    if (gnn_status Status = Reader.readMember(static_cast<zip_uint64_t>(I)))
      return Status;
  *Archive = Result.release();
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Adds a member that refers to `Header` and the tensor's data.
static bool addMember(zip_t *Zip, const char *Name, const gnn_tensor &Tensor,
                      char *Header) {
  int64_t Elements, Bytes;
  shapeSize(Tensor.dtype, Tensor.rank, Tensor.shape, Elements, Bytes);
  zip_buffer_fragment_t Fragments[2];
  Fragments[0].length = formatNpyHeader(Tensor, Header);
  Fragments[0].data = reinterpret_cast<zip_uint8_t *>(Header);
  Fragments[1].data = static_cast<zip_uint8_t *>(Tensor.data);
  Fragments[1].length = static_cast<zip_uint64_t>(Bytes);
  zip_source_t *Source =
      zip_source_buffer_fragment(Zip, Fragments, Bytes ? 2 : 1, 0);
  if (!Source)
    return false;
  zip_int64_t Index = zip_file_add(Zip, Name, Source, ZIP_FL_ENC_UTF_8);
  if (Index < 0) {
    zip_source_free(Source);
    return false;
  }
  // The date is fixed, as in files by NumPy, so that equal arrays give equal
  // files: 1 January 1980.
  auto Member = static_cast<zip_uint64_t>(Index);
  return zip_set_file_compression(Zip, Member, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(Zip, Member, 0, 0x21, 0) == 0;
}

gnn_status gnn_archive_write(const char *Path, const char *const *Names,
                             const gnn_tensor *Tensors, size_t Count,
                             gnn_error *Error) {
  if (!Path)
    return failNull(Error, __func__, "path");
  if (Count == 0)
    return fail(Error, GNN_INVALID_ARGUMENT,
                "'%.400s' cannot be written: an archive needs an array", Path);
  if (!Names)
    return failNull(Error, __func__, "names");
  if (!Tensors)
    return failNull(Error, __func__, "tensors");

  using HeaderText = char[NpyMaxWrittenHeader];
  Array<HeaderText> Headers;
  if (Count > INT32_MAX || !Headers.allocate(static_cast<int64_t>(Count)))
    return fail(Error, GNN_OUT_OF_MEMORY,
                "out of memory: %zu headers do not fit", Count);
  int Code = 0;
  ZipPtr Zip(zip_open(Path, ZIP_CREATE | ZIP_TRUNCATE, &Code));
  if (!Zip) {
    zip_error_t ZipError;
    zip_error_init_with_code(&ZipError, Code);
    gnn_status Status =
        fail(Error, zipStatus(Code), "'%.400s' cannot be written: %s", Path,
             zip_error_strerror(&ZipError));
    zip_error_fini(&ZipError);
    return Status;
  }
  for (size_t I = 0; I < Count; ++I) {
    char What[128], Member[512];
    if (!Names[I] || !*Names[I])
      return fail(Error, GNN_INVALID_ARGUMENT,
                  "'%.400s' cannot be written: array %zu has no name", Path, I);
    if (strlen(Names[I]) + sizeof(".npy") > sizeof(Member))
      return fail(Error, GNN_INVALID_ARGUMENT,
                  "'%.400s' cannot be written: array '%.40s...' has a name of "
                  "more than %zu characters",
                  Path, Names[I], sizeof(Member) - sizeof(".npy"));
    snprintf(What, sizeof(What), "array '%.100s'", Names[I]);
    if (gnn_status Status = checkTensor(&Tensors[I], What, Error))
      return Status;
    snprintf(Member, sizeof(Member), "%s.npy", Names[I]);
    if (!addMember(Zip.get(), Member, Tensors[I],
                   Headers[static_cast<int64_t>(I)])) {
      zip_error_t *ZipError = zip_get_error(Zip.get());
      bool Exists = zip_error_code_zip(ZipError) == ZIP_ER_EXISTS;
      return fail(Error,
                  Exists ? GNN_INVALID_ARGUMENT
                         : zipStatus(zip_error_code_zip(ZipError)),
                  "'%.400s' cannot be written: %s: %s", Path, What,
                  Exists ? "the name is there twice"
                         : zip_error_strerror(ZipError));
    }
  }
  // Writes to a temporary file beside the target and renames it.
  if (zip_close(Zip.get()) != 0)
    return fail(Error, GNN_IO_ERROR, "'%.400s' cannot be written: %s", Path,
                zip_strerror(Zip.get()));
  static_cast<void>(Zip.release());
  return GNN_OK;
}
