//===- Npz.cpp - Reading and writing .npz files -----------------*- C++ -*-===//
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
// Reading
//===----------------------------------------------------------------------===//

static gnn_status zipStatus(int code) {
  switch (code) {
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
  default:
    return GNN_FORMAT_ERROR;
  }
}

namespace {
struct CloseZip {
  void operator()(zip_t *zip) const { zip_discard(zip); }
};
struct CloseMember {
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};
using ZipPtr = std::unique_ptr<zip_t, CloseZip>;
using MemberPtr = std::unique_ptr<zip_file_t, CloseMember>;

/// Reads the members of one .npz.
class NpzReader {
public:
  NpzReader(const char *path, zip_t *zip, int64_t fileBytes,
            gnn_archive &archive, gnn_error *error)
      : path(path), zip(zip), fileBytes(fileBytes), archive(archive),
        error(error) {}

  gnn_status readMember(zip_uint64_t index);

private:
  gnn_status readHeader(zip_file_t *file);
  gnn_status readData(zip_file_t *file, std::string_view name);
  gnn_status readBytes(zip_file_t *file, void *data, int64_t bytes);
  gnn_status checkEnd(zip_file_t *file);

  gnn_status failZip(zip_error_t *code) {
    return fail(error, zipStatus(zip_error_code_zip(code)),
                "%s cannot be read: %s", where, zip_error_strerror(code));
  }

  const char *path;
  zip_t *zip;
  int64_t fileBytes;
  gnn_archive &archive;
  gnn_error *error;
  char where[512] = {}; // "file.npz: array 'x'"
  int64_t memberBytes = 0;
  int64_t headerBytes = 0;
  NpyHeader header;
};
} // namespace

gnn_status NpzReader::readMember(zip_uint64_t index) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr zip_uint64_t needed =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(zip, index, 0, &stat) != 0 ||
      (stat.valid & needed) != needed)
    return fail(error, GNN_FORMAT_ERROR,
                "'%.400s' has a malformed entry, number %" PRIu64, path, index);
  std::string_view name = stat.name;
  constexpr std::string_view ending = ".npy";
  if (name.size() < ending.size() ||
      name.substr(name.size() - ending.size()) != ending)
    return GNN_OK; // no array
  name.remove_suffix(ending.size());
  snprintf(where, sizeof(where), "'%.300s': array '%.*s'", path,
           static_cast<int>(name.size() < 100 ? name.size() : 100),
           name.data());

  if (zip_name_locate(zip, stat.name, 0) != static_cast<zip_int64_t>(index))
    return fail(error, GNN_FORMAT_ERROR, "%s is there twice", where);
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    return fail(error, GNN_UNSUPPORTED,
                "%s is compressed by zip method %d; np.savez and "
                "np.savez_compressed write 0 (stored) and 8 (deflated)",
                where, stat.comp_method);
  // A size that the bytes in the file cannot expand to is a lie; deflate
  // expands 1032-fold at most.
  zip_uint64_t expansion = stat.comp_method == ZIP_CM_STORE ? 1 : 1032;
  if (stat.comp_size > static_cast<zip_uint64_t>(fileBytes) ||
      stat.size / expansion > stat.comp_size)
    return fail(error, GNN_FORMAT_ERROR,
                "%s claims %" PRIu64 " bytes (%" PRIu64
                " in the file), but the file has only %" PRId64,
                where, stat.size, stat.comp_size, fileBytes);
  memberBytes = static_cast<int64_t>(stat.size);

  MemberPtr file(zip_fopen_index(zip, index, 0));
  if (!file)
    return failZip(zip_get_error(zip));
  if (gnn_status status = readHeader(file.get()))
    return status;
  if (header.isText) {
    // All other text is left out.
    constexpr int64_t room = sizeof(archive.format) - 1;
    bool isFormat = name == "format" && header.rank == 0 &&
                    header.textBytes > 0 && header.textBytes <= room &&
                    header.textBytes <= memberBytes - headerBytes;
    return isFormat ? readBytes(file.get(), archive.format, header.textBytes)
                    : GNN_OK;
  }
  return readData(file.get(), name);
}

