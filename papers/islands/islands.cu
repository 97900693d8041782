// Islands: many runs of UMDA, of the genetic algorithm, of MBOA or of HGSA at once, a block of threads each.
//
// The same generations as in generations.py, with the same random words (bit_words.py): an island with a
// run's key makes the chromosomes that the run makes on a processor, one for one. What is changed here must be changed
// there. In a block, teams of TEAM threads make one chromosome each, TEAMS of them at a time; nothing depends on how
// many threads there are, so that a plain C++ compiler makes a program of one thread that does the same.
//
// The numbers of a problem and the settings of the algorithm are macros; islands.py defines them, tree_islands.py those
// of MBOA, and annealer_islands.py those of HGSA, whose program is in annealing.cu.

#include "blocks.cu"

#ifdef IS_HGSA
#include "annealing.cu"
#else

#ifndef IS_MBOA
#define IS_MBOA 0
#define REPAIRS 1
#define ROWS POPULATION
#define POOL 0
// A number of blocks would let the compiler use more registers, which costs a quarter of the speed on an H200.
#define LAUNCHED TEAM * TEAMS
#else
#define LAUNCHED TEAM * TEAMS, BLOCKS
#endif

// -- random words, as in bit_words.py

struct Key { u32 low, high; };

PART u32 mixed(u32 number) {
  number ^= number >> 16;
  number *= 0x2749562Du;
  number ^= number >> 15;
  number *= 0x4E4CBD1Bu;
  return number ^ (number >> 16);
}

PART u32 word(Key key, u32 number) { return mixed(mixed(number + key.low) + key.high); }

PART int below(Key key, u32 number, u32 limit) { return (int)(((u64)word(key, number) * limit) >> 32); }

// A probability comes as the number of words out of 2^32 that say yes.
PART bool happens(Key key, u32 number, u64 likely) { return word(key, number) < likely; }

PART Key key_of(Key key, i64 evaluation) {
  Key own = {word(key, (u32)(2 * evaluation)), word(key, (u32)(2 * evaluation + 1))};
  return own;
}

enum : u32 {
  FOR_ITEMS = 0,
  FOR_STARTS = 1u << 20,
  FOR_MOVES = 2u << 20,
  FOR_SOURCES = 3u << 20,
  FOR_PATHS = 4u << 20,
  FOR_CHANGES = 5u << 20,
  FOR_POLISHES = 6u << 20,
  FOR_CROSSINGS = 7u << 20,
  FOR_MEETINGS = 8u << 20
};

// -- what genes stand for, as in genes.py

struct Genome {
  const int *room, *first_sent, *genes_sent;        // of a scatter, and its senders
  const int *sender_of, *message_of, *origin_of, *first_gene;
  const int *target_of, *first_source, *source_of, *pair_of;
  const int *first_path, *unit_offsets, *units, *capacity;
  const int *cardinalities;
};

// What a team works in; a block has one for each team.
struct Bench {
  ITEM *chromosome;  // [ITEMS]
  int *loads;        // [UNITS * STEPS]
  short *sent;       // [PROCESSORS * STEPS] of a scatter
  short *known;      // [MESSAGES * PROCESSORS] of a broadcast
  int *conflicts;    // how many the chromosome has
  int *chosen;       // [4]: a gene, and the source, path and step that it gets
  u64 *best;
};

#define IS_BROADCAST (PER_GENE == 3)

PART int path_of(const Genome &genome, const ITEM *chromosome, int gene) {
  int at = gene * PER_GENE, pair = gene;
  if (IS_BROADCAST) pair = genome.pair_of[genome.first_source[gene] + chromosome[at]];
  int first = genome.first_path[pair], count = genome.first_path[pair + 1] - first, index = chromosome[at + PER_GENE - 2];
  return first + (index < count ? index : index % count);
}

PART int step_of(const ITEM *chromosome, int gene) { return chromosome[gene * PER_GENE + PER_GENE - 1]; }

