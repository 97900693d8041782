// HGSA on islands: a block of threads for each run, a warp for each of its annealers.
//
// The moves of annealing.py on the genes of hops.py, and the master's wheel of hgsa.py, with the same random numbers: an
// island with a run's seed makes the moves that the run makes on a processor, one for one. What is changed here must be
// changed there. All lanes of a warp draw the same numbers; each counts some hops of a gene, or some genes of a solution.
// Sums are of whole numbers, so that their order does not matter. What is random is compared with whole numbers that
// annealer_islands.py makes of probabilities. islands.cu includes this file.

// -- random numbers, as in random_numbers.py

struct Draws { u32 a, b, c, d; };

PART u32 next_number(Draws &draws) {
  u32 t = draws.a ^ draws.a << 11, w = draws.d;
  draws.a = draws.b;
  draws.b = draws.c;
  draws.c = w;
  return draws.d = w ^ w >> 19 ^ t ^ t >> 8;
}

PART int draw(Draws &draws, int below) { return (int)(((u64)next_number(draws) * (u32)below) >> 32); }

// A probability is the number of words out of 2^32 that say yes; of a certain thing, 2^33, no word is drawn.
#define HAPPENS(draws, likely) ((likely) >> 33 || next_number(draws) < (likely))

// -- genes, as in hops.py

struct HopTables {
  const int *message_of, *first_path, *first_hop, *hops, *first_unit, *units, *capacity, *absorption_of, *movable;
  const u64 *thresholds;  // [levels][CHANGES]: the words, out of 2^32, that accept a change for the worse
  const i64 *levels;      // [2]: how many levels have thresholds, and the first level without any heat
};

struct Annealer {
  int *paths;       // [GENES]
  STEP *steps;      // [GENES][HOPS]
  int *uses;        // [MESSAGES * NUM_HOPS * STEPS]
  int *loads;       // [UNITS * STEPS]
  int *differing;   // [GENES]: first of all the genes that are not the same in the mate
  int *both_paths;  // [GENES][2]: what these are in the own solution and in the mate's
  STEP *both_steps; // [GENES][2][HOPS]
};

struct Route {
  int path;
  const STEP *steps;
};

PART Route route_of(const Annealer &annealer, int gene) {
  Route route = {annealer.paths[gene], annealer.steps + (i64)gene * HOPS};
  return route;
}

PART int length_of(const HopTables &tables, int path) { return tables.first_hop[path + 1] - tables.first_hop[path]; }

PART void draw_steps(int num_hops, STEP *steps, Draws &draws) {
  if (AT_ONCE) steps[0] = 0;
  // No path has more than HOPS hops, which lets the compiler unroll.
  for (int filled = AT_ONCE; filled < num_hops && filled < HOPS; filled++) {
    int largest = STEPS - num_hops + filled, step = AT_ONCE + draw(draws, largest - AT_ONCE + 1), index = filled;
    while (index > AT_ONCE && steps[index - 1] > step) index--;
    if (index > AT_ONCE && steps[index - 1] == step) {
      step = largest;
      index = filled;
    }
    for (int later = filled; later > index; later--) steps[later] = steps[later - 1];
    steps[index] = (STEP)step;
  }
}

PART void change_step(int length, STEP *steps, Draws &draws) {
  if (length <= AT_ONCE) return;
  int index = AT_ONCE + draw(draws, length - AT_ONCE);
  int lowest = index > 0 ? steps[index - 1] + 1 : 0, highest = index + 1 < length ? steps[index + 1] - 1 : STEPS - 1;
  steps[index] = (STEP)(lowest + draw(draws, highest - lowest + 1));
}

// -- conflicts

PART bool draws_on(const HopTables &tables, int hop, int unit) {
  for (int at = tables.first_unit[hop]; at < tables.first_unit[hop + 1]; at++)
    if (tables.units[at] == unit) return true;
  return false;
}

