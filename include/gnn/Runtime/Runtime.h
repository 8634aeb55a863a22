/*===- gnn/Runtime/Runtime.h - C interface of the runtime ---------*- C -*-===*\
|*                                                                            *|
|* Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.      *|
|* See LICENSE.TXT for license information.                                   *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Graphs, tensors and compiled models as seen from C. Nothing here depends   *|
|* on LLVM, allocates global state or aborts: every function that can fail    *|
|* returns a gnn_status and, where the caller passes a gnn_error, one         *|
|* sentence saying what was wrong, where, and what would be right.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef GNN_RUNTIME_RUNTIME_H
#define GNN_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Layout version of gnn_model; a library compiled for another is refused. */
#define GNN_ABI_VERSION 14
#define GNN_MAX_RANK 8

/* C callers may pass any number for an enum. Only with a fixed type may C++
   code look at it, and refuse it. */
#ifdef __cplusplus
#define GNN_ENUM_TYPE : int
#else
#define GNN_ENUM_TYPE
#endif

/*===-- Errors ------------------------------------------------------------===*/

typedef enum gnn_status GNN_ENUM_TYPE {
  GNN_OK = 0,
  GNN_INVALID_ARGUMENT = 1, /* the caller's values are wrong */
  GNN_IO_ERROR = 2,         /* a file cannot be read or written */
  GNN_FORMAT_ERROR = 3,     /* a file's contents are malformed */
  GNN_OUT_OF_MEMORY = 4,
  GNN_UNSUPPORTED = 5, /* well-formed, but beyond what is implemented */
  GNN_MISMATCH = 6,    /* model and input do not fit each other */
  GNN_DEVICE_ERROR = 7 /* a GPU or its driver is missing, too old or failed */
} gnn_status;

typedef struct gnn_error {
  gnn_status status;
  char message[1024]; /* NUL-terminated, one sentence, no newline */
} gnn_error;

/*===-- Tensors -----------------------------------------------------------===*/

typedef enum gnn_dtype GNN_ENUM_TYPE {
  GNN_FLOAT32 = 0,
  GNN_FLOAT64 = 1,
  GNN_INT32 = 2,
  GNN_INT64 = 3,
  GNN_BOOL = 4 /* one byte, 0 or 1 */
} gnn_dtype;

/* Where a tensor's data is. */
typedef enum gnn_place GNN_ENUM_TYPE {
  GNN_HOST = 0,
  GNN_DEVICE = 1 /* at an address of the device that a session runs on */
} gnn_place;

/* A dense row-major array. `release` is NULL for borrowed data; otherwise
   gnn_tensor_release calls it with `owner`. */
typedef struct gnn_tensor {
  void *data;
  gnn_dtype dtype;
  int32_t rank;
  int64_t shape[GNN_MAX_RANK];
  void (*release)(void *owner);
  void *owner;
  int32_t place; /* gnn_place; functions want GNN_HOST unless they say so */
  int32_t reserved;
} gnn_tensor;

/* Bytes of one element; 0 for a value that is no gnn_dtype. */
size_t gnn_dtype_size(gnn_dtype dtype);

/* "float32", "int64", ...; never NULL. */
const char *gnn_dtype_name(gnn_dtype dtype);

/* Number of elements, the product of the shape (1 for rank 0). */
int64_t gnn_tensor_size(const gnn_tensor *tensor);

/* Allocates a zeroed tensor aligned to 64 bytes, owned by the caller, who
   calls gnn_tensor_release. */
gnn_status gnn_tensor_allocate(gnn_dtype dtype, int32_t rank,
                               const int64_t *shape, gnn_tensor *tensor,
                               gnn_error *error);

/* Borrows `data`, which must outlive the tensor. Rows that edges name are read
   fastest where it is aligned to 64 bytes. */
gnn_tensor gnn_tensor_borrow(void *data, gnn_dtype dtype, int32_t rank,
                             const int64_t *shape);

/* The same for data on a device, such as what `data_ptr()` of a contiguous
   PyTorch tensor gives: an input of sessions on that device. */
gnn_tensor gnn_tensor_borrow_device(void *data, gnn_dtype dtype, int32_t rank,
                                    const int64_t *shape);

/* Frees what the tensor owns, if anything, and empties it. */
void gnn_tensor_release(gnn_tensor *tensor);

