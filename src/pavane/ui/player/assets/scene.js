import { COLOURS, looksOf, schemeOf } from "./colours.js";
import { distanceTo, lengthOf, linkLines, nearestDistance, partOf, shifted, strips } from "./geometry.js";
import { arrow, mark, trace } from "./pens.js";

// Draws the network and its transfers on a canvas: links, what runs on them, and above both the routers with their
// names. Transfers keep to the right of a link, as on a road.

const MARGIN = 44;
const MOST_CAPACITIES_SHOWN = 5;
// How strongly transfers are drawn beside those of a message that is searched for.
const PALE = 0.15;
// Names that do not fit into routers are written below them, in networks up to this size.
const MOST_NAMES_BELOW = 64;
// Dots of processors smaller than this have no numbers.
const LEAST_NUMBERED_DOT = 5.5;

export class Scene {
  constructor(canvas, schedule) {
    this.canvas = canvas;
    this.schedule = schedule;
    this.context = canvas.getContext("2d");
    this.selected = null;
    this.showsLoads = false;
    const owners = schedule.groups?.keys() ?? (schedule.hasTransfers ? new Set(schedule.labels.map((label) => label[0])) : []);
    this.looks = looksOf(schedule, [...owners]);
    this.strips = strips(schedule);
    this.spots = { step: -1 };
    this.resize();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const density = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = width * density;
    this.canvas.height = height * density;
    this.density = density;
    const across = width - 2 * MARGIN, up = height - 2 * MARGIN - (this.schedule.isWide ? 14 : 0);
    this.points = fitted(this.schedule.places, across, up).map(([x, y]) => [MARGIN + x, MARGIN + y]);
    const nearest = nearestDistance(this.points);
    this.radius = Math.max(2.5, Math.min(16, nearest * 0.28));
    this.gap = Math.max(0.6, Math.min(4, this.radius * 0.3));
    // Wide links are squeezed to the width of a router.
    this.unit = this.schedule.isWide ? this.gap * Math.min(1, 3.4 / this.strips.reduce((most, { first, width: wide }) => Math.max(most, first + wide), 1)) : this.gap;
    this.lines = linkLines(this.schedule.channels, this.points, this.radius, nearest);
    this.layers = null;
    this.lanes = new Map();
    this.spots = { step: -1 };
  }

  // What was drawn before no longer holds, for the colours have changed.
  repaint() { this.layers = null; }

  lookOf(owner) {
    const look = this.looks.get(owner) || { colour: 0, shape: "disc", dash: [] };
    return { ...look, colour: COLOURS[schemeOf(this.canvas)][look.colour] };
  }

  // The line of a channel from router to router, to the right of its direction; of several that share a channel, each has
  // a part of its width.
  lane(channel, part = 0.5) {
    if (part === 0.5 && this.lanes.has(channel)) return this.lanes.get(channel);
    const [tail, head] = this.schedule.channels[channel];
    const link = this.lines.get(`${Math.min(tail, head)}-${Math.max(tail, head)}`);
    const { first, width } = this.strips[channel];
    const line = shifted(tail < head ? link : [...link].reverse(), this.unit * (0.5 + first + part * width));
    const length = lengthOf(line), cut = Math.min(this.radius, length / 3);
    const made = partOf(line, cut, length - cut);
    if (part === 0.5) this.lanes.set(channel, made);
    return made;
  }

  colours() {
    const style = getComputedStyle(this.canvas);
    const named = (name) => style.getPropertyValue(name).trim();
    return Object.fromEntries(["ink", "muted", "line", "paper", "mark", "load", "informed", "wrong"].map((name) => [name, named(`--${name}`)]));
  }

  // Links, routers and names, each drawn once: what changes with the steps lies between them.
  drawLayers() {
    const colour = this.colours();
    const layer = (draw) => {
      const canvas = document.createElement("canvas");
      canvas.width = this.canvas.width;
      canvas.height = this.canvas.height;
      const pen = canvas.getContext("2d");
      pen.scale(this.density, this.density);
      draw(pen);
      return canvas;
    };
    return {
      links: layer((pen) => this.drawLinks(pen, colour)),
      routers: layer((pen) => this.drawRouters(pen, colour)),
      names: layer((pen) => this.drawNames(pen, colour)),
    };
  }

  drawLinks(pen, colour) {
    pen.strokeStyle = pen.fillStyle = colour.line;
    pen.lineWidth = Math.max(0.6, this.gap * 0.35);
    this.schedule.channels.forEach((_, channel) => {
      const line = this.lane(channel);
      if (this.schedule.isWide) pen.lineWidth = this.widthOf(channel);
      trace(pen, line);
      if (this.radius > 6) arrow(pen, line, this.gap * 1.2);
    });
    if (this.schedule.isWide) this.drawCapacities(pen, colour);
  }