gnn_status NpzReader::readBytes(zip_file_t *file, void *data, int64_t bytes) {
  constexpr int64_t chunk = 64 << 20;
  char *cursor = static_cast<char *>(data);
  while (bytes > 0) {
    zip_int64_t read = zip_fread(
        file, cursor, static_cast<zip_uint64_t>(std::min(bytes, chunk)));
    if (read < 0)
      return failZip(zip_file_get_error(file));
    if (read == 0)
      return fail(error, GNN_FORMAT_ERROR, "%s ends early", where);
    cursor += read;
    bytes -= read;
  }
  return GNN_OK;
}

gnn_status NpzReader::readHeader(zip_file_t *file) {
  unsigned char preamble[npyPreambleSize];
  if (memberBytes < npyPreambleSize)
    return fail(error, GNN_FORMAT_ERROR,
                "%s has %" PRId64
                " bytes, which is too short for a NumPy array",
                where, memberBytes);
  if (gnn_status status = readBytes(file, preamble, npyPreambleSize))
    return status;
  int64_t offset, length;
  if (gnn_status status =
          parseNpyPreamble(preamble, where, offset, length, error))
    return status;
  headerBytes = offset + length;
  if (headerBytes > memberBytes || headerBytes < npyPreambleSize)
    return fail(error, GNN_FORMAT_ERROR,
                "%s has a header of %" PRId64
                " bytes, but the member has %" PRId64 " bytes in all",
                where, headerBytes, memberBytes);
  Array<char> text;
  if (!text.allocate(length))
    return failMemory(error, "a NumPy header", length);
  // In version 1 the last two bytes of the preamble are the text's first.
  int64_t known = npyPreambleSize - offset;
  memcpy(text.data(), preamble + offset, static_cast<size_t>(known));
  if (gnn_status status = readBytes(file, text.data() + known, length - known))
    return status;
  header = NpyHeader();
  return parseNpyHeader({text.data(), static_cast<size_t>(length)}, where,
                        header, error);
}

/// Replaces data in Fortran order, first index fastest, by data in C order.
static gnn_status makeRowMajor(gnn_tensor &tensor, const char *where,
                               gnn_error *error) {
  gnn_tensor rowMajor;
  if (allocateTensor(tensor.dtype, tensor.rank, tensor.shape, &rowMajor,
                     nullptr))
    return failMemory(error, where, gnn_tensor_size(&tensor));
  size_t width = gnn_dtype_size(tensor.dtype);
  int64_t index[GNN_MAX_RANK] = {};
  auto *target = static_cast<char *>(rowMajor.data);
  for (int64_t i = 0, size = gnn_tensor_size(&tensor); i < size; ++i) {
    int64_t source = 0;
    for (int32_t d = tensor.rank - 1; d >= 0; --d)
      source = source * tensor.shape[d] + index[d];
    memcpy(target + static_cast<size_t>(i) * width,
           static_cast<const char *>(tensor.data) +
               static_cast<size_t>(source) * width,
           width);
    for (int32_t d = tensor.rank - 1; d >= 0; --d) {
      if (++index[d] < tensor.shape[d])
        break;
      index[d] = 0;
    }
  }
  gnn_tensor_release(&tensor);
  tensor = rowMajor;
  return GNN_OK;
}