PART int added(const Genome &genome, int unit, int load) {
  int beyond = load - genome.capacity[unit] + 1;
  return beyond <= 0 ? 0 : (COUNTS_PAIRS ? beyond : 1);
}

// -- mutation, by one thread, as in mutation.py

PART void change_gene(const Genome &genome, ITEM *chromosome, Key key, u32 first) {
  int gene = below(key, first, GENES), at = gene * PER_GENE, entry = genome.first_source[gene];
  if (IS_BROADCAST) {
    int source = below(key, first + 1, genome.first_source[gene + 1] - entry);
    chromosome[at] = (ITEM)source;
    chromosome[at + 2] = (ITEM)below(key, first + 2, STEPS);
    entry += source;
  }
  int pair = genome.pair_of[entry];
  chromosome[at + PER_GENE - 2] = (ITEM)below(key, first + 3, genome.first_path[pair + 1] - genome.first_path[pair]);
}

PART void swap_steps(const Genome &genome, ITEM *chromosome, Key key, u32 first_word) {
  int gene = below(key, first_word, GENES);
  int first = 0, last = GENES;
  i64 times = (i64)ROOM * STEPS;
  if (SWAPS_WITHIN) {
    int sender = genome.sender_of[gene];
    first = genome.first_sent[sender];
    last = genome.first_sent[sender + 1];
    times = (i64)genome.room[sender] * STEPS;
  }
  if (!SWAPS_IDLE || times < last - first) times = last - first;
  int pick = first + below(key, first_word + 1, (u32)times);
  if (pick < last) {
    int other = genome.genes_sent[pick];
    ITEM step = chromosome[2 * gene + 1];
    chromosome[2 * gene + 1] = chromosome[2 * other + 1];
    chromosome[2 * other + 1] = step;
  } else {
    chromosome[2 * gene + 1] = (ITEM)below(key, first_word + 2, STEPS);
  }
}

PART void vary(const Genome &genome, ITEM *chromosome, Key key) {
  if (!happens(key, FOR_CHANGES, MUTATION)) return;
  for (int change = 0; change < CHANGES; change++) {
    if (IS_BROADCAST) change_gene(genome, chromosome, key, FOR_CHANGES + 4 * (change + 1));
    else if (happens(key, FOR_CHANGES + 8 * change + 1, PATH_SHARE))
      change_gene(genome, chromosome, key, FOR_CHANGES + 8 * change + 4);
    else swap_steps(genome, chromosome, key, FOR_CHANGES + 8 * change + 4);
  }
}

// -- repair, as in repairing.py

// One thread a sender.
PART void accelerate(const Genome &genome, ITEM *chromosome, Key key, int sender, short *sent) {
  int room = genome.room[sender], first = genome.first_sent[sender], count = genome.first_sent[sender + 1] - first;
  if (count == 0) return;
  for (int step = 0; step < STEPS; step++) sent[step] = 0;
  int surplus = 0;
  for (int turn = 0; turn < count; turn++) {
    int step = chromosome[2 * genome.genes_sent[first + turn] + 1];
    if (++sent[step] > room) surplus++;
  }
  if (surplus == 0) return;
  int at = below(key, FOR_STARTS + sender, count);
  for (int turn = 0; turn < count; turn++) {
    int gene = genome.genes_sent[first + at];
    at = at + 1 < count ? at + 1 : 0;
    int step = chromosome[2 * gene + 1];
    if (sent[step] <= room) continue;
    int other = below(key, FOR_MOVES + gene, STEPS);
    for (int tried = 0; tried < STEPS; tried++) {
      if (sent[other] < room) {
        sent[step]--;
        sent[other]++;
        chromosome[2 * gene + 1] = (ITEM)other;
        break;
      }
      other = other + 1 < STEPS ? other + 1 : 0;
    }
    if (--surplus == 0) return;
  }
}