// How many conflicts more there were in a step if one hop, or none (-1), took the place of another.
PART int change_in_step(const HopTables &tables, const Annealer &annealer, int message, int step, int gone, int come) {
  if (gone == come) return 0;
  const int *uses = annealer.uses + message * NUM_HOPS * STEPS, *loads = annealer.loads;
  int change = 0;
  if (gone >= 0 && uses[gone * STEPS + step] > 1) gone = -1;
  if (gone >= 0) for (int at = tables.first_unit[gone]; at < tables.first_unit[gone + 1]; at++)
    change -= loads[tables.units[at] * STEPS + step] > tables.capacity[tables.units[at]];
  if (come >= 0 && uses[come * STEPS + step] == 0)
    for (int at = tables.first_unit[come]; at < tables.first_unit[come + 1]; at++) {
      int unit = tables.units[at], load = loads[unit * STEPS + step], capacity = tables.capacity[unit];
      change += load >= capacity && !(load == capacity && gone >= 0 && draws_on(tables, gone, unit));
    }
  return change;
}

// How many conflicts more there were if a gene had a new path and steps; by a warp, a lane a hop.
PART int change_of(
    const HopTables &tables, const Annealer &annealer, int gene, const Route &old, const Route &fresh, int lane) {
  int old_hop = tables.first_hop[old.path], old_length = tables.first_hop[old.path + 1] - old_hop;
  int new_hop = tables.first_hop[fresh.path], new_length = tables.first_hop[fresh.path + 1] - new_hop, change = 0;
  for (int i = lane; i < new_length + old_length; i += LANES) {
    bool is_new = i < new_length;
    int index = is_new ? i : i - new_length, step = is_new ? fresh.steps[index] : old.steps[index];
    int come = is_new ? tables.hops[new_hop + index] : -1, gone = is_new ? -1 : tables.hops[old_hop + index];
    if (is_new) {
      for (int j = 0; j < old_length; j++) if (old.steps[j] == step) gone = tables.hops[old_hop + j];
    } else {
      // The lane of the new hop in this step has counted the old one.
      for (int j = 0; j < new_length; j++) if (fresh.steps[j] == step) gone = -1;
    }
    change += change_in_step(tables, annealer, tables.message_of[gene], step, gone, come);
  }
  int unit = tables.absorption_of[gene];
  if (lane == 0 && unit >= 0) {
    int was = old.steps[old_length - 1], becomes = fresh.steps[new_length - 1], capacity = tables.capacity[unit];
    if (was != becomes) change += (annealer.loads[unit * STEPS + becomes] >= capacity) -
                                  (annealer.loads[unit * STEPS + was] > capacity);
  }
  return sum_of_lanes(change);
}

// Load a unit once more or once less; return the change of conflicts.
PART int recharge_unit(const HopTables &tables, const Annealer &annealer, int unit, int step, int sign) {
  int load = ADD(&annealer.loads[unit * STEPS + step], sign), capacity = tables.capacity[unit];
  return sign > 0 ? load >= capacity : -(load > capacity);
}

// Count a path once more (sign 1) or once less (sign -1), from one of its hops on, each so many further.
PART int recharge(
    const HopTables &tables, const Annealer &annealer, int gene, const Route &route, int sign, int first, int stride) {
  int begin = tables.first_hop[route.path], length = tables.first_hop[route.path + 1] - begin, change = 0;
  int *uses = annealer.uses + tables.message_of[gene] * NUM_HOPS * STEPS, unit = tables.absorption_of[gene];
  for (int index = first; index < length; index += stride) {
    int hop = tables.hops[begin + index], step = route.steps[index];
    // A transfer comes or goes between no use and one.
    if (ADD(&uses[hop * STEPS + step], sign) == (sign < 0))
      for (int at = tables.first_unit[hop]; at < tables.first_unit[hop + 1]; at++)
        change += recharge_unit(tables, annealer, tables.units[at], step, sign);
    if (index == length - 1 && unit >= 0) change += recharge_unit(tables, annealer, unit, step, sign);
  }
  return change;
}

// Count for an annealer from scratch, and return its conflicts.
PART int recount(const HopTables &tables, const Annealer &annealer, int lane) {
  for (int use = lane; use < MESSAGES * NUM_HOPS * STEPS; use += LANES) annealer.uses[use] = 0;
  for (int load = lane; load < UNITS * STEPS; load += LANES) annealer.loads[load] = 0;
  SYNC_WARP;
  int conflicts = 0;
  for (int gene = lane; gene < GENES; gene += LANES)
    conflicts += recharge(tables, annealer, gene, route_of(annealer, gene), 1, 0, 1);
  SYNC_WARP;
  return sum_of_lanes(conflicts);
}

