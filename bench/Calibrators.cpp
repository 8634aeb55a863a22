//===- Calibrators.cpp - What this machine can do at most -------*- C++ -*-===//
//
// Part of gnn-mlir, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE.TXT for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Calibrators.h"
#include "Clock.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif
#if defined(__AMX_BF16__) && defined(__linux__)
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

// The widest registers there are, and how many. Loops below that keep more sums
// than that would measure the first cache.
#ifdef __AVX512F__
static constexpr int64_t kLanes = 16, kRegisters = 32;
#elif defined(__AVX__)
static constexpr int64_t kLanes = 8, kRegisters = 16;
#elif defined(__aarch64__)
static constexpr int64_t kLanes = 4, kRegisters = 32;
#else
static constexpr int64_t kLanes = 4, kRegisters = 16;
#endif
typedef float Vector __attribute__((vector_size(4 * kLanes)));
typedef int IntVector __attribute__((vector_size(4 * kLanes)));

/// The sum of what `body` says it did in all threads, by the time of the
/// slowest one. All of them start at the same time.
template <typename Body>
static double getRate(int32_t threads, Body body) {
  double work = 0, seconds = 0;
#pragma omp parallel num_threads(threads) reduction(+ : work)                  \
    reduction(max : seconds)
  {
#pragma omp barrier
    double start = gnn::bench::getSeconds(threads);
    work += body();
    seconds = gnn::bench::getSeconds(threads) - start;
  }
  return work / seconds;
}

/// Keeps a result that nothing reads.
template <typename T>
static void keep(T &value) {
  asm volatile("" : : "m"(value) : "memory");
}

//===----------------------------------------------------------------------===//
// Multiply-add
//===----------------------------------------------------------------------===//