PART int informed_source(const Genome &genome, const short *known, int gene, int step, Key key) {
  int first = genome.first_source[gene], last = genome.first_source[gene + 1], choices = 0;
  for (int source = first; source < last; source++) choices += known[genome.source_of[source]] < step;
  if (choices == 0) return -1;
  int pick = below(key, FOR_SOURCES + gene, choices);
  for (int source = first; source < last; source++)
    if (known[genome.source_of[source]] < step && pick-- == 0) return source;
  return -1;
}

// A thread a gene, step after step: a processor informed in a step informs others from the next one on.
PART void restore(const Genome &genome, const Bench &bench, Key key, bool works, int lane) {
  if (works) {
    for (int i = lane; i < MESSAGES * PROCESSORS; i += TEAM)
      bench.known[i] = i % PROCESSORS == genome.origin_of[i / PROCESSORS] ? -1 : STEPS;
    for (int gene = lane; gene < GENES; gene += TEAM)
      if (bench.chromosome[3 * gene + 2] >= STEPS) bench.chromosome[3 * gene + 2] = 0;
  }
  SYNC;
  for (int step = 0; step < STEPS; step++) {
    if (works) for (int gene = lane; gene < GENES; gene += TEAM) {
      ITEM *items = bench.chromosome + 3 * gene;
      if (items[2] != step) continue;
      const short *known = bench.known + genome.message_of[gene] * PROCESSORS;
      int first = genome.first_source[gene], source = first + items[0];
      if (known[genome.source_of[source]] >= step) {
        source = informed_source(genome, known, gene, step, key);
        if (source >= 0) {
          int pair = genome.pair_of[source];
          items[0] = (ITEM)(source - first);
          items[1] = (ITEM)below(key, FOR_PATHS + gene, genome.first_path[pair + 1] - genome.first_path[pair]);
        }
      }
      if (source >= 0) {
        int pair = genome.pair_of[source];
        items[1] = (ITEM)(items[1] % (genome.first_path[pair + 1] - genome.first_path[pair]));
        bench.known[genome.message_of[gene] * PROCESSORS + genome.target_of[gene]] = (short)step;
      } else {
        items[2] = (ITEM)(step + 1);
      }
    }
    SYNC;
  }
}

// -- conflicts, as in genes.py

PART void sum_up(int *where, int what, bool works) {
#ifdef __CUDACC__
  // All threads of a warp are here, of working teams and of others; a team has whole warps, or a warp whole teams.
  const int width = TEAM < 32 ? TEAM : 32;
  for (int apart = width / 2; apart; apart >>= 1) what += __shfl_down_sync(0xFFFFFFFFu, what, apart, width);
  if (works && threadIdx.x % width == 0) atomicAdd(where, what);
#else
  if (works) *where += what;
#endif
}

PART void count(const Genome &genome, const Bench &bench, bool works, int lane) {
  int total = 0;
  if (works) for (int gene = lane; gene < GENES; gene += TEAM) {
    int step = step_of(bench.chromosome, gene);
    if (step >= STEPS) {
      total++;
      continue;
    }
    int path = path_of(genome, bench.chromosome, gene);
    for (int i = genome.unit_offsets[path]; i < genome.unit_offsets[path + 1]; i++) {
      int unit = genome.units[i];
      total += added(genome, unit, ADD(&bench.loads[unit * STEPS + step], 1));
    }
  }
  sum_up(bench.conflicts, total, works);
  SYNC;
}

// -- polish, as in polishing.py

PART bool in_conflict(const Genome &genome, const Bench &bench, int gene) {
  int step = step_of(bench.chromosome, gene);
  if (step >= STEPS) return true;
  int path = path_of(genome, bench.chromosome, gene);
  for (int i = genome.unit_offsets[path]; i < genome.unit_offsets[path + 1]; i++) {
    int unit = genome.units[i];
    if (bench.loads[unit * STEPS + step] > genome.capacity[unit]) return true;
  }
  return false;
}