/*===-- Graphs ------------------------------------------------------------===*/

/* Which edges exist. The numbers are part of the ABI. */
typedef enum gnn_topology GNN_ENUM_TYPE {
  GNN_TOPOLOGY_CSR = 0,           /* listed, sorted by destination */
  GNN_TOPOLOGY_COMPLETE = 1,      /* every source to every destination */
  GNN_TOPOLOGY_CAUSAL = 2,        /* sources 0..i to destination i */
  GNN_TOPOLOGY_WINDOW = 3,        /* |source - destination| <= window */
  GNN_TOPOLOGY_BLOCK_DIAGONAL = 4 /* complete within each segment */
} gnn_topology;

/* "csr", "complete", "causal", "window", "block-diagonal"; never NULL. */
const char *gnn_topology_name(gnn_topology topology);

/* An immutable graph; edges point from a source (PyTorch Geometric's
   edge_index[0]) to a destination (edge_index[1]). Messages are aggregated at
   destinations. */
typedef struct gnn_graph gnn_graph;

/* Sorts edges by destination, stably, into CSR. `edge_index` is int32 or int64
   of shape [2, E]; every index must lie in range. Duplicate edges and self
   loops are kept. E must be below 2^31. The graph copies what it needs. */
gnn_status gnn_graph_from_coo(int64_t num_sources, int64_t num_destinations,
                              const gnn_tensor *edge_index, gnn_graph **graph,
                              gnn_error *error);

/* Validates and copies a CSR: `row_pointers` [num_destinations + 1] ascending
   from 0 to E, `column_indices` [E] in [0, num_sources). int32 or int64. */
gnn_status gnn_graph_from_csr(int64_t num_sources,
                              const gnn_tensor *row_pointers,
                              const gnn_tensor *column_indices,
                              gnn_graph **graph, gnn_error *error);

/* The sparse form of a matrix [N, F], as models take it whose description says
   `sparse: true`: a CSR graph from columns to rows with an edge for each
   element that is not 0, and these elements [E] as float32. */
gnn_status gnn_graph_from_matrix(const gnn_tensor *matrix, gnn_graph **graph,
                                 gnn_tensor *values, gnn_error *error);

/* Complete, causal or window graph; `window` is read for GNN_TOPOLOGY_WINDOW
   only. Causal and window need num_sources == num_destinations. */
gnn_status gnn_graph_regular(gnn_topology topology, int64_t num_sources,
                             int64_t num_destinations, int64_t window,
                             gnn_graph **graph, gnn_error *error);

/* Block-diagonal batch: segment s holds destinations
   destination_pointers[s] .. destination_pointers[s+1]-1 and sources
   likewise; both are [S + 1], ascending from 0, int32 or int64. */
gnn_status gnn_graph_block_diagonal(const gnn_tensor *source_pointers,
                                    const gnn_tensor *destination_pointers,
                                    gnn_graph **graph, gnn_error *error);

/* The pairs that an edge of `first` and then one of `second` connect, each
   once: a CSR graph from the sources of `first` to the destinations of
   `second`, which are CSR graphs, and the destinations of `first` the sources
   of `second`. Sources ascend within each row. Takes time in proportion to the
   number of such pairs of edges, and memory to that of the result's edges. */
gnn_status gnn_graph_compose(const gnn_graph *first, const gnn_graph *second,
                             gnn_graph **graph, gnn_error *error);

/* A CSR graph with an edge from each node to the cluster that its entry (int,
   [N], in any order) names. Pass -1 as `num_clusters` to take the largest entry
   + 1, which then must be at most N. Clusters without nodes are allowed. */
gnn_status gnn_graph_from_assignment(const gnn_tensor *clusters,
                                     int64_t num_clusters, gnn_graph **graph,
                                     gnn_error *error);

void gnn_graph_destroy(gnn_graph *graph);

gnn_topology gnn_graph_topology(const gnn_graph *graph);
int64_t gnn_graph_num_sources(const gnn_graph *graph);
int64_t gnn_graph_num_destinations(const gnn_graph *graph);
int64_t gnn_graph_num_edges(const gnn_graph *graph);

/* CSR only, NULL otherwise; owned by the graph. */
const int32_t *gnn_graph_row_pointers(const gnn_graph *graph);
const int32_t *gnn_graph_column_indices(const gnn_graph *graph);