  outline(pen, router, radius = this.radius) {
    const [x, y] = this.points[router];
    pen.beginPath();
    if (this.schedule.processorsOn[router].length) pen.arc(x, y, radius, 0, 2 * Math.PI);
    else pen.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  }

  drawRouters(pen, colour) {
    this.points.forEach(([x, y], router) => {
      pen.fillStyle = colour.paper;
      pen.strokeStyle = colour.ink;
      pen.lineWidth = 1.2;
      this.outline(pen, router);
      pen.fill();
      pen.stroke();
      const processors = this.schedule.processorsOn[router].length;
      if (processors < 2) return;
      const dot = this.dotSize(processors), hasNumbers = dot >= LEAST_NUMBERED_DOT, away = this.radius + (hasNumbers ? 0.8 : 1.2) * dot;
      this.schedule.processorsOn[router].forEach((processor, turn) => {
        const angle = 2 * Math.PI * (turn + 0.5) / processors, [px, py] = [x + away * Math.sin(angle), y - away * Math.cos(angle)];
        pen.fillStyle = colour.ink;
        pen.beginPath();
        pen.arc(px, py, dot, 0, 2 * Math.PI);
        pen.fill();
        if (!hasNumbers) return;
        pen.font = `${dot * (processor > 99 ? 0.9 : 1.25)}px system-ui, sans-serif`;
        pen.textAlign = "center";
        pen.textBaseline = "middle";
        pen.fillStyle = colour.paper;
        pen.fillText(String(processor), px, py + 0.5);
      });
    });
  }

  // The radius of a processor's dot beside its router: large enough for its number where there is room around the router.
  dotSize(processors) {
    const room = Math.min(0.55, 0.85 * Math.PI / processors) * this.radius;
    return room >= LEAST_NUMBERED_DOT ? room : Math.max(1.5, this.radius * 0.2);
  }

  drawNames(pen, colour) {
    const written = [];
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    this.points.forEach(([x, y], router) => {
      const name = this.schedule.routers[router];
      const size = Math.min(13.6, Math.max(8, this.radius * 0.85));
      pen.font = `${size}px system-ui, sans-serif`;
      const isInside = this.radius > 7 && pen.measureText(name).width < 1.9 * this.radius;
      if (!isInside && (this.points.length > MOST_NAMES_BELOW || name.length > 14)) return;
      pen.font = `${isInside ? size : 11}px system-ui, sans-serif`;
      pen.fillStyle = colour.ink;
      if (isInside) { pen.fillText(name, x, y + 0.5); return; }
      // Below the router, a line lower where another name is in the way, or not at all.
      const wide = pen.measureText(name).width + 4;
      const place = [8, 20, -8].map((down) => y + down + Math.sign(down) * this.radius)
        .find((at) => !written.some(([px, py, other]) => Math.abs(py - at) < 11 && Math.abs(px - x) < (wide + other) / 2));
      if (place === undefined) return;
      written.push([x, place, wide]);
      pen.strokeStyle = colour.paper;
      pen.lineWidth = 3;
      pen.lineJoin = "round";
      pen.strokeText(name, x, place);
      pen.fillText(name, x, place);
    });
  }

  widthOf(channel) { return Math.max(0.6, this.unit * (this.strips[channel].width - 0.5)); }

  // Which width is which capacity, at the lower left.
  drawCapacities(pen, colour) {
    const known = [...new Set(this.schedule.capacities)].sort((a, b) => a - b);
    const shown = known.length <= MOST_CAPACITIES_SHOWN ? known : [known[0], known[known.length >> 1], known.at(-1)];
    const bottom = this.canvas.height / this.density - 12;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = colour.muted;
    pen.strokeStyle = colour.line;
    pen.fillText("capacity", 10, bottom);
    let x = 16 + pen.measureText("capacity").width;
    for (const capacity of shown) {
      pen.lineWidth = this.widthOf(this.schedule.capacities.indexOf(capacity));
      trace(pen, [[x, bottom], [x + 22, bottom]]);
      pen.fillText(`×${capacity}`, x + 27, bottom);
      x += 37 + pen.measureText(`×${capacity}`).width;
    }
  }