PART int cost_of(const Genome &genome, const int *loads, int path, int step) {
  int cost = 0;
  for (int i = genome.unit_offsets[path]; i < genome.unit_offsets[path + 1]; i++) {
    int unit = genome.units[i];
    cost += added(genome, unit, loads[unit * STEPS + step]);
  }
  return cost;
}

PART void change_load(const Genome &genome, int *loads, int path, int step, int by) {
  for (int i = genome.unit_offsets[path]; i < genome.unit_offsets[path + 1]; i++)
    loads[genome.units[i] * STEPS + step] += by;
}

// Fill in when each processor is informed of a gene's message, and in chosen[1] when the gene's target sends it on.
PART void times_of(const Genome &genome, const Bench &bench, int gene, bool works, int lane) {
  int message = genome.message_of[gene];
  short *known = bench.known + message * PROCESSORS;
  if (works && lane == 0) {
    bench.chosen[1] = STEPS;
    known[genome.origin_of[message]] = -1;
  }
  SYNC;
  if (works) for (int other = genome.first_gene[message] + lane; other < genome.first_gene[message + 1]; other += TEAM) {
    int step = bench.chromosome[3 * other + 2];
    if (other != gene) known[genome.target_of[other]] = (short)step;
    int source = genome.source_of[genome.first_source[other] + bench.chromosome[3 * other]];
    if (source == genome.target_of[gene]) LEAST(&bench.chosen[1], step);
  }
  if (works && lane == 0) known[genome.target_of[gene]] = STEPS;
  SYNC;
}

PART void polish(const Genome &genome, const Bench &bench, Key key, bool is_used, int lane) {
  for (int move = 0; move < POLISH; move++) {
    bool works = is_used && *bench.conflicts > 0;
    int start = below(key, FOR_POLISHES + 2 * move, GENES);
    Key ties = {word(key, FOR_POLISHES + 2 * move + 1), key.high};
    if (works && lane == 0) {
      bench.chosen[0] = GENES;
      *bench.best = ~0ull;
    }
    SYNC;
    if (works) for (int turn = lane; turn < GENES; turn += TEAM) {
      int gene = start + turn < GENES ? start + turn : start + turn - GENES;
      if (in_conflict(genome, bench, gene)) {
        LEAST(&bench.chosen[0], turn);
        break;
      }
    }
    SYNC;
    int gene = 0;
    if (works) gene = (start + bench.chosen[0]) % GENES;
    int step = works ? step_of(bench.chromosome, gene) : 0;
    u64 most = step >= STEPS ? 1 : 0x7FFFFFFF;
    if (works && lane == 0) {
      if (step >= STEPS) {
        --*bench.conflicts;
      } else {
        int path = path_of(genome, bench.chromosome, gene);
        change_load(genome, bench.loads, path, step, -1);
        *bench.conflicts -= cost_of(genome, bench.loads, path, step);
      }
    }
    SYNC;
    int latest = STEPS - 1;
    if (IS_BROADCAST) {
      times_of(genome, bench, gene, works, lane);
      latest = bench.chosen[1] - 1;
      SYNC;
    }
    u64 best = ~0ull;
    int best_source = 0, best_path = -1, best_step = STEPS;
    if (works) for (int source = genome.first_source[gene]; source < genome.first_source[gene + 1]; source++) {
      int earliest = 0;
      if (IS_BROADCAST) earliest = bench.known[genome.message_of[gene] * PROCESSORS + genome.source_of[source]] + 1;
      int pair = genome.pair_of[source], first = genome.first_path[pair], steps = latest + 1 - earliest;
      if (steps <= 0) continue;
      int choices = (genome.first_path[pair + 1] - first) * steps;
      for (int i = lane; i < choices; i += TEAM) {
        int path = first + i / steps, at = earliest + i % steps;
        u64 cost = cost_of(genome, bench.loads, path, at);
        if (cost > most) continue;
        u64 tied = cost << 32 | word(ties, (u32)path * STEPS + at);
        if (tied < best) {
          best = tied;
          best_source = source;
          best_path = path;
          best_step = at;
        }
      }
    }
    if (works && best_path >= 0) LEAST(bench.best, best);
    SYNC;
    if (works && best_path >= 0 && *bench.best == best) {
      ITEM *items = bench.chromosome + gene * PER_GENE;
      if (IS_BROADCAST) items[0] = (ITEM)(best_source - genome.first_source[gene]);
      items[PER_GENE - 2] = (ITEM)(best_path - genome.first_path[genome.pair_of[best_source]]);
      items[PER_GENE - 1] = (ITEM)best_step;
      change_load(genome, bench.loads, best_path, best_step, 1);
      *bench.conflicts += (int)(best >> 32);
    }
    if (works && lane == 0 && *bench.best == ~0ull) *bench.conflicts += (int)most;
    SYNC;
  }
}