// -- moves, as in annealing.py

// Never refuse what is no worse, and what is worse the likelier the colder.
PART bool accepts(const HopTables &tables, int change, i64 level, Draws &draws) {
  if (change <= 0) return true;
  if (level >= tables.levels[1]) return false;
  u32 number = next_number(draws);
  return level < tables.levels[0] && number < tables.thresholds[level * CHANGES + change - 1];
}

// Change a gene at random: return a path, with steps in `fresh`.
PART Route propose(const HopTables &tables, const Annealer &annealer, int gene, STEP *fresh, Draws &draws) {
  int first = tables.first_path[gene], num_paths = tables.first_path[gene + 1] - first;
  Route old = route_of(annealer, gene), route = {old.path, fresh};
  if (num_paths > 1 && HAPPENS(draws, NEW_PATH)) route.path = first + draw(draws, num_paths);
  int length = length_of(tables, route.path);
  if (length != length_of(tables, old.path) || HAPPENS(draws, NEW_SEQUENCE)) {
    draw_steps(length, fresh, draws);
  } else {
    for (int index = 0; index < length; index++) fresh[index] = old.steps[index];
    change_step(length, fresh, draws);
  }
  return route;
}

// Give a gene another path and steps; by a warp, a lane a hop.
PART void adopt(const HopTables &tables, const Annealer &annealer, int gene, const Route &fresh, int lane) {
  recharge(tables, annealer, gene, route_of(annealer, gene), -1, lane, LANES);
  SYNC_WARP;
  recharge(tables, annealer, gene, fresh, 1, lane, LANES);
  for (int index = lane; index < length_of(tables, fresh.path); index += LANES)
    annealer.steps[(i64)gene * HOPS + index] = fresh.steps[index];
  if (lane == 0) annealer.paths[gene] = fresh.path;
  SYNC_WARP;
}

struct Progress { int energy, fewest, made; };

// Make a number of moves after some others.
PART Progress metropolis(
    const HopTables &tables, const Annealer &annealer, int energy, i64 before, int number, Draws &draws, int lane) {
  Progress progress = {energy, energy, 0};
  for (; progress.made < number && progress.energy > 0; progress.made++) {
    STEP fresh[HOPS];
    int gene = tables.movable[draw(draws, MOVABLE)];
    Route route = propose(tables, annealer, gene, fresh, draws);
    int change = change_of(tables, annealer, gene, route_of(annealer, gene), route, lane);
    if (!accepts(tables, change, (before + progress.made) / MOVES_PER_TEMPERATURE, draws)) continue;
    adopt(tables, annealer, gene, route, lane);
    progress.energy += change;
    if (progress.energy < progress.fewest) progress.fewest = progress.energy;
  }
  return progress;
}

// -- crossover

enum { OWN, FIRST, SECOND, MATE };

struct Cut { int begin, end, num_differing; };

// List the genes that differ from another annealer's, with both routes; by a warp, a lane a gene.
PART void compare(const HopTables &tables, const Annealer &annealer, const Annealer &mate, int *number, int lane) {
  for (int gene = lane; gene < GENES; gene += LANES) {
    Route routes[2] = {route_of(annealer, gene), route_of(mate, gene)};
    bool is_same = routes[0].path == routes[1].path;
    for (int index = 0; is_same && index < length_of(tables, routes[0].path); index++)
      is_same = routes[0].steps[index] == routes[1].steps[index];
    if (is_same) continue;
    int at = ADD(number, 1);
    annealer.differing[at] = gene;
    for (int whose = 0; whose < 2; whose++) {
      annealer.both_paths[2 * at + whose] = routes[whose].path;
      for (int index = 0; index < length_of(tables, routes[whose].path); index++)
        annealer.both_steps[((i64)2 * at + whose) * HOPS + index] = routes[whose].steps[index];
    }
  }
}

