// What all islands share: the words of CUDA and of a plain compiler, memory, numpy's generator, and the record of a run.
//
// In a program of one thread, made by a plain C++ compiler, a block is that thread, and a warp has one lane.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#ifdef __CUDACC__
#define PART __device__ __forceinline__
#define SYNC __syncthreads()
#define ADD(where, what) atomicAdd(where, what)
#define LEAST(where, what) atomicMin(where, what)
#define LANES 32
#define SYNC_WARP __syncwarp()
#define HIGH_PRODUCT(a, b) __umul64hi(a, b)
#else
#define PART static inline
#define SYNC
template <class T> static T ADD(T *where, T what) { T old = *where; *where = old + what; return old; }
template <class T> static void LEAST(T *where, T what) { if (what < *where) *where = what; }
#define LANES 1
#define SYNC_WARP
#define HIGH_PRODUCT(a, b) (u64)(((unsigned __int128)(a) * (b)) >> 64)
#endif

// -- memory, laid out one thing after the other; islands.py adds the same sizes up

#define ROUNDED(bytes) (((bytes) + 7) / 8 * 8)

PART char *taken(char *&memory, i64 bytes) {
  char *mine = memory;
  memory += ROUNDED(bytes);
  return mine;
}

#define THREADS (TEAM * TEAMS)
#define WARPS (THREADS / LANES)

PART int sum_of_lanes(int number) {
#ifdef __CUDACC__
  for (int apart = 16; apart; apart >>= 1) number += __shfl_xor_sync(0xFFFFFFFFu, number, apart);
#endif
  return number;
}

// -- numpy's PCG64

struct Wide { u64 high, low; };

PART Wide wide(u64 high, u64 low) {
  Wide number = {high, low};
  return number;
}

PART Wide plus(Wide a, Wide b) {
  u64 low = a.low + b.low;
  return wide(a.high + b.high + (low < a.low), low);
}

PART Wide times(Wide a, Wide b) {
  return wide(HIGH_PRODUCT(a.low, b.low) + a.high * b.low + a.low * b.high, a.low * b.low);
}

#define MULTIPLIER wide(0x2360ED051FC65DA4ull, 0x4385DF649FCCF645ull)

struct Generator {
  Wide state, step;
  u32 half;  // of the last word, if it is not used yet
  bool has_half;
};

// In memory: the state, the step, the half and whether there is one.
PART Generator loaded(const u64 *memory) {
  Generator generator = {wide(memory[0], memory[1]), wide(memory[2], memory[3]), (u32)memory[4], memory[5] != 0};
  return generator;
}

PART void store(u64 *memory, const Generator &generator) {
  memory[0] = generator.state.high;
  memory[1] = generator.state.low;
  memory[4] = generator.half;
  memory[5] = generator.has_half;
}

PART u64 long_word(Generator &generator) {
  generator.state = plus(times(generator.state, MULTIPLIER), generator.step);
  u64 folded = generator.state.high ^ generator.state.low;
  int turn = (int)(generator.state.high >> 58);
  return folded >> turn | folded << (-turn & 63);
}

PART u32 short_word(Generator &generator) {
  generator.has_half = !generator.has_half;
  if (!generator.has_half) return generator.half;
  u64 both = long_word(generator);
  generator.half = (u32)(both >> 32);
  return (u32)both;
}

PART double real(Generator &generator) { return (double)(long_word(generator) >> 11) * (1.0 / 9007199254740992.0); }

// As many long words further, by squaring.
PART void advance(Generator &generator, u64 count) {
  Wide factor = wide(0, 1), sum = wide(0, 0), power = MULTIPLIER, step = generator.step;
  for (; count; count >>= 1) {
    if (count & 1) {
      factor = times(factor, power);
      sum = plus(times(sum, power), step);
    }
    step = times(plus(power, wide(0, 1)), step);
    power = times(power, power);
  }
  generator.state = plus(times(factor, generator.state), sum);
}

// As many short words further.
PART void skip(Generator &generator, int count) {
  if (count && generator.has_half) {
    generator.has_half = false;
    count--;
  }
  advance(generator, count / 2);
  if (count % 2) short_word(generator);
}

// A number below a limit: a product is refused where numbers would not be equally likely (Lemire's method).
PART u32 bounded(Generator &generator, u32 limit) {
  if (limit == 1) return 0;
  u32 least = (0u - limit) % limit;
  u64 product = (u64)short_word(generator) * limit;
  while ((u32)product < least) product = (u64)short_word(generator) * limit;
  return (u32)(product >> 32);
}

// A number from 0 to a largest one, as numpy's permutations draw it: bits, and again where they are too many.
PART u32 up_to(Generator &generator, u32 largest) {
  u32 mask = largest, number;
  for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
  do number = short_word(generator) & mask;
  while (number > largest);
  return number;
}

// -- the record of a run

struct Record {
  int *least;  // conflicts so far
  int *trace;  // [most lines][2]: evaluations and conflicts, whenever these became fewer
  int *lines;  // of the trace
};

// Write an improvement down; by one thread.
PART void write_down(const Record &record, int conflicts, i64 made, int most_lines) {
  if (conflicts >= *record.least) return;
  *record.least = conflicts;
  if (*record.lines < most_lines) {
    record.trace[2 * *record.lines] = (int)made;
    record.trace[2 * *record.lines + 1] = conflicts;
  }
  ++*record.lines;
}