// -- what befalls every new chromosome; what it is before is on the bench

PART void finish(
    const Genome &genome, const Bench &bench, Key varying, Key repairing, bool varies, bool works, int lane) {
  if (works) for (int i = lane; i < UNITS * STEPS; i += TEAM) bench.loads[i] = 0;
  if (works && lane == 0) {
    *bench.conflicts = 0;
    if (varies) vary(genome, bench.chromosome, varying);
  }
  SYNC;
  if (IS_BROADCAST) {
    restore(genome, bench, repairing, works, lane);
  } else if (REPAIRS) {
    if (works) for (int sender = lane; sender < PROCESSORS; sender += TEAM)
      accelerate(genome, bench.chromosome, repairing, sender, bench.sent + sender * STEPS);
    SYNC;
  }
  count(genome, bench, works, lane);
  if (varies && POLISH) polish(genome, bench, varying, works, lane);
}

// -- an island

struct Island {
  ITEM *chromosomes;  // [POPULATION][ITEMS]
  ITEM *children;     // [POPULATION][ITEMS]
  ITEM *winner;       // [ITEMS]
  int *fitness;       // [POPULATION]
  i64 *born;          // [POPULATION]: the evaluation that each chromosome is of
  i64 *made;          // evaluations made in all
  i64 *improved;      // as many when the fewest conflicts became so few
  int *fewest;        // in the life of the population; -1: there is none yet
  int *end;           // 0: the run goes on, 1: success, 2: no evaluations are left, 3: MBOA wants a new population
  Record record;
  u64 *generator;     // [6] of MBOA, as `Key` and `trees` are
  Key *mending;       // of the repair of its first population
  char *trees;
};

// What a block shares, beside its teams' benches.
struct Hall {
  int *parents;  // [ROWS]
  int *order;    // [ROWS]: the rows, the worst first for UMDA and the best first for the genetic algorithm; the child
                 // that has taken the place of each, or -1, for MBOA
  int *scores;   // [ROWS]: the conflicts of what was made
  int *points;   // [TEAMS][4]: two parents and two points of each team
  int *marks;    // [16] of MBOA, and the memory in which its trees grow
  char *pool;
};

// Of equals the newer one counts as better.
PART bool is_better(const Island &island, int one, int other) {
  int a = island.fitness[one], b = island.fitness[other];
  return a < b || (a == b && (IS_UMDA || IS_MBOA ? island.born[one] > island.born[other] : one > other));
}

PART int tournament(const Island &island, int size, Key key, int number) {
  int best = below(key, FOR_MEETINGS + number * size, POPULATION);
  for (int i = 1; i < size; i++) {
    int other = below(key, FOR_MEETINGS + number * size + i, POPULATION);
    if (is_better(island, other, best)) best = other;
  }
  return best;
}