// Make one of the four solutions another, and return the change of conflicts; by a warp, a lane a gene.
PART int turn(const HopTables &tables, const Annealer &annealer, const Cut &cut, int was, int becomes, int lane) {
  int change = 0;
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int at = lane; at < cut.num_differing; at += LANES) {
      int gene = annealer.differing[at], side = cut.begin <= gene && gene < cut.end ? FIRST : SECOND;
      if ((was & side) == (becomes & side)) continue;
      i64 row = (i64)2 * at + (((sign < 0 ? was : becomes) & side) != 0);
      Route route = {annealer.both_paths[row], annealer.both_steps + row * HOPS};
      change += recharge(tables, annealer, gene, route, sign, 0, 1);
      if (sign < 0) continue;
      annealer.paths[gene] = route.path;
      for (int index = 0; index < length_of(tables, route.path); index++)
        annealer.steps[(i64)gene * HOPS + index] = route.steps[index];
    }
    SYNC_WARP;
  }
  return sum_of_lanes(change);
}

// Cross a solution with its mate, mutate the best of the four, and keep it by the Metropolis criterion.
PART int cross(
    const HopTables &tables, const Annealer &annealer, int energy, int mates, int num_differing, i64 level,
    Draws &draws, int lane) {
  int one = draw(draws, GENES + 1), other = draw(draws, GENES);
  if (other >= one) other++;
  Cut cut = {one < other ? one : other, one < other ? other : one, num_differing};
  int first = energy + turn(tables, annealer, cut, OWN, FIRST, lane);
  int second = first + turn(tables, annealer, cut, FIRST, SECOND, lane);
  int best = energy < mates ? energy : mates;
  if (first < best) best = first;
  if (second < best) best = second;
  int which = first == best ? FIRST : second == best ? SECOND : mates == best ? MATE : OWN;
  turn(tables, annealer, cut, SECOND, which, lane);

  bool is_child = which == FIRST || which == SECOND;
  int num_mutated = !is_child || next_number(draws) < CHILD_MUTATION ? MUTATED : 0, new_energy = best;
  int genes[MUTATED + 1], paths[MUTATED + 1];
  STEP steps[MUTATED + 1][HOPS], fresh[HOPS];
  for (int row = 0; row < num_mutated; row++) {
    int gene = genes[row] = tables.movable[draw(draws, MOVABLE)];
    Route old = route_of(annealer, gene), route = propose(tables, annealer, gene, fresh, draws);
    new_energy += change_of(tables, annealer, gene, old, route, lane);
    paths[row] = old.path;
    for (int index = 0; index < length_of(tables, old.path); index++) steps[row][index] = old.steps[index];
    SYNC_WARP;
    adopt(tables, annealer, gene, route, lane);
  }
  if (accepts(tables, new_energy - energy, level, draws)) return new_energy;

  for (int row = num_mutated - 1; row >= 0; row--) {
    Route old = {paths[row], steps[row]};
    adopt(tables, annealer, genes[row], old, lane);
  }
  turn(tables, annealer, cut, which, OWN, lane);
  return energy;
}

// -- an island

struct Island {
  int *paths;        // [ANNEALERS][GENES]
  STEP *steps;       // [ANNEALERS][GENES][HOPS]
  int *uses;         // [ANNEALERS][MESSAGES * NUM_HOPS * STEPS]
  int *loads;        // [ANNEALERS][UNITS * STEPS]
  int *differing;    // [ANNEALERS][GENES]
  int *both_paths;   // [ANNEALERS][GENES][2]
  STEP *both_steps;  // [ANNEALERS][GENES][2][HOPS]
  u32 *states;       // [ANNEALERS][4]
  int *energies;     // [ANNEALERS]
  int *drawn;        // [ANNEALERS]: whose solution each gets
  u64 *wheel;        // [6]
  i64 *moves;        // of each annealer; -1: its first solution is not drawn yet
  int *winner;       // [GENES][1 + HOPS]
  i64 *made;         // moves of all annealers together
  int *end;          // 0: the run goes on, 1: success, 2: no evaluations are left
  Record record;
};

// What a block shares.
struct Hall {
  double *ends;        // [ANNEALERS]: of the parts of the wheel
  int *num_differing;  // [ANNEALERS]
  int *mates;          // [ANNEALERS]: the conflicts of the mate
  int *made;           // [ANNEALERS]: the moves since the last exchange
  int *fewest;         // [ANNEALERS]: the fewest conflicts since then
};

PART Annealer annealer_of(const Island &island, int number) {
  i64 genes = (i64)number * GENES;
  Annealer annealer = {island.paths + genes, island.steps + genes * HOPS,
                       island.uses + (i64)number * MESSAGES * NUM_HOPS * STEPS, island.loads + (i64)number * UNITS * STEPS,
                       island.differing + genes, island.both_paths + 2 * genes, island.both_steps + 2 * genes * HOPS};
  return annealer;
}

