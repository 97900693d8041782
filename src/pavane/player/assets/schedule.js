// The schedule as the page asks for it: by step, by router, by channel, by message.

export class Schedule {
  constructor(told) {
    Object.assign(this, told);
    this.isWhole = Boolean(told.transfers);
    this.processorsOn = this.routers.map(() => []);
    this.processors.forEach((router, processor) => this.processorsOn[router].push(processor));
    this.isSlim = this.processors.every((router, processor) => router === processor) &&
      this.processors.length === this.routers.length;
    this.steps = Array.from({ length: this.numSteps }, () => []);
    if (this.isWhole) {
      this.transfers = told.transfers.map(([step, from, to, path, carried], number) =>
        ({ number, step, from, to, path, carries: Array.isArray(carried) ? carried : [carried] }));
      for (const transfer of this.transfers) this.steps[transfer.step].push(transfer);
    } else {
      this.bits = Uint8Array.from(atob(told.busy || ""), (letter) => letter.charCodeAt(0));
      this.bytesPerStep = Math.ceil(this.channels.length / 8);
    }
    this.busyCounts = Array.from({ length: this.numSteps }, (_, step) => this.busyChannels(step).length);
  }

  // Locations: a processor p >= 0, or the pure switch r as ~r.
  routerOf(location) { return location >= 0 ? this.processors[location] : ~location; }

  nameOf(location) {
    if (location < 0) return `switch ${this.routers[~location]}`;
    return this.isSlim ? this.routers[this.processors[location]] : `p${location}`;
  }

  routersAlong(transfer) {
    const visited = [this.routerOf(transfer.from)];
    for (const channel of transfer.path) visited.push(this.channels[channel][1]);
    return visited;
  }

  pathText(transfer) { return this.routersAlong(transfer).map((router) => this.routers[router]).join("–"); }

  busyChannels(step) {
    if (this.isWhole) return this.steps[step].flatMap((transfer) => transfer.path);
    const busy = [];
    for (let channel = 0; channel < this.channels.length; channel++) {
      if (this.bits[step * this.bytesPerStep + (channel >> 3)] >> (channel & 7) & 1) busy.push(channel);
    }
    return busy;
  }

  transfersIn(step) { return this.isWhole ? this.steps[step].length : this.perStep[step]; }

  // Broadcasts have an origin, reductions a target, private messages both.
  originOf(message) { return this.pattern === "reduction" ? null : this.labels[message][0]; }

  ownerOf(transfer) { return this.labels[transfer.carries[0]][0]; }

  messageText(message) {
    const label = this.labels[message];
    if (this.pattern === "private") return `${this.nameOf(label[0])} to ${this.nameOf(label[1])}`;
    return this.pattern === "broadcast" ? `of ${this.nameOf(label[0])}` : `for ${this.nameOf(label[0])}`;
  }

  matches(transfer, origin, target) {
    if (origin !== null && !transfer.carries.some((message) => this.labels[message][0] === origin)) return false;
    if (target === null) return true;
    if (this.pattern === "private") return transfer.carries.some((message) => this.labels[message][1] === target);
    return (this.pattern === "broadcast" ? transfer.to : transfer.from) === target;
  }

  // A row per owner, a column per step: who gets its message then (for reductions: who sends towards it).
  destinationTable() {
    const owners = [...new Set(this.labels.map((label) => label[0]))];
    const rows = new Map(owners.map((owner) => [owner, Array.from({ length: this.numSteps }, () => [])]));
    for (const transfer of this.transfers) {
      for (const message of transfer.carries) {
        const label = this.labels[message];
        const place = this.pattern === "reduction" ? transfer.from : transfer.to;
        if (place >= 0 && (label.length === 1 || place === label[1])) rows.get(label[0])[transfer.step].push(place);
      }
    }
    return rows;
  }

  // Who passed the message to whom, from its owner on (for reductions: towards it).
  treeOf(owner) {
    const message = this.labels.findIndex((label) => label[0] === owner);
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
