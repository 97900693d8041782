import { timeText } from "./times.js";

// The schedule as the page reads it: by step, by router, by channel, by message. A timed schedule has times in place of
// steps: each of its steps lasts from one start or end of a transfer to the next.

const MOST_LINES_DRAWN = 40;
// Of several collectives, whose colours cover areas.
const MOST_LINES_OF_SEVERAL = 600;
// A timed schedule is cut into at most this many steps: more are not seen, and take long.
const MOST_TIMES = 1500;

export class Schedule {
  constructor(contents) {
    Object.assign(this, contents);
    this.isWhole = Boolean(contents.transfers);
    this.processorsOn = this.routers.map(() => []);
    this.processors.forEach((router, processor) => this.processorsOn[router].push(processor));
    this.isSlim = this.processors.every((router, processor) => router === processor) &&
      this.processors.length === this.routers.length;
    if (contents.times) this.cutTime(contents);
    this.steps = Array.from({ length: this.numSteps }, () => []);
    // A summary lists the transfers of some origins only.
    const listed = contents.transfers || contents.chosen?.transfers;
    this.hasTransfers = Boolean(listed);
    if (listed) {
      this.labels = contents.labels || contents.chosen.labels;
      this.transfers = listed.map(([step, from, to, path, carried], number) =>
        ({ number, step, from, to, path, carries: Array.isArray(carried) ? carried : [carried] }));
      for (const transfer of this.transfers) {
        if (this.times) this.pass(transfer);
        else if (this.slots) this.fly(transfer);
        else this.steps[transfer.step].push(transfer);
      }
      if (contents.wrong) this.markWrong(contents.wrong);
      if (contents.added) this.addSums(contents);
    }
    if (!this.isWhole) {
      this.bits = Uint8Array.from(atob(contents.loads || contents.busy || ""), (letter) => letter.charCodeAt(0));
      this.bytesPerStep = contents.loads ? this.channels.length : Math.ceil(this.channels.length / 8);
    }
    this.isWide = Boolean(contents.capacities);
    this.mostCapacity = this.isWide ? contents.capacities.reduce((most, capacity) => Math.max(most, capacity), 1) : 1;
    this.capacityInAll = this.isWide ? contents.capacities.reduce((sum, capacity) => sum + capacity, 0) : this.channels.length;
    // How much each step carries in all, of capacityInAll.
    this.busyCounts = Array.from({ length: this.numSteps }, (_, step) => {
      let sum = 0;
      this.loadsIn(step).forEach((load) => { sum += load; });
      return sum;
    });
  }

  // What one step is called: a slot under tdm.
  get stepWord() { return this.times ? "time" : this.slots ? "slot" : "step"; }

  // The times at which anything starts or ends; those that a screen cannot distinguish count as one.
  cutTime({ times, transfers }) {
    const { finish, holds, usable } = times, least = finish / MOST_TIMES;
    const all = transfers.flatMap(([start], number) => [start, start + holds[number], usable[number]]).sort((a, b) => a - b);
    this.cuts = [0];
    for (const time of all) if (time - this.cuts.at(-1) > least && time < finish) this.cuts.push(time);
    this.cuts.push(Math.max(finish, 1));
    this.numSteps = this.cuts.length - 1;
  }

  // The step that a time is in.
  stepAt(time) {
    let low = 0, high = this.numSteps;
    while (high - low > 1) { const middle = (low + high) >> 1; if (this.cuts[middle] <= time) low = middle; else high = middle; }
    return low;
  }

  // Enters a timed transfer into each step in which it is under way: `begun` and `done` say how far it is before and after.
  pass(transfer) {
    const { holds, usable } = this.times, start = transfer.step, end = usable[transfer.number];
    Object.assign(transfer, { start, end, free: start + holds[transfer.number], step: this.stepAt(start), last: this.stepAt(Math.max(start, end - 1)) });
    const far = (time) => (end > start ? Math.max(0, Math.min(1, (time - start) / (end - start))) : 1);
    for (let step = transfer.step; step <= transfer.last; step++) {
      this.steps[step].push(Object.assign(Object.create(transfer), { begun: far(this.cuts[step]), done: far(this.cuts[step + 1]), isHolding: this.cuts[step] < transfer.free }));
    }
  }