  // For each transfer of a step and each channel of its path, which part of the channel's width it has.
  partsIn(step) {
    if (this.spots.step === step) return this.spots;
    const loads = this.schedule.loadsIn(step), taken = new Map(), parts = new Map();
    for (const transfer of this.schedule.steps[step]) {
      parts.set(transfer, this.schedule.channelsOf(transfer).map((channel) => {
        const before = taken.get(channel) || 0;
        taken.set(channel, before + 1);
        return this.schedule.isWhole ? (before + 0.5) / loads.get(channel) : 0.5;
      }));
    }
    let most = 1;
    if (this.schedule.isWide) loads.forEach((load, channel) => { most = Math.max(most, load / this.strips[channel].width); });
    this.spots = { step, parts, most };
    return this.spots;
  }

  // `progress` runs from 0 to 1 within the step; `kept` says which transfers are drawn, `shares` how much of each router
  // is filled.
  draw(step, progress, kept, shares = null) {
    const pen = this.begin();
    if (!pen) return;
    const colour = this.colours();
    if (this.showsLoads) this.drawLoads(pen, step, progress, colour);
    const { parts, most } = this.partsIn(step);
    // Where a message is selected, all else is pale.
    const messages = this.selected?.kind === "message" ? new Set(this.selected.numbers) : null;
    if (messages) this.drawSelected(pen, colour);
    for (const transfer of this.schedule.steps[step]) {
      if (!kept(transfer)) continue;
      pen.globalAlpha = !messages || transfer.carries.some((message) => messages.has(message)) ? 1 : PALE;
      this.drawTransfer(pen, transfer, parts.get(transfer), progress, colour, most);
    }
    pen.globalAlpha = 1;
    this.drawConflicts(pen, step, colour);
    if (this.selected?.kind === "channel") this.drawSelected(pen, colour);
    this.over(pen, this.layers.routers);
    if (shares) shares.forEach((share, router) => { if (share > 0) this.drawShare(pen, router, share, colour); });
    if (this.selected?.kind === "router") this.drawSelected(pen, colour);
    this.over(pen, this.layers.names);
  }

  // The channels at which a schedule breaks a rule in a step, above what runs on them.
  drawConflicts(pen, step, colour) {
    pen.strokeStyle = colour.wrong;
    pen.lineWidth = 4;
    pen.setLineDash([3, 3]);
    for (const channel of this.schedule.conflicts?.[step] || []) trace(pen, this.lane(channel));
    pen.setLineDash([]);
  }