gnn_status NpzReader::readData(zip_file_t *file, std::string_view name) {
  int64_t elements, bytes;
  if (!shapeSize(header.dtype, header.rank, header.shape, elements, bytes))
    return fail(error, GNN_FORMAT_ERROR,
                "%s has shape %s, which is more than 2^63 bytes", where,
                printShape(header.rank, header.shape).text);
  if (bytes != memberBytes - headerBytes)
    return fail(error, GNN_FORMAT_ERROR,
                "%s has shape %s and thus needs %" PRId64
                " bytes of data, but has %" PRId64,
                where, printShape(header.rank, header.shape).text, bytes,
                memberBytes - headerBytes);
  gnn_tensor tensor;
  if (allocateTensor(header.dtype, header.rank, header.shape, &tensor, nullptr))
    return failMemory(error, where, bytes);
  gnn_status status = readBytes(file, tensor.data, bytes);
  if (!status)
    status = checkEnd(file);
  if (!status && header.dtype == GNN_BOOL) {
    const uint8_t *values = static_cast<const uint8_t *>(tensor.data);
    const uint8_t *bad = std::find_if(values, values + elements,
                                      [](uint8_t v) { return v > 1; });
    if (bad != values + elements)
      status = fail(error, header.isUInt8 ? GNN_UNSUPPORTED : GNN_FORMAT_ERROR,
                    "%s is %s and holds %d; only 0 and 1 are accepted, so save "
                    "it as int32 if it holds numbers",
                    where, header.isUInt8 ? "uint8" : "bool", *bad);
  }
  if (!status && header.isFortranOrder && header.rank > 1)
    status = makeRowMajor(tensor, where, error);
  if (status) {
    gnn_tensor_release(&tensor);
    return status;
  }
  return archive.add(name, tensor, error);
}

/// Reads on past the last byte, upon which libzip compares checksums.
gnn_status NpzReader::checkEnd(zip_file_t *file) {
  char extra;
  zip_int64_t read = zip_fread(file, &extra, 1);
  if (read < 0)
    return failZip(zip_file_get_error(file));
  if (read > 0)
    return fail(error, GNN_FORMAT_ERROR, "%s has bytes after its data", where);
  return GNN_OK;
}