/* Position in the caller's edge list of each CSR edge, [E]; NULL when the
   order did not change. Owned by the graph. */
const int32_t *gnn_graph_edge_permutation(const gnn_graph *graph);

/* Block-diagonal only, NULL otherwise; [segments + 1], owned by the graph. */
int64_t gnn_graph_num_segments(const gnn_graph *graph);
const int32_t *gnn_graph_source_pointers(const gnn_graph *graph);
const int32_t *gnn_graph_destination_pointers(const gnn_graph *graph);

/* Window width; 0 for other topologies. */
int64_t gnn_graph_window(const gnn_graph *graph);

/* Copies per-edge rows [E, ...] from the caller's edge order into CSR order. */
gnn_status gnn_graph_permute_edges(const gnn_graph *graph,
                                   const gnn_tensor *values,
                                   gnn_tensor *permuted, gnn_error *error);

/* Turns PyTorch Geometric's `batch` vector (int, [N], ascending segment
   numbers) into segment pointers int32 [num_segments + 1]. Pass -1 as
   `num_segments` to take batch[N-1] + 1, which must not be more than N. */
gnn_status gnn_batch_to_pointers(const gnn_tensor *batch, int64_t num_segments,
                                 gnn_tensor *pointers, gnn_error *error);

/*===-- Compiled models ---------------------------------------------------===*/

/* What a port's leading dimension counts. */
typedef enum gnn_axis GNN_ENUM_TYPE {
  GNN_AXIS_FIXED = 0, /* shape[0] says */
  GNN_AXIS_SOURCE = 1,
  GNN_AXIS_DESTINATION = 2,
  GNN_AXIS_EDGE = 3,
  GNN_AXIS_ANY = 4 /* not tied to the graph */
} gnn_axis;

typedef enum gnn_port_kind GNN_ENUM_TYPE {
  GNN_PORT_TENSOR = 0,
  GNN_PORT_GRAPH = 1,
  GNN_PORT_WEIGHT = 2 /* supplied by the weights file, not by the caller */
} gnn_port_kind;

/* One argument or result of a model. */
typedef struct gnn_port {
  const char *name;
  int32_t kind;     /* gnn_port_kind */
  int32_t dtype;    /* gnn_dtype; tensors and weights */
  int32_t topology; /* gnn_topology; graphs */
  int32_t rank;     /* graphs: 2 for a sparse matrix, which has a row for each
                       destination and a column for each source; else 0 */
  int32_t axis;     /* gnn_axis of the leading dimension; graphs: which nodes of
                       an earlier graph its sources are, if any (a batch that
                       pools nodes), or the rows of a sparse matrix */
  int32_t graph;    /* which graph port (0, 1, ...) `axis` refers to */
  int64_t window;   /* graphs: window width the model was compiled for */
  int64_t offset;   /* weights: byte offset in the weights file */
  int64_t shape[GNN_MAX_RANK]; /* -1: dynamic */
  int32_t bipartite; /* graphs: 1 if sources are not destinations as well */
  int32_t path_length;
  const int32_t *path; /* graphs: the graph ports before it whose composition
                          it is (see gnn_graph_compose), for a meta-path; or
                          NULL */
  const char *node_types[2]; /* of models with node types. Graphs: those of
                                sources and destinations; tensors with a row
                                per node: [0] is that of the rows; else NULL */
  int32_t limit; /* integers: each must be in [0, limit); graphs: no segment,
                    or no graph that has none, may have more destinations;
                    0: no limit */
  int32_t num_limits;
  const int32_t *limits; /* integers: a limit for each place in the last
                            dimension, or none; then `limit` is 0 */
} gnn_port;

/* Where a model's code runs. The numbers are part of the ABI. */
typedef enum gnn_target GNN_ENUM_TYPE {
  GNN_TARGET_CPU = 0,
  GNN_TARGET_CUDA = 1,        /* a GPU, by way of NVIDIA's driver */
  GNN_TARGET_GPU_EMULATED = 2 /* code for GPUs, compiled for the CPU */
} gnn_target;

/* "cpu", "cuda", "gpu-emu"; never NULL. */
const char *gnn_target_name(gnn_target target);