  // The channels of transfers that break rules of start times, in each step in which these are under way.
  markWrong(numbers) {
    const wrong = new Set(numbers);
    for (const transfer of this.transfers) transfer.isWrong = wrong.has(transfer.number);
    this.conflicts = this.steps.map((under) => under.flatMap((transfer) => (transfer.isWrong ? transfer.path : [])));
  }

  // When a transfer leaves and when it has arrived, in words.
  leaves(transfer) { return this.times ? `at ${timeText(transfer.start)}` : this.when(transfer.step); }

  arrives(transfer) { return this.times ? `at ${timeText(transfer.end)}` : this.when(this.arrivalOf(transfer)); }

  when(step) { return this.times ? `at ${timeText(this.cuts[step])}` : `${this.stepWord} ${this.numberOf(step)}`; }

  // Whether the last slot is followed by the first.
  get wraps() { return Boolean(this.slots?.wraps); }

  // The number of a step, from 1, as people read it.
  numberOf(step) { return (step + 1).toLocaleString("en"); }

  // Enters a packet into each slot of its flight, as a transfer with `offset`, the slots since its injection, and `on`, which
  // channels of its path it uses then.
  fly(transfer) {
    const { hop, busy } = this.slots, last = this.flight(transfer) + busy - 1;
    for (let offset = 0; offset <= last; offset++) {
      const on = transfer.path.flatMap((_, index) => {
        const since = offset - (index + 1) * hop;
        return since >= 0 && since < busy ? [index] : [];
      });
      const step = transfer.step + offset;
      this.steps[step % this.numSteps].push(Object.assign(Object.create(transfer), { offset, on }));
    }
  }

  // The slots from injection to ejection.
  flight(transfer) { return transfer.path.length * this.slots.hop + this.slots.router; }

  // The step in which what a transfer carries has arrived; the last slot of its ejection, round the period.
  arrivalOf(transfer) { return this.times ? transfer.last : this.slots ? (transfer.step + this.flight(transfer) + this.slots.busy - 1) % this.numSteps : transfer.step; }

  // The steps in which a transfer uses one channel of its path, by its index.
  usesOf(transfer, index) {
    if (!this.slots) return [transfer.step];
    return Array.from({ length: this.slots.busy }, (_, since) => (transfer.step + (index + 1) * this.slots.hop + since) % this.numSteps);
  }

  // The channels of its path that a transfer uses in a step: all, or those that a packet is on.
  channelsOf(transfer) { return this.times ? (transfer.isHolding ? transfer.path : []) : this.slots ? transfer.on.map((index) => transfer.path[index]) : transfer.path; }

  get isSum() { return this.pattern === "allreduce"; }

  // Of each sum that a transfer of an allreduce carries: whether the receiver adds it to its own, and of how many
  // contributions its own consists then.
  addSums(contents) {
    let next = 0;
    for (const transfer of this.transfers) {
      const last = next + transfer.carries.length;
      if (this.partOf(transfer.carries[0]).pattern !== "allreduce") { next = last; continue; }
      transfer.added = contents.added.slice(next, last).map(Boolean);
      transfer.heard = contents.heard.slice(next, last);
      next = last;
    }
  }

  // Whether all that a transfer carries is added where it arrives.
  isAdded(transfer) { return Boolean(transfer.added?.every(Boolean)); }

  // Steps of more transfers than can be distinguished open as loads, with the transfers of one origin above them.
  get isCrowded() {
    if (!this.isWhole) return true;
    let most = 0;
    for (let step = 0; step < this.numSteps; step++) most = Math.max(most, this.transfersIn(step));
    return most > (this.groups ? MOST_LINES_OF_SEVERAL : MOST_LINES_DRAWN);
  }

