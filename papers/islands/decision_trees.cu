// MBOA on islands: numpy's generator of random numbers, decision trees, and the generations of mboa.py.
//
// The trees of decision_trees.py, and the draws of a generator PCG64: an island with the state of a run's generator
// makes the chromosomes that the run makes on a processor, one for one. What is changed here must be changed there.
// A warp grows a tree, and each of its lanes weighs the tests of other items; every sum of real numbers is made by one
// lane, in the order of the processor's, so that no rounding differs. islands.cu includes this file.

// -- draws by numbers, keys and blocks

PART Key new_key(Generator &generator) {
  Key key;
  key.low = short_word(generator);
  key.high = short_word(generator);
  return key;
}

// Draw numbers below a limit, by all threads of a block: each draws some of them, as if none was refused before. That is
// so but once in millions; then one thread draws them all again.
PART void draw_all(u64 *memory, u32 limit, int count, int *drawn, int *is_refused, int thread) {
  Generator generator = loaded(memory);
  if (thread == 0) *is_refused = 0;
  SYNC;
  int each = (count + THREADS - 1) / THREADS, first = thread * each;
  u32 least = (0u - limit) % limit;
  if (first < count && limit > 1) {
    Generator own = generator;
    skip(own, first);
    for (int i = first; i < first + each && i < count; i++) {
      u64 product = (u64)short_word(own) * limit;
      if ((u32)product < least) *is_refused = 1;
      drawn[i] = (int)(product >> 32);
    }
  }
  SYNC;
  if (thread == 0) {
    if (limit == 1 || *is_refused) for (int i = 0; i < count; i++) drawn[i] = (int)bounded(generator, limit);
    else skip(generator, count);
    store(memory, generator);
  }
  SYNC;
}

// -- the memory of trees, in the order in which islands of trees add the sizes up

struct Node {
  int item, value;  // a fork asks whether an item has a value; -1: the node is a leaf
  int branch;       // the node for "yes"; the one for "no" is behind it
  int begin, end;   // the rows that reach the node
};

// Items with one value in all parents need no tree; the others have a place each, in the order.
struct Forest {
  int *order;             // [ITEMS]
  int *places;            // [ITEMS]: the place of order[i], or -1
  int *item_of;             // [places]: the item of each place
  int *num_codes;         // [places]: how many values it has
  int *meetings;          // [MEETINGS]: drawn members, and how much each of a meeting differs from a child
  ITEM *numbers;          // [VALUES][ITEMS]: 1 + the number of each value of each item; 0: no parent has it
  ITEM *codes;            // [PARENTS][ITEMS]: the values of the parents by their numbers, a column a place
  unsigned short *rows;   // [places][PARENTS]: the parents, in the order of the leaves that they reach
  Node *nodes;            // [places][NODES]
  char *pool;             // what warps work in, where the shared pool is too small
};

PART Forest forest_of(char *memory) {
  Forest forest;
  forest.order = (int *)taken(memory, 4 * ITEMS);
  forest.places = (int *)taken(memory, 4 * ITEMS);
  forest.item_of = (int *)taken(memory, 4 * ITEMS);
  forest.num_codes = (int *)taken(memory, 4 * ITEMS);
  forest.meetings = (int *)taken(memory, 4 * MEETINGS);
  forest.numbers = (ITEM *)taken(memory, VALUES * ITEMS * (i64)sizeof(ITEM));
  forest.codes = (ITEM *)taken(memory, PARENTS * ITEMS * (i64)sizeof(ITEM));
  forest.rows = (unsigned short *)taken(memory, 2 * PARENTS * (i64)ITEMS);
  forest.nodes = (Node *)taken(memory, 20 * NODES * (i64)ITEMS);
  forest.pool = memory;
  return forest;
}

// What a warp works in; tables have a column a lane.
struct Weighing {
  double *gains;         // [codes]: what asking for each code of the other item gains
  int *num_yes;          // [codes]: how many rows have it
  int *totals;           // [codes]: how often each code of the own item occurs
  int *before;           // [ITEMS]: places that the tree may ask about, where those are chosen
  unsigned short *mine;  // [PARENTS]: the codes of the own item
  COUNT *counts;         // [codes * codes]: how often the codes of both occur together; 0 between uses
};

#define CHOOSES (ITEMS > CANDIDATES)