/* Where compiled code gets memory, that of results included, from. Blocks are
   aligned to 64 bytes and not cleared. Any thread may call `allocate` and
   `release`, with the gnn_memory that they are in; `release` takes what
   `allocate` gave, or NULL. Where memory is short, `allocate` does not return
   to code on the CPU: the session leaves `invoke` and reports it.

   For code that runs on the CPU, `launch` and `read` are NULL. For code on a
   device, blocks are the device's, only the thread that called `invoke` may
   call the functions, and all four work in the order of the calls: a block may
   be released while kernels that were launched before still use it. The first
   failure is kept: from then on `allocate` gives NULL, `launch` does nothing,
   `read` clears what it should fill, and the session reports that failure when
   `invoke` has returned. Generated code need not check anything. */
typedef struct gnn_memory {
  void *(*allocate)(struct gnn_memory *memory, int64_t bytes);
  void (*release)(struct gnn_memory *memory, void *block);
  /* Runs a kernel, by its number in gnn_device_code.kernels, on a grid of
     dimensions[0..2] blocks (x, y, z) of dimensions[3..5] threads; without any
     blocks nothing. parameters[i] points to the value of parameter i, as
     cuLaunchKernel has it; the values are read before `launch` returns. */
  void (*launch)(struct gnn_memory *memory, int32_t kernel,
                 const int64_t *dimensions, int64_t dynamic_shared_bytes,
                 void **parameters);
  /* Waits for all launches and copies from the device to the host. */
  void (*read)(struct gnn_memory *memory, void *host, const void *device,
               int64_t bytes);
} gnn_memory;

/* What gnn_emulated_thread.shuffle takes: which lane a thread reads from. */
typedef enum gnn_shuffle_mode GNN_ENUM_TYPE {
  GNN_SHUFFLE_XOR = 0, /* its own number ^ offset */
  GNN_SHUFFLE_UP = 1,  /* its own number - offset */
  GNN_SHUFFLE_DOWN = 2,
  GNN_SHUFFLE_INDEX = 3 /* offset itself */
} gnn_shuffle_mode;

/* What gnn_emulated_thread.multiply takes the factors for. */
typedef enum gnn_factor_type GNN_ENUM_TYPE {
  GNN_FACTOR_F16 = 0,
  GNN_FACTOR_BF16 = 1,
  GNN_FACTOR_TF32 = 2 /* float32 of which 10 bits of the mantissa count */
} gnn_factor_type;

/* A thread of an emulated kernel, and what the kernel may ask for. The emulator
   fills it in; a warp is 32 threads that follow each other, x fastest. */
typedef struct gnn_emulated_thread {
  uint32_t thread[3], block[3], block_size[3], grid_size[3];
  /* Workgroup memory of its block, aligned to 128 bytes: the static bytes of
     the kernel, then the dynamic ones of the launch. */
  char *shared;
  /* Waits until all threads of the block have called it. */
  void (*barrier)(struct gnn_emulated_thread *thread);
  /* gpu.shuffle of 32 bits: the value of another lane of the same `width` (a
     power of two, at most 32), all of which call it. Where there is no such
     lane, `valid` becomes 0 and the result is the thread's own value. */
  uint32_t (*shuffle)(struct gnn_emulated_thread *thread, int32_t mode,
                      uint32_t value, int32_t offset, int32_t width,
                      int32_t *valid);
  /* Says that the thread is about to read or write workgroup memory. A launch
     fails if the bytes lie outside of it, if some of those read were never
     written, or if another thread has written them (or, for a write, has read
     them) with no barrier in between. `what` names the access in the message;
     it may be NULL. */
  void (*access)(struct gnn_emulated_thread *thread, const void *address,
                 int64_t bytes, int32_t is_write, const char *what);
  /* Fails the launch with `message`. Does not return. */
  void (*fail)(struct gnn_emulated_thread *thread, const char *message);
  /* mma.sync, which all 32 lanes of a warp call: adds the product of a matrix
     of 16 rows and one of 8 columns to `sums`. Each lane has the elements that
     PTX says it has: 4 registers of the first factor, 2 of the second one, 4
     sums. The matrices are 16 deep, with two factors in a register, or of tf32
     and 8 deep. Each sum is float32, from the first product to the last. */
  void (*multiply)(struct gnn_emulated_thread *thread, int32_t type,
                   const uint32_t *first, const uint32_t *second, float *sums);
  /* ldmatrix, which all 32 lanes of a warp call: reads `count` (1, 2 or 4)
     matrices of 8 rows of 16 bytes from workgroup memory. Lane 8 i + j knows
     the address of row j of matrix i, a multiple of 16. `result` receives a
     register for each matrix: of row l / 4 the four bytes from 4 (l % 4) on in
     lane l or, if `transposed`, of column l / 4 of 16-bit elements those in
     rows 2 (l % 4) and 2 (l % 4) + 1. */
  void (*load_matrices)(struct gnn_emulated_thread *thread, const void *row,
                        int32_t count, int32_t transposed, uint32_t *result);
  /* cp.async: begins to copy `bytes` (4, 8 or 16) to workgroup memory, of which
     `source_bytes` are read and the others are zeros. Nobody may touch the
     destination until the thread has waited. */
  void (*copy)(struct gnn_emulated_thread *thread, void *destination,
               const void *source, int64_t bytes, int64_t source_bytes);
  /* Makes a group of what the thread has begun to copy since the last one. */
  void (*group_copies)(struct gnn_emulated_thread *thread);
  /* Waits until at most `remaining` groups are not done. */
  void (*await_copies)(struct gnn_emulated_thread *thread, int32_t remaining);
  /* vote.sync.ballot, which all lanes of a warp call: a bit for each lane, the
     lowest for the first, that says whether its `vote` is other than 0. */
  uint32_t (*vote)(struct gnn_emulated_thread *thread, int32_t vote);
} gnn_emulated_thread;