// Write down what the chromosomes made since brought, in their order, up to a number of them; by one thread.
PART void note(const Island &island, const Hall &hall, int number, ITEM *rows, int most_lines) {
  for (int i = 0; i < number; i++) {
    int conflicts = hall.scores[i];
    i64 made = *island.made + i + 1;
    write_down(island.record, conflicts, made, most_lines);
    if (*island.fewest >= 0 && conflicts < *island.fewest) {
      *island.fewest = conflicts;
      *island.improved = made;
    }
    if (conflicts == 0) {
      *island.made = made;
      *island.end = 1;
      for (int item = 0; item < ITEMS; item++) island.winner[item] = rows[(i64)i * ITEMS + item];
      return;
    }
  }
  *island.made += number;
}

PART int left_of(const Island &island, int wanted, i64 most) {
  i64 left = most - *island.made;
  return left < wanted ? (int)left : wanted;
}

PART void found(
    const Genome &genome, const Bench &bench, const Hall &hall, const Island &island, Key key, i64 most, int most_lines,
    int thread) {
  int team = thread / TEAM, lane = thread % TEAM, number = left_of(island, POPULATION, most);
  i64 made = *island.made;
  for (int first = 0; first < number; first += TEAMS) {
    int row = first + team;
    bool works = row < number;
    Key own = key_of(key, made + row);
    if (works) for (int item = lane; item < ITEMS; item += TEAM) {
      int value = below(own, FOR_ITEMS + item, genome.cardinalities[item]);
      bench.chromosome[item] = (ITEM)(IS_BROADCAST && item % 3 == 2 ? 0 : value);
    }
    SYNC;
    finish(genome, bench, own, own, false, works, lane);
    if (works) for (int item = lane; item < ITEMS; item += TEAM)
      island.chromosomes[(i64)row * ITEMS + item] = bench.chromosome[item];
    if (works && lane == 0) {
      hall.scores[row] = *bench.conflicts;
      island.fitness[row] = *bench.conflicts;
      island.born[row] = made + row;
    }
    SYNC;
  }
  if (thread == 0) {
    note(island, hall, number, island.chromosomes, most_lines);
    int fewest = 0x7FFFFFFF;
    for (int row = 0; row < number; row++) fewest = hall.scores[row] < fewest ? hall.scores[row] : fewest;
    *island.fewest = fewest;
    *island.improved = *island.made;
  }
  SYNC;
}

// The parents of UMDA, or of one child of the genetic algorithm.
PART void umda_child(const Bench &bench, const Hall &hall, const Island &island, Key own, bool works, int lane) {
  const int width = WHOLE_GENES ? PER_GENE : 1;
  if (works) for (int item = lane; item < ITEMS; item += TEAM) {
    int parent = hall.parents[below(own, FOR_ITEMS + item / width * width, CHILDREN)];
    bench.chromosome[item] = island.chromosomes[(i64)parent * ITEMS + item];
  }
}

PART void ga_child(const Bench &bench, const Island &island, Key own, bool works, int lane, int *points) {
  if (works && lane == 0) {
    points[0] = tournament(island, TOURNAMENT, own, 0);
    points[1] = tournament(island, TOURNAMENT, own, 1);
    points[2] = points[3] = 0;
    if (happens(own, FOR_CROSSINGS, CROSSOVER)) {
      int one = below(own, FOR_CROSSINGS + 1, GENES + 1), two = below(own, FOR_CROSSINGS + 2, GENES + 1);
      points[2] = (one < two ? one : two) * PER_GENE;
      points[3] = (one < two ? two : one) * PER_GENE;
    }
  }
  SYNC;
  if (works) for (int item = lane; item < ITEMS; item += TEAM) {
    int parent = item >= points[2] && item < points[3] ? points[1] : points[0];
    bench.chromosome[item] = island.chromosomes[(i64)parent * ITEMS + item];
  }
}