PART i64 weighing_bytes(int codes) {
  return ROUNDED(8 * LANES * codes) + ROUNDED(4 * LANES * codes) + ROUNDED(4 * codes) + (CHOOSES ? ROUNDED(4 * ITEMS) : 0)
      + ROUNDED(2 * PARENTS) + ROUNDED((i64)sizeof(COUNT) * LANES * codes * codes);
}

PART Weighing weighing_of(char *memory, int codes) {
  Weighing weighing;
  weighing.gains = (double *)taken(memory, 8 * LANES * codes);
  weighing.num_yes = (int *)taken(memory, 4 * LANES * codes);
  weighing.totals = (int *)taken(memory, 4 * codes);
  weighing.before = (int *)taken(memory, CHOOSES ? 4 * ITEMS : 0);
  weighing.mine = (unsigned short *)taken(memory, 2 * PARENTS);
  weighing.counts = (COUNT *)memory;
  return weighing;
}

// -- values by their numbers, as number_values does

enum Mark { NEXT, IS_REFUSED, PLACES, FIRST_CHOOSING, MOST_CODES, FEWEST, FIRST_BEST, KEYS };

PART void number_values(const Forest &forest, const Hall &hall, const Island &island, int thread) {
  for (int turn = thread; turn < ITEMS; turn += THREADS) {
    int item = forest.order[turn], known = 0;
    for (int value = 0; value < VALUES; value++) forest.numbers[value * (i64)ITEMS + item] = 0;
    for (int row = 0; row < PARENTS; row++) {
      int value = island.chromosomes[(i64)hall.parents[row] * ITEMS + item];
      ITEM *number = forest.numbers + value * (i64)ITEMS + item;
      if (*number == 0) *number = (ITEM)++known;
    }
    forest.places[turn] = known;
  }
  SYNC;
  if (thread == 0) {
    int places = 0, most = 0, first_choosing = ITEMS;
    for (int turn = 0; turn < ITEMS; turn++) {
      int known = forest.places[turn];
      if (places > CANDIDATES && first_choosing == ITEMS) first_choosing = turn;
      forest.places[turn] = known > 1 ? places : -1;
      if (known <= 1) continue;
      forest.item_of[places] = forest.order[turn];
      forest.num_codes[places++] = known;
      most = known > most ? known : most;
    }
    hall.marks[NEXT] = hall.marks[PLACES] = places;
    hall.marks[FIRST_CHOOSING] = first_choosing;
    hall.marks[MOST_CODES] = most;
  }
  SYNC;
  for (int place = thread; place < hall.marks[PLACES]; place += THREADS) {
    int item = forest.item_of[place];
    for (int row = 0; row < PARENTS; row++) {
      int value = island.chromosomes[(i64)hall.parents[row] * ITEMS + item];
      forest.codes[row * (i64)ITEMS + place] = (ITEM)(forest.numbers[value * (i64)ITEMS + item] - 1);
    }
  }
  SYNC;
}

// -- growing

struct Test {
  double gain;
  int pick, code;  // -1: none
};

// The best of all lanes, of equals the one that the processor meets first.
PART Test best_of_lanes(Test test) {
#ifdef __CUDACC__
  for (int apart = 16; apart; apart >>= 1) {
    Test other = {__shfl_xor_sync(0xFFFFFFFFu, test.gain, apart), __shfl_xor_sync(0xFFFFFFFFu, test.pick, apart),
                  __shfl_xor_sync(0xFFFFFFFFu, test.code, apart)};
    if (other.pick < 0) continue;
    if (test.pick < 0 || other.gain > test.gain || (other.gain == test.gain && other.pick < test.pick)) test = other;
  }
#endif
  return test;
}

PART void weigh(
    const Forest &forest, const Weighing &weighing, const double *logs, const unsigned short *rows, int size, int codes,
    int candidate, int lane) {
  for (int code = 0; code < forest.num_codes[candidate]; code++) {
    weighing.gains[code * LANES + lane] = 0.0;
    weighing.num_yes[code * LANES + lane] = 0;
  }
  for (int at = 0; at < size; at++) {
    int entry = forest.codes[rows[at] * (i64)ITEMS + candidate] * codes + weighing.mine[at];
    ++weighing.counts[entry * LANES + lane];
  }
  for (int at = 0; at < size; at++) {
    int mine = weighing.mine[at], code = forest.codes[rows[at] * (i64)ITEMS + candidate];
    COUNT *where = weighing.counts + (code * codes + mine) * LANES + lane;
    int count = *where;
    if (count == 0) continue;
    int total = weighing.totals[mine];
    weighing.gains[code * LANES + lane] += logs[count] + logs[total - count] - logs[total];
    weighing.num_yes[code * LANES + lane] += count;
    *where = 0;
  }
}