typedef struct gnn_kernel {
  const char *name;     /* its symbol in the image */
  int64_t shared_bytes; /* static workgroup memory */
  /* GNN_TARGET_GPU_EMULATED only, else NULL. Runs one thread. */
  void (*emulate)(gnn_emulated_thread *thread, void **parameters);
} gnn_kernel;

/* The kernels of a model. */
typedef struct gnn_device_code {
  const char *chip;  /* "sm_90", or "emulated" */
  const void *image; /* PTX that ends in NUL, a cubin or a fatbin, as
                        cuModuleLoadDataEx takes it; NULL if emulated */
  int64_t image_bytes;
  int64_t num_kernels;
  const gnn_kernel *kernels;
  /* If not 0, `image` is a zlib stream of so many bytes, of the image. */
  int64_t packed_bytes;
} gnn_device_code;

/* A value that a model computes before it looks at tensors. */
typedef struct gnn_prepared_value {
  int32_t rank;          /* -1: a number, in a word of its own */
  int32_t element_bytes; /* of one element, or of the number */
} gnn_prepared_value;

/* What depends on graphs and weights alone, such as degrees, and is the same in
   all runs on these graphs. */
typedef struct gnn_preparation {
  const int32_t *graphs; /* numbers of the graph ports that it reads, ascending;
                            NULL if it reads weights alone */
  int32_t num_graphs;
  int32_t num_values;
  const gnn_prepared_value *values;
  /* arguments[0]: memory for the values, descriptors or words; then one pointer
     per flattened input, as for gnn_model.invoke (those of tensors are not
     read), and one for each value of the preparations before it. */
  void (*compute)(void **arguments, gnn_memory *memory);
} gnn_preparation;

/* Constant description of a compiled model, emitted by gnn-compile into every
   library; the generated header declares it as `NAME_model`, and the symbol
   `gnn_model_entry` points to it for dlopen users. */
typedef struct gnn_model {
  uint32_t abi_version;
  uint32_t num_inputs;
  uint32_t num_outputs;
  uint32_t reads_node_numbers; /* 1 if results depend on how nodes are numbered,
                                  as those of positions and distances do */
  uint32_t reads_out_edges;    /* 1 if results depend on the edges out of nodes,
                                  which a sampled part of a graph lacks */
  const gnn_port *inputs;      /* in call order; weights come last */
  const gnn_port *outputs;
  const char *name;
  const char *layers;     /* one line per layer, "name: Type(arguments)" */
  const char *target_cpu; /* CPU the code was generated for */
  const char *required_features; /* e.g. "+avx2,+fma"; CPU must have them */
  int64_t weight_bytes;          /* size of the weights file, or 0 */
  uint64_t weight_hash;          /* XXH3 of that file */
  /* arguments[0]: memory for the result descriptors, one after the other;
     then one pointer per flattened input and one per value of `preparations`,
     which it only reads. See docs/abi.md. */
  void (*invoke)(void **arguments, gnn_memory *memory);
  int32_t target; /* gnn_target */
  int32_t num_preparations;
  const gnn_device_code *device; /* NULL for GNN_TARGET_CPU */
  /* What would be in the weights file, for a device; NULL: it is in a file, or
     there are no weights. Weights embedded in code for the CPU are constants of
     that code. */
  const void *weights;
  /* The same model for a processor with fewer features; NULL if there is none.
     Sessions take the first of the list whose features the machine has. */
  const struct gnn_model *fallback;
  /* What is to be computed before, in this order, and can be kept. */
  const gnn_preparation *preparations;
} gnn_model;

