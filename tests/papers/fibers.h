// CUDA's words for a plain C++ compiler: the threads of a block are fibers, which take turns at every barrier.
// A context gives a fiber its stack; after that jumps are used, which make no system calls.

#include <setjmp.h>
#include <ucontext.h>

#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#define __CUDACC__
#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __align__(bytes)
#define __launch_bounds__(...)
#define __umul64hi(a, b) (unsigned long long)(((unsigned __int128)(a) * (b)) >> 64)

struct Index { int x; };
static Index blockIdx, threadIdx;
alignas(16) char shared_memory[1 << 18];

struct Barrier { int arrived = 0, passed = 0; };
struct Fiber {
  ucontext_t context;
  jmp_buf place;
  std::unique_ptr<char[]> stack;
  bool has_begun = false, is_over = false;
};
static std::vector<Fiber> fibers;
static std::vector<Barrier> warps;
static std::vector<unsigned long long> slots;
static Barrier block;
static jmp_buf scheduler;
static std::function<void()> body;

static void await(Barrier &barrier, int size) {
  int passed = barrier.passed, mine = threadIdx.x;
  if (++barrier.arrived == size) {
    barrier.arrived = 0;
    barrier.passed++;
  }
  while (barrier.passed == passed)
    if (!_setjmp(fibers[mine].place)) _longjmp(scheduler, 1);
}

static void __syncthreads() { await(block, (int)fibers.size()); }
static void __syncwarp() { await(warps[threadIdx.x / 32], 32); }

template <class T> T exchanged(T value, int from) {
  std::memcpy(&slots[threadIdx.x], &value, sizeof value);
  __syncwarp();
  T theirs;
  std::memcpy(&theirs, &slots[from], sizeof theirs);
  __syncwarp();
  return theirs;
}
template <class T> T __shfl_xor_sync(unsigned, T value, int apart) { return exchanged(value, threadIdx.x ^ apart); }
template <class T> T __shfl_sync(unsigned, T value, int lane) { return exchanged(value, threadIdx.x / 32 * 32 + lane); }
template <class T> T __shfl_down_sync(unsigned, T value, int apart, int width) {
  int lane = threadIdx.x % width;
  return exchanged(value, lane + apart < width ? threadIdx.x + apart : threadIdx.x);
}
template <class T> T atomicAdd(T *where, T what) { T old = *where; *where = old + what; return old; }
template <class T> void atomicMin(T *where, T what) { if (what < *where) *where = what; }

static void begin(int thread) {
  body();
  fibers[thread].is_over = true;
  _longjmp(scheduler, 1);
}

static void resume(Fiber &fiber) {
  if (_setjmp(scheduler)) return;
  if (fiber.has_begun) _longjmp(fiber.place, 1);
  fiber.has_begun = true;
  setcontext(&fiber.context);
}

static void run_block(int num_threads) {
  fibers = std::vector<Fiber>(num_threads);
  warps = std::vector<Barrier>(num_threads / 32);
  slots.resize(num_threads);
  block = Barrier();
  for (int thread = 0; thread < num_threads; thread++) {
    Fiber &fiber = fibers[thread];
    fiber.stack.reset(new char[1 << 16]);
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = 1 << 16;
    makecontext(&fiber.context, (void (*)())begin, 1, thread);
  }
  for (int over = 0; over < num_threads;)
    for (int thread = 0; thread < num_threads; thread++) {
      if (fibers[thread].is_over) continue;
      threadIdx.x = thread;
      resume(fibers[thread]);
      over += fibers[thread].is_over;
    }
}

template <class... T, std::size_t... I>
static void launch(void (*kernel)(T...), int num_blocks, int num_threads, void **args, std::index_sequence<I...>) {
  for (blockIdx.x = 0; blockIdx.x < num_blocks; blockIdx.x++) {
    body = [=] { kernel(*(T *)args[I]...); };
    run_block(num_threads);
  }
}
template <class... T> static void launch(void (*kernel)(T...), int num_blocks, int num_threads, void **args) {
  launch(kernel, num_blocks, num_threads, args, std::index_sequence_for<T...>());
}