PART Test best_test(
    const Forest &forest, const Weighing &weighing, const double *logs, const unsigned short *rows, int size, int place,
    int num_candidates, double price, int lane) {
  int codes = forest.num_codes[place], cases = codes - 1;
  for (int code = lane; code < codes; code += LANES) weighing.totals[code] = 0;
  SYNC_WARP;
  for (int at = lane; at < size; at += LANES) {
    int code = forest.codes[rows[at] * (i64)ITEMS + place];
    weighing.mine[at] = (unsigned short)code;
    ADD(&weighing.totals[code], 1);
  }
  SYNC_WARP;
  Test best = {price + 1e-9, -1, -1};
  if (weighing.totals[weighing.mine[0]] == size) return best;
  double always = logs[cases] + logs[cases + size];
  for (int pick = lane; pick < num_candidates; pick += LANES) {
    int candidate = CHOOSES && place > CANDIDATES ? weighing.before[pick] : pick;
    weigh(forest, weighing, logs, rows, size, codes, candidate, lane);
    for (int code = 0; code < forest.num_codes[candidate]; code++) {
      int yes = weighing.num_yes[code * LANES + lane];
      if (yes == 0 || yes == size) continue;
      double gain = always + weighing.gains[code * LANES + lane] - logs[cases + yes] - logs[cases + size - yes];
      if (gain > best.gain) {
        best.gain = gain;
        best.pick = pick;
        best.code = code;
      }
    }
  }
  return best_of_lanes(best);
}

PART void make_fork(
    const Forest &forest, const Hall &hall, const Island &island, Node *nodes, unsigned short *rows, int at, int next,
    int candidate, int code) {
  int begin = nodes[at].begin, end = nodes[at].end, middle = begin, far = end - 1, item = forest.item_of[candidate];
  while (middle <= far) {
    unsigned short row = rows[middle];
    if (forest.codes[row * (i64)ITEMS + candidate] == code) {
      nodes[at].value = island.chromosomes[(i64)hall.parents[row] * ITEMS + item];
      middle++;
    } else {
      rows[middle] = rows[far];
      rows[far--] = row;
    }
  }
  nodes[at].item = item;
  nodes[at].branch = next;
  Node yes = {-1, 0, 0, begin, middle}, no = {-1, 0, 0, middle, end};
  nodes[next] = yes;
  nodes[next + 1] = no;
}

// Grow the tree of a place, by a warp.
PART void grow(
    const Forest &forest, const Weighing &weighing, const Hall &hall, const Island &island, const double *logs,
    const double *prices, int place, int lane) {
  unsigned short *rows = forest.rows + place * (i64)PARENTS;
  Node *nodes = forest.nodes + place * (i64)NODES;
  for (int row = lane; row < PARENTS; row += LANES) rows[row] = (unsigned short)row;
  int num_candidates = place;
  if (lane == 0) {
    Node root = {-1, 0, 0, 0, PARENTS};
    nodes[0] = root;
  }
  if (CHOOSES && place > CANDIDATES) {
    num_candidates = CANDIDATES;
    if (lane == 0) {
      int turn = 0;
      while (forest.places[turn] != place) turn++;
      Generator generator = loaded(island.generator);
      advance(generator, (u64)CANDIDATES * (turn - hall.marks[FIRST_CHOOSING]));
      for (int i = 0; i < place; i++) weighing.before[i] = i;
      for (int pick = 0; pick < CANDIDATES; pick++) {
        int other = pick + (int)(real(generator) * (place - pick)), kept = weighing.before[pick];
        weighing.before[pick] = weighing.before[other];
        weighing.before[other] = kept;
      }
    }
  }
  SYNC_WARP;
  int num_tests = 0;
  for (int pick = lane; pick < num_candidates; pick += LANES)
    num_tests += forest.num_codes[CHOOSES && place > CANDIDATES ? weighing.before[pick] : pick];
  double price = prices[sum_of_lanes(num_tests)];
  int num_nodes = 1;
  for (int at = 0; at < num_nodes && num_nodes + 2 <= NODES; at++) {
    int begin = nodes[at].begin, size = nodes[at].end - begin;
    Test best = best_test(forest, weighing, logs, rows + begin, size, place, num_candidates, price, lane);
    if (best.pick >= 0) {
      int candidate = CHOOSES && place > CANDIDATES ? weighing.before[best.pick] : best.pick;
      if (lane == 0) make_fork(forest, hall, island, nodes, rows, at, num_nodes, candidate, best.code);
      num_nodes += 2;
    }
    SYNC_WARP;
  }
}