PART void generation(
    const Genome &genome, const Bench &bench, const Hall &hall, const Island &island, Key key, i64 most, int most_lines,
    int thread) {
  int team = thread / TEAM, lane = thread % TEAM, number = left_of(island, CHILDREN, most);
  i64 made = *island.made;
  if (IS_UMDA && !TRUNCATES) {
    Key own = key_of(key, made);
    for (int i = thread; i < CHILDREN; i += TEAM * TEAMS) hall.parents[i] = tournament(island, 2, own, i);
  }
  for (int row = thread; row < POPULATION; row += TEAM * TEAMS) {
    int before = 0;
    for (int other = 0; other < POPULATION; other++)
      before += other != row && (IS_UMDA ? is_better(island, row, other) : is_better(island, other, row));
    hall.order[before] = row;
    if (IS_UMDA && TRUNCATES && POPULATION - 1 - before < CHILDREN) hall.parents[POPULATION - 1 - before] = row;
  }
  SYNC;
  for (int first = 0; first < number; first += TEAMS) {
    int child = first + team;
    bool works = child < number;
    Key own = key_of(key, made + child);
    if (IS_UMDA) umda_child(bench, hall, island, own, works, lane);
    else ga_child(bench, island, own, works, lane, hall.points + 4 * team);
    SYNC;
    finish(genome, bench, own, own, true, works, lane);
    if (works) for (int item = lane; item < ITEMS; item += TEAM)
      island.children[(i64)child * ITEMS + item] = bench.chromosome[item];
    if (works && lane == 0) hall.scores[child] = *bench.conflicts;
    SYNC;
  }
  // No member of an unfinished generation survives.
  if (number == CHILDREN) {
    if (!IS_UMDA) {
      // The elite goes to the first rows, over the children's memory, since some of it may stand in those rows.
      for (i64 i = thread; i < (i64)ELITE * ITEMS; i += TEAM * TEAMS)
        island.children[(i64)CHILDREN * ITEMS + i] = island.chromosomes[(i64)hall.order[i / ITEMS] * ITEMS + i % ITEMS];
      for (int i = thread; i < ELITE; i += TEAM * TEAMS) hall.parents[i] = island.fitness[hall.order[i]];
      SYNC;
      for (i64 i = thread; i < (i64)ELITE * ITEMS; i += TEAM * TEAMS)
        island.chromosomes[i] = island.children[(i64)CHILDREN * ITEMS + i];
      for (int i = thread; i < ELITE; i += TEAM * TEAMS) island.fitness[i] = hall.parents[i];
    }
    for (int child = team; child < CHILDREN; child += TEAMS) {
      int row = IS_UMDA ? hall.order[child] : ELITE + child;
      if (KEEPS_BETTER && hall.scores[child] > island.fitness[row]) continue;
      for (int item = lane; item < ITEMS; item += TEAM)
        island.chromosomes[(i64)row * ITEMS + item] = island.children[(i64)child * ITEMS + item];
      if (lane == 0) {
        island.fitness[row] = hall.scores[child];
        island.born[row] = made + child;
      }
    }
  }
  SYNC;
  if (thread == 0) note(island, hall, number, island.children, most_lines);
  SYNC;
}

#if IS_MBOA
#include "decision_trees.cu"
#define IS_PATIENT (PATIENCE < 0)
#else
#define IS_PATIENT (PATIENCE == 0)
#endif