gnn_status gnn_archive_read(const char *path, gnn_archive **archive,
                            gnn_error *error) {
  if (!archive)
    return failNull(error, __func__, "archive");
  *archive = nullptr;
  if (!path)
    return failNull(error, __func__, "path");
  struct stat info;
  if (stat(path, &info) != 0)
    return fail(error, GNN_IO_ERROR, "'%.400s' cannot be read: %s", path,
                strerror(errno));
  if (!S_ISREG(info.st_mode))
    return fail(error, GNN_IO_ERROR,
                "'%.400s' cannot be read: it is not a regular file", path);
  // libzip takes an empty file for an empty archive.
  if (info.st_size == 0)
    return fail(error, GNN_FORMAT_ERROR,
                "'%.400s' is no .npz archive: it is empty", path);
  int code = 0;
  ZipPtr zip(zip_open(path, ZIP_RDONLY, &code));
  if (!zip) {
    zip_error_t zipError;
    zip_error_init_with_code(&zipError, code);
    gnn_status status = zipStatus(code);
    fail(error, status, "'%.400s' %s: %s", path,
         status == GNN_FORMAT_ERROR ? "is no .npz archive" : "cannot be read",
         zip_error_strerror(&zipError));
    zip_error_fini(&zipError);
    return status;
  }
  ArchivePtr result(new (std::nothrow) gnn_archive);
  if (!result)
    return failMemory(error, "an archive", sizeof(gnn_archive));
  NpzReader reader(path, zip.get(), info.st_size, *result, error);
  zip_int64_t count = zip_get_num_entries(zip.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i)
    if (gnn_status status = reader.readMember(static_cast<zip_uint64_t>(i)))
      return status;
  *archive = result.release();
  return GNN_OK;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Adds a member that refers to `header` and the tensor's data.
static bool addMember(zip_t *zip, const char *name, const gnn_tensor &tensor,
                      char *header) {
  int64_t elements, bytes;
  shapeSize(tensor.dtype, tensor.rank, tensor.shape, elements, bytes);
  zip_buffer_fragment_t fragments[2];
  fragments[0].length = formatNpyHeader(tensor, header);
  fragments[0].data = reinterpret_cast<zip_uint8_t *>(header);
  fragments[1].data = static_cast<zip_uint8_t *>(tensor.data);
  fragments[1].length = static_cast<zip_uint64_t>(bytes);
  zip_source_t *source =
      zip_source_buffer_fragment(zip, fragments, bytes ? 2 : 1, 0);
  if (!source)
    return false;
  zip_int64_t index = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    return false;
  }
  // The date is fixed, as in files by NumPy, so that equal arrays give equal
  // files: 1 January 1980.
  auto member = static_cast<zip_uint64_t>(index);
  return zip_set_file_compression(zip, member, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(zip, member, 0, 0x21, 0) == 0;
}

gnn_status gnn_archive_write(const char *path, const char *const *names,
                             const gnn_tensor *tensors, size_t count,
                             gnn_error *error) {
  if (!path)
    return failNull(error, __func__, "path");
  if (count == 0)
    return fail(error, GNN_INVALID_ARGUMENT,
                "'%.400s' cannot be written: an archive needs an array", path);
  if (!names)
    return failNull(error, __func__, "names");
  if (!tensors)
    return failNull(error, __func__, "tensors");

  // Renaming a file to the path of a device would replace the device.
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return fail(error, GNN_IO_ERROR,
                "'%.400s' cannot be written: it is not a regular file", path);

  using HeaderText = char[npyMaxWrittenHeader];
  Array<HeaderText> headers;
  if (count > INT32_MAX || !headers.allocate(static_cast<int64_t>(count)))
    return fail(error, GNN_OUT_OF_MEMORY,
                "out of memory: %zu headers do not fit", count);
  int code = 0;
  ZipPtr zip(zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (!zip) {
    zip_error_t zipError;
    zip_error_init_with_code(&zipError, code);
    gnn_status status = fail(
        error, code == ZIP_ER_MEMORY ? GNN_OUT_OF_MEMORY : GNN_IO_ERROR,
        "'%.400s' cannot be written: %s", path, zip_error_strerror(&zipError));
    zip_error_fini(&zipError);
    return status;
  }
  for (size_t i = 0; i < count; ++i) {
    char what[128], member[512];
    if (!names[i] || !*names[i])
      return fail(error, GNN_INVALID_ARGUMENT,
                  "'%.400s' cannot be written: array %zu has no name", path, i);
    if (strlen(names[i]) + sizeof(".npy") > sizeof(member))
      return fail(error, GNN_INVALID_ARGUMENT,
                  "'%.400s' cannot be written: array '%.40s...' has a name of "
                  "more than %zu characters",
                  path, names[i], sizeof(member) - sizeof(".npy"));
    snprintf(what, sizeof(what), "array '%.100s'", names[i]);
    if (gnn_status status = checkTensor(&tensors[i], what, error))
      return status;
    snprintf(member, sizeof(member), "%s.npy", names[i]);
    if (!addMember(zip.get(), member, tensors[i],
                   headers[static_cast<int64_t>(i)])) {
      zip_error_t *zipError = zip_get_error(zip.get());
      bool exists = zip_error_code_zip(zipError) == ZIP_ER_EXISTS;
      return fail(error,
                  exists ? GNN_INVALID_ARGUMENT
                         : zipStatus(zip_error_code_zip(zipError)),
                  "'%.400s' cannot be written: %s: %s", path, what,
                  exists ? "the name is there twice"
                         : zip_error_strerror(zipError));
    }
  }
  // Writes to a temporary file beside the target and renames it.
  zip_t *closing = zip.release();
  if (zip_close(closing) == 0)
    return GNN_OK;
  gnn_status status =
      fail(error, GNN_IO_ERROR, "'%.400s' cannot be written: %s", path,
           zip_strerror(closing));
  zip_discard(closing);
  return status;
}