// Grow all trees: as many warps as have memory take one after the other, those with most candidates first.
PART void grow_all(
    const Forest &forest, const Hall &hall, const Island &island, const double *logs, const double *prices, int thread) {
  int warp = thread / LANES, lane = thread % LANES, codes = hall.marks[MOST_CODES];
  i64 each = weighing_bytes(codes);
  int shared = (int)(POOL / each), number = shared > 1 ? shared : GLOBAL_WARPS;
  if (warp < number) {
    char *pool = shared > 1 ? hall.pool : forest.pool;
    Weighing weighing = weighing_of(pool + warp * each, codes);
    for (int i = lane; i < codes * codes * LANES; i += LANES) weighing.counts[i] = 0;
    SYNC_WARP;
    while (true) {
      int place = 0;
      if (lane == 0) place = ADD(&hall.marks[NEXT], -1) - 1;
#ifdef __CUDACC__
      place = __shfl_sync(0xFFFFFFFFu, place, 0);
#endif
      if (place < 0) break;
      grow(forest, weighing, hall, island, logs, prices, place, lane);
    }
  }
  SYNC;
  if (thread == 0 && hall.marks[FIRST_CHOOSING] < ITEMS) {
    Generator generator = loaded(island.generator);
    advance(generator, (u64)CANDIDATES * (ITEMS - hall.marks[FIRST_CHOOSING]));
    store(island.generator, generator);
  }
  SYNC;
}

// -- sampling, a thread a child

PART void sample_all(const Forest &forest, const Hall &hall, const Island &island, int number, int thread) {
  Generator generator = loaded(island.generator);
  for (int child = thread; child < number; child += THREADS) {
    Generator own = generator;
    advance(own, (u64)child * ITEMS);
    ITEM *items = island.children + (i64)child * ITEMS;
    for (int turn = 0; turn < ITEMS; turn++) {
      int item = forest.order[turn], place = forest.places[turn], row = 0;
      double chance = real(own);
      if (place >= 0) {
        const Node *nodes = forest.nodes + place * (i64)NODES;
        int at = 0;
        while (nodes[at].item >= 0) at = nodes[at].branch + (items[nodes[at].item] != nodes[at].value);
        int begin = nodes[at].begin;
        row = forest.rows[place * (i64)PARENTS + begin + (int)(chance * (nodes[at].end - begin))];
      }
      items[item] = island.chromosomes[(i64)hall.parents[row] * ITEMS + item];
    }
  }
  SYNC;
  if (thread == 0) {
    advance(generator, (u64)number * ITEMS);
    store(island.generator, generator);
  }
  SYNC;
}

// -- mutation and evaluation

// A new value for an item of a child.
PART void redraw_item(const Genome &genome, const Island &island, Generator &generator, int child, int item) {
  u32 limit = item % PER_GENE == PER_GENE - 1 ? STEPS : genome.cardinalities[item];
  island.children[(i64)child * ITEMS + item] = (ITEM)bounded(generator, limit);
}