/* A model ready to run: checked, weights mapped. Runs of one session must not
   overlap; use one session per calling thread. It keeps the memory that a run
   and released results no longer need for later runs. */
typedef struct gnn_session gnn_session;

/* What gnn_model.weight_hash says of a weights file: XXH3, 64 bits without a
   seed, of its `size` bytes (Collet's xxHash). */
uint64_t gnn_weight_hash(const void *data, size_t size);

/* Opens a model linked into the program. `weights_path` is NULL when weights
   are embedded. */
gnn_status gnn_session_create(const gnn_model *model, const char *weights_path,
                              gnn_session **session, gnn_error *error);

/* Loads a shared library made by gnn-compile; external weights are looked for
   beside it as LIBRARY.weights unless `weights_path` names them. */
gnn_status gnn_session_open(const char *library_path, const char *weights_path,
                            gnn_session **session, gnn_error *error);

/* How a session is opened. */
typedef struct gnn_session_options {
  const char *weights_path; /* as for gnn_session_create */
  /* Of models for GPUs: the number of the one to use; -1: the environment
     variable GNN_DEVICE says, else 0. */
  int32_t device;
  /* Of models for GPUs: 1 leaves outputs on the device. Those that a run would
     have to rearrange cost a copy to the host and back. */
  int32_t device_outputs;
  /* Of GNN_TARGET_CUDA: the CUstream to work in, or NULL for one of the
     session's own. Inputs on the device may then be results of work in that
     stream that is not done yet; and with device_outputs, runs return when all
     of theirs is in the stream, and failures of it show later. */
  void *stream;
  /* Of GNN_TARGET_CUDA: 1 captures the launches of a run into a CUDA graph when
     the same shapes, graphs and addresses come a second time, and replays that
     from then on, which takes the processor as long as one launch. A captured
     run keeps its memory; at most eight are kept. */
  int32_t replay;
  /* 1 computes in every run what depends on graphs and weights alone, and keeps
     none of it: for graphs that are not used a second time. */
  int32_t recompute;
  /* Of models that were compiled for several processors: the one whose code is
     to run, or NULL for the first that the machine has the features of. */
  const char *target_cpu;
  /* Of models for the CPU: 1 runs on all threads, also where runs like it were
     faster on fewer. */
  int32_t all_threads;
} gnn_session_options;

/* No weights file, device -1, outputs on the host, a stream of its own, no
   replay, nothing recomputed, any processor's code, fewer threads where these
   are faster. */
gnn_session_options gnn_session_default_options(void);

/* gnn_session_create and gnn_session_open with options, which need not outlive
   the call. */
gnn_status gnn_session_create_with(const gnn_model *model,
                                   const gnn_session_options *options,
                                   gnn_session **session, gnn_error *error);
gnn_status gnn_session_open_with(const char *library_path,
                                 const gnn_session_options *options,
                                 gnn_session **session, gnn_error *error);

/* The model that runs: of one that was compiled for several processors, the
   one that was chosen, as its `target_cpu` says. */
const gnn_model *gnn_session_model(const gnn_session *session);

/* What the session runs on: "NVIDIA H200", "emulated"; NULL for the CPU. Owned
   by the session. */
const char *gnn_session_device_name(const gnn_session *session);

/* Waits for the session's device and copies a tensor from there, which the
   caller releases. */
gnn_status gnn_session_read(gnn_session *session, const gnn_tensor *tensor,
                            gnn_tensor *copy, gnn_error *error);