PART Draws draws_of(const Island &island, int number) {
  const u32 *state = island.states + 4 * number;
  Draws draws = {state[0], state[1], state[2], state[3]};
  return draws;
}

PART void store(const Island &island, int number, const Draws &draws) {
  u32 *state = island.states + 4 * number;
  state[0] = draws.a;
  state[1] = draws.b;
  state[2] = draws.c;
  state[3] = draws.d;
}

PART void start_genes(const HopTables &tables, const Island &island, int number, int lane) {
  Annealer annealer = annealer_of(island, number);
  Draws draws = draws_of(island, number);
  for (int gene = 0; gene < GENES; gene++) {
    STEP fresh[HOPS];
    int first = tables.first_path[gene], path = first + draw(draws, tables.first_path[gene + 1] - first);
    int length = length_of(tables, path);
    draw_steps(length, fresh, draws);
    for (int index = lane; index < length; index += LANES) annealer.steps[(i64)gene * HOPS + index] = fresh[index];
    if (lane == 0) annealer.paths[gene] = path;
  }
  SYNC_WARP;
  if (lane == 0) store(island, number, draws);
}

// Turn the wheel once for every annealer; by one thread.
PART void turn_wheel(const Hall &hall, const Island &island) {
  int most = 0, best = 0;
  for (int i = 0; i < ANNEALERS; i++) {
    if (island.energies[i] > most) most = island.energies[i];
    if (island.energies[i] < island.energies[best]) best = i;
  }
  double end = 0.0;
  for (int i = 0; i < ANNEALERS; i++) {
    end += BY_GAP ? (double)(most - island.energies[i]) + 1.0 : 1.0 / (1.0 + (double)island.energies[i]);
    hall.ends[i] = end;
  }
  Generator generator = loaded(island.wheel);
  for (int i = 0; i < ANNEALERS; i++) {
    double point = real(generator) * end;
    int which = 0;
    while (which < ANNEALERS - 1 && hall.ends[which] <= point) which++;
    island.drawn[i] = which;
  }
  if (MASTER_KEEPS_BEST) island.drawn[0] = best;
  store(island.wheel, generator);
}

// Count the moves since the last exchange, and end the run if an annealer has no conflicts.
PART void settle(const Hall &hall, const Island &island, int most_lines, int thread) {
  int best = 0;
  for (int i = 1; i < ANNEALERS; i++) if (island.energies[i] < island.energies[best]) best = i;
  bool is_success = island.energies[best] == 0;
  if (is_success) for (int i = thread; i < GENES * (1 + HOPS); i += THREADS) {
    i64 gene = (i64)best * GENES + i / (1 + HOPS);
    int index = i % (1 + HOPS);
    island.winner[i] = index ? island.steps[gene * HOPS + index - 1] : island.paths[gene];
  }
  if (thread == 0) {
    int fewest = hall.fewest[0];
    for (int i = 0; i < ANNEALERS; i++) {
      *island.made += hall.made[i];
      if (hall.fewest[i] < fewest) fewest = hall.fewest[i];
    }
    write_down(island.record, fewest, *island.made, most_lines);
    if (is_success) *island.end = 1;
    else if (*island.moves >= 0) turn_wheel(hall, island);
  }
  SYNC;
}