// New values for one gene, or one item, of every child, unless steps are swapped; after a period without improvement
// for one more path; then the keys of swaps and repair.
PART void redraw(const Genome &genome, const Forest &forest, const Hall &hall, const Island &island, int number, int thread) {
  bool is_late = !SWAPS && NEW_PATH_AFTER >= 0 && *island.made - *island.improved >= NEW_PATH_AFTER;
  if (!SWAPS) draw_all(island.generator, ITEMS / REDRAWN, number, forest.meetings, hall.marks + IS_REFUSED, thread);
  if (thread == 0 && !SWAPS) {
    Generator generator = loaded(island.generator);
    for (int child = 0; child < number; child++)
      for (int i = 0; i < REDRAWN; i++) redraw_item(genome, island, generator, child, forest.meetings[child] * REDRAWN + i);
    store(island.generator, generator);
  }
  SYNC;
  if (is_late) draw_all(island.generator, ITEMS / PER_GENE, number, forest.meetings, hall.marks + IS_REFUSED, thread);
  if (thread == 0) {
    Generator generator = loaded(island.generator);
    Key *keys = (Key *)(hall.marks + KEYS);
    if (is_late) for (int child = 0; child < number; child++)
      redraw_item(genome, island, generator, child, (forest.meetings[child] + 1) * PER_GENE - 2);
    if (SWAPS) keys[0] = new_key(generator);
    if (REPAIRS) keys[1] = new_key(generator);
    store(island.generator, generator);
  }
  SYNC;
}

PART void evaluate_all(
    const Genome &genome, const Bench &bench, const Hall &hall, ITEM *rows, int number, bool varies, int thread) {
  int team = thread / TEAM, lane = thread % TEAM;
  const Key *keys = (const Key *)(hall.marks + KEYS);
  for (int first = 0; first < number; first += TEAMS) {
    int row = first + team;
    bool works = row < number;
    if (works) for (int item = lane; item < ITEMS; item += TEAM) bench.chromosome[item] = rows[(i64)row * ITEMS + item];
    SYNC;
    finish(genome, bench, key_of(keys[0], row), key_of(keys[1], row), varies, works, lane);
    if (works) for (int item = lane; item < ITEMS; item += TEAM) rows[(i64)row * ITEMS + item] = bench.chromosome[item];
    if (works && lane == 0) hall.scores[row] = *bench.conflicts;
    SYNC;
  }
}

// -- replacement: children take the places of members that are no better, one after the other

// The worst member of a meeting, of equals the oldest; by a warp.
PART int worst_of(const Island &island, const int *met, int lane) {
  int worst = -1, fitness = -1;
  i64 born = 0;
  for (int i = lane; i < MET; i += LANES) {
    int other = met[i];
    if (island.fitness[other] > fitness || (island.fitness[other] == fitness && island.born[other] < born)) {
      worst = other;
      fitness = island.fitness[other];
      born = island.born[other];
    }
  }
#ifdef __CUDACC__
  for (int apart = 16; apart; apart >>= 1) {
    int other = __shfl_xor_sync(0xFFFFFFFFu, worst, apart), its_fitness = __shfl_xor_sync(0xFFFFFFFFu, fitness, apart);
    i64 its_born = __shfl_xor_sync(0xFFFFFFFFu, born, apart);
    if (other >= 0 && (its_fitness > fitness || (its_fitness == fitness && its_born < born))) {
      worst = other;
      fitness = its_fitness;
      born = its_born;
    }
  }
#endif
  return worst;
}

// How many items of a child and a member differ; by a warp. A member may be an earlier child by now.
PART int difference(const Hall &hall, const Island &island, int child, int member, int lane) {
  const ITEM *one = island.children + (i64)child * ITEMS, *other = island.chromosomes + (i64)member * ITEMS;
  if (hall.order[member] >= 0) other = island.children + (i64)hall.order[member] * ITEMS;
  int number = 0;
  for (int item = lane; item < ITEMS; item += LANES) number += one[item] != other[item];
  return sum_of_lanes(number);
}

PART void replace_members(const Forest &forest, const Hall &hall, const Island &island, i64 made, int number, int thread) {
  int warp = thread / LANES, lane = thread % LANES, *differences = forest.meetings + number * MET;
  draw_all(island.generator, POPULATION, number * MET, forest.meetings, hall.marks + IS_REFUSED, thread);
  for (int row = thread; row < POPULATION; row += THREADS) hall.order[row] = -1;
  SYNC;
  for (int child = 0; child < number; child++) {
    const int *met = forest.meetings + child * MET;
    if (RESTRICTED) {
      for (int i = warp; i < MET; i += WARPS) {
        int items = difference(hall, island, child, met[i], lane);
        if (lane == 0) differences[i] = items;
      }
      SYNC;
    }
    if (warp == 0) {
      int rival = 0;
      if (RESTRICTED) {
        for (int i = 1; i < MET; i++) rival = differences[i] < differences[rival] ? i : rival;
        rival = met[rival];
      } else {
        rival = worst_of(island, met, lane);
      }
      SYNC_WARP;
      if (lane == 0 && hall.scores[child] <= island.fitness[rival]) {
        island.fitness[rival] = hall.scores[child];
        island.born[rival] = made + child;
        hall.order[rival] = child;
      }
      SYNC_WARP;
    }
    if (RESTRICTED) SYNC;
  }
  SYNC;
  for (int row = warp; row < POPULATION; row += WARPS)
    if (hall.order[row] >= 0) for (int item = lane; item < ITEMS; item += LANES)
      island.chromosomes[(i64)row * ITEMS + item] = island.children[(i64)hall.order[row] * ITEMS + item];
  SYNC;
}