  // The links alone, and a pen for what lies above them; `over` then adds routers and names.
  begin() {
    if (!this.points) this.resize();
    if (!this.points) return null;
    this.layers ||= this.drawLayers();
    const pen = this.context;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.layers.links, 0, 0);
    pen.scale(this.density, this.density);
    return pen;
  }

  over(pen, layer) {
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(layer, 0, 0);
    pen.restore();
  }

  drawLoads(pen, step, progress, colour) {
    pen.strokeStyle = colour.load;
    pen.lineWidth = Math.max(1.5, this.gap * 0.9);
    for (const [channel, load] of this.schedule.loadsIn(step)) {
      if (this.schedule.hasLoads) pen.lineWidth = Math.max(1.5, this.widthOf(channel) * load / this.schedule.capacityOf(channel));
      const line = this.lane(channel);
      trace(pen, partOf(line, 0, lengthOf(line) * progress));
    }
  }

  // Clockwise from above, as much of a router as its share is of the whole.
  drawShare(pen, router, share, colour) {
    const [x, y] = this.points[router];
    pen.save();
    this.outline(pen, router, this.radius - 0.6);
    pen.clip();
    pen.fillStyle = colour.informed;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.arc(x, y, 2 * this.radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * Math.min(1, share));
    pen.fill();
    pen.restore();
    if (share < 1) return;
    pen.strokeStyle = colour.mark;
    pen.lineWidth = Math.max(1.5, this.radius * 0.18);
    this.outline(pen, router);
    pen.stroke();
  }

  drawTransfer(pen, transfer, parts, progress, colour, crowd) {
    const { colour: own, shape, dash } = this.lookOf(this.schedule.ownerOf(transfer));
    pen.strokeStyle = pen.fillStyle = own;
    const room = this.unit / crowd, size = Math.max(2, room * 1.4);
    pen.lineWidth = Math.max(this.showsLoads ? 2 : 1.2, room * (transfer.carries.length > 1 || this.showsLoads ? 1.3 : 0.9));
    // Sums that are added are on their way to become one; broken lines distinguish them from sums that are passed on.
    pen.setLineDash(this.schedule.isAdded(transfer) ? [6, 4] : dash);
    if (!transfer.path.length) {
      if (transfer.offset) { pen.setLineDash([]); return; }
      // Between processors of one router: a ring around it.
      const [x, y] = this.points[this.schedule.routerOf(transfer.from)];
      pen.beginPath();
      pen.arc(x, y, this.radius * 1.6, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * progress);
      pen.stroke();
      pen.setLineDash([]);
      return;
    }
    // A timed transfer is under way for several steps, and comes a part of its way in each.
    const far = transfer.done === undefined ? progress : transfer.begun + (transfer.done - transfer.begun) * progress;
    const at = transfer.on ? this.tracePacket(pen, transfer, parts, progress, size) : this.tracePath(pen, transfer, parts, far, size);
    pen.setLineDash([]);
    if (!at) return;
    pen.strokeStyle = colour.paper;
    pen.lineWidth = 0.8;
    mark(pen, shape, at[0], at[1], size);
  }

  // Draws the way of a transfer as far as it has come; returns where its mark is.
  tracePath(pen, transfer, parts, progress, size) {
    const ways = transfer.path.map((channel, index) => this.lane(channel, parts[index])), lengths = ways.map(lengthOf);
    // The mark stops short of its router, so that it is seen whole.
    lengths[lengths.length - 1] = Math.max(lengths.at(-1) / 2, lengths.at(-1) - size - 1);
    let left = progress * lengths.reduce((sum, length) => sum + length, 0), at = ways[0][0];
    for (let index = 0; index < ways.length && left > 0; index++) {
      const part = partOf(ways[index], 0, Math.min(left, lengths[index]));
      trace(pen, part);
      at = part.at(-1);
      left -= lengths[index];
    }
    return at;
  }

  // Draws the channels that a packet is on, and returns where its head is: on the way along the newest of them, or at rest
  // before the router that it passes; null when the head has been ejected.
  tracePacket(pen, packet, parts, progress, size) {
    const { hop, router } = this.schedule.slots, newest = packet.offset / hop - 1;
    let at = null;
    packet.on.forEach((index, number) => {
      const way = this.lane(packet.path[index], parts[number]), length = lengthOf(way);
      const part = partOf(way, 0, index === newest ? progress * Math.max(length / 2, length - size - 1) : length);
      trace(pen, part);
      if (index === newest) at = part.at(-1);
    });
    if (at || packet.offset > packet.path.length * hop + router - 1) return at;
    const index = Math.floor(newest), way = this.lane(packet.path[Math.max(0, index)]), length = lengthOf(way);
    return index < 0 ? way[0] : partOf(way, 0, Math.max(length / 2, length - size - 1)).at(-1);
  }

  drawSelected(pen, colour) {
    const { kind, number } = this.selected;
    pen.strokeStyle = colour.mark;
    pen.lineWidth = 3;
    if (kind === "router") {
      this.outline(pen, number, this.radius + 4);
      pen.stroke();
    } else if (kind === "channel") {
      trace(pen, this.lane(number));
    } else if (kind === "message") {
      const messages = new Set(this.selected.numbers);
      const ways = new Set(this.schedule.transfers.flatMap((transfer) => (transfer.carries.some((message) => messages.has(message)) ? transfer.path : [])));
      for (const channel of ways) trace(pen, this.lane(channel));
    }
  }

  // What lies under a point: a router, else the nearest channel.
  at(x, y) {
    if (!this.points) return null;
    const router = this.points.findIndex(([px, py]) => Math.hypot(px - x, py - y) <= this.radius + 3);
    if (router >= 0) return { kind: "router", number: router };
    let best = null, nearest = 6;
    this.schedule.channels.forEach((_, channel) => {
      const away = distanceTo(this.lane(channel), x, y) - (this.schedule.isWide ? this.widthOf(channel) / 2 : 0);
      if (away < nearest) [best, nearest] = [{ kind: "channel", number: channel }, away];
    });
    return best;
  }
}

// Positions in the unit square, in a box: as large as fits, in the middle, and in the same proportions.
function fitted(positions, width, height) {
  const [xs, ys] = [0, 1].map((axis) => positions.map((position) => position[axis]));
  const least = (values) => values.reduce((a, b) => Math.min(a, b), 1), most = (values) => values.reduce((a, b) => Math.max(a, b), 0);
  const [x, y, across, up] = [least(xs), least(ys), most(xs) - least(xs), most(ys) - least(ys)];
  const scale = Math.min(across > 1e-6 ? width / across : Infinity, up > 1e-6 ? height / up : Infinity);
  const by = Number.isFinite(scale) ? Math.min(scale, 2 * Math.min(width, height)) : 0;
  return positions.map(([px, py]) => [width / 2 + (px - x - across / 2) * by, height / 2 - (py - y - up / 2) * by]);
}
