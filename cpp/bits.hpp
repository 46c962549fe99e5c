// Rows as bits: a node is a mask of rows, a split is an AND, a count is a popcount.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define SWEEPTREE_X86 1
#include <immintrin.h>
#endif

namespace sweeptree {

using Word = std::uint64_t;
inline constexpr std::size_t word_bits = 64;

inline bool has_bit(const Word* mask, std::size_t row) {
  return (mask[row / word_bits] >> (row % word_bits)) & 1u;
}

inline void flip_bit(Word* mask, std::size_t row) {
  mask[row / word_bits] ^= Word{1} << (row % word_bits);
}

// Which halves of a split are written out; counting alone is the cheapest.
enum class Keep { none, left, right, both };

constexpr bool keeps_left(Keep keep) { return keep == Keep::left || keep == Keep::both; }
constexpr bool keeps_right(Keep keep) { return keep == Keep::right || keep == Keep::both; }

// left = mask & cut, right = mask & ~cut over n words; returns the number of rows in left.
template <Keep keep>
inline std::size_t split_portable(const Word* mask, const Word* cut, Word* left, Word* right,
                                  std::size_t n) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Word inside = mask[i] & cut[i];
    if constexpr (keeps_left(keep)) left[i] = inside;
    if constexpr (keeps_right(keep)) right[i] = mask[i] & ~cut[i];
    count += static_cast<std::size_t>(std::popcount(inside));
  }
  return count;
}

#ifdef SWEEPTREE_X86
// The words from the i-th on; there is no place for a half that is not kept.
template <Keep keep>
inline std::size_t split_rest(const Word* mask, const Word* cut, Word* left, Word* right,
                              std::size_t i, std::size_t n) {
  return split_portable<keep>(mask + i, cut + i, keeps_left(keep) ? left + i : nullptr,
                              keeps_right(keep) ? right + i : nullptr, n - i);
}

// The whole with 256-bit words; bits are counted by looking up nibbles in a register.
template <Keep keep>
__attribute__((target("avx2"))) inline std::size_t split_avx2(const Word* mask, const Word* cut,
                                                              Word* left, Word* right,
                                                              std::size_t n) {
  const __m256i nibble = _mm256_set1_epi8(0x0f);
  const __m256i bits_of_nibble =
      _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                       0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  __m256i total = _mm256_setzero_si256();
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m256i m = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask + i));
    const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cut + i));
    const __m256i inside = _mm256_and_si256(m, c);
    if constexpr (keeps_left(keep))
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(left + i), inside);
    if constexpr (keeps_right(keep))
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(right + i), _mm256_andnot_si256(c, m));
    const __m256i low = _mm256_shuffle_epi8(bits_of_nibble, _mm256_and_si256(inside, nibble));
    const __m256i high = _mm256_shuffle_epi8(
        bits_of_nibble, _mm256_and_si256(_mm256_srli_epi16(inside, 4), nibble));
    total = _mm256_add_epi64(
        total, _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
  }
  alignas(32) std::uint64_t lanes[4];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), total);
  return static_cast<std::size_t>(lanes[0] + lanes[1] + lanes[2] + lanes[3]) +
         split_rest<keep>(mask, cut, left, right, i, n);
}

// The same with 512-bit words, whose bits the processor counts by itself.
template <Keep keep>
__attribute__((target("avx512f,avx512vpopcntdq"))) inline std::size_t split_avx512(
    const Word* mask, const Word* cut, Word* left, Word* right, std::size_t n) {
  __m512i total = _mm512_setzero_si512();
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m512i m = _mm512_loadu_si512(mask + i);
    const __m512i c = _mm512_loadu_si512(cut + i);
    const __m512i inside = _mm512_and_si512(m, c);
    if constexpr (keeps_left(keep)) _mm512_storeu_si512(left + i, inside);
    if constexpr (keeps_right(keep)) _mm512_storeu_si512(right + i, _mm512_xor_si512(m, inside));
    total = _mm512_add_epi64(total, _mm512_popcnt_epi64(inside));
  }
  alignas(64) std::uint64_t lanes[8];
  _mm512_store_si512(lanes, total);
  std::size_t count = split_rest<keep>(mask, cut, left, right, i, n);
  for (const std::uint64_t lane : lanes) count += lane;
  return count;
}

inline const bool has_avx2 = __builtin_cpu_supports("avx2");
inline const bool has_avx512 = __builtin_cpu_supports("avx512vpopcntdq");
#endif

// Short masks are counted in place; long ones by the widest instructions that the machine has.
template <Keep keep>
inline std::size_t split_and_count(const Word* mask, const Word* cut, Word* left, Word* right,
                                   std::size_t n) {
#ifdef SWEEPTREE_X86
  constexpr std::size_t worth_a_call = 8;
  constexpr std::size_t worth_512_bits = 64;
  if (n >= worth_512_bits && has_avx512) return split_avx512<keep>(mask, cut, left, right, n);
  if (n >= worth_a_call && has_avx2) return split_avx2<keep>(mask, cut, left, right, n);
#endif
  return split_portable<keep>(mask, cut, left, right, n);
}

}  // namespace sweeptree