/* Runs the model. `graphs` and `tensors` are the graph and tensor inputs in
   the order of the model's ports of that kind. Edge tensors come in the
   caller's edge order. Tensors may be on the session's device, where work on
   them must be done unless it is in the session's stream. `outputs` receives
   num_outputs tensors that the caller releases, from any thread and also after
   the session is destroyed; on error none is written. */
gnn_status gnn_session_run(gnn_session *session, const gnn_graph *const *graphs,
                           size_t num_graphs, const gnn_tensor *tensors,
                           size_t num_tensors, gnn_tensor *outputs,
                           size_t num_outputs, gnn_error *error);

/* What a session has for the results and intermediate values of runs. */
typedef struct gnn_memory_usage {
  int64_t bytes_held; /* in results that were not released, or kept for later
                         runs: at most a quarter more than one of the
                         last runs needed */
  int64_t system_requests; /* how often the system was asked for memory */
} gnn_memory_usage;

gnn_memory_usage gnn_session_memory_usage(const gnn_session *session);

/* What has become of the option `replay`. */
typedef struct gnn_replay_usage {
  int64_t captures; /* runs that were captured, and then launched as a whole */
  int64_t replays;  /* later runs that one of these stood for */
  const char *obstacle; /* why runs are captured no more, such as a driver that
                           cannot; NULL: nothing hinders. They are launched
                           kernel by kernel then. Owned by the session. */
} gnn_replay_usage;

gnn_replay_usage gnn_session_replay_usage(const gnn_session *session);

/* What a session has computed once for graphs and weights, see
   gnn_model.preparations. */
typedef struct gnn_preparation_usage {
  int64_t bytes_held;   /* in values that are kept, part of what
                           gnn_session_memory_usage says */
  int64_t computations; /* how often one of the preparations was computed */
  double seconds;       /* that took in all; on a GPU, until it was launched */
} gnn_preparation_usage;

gnn_preparation_usage gnn_session_preparation_usage(const gnn_session *session);

/* The number of threads that the last run was given, of a model for the CPU; 0
   before the first. */
int32_t gnn_session_threads(const gnn_session *session);

void gnn_session_destroy(gnn_session *session);

/* Threads that later runs from the calling thread use; at least 1. */
gnn_status gnn_set_num_threads(int32_t threads, gnn_error *error);
int32_t gnn_num_threads(void);

/*===-- Files -------------------------------------------------------------===*/

/* Named arrays read from an .npz file. */
typedef struct gnn_archive gnn_archive;

/* Reads a NumPy .npz (stored or deflated members, C or Fortran order, little
   endian, float32/float64/int32/int64, and bool or uint8 of zeros and ones).
   Arrays of text and dates are left out; of Python objects or records,
   refused. Tensors are row-major whatever the file's order. */
gnn_status gnn_archive_read(const char *path, gnn_archive **archive,
                            gnn_error *error);
/* Writes arrays as a stored .npz, through a temporary file in the same folder
   so that no partial file is left behind. */
gnn_status gnn_archive_write(const char *path, const char *const *names,
                             const gnn_tensor *tensors, size_t count,
                             gnn_error *error);
size_t gnn_archive_size(const gnn_archive *archive);
const char *gnn_archive_name(const gnn_archive *archive, size_t index);
/* NULL when there is no such array; owned by the archive. */
const gnn_tensor *gnn_archive_find(const gnn_archive *archive,
                                   const char *name);
void gnn_archive_destroy(gnn_archive *archive);

/* Reads a graph file by its ending: .npz, .mtx (Matrix Market coordinate,
   entry (i, j) is the edge j -> i, its value an edge weight) or .txt/.edges/
   .csv/.tsv (edge list, one "source destination [weight]" per line, # and %
   comments). The result has the arrays `edge_index` int64 [2, E] and, where
   the file has them, `edge_weight`, `x`, `num_nodes` (int64, rank 0), ... as an
   archive of the same kind as gnn_archive_read gives. */
gnn_status gnn_graph_file_read(const char *path, gnn_archive **archive,
                               gnn_error *error);

/* Converts to float32 / int32 / ... with range checks; copies. */
gnn_status gnn_tensor_convert(const gnn_tensor *tensor, gnn_dtype dtype,
                              gnn_tensor *converted, gnn_error *error);

#ifdef __cplusplus
}
#endif

#endif /* GNN_RUNTIME_RUNTIME_H */