// Let annealers cross their solutions with those that they got, and then make moves until the next exchange.
PART void stretch(
    const HopTables &tables, const Hall &hall, const Island &island, i64 most, int most_lines, int thread) {
  int warp = thread / LANES, lane = thread % LANES;
  i64 before = *island.moves, left = most - *island.made, number = (i64)ANNEALERS * EXCHANGE_EVERY;
  if (left < number) number = left;
  for (int i = warp; i < ANNEALERS && before > 0; i += WARPS) {
    if (lane == 0) {
      hall.num_differing[i] = 0;
      hall.mates[i] = island.energies[island.drawn[i]];
    }
    SYNC_WARP;
    compare(tables, annealer_of(island, i), annealer_of(island, island.drawn[i]), &hall.num_differing[i], lane);
  }
  SYNC;
  for (int i = warp; i < ANNEALERS; i += WARPS) {
    Annealer annealer = annealer_of(island, i);
    Draws draws = draws_of(island, i);
    int energy = island.energies[i];
    if (before > 0)
      energy = cross(tables, annealer, energy, hall.mates[i], hall.num_differing[i], before / MOVES_PER_TEMPERATURE,
                     draws, lane);
    int own = (int)(number / ANNEALERS + (i < number % ANNEALERS));
    Progress progress = metropolis(tables, annealer, energy, before, own, draws, lane);
    SYNC_WARP;
    if (lane == 0) {
      store(island, i, draws);
      island.energies[i] = progress.energy;
      hall.made[i] = progress.made;
      hall.fewest[i] = progress.fewest;
    }
  }
  SYNC;
  if (thread == 0) *island.moves += EXCHANGE_EVERY;
  SYNC;
  settle(hall, island, most_lines, thread);
}

// What is counted is not stored between launches.
PART void live(
    const HopTables &tables, const Hall &hall, const Island &island, int num_exchanges, i64 most, int most_lines,
    int thread) {
  int warp = thread / LANES, lane = thread % LANES;
  bool is_new = *island.moves < 0;
  for (int i = warp; i < ANNEALERS; i += WARPS) {
    if (is_new) start_genes(tables, island, i, lane);
    int energy = recount(tables, annealer_of(island, i), lane);
    if (lane == 0) {
      island.energies[i] = hall.fewest[i] = energy;
      hall.made[i] = 0;
    }
  }
  SYNC;
  if (is_new) {
    settle(hall, island, most_lines, thread);
    if (thread == 0) *island.moves = 0;
    SYNC;
  }
  for (int passed = 0; passed < num_exchanges && !*island.end; passed++) {
    bool is_over = *island.made >= most || !MOVABLE;
    SYNC;
    if (is_over) {
      if (thread == 0) *island.end = 2;
      return;
    }
    stretch(tables, hall, island, most, most_lines, thread);
  }
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(THREADS) islands(
#else
extern "C" void islands(int num_blocks, char *shared_memory,
#endif
    const int *message_of, const int *first_path, const int *first_hop, const int *hops, const int *first_unit,
    const int *units, const int *capacity, const int *absorption_of, const int *movable, const u64 *thresholds,
    const i64 *levels, const int *running, int *paths, STEP *steps, int *uses, int *loads, int *differing,
    int *both_paths, STEP *both_steps, u32 *states, int *energies, int *drawn, u64 *wheels, i64 *moves, int *winners,
    i64 *made, int *end, int *least, int *trace, int *lines, int num_exchanges, int most_lines, i64 most_evaluations) {
  HopTables tables = {message_of, first_path, first_hop, hops, first_unit, units, capacity, absorption_of, movable,
                      thresholds, levels};
#ifdef __CUDACC__
  extern __shared__ __align__(8) char shared_memory[];
  int block = blockIdx.x, thread = threadIdx.x;
#else
  for (int block = 0, thread = 0; block < num_blocks; block++)
#endif
  {
    char *memory = shared_memory;
    Hall hall;
    hall.ends = (double *)taken(memory, 8 * ANNEALERS);
    hall.num_differing = (int *)taken(memory, 4 * ANNEALERS);
    hall.mates = (int *)taken(memory, 4 * ANNEALERS);
    hall.made = (int *)taken(memory, 4 * ANNEALERS);
    hall.fewest = (int *)taken(memory, 4 * ANNEALERS);
    i64 at = running[block], genes = at * ANNEALERS * GENES;
    Island island = {paths + genes, steps + genes * HOPS, uses + at * ANNEALERS * MESSAGES * NUM_HOPS * STEPS,
                     LOADS_ARE_SHARED ? (int *)memory : loads + at * ANNEALERS * UNITS * STEPS, differing + genes,
                     both_paths + 2 * genes, both_steps + 2 * genes * HOPS, states + 4 * at * ANNEALERS,
                     energies + at * ANNEALERS, drawn + at * ANNEALERS, wheels + 6 * at, moves + at,
                     winners + at * GENES * (1 + HOPS), made + at, end + at, {least + at, trace + at * most_lines * 2, lines + at}};
    live(tables, hall, island, num_exchanges, most_evaluations, most_lines, thread);
  }
}