  // How much each router has, from 0 to 1, of the messages that pass the filter, after a step (-1: before the first): what
  // it knows of broadcasts, what has come of private messages, what it has sent of reductions, which sums are complete.
  sharesAfter(step, origin, piece) {
    const isChosen = (message) => (origin === null || this.labels[message][0] === origin) && (piece === null || this.pieceOf(message) === piece);
    const messages = this.labels.flatMap((_, message) => (isChosen(message) ? [message] : []));
    const isPrivate = this.pattern === "private", due = new Map(), had = new Map(this.processors.map((_, processor) => [processor, new Set()]));
    if (isPrivate) for (const message of messages) due.set(this.labels[message][1], (due.get(this.labels[message][1]) || 0) + 1);
    else if (!this.isSum) for (const message of messages) had.get(this.labels[message][0]).add(message);
    const members = this.isSum ? this.numMembers : 0;
    const isReduction = this.pattern === "reduction";
    for (const transfer of this.transfers) {
      const owner = isReduction ? transfer.from : transfer.to;
      if (owner < 0 || (isReduction ? transfer.step : this.arrivalOf(transfer)) > step) continue;
      transfer.carries.forEach((message, index) => {
        if (!isChosen(message) || (isPrivate && this.labels[message][1] !== owner) || (members && transfer.heard[index] < members)) return;
        had.get(owner).add(message);
      });
    }
    const share = (processor) => had.get(processor).size / ((isPrivate ? due.get(processor) : messages.length) || 1);
    return {
      shares: this.processorsOn.map((processors) => processors.reduce((sum, processor) => sum + share(processor), 0) / (processors.length || 1)),
      numWhole: [...had.keys()].filter((processor) => share(processor) === 1 && (!isPrivate || due.has(processor))).length,
      numDue: isPrivate ? due.size : this.isSum ? this.numMembers : this.numTaking(messages),
    };
  }

  // Processors that these messages reach at all, with their owners.
  numTaking(messages) {
    const wanted = new Set(messages), taking = new Set(messages.map((message) => this.labels[message][0]));
    for (const transfer of this.transfers) {
      const owner = this.pattern === "reduction" ? transfer.from : transfer.to;
      if (owner >= 0 && transfer.carries.some((message) => wanted.has(message))) taking.add(owner);
    }
    return taking.size;
  }

  capacityOf(channel) { return this.isWide ? this.capacities[channel] : 1; }

  // The channels that carry anything in a step, each with how many transfers.
  loadsIn(step) {
    const loads = new Map();
    if (this.isWhole) {
      for (const transfer of this.steps[step]) for (const channel of this.channelsOf(transfer)) loads.set(channel, (loads.get(channel) || 0) + 1);
    } else {
      for (let channel = 0; channel < this.channels.length; channel++) {
        const load = this.loadOf(step, channel);
        if (load) loads.set(channel, load);
      }
    }
    return loads;
  }

  // What a summary says of a channel in a step: its load, or that it is busy.
  loadOf(step, channel) {
    const first = step * this.bytesPerStep;
    return this.loads ? this.bits[first + channel] : this.bits[first + (channel >> 3)] >> (channel & 7) & 1;
  }

  // Whether the summary says how much channels carry, or only that they do.
  get hasLoads() { return this.isWide && (this.isWhole || Boolean(this.loads)); }

  // Locations: a processor p >= 0, or the pure switch r as ~r.
  routerOf(location) { return location >= 0 ? this.processors[location] : ~location; }

  nameOf(location) {
    if (location < 0) return `${this.processorsOn[~location].length ? "router" : "switch"} ${this.routers[~location]}`;
    if (this.processorNames) return this.processorNames[location];
    return this.isSlim ? this.routers[this.processors[location]] : `p${location}`;
  }

  // The name of a processor with its router, where that is not the same.
  fullNameOf(location) {
    return location < 0 || this.isSlim || this.processorNames ? this.nameOf(location) : `p${location} (${this.routers[this.processors[location]]})`;
  }

  routersAlong(transfer) {
    const visited = [this.routerOf(transfer.from)];
    for (const channel of transfer.path) visited.push(this.channels[channel][1]);
    return visited;
  }

  pathText(transfer) { return this.routersAlong(transfer).map((router) => this.routers[router]).join("–"); }

  // How many transfers begin in a step.
  transfersIn(step) { return this.isWhole ? this.steps[step].filter((transfer) => (this.times ? transfer.step === step : !transfer.offset)).length : this.perStep[step]; }