double gnn_bench_fma_rate(int32_t threads) {
  return getRate(threads, [] {
    // 4 cycles of latency and 2 units need 8 sums at a time; 12 leave room.
    constexpr int64_t sums = 12, steps = 500000;
    Vector sum[sums];
    for (int64_t i = 0; i < sums; ++i)
      sum[i] = Vector{} + static_cast<float>(i);
    Vector a = Vector{} + 0.999f, b = Vector{} + 0.001f;
    // Opaque, so that nothing is computed beforehand.
    asm volatile("" : "+x"(a), "+x"(b));
    for (int64_t step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
      for (int64_t i = 0; i < sums; ++i)
        sum[i] = __builtin_elementwise_fma(sum[i], a, b);
    for (Vector &value : sum)
      keep(value);
    return 2.0 * sums * steps * kLanes;
  });
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

#if defined(__AVX512F__) || defined(__AVX2__)
static Vector asVector(IntVector bits) {
  Vector vector;
  memcpy(&vector, &bits, sizeof vector);
  return vector;
}

static IntVector asBits(Vector vector) {
  IntVector bits;
  memcpy(&bits, &vector, sizeof bits);
  return bits;
}

/// factor 2^(k / N) for the N numbers of a table, less what k adds to the bits.
template <int N>
static std::array<float, std::max<int>(N, kLanes)> getPowers(double factor) {
  std::array<float, std::max<int>(N, kLanes)> powers;
  for (int i = 0; i < static_cast<int>(powers.size()); ++i) {
    int k = i % N;
    auto value =
        static_cast<float>(factor * std::exp2(static_cast<double>(k) / N));
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits -= static_cast<uint32_t>(k) * ((1u << 23) / N);
    memcpy(&powers[i], &bits, sizeof bits);
  }
  return powers;
}

/// exp(x) for -87 < x <= 0, as a softmax needs it: 2^n times a parabola of what
/// is left of 32nds, or a cubic of what is left of fourths
/// (gnn-tabulate-exponentials).
static Vector getExp(Vector x) {
  Vector log2e = Vector{} + 1.44269504f / 4;
#ifdef __AVX512F__
  static const auto table = getPowers<32>(0x1.edc58cp+1);
  Vector large = Vector{} + 0x1.8p16f, largeAndShift = large + 1.4375f / 4;
#else
  static const auto table = getPowers<4>(0x1.587b4ap-3);
  Vector large = Vector{} + 0x1.8p19f, largeAndShift = large + 1.0f / 4;
#endif
  Vector steps = __builtin_elementwise_fma(x, log2e, large);
  Vector n = steps - largeAndShift;
#ifdef __AVX512F__
  Vector f = __builtin_elementwise_fma(x, log2e, -n);
  Vector p = __builtin_elementwise_fma(f, f, Vector{} + 0x1.0a66b6p-3f);
  Vector entry = _mm512_permutex2var_ps(_mm512_loadu_ps(table.data()),
                                        __m512i(asBits(steps)),
                                        _mm512_loadu_ps(table.data() + 16));
  return p * asVector(asBits(entry) + (asBits(steps) << 18));
#else
  Vector f = __builtin_elementwise_fma(n, Vector{} - 4 * 0.693147182f, x);
  Vector p = __builtin_elementwise_fma(f, f, Vector{} + 0x1.a1ad02p+1f) *
             (f + 0x1.ca38aep-1f);
  Vector entry = _mm256_permutevar_ps(_mm256_loadu_ps(table.data()),
                                      __m256i(asBits(steps)));
  return p * asVector(asBits(entry) + (asBits(steps) << 21));
#endif
}
#else
/// exp(x) for -87 < x <= 0, as a softmax needs it: 2^n times a polynomial of
/// degree 5 on [-ln 2 / 2, ln 2 / 2].
static Vector getExp(Vector x) {
  Vector n = __builtin_elementwise_roundeven(x * 1.44269504f);
  Vector r = __builtin_elementwise_fma(n, Vector{} - 0.693147182f, x);
  Vector p = Vector{} + 8.3333333e-3f;
  for (float coefficient : {4.1666668e-2f, 1.6666667e-1f, 0.5f, 1.0f, 1.0f})
    p = __builtin_elementwise_fma(p, r, Vector{} + coefficient);
  IntVector exponent = (__builtin_convertvector(n, IntVector) + 127) << 23;
  Vector scale;
  memcpy(&scale, &exponent, sizeof scale);
  return p * scale;
}
#endif

double gnn_bench_exp_rate(int32_t threads) {
  return getRate(threads, [] {
    constexpr int64_t vectors = 256, rounds = 3000;
    Vector input[vectors], output[vectors];
    for (int64_t i = 0; i < vectors; ++i)
      input[i] = Vector{} - 0.01f * static_cast<float>(i);
    for (int64_t round = 0; round < rounds; ++round) {
      keep(input);
#pragma clang loop unroll_count(4)
      for (int64_t i = 0; i < vectors; ++i)
        output[i] = getExp(input[i]);
      keep(output);
    }
    return static_cast<double>(vectors * kLanes * rounds);
  });
}

//===----------------------------------------------------------------------===//
// Random rows
//===----------------------------------------------------------------------===//

/// How many rows ahead are asked for. Reads of rows further on than the
/// processor looks by itself double the rate on some and cost a little on
/// others.
static constexpr int64_t kRowsAhead = 16;

namespace {
/// Some floats of a row, which may begin anywhere.
template <int64_t Lanes>
struct PartOf {
  typedef float Vector __attribute__((vector_size(4 * Lanes)));
  typedef float Unaligned __attribute__((vector_size(4 * Lanes), aligned(4)));

  static Vector get(const float *place) {
    return *reinterpret_cast<const Unaligned *>(place);
  }
  static void set(float *place, Vector value) {
    *reinterpret_cast<Unaligned *>(place) = value;
  }
};

/// A row of `Width` floats as vectors, the last of which begins within the one
/// before it where the row ends within it.
template <int64_t Width>
struct RowOf {
  static constexpr int64_t lanes =
      Width >= kLanes ? kLanes : std::min<int64_t>(Width, 4);
  static constexpr int64_t vectors = (Width + lanes - 1) / lanes;
  using Part = PartOf<lanes>;
  using Vector = typename Part::Vector;

  static constexpr int64_t getPlace(int64_t vector) {
    return std::min(vector * lanes, Width - lanes);
  }
  static Vector get(const float *row, int64_t vector) {
    return Part::get(row + getPlace(vector));
  }
  static void set(float *row, int64_t vector, Vector value) {
    Part::set(row + getPlace(vector), value);
  }
  static void prefetch(const float *row) {
#pragma clang loop unroll(full)
    for (int64_t vector = 0; vector < vectors; ++vector)
      __builtin_prefetch(row + getPlace(vector));
  }
};
} // namespace

/// Adds rows of `Width` floats up in 8 registers, so that the latency of an
/// addition does not count: several narrow rows at a time, wide ones in parts.
template <int64_t Width, bool Prefetch>
static void gatherRows(const float *features, int64_t, const int32_t *begin,
                       const int32_t *end) {
  using Row = RowOf<Width>;
  constexpr int64_t sums = 8;
  constexpr int64_t rows = std::max<int64_t>(1, sums / Row::vectors);
  typename Row::Vector sum[sums] = {};
  auto add = [&](int64_t slot, int32_t index) {
    const float *row = features + index * Width;
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < Row::vectors; ++v)
      sum[(slot * Row::vectors + v) % sums] += Row::get(row, v);
  };
  for (; begin + rows + kRowsAhead <= end; begin += rows)
#pragma clang loop unroll(full)
    for (int64_t slot = 0; slot < rows; ++slot) {
      if (Prefetch)
        Row::prefetch(features + begin[slot + kRowsAhead] * Width);
      add(slot, begin[slot]);
    }
  for (; begin < end; ++begin)
    add(0, *begin);
  keep(sum);
}

/// Rows of any width, of `Lanes` floats or more, whose parts are told from each
/// other at run time: two rows at a time in 8 registers.
template <int64_t Lanes, bool Prefetch>
static void gatherAnyRows(const float *features, int64_t width,
                          const int32_t *begin, const int32_t *end) {
  using Part = PartOf<Lanes>;
  constexpr int64_t rows = 2, parts = 4, line = 16;
  typename Part::Vector sum[rows][parts] = {};
  auto add = [&](int64_t slot, int32_t index) {
    const float *row = features + index * width;
    for (int64_t first = 0; first < width; first += parts * Lanes)
#pragma clang loop unroll(full)
      for (int64_t part = 0; part < parts; ++part)
        if (int64_t place = first + part * Lanes; place < width)
          sum[slot][part] += Part::get(row + std::min(place, width - Lanes));
  };
  for (; begin + rows + kRowsAhead <= end; begin += rows)
#pragma clang loop unroll(full)
    for (int64_t slot = 0; slot < rows; ++slot) {
      if (Prefetch)
        for (int64_t place = 0; place < width; place += line)
          __builtin_prefetch(features + begin[slot + kRowsAhead] * width +
                             place);
      add(slot, begin[slot]);
    }
  for (; begin < end; ++begin)
    add(0, *begin);
  keep(sum);
}

using Gather = void (*)(const float *, int64_t, const int32_t *,
                        const int32_t *);

/// What `get` returns for `width` as a constant, null for widths that no loop
/// is made for.
template <typename Get>
static auto getOfWidth(int64_t width, Get get) {
  using Loop = decltype(get(std::integral_constant<int64_t, kLanes>()));
  switch (width) {
  case 7:
    return get(std::integral_constant<int64_t, 7>());
  case 16:
    return get(std::integral_constant<int64_t, 16>());
  case 32:
    return get(std::integral_constant<int64_t, 32>());
  case 48:
    return get(std::integral_constant<int64_t, 48>());
  case 60:
    return get(std::integral_constant<int64_t, 60>());
  case 64:
    return get(std::integral_constant<int64_t, 64>());
  case 80:
    return get(std::integral_constant<int64_t, 80>());
  case 100:
    return get(std::integral_constant<int64_t, 100>());
  case 128:
    return get(std::integral_constant<int64_t, 128>());
  case 256:
    return get(std::integral_constant<int64_t, 256>());
  case 300:
    return get(std::integral_constant<int64_t, 300>());
  case 512:
    return get(std::integral_constant<int64_t, 512>());
  default:
    return Loop();
  }
}

template <bool Prefetch>
static Gather getGather(int64_t width) {
  Gather gather = getOfWidth(
      width, [](auto w) -> Gather { return gatherRows<w(), Prefetch>; });
  if (gather)
    return gather;
  if (width >= kLanes)
    return gatherAnyRows<kLanes, Prefetch>;
  return width >= 4 ? gatherAnyRows<4, Prefetch> : gatherAnyRows<1, Prefetch>;
}

/// Bytes per second that `read` reads of `count` pieces of `floats` floats,
/// with or without asking for them ahead. It gets that, the first piece and the
/// end.
template <typename Read>
static double getReadRate(int64_t count, int64_t floats, int32_t threads,
                          Read read) {
  auto run = [&](bool prefetch, int64_t rounds) {
    int64_t next = 0;
    return getRate(threads, [&] {
      int64_t part;
#pragma omp atomic capture
      part = next++;
      int64_t first = count * part / threads;
      int64_t last = count * (part + 1) / threads;
      for (int64_t round = 0; round < rounds; ++round)
        read(prefetch, first, last);
      return static_cast<double>((last - first) * floats * rounds) *
             sizeof(float);
    });
  };
  // A kernel is timed over several runs, too, of which the first fills the
  // caches.
  constexpr double enoughFloats = 16e6;
  auto rounds = static_cast<int64_t>(
      1 + enoughFloats / static_cast<double>(count * floats + 1));
  run(true, 1);
  return std::max(run(true, rounds), run(false, rounds));
}

double gnn_bench_gather_rate(const float *features, int64_t width,
                             const int32_t *indices, int64_t count,
                             int32_t threads) {
  const Gather gathers[] = {getGather<false>(width), getGather<true>(width)};
  return getReadRate(
      count, width, threads, [&](bool prefetch, int64_t first, int64_t last) {
        gathers[prefetch](features, width, indices + first, indices + last);
      });
}

//===----------------------------------------------------------------------===//
// Sums of random rows
//===----------------------------------------------------------------------===//

namespace {
/// What is added up, and where sums go.
struct Sums {
  const float *features;
  const int32_t *indices;
  int64_t edges;
  float *const *results;
  int32_t numResults;
};
} // namespace

/// The part from vector `First` on of the sum `row` of rows of `Width` floats,
/// as many vectors as registers hold. The first part asks for whole rows.
template <int64_t Width, bool Prefetch, int64_t First = 0>
static void sumRow(const Sums &sums, int64_t row, const int32_t *end) {
  using Row = RowOf<Width>;
  constexpr int64_t held = kRegisters * 3 / 4;
  constexpr int64_t parts = (Row::vectors + held - 1) / held;
  constexpr int64_t last =
      std::min(Row::vectors, First + (Row::vectors + parts - 1) / parts);
  typename Row::Vector sum[last - First] = {};
  const int32_t *index = sums.indices + row * sums.edges;
  for (int64_t edge = 0; edge < sums.edges; ++edge, ++index) {
    if (Prefetch && First == 0)
      Row::prefetch(sums.features +
                    (end - index > kRowsAhead ? index[kRowsAhead] : *index) *
                        Width);
    const float *source = sums.features + *index * Width;
#pragma clang loop unroll(full)
    for (int64_t v = First; v < last; ++v)
      sum[v - First] += Row::get(source, v);
  }
  for (int32_t result = 0; result < sums.numResults; ++result)
#pragma clang loop unroll(full)
    for (int64_t v = First; v < last; ++v)
      Row::set(sums.results[result] + row * Width, v, sum[v - First]);
  if constexpr (last < Row::vectors)
    sumRow<Width, Prefetch, last>(sums, row, end);
}

/// The sums `first` to `last` of rows of `Width` floats.
template <int64_t Width, bool Prefetch>
static void sumRows(const Sums &sums, int64_t first, int64_t last) {
  for (int64_t row = first; row < last; ++row)
    sumRow<Width, Prefetch>(sums, row, sums.indices + last * sums.edges);
}

using SumRows = void (*)(const Sums &, int64_t, int64_t);

template <bool Prefetch>
static SumRows getSumRows(int64_t width) {
  return getOfWidth(width,
                    [](auto w) -> SumRows { return sumRows<w(), Prefetch>; });
}

double gnn_bench_sum_rate(const float *features, int64_t width,
                          const int32_t *indices, int64_t count, int64_t edges,
                          float *const *results, int32_t numResults,
                          int32_t threads) {
  const SumRows loops[] = {getSumRows<false>(width), getSumRows<true>(width)};
  if (!loops[0])
    return 0;
  Sums sums{features, indices, edges, results, numResults};
  return getReadRate(count / edges, edges * width, threads,
                     [&](bool prefetch, int64_t first, int64_t last) {
                       loops[prefetch](sums, first, last);
                     });
}

//===----------------------------------------------------------------------===//
// Pairs of bfloat16
//===----------------------------------------------------------------------===//

#ifdef __AVX512BF16__
double gnn_bench_bf16_rate(int32_t threads) {
  return getRate(threads, [] {
    // 6 cycles of latency and 2 units at most.
    constexpr int64_t sums = 16, steps = 500000;
    __m512 sum[sums];
    for (int64_t i = 0; i < sums; ++i)
      sum[i] = _mm512_set1_ps(static_cast<float>(i));
    // Pairs of 0.5, opaque.
    __m512i bits = _mm512_set1_epi32(0x3f003f00);
    asm volatile("" : "+v"(bits));
    auto pairs = reinterpret_cast<__m512bh>(bits);
    for (int64_t step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
      for (int64_t i = 0; i < sums; ++i)
        sum[i] = _mm512_dpbf16_ps(sum[i], pairs, pairs);
    for (__m512 &value : sum)
      keep(value);
    return 4.0 * sums * steps * kLanes;
  });
}
#else
double gnn_bench_bf16_rate(int32_t) { return 0; }
#endif

//===----------------------------------------------------------------------===//
// AMX
//===----------------------------------------------------------------------===//

#if defined(__AMX_BF16__) && defined(__linux__)
namespace {
/// What LDTILECFG reads.
struct alignas(64) TileConfiguration {
  uint8_t palette = 1, start = 0, reserved[14] = {};
  uint16_t bytesPerRow[16] = {};
  uint8_t rows[16] = {};
};
} // namespace

/// Asks Linux for the tiles, which it gives to a process on request only.
static bool requestTiles() {
  constexpr long requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

double gnn_bench_amx_rate(int32_t threads) {
  if (!requestTiles())
    return 0;
  return getRate(threads, [] {
    TileConfiguration configuration;
    for (int tile = 0; tile < 8; ++tile) {
      configuration.bytesPerRow[tile] = 64;
      configuration.rows[tile] = 16;
    }
    alignas(64) char zeros[1024] = {};
    _tile_loadconfig(&configuration);
    _tile_loadd(4, zeros, 64);
    _tile_loadd(5, zeros, 64);
    _tile_loadd(6, zeros, 64);
    _tile_loadd(7, zeros, 64);
    constexpr int64_t steps = 100000;
    for (int64_t step = 0; step < steps; ++step) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, zeros, 64);
    keep(zeros);
    _tile_release();
    return 4.0 * steps * 2 * 16 * 16 * 32;
  });
}
#else
double gnn_bench_amx_rate(int32_t) { return 0; }
#endif

/// How often what takes `run` some times can be done in a second.
template <typename Run>
static double getRepeatRate(int32_t threads, Run run) {
  constexpr int64_t count = 1000;
  double start = gnn::bench::getSeconds(threads);
  run(count);
  return count / (gnn::bench::getSeconds(threads) - start);
}

double gnn_bench_region_rate(int32_t threads) {
  return getRepeatRate(threads, [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
#pragma omp parallel num_threads(threads)
      // Or the region is left out.
      asm volatile("");
    }
  });
}

double gnn_bench_barrier_rate(int32_t threads) {
  return getRepeatRate(threads, [&](int64_t count) {
#pragma omp parallel num_threads(threads)
    for (int64_t i = 0; i < count; ++i) {
#pragma omp barrier
    }
  });
}