// -- generations

// Count what was evaluated, write improvements down, and end the run if a member has no conflicts.
PART void settle(const Hall &hall, const Island &island, int size, int number, int most_lines, int thread) {
  if (thread == 0) hall.marks[FEWEST] = hall.marks[FIRST_BEST] = 0x7FFFFFFF;
  SYNC;
  for (int row = thread; row < size; row += THREADS) {
    LEAST(&hall.marks[FEWEST], island.fitness[row]);
    if (island.fitness[row] == 0) LEAST(&hall.marks[FIRST_BEST], row);
  }
  SYNC;
  if (thread == 0) {
    for (int i = 0; i < number; i++) write_down(island.record, hall.scores[i], *island.made + i + 1, most_lines);
    *island.made += number;
    if (*island.fewest < 0 || hall.marks[FEWEST] < *island.fewest) {
      *island.fewest = hall.marks[FEWEST];
      *island.improved = *island.made;
    }
    if (*island.fewest == 0) {
      *island.end = 1;
      for (int item = 0; item < ITEMS; item++)
        island.winner[item] = island.chromosomes[(i64)hall.marks[FIRST_BEST] * ITEMS + item];
    }
  }
  SYNC;
}

// The first population is drawn elsewhere, and repaired here.
PART void found_members(
    const Genome &genome, const Bench &bench, const Hall &hall, const Island &island, i64 most, int most_lines,
    int thread) {
  int number = left_of(island, POPULATION, most);
  i64 made = *island.made;
  if (thread == 0) ((Key *)(hall.marks + KEYS))[1] = *island.mending;
  SYNC;
  evaluate_all(genome, bench, hall, island.chromosomes, number, false, thread);
  for (int row = thread; row < number; row += THREADS) {
    island.fitness[row] = hall.scores[row];
    island.born[row] = made + row;
  }
  SYNC;
  settle(hall, island, number, number, most_lines, thread);
}

PART void learn_and_sample(
    const Genome &genome, const Bench &bench, const Hall &hall, const Island &island, const double *logs,
    const double *prices, i64 most, int most_lines, int thread) {
  Forest forest = forest_of(island.trees);
  int number = left_of(island, CHILDREN, most);
  i64 made = *island.made;
  draw_all(island.generator, POPULATION, PARENTS * TOURNAMENT, forest.meetings, hall.marks + IS_REFUSED, thread);
  for (int i = thread; i < PARENTS; i += THREADS) {
    const int *met = forest.meetings + i * TOURNAMENT;
    int best = met[0];
    for (int j = 1; j < TOURNAMENT; j++) if (is_better(island, met[j], best)) best = met[j];
    hall.parents[i] = best;
  }
  if (thread == 0) {
    Generator generator = loaded(island.generator);
    for (int i = 0; i < ITEMS; i++) forest.order[i] = i;
    for (int i = ITEMS - 1; i > 0; i--) {
      int other = (int)up_to(generator, i), item = forest.order[i];
      forest.order[i] = forest.order[other];
      forest.order[other] = item;
    }
    store(island.generator, generator);
  }
  SYNC;
  number_values(forest, hall, island, thread);
  grow_all(forest, hall, island, logs, prices, thread);
  sample_all(forest, hall, island, number, thread);
  redraw(genome, forest, hall, island, number, thread);
  evaluate_all(genome, bench, hall, island.children, number, SWAPS, thread);
  replace_members(forest, hall, island, made, number, thread);
  settle(hall, island, POPULATION, number, most_lines, thread);
}