  // Whose colour a transfer has: the origin of what it carries, or the group of its collective.
  ownerOf(transfer) {
    const owner = this.labels[transfer.carries[0]][0];
    return this.groups ? this.groupOf[owner] : owner;
  }

  // The collective of a message: its pattern and pieces, and the label of the message in it. Of several collectives a label
  // begins with the number of one.
  partOf(message) {
    const label = this.labels[message];
    return this.collectives ? { ...this.collectives[label[0]], number: label[0], label: label.slice(1) } : { pattern: this.pattern, hasPieces: this.hasPieces, numMembers: this.numMembers, label };
  }

  // The number of a piece; 0 where messages are whole.
  pieceOf(message) {
    const { hasPieces, label } = this.partOf(message);
    return hasPieces ? label.at(-1) : 0;
  }

  // A message, or one piece of it: 0>5.2 is piece 2 of the message from 0 to 5, 3.2 that of a broadcast of 3.
  pieceName(message) {
    const { pattern, label: [first, second] } = this.partOf(message);
    const ends = pattern === "private" ? `${this.nameOf(first)}>${this.nameOf(second)}` : this.nameOf(first);
    return `${ends}.${this.pieceOf(message)}`;
  }

  // All pieces of the message that a piece belongs to.
  piecesOf(message) {
    const [first, second] = this.labels[message], isPrivate = this.pattern === "private";
    const found = [];
    this.labels.forEach((label, number) => { if (label[0] === first && (!isPrivate || label[1] === second)) found.push(number); });
    return found;
  }

  // What is carried, with its noun.
  carriedText(message) {
    const { pattern, hasPieces } = this.partOf(message);
    if (pattern === "allreduce") return hasPieces ? `sum of piece ${this.pieceName(message)}` : `sum ${this.messageText(message)}`;
    return hasPieces ? `piece ${this.pieceName(message)}` : `message ${this.messageText(message)}`;
  }

  messageText(message) {
    const { pattern, label } = this.partOf(message);
    if (pattern === "private") return `${this.nameOf(label[0])} to ${this.nameOf(label[1])}`;
    if (pattern === "allreduce") return `of part ${this.nameOf(label[0])}`;
    return pattern === "broadcast" ? `of ${this.nameOf(label[0])}` : `for ${this.nameOf(label[0])}`;
  }

  matches(transfer, origin, target, piece = null) {
    if (piece !== null && !transfer.carries.some((message) => this.pieceOf(message) === piece)) return false;
    if (origin !== null && !transfer.carries.some((message) => this.labels[message][0] === origin)) return false;
    if (target === null) return true;
    if (this.pattern === "private") return transfer.carries.some((message) => this.labels[message][1] === target);
    return (this.pattern === "reduction" ? transfer.from : transfer.to) === target;
  }

  // A row per owner, a column per step: who gets its message then (for reductions: who sends towards it), which piece,
  // and of sums whether it is added.
  destinationTable() {
    const owners = [...new Set(this.labels.map((label) => label[0]))];
    const rows = new Map(owners.map((owner) => [owner, Array.from({ length: this.numSteps }, () => [])]));
    for (const transfer of this.transfers) {
      for (const [at, message] of transfer.carries.entries()) {
        const label = this.labels[message];
        const place = this.pattern === "reduction" ? transfer.from : transfer.to;
        if (place >= 0 && (this.pattern !== "private" || place === label[1])) rows.get(label[0])[transfer.step].push([place, this.pieceOf(message), this.isSum && transfer.added[at]]);
      }
    }
    return rows;
  }

  // The transfers of a message, or a piece of it, as a tree from its owner on (for reductions: towards it).
  treeOf(owner, piece = 0) {
    const message = this.labels.findIndex((label, number) => label[0] === owner && this.pieceOf(number) === piece);
    const children = new Map();
    for (const transfer of this.transfers) {
      if (!transfer.carries.includes(message)) continue;
      const [near, far] = this.pattern === "reduction" ? [transfer.to, transfer.from] : [transfer.from, transfer.to];
      if (!children.has(near)) children.set(near, []);
      children.get(near).push({ place: far, step: transfer.step });
    }
    return children;
  }
}