PART void live(
    const Genome &genome, const Bench &bench, const Hall &hall, const Island &island, Key key, const double *logs,
    const double *prices, int num_generations, i64 most, int most_lines, int thread) {
  for (int passed = 0; passed < num_generations; passed++) {
    if (*island.end) return;
    if (*island.made >= most) {
      SYNC;
      if (thread == 0) *island.end = 2;
      return;
    }
    bool is_stuck = !IS_PATIENT && *island.fewest >= 0 && *island.made - *island.improved >= PATIENCE;
    bool is_new = *island.fewest < 0;
    SYNC;
#if IS_MBOA
    if (is_stuck) {
      if (thread == 0) *island.end = 3;
      return;
    }
    if (is_new) found_members(genome, bench, hall, island, most, most_lines, thread);
    else learn_and_sample(genome, bench, hall, island, logs, prices, most, most_lines, thread);
#else
    if (is_stuck || is_new) {
      if (thread == 0) *island.fewest = -1;
      SYNC;
      found(genome, bench, hall, island, key, most, most_lines, thread);
    } else {
      generation(genome, bench, hall, island, key, most, most_lines, thread);
    }
#endif
  }
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(LAUNCHED) islands(
#else
extern "C" void islands(int num_blocks, char *shared_memory,
#endif
    const int *room, const int *first_sent, const int *genes_sent, const int *sender_of, const int *message_of,
    const int *origin_of, const int *first_gene, const int *target_of, const int *first_source, const int *source_of,
    const int *pair_of, const int *first_path, const int *unit_offsets, const int *units, const int *capacity,
    const int *cardinalities,
#if IS_MBOA
    const double *logs, const double *prices,
#endif
    const int *running, u32 *keys, ITEM *chromosomes, ITEM *children, int *fitness, i64 *born, i64 *improved, int *fewest,
    ITEM *winners, i64 *made, int *end, int *least, int *trace, int *lines,
#if IS_MBOA
    u64 *generators, char *trees,
#endif
    int num_generations, int most_lines, i64 most_evaluations) {
  Genome genome = {room, first_sent, genes_sent, sender_of, message_of, origin_of, first_gene, target_of, first_source,
                   source_of, pair_of, first_path, unit_offsets, units, capacity, cardinalities};
#ifdef __CUDACC__
  extern __shared__ __align__(8) char shared_memory[];
  int block = blockIdx.x, thread = threadIdx.x;
#else
  for (int block = 0, thread = 0; block < num_blocks; block++)
#endif
  {
    char *memory = shared_memory;
    Hall hall;
    hall.parents = (int *)taken(memory, 4 * ROWS);
    hall.order = (int *)taken(memory, 4 * ROWS);
    hall.scores = (int *)taken(memory, 4 * ROWS);
    hall.points = (int *)taken(memory, 16 * TEAMS);
    hall.marks = (int *)taken(memory, IS_MBOA ? 64 : 0);
    hall.pool = taken(memory, POOL);
    Bench bench;
    for (int team = 0; team <= thread / TEAM; team++) {
      bench.best = (u64 *)taken(memory, 8);
      bench.chosen = (int *)taken(memory, 16);
      bench.conflicts = (int *)taken(memory, 4);
      bench.loads = (int *)taken(memory, 4 * UNITS * STEPS);
      bench.sent = (short *)taken(memory, IS_BROADCAST ? 0 : 2 * PROCESSORS * STEPS);
      bench.known = (short *)taken(memory, IS_BROADCAST ? 2 * MESSAGES * PROCESSORS : 0);
      bench.chromosome = (ITEM *)taken(memory, ITEMS * (int)sizeof(ITEM));
    }
    i64 at = running[block];
    Record record = {least + at, trace + at * most_lines * 2, lines + at};
    Island island = {chromosomes + at * POPULATION * ITEMS, children + at * POPULATION * ITEMS, winners + at * ITEMS,
                     fitness + at * POPULATION, born + at * POPULATION, made + at, improved + at, fewest + at, end + at,
                     record, 0, 0, 0};
    Key key = {keys[2 * at], keys[2 * at + 1]};
#if IS_MBOA
    island.generator = generators + 6 * at;
    island.mending = (Key *)(keys + 2 * at);
    island.trees = trees + at * (i64)TREE_BYTES;
#else
    const double *logs = 0, *prices = 0;
#endif
    live(genome, bench, hall, island, key, logs, prices, num_generations, most_evaluations, most_lines, thread);
  }
}

#endif
